//! Pages that the kernel cannot move: packets in pipes.
//!
//! A write to a pipe that is opened with `O_DIRECT` is a packet, and each packet has a page of its
//! own (`pipe_write` in `fs/pipe.c`), of the kind that cannot be moved. No program's memory is that
//! cheap: a system call a page, which copies one byte, and one descriptor for many pages.

use std::os::fd::OwnedFd;

use rustix::pipe::{PipeFlags, fcntl_setpipe_size, pipe_with};

use super::checkerboard::{Checkerboard, with_margin};
use crate::failure::{Failure, While as _};
use crate::pages::PAGE;

/// Packets that a pipe takes at most: for more, the array of them is too large to be had of aged
/// memory.
const LARGEST_PIPE: u64 = 16 << 10;

/// What a packet takes: its page, and its share of the array in a block of a power of two.
pub(super) const BYTES_A_PAGE: u64 = (PAGE + PAGE / 64) as u64;

/// Packets whose pages are held.
#[derive(Debug, Default)]
pub(crate) struct Packets {
    /// The pipes to read from: what was written stays as long as somebody could read it.
    full: Vec<OwnedFd>,
    open: Option<Open>,
}

/// A pipe with room.
#[derive(Debug)]
struct Open {
    reader: OwnedFd,
    writer: OwnedFd,
    room: u64,
}

impl Packets {
    /// Holds one more page. A new pipe, where one is needed, gets room for `expected` pages.
    pub(crate) fn add(&mut self, expected: u64) -> rustix::io::Result<()> {
        let mut open = match self.open.take() {
            Some(open) => open,
            None => Open::new(expected)?,
        };
        rustix::io::write(&open.writer, &[0])?;
        open.room -= 1;
        if open.room == 0 {
            self.full.push(open.reader);
        } else {
            self.open = Some(open);
        }
        Ok(())
    }

    /// Holds a block of 2^`order` pages, at least 4: the array in which a pipe keeps its packets
    /// (`pipe_resize_ring`), 40 bytes each.
    pub(crate) fn add_block(&mut self, order: u32) -> rustix::io::Result<()> {
        let empty = Open::new(64 << order)?;
        self.full.push(empty.reader);
        Ok(())
    }
}

impl Open {
    fn new(packets: u64) -> rustix::io::Result<Self> {
        let flags = PipeFlags::CLOEXEC | PipeFlags::DIRECT | PipeFlags::NONBLOCK;
        let (reader, writer) = pipe_with(flags)?;
        let bytes = usize::try_from(packets).unwrap_or(usize::MAX).saturating_mul(PAGE);
        let room = fcntl_setpipe_size(&writer, bytes)?;
        Ok(Open { reader, writer, room: (room / PAGE) as u64 })
    }
}

/// A checkerboard whose free half has at least `wanted` pages, for `age.unmovable`. It lies where
/// there is most memory: a guest of more than 3 GiB has two large zones, and the kernel serves a
/// request from the upper one as long as it can, however long the lists of the lower one are.
///
/// # Errors
/// No memory.
pub(crate) fn checkerboard(wanted: u64) -> Result<Checkerboard<Packets>, Failure> {
    let mut board = Checkerboard { kept: Packets::default(), dropped: Packets::default() };
    if wanted > 0 {
        extend(&mut board, with_margin(wanted), 1)
            .in_setup(format!("allocating pages for age.unmovable={wanted}"))?;
    }
    Ok(board)
}

/// Adds `kept` pages that stay, and after each of them `between` that do not.
pub(crate) fn extend(
    board: &mut Checkerboard<Packets>,
    kept: u64,
    between: u64,
) -> rustix::io::Result<()> {
    for done in 0..kept {
        let left = (kept - done).min(LARGEST_PIPE);
        board.kept.add(left)?;
        for _ in 0..between {
            board.dropped.add((left * between).min(LARGEST_PIPE))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use rustix::io::ioctl_fionread;

    use super::*;

    /// Without rights, a user has at most 64 pipes of full size.
    #[test]
    fn every_page_is_a_packet_of_its_own_and_stays() {
        let mut board = Checkerboard { kept: Packets::default(), dropped: Packets::default() };
        extend(&mut board, 40, 2).unwrap();
        let held = |packets: &Packets| -> u64 {
            let open = packets.open.iter().map(|open| &open.reader);
            packets.full.iter().chain(open).map(|pipe| ioctl_fionread(pipe).unwrap()).sum()
        };
        assert_eq!((held(&board.kept), held(&board.dropped)), (40, 80));
        let kept = board.free_half();
        let mut buffer = [0; 64];
        let first = kept.full.first().or(kept.open.as_ref().map(|open| &open.reader)).unwrap();
        assert_eq!(rustix::io::read(first, &mut buffer), Ok(1), "packets were merged");
    }
}
