//! The pass that is looked at from outside.

use experiment::Outside;
use kernels::{Layout, LayoutError, Symbols, Unwinder};
use model::{Trace, TrialSpec};
use protocol::channel;

use super::{Brought, Ears, ended, measured};
use crate::channels::Collected;
use crate::conduct::Finished;
use crate::exact::{Exact, Pass, outcome};
use crate::memfile;
use crate::prepare::Prepared;
use crate::profile::{self, needed};
use crate::watch::{Probes, Tracer, UserCode};

/// What is read of the kernel's image.
struct Image {
    bytes: Vec<u8>,
    layout: Result<Layout, LayoutError>,
}

pub(super) fn pass(
    exact: &Exact,
    spec: &TrialSpec,
    prepared: &Prepared,
    ears: Ears<'_>,
) -> Brought<Outside> {
    if let Some(why) = exact.emulator()?.cannot_watch() {
        return Ok(Err(why));
    }
    let bytes = memfile::bytes(&prepared.image);
    let image = Image { layout: Layout::of(&bytes), bytes };
    // The symbols that are kept may be those of a trial whose modules lay elsewhere; then those of this one are
    // there after the first attempt.
    for _ in 0..2 {
        let kallsyms = match symbols(exact, spec, prepared, ears)? {
            Ok(kallsyms) => kallsyms,
            Err(why) => return Ok(Err(why)),
        };
        match traced(exact, spec, prepared, (&image, &kallsyms), ears)? {
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
    (image, kallsyms): (&Image, &str),
    ears: Ears<'_>,
) -> Brought<Option<Outside>> {
    let symbols = Symbols::parse(kallsyms);
    let mut probes = Probes::all(&symbols, image.layout.as_ref());
    let unwinder = unwinder(image, prepared, &symbols).map_err(|why| probes.notes.push(why)).ok();
    let mut tracer = Tracer::new(&probes, &symbols, unwinder.as_ref());
    let pass = Pass { symbols: true, profile: true, probes: &probes.arguments, watch: None };
    let mut see = |frame: &_| tracer.take(frame);
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
    let measurements = match measured(outcome(&collected, &console)) {
        Ok(measurements) => measurements,
        Err(why) => return Ok(Err(why)),
    };
    let users = UserCode::recognise(&collected.code, &prepared.programs());
    let Some(phases) = collected.phases() else {
        return Ok(Err("this QEMU's clock cannot be read".to_owned()));
    };
    let mut trace = tracer.finish(phases, &users);
    trace.profile = profile::phases(spec, &collected, &symbols, &users);
    count(&mut trace, spec, &collected);
    trace.notes.extend(collected.notes);
    Ok(Ok(Some(Outside { measurements, trace })))
}

/// Adds what instructions say of time.
fn count(trace: &mut Trace, spec: &TrialSpec, collected: &Collected) {
    let settings = &spec.settings;
    trace.insn_ns = (settings.cpus == 1).then(|| settings.insn_ns.into());
    trace.counted = collected.counted();
}

/// What reads the kernel's stacks, or what is missing where nothing does.
fn unwinder(image: &Image, prepared: &Prepared, symbols: &Symbols<'_>) -> Result<Unwinder, String> {
    let modules = prepared.modules.iter().map(|module| (module.name.as_str(), &module.bytes[..]));
    Unwinder::new(&image.bytes, &modules.collect::<Vec<_>>(), symbols).map_err(|error| {
        format!("call paths are missing, and samples of what ran name the function alone: {error}")
    })
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
