//! What has been executed: two totals always, blocks one by one when a profile is wanted.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::blocks::Blocks;
use crate::frame::{BlockCount, Totals};
use crate::keys::{self, KEYS};
use crate::marker::KERNEL_START;
use crate::qemu::counters::Counters;
use crate::qemu::translation::Block;
use crate::user_blocks::{Pending, UserBlocks};

/// Counters for kernel blocks. Booting Debian's 6.12 and running a small program takes 57,000.
const BLOCKS: usize = 1 << 18;

const USER_TOTAL: usize = 0;
const KERNEL_TOTAL: usize = 1;
/// How many totals there are, which come first.
const TOTALS: usize = 2;
/// The first counter of a kernel block.
const FIRST_BLOCK: usize = TOTALS;
/// The counter of the first key.
const FIRST_KEY: usize = FIRST_BLOCK + BLOCKS;

/// How many counters a run takes.
pub(crate) fn counters(profile: bool) -> usize {
    if profile { FIRST_KEY + KEYS } else { TOTALS }
}

/// The counters of a run; they start at 0, also in a machine restored from a snapshot.
pub(crate) struct Tally {
    counters: Counters,
    halts: AtomicU64,
    profile: Option<Mutex<Profile>>,
}

struct Profile {
    kernel: Blocks,
    user: UserBlocks,
}

/// No counter was left for a block; told once.
pub(crate) struct BlocksFull;

impl Tally {
    /// Counts with `counters`, as many as [`counters`] asks for.
    pub(crate) fn new(counters: Counters, profile: bool) -> Self {
        let profile = profile.then(|| {
            Mutex::new(Profile { kernel: Blocks::new(BLOCKS), user: UserBlocks::default() })
        });
        Self { counters, halts: AtomicU64::new(0), profile }
    }

    /// Has each execution of `block` counted: as a whole, when it begins. `name` is what a profile
    /// calls the block.
    pub(crate) fn count(&self, block: &Block<'_>, name: u64) -> Result<(), BlocksFull> {
        if block.address < KERNEL_START {
            self.count_user(block, name);
            return Ok(());
        }
        self.counters.add_at(block.handle, KERNEL_TOTAL, block.length);
        let Some(mut profile) = self.profile() else { return Ok(()) };
        let assigned = profile.kernel.assign(name);
        self.counters.add_at(block.handle, FIRST_BLOCK + assigned.counter, block.length);
        if assigned.overflow_began { Err(BlocksFull) } else { Ok(()) }
    }

    fn count_user(&self, block: &Block<'_>, key: u64) {
        self.counters.add_at(block.handle, USER_TOTAL, block.length);
        let (Some(mut profile), Some(index)) = (self.profile(), keys::index(key)) else { return };
        profile.user.expect(key);
        self.counters.add_at(block.handle, FIRST_KEY + index, block.length);
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
        let (user, kernel) = (self.counters.get(USER_TOTAL), self.counters.get(KERNEL_TOTAL));
        let user = user.saturating_sub(rest);
        let halts = self.halts.load(Ordering::Relaxed);
        Totals { instructions: user.wrapping_add(kernel), kernel, halts }
    }

    /// How many instructions were executed before one, of the kernel or a program; `rest` as above.
    pub(crate) fn instructions(&self, rest: u64) -> u64 {
        let (user, kernel) = (self.counters.get(USER_TOTAL), self.counters.get(KERNEL_TOTAL));
        user.wrapping_add(kernel).saturating_sub(rest)
    }

    /// What was executed by block since the last call, up to `totals`, in ascending order; nothing
    /// without a profile. `pending` is the block that is running and already taken off `totals`.
    pub(crate) fn growth(&self, totals: Totals, pending: Pending) -> Vec<BlockCount> {
        let Some(mut profile) = self.profile() else { return Vec::new() };
        let kernel = self.counters.read(FIRST_BLOCK, profile.kernel.len());
        let mut grown = profile.kernel.growth(&kernel);
        let user = self.counters.read(FIRST_KEY, profile.user.len());
        let user_total = totals.instructions.wrapping_sub(totals.kernel);
        grown.extend(profile.user.growth(&user, user_total, pending));
        grown.sort_unstable();
        grown
    }

    fn profile(&self) -> Option<MutexGuard<'_, Profile>> {
        self.profile.as_ref().map(|profile| profile.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
