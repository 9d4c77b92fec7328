//! The further passes of a trial in the exact lab: one that is looked at from outside, which measures
//! the trial's own nanoseconds, and one that looks from inside.

mod inside;
mod outside;

use std::thread;

use experiment::{Cancel, Outside, Passes, PlaceError, Seen, TrialEvent};
use model::{BrokenKind, Measurements, Outcome, TrialSpec};

use self::inside::Inside;
use crate::conduct::Stopped;
use crate::exact::Exact;
use crate::prepare::Prepared;

/// Who is told, and who may end it.
type Ears<'a> = (&'a (dyn Fn(TrialEvent) + Sync), &'a Cancel);

/// What a pass brought, or why it brought nothing, in a sentence.
type Brought<T> = Result<Result<T, String>, PlaceError>;

/// Runs the passes that are wanted; both at once, where both are.
///
/// # Errors
/// The host failed.
pub(crate) fn observe(
    exact: &Exact,
    (spec, prepared): (&TrialSpec, &Prepared),
    passes: Passes,
    events: &(dyn Fn(TrialEvent) + Sync),
    cancel: &Cancel,
) -> Result<Seen, PlaceError> {
    events(TrialEvent::Observing);
    let silent = |_: TrialEvent| {};
    let from_outside = || outside::pass(exact, spec, prepared, (&silent, cancel));
    let from_inside = || inside::pass(exact, spec, prepared, (&silent, cancel));
    let mut seen = Seen::default();
    match passes {
        Passes::All => {
            let (outside, inside) = thread::scope(|scope| {
                let outside = scope.spawn(from_outside);
                let inside = from_inside();
                let panicked =
                    || Err(PlaceError::Host("the pass from outside panicked".to_owned()));
                (outside.join().unwrap_or_else(|_| panicked()), inside)
            });
            add_outside(&mut seen, outside?);
            add_inside(&mut seen, inside?);
        }
        Passes::Reasons => {
            add_outside(&mut seen, from_outside()?);
            if seen.outside.is_none() {
                add_inside(&mut seen, from_inside()?);
            }
        }
    }
    Ok(seen)
}

fn add_outside(seen: &mut Seen, outside: Result<Outside, String>) {
    match outside {
        Ok(pass) => seen.outside = Some(pass),
        Err(why) => seen.notes.push(format!("nothing was seen from outside: {why}")),
    }
}

fn add_inside(seen: &mut Seen, inside: Result<Inside, String>) {
    match inside {
        Ok((pass, environment)) => {
            seen.inside = Some(pass);
            seen.attachments.extend(environment);
        }
        Err(why) => seen.notes.push(format!("nothing was seen from inside: {why}")),
    }
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
