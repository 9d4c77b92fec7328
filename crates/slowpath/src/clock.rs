//! The program's clock, which names and dates trials.

use std::time::{Instant, SystemTime};

use experiment::Clock;

/// This machine's clock.
pub(crate) struct SystemClock {
    began: Instant,
}

impl SystemClock {
    pub(crate) fn new() -> Self {
        SystemClock { began: Instant::now() }
    }
}

impl Clock for SystemClock {
    fn id(&self) -> String {
        store::new_id(SystemTime::now())
    }

    fn now(&self) -> String {
        store::rfc3339(SystemTime::now())
    }

    fn monotonic_ns(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }
}
