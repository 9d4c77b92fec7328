//! What `show` prints: everything of one trial.

use std::io::{self, Write};

use model::place::is_exact;
use model::{Measurements, Outcome, Trial};

use crate::groups::repeats;
use crate::page::{Page, Role, Style};
use crate::phase_table::{self, Rows};
use crate::quantity::duration;
use crate::text::width;
use crate::values::labels;
use crate::{broken, heading, machine, phase_detail};

/// Writes everything of one trial but its profile, which [`crate::profile`] writes.
///
/// # Errors
/// The writer's.
pub fn show(out: &mut dyn Write, trial: &Trial, style: Style) -> io::Result<()> {
    let mut page = Page::new(out, style);
    heading::write(&mut page, trial, 0)?;
    let mut began =
        format!("  began {}, took {} on the host", trial.started, duration(trial.host_ns));
    if !trial.set.is_empty() {
        began += &format!(", of set {}", trial.set);
    }
    page.line(&[(Role::Faint, &began)])?;
    match &trial.outcome {
        Outcome::Broken(why) => {
            broken::reason(&mut page, why)?;
            broken::console(&mut page, &why.console)?;
        }
        Outcome::Measured(_) => overview(&mut page, trial)?,
    }
    machine::write(&mut page, trial)?;
    pairs(&mut page, "settings that differ from the defaults", &trial.spec.settings.changed())?;
    let items = trial.fingerprint.items().map(|(item, value)| (item.to_owned(), value.to_owned()));
    pairs(&mut page, "fingerprint", &items.collect::<Vec<_>>())?;
    if let Outcome::Measured(measurements) = &trial.outcome {
        details(&mut page, measurements)?;
        if is_exact(&trial.spec.place) {
            page.blank()?;
            page.line(&[(Role::Faint, machine::CAVEAT)])?;
        }
    }
    Ok(())
}

fn overview(page: &mut Page<'_>, trial: &Trial) -> io::Result<()> {
    for group in repeats(std::slice::from_ref(trial)) {
        phase_table::write(page, &group, Rows::All)?;
    }
    Ok(())
}

/// Names and values under a title; nothing where there are none.
fn pairs(page: &mut Page<'_>, title: &str, pairs: &[(String, String)]) -> io::Result<()> {
    if pairs.is_empty() {
        return Ok(());
    }
    page.blank()?;
    page.line(&[(Role::Strong, title)])?;
    let wide = pairs.iter().map(|(name, _)| width(&page.plain(name))).max().unwrap_or(0);
    for (name, value) in pairs {
        let name = page.plain(name);
        let name = format!("  {name:<wide$}  ");
        page.line(&[(Role::Faint, &name), (Role::Plain, value)])?;
    }
    Ok(())
}

fn details(page: &mut Page<'_>, measurements: &Measurements) -> io::Result<()> {
    for (label, run) in labels(measurements).iter().zip(&measurements.phases) {
        page.blank()?;
        phase_detail::write(page, label, run)?;
    }
    let rest = [("clock", &measurements.clock), ("witness", &measurements.witness)];
    pairs(page, "guest", &rest.map(|(name, value)| (name.to_owned(), value.clone())))
}
