//! Tasks that stood at one place.

use std::io;

use model::observation::StackGroup;

use super::path;
use super::view::View;
use crate::page::{Page, Role};
use crate::quantity::duration;

/// Tasks that are named.
const NAMES: usize = 6;

/// Call paths that were shown, with the names of what they were shown of: they are not written again.
#[derive(Default)]
pub(super) struct Told<'o>(Vec<(&'o [String], String)>);

impl<'o> Told<'o> {
    /// What the path was shown of; `None` where it was not shown before, and from now on it is.
    fn before(&mut self, frames: &'o [String], of: &str) -> Option<String> {
        let known = self.0.iter().find(|(told, _)| *told == frames).map(|(_, of)| of.clone());
        if known.is_none() && !frames.is_empty() {
            self.0.push((frames, of.to_owned()));
        }
        known
    }
}

/// Writes text behind `lead` and the call path that belongs to it on the next lines, where `place` begins;
/// of a path that was shown before, it is said where. `of` names what it is shown of now.
pub(super) fn placed<'o>(
    page: &mut Page<'_>,
    told: &mut Told<'o>,
    of: &str,
    [lead, place]: [&str; 2],
    text: &str,
    frames: &'o [String],
) -> io::Result<()> {
    match told.before(frames, of) {
        Some(other) => {
            page.labelled(lead, Role::Plain, &format!("{text}, call path as in {other}"))
        }
        None => {
            page.labelled(lead, Role::Plain, text)?;
            path::write(page, place, frames)
        }
    }
}

/// `2 × D: jbd2, kworker/flush (12 waits)`: how many at once at most, their state, who and how often.
pub(super) fn who(view: &View<'_>, group: &StackGroup) -> String {
    let mut names = match &group.tasks[..group.tasks.len().min(NAMES)] {
        [] => "a task whose name is not available".to_owned(),
        known => known.join(", "),
    };
    if group.tasks.len() > NAMES {
        names += &format!(" and {} more", group.tasks.len() - NAMES);
    }
    let state = if group.state.is_empty() { "?" } else { &group.state };
    format!("{} × {state}: {names}{}", group.count, times(view, group))
}

/// How often, where that says something.
fn times(view: &View<'_>, group: &StackGroup) -> String {
    let what = match (view.sampled(), group.state.as_str()) {
        (Some(_), _) => "samples",
        (None, "R") => "times",
        (None, _) => "waits",
    };
    match group.times {
        0 | 1 => String::new(),
        times => format!(" ({times} {what})"),
    }
}

/// Writes how many places are not shown, and what they make up together.
pub(super) fn rest(page: &mut Page<'_>, lead: &str, rest: &[StackGroup]) -> io::Result<()> {
    if rest.is_empty() {
        return Ok(());
    }
    let together = rest.iter().map(|group| group.ns).fold(0, u64::saturating_add);
    let places = if rest.len() == 1 { "place" } else { "places" };
    let lead = format!("{lead}{:>8}  ", duration(together));
    page.labelled(&lead, Role::Faint, &format!("at {} more {places}", rest.len()))
}
