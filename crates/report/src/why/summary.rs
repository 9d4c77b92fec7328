//! The reason in a few lines.

use std::io;

use model::{Comparison, Explanation, Finding, PhaseExplained};

use super::lines::Lines;
use super::words;
use super::words::{doing, seeds, share, signed, whole_percent, word};
use crate::comparison::names::quoted;
use crate::observation::path;
use crate::page::{Page, Role, Style};
use crate::quantity::nanoseconds;
use crate::text::{GLUE, cut};

/// Lines at the most.
const MOST: usize = 10;

/// Lines of the heading, and of one finding where there are several.
const HEADING: usize = 3;
const EACH: usize = 3;

/// Lines of each thing that is said at the end.
const HINT: usize = 2;

/// Lines of the first finding's call path, and functions of it.
const PATH: usize = 3;
const FRAMES: usize = 6;

/// Columns before a finding's sentence.
const LEAD: usize = 9;

/// Parts that are told where no finding explains anything.
const PARTS: usize = 4;

/// The smallest part that is told there, one in so many of the difference.
const LEAST_PART: f64 = 20.0;

/// A difference that is smaller than one in so many of the phase is none.
const NOTHING: f64 = 1000.0;

/// The least share that is worth a line where it stays unexplained, in thousandths.
const UNEXPLAINED: u64 = 50;

/// Why one variant differs from the baseline.
pub(crate) struct Reason<'c> {
    pub(super) explanation: &'c Explanation,
    /// The baseline's name and the variant's.
    pub(super) names: [&'c str; 2],
    /// By which the full view is had.
    pub(super) id: &'c str,
    /// The phase by which the case is judged, where that is known.
    pub(super) headline: Option<&'c str>,
}

impl<'c> Reason<'c> {
    /// One for each variant that was looked at.
    pub(crate) fn all(comparison: &'c Comparison) -> impl Iterator<Item = Reason<'c>> {
        comparison.explanations.iter().map(|explanation| {
            let names = names(comparison, explanation);
            Reason {
                explanation,
                names,
                id: &comparison.id,
                headline: Some(&comparison.question.headline),
            }
        })
    }

    /// Writes it with a hint at the full view.
    pub(crate) fn write(&self, page: &mut Page<'_>) -> io::Result<()> {
        let hint = format!("slowpath show {} --why has it all", self.id);
        self.told(page, "why: ", Some(hint))
    }

    /// Writes it for those who have no archive at hand.
    pub(crate) fn write_for_others(&self, page: &mut Page<'_>) -> io::Result<()> {
        self.told(page, "Why: ", None)
    }

    fn told(&self, page: &mut Page<'_>, lead: &str, hint: Option<String>) -> io::Result<()> {
        let style = page.style;
        let heading = self.heading(style);
        let heading = Lines::of(style, (Role::Strong, lead), Role::Strong, &heading);
        let mut shown = vec![heading.at_most(HEADING)];
        let items = self.items(style);
        let tail = self.tail(style, hint.as_deref(), items.len());
        let count = |lines: &[Lines]| lines.iter().map(Lines::count).sum::<usize>();
        let mut room = MOST.saturating_sub(count(&shown) + count(&tail));
        let all = items.len();
        let each = if all > 1 { EACH } else { MOST };
        let mut told = 0;
        for item in items {
            if room == 0 {
                break;
            }
            let item = item.at_most(each.min(room));
            room -= item.count();
            shown.push(item);
            told += 1;
        }
        if let Some(path) = self.path(style).filter(|path| path.count() <= room.min(PATH)) {
            shown.insert(2, path);
        }
        shown.extend(self.tail(style, hint.as_deref(), all - told));
        shown.iter().try_for_each(|lines| lines.write(page))
    }

    fn heading(&self, style: Style) -> String {
        let [baseline, variant] =
            self.names.map(|name| word(&quoted(&cut(name, style.width * 2 / 3, style.unicode))));
        let Some(phase) = self.explanation.phases.first() else {
            return format!("nothing that was seen explains how {variant} differs from {baseline}");
        };
        if is_nothing(phase) {
            return format!(
                "`{}` takes the same with {variant} as with {baseline} ({}, mean of {})",
                word(&phase.label()),
                word(&nanoseconds(phase.variant_ns)),
                seeds(&self.explanation.seeds),
            );
        }
        let difference = phase.difference();
        let more = if difference < 0.0 { "less" } else { "longer" };
        let other = self.headline.is_some_and(|headline| headline != phase.phase);
        let other = if other { " (the case is judged by another phase)" } else { "" };
        format!(
            "`{}`{other} takes {} {more} with {variant} than with {baseline} ({} instead of {}, mean of {})",
            word(&phase.label()),
            word(&nanoseconds(difference.abs())),
            word(&nanoseconds(phase.variant_ns)),
            word(&nanoseconds(phase.baseline_ns)),
            seeds(&self.explanation.seeds),
        )
    }

    /// What explains the difference; without that, where it is; without that, why nothing was seen.
    fn items(&self, style: Style) -> Vec<Lines> {
        let Some(phase) = self.explanation.phases.first() else {
            let notes = self.explanation.notes.iter();
            return notes
                .map(|note| Lines::of(style, (Role::Warning, "  note: "), Role::Plain, note))
                .collect();
        };
        match phase.findings.is_empty() {
            true if is_nothing(phase) => Vec::new(),
            true => parts(phase, style),
            false => phase.findings.iter().map(|finding| sentence(finding, style)).collect(),
        }
    }

    /// The call path that shows the first finding.
    fn path(&self, style: Style) -> Option<Lines> {
        let finding = self.explanation.phases.first()?.findings.first()?;
        let frames: Vec<String> =
            finding.frames.iter().take(FRAMES).map(|frame| word(frame)).collect();
        let text = path::joined(frames, finding.frames.len() > FRAMES, style.unicode);
        let lead = " ".repeat(LEAD);
        (!finding.frames.is_empty())
            .then(|| Lines::of(style, (Role::Plain, &lead), Role::Faint, &text))
    }

    /// What stays unexplained, what that is worth, and where more is, of which `more` has no line here.
    fn tail(&self, style: Style, hint: Option<&str>, more: usize) -> Vec<Lines> {
        let plain =
            |role, text: &str| Lines::of(style, (Role::Plain, "  "), role, text).at_most(HINT);
        let mut tail = Vec::new();
        if let Some(phase) = self.explanation.phases.first()
            && !is_nothing(phase)
        {
            if phase.unexplained_milli >= UNEXPLAINED {
                tail.push(plain(Role::Warning, &unexplained(phase)));
            } else if overlap(phase) {
                let text = "these shares overlap: some of the time has both reasons";
                tail.push(plain(Role::Faint, text));
            }
        }
        if !self.explanation.same_times && !self.explanation.phases.is_empty() {
            let text = "only roughly: looking at the trials gave other times";
            tail.push(plain(Role::Warning, text));
        }
        if let Some(text) = more_at(hint, more) {
            tail.push(plain(Role::Faint, &text));
        }
        tail
    }
}

/// The baseline's name and the variant's.
pub(super) fn names<'c>(comparison: &'c Comparison, explanation: &Explanation) -> [&'c str; 2] {
    let name = |at: usize| {
        let variant = comparison.question.variants.get(at);
        variant.map_or("a variant without a name", |variant| variant.name.as_str())
    };
    [name(0), name(explanation.variant)]
}

fn sentence(finding: &Finding, style: Style) -> Lines {
    let share = finding.share_milli.map(whole_percent).unwrap_or_default();
    let lead = format!("  {share:>5}  ");
    Lines::of(style, (Role::Strong, &lead), Role::Plain, &words::sentence(&finding.sentence))
}

/// The largest parts that are no chance; what is small against the difference is no reason.
fn parts(phase: &PhaseExplained, style: Style) -> Vec<Lines> {
    let whole = phase.difference();
    let kinds = phase.kinds.map(|kinds| {
        let told = [
            ("running", kinds.running_ns),
            ("without a CPU", kinds.ready_ns),
            ("waiting", kinds.blocked_ns),
        ];
        let told = told.map(|(kind, ns)| format!("{kind}{GLUE}{}", word(&signed(ns))));
        Lines::of(style, (Role::Plain, "  "), Role::Plain, &format!("in all: {}", told.join(", ")))
    });
    let large = |part: &&model::Part| {
        part.difference().abs() * LEAST_PART >= whole.abs() && !part.by_chance
    };
    let told = phase.parts.iter().filter(large).take(PARTS).enumerate();
    let told = told.map(|(at, part)| {
        let against = part.difference() * whole < 0.0;
        let lead = match at {
            _ if against => "against it: ",
            0 if (0.5..=1.1).contains(&(part.difference() / whole)) => "most of it: ",
            0 => "the largest part: ",
            _ => "then: ",
        };
        let share = share(part.difference(), whole).filter(|_| !against);
        let share = share.map(|share| format!(", {share} of it")).unwrap_or_default();
        let difference = word(&signed(part.difference()));
        let text = format!("{lead}{}: {difference}{share}", doing(part));
        Lines::of(style, (Role::Plain, "  "), Role::Plain, &text)
    });
    kinds.into_iter().chain(told).collect()
}

fn unexplained(phase: &PhaseExplained) -> String {
    let share = whole_percent(phase.unexplained_milli);
    match phase.findings.is_empty() {
        true => {
            "no mechanism that is known here explains it: that is where the time is, and not why"
                .to_owned()
        }
        false => format!("{share} of the difference stays unexplained"),
    }
}

/// Whether there is next to no difference, of which no share says anything.
fn is_nothing(phase: &PhaseExplained) -> bool {
    phase.difference().abs() * NOTHING < phase.baseline_ns
}

/// Whether the findings' shares are more than the whole.
fn overlap(phase: &PhaseExplained) -> bool {
    let shares = phase.findings.iter().filter_map(|finding| finding.share_milli);
    phase.findings.len() > 1 && shares.sum::<u64>() > 1100
}

/// Where more is, and how much of it has no line here.
fn more_at(hint: Option<&str>, more: usize) -> Option<String> {
    let reasons = if more == 1 { "reason" } else { "reasons" };
    match (hint, more) {
        (Some(hint), 0) => Some(hint.to_owned()),
        (Some(hint), more) => Some(format!("{hint}, and {more} more {reasons}")),
        (None, 0) => None,
        (None, more) => Some(format!("and {more} more {reasons}")),
    }
}
