//! Where the workload waited, who ended that, and what that one did meanwhile.

use std::io;

use model::account::{BlockedAt, EndedBy, Meanwhile};

use super::lines::Lines;
use super::section;
use super::seen::Seen;
use super::words::{how_often, innermost, times, waited, waker, word};
use crate::observation::path;
use crate::page::{Page, Role, Style};
use crate::quantity::{duration, percent};

/// Waits of a phase that are shown.
const SHOWN: usize = 4;

/// Lines of one wait.
const MOST: usize = 12;

/// Wakers of a wait, and waits of a waker, that are shown.
const BRANCHES: usize = 3;

/// What is less than this part of the whole wait has no line.
const LEAST: u64 = 100;

/// Where the lines below a wait begin, and how far each step is set in.
const INDENT: usize = 8;
const STEP: usize = 2;

/// Writes the largest waits of each side with what lay behind them.
pub(super) fn write(page: &mut Page<'_>, seen: &[Seen<'_>]) -> io::Result<()> {
    let about = "as a share of the phase; innermost function first; D: nothing but what it waits for ends \
                 the wait, S: a signal may";
    section(page, "what the workload waited for", about)?;
    for side in seen {
        side.title(page)?;
        let Some(time) = &side.account.workload else {
            page.labelled("    ", Role::Plain, side.not_available())?;
            continue;
        };
        if time.blocked.is_empty() {
            page.labelled("    ", Role::Plain, "it never waited")?;
        }
        for wait in time.blocked.iter().take(SHOWN) {
            one(page, wait, side.account.wall_ns)?;
        }
        more(page, &time.blocked[time.blocked.len().min(SHOWN)..])?;
    }
    Ok(())
}

fn more(page: &mut Page<'_>, waits: &[BlockedAt]) -> io::Result<()> {
    if waits.is_empty() {
        return Ok(());
    }
    let together = waits.iter().map(|wait| wait.ns).fold(0, u64::saturating_add);
    let places = if waits.len() == 1 { "place" } else { "places" };
    let text = format!("at {} more {places}", waits.len());
    page.labelled(&format!("    {:>8}  ", duration(together)), Role::Faint, &text)
}

fn one(page: &mut Page<'_>, wait: &BlockedAt, wall_ns: u64) -> io::Result<()> {
    let share = percent(wait.ns, wall_ns).map(|share| format!("{share:>7}  ")).unwrap_or_default();
    let lead = format!("    {:>8}  {share}", duration(wait.ns));
    let style = page.style;
    let mut lines = vec![Lines::of(style, (Role::Plain, &lead), Role::Plain, &how_often(wait))];
    let path = path::shown(page, INDENT, &wait.frames);
    lines.push(branch(style, 0, Role::Plain, &path));
    ended(style, wait, 0, wait.ns, &mut lines);
    let mut room = MOST;
    for (at, line) in lines.iter().enumerate() {
        // The last line is kept for saying that there are more.
        let last = at + 1 == lines.len();
        if line.count() > room.saturating_sub(usize::from(!last)) {
            return branch(style, 0, Role::Faint, "and what lay behind these").write(page);
        }
        room -= line.count();
        line.write(page)?;
    }
    Ok(())
}

fn branch(style: Style, depth: usize, role: Role, text: &str) -> Lines {
    // Deep steps must leave room for a name.
    let indent = (INDENT + STEP * depth).min(style.width / 3);
    Lines::of(style, (Role::Plain, &" ".repeat(indent)), role, text)
}

/// Who ended the wait, the most time first, and behind each what it did meanwhile.
fn ended(style: Style, wait: &BlockedAt, depth: usize, whole: u64, lines: &mut Vec<Lines>) {
    let large = wait.ended_by.iter().filter(|ended| is_large(ended.ns, whole));
    for by in large.take(BRANCHES) {
        lines.push(branch(style, depth, Role::Plain, &ender(by)));
        let Some(meanwhile) = &by.meanwhile else { continue };
        let large = meanwhile.blocked.iter().filter(|wait| is_large(wait.ns, whole));
        for behind in large.take(BRANCHES) {
            let text = format!(
                "waited in {} {}, {}",
                waited(&behind.frames),
                word(&duration(behind.ns)),
                times(behind.times)
            );
            lines.push(branch(style, depth + 1, Role::Plain, &text));
            ended(style, behind, depth + 2, whole, lines);
        }
    }
}

fn is_large(ns: u64, whole: u64) -> bool {
    ns > 0 && ns >= whole / LEAST
}

/// `← ended by kworker/flush 1.900 s, 80 times, which meanwhile ran 100.0 ms`.
fn ender(by: &EndedBy) -> String {
    let doing = match (&by.meanwhile, by.frames.is_empty()) {
        (Some(meanwhile), _) => self::meanwhile(meanwhile),
        (None, false) => format!(", from {}", innermost(&by.frames)),
        (None, true) => String::new(),
    };
    let (who, ns) = (waker(&by.waker), word(&duration(by.ns)));
    format!("← ended by {who} {ns}, {}{doing}", times(by.times))
}

fn meanwhile(meanwhile: &Meanwhile) -> String {
    let waited = meanwhile.blocked.iter().map(|wait| wait.ns).fold(0, u64::saturating_add);
    let parts =
        [("ran", meanwhile.running_ns), ("had no CPU for", meanwhile.ready_ns), ("waited", waited)];
    let told = parts.iter().filter(|(_, ns)| *ns > 0);
    let told: Vec<String> =
        told.map(|(what, ns)| format!("{what} {}", word(&duration(*ns)))).collect();
    match told.is_empty() {
        true => String::new(),
        false => format!(", which meanwhile {}", told.join(", ")),
    }
}
