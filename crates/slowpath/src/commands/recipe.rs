//! Running a recipe: the same nanoseconds, or what differs.

use std::io::{self, Write};

use experiment::Plan;
use model::fingerprint::Deviation;
use model::{Action, Fingerprint, Settings, Trial, TrialSpec};
use report::Recipe;
use report::values::{Difference, differences, values};
use slowpath::arguments::{Arguments, Run};

use crate::commands::plan_run::{bench, report, trials};
use crate::exit::{Exit, Failure};
use crate::sources;

/// How many values that came out otherwise are shown.
const SHOWN: usize = 10;

/// Runs the recipe in `text`.
pub(crate) fn run(
    arguments: &Arguments,
    run: &Run,
    (name, text): (&str, &str),
) -> Result<Exit, Failure> {
    let recipe =
        report::parse_recipe(text).map_err(|error| Failure::usage(format!("{name}: {error}")))?;
    if run.seeds != [0] {
        return Err(Failure::usage("a recipe has a seed of its own; leave --seed out"));
    }
    let mut spec = recipe.spec.clone();
    refuse_commands(&spec, run.commands.allow_command)?;
    for pair in run.set.iter().chain(&sources::settings(&run.sources)?) {
        spec.settings.set_pair(pair).map_err(Failure::usage)?;
    }
    spec.settings.check(spec.streams()).map_err(Failure::usage)?;
    let plan = Plan { trials: vec![spec; run.repeat as usize] };
    let ran = trials(&bench(arguments, run)?, run, &plan);
    report(run, &ran)?;
    let verdict = ran.kept.first().map(|trial| verdict(&recipe, trial));
    let ended = ran
        .exit()
        .map_err(|failure| Failure { message: with_kernel(&recipe, &failure.message), ..failure });
    match ended? {
        Exit::Done => {}
        other => return Ok(other),
    }
    let (exit, lines) = verdict.unwrap_or((Exit::Interrupted, Vec::new()));
    let mut out = io::stderr().lock();
    for line in lines {
        writeln!(out, "{line}")?;
    }
    Ok(exit)
}

/// Refuses a recipe that runs commands or takes files along, unless the user allowed it.
fn refuse_commands(spec: &TrialSpec, allowed: bool) -> Result<(), Failure> {
    let command = spec.phases.iter().find_map(|phase| match &phase.action {
        Action::Command { command } => Some(command.join(" ")),
        _ => None,
    });
    match command {
        Some(command) if !allowed => Err(Failure::usage(format!(
            "the recipe runs a command: {command}\nRead it, and allow it with --allow-command"
        ))),
        _ => Ok(()),
    }
}

/// A recipe names its kernel by a path of the machine on which it was made.
fn with_kernel(recipe: &Recipe, message: &str) -> String {
    let item = |name: &str| recipe.fingerprint.get(name).unwrap_or("unknown");
    let Settings { kernel, kernel_repo, .. } = &recipe.spec.settings;
    if let (Some(commit), Some(_)) = (kernel, kernel_repo) {
        return format!(
            "{message}\nThe recipe's kernel is built from the commit {commit}; name a repository that has it here \
             with --repo DIR"
        );
    }
    format!(
        "{message}\nThe recipe's kernel is {} (image's SHA-256 {}); name it here with --set kernel=PATH",
        item("kernel.release"),
        item("kernel.sha256"),
    )
}

fn verdict(recipe: &Recipe, here: &Trial) -> (Exit, Vec<String>) {
    let (Some(measured), Some(expected)) = (here.measured(), &recipe.expected) else {
        let line = "The recipe was made from a broken trial: there are no numbers to compare.";
        return (Exit::CannotTell, vec![line.to_owned()]);
    };
    let differences = differences(measured, expected);
    let total = values(expected).len();
    if differences.is_empty() {
        return (
            Exit::Done,
            vec![format!("The recipe's numbers: all {total} values are the same.")],
        );
    }
    let mut lines =
        vec![format!("{} of {total} values differ from the recipe's.", differences.len())];
    let deviations = unlike(recipe, here);
    if deviations.is_empty() {
        lines.push("Nothing that they depend on differs: this should not happen.".to_owned());
        lines.extend(differences.iter().take(SHOWN).map(difference));
        return (Exit::Worse, lines);
    }
    lines.push("The numbers cannot be compared, since these differ:".to_owned());
    lines.extend(deviations.iter().map(deviation));
    (Exit::CannotTell, lines)
}

/// The settings and the items of the fingerprint in which this run is not the recipe's. A kernel is
/// told by its hash, wherever it lies.
fn unlike(recipe: &Recipe, here: &Trial) -> Vec<Deviation> {
    let settings = |settings: &Settings| {
        let mut all = Fingerprint::default();
        let pairs = settings.pairs().into_iter().filter(|(key, _)| !key.starts_with("kernel"));
        pairs.for_each(|(key, value)| all.set(&format!("setting {key}"), value));
        all
    };
    let mut all = settings(&here.spec.settings).deviations(&settings(&recipe.spec.settings));
    all.extend(here.fingerprint.deviations(&recipe.fingerprint));
    all
}

fn deviation(deviation: &Deviation) -> String {
    line(&deviation.item, &deviation.there, &deviation.here)
}

fn difference(difference: &Difference) -> String {
    line(&difference.name, &difference.there, &difference.here)
}

fn line(name: &str, there: &Option<String>, here: &Option<String>) -> String {
    let side = |value: &Option<String>| value.clone().unwrap_or_else(|| "absent".to_owned());
    format!("  {name}: {}, here {}", side(there), side(here))
}
