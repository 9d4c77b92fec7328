//! Leaves little free memory in large blocks: what is too much is broken up, not used up.
//!
//! One page of eight stays and the seven go free, so no eight pages side by side are free. They
//! stay as what cannot be moved: the kernel's compaction would put pages of a program together
//! again, in the midst of a phase.

use std::fs;

use evidence::buddyinfo::ZoneLists;
use model::units::Bytes;

use super::checkerboard::Checkerboard;
use super::packets::{self, Packets};
use super::state;
use crate::failure::{Failure, While as _};
use crate::pages::PAGE;

/// The smallest order of a large block.
pub(super) const LARGE: u32 = 3;
/// Between two pages that stay.
const BETWEEN: u64 = (1 << LARGE) - 1;
/// Smaller free blocks are used first: then it goes on.
const ROUNDS: u32 = 8;
/// Less than asked for, as blocks go free at any time.
const SLACK: u64 = 512 << 10;
/// Orders in which what is left is taken. For one below 4 the kernel would rather end a program
/// than say that there is none; of order 9 (huge pages) a CPU's own list gets one more.
const TAKEN: [u32; 6] = [10, 8, 7, 6, 5, SMALLEST_TAKEN];
const SMALLEST_TAKEN: u32 = 4;
/// What the first 16 MiB of memory have and the kernel keeps for old devices.
const DMA_ZONE: u64 = 16 << 20;

/// Allocates what is free in large blocks and too much, but for what the kernel needs to go on.
///
/// # Errors
/// No memory, or the kernel does not tell what is free.
pub(super) fn break_up(most: Option<Bytes>) -> Result<Checkerboard<Packets>, Failure> {
    let mut board = Checkerboard { kept: Packets::default(), dropped: Packets::default() };
    let Some(most) = most else { return Ok(board) };
    let stays = most.0.max(reserve()?);
    for _ in 0..ROUNDS {
        let excess = in_large_blocks(&state::read_free()?).saturating_sub(stays);
        let kept = excess / (BETWEEN + 1) / packets::BYTES_A_PAGE;
        if kept == 0 {
            break;
        }
        packets::extend(&mut board, kept, BETWEEN)
            .in_setup(format!("breaking up free memory for age.high={most}"))?;
    }
    Ok(board)
}

/// Uses up large blocks that are still too many, now that enough is free in small ones.
///
/// # Errors
/// The kernel does not tell what is free. What it does not give is for the check to find.
pub(super) fn take_rest(most: Option<Bytes>, held: &mut Packets) -> Result<(), Failure> {
    let Some(most) = most else { return Ok(()) };
    for order in TAKEN {
        let free = state::read_free()?;
        let block = (PAGE as u64) << order;
        let excess = in_large_blocks(&free).saturating_sub(most.0.saturating_sub(SLACK));
        let last = order == SMALLEST_TAKEN;
        let wanted = if last { excess.div_ceil(block) } else { excess / block };
        for _ in 0..wanted.min(blocks(&free, order)) {
            if held.add_block(order).is_err() {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// Blocks of `order` that can be had beyond the zone for old devices, from which little is given.
fn blocks(free: &[ZoneLists], order: u32) -> u64 {
    let ours = free.iter().filter(|zone| zone.zone != "DMA");
    let blocks = ours.flat_map(|zone| (0u32..).zip(&zone.free));
    blocks.filter(|(of, _)| *of >= order).map(|(of, count)| count << (of - order)).sum()
}

fn in_large_blocks(free: &[ZoneLists]) -> u64 {
    free.iter().map(|zone| large_bytes(&zone.free)).sum()
}

/// Bytes in blocks of order 3 and above.
pub(super) fn large_bytes(free: &[u64]) -> u64 {
    let blocks = (0u32..).zip(free).filter(|(order, _)| *order >= LARGE);
    blocks.map(|(order, count)| (count * PAGE as u64) << order).sum()
}

/// What must stay free so that nothing is reclaimed: the kernel reclaims until 3/2 of
/// `min_free_kbytes` are free, beyond what each zone keeps from requests that another could serve
/// (by default a part of 256, `vm.lowmem_reserve_ratio`).
fn reserve() -> Result<u64, Failure> {
    const FILE: &str = "/proc/sys/vm/min_free_kbytes";
    let kept = fs::read_to_string(FILE).in_setup(format!("reading {FILE}"))?;
    let kept = kept.trim().parse::<u64>().unwrap_or(0) << 10;
    let all = state::read_meminfo()?.total.unwrap_or(0);
    Ok(DMA_ZONE + kept / 2 * 3 + all / 256)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_large_blocks_count() {
        assert_eq!(large_bytes(&[7, 7, 7, 2, 0, 1]), 2 * 32768 + 131_072);
        assert_eq!(large_bytes(&[7, 7, 7]), 0);
        let zone =
            |name: &str| ZoneLists { zone: name.to_owned(), free: vec![0, 0, 0, 3], node: 0 };
        let free = [zone("DMA"), zone("DMA32"), zone("Normal")];
        assert_eq!((blocks(&free, 3), blocks(&free, 2), blocks(&free, 4)), (6, 12, 0));
        assert_eq!(in_large_blocks(&free), 9 * 32768);
    }
}
