//! Brings the memory to a stated condition, holds it there, and checks that it is there.
//!
//! Long uptimes leave memory in a state in which the kernel takes other paths than after a boot:
//! long lists of single pages, few large blocks, much page cache. Here that state is made on
//! purpose. It knows nothing of phases and disks.

mod anonymous;
mod block_cache;
mod checkerboard;
mod high_orders;
mod objects;
mod packets;
mod quiet;
mod state;
mod verify;

use model::settings::Condition;

use anonymous::Region;
use block_cache::BlockCache;
use checkerboard::Checkerboard;
use objects::Objects;
use packets::Packets;
use quiet::Quiet;

use crate::failure::{Failure, While as _};
use crate::pages::Pages;

pub(crate) use state::read_state;
pub(crate) use verify::verify;

/// What must stay as it is for the memory to stay in its condition: dropping it gives it all back.
#[derive(Debug, Default)]
pub(crate) struct Aged {
    anon: Option<Pages>,
    cache: Option<BlockCache>,
    slab: Option<Objects>,
    movable: Option<Region>,
    unmovable: Packets,
    high: Packets,
}

impl Aged {
    /// Brings the memory to `condition`. Whether it got there is for [`verify`] to say.
    ///
    /// What is only held comes first: made later, it would be taken from the lists of single pages.
    /// Then all of both checkerboards is allocated, while memory is still in one piece, and what
    /// is then left in large blocks is broken up. Only when nothing more is needed, the one half of
    /// each board goes free; from then on each single page that the kernel needs comes from there.
    ///
    /// # Errors
    /// The kernel does not give what is needed; the guest's memory is too small for it.
    pub(crate) fn bring(condition: &Condition) -> Result<Self, Failure> {
        let _quiet = Quiet::begin();
        let mut aged = Aged::default();
        aged.hold(condition)?;
        let movable = anonymous::checkerboard(condition.movable)?;
        let unmovable = packets::checkerboard(condition.unmovable)?;
        let broken_up = high_orders::break_up(condition.high)?;
        aged.movable = movable.map(Checkerboard::free_half);
        aged.unmovable = unmovable.free_half();
        aged.high = broken_up.free_half();
        high_orders::take_rest(condition.high, &mut aged.high)?;
        state::settle();
        Ok(aged)
    }

    fn hold(&mut self, condition: &Condition) -> Result<(), Failure> {
        if condition.cache.0 > 0 {
            self.cache = Some(BlockCache::fill(condition.cache.0)?);
        }
        if condition.anon.0 > 0 {
            let bytes = usize::try_from(condition.anon.0).unwrap_or(usize::MAX);
            let held = Pages::new(bytes);
            self.anon = Some(held.in_setup(format!("holding age.anon={}", condition.anon))?);
        }
        if condition.slab.0 > 0 {
            self.slab = Some(Objects::fill(condition.slab.0)?);
        }
        Ok(())
    }
}
