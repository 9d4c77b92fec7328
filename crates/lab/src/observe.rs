//! The further passes of a trial in the exact lab: one that is looked at from outside, which measures
//! the trial's own nanoseconds, and one that looks from inside.

use std::thread;

use experiment::{Cancel, InsidePass, Outside, PlaceError, Seen, TrialEvent};
use kernels::{Layout, Symbols, Unwinder};
use model::{BrokenKind, Measurements, Outcome, TrialSpec};
use protocol::channel;

use crate::conduct::{Finished, Stopped};
use crate::exact::{Exact, Pass, outcome};
use crate::job;
use crate::memfile;
use crate::prepare::Prepared;
use crate::profile::needed;
use crate::watch::{Probes, Tracer};

/// Who is told, and who may end it.
type Ears<'a> = (&'a (dyn Fn(TrialEvent) + Sync), &'a Cancel);

/// What a pass brought, or why it brought nothing, in a sentence.
type Brought<T> = Result<Result<T, String>, PlaceError>;

/// Runs both passes, at once.
///
/// # Errors
/// The host failed.
pub(crate) fn observe(
    exact: &Exact,
    spec: &TrialSpec,
    prepared: &Prepared,
    events: &(dyn Fn(TrialEvent) + Sync),
    cancel: &Cancel,
) -> Result<Seen, PlaceError> {
    events(TrialEvent::Observing);
    let silent = |_: TrialEvent| {};
    let (outside, inside) = thread::scope(|scope| {
        let outside = scope.spawn(|| from_outside(exact, spec, prepared, (&silent, cancel)));
        let inside = from_inside(exact, spec, prepared, (&silent, cancel));
        let panicked = || Err(PlaceError::Host("the pass from outside panicked".to_owned()));
        (outside.join().unwrap_or_else(|_| panicked()), inside)
    });
    let mut seen = Seen::default();
    match outside? {
        Ok(pass) => seen.outside = Some(pass),
        Err(why) => seen.notes.push(format!("nothing was seen from outside: {why}")),
    }
    match inside? {
        Ok((pass, environment)) => {
            seen.inside = Some(pass);
            seen.attachments.extend(environment);
        }
        Err(why) => seen.notes.push(format!("nothing was seen from inside: {why}")),
    }
    Ok(seen)
}

fn from_outside(
    exact: &Exact,
    spec: &TrialSpec,
    prepared: &Prepared,
    ears: Ears<'_>,
) -> Brought<Outside> {
    if let Some(why) = exact.emulator()?.cannot_watch() {
        return Ok(Err(why));
    }
    let image = memfile::bytes(&prepared.image);
    let layout = match Layout::of(&image) {
        Ok(layout) => layout,
        Err(error) => return Ok(Err(error.to_string())),
    };
    // The symbols that are kept may be those of a trial whose modules lay elsewhere; then they are gone
    // after the first attempt.
    for _ in 0..2 {
        let kallsyms = match symbols(exact, spec, prepared, ears)? {
            Ok(kallsyms) => kallsyms,
            Err(why) => return Ok(Err(why)),
        };
        match traced(exact, spec, prepared, (&image, &layout, &kallsyms), ears)? {
            Ok(None) => {}
            Ok(Some(outside)) => return Ok(Ok(outside)),
            Err(why) => return Ok(Err(why)),
        }
    }
    Ok(Err("the modules lie elsewhere in each of its runs".to_owned()))
}

/// A pass whose kernel is read with these symbols; nothing where they are not its own.
fn traced(
    exact: &Exact,
    spec: &TrialSpec,
    prepared: &Prepared,
    (image, layout, kallsyms): (&[u8], &Layout, &str),
    ears: Ears<'_>,
) -> Brought<Option<Outside>> {
    let symbols = Symbols::parse(kallsyms);
    let modules = prepared.modules.iter().map(|module| (module.name.as_str(), &module.bytes[..]));
    let unwinder = match Unwinder::new(image, &modules.collect::<Vec<_>>(), &symbols) {
        Ok(unwinder) => unwinder,
        Err(error) => return Ok(Err(error.to_string())),
    };
    let probes = Probes::new(&symbols, layout);
    let mut tracer = Tracer::new(&probes, &symbols, &unwinder);
    let pass = Pass { symbols: true, probes: &probes.arguments, ..Pass::default() };
    let mut see = |probe: &_| tracer.take(probe);
    let finished = match exact.conduct(spec, prepared, &pass, &mut see, ears)? {
        Ok(finished) => finished,
        Err(stopped) => return Ok(Err(ended(&stopped))),
    };
    let Finished { collected, console } = finished;
    // `symbol_cache` says when symbols serve a trial.
    let own = collected.text(channel::SYMBOLS).map(|text| needed(&text));
    if own.is_none_or(|own| own != kallsyms) {
        return Ok(Ok(None));
    }
    let Some(phases) = collected.phases() else {
        return Ok(Err("this QEMU's clock cannot be read".to_owned()));
    };
    let measurements = measured(outcome(&collected, &console));
    Ok(measurements.map(|measurements| {
        let mut trace = tracer.finish(phases);
        trace.notes.extend(collected.notes);
        Some(Outside { measurements, trace })
    }))
}

/// The guest's symbols: those that are kept, or else those of a pass that only sends them.
fn symbols(
    exact: &Exact,
    spec: &TrialSpec,
    prepared: &Prepared,
    ears: Ears<'_>,
) -> Brought<String> {
    if let Some(kept) = exact.kept_symbols(spec, prepared)? {
        return Ok(Ok(kept));
    }
    let pass = Pass { symbols: true, ..Pass::default() };
    match exact.conduct(spec, prepared, &pass, &mut |_| {}, ears)? {
        Err(stopped) => Ok(Err(ended(&stopped))),
        Ok(Finished { collected, .. }) => {
            let sent = collected.text(channel::SYMBOLS).map(|text| needed(&text));
            Ok(sent.ok_or_else(|| "the guest sent no symbols".to_owned()))
        }
    }
}

/// What was seen, and the guest's environment.
type Inside = (InsidePass, Option<(String, Vec<u8>)>);

fn from_inside(
    exact: &Exact,
    spec: &TrialSpec,
    prepared: &Prepared,
    ears: Ears<'_>,
) -> Brought<Inside> {
    let pass = Pass { watch: Some(job::watch(&spec.settings)), ..Pass::default() };
    let finished = match exact.conduct(spec, prepared, &pass, &mut |_| {}, ears)? {
        Ok(finished) => finished,
        Err(stopped) => return Ok(Err(ended(&stopped))),
    };
    let Finished { mut collected, console } = finished;
    let measurements = match measured(outcome(&collected, &console)) {
        Ok(measurements) => measurements,
        Err(why) => return Ok(Err(why)),
    };
    let environment = collected.bytes(channel::ENVIRONMENT);
    let environment = environment.map(|text| ("environment.txt".to_owned(), text));
    let samples = collected.bytes(channel::SAMPLES).unwrap_or_default();
    Ok(Ok((InsidePass { measurements, samples }, environment)))
}

fn ended(stopped: &Stopped) -> String {
    match stopped.kind {
        BrokenKind::Interrupted => "it was interrupted".to_owned(),
        _ => format!("that pass broke: {}", stopped.reason),
    }
}

fn measured(outcome: Outcome) -> Result<Measurements, String> {
    match outcome {
        Outcome::Measured(measurements) => Ok(measurements),
        Outcome::Broken(broken) => Err(format!("that pass broke: {}", broken.reason)),
    }
}
