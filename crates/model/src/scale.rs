//! How a timed workload is scaled so that a guest can hold it.
//!
//! A guest's disks lie in its memory, and every byte that is written costs instructions. So an ffsb
//! profile runs for a part of its time there, and whatever else works by time is scaled alike: the
//! kernel's limits for dirty memory and the periods of its flushers. Unscaled, no flusher would wake
//! during a run of a second or two.

use std::collections::BTreeMap;

use crate::place::is_exact;
use crate::settings::Settings;
use crate::spec::TrialSpec;

/// How long a timed run in the exact lab is, at most, where nobody asks for a scale, ms.
const AUTO_MS: u64 = 1500;

/// The kernel's defaults (`mm/page-writeback.c`): shares of the memory in percent, times in cs.
const DIRTY_PERCENT: u64 = 20;
const BACKGROUND_PERCENT: u64 = 10;
const EXPIRE_CENTISECS: u64 = 3000;
const WRITEBACK_CENTISECS: u64 = 500;

/// The kernel takes no less for either limit: two pages.
const LEAST_DIRTY: u64 = 8192;

impl TrialSpec {
    /// By how much the timed run is scaled: 1 in this many parts of its time. 1 where nothing is.
    #[must_use]
    pub fn scale(&self) -> u32 {
        let Some(profile) = &self.ffsb else { return 1 };
        let auto = || match is_exact(&self.place) {
            true => (profile.time.saturating_mul(1000)).div_ceil(AUTO_MS).max(1),
            false => 1,
        };
        let auto = || u32::try_from(auto()).unwrap_or(u32::MAX);
        self.settings.scale.unwrap_or_else(auto)
    }

    /// How long the timed run is, ns.
    #[must_use]
    pub fn timed_run_ns(&self) -> u64 {
        let time = self.ffsb.as_ref().map_or(0, |profile| profile.time);
        time.saturating_mul(1_000_000_000) / u64::from(self.scale())
    }

    /// The sysctls of the trial, those of dirty memory scaled.
    #[must_use]
    pub fn sysctls(&self) -> BTreeMap<String, String> {
        scaled(&self.settings, self.scale())
    }
}

/// The settings' sysctls with the limits and periods of dirty memory divided by `scale`. What is not
/// set has the kernel's default, as shares of the guest's memory.
fn scaled(settings: &Settings, scale: u32) -> BTreeMap<String, String> {
    let mut sysctls = settings.sysctl.clone();
    if scale == 1 {
        return sysctls;
    }
    let set = |name: &str| settings.sysctl.get(name).and_then(|text| text.parse::<u64>().ok());
    let share = |ratio: &str, percent: u64| settings.mem.0 / 100 * set(ratio).unwrap_or(percent);
    for (name, whole, least) in [
        ("vm.dirty_bytes", share("vm.dirty_ratio", DIRTY_PERCENT), LEAST_DIRTY),
        (
            "vm.dirty_background_bytes",
            share("vm.dirty_background_ratio", BACKGROUND_PERCENT),
            LEAST_DIRTY,
        ),
        ("vm.dirty_expire_centisecs", EXPIRE_CENTISECS, 1),
        ("vm.dirty_writeback_centisecs", WRITEBACK_CENTISECS, 1),
    ] {
        // 0 switches the flusher off, or the limit: so it stays.
        let whole = set(name).unwrap_or(whole);
        let part = if whole == 0 { 0 } else { (whole / u64::from(scale)).max(least) };
        sysctls.insert(name.to_owned(), part.to_string());
    }
    // The kernel takes either a share or bytes, whichever is written last.
    sysctls.remove("vm.dirty_ratio");
    sysctls.remove("vm.dirty_background_ratio");
    sysctls
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Bytes;

    #[test]
    fn limits_and_periods_of_dirty_memory_are_scaled_alike() {
        let mut settings = Settings { mem: Bytes(1000 << 20), ..Settings::default() };
        settings.set("sysctl.vm.dirty_expire_centisecs", "6000").unwrap();
        settings.set("sysctl.vm.dirty_background_ratio", "5").unwrap();
        settings.set("sysctl.vm.swappiness", "0").unwrap();
        let sysctls = scaled(&settings, 10);
        for (name, value) in [
            ("vm.dirty_bytes", (20 << 20).to_string()),
            ("vm.dirty_background_bytes", (5 << 20).to_string()),
            ("vm.dirty_expire_centisecs", "600".to_owned()),
            ("vm.dirty_writeback_centisecs", "50".to_owned()),
            ("vm.swappiness", "0".to_owned()),
        ] {
            assert_eq!(sysctls[name], value, "{name}");
        }
        assert_eq!(sysctls.len(), 5);
        assert_eq!(scaled(&settings, 1), settings.sysctl);
    }

    #[test]
    fn what_is_switched_off_stays_off_and_nothing_else_becomes_0() {
        let mut settings = Settings::default();
        settings.set("sysctl.vm.dirty_writeback_centisecs", "0").unwrap();
        let sysctls = scaled(&settings, 1_000_000);
        assert_eq!(sysctls["vm.dirty_writeback_centisecs"], "0");
        assert_eq!(sysctls["vm.dirty_expire_centisecs"], "1");
        assert_eq!(sysctls["vm.dirty_bytes"], "8192");
    }
}
