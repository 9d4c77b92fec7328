//! Ends a trial that takes more time than it may.

use std::sync::Arc;

use model::{BrokenKind, Nanos};
use rustix::thread::gettid;

use crate::clock;
use crate::failure::{Failure, While as _};
use crate::whereabouts::Whereabouts;

const STACK: usize = 128 << 10;

/// Starts the watch: a thread that sleeps until the limit is reached and then hands the failure to
/// `end`. `whose` names the time: "guest time".
///
/// # Errors
/// The thread cannot be started.
pub(crate) fn start(
    limit_ns: u64,
    whose: &'static str,
    whereabouts: Arc<Whereabouts>,
    end: impl FnOnce(Failure) + Send + 'static,
) -> Result<(), Failure> {
    let deadline = clock::now_ns().saturating_add(limit_ns);
    let watch = move || {
        clock::sleep_until(deadline);
        let own = gettid().as_raw_nonzero().get().unsigned_abs();
        end(expired(limit_ns, whose, &whereabouts.describe(own)));
    };
    std::thread::Builder::new()
        .name("watchdog".to_owned())
        .stack_size(STACK)
        .spawn(watch)
        .in_setup("starting the watchdog")
        .map(drop)
}

fn expired(limit_ns: u64, whose: &str, place: &str) -> Failure {
    Failure {
        kind: BrokenKind::OutOfTime,
        reason: format!("over its limit of {} of {whose} {place}", Nanos(limit_ns)),
    }
}
