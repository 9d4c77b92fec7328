//! `slowpath bisect`.

use std::io::{self, Write};
use std::path::Path;

use experiment::plan::variant_spec;
use experiment::{BisectRequest, Bisected, Clock, Place};
use kernels::{Checkout, Origin, Repository, maintainers};
use model::{Bisection, Case, ChangeKind, CommitFacts, Found, Hunt, Variant};
use slowpath::arguments::{Arguments, Bisect};

use crate::commands::bench::Bench;
use crate::commands::dry_run::planned;
use crate::commands::made::when;
use crate::commands::output;
use crate::exit::{Exit, Failure};
use crate::places::{self, Looks};
use crate::{hunts, sources};

/// Searches for the change that made a case slow.
pub(crate) fn bisect(arguments: &Arguments, bisect: &Bisect) -> Result<Exit, Failure> {
    let case = hunts::case(bisect)?;
    let place = places::whole(&bisect.running.place)?;
    let hunt = hunts::hunt(bisect, &case, place, &*places::debian(arguments)?)?;
    let bench = Bench::new(arguments, &bisect.running, Looks::default())?;
    refuse_what_the_place_lacks(&bench, &hunt)?;
    if let Some(repository) = &hunt.settings.kernel_repo {
        sources::warn_of_changes(repository, &|text| bench.progress.warn(text))?;
    }
    check_fixes(arguments, &hunt)?;
    if bisect.dry_run {
        return planned(&bench, arguments, &hunt);
    }
    bench.progress.searches();
    check_ends(&bench, bisect, &case, &hunt)?;
    let begun = bench.archive.0.begin_bisection(&hunt, &bench.clock.id())?;
    let request = BisectRequest {
        case: &case,
        hunt: &hunt,
        limits: bisect.running.limits(),
        started: begun.trials.first().map_or_else(|| bench.clock.now(), |t| t.started.clone()),
        earlier: begun.trials.clone(),
        why: when(bisect.judging.why),
    };
    let Bisected { mut bisection, error } =
        experiment::bisect(&bench.runner(&begun.id, bisect.budget), request);
    bench.progress.finish();
    if let Some(error) = error {
        return Err(error.into());
    }
    if bisection.found == Found::Unfinished {
        return unfinished(&bench, bisect, &bisection);
    }
    add_facts(arguments, &mut bisection);
    bench.archive.0.finish_bisection(&bisection)?;
    show(bisect, &bisection)?;
    Ok(exit(&bisection))
}

/// Makes the ends ready and checks them, so that what is refused leaves nothing to go on with.
fn check_ends(bench: &Bench, bisect: &Bisect, case: &Case, hunt: &Hunt) -> Result<(), Failure> {
    let side = |at: Option<usize>| {
        let change = hunt.change(at);
        let settings = hunt.settings_of(change).map_err(Failure::usage)?;
        Ok::<_, Failure>(Variant { name: change.name.clone(), place: hunt.place.clone(), settings })
    };
    let ends = [side(None)?, side(Some(hunt.bad()))?];
    bench.make_ready(&ends)?;
    for end in &ends {
        bench.places.check(&variant_spec(case, end, 1, bisect.running.limits()))?;
    }
    Ok(())
}

/// Refuses a fix that does not apply, before anything is built.
fn check_fixes(arguments: &Arguments, hunt: &Hunt) -> Result<(), Failure> {
    for fix in &hunt.fixes {
        let mut settings =
            hunt.settings_of(hunt.change(Some(hunt.bad()))).map_err(Failure::usage)?;
        for (key, value) in &fix.set {
            settings.set(key, value).map_err(Failure::usage)?;
        }
        let source = lab::source(&settings)?.ok_or_else(|| {
            Failure::usage(format!("--try {}: a fix is for kernels that are built", fix.name))
        })?;
        Checkout::open(&places::cache(arguments)?, &source.origin, &|_| (), &|| false)?
            .identity(&source)?;
    }
    Ok(())
}

/// Says how far it came; there is no verdict yet. When the time is over, what was found by then is told, too.
fn unfinished(bench: &Bench, bisect: &Bisect, bisection: &Bisection) -> Result<Exit, Failure> {
    let kept = format!(
        "{} candidates were tried and are kept: the same command goes on from there",
        bisection.tried.len()
    );
    if bench.cancel.is_set() {
        return Err(Failure::interrupted(format!("interrupted; {kept}")));
    }
    show(bisect, bisection)?;
    writeln!(io::stderr(), "slowpath: the time is over; {kept}")?;
    Ok(Exit::CannotTell)
}

fn show(bisect: &Bisect, bisection: &Bisection) -> Result<(), Failure> {
    output::write(
        bisect.running.json.as_deref(),
        |out, style| report::bisection::write(out, bisection, style),
        |out| report::bisection::json(out, bisection),
    )
}

/// The exit code for a bisection.
fn exit(bisection: &Bisection) -> Exit {
    match &bisection.found {
        Found::BrokenEnd(_) => Exit::Broken,
        Found::NoDifference | Found::Unfinished => Exit::CannotTell,
        Found::Steps(steps) if steps.iter().any(|step| step.culprit().is_some()) => Exit::Done,
        Found::Steps(_) => Exit::CannotTell,
    }
}

/// Refuses settings that mean nothing in the place.
fn refuse_what_the_place_lacks(bench: &Bench, hunt: &Hunt) -> Result<(), Failure> {
    let changes = hunt.candidates.iter().map(|candidate| &candidate.change).chain([&hunt.good]);
    let mut keys: Vec<&String> =
        changes.chain(&hunt.fixes).flat_map(|change| &change.set).map(|(key, _)| key).collect();
    keys.sort_unstable();
    keys.dedup();
    keys.into_iter().try_for_each(|key| bench.places.takes(&hunt.place, key))
}

/// Says what git knows of the culprits. What it does not know is left out.
fn add_facts(arguments: &Arguments, bisection: &mut Bisection) {
    let hunt = &bisection.hunt;
    let (Found::Steps(steps), ChangeKind::Commit) = (&mut bisection.found, hunt.kind) else {
        return;
    };
    let Some(repository) = hunt.settings.kernel_repo.as_deref().map(Path::new) else { return };
    for step in steps.iter_mut() {
        if let Some(culprit) = step.culprit() {
            let id = &hunt.change(Some(culprit)).name;
            step.commit = facts(arguments, repository, id);
        }
    }
    let outside = steps.iter().filter(|step| step.culprit() == Some(hunt.bad()));
    if outside.filter_map(|step| step.commit.as_ref()).any(|commit| touches_none(hunt, commit)) {
        bisection.notes.push(format!(
            "{} touches none of {}: it stands for all that changed elsewhere, so the slowdown came from outside these \
             paths; search without --path",
            hunt.change(Some(hunt.bad())).short(hunt.kind),
            hunt.paths.join(", ")
        ));
    }
}

/// Whether a search was of some paths, and the commit changes nothing there.
fn touches_none(hunt: &Hunt, commit: &CommitFacts) -> bool {
    let below =
        |file: &String| hunt.paths.iter().any(|path| file.starts_with(path.trim_end_matches('/')));
    !hunt.paths.is_empty() && !commit.files.iter().any(below)
}

fn facts(arguments: &Arguments, repository: &Path, id: &str) -> Option<CommitFacts> {
    let git = Repository::open(repository).ok()?;
    let mut facts = git.facts(id).ok()?;
    let origin = Origin::Revision { repository: repository.to_owned(), revision: id.to_owned() };
    let cache = places::cache(arguments).ok()?;
    // The tree that lies there is the one that was built last; its script and its list are as good.
    if let Ok(checkout) = Checkout::open(&cache, &origin, &|_| (), &|| false) {
        facts.maintainers = maintainers(&checkout.tree(), &git, id);
    }
    Some(facts)
}
