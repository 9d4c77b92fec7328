//! `slowpath compare`.

use model::place::is_exact;
use model::{Case, Comparison, Extent, Variant};
use slowpath::arguments::{Arguments, Compare, Why};

use crate::case_source;
use crate::commands::bench::Bench;
use crate::commands::made::{made, question, with_whole_places};
use crate::commands::outcome::{exit, show};
use crate::commands::{stored, twins};
use crate::exit::{Exit, Failure};
use crate::places::{Looks, Places};
use crate::sources;
use crate::variants::{keys, variants};

/// Compares variants of a case, neutral twins, or two stored sets.
pub(crate) fn compare(arguments: &Arguments, compare: &Compare) -> Result<Exit, Failure> {
    match compare.what.as_slice() {
        [here, there] => stored::compare(arguments, compare, here, there),
        what => {
            let name = what.first().map(String::as_str);
            let case = case_source::wanted(name, &compare.commands)?;
            let case = case_source::judged_by(case, compare.judging.headline.as_deref())?;
            match compare.twins {
                Some(count) => twins::twins(arguments, compare, &case, count),
                None => of_case(arguments, compare, &case),
            }
        }
    }
}

fn of_case(arguments: &Arguments, compare: &Compare, case: &Case) -> Result<Exit, Failure> {
    let mut set = compare.set.clone();
    set.extend(sources::settings(&compare.sources)?);
    let variants = variants(case, &set, &compare.vary, &compare.running.place)?;
    let mut variants = with_whole_places(variants)?;
    // Trials that may be looked at send their kernel's symbols once they are over, or a pass of their own would.
    let looks = Looks { profile: false, observe: compare.judging.why != Why::Never };
    let bench = Bench::new(arguments, &compare.running, looks)?;
    sources::resolved(&mut variants, &|text| bench.progress.warn(text))?;
    check(&bench.places, compare, &variants)?;
    let extent = compare.seeds.map_or(Extent::UntilClear(compare.most), Extent::Pairs);
    let compared = made(&bench, compare, case, &question(compare, case, variants, extent))?;
    let comparison = &compared.comparison;
    show(compare, &bench.archive.0, comparison)?;
    if bench.cancel.is_set() {
        return Err(Failure::interrupted(
            "interrupted while looking for the reason; the verdict stands, and the same command looks again",
        ));
    }
    refuse_a_broken_baseline(compare, comparison)?;
    Ok(exit(comparison))
}

/// git is not to skip commit after commit because of what none of them is to blame for.
fn refuse_a_broken_baseline(compare: &Compare, comparison: &Comparison) -> Result<(), Failure> {
    let baseline = comparison.sides.first();
    match baseline.and_then(|side| side.broken.as_ref().map(|broken| (side, broken))) {
        Some((side, broken)) if compare.for_git_bisect => Err(Failure::usage(format!(
            "the baseline {} is broken, so no commit can be judged: {}",
            side.variant.name, broken.reason
        ))),
        _ => Ok(()),
    }
}

/// Checks what only the places and the variants together can tell.
fn check(places: &Places, compare: &Compare, variants: &[Variant]) -> Result<(), Failure> {
    let exact = variants.iter().filter(|variant| is_exact(&variant.place)).count();
    if exact != 0 && exact != variants.len() {
        return Err(Failure::usage(
            "the exact place counts a guest's time and a directory this machine's: they cannot be \
             compared; vary `on` among directories",
        ));
    }
    for variant in variants {
        for key in keys(&compare.set, &compare.vary) {
            places.takes(&variant.place, key)?;
        }
    }
    Ok(())
}
