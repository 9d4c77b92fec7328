//! The clock by which phases are timed.

use rustix::time::{ClockId, Timespec, clock_gettime};

/// `CLOCK_MONOTONIC`, ns. Stays in the vDSO where the kernel's clock source allows it.
#[inline]
#[must_use]
pub(crate) fn now_ns() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    now.tv_sec.cast_unsigned() * 1_000_000_000 + now.tv_nsec.cast_unsigned()
}

/// The point `ns` of this clock in the kernel's form.
#[must_use]
pub(crate) fn timespec(ns: u64) -> Timespec {
    Timespec {
        tv_sec: (ns / 1_000_000_000).cast_signed(),
        tv_nsec: (ns % 1_000_000_000).cast_signed(),
    }
}

/// Sleeps until the clock shows `deadline_ns`.
pub(crate) fn sleep_until(deadline_ns: u64) {
    use rustix::thread::clock_nanosleep_absolute;
    let deadline = timespec(deadline_ns);
    while clock_nanosleep_absolute(ClockId::Monotonic, &deadline) == Err(rustix::io::Errno::INTR) {}
}
