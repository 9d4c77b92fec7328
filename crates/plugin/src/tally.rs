//! What has been executed: two totals always, kernel blocks one by one when a profile is wanted.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::blocks::Blocks;
use crate::frame::{BlockCount, Totals};
use crate::marker::KERNEL_START;
use crate::qemu::counters::Counters;
use crate::qemu::translation::Block;

/// The address that stands for all user code in a profile.
const USER: u64 = 0;

/// Counters for kernel blocks. Booting Debian's 6.12 and running a small program takes 57,000.
const BLOCKS: usize = 1 << 18;

const USER_TOTAL: usize = 0;
const KERNEL_TOTAL: usize = 1;
/// The first counter of a block; those before are the totals.
const FIRST_BLOCK: usize = 2;

/// How many counters a run takes.
pub(crate) fn counters(profile: bool) -> usize {
    if profile { FIRST_BLOCK + BLOCKS } else { FIRST_BLOCK }
}

/// The counters of a run; they start at 0, also in a machine restored from a snapshot.
pub(crate) struct Tally {
    counters: Counters,
    halts: AtomicU64,
    profile: Option<Mutex<Profile>>,
}

struct Profile {
    blocks: Blocks,
    user_seen: u64,
}

/// No counter was left for a block; told once.
pub(crate) struct BlocksFull;

impl Tally {
    /// Counts with `counters`, as many as [`counters`] asks for.
    pub(crate) fn new(counters: Counters, profile: bool) -> Self {
        let profile =
            profile.then(|| Mutex::new(Profile { blocks: Blocks::new(BLOCKS), user_seen: 0 }));
        Self { counters, halts: AtomicU64::new(0), profile }
    }

    /// Has each execution of `block` counted: as a whole, when it begins.
    pub(crate) fn count(&self, block: &Block<'_>) -> Result<(), BlocksFull> {
        if block.address < KERNEL_START {
            self.counters.add_at(block.handle, USER_TOTAL, block.length);
            return Ok(());
        }
        self.counters.add_at(block.handle, KERNEL_TOTAL, block.length);
        let Some(mut profile) = self.profile() else { return Ok(()) };
        let assigned = profile.blocks.assign(block.address);
        self.counters.add_at(block.handle, FIRST_BLOCK + assigned.counter, block.length);
        if assigned.overflow_began { Err(BlocksFull) } else { Ok(()) }
    }

    /// A block that cannot count inline calls with its number.
    pub(crate) fn executed(&self, number: usize) {
        self.counters.executed(number);
    }

    /// A kernel `hlt` is about to be executed.
    pub(crate) fn halt(&self) {
        self.halts.fetch_add(1, Ordering::Relaxed);
    }

    /// What was executed before the marker behind which `rest` instructions of its block, itself
    /// included, are counted but still to come.
    pub(crate) fn totals(&self, rest: u64) -> Totals {
        let totals = self.counters.read(FIRST_BLOCK);
        let (user, kernel) = (totals[USER_TOTAL].saturating_sub(rest), totals[KERNEL_TOTAL]);
        let halts = self.halts.load(Ordering::Relaxed);
        Totals { instructions: user.wrapping_add(kernel), kernel, halts }
    }

    /// How many instructions were executed before one in the kernel; `rest` as above.
    pub(crate) fn instructions(&self, rest: u64) -> u64 {
        let (user, kernel) = (self.counters.get(USER_TOTAL), self.counters.get(KERNEL_TOTAL));
        user.wrapping_add(kernel.saturating_sub(rest))
    }

    /// What was executed by block since the last call, up to `totals`; nothing without a profile.
    pub(crate) fn growth(&self, totals: Totals) -> Vec<BlockCount> {
        let Some(mut profile) = self.profile() else { return Vec::new() };
        let now = self.counters.read(FIRST_BLOCK + profile.blocks.len());
        let mut grown = profile.blocks.growth(now.get(FIRST_BLOCK..).unwrap_or_default());
        let user = totals.instructions.wrapping_sub(totals.kernel);
        let instructions = user.wrapping_sub(std::mem::replace(&mut profile.user_seen, user));
        if instructions > 0 {
            grown.insert(0, BlockCount { address: USER, instructions });
        }
        grown
    }

    fn profile(&self) -> Option<MutexGuard<'_, Profile>> {
        self.profile.as_ref().map(|profile| profile.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
