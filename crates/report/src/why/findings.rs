//! Findings with what they rest on.

use std::io;

use model::Finding;

use super::lines::fitting;
use super::words::{number, surety, whole_percent, word};
use super::{section, words};
use crate::observation::path;
use crate::page::{Page, Role};
use crate::quantity::duration;
use crate::text::width;

/// Columns of a number's name at the most.
const NAME: usize = 32;

/// What is said where everything was looked at, and nothing found.
pub(super) const NONE: &str = "no known mechanism shows in it";

/// Writes each finding, or `none` where there is none; a share of it is `whole`: `of the difference`.
pub(super) fn write(
    page: &mut Page<'_>,
    findings: &[Finding],
    whole: &str,
    none: &str,
) -> io::Result<()> {
    section(page, "findings", "")?;
    if findings.is_empty() {
        return page.labelled("    ", Role::Plain, none);
    }
    for (at, finding) in findings.iter().enumerate() {
        if at > 0 {
            page.blank()?;
        }
        one(page, finding, whole)?;
    }
    Ok(())
}

/// Writes one finding.
pub(super) fn one(page: &mut Page<'_>, finding: &Finding, whole: &str) -> io::Result<()> {
    let share = finding.share_milli.map(|milli| format!("{} {whole}", whole_percent(milli)));
    let time = finding.ns.map(|ns| word(&duration(ns)));
    let told: Vec<String> = share.into_iter().chain(time).collect();
    let told = if told.is_empty() { String::new() } else { format!(": {}", told.join(", ")) };
    let text = format!("{}{told}; {}", finding.mechanism, surety(finding.surety));
    page.led((Role::Plain, "    "), Role::Strong, &text)?;
    let room = page.style.width.saturating_sub(6);
    let sentence = fitting(&words::sentence(&finding.sentence), room, page.style.unicode);
    page.labelled("      ", Role::Plain, &sentence)?;
    numbers(page, finding)
}

fn numbers(page: &mut Page<'_>, finding: &Finding) -> io::Result<()> {
    let names = finding.numbers.iter().map(|number| width(&page.plain(&number.name)));
    let widest = names.max().unwrap_or(0).clamp(7, NAME.min(page.style.width / 2));
    let lead = |name: &str| format!("      {name:<widest$}  ");
    for number in &finding.numbers {
        page.labelled(&lead(&number.name), Role::Plain, &self::number(number))?;
    }
    if let Some(longest) = finding.longest {
        let text = format!(
            "{} from {} on",
            word(&duration(longest.length())),
            word(&duration(longest.from_ns))
        );
        page.labelled(&lead("longest"), Role::Plain, &text)?;
    }
    if finding.frames.is_empty() {
        Ok(())
    } else {
        path::write(page, &lead("path"), &finding.frames)
    }
}
