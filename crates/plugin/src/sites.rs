//! The instructions at which probes look, and when each probe is due.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::probe::Probe;

/// No instruction of x86 is longer, in bytes.
const LONGEST_INSTRUCTION: u64 = 15;

/// The last frame's clock of a probe that has sent none.
const NEVER: u64 = u64::MAX;

/// All sites, by address.
#[derive(Debug, Default)]
pub(crate) struct Sites(Vec<Site>);

/// One instruction with the probes that look there.
#[derive(Debug)]
pub(crate) struct Site {
    /// The instruction's address.
    pub(crate) address: u64,
    /// In the order of the arguments.
    pub(crate) probes: Vec<Watching>,
}

/// A probe at work.
#[derive(Debug)]
pub(crate) struct Watching {
    pub(crate) probe: Probe,
    /// The clock of its last frame, in nanoseconds.
    last: AtomicU64,
    complained: AtomicBool,
}

impl Sites {
    /// Puts probes at their instructions.
    pub(crate) fn new(mut probes: Vec<Probe>) -> Self {
        // The sort is stable: probes of one site stay in their order.
        probes.sort_by_key(|probe| probe.address);
        let mut sites: Vec<Site> = Vec::new();
        for probe in probes {
            let address = probe.address;
            let watching = Watching::new(probe);
            match sites.last_mut().filter(|site| site.address == address) {
                Some(site) => site.probes.push(watching),
                None => sites.push(Site { address, probes: vec![watching] }),
            }
        }
        Self(sites)
    }

    /// How many probes there are.
    pub(crate) fn probes(&self) -> usize {
        self.0.iter().map(|site| site.probes.len()).sum()
    }

    /// The numbers of the sites that a block of `length` instructions from `address` may contain.
    pub(crate) fn near(&self, address: u64, length: usize) -> Range<usize> {
        let end = address.saturating_add(length as u64 * LONGEST_INSTRUCTION);
        let below = |bound| self.0.partition_point(|site| site.address < bound);
        below(address)..below(end)
    }

    /// The site of that number.
    pub(crate) fn get(&self, number: usize) -> Option<&Site> {
        self.0.get(number)
    }
}

impl Watching {
    fn new(probe: Probe) -> Self {
        Self { probe, last: AtomicU64::new(NEVER), complained: AtomicBool::new(false) }
    }

    /// Whether a frame is to be sent at this clock, after which the interval begins anew.
    pub(crate) fn due(&self, clock: Option<u64>) -> bool {
        let Some(interval) = self.probe.interval else { return true };
        // A probe with an interval works only where there is a clock.
        let Some(now) = clock else { return false };
        let last = self.last.load(Ordering::Relaxed);
        let due = last == NEVER || now.saturating_sub(last) >= interval;
        if due {
            self.last.store(now, Ordering::Relaxed);
        }
        due
    }

    /// True the first time: each probe complains once.
    pub(crate) fn may_complain(&self) -> bool {
        !self.complained.swap(true, Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sites(probes: &[&str]) -> Sites {
        Sites::new(probes.iter().map(|text| Probe::parse(text).expect(text)).collect())
    }

    #[test]
    fn probes_of_one_address_share_a_site() {
        let sites = sites(&["3@ffffffff81000020", "1@ffffffff81000010", "2@ffffffff81000020"]);
        let ids = |number| {
            let site = sites.get(number)?;
            Some((site.address, site.probes.iter().map(|p| p.probe.id).collect::<Vec<_>>()))
        };
        assert_eq!(ids(0), Some((0xffff_ffff_8100_0010, vec![1])));
        assert_eq!(ids(1), Some((0xffff_ffff_8100_0020, vec![3, 2])));
        assert_eq!(ids(2), None);
        assert_eq!(sites.probes(), 3);
    }

    #[test]
    fn a_block_is_near_the_sites_that_it_can_reach() {
        let sites = sites(&["1@ffffffff81000010", "2@ffffffff81000020", "3@ffffffffffffffff"]);
        let table = [
            (0xffff_ffff_8100_0000, 1, 0..0),
            (0xffff_ffff_8100_0000, 2, 0..1),
            (0xffff_ffff_8100_0010, 1, 0..1),
            (0xffff_ffff_8100_0010, 2, 0..2),
            (0xffff_ffff_8100_0011, 512, 1..2),
            (0xffff_ffff_8100_0021, 512, 2..2),
            (0xffff_ffff_ffff_fff0, 512, 2..2),
        ];
        for (address, length, wanted) in table {
            assert_eq!(sites.near(address, length), wanted, "{address:x} {length}");
        }
    }

    #[test]
    fn an_interval_passes_between_two_frames() {
        let watching = |text| Watching::new(Probe::parse(text).expect(text));
        let always = watching("1@ffffffff81000010");
        assert!([None, Some(5), Some(5)].into_iter().all(|clock| always.due(clock)));
        let seldom = watching("1@ffffffff81000010~100");
        let clocks = [0, 99, 100, 150, 199, 200, 450, 549, 550];
        let due: Vec<_> = clocks.into_iter().filter(|clock| seldom.due(Some(*clock))).collect();
        assert_eq!(due, [0, 100, 200, 450, 550]);
        assert!(!seldom.due(None));
    }

    #[test]
    fn a_probe_complains_once() {
        let watching = Watching::new(Probe::parse("1@ffffffff81000010").expect("a probe"));
        assert!(watching.may_complain());
        assert!(!watching.may_complain());
    }
}
