//! What neutral twins show: how often a comparison says worse or better though nothing that matters
//! differs, and what it can see in each phase.

use std::io::{self, Write};

use analysis::twins::EFFECTS;
use analysis::{TwinPhase, Verdicts};
use model::FORMAT;
use model::comparison::series_label;
use serde::Serialize;

use crate::effect::{longer_percent, size};
use crate::json::document;
use crate::page::{Page, Role, Style};
use crate::probability::share;
use crate::table::{Align, Table};
use crate::text::{GLUE, plain};

/// Twins that were compared with each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Twins<'t> {
    /// The case's name.
    pub case: &'t str,
    /// The phase by which the case is judged.
    pub headline: &'t str,
    /// How many twins there are.
    pub twins: usize,
    /// Under how many seeds each was run.
    pub seeds: u32,
    /// The least change that matters, as a share.
    pub threshold: f64,
    /// The probability with which a verdict shall not be false.
    pub confidence: f64,
    /// What each phase shows.
    pub phases: &'t [TwinPhase],
    /// What looking for reasons found where there is none; `None` where nobody looked.
    pub reasons: Option<FalseReasons>,
}

/// Pairs of twins in which a mechanism was named though nothing that matters differs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FalseReasons {
    /// Pairs that were judged, and looked at where their times came out different.
    pub pairs: u32,
    /// Those with a finding in any phase.
    pub found: u32,
    /// The probability of a finding that this leaves open: Clopper & Pearson's interval at 95 %, as if the pairs
    /// were independent.
    pub rate: (f64, f64),
}

impl FalseReasons {
    fn sentence(self) -> String {
        let FalseReasons { pairs, found, rate: (low, high) } = self;
        format!(
            "a mechanism was named in {found} of {pairs} pairs of twins ({:.1} to {:.1}{GLUE}%)",
            low * 100.0,
            high * 100.0
        )
    }
}

impl Twins<'_> {
    /// What is said of the case: that of the headline phase, of its later rounds where it has several.
    fn headline(&self) -> Option<&TwinPhase> {
        self.phases.iter().rfind(|phase| phase.phase == self.headline)
    }

    /// How many verdicts were false, and whether that is more than was promised.
    fn sentence(&self) -> (Role, String) {
        let Some(phase) = self.headline() else {
            return (Role::Warning, format!("no two twins have the phase `{}`", self.headline));
        };
        let Verdicts { comparisons, wrong } = phase.ring;
        if comparisons == 0 {
            let text = format!("too few pairs for any verdict on `{}`", label(phase));
            return (Role::Warning, text);
        }
        let allowed = share(1.0 - self.confidence, 1);
        let (role, than) = match phase.rate.0 > 1.0 - self.confidence {
            true => {
                (Role::Bad, format!("that is more than the {allowed} that the confidence allows"))
            }
            false => (Role::Good, format!("the confidence allows {allowed}")),
        };
        let text = format!(
            "{wrong} of {comparisons} neighbours ({}) came out worse or better in `{}` though nothing \
             that matters differs; {than}",
            range(phase.rate),
            label(phase),
        );
        (role, text)
    }

    fn about(&self) -> String {
        format!(
            "{}: {} twins under {} seeds each, judged against {} with {} confidence",
            self.case,
            self.twins,
            self.seeds,
            share(self.threshold, 2),
            share(self.confidence, 2)
        )
    }
}

/// What the columns mean.
const LEGEND: &str = "spread: standard deviation of a pair's ratio. false: neighbours that came out worse or \
    better, with the rate that this leaves open, and the same of all pairs of twins. The last columns: \
    pairs with which a change of that size would probably show; - is over 1000 or unknown.";

/// Writes the twins as a table.
///
/// # Errors
/// The writer's.
pub fn write(out: &mut dyn Write, twins: &Twins<'_>, style: Style) -> io::Result<()> {
    let mut page = Page::new(out, style);
    let (role, sentence) = twins.sentence();
    page.labelled("", role, &sentence)?;
    page.labelled("", Role::Plain, &twins.about())?;
    if let Some(reasons) = twins.reasons {
        page.labelled("", Role::Plain, &reasons.sentence())?;
    }
    page.blank()?;
    let titles = titles();
    let align = |at| if at == 0 { Align::Left } else { Align::Right };
    let columns: Vec<_> =
        titles.iter().enumerate().map(|(at, title)| (title.as_str(), align(at))).collect();
    let mut table = Table::new(&columns);
    for phase in twins.phases {
        table.row(cells(twins, phase).map(|cell| (Role::Plain, cell)).to_vec());
    }
    table.write(&mut page, "")?;
    page.blank()?;
    page.labelled("", Role::Faint, LEGEND)
}

/// Writes the twins as a table in Markdown under a heading, to be kept beside the code.
///
/// # Errors
/// The writer's.
pub fn markdown(out: &mut dyn Write, heading: &str, twins: &Twins<'_>) -> io::Result<()> {
    let spaces = |text: &str| text.replace(GLUE, " ");
    writeln!(out, "## {heading}\n")?;
    writeln!(out, "{}.\n", spaces(&twins.sentence().1))?;
    writeln!(out, "{}.\n", spaces(&twins.about()))?;
    if let Some(reasons) = twins.reasons {
        writeln!(out, "{}.\n", spaces(&reasons.sentence()))?;
    }
    let titles = titles();
    writeln!(out, "| {} |", titles.join(" | "))?;
    writeln!(out, "|---|{}", "---:|".repeat(titles.len() - 1))?;
    for phase in twins.phases {
        let cells = cells(twins, phase).map(|cell| markdown_cell(cell.as_deref().unwrap_or("-")));
        writeln!(out, "| {} |", cells.join(" | "))?;
    }
    writeln!(out, "\n{LEGEND}")
}

fn markdown_cell(text: &str) -> String {
    plain(text, true).replace('|', "\\|")
}

fn titles() -> Vec<String> {
    let columns = ["phase", "spread", "false", "rate", "of all pairs"].map(str::to_owned);
    columns.into_iter().chain(EFFECTS.map(|effect| share(effect, 2).replace(GLUE, " "))).collect()
}

/// A row: as many cells as there are titles.
fn cells(twins: &Twins<'_>, phase: &TwinPhase) -> [Option<String>; 9] {
    let mark = match twins.headline() {
        Some(headline) if std::ptr::eq(headline, phase) => " *",
        _ => "",
    };
    let [a, b, c, d] = phase.needed.map(|needed| needed.map(|pairs| pairs.to_string()));
    let all = rate(phase.all).map(|rate| format!("{} ({})", of(phase.all), share(rate, 1)));
    [
        Some(format!("{}{mark}", label(phase))),
        phase.spread.map(size),
        rate(phase.ring).map(|_| of(phase.ring)),
        rate(phase.ring).map(|_| range(phase.rate)),
        all,
        a,
        b,
        c,
        d,
    ]
}

fn label(phase: &TwinPhase) -> String {
    series_label(&phase.phase, phase.rounds)
}

fn of(verdicts: Verdicts) -> String {
    format!("{} of {}", verdicts.wrong, verdicts.comparisons)
}

/// The share of false verdicts; `None` where there is none at all.
fn rate(verdicts: Verdicts) -> Option<f64> {
    let Verdicts { comparisons, wrong } = verdicts;
    (comparisons > 0).then(|| f64::from(wrong) / f64::from(comparisons))
}

/// `0 to 17 %`.
fn range((low, high): (f64, f64)) -> String {
    format!("{:.0} to {:.0}{GLUE}%", low * 100.0, high * 100.0)
}

#[derive(Serialize)]
struct Document<'t> {
    format: u32,
    case: &'t str,
    twins: usize,
    seeds: u32,
    threshold: f64,
    confidence: f64,
    phases: Vec<Entry>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasons: Option<Reasons>,
}

#[derive(Serialize)]
struct Reasons {
    pairs: u32,
    found: u32,
    rate_interval: (f64, f64),
}

#[derive(Serialize)]
struct Entry {
    phase: String,
    headline: bool,
    spread_percent: Option<f64>,
    comparisons: u32,
    false_verdicts: u32,
    false_rate: Option<f64>,
    false_rate_interval: (f64, f64),
    all_comparisons: u32,
    all_false_verdicts: u32,
    all_false_rate: Option<f64>,
    pairs_needed: Vec<Needed>,
}

#[derive(Serialize)]
struct Needed {
    effect: f64,
    pairs: Option<u32>,
}

/// Writes `{"format":1,…,"phases":[…]}`: of each phase the spread of a pair's ratio, the comparisons of
/// neighbours and how many came out worse or better, as a count, as a share, and with the share's
/// 95 % interval; the same of all pairs of twins; and the pairs with which an effect (a share) would
/// probably show, `null` where unknown or over 1000; and, where reasons were looked for, the pairs in which one was
/// named.
///
/// # Errors
/// The writer's.
pub fn json(out: &mut dyn Write, twins: &Twins<'_>) -> io::Result<()> {
    let all = Document {
        format: FORMAT,
        case: twins.case,
        twins: twins.twins,
        seeds: twins.seeds,
        threshold: twins.threshold,
        confidence: twins.confidence,
        phases: twins.phases.iter().map(|phase| entry(twins, phase)).collect(),
        reasons: twins.reasons.map(|FalseReasons { pairs, found, rate }| Reasons {
            pairs,
            found,
            rate_interval: rate,
        }),
    };
    document(out, &all)
}

fn entry(twins: &Twins<'_>, phase: &TwinPhase) -> Entry {
    let needed = EFFECTS.into_iter().zip(phase.needed);
    Entry {
        phase: label(phase),
        headline: twins.headline().is_some_and(|headline| std::ptr::eq(headline, phase)),
        spread_percent: phase.spread.map(longer_percent),
        comparisons: phase.ring.comparisons,
        false_verdicts: phase.ring.wrong,
        false_rate: rate(phase.ring),
        false_rate_interval: phase.rate,
        all_comparisons: phase.all.comparisons,
        all_false_verdicts: phase.all.wrong,
        all_false_rate: rate(phase.all),
        pairs_needed: needed.map(|(effect, pairs)| Needed { effect, pairs }).collect(),
    }
}
