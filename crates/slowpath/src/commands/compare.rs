//! `slowpath compare`.

use experiment::{Clock, Compared, Request, compare as make};
use model::{
    Case, Comparison, Contrast, Ended, Extent, Fingerprint, Question, Settings, Variant, Verdict,
};
use slowpath::arguments::{Arguments, Compare};

use crate::case_source;
use crate::commands::bench::Bench;
use crate::commands::{output, stored, twins};
use crate::exit::{Exit, Failure};
use crate::places::{self, Places};
use crate::variants::{keys, the_same, variants};

/// Compares variants of a case, neutral twins, or two stored sets.
pub(crate) fn compare(arguments: &Arguments, compare: &Compare) -> Result<Exit, Failure> {
    match compare.what.as_slice() {
        [here, there] => stored::compare(arguments, compare, here, there),
        [case] => {
            let case = judged_by(case_source::find(case)?, compare.headline.as_deref())?;
            match compare.twins {
                Some(count) => twins::twins(arguments, compare, &case, count),
                None => of_case(arguments, compare, &case),
            }
        }
        _ => Err(Failure::usage("name a case, or two stored sets")),
    }
}

fn of_case(arguments: &Arguments, compare: &Compare, case: &Case) -> Result<Exit, Failure> {
    let variants = variants(case, &compare.set, &compare.vary, &compare.running.place)?;
    let variants = with_whole_places(variants)?;
    let bench = Bench::new(arguments, &compare.running, false)?;
    check(&bench.places, compare, &variants)?;
    let extent = compare.seeds.map_or(Extent::UntilClear(compare.most), Extent::Pairs);
    let compared = made(&bench, compare, case, &question(compare, case, variants, extent))?;
    let comparison = &compared.comparison;
    show(compare, comparison)?;
    Ok(exit(comparison))
}

/// The case, judged by another phase where one is named.
fn judged_by(case: Case, headline: Option<&str>) -> Result<Case, Failure> {
    let Some(headline) = headline else { return Ok(case) };
    let names = case.headlines();
    if !names.contains(&headline) {
        return Err(Failure::usage(format!(
            "the case {} has no phase `{headline}`; there are {}",
            case.name,
            names.join(", ")
        )));
    }
    Ok(Case { headline: headline.to_owned(), ..case })
}

/// What is asked of these variants.
pub(crate) fn question(
    compare: &Compare,
    case: &Case,
    variants: Vec<Variant>,
    extent: Extent,
) -> Question {
    Question {
        case: case.name.clone(),
        headline: case.headline.clone(),
        variants,
        threshold: compare.threshold.0,
        confidence: compare.confidence.0,
        extent,
    }
}

/// Makes a comparison, or goes on with one that was not finished, and keeps it.
///
/// # Errors
/// A trial could not be run or kept; or it was interrupted.
pub(crate) fn made(
    bench: &Bench,
    compare: &Compare,
    case: &Case,
    question: &Question,
) -> Result<Compared, Failure> {
    bench.fetch_kernels(&question.variants)?;
    let limits = compare.running.limits();
    let fingerprints = experiment::check(&bench.places, case, question, limits)?;
    refuse_the_same(&question.variants, &fingerprints)?;
    let begun = bench.archive.0.begin(question, &bench.clock.id())?;
    let runner = bench.runner(&begun.id, compare.budget);
    let request = Request {
        case,
        question,
        limits,
        started: begun.trials.first().map_or_else(|| bench.clock.now(), |t| t.started.clone()),
        earlier: begun.trials.clone(),
    };
    let mut compared = make(&runner, request);
    bench.progress.finish();
    if let Some(error) = compared.error.take() {
        return Err(error.into());
    }
    if compared.comparison.ended == Ended::Early {
        let kept = "the trials that were finished are kept: the same command goes on from there";
        return Err(Failure::interrupted(format!("interrupted; {kept}")));
    }
    if compared.reused > 0 {
        bench.progress.tell(&format!("{} trials were in the archive already", compared.reused));
    }
    bench.archive.0.finish(&compared.comparison)?;
    Ok(compared)
}

/// Writes the report where the user wants it.
pub(crate) fn show(compare: &Compare, comparison: &Comparison) -> Result<(), Failure> {
    output::write(
        compare.running.json.as_deref(),
        |out, style| report::comparison::write(out, comparison, style),
        |out| report::comparison::json(out, comparison),
    )
}

/// The exit code for a comparison: the worst that is said of any variant.
pub(crate) fn exit(comparison: &Comparison) -> Exit {
    let code = |contrast: &Contrast| {
        let headline = contrast.headline(&comparison.question.headline);
        match (contrast, headline.map(|judged| judged.verdict)) {
            (Contrast::NotComparable(_), _) => Exit::Broken,
            (_, None | Some(Verdict::CannotTell)) => Exit::CannotTell,
            (_, Some(Verdict::Worse)) => Exit::Worse,
            (_, Some(Verdict::Same | Verdict::Better)) => Exit::Done,
        }
    };
    let codes: Vec<Exit> = comparison.contrasts.iter().map(code).collect();
    let order = [Exit::Broken, Exit::Worse, Exit::CannotTell];
    order.into_iter().find(|exit| codes.contains(exit)).unwrap_or(Exit::Done)
}

/// The variants with their places as they are kept.
pub(crate) fn with_whole_places(variants: Vec<Variant>) -> Result<Vec<Variant>, Failure> {
    let whole = |variant: Variant| Ok(Variant { place: places::whole(&variant.place)?, ..variant });
    variants.into_iter().map(whole).collect()
}

/// Checks what only the places and the variants together can tell.
fn check(places: &Places, compare: &Compare, variants: &[Variant]) -> Result<(), Failure> {
    let exact = variants.iter().filter(|variant| places::is_exact(&variant.place)).count();
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

/// Refuses variants in an exact place that are the same, whatever they are called: kernels are told
/// by their bytes.
fn refuse_the_same(
    variants: &[Variant],
    fingerprints: &[Option<Fingerprint>],
) -> Result<(), Failure> {
    let sides: Vec<_> = variants.iter().zip(fingerprints).collect();
    for (at, (variant, fingerprint)) in sides.iter().enumerate() {
        let same = |(other, its): &&(&Variant, &Option<Fingerprint>)| {
            fingerprint.is_some()
                && fingerprint == its
                && without_kernel(&variant.settings) == without_kernel(&other.settings)
        };
        let exact = places::is_exact(&variant.place);
        if let Some((other, _)) = sides[..at].iter().find(same).filter(|_| exact) {
            return Err(the_same(&other.name, &variant.name));
        }
    }
    Ok(())
}

fn without_kernel(settings: &Settings) -> Settings {
    Settings { kernel: None, kernel_modules: None, ..settings.clone() }
}
