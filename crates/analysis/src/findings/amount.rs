//! How much of a phase a mechanism took.

use model::Surety;
use model::account::{Account, Accounts, SeenFrom};
use model::trace::Span;

/// The figure of which the largest counts, and not the mean.
pub(super) const LONGEST: &str = "longest wait";

/// A phase of a trial, and all that is known of the trial.
#[derive(Clone, Copy, Debug)]
pub struct Phase<'a> {
    /// The trial.
    pub all: &'a Accounts,
    /// The phase.
    pub account: &'a Account,
}

/// How much of a phase a mechanism took, or of several phases in the mean.
#[derive(Clone, Debug, PartialEq)]
pub struct Amount {
    /// Time, ns.
    pub ns: f64,
    /// Whether the mechanism's own conditions hold.
    pub holds: Holds,
    /// The figures that it rests on.
    pub figures: Vec<Figure>,
    /// The function that names it, where the call path does not.
    pub what: Option<String>,
    /// The call path that shows it, innermost function first; empty where none does.
    pub frames: Vec<String>,
    /// The longest stretch of it, ns after the phase began.
    pub longest: Option<Span>,
    /// How sure it is.
    pub surety: Surety,
}

/// Whether a mechanism's own conditions hold in a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Holds {
    /// They do not: its time is known, and it is nothing to speak of.
    No,
    /// It may be how things are done here: it counts where another side has less of it.
    Compared,
    /// They do.
    Yes,
}

/// A number by its name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figure {
    /// As in [`model::Number::name`].
    pub name: &'static str,
    /// As in [`model::Number::unit`].
    pub unit: &'static str,
    /// The number.
    pub value: f64,
}

impl Phase<'_> {
    /// How sure is what the pass saw of switches and requests.
    pub(super) fn surety(&self) -> Surety {
        match self.all.seen_from {
            SeenFrom::Outside => Surety::Measured,
            SeenFrom::Inside => Surety::Sampled,
        }
    }

    /// An amount without evidence yet.
    pub(super) fn amount(&self, ns: u64) -> Amount {
        Amount {
            ns: ns.min(self.account.wall_ns) as f64,
            holds: Holds::No,
            figures: Vec::new(),
            what: None,
            frames: Vec::new(),
            longest: None,
            surety: self.surety(),
        }
    }
}

impl Amount {
    /// With another figure.
    pub(super) fn with(mut self, name: &'static str, unit: &'static str, value: f64) -> Self {
        self.figures.push(Figure { name, unit, value });
        self
    }

    /// A figure's value.
    #[must_use]
    pub fn figure(&self, name: &str) -> Option<f64> {
        self.figures.iter().find(|figure| figure.name == name).map(|figure| figure.value)
    }

    /// The sum of several, of which at least one is needed, divided by `parts`; of their figures the mean. The
    /// largest gives the call path. The conditions hold where they do for at least half of the time.
    pub(super) fn mean(amounts: &[Amount], parts: f64) -> Option<Amount> {
        let largest =
            amounts.iter().reduce(|best, next| if next.ns > best.ns { next } else { best })?;
        let ns: f64 = amounts.iter().map(|amount| amount.ns).sum();
        let held: f64 = amounts.iter().filter(|one| one.holds > Holds::No).map(|one| one.ns).sum();
        Some(Amount {
            ns: ns / parts,
            holds: if ns > 0.0 && held * 2.0 >= ns { Holds::Compared } else { Holds::No },
            figures: mean_figures(amounts, &largest.figures),
            surety: amounts.iter().map(|amount| amount.surety).max()?,
            ..largest.clone()
        })
    }
}

/// Each of `figures` as the mean over those `amounts` that have it; what is the same in all stays just that.
fn mean_figures(amounts: &[Amount], figures: &[Figure]) -> Vec<Figure> {
    let mean = |figure: &Figure| {
        let values: Vec<f64> = amounts.iter().filter_map(|one| one.figure(figure.name)).collect();
        if figure.name == LONGEST {
            return Figure {
                value: values.iter().copied().fold(figure.value, f64::max),
                ..*figure
            };
        }
        let apart: f64 = values.iter().map(|value| value - figure.value).sum();
        Figure { value: figure.value + apart / values.len() as f64, ..*figure }
    };
    figures.iter().map(mean).collect()
}
