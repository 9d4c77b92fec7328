//! Each phase as two tables: the times of each side, and its dots with its verdict.
//!
//! Columns stand at the same place in all phases, so that they can be read downwards.

use std::io;

use model::Sample;

use super::names::Names;
use super::phase::{Phase, SidePhase, Standing};
use super::role;
use crate::dots::Scale;
use crate::effect::Wording;
use crate::page::{Page, Role};
use crate::quantity::{amount, nanoseconds};
use crate::statistics::{deviation, mean};
use crate::table::{Align, Cell, GAP, Table};
use crate::text::width;

/// Columns of dots at the most.
const DOTS: usize = 50;

/// Where dots would have fewer columns than these, they do not stand beside the verdicts.
const LEAST_DOTS: usize = 20;

/// Columns that a time takes.
const TIME: usize = 8;

/// How wide the columns are.
pub(crate) struct Tables<'n> {
    names: &'n Names,
    name: usize,
    change: usize,
    interval: usize,
    dots: usize,
    dots_beside: bool,
    instructions: bool,
}

impl Tables<'_> {
    /// Tables that suit all these phases, and the page's width where that can be.
    pub(crate) fn of<'n>(page: &Page<'_>, names: &'n Names, phases: &[Phase<'_>]) -> Tables<'n> {
        let sides = || phases.iter().flat_map(|phase| &phase.sides);
        let titles = phases.iter().map(|phase| width(&page.plain(&title(phase))));
        let shorts = sides().map(|side| width(&names.short(side.side)));
        let name = titles.chain(shorts).max().unwrap_or(0);
        let cells: Vec<[String; 3]> =
            sides().map(|side| standing(side.standing).map(|(_, text)| text)).collect();
        let widest = |at: usize| cells.iter().map(|row| width(&row[at])).max().unwrap_or(0);
        let (change, interval) = (widest(0).max("change".len()), widest(1).max("interval".len()));
        let beside = name + change + interval + widest(2).max("verdict".len()) + 4 * GAP;
        let room = page.style.width.saturating_sub(beside);
        let below = page.style.width.saturating_sub(name + GAP);
        let dots_beside = room >= LEAST_DOTS;
        let dots = if dots_beside { room } else { below.max(LEAST_DOTS) };
        let figures = name + 3 * TIME + "deviation".len() + "n".len() + "instructions".len();
        Tables {
            names,
            name,
            change,
            interval,
            dots: dots.min(DOTS),
            dots_beside,
            instructions: figures + 6 * GAP < page.style.width,
        }
    }

    /// Writes one phase.
    pub(crate) fn write(&self, page: &mut Page<'_>, phase: &Phase<'_>) -> io::Result<()> {
        self.figures(phase).write(page, "")?;
        let walls = phase.sides.iter().flat_map(|side| side.values).map(|value| value.wall_ns);
        let Some(scale) = Scale::of(walls, self.dots) else { return Ok(()) };
        if self.dots_beside {
            return self.verdicts(phase, Some(&scale)).write(page, "");
        }
        self.verdicts(phase, None).write(page, "")?;
        self.dots(phase, &scale).write(page, "")
    }

    /// The times in the columns of the field.
    fn figures(&self, phase: &Phase<'_>) -> Table {
        let right = Align::Right;
        let title = |text: &str| format!("{text:>TIME$}");
        let mut table = Table::new(&[
            (&format!("{:<1$}", self::title(phase), self.name), Align::Left),
            (&title("real"), right),
            (&title("user"), right),
            (&title("system"), right),
            ("deviation", right),
            ("n", right),
            ("instructions", right),
        ])
        .named(Role::Strong);
        for side in &phase.sides {
            let name = (Role::Plain, Some(self.names.short(side.side)));
            let figures = figures(side.values, self.instructions);
            let figures = figures.into_iter().map(|figure| (Role::Plain, figure));
            table.row(std::iter::once(name).chain(figures).collect());
        }
        table
    }

    /// The dots and the verdicts, or the verdicts alone.
    fn verdicts(&self, phase: &Phase<'_>, scale: Option<&Scale>) -> Table {
        let axis = scale.map(Scale::axis).unwrap_or_default();
        let mut table = Table::new(&[
            (&self.no_title(), Align::Left),
            (&axis, Align::Left),
            (&format!("{:>1$}", "change", self.change), Align::Right),
            (&format!("{:>1$}", "interval", self.interval), Align::Right),
            ("verdict", Align::Left),
        ]);
        for side in &phase.sides {
            let dots = scale.map(|scale| dots(side, scale));
            let mut cells = vec![
                (Role::Plain, Some(self.names.short(side.side))),
                dots.unwrap_or((Role::Plain, None)),
            ];
            let standing = standing(side.standing).into_iter();
            cells.extend(standing.map(|(role, text)| (role, Some(text))));
            table.row(cells);
        }
        table
    }

    fn dots(&self, phase: &Phase<'_>, scale: &Scale) -> Table {
        let mut table =
            Table::new(&[(&self.no_title(), Align::Left), (&scale.axis(), Align::Left)]);
        for side in &phase.sides {
            let name = (Role::Plain, Some(self.names.short(side.side)));
            table.row(vec![name, dots(side, scale)]);
        }
        table
    }

    fn no_title(&self) -> String {
        " ".repeat(self.name)
    }
}

fn title(phase: &Phase<'_>) -> String {
    let mark = if phase.is_headline { " *" } else { "" };
    format!("{}{mark}", phase.label)
}

/// Real, user, system, deviation, number, and instructions where they are wanted.
pub(crate) fn figures(values: &[Sample], instructions: bool) -> [Option<String>; 6] {
    let all = |value: fn(&Sample) -> f64| values.iter().map(value).collect::<Vec<_>>();
    let there = !values.is_empty();
    let time = |value: fn(&Sample) -> f64| there.then(|| nanoseconds(mean(&all(value))));
    let counts: Option<Vec<f64>> = values.iter().map(|value| value.instructions).collect();
    [
        time(|value| value.wall_ns),
        time(|value| value.user_ns),
        time(|value| value.system_ns),
        deviation(&all(|value| value.wall_ns)).map(nanoseconds),
        there.then(|| values.len().to_string()),
        counts.filter(|_| there && instructions).map(|counts| amount(mean(&counts))),
    ]
}

fn dots(side: &SidePhase<'_>, scale: &Scale) -> Cell {
    let walls: Vec<f64> = side.values.iter().map(|value| value.wall_ns).collect();
    let role = match side.standing {
        Standing::Judged(judged) => role(judged.verdict),
        _ => Role::Plain,
    };
    (role, Some(scale.dots(&walls)))
}

/// The change, its interval and the verdict; what there is not is left blank.
fn standing(standing: Standing<'_>) -> [(Role, String); 3] {
    let blank = || (Role::Plain, String::new());
    let only = |role, text: &str| [blank(), blank(), (role, text.to_owned())];
    match standing {
        Standing::Baseline => only(Role::Faint, "baseline"),
        Standing::NotComparable => only(Role::Warning, "not comparable"),
        Standing::Unpaired => only(Role::Faint, "no pair"),
        Standing::Judged(judged) => {
            let wording = Wording::of(judged.effect, judged.interval);
            let interval = judged.interval.map(|interval| wording.change_range(interval));
            let role = role(judged.verdict);
            [
                (role, wording.change(judged.effect)),
                (Role::Plain, interval.unwrap_or_default()),
                (role, judged.verdict.to_string()),
            ]
        }
    }
}
