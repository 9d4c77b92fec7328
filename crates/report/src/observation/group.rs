//! Tasks that stood at one place.

use std::io;

use model::observation::StackGroup;

use super::path;
use super::view::View;
use crate::page::{Page, Role};
use crate::quantity::duration;

/// Tasks that are named.
const NAMES: usize = 6;

/// Call paths that were shown, numbered from 1: they are not written again.
#[derive(Default)]
pub(super) struct Told<'o>(Vec<&'o [String]>);

/// The number of a call path.
enum Path {
    /// It is to be written now.
    New(usize),
    /// It was written before.
    Known(usize),
}

impl<'o> Told<'o> {
    fn path(&mut self, frames: &'o [String]) -> Path {
        match self.0.iter().position(|told| *told == frames) {
            Some(at) => Path::Known(at + 1),
            None => {
                self.0.push(frames);
                Path::New(self.0.len())
            }
        }
    }
}

/// Writes text behind `lead` and the call path that belongs to it on the next lines, where `place` begins;
/// of a path that was shown before, its number alone.
pub(super) fn placed<'o>(
    page: &mut Page<'_>,
    told: &mut Told<'o>,
    [lead, place]: [&str; 2],
    text: &str,
    frames: &'o [String],
) -> io::Result<()> {
    if frames.is_empty() {
        page.labelled(lead, Role::Plain, text)?;
        return path::write(page, place, frames);
    }
    match told.path(frames) {
        Path::Known(number) => {
            page.labelled(lead, Role::Plain, &format!("{text}, path [{number}]"))
        }
        Path::New(number) => {
            page.labelled(lead, Role::Plain, text)?;
            path::write(page, &format!("{place}[{number}] "), frames)
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
