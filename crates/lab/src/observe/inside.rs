//! The pass that looks from inside.

use experiment::InsidePass;
use model::TrialSpec;
use protocol::channel;

use super::{Brought, Ears, ended, measured};
use crate::conduct::Finished;
use crate::exact::{Exact, Pass, outcome};
use crate::job;
use crate::prepare::Prepared;

/// What was seen, and the guest's environment.
pub(super) type Inside = (InsidePass, Option<(String, Vec<u8>)>);

pub(super) fn pass(
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
