//! Reads and writes of many blocks.

use std::os::fd::OwnedFd;

use super::calls::Calls;
use super::trouble::Trouble;

/// The blocks of `size` bytes from `start` on, as offset and length; the last one may be less.
fn blocks(start: u64, size: u64, block: u64) -> impl Iterator<Item = (u64, usize)> {
    let at = move |index| index * block;
    let length = move |index| block.min(size - at(index)) as usize;
    (0..size.div_ceil(block)).map(move |index| (start + at(index), length(index)))
}

/// Writes `size` bytes where the file stands, which is `start`, `block` bytes of `buffer` a call;
/// the calls.
///
/// # Errors
/// As [`Calls::write`].
pub(super) fn write_blocks(
    calls: &mut Calls<'_>,
    file: &OwnedFd,
    start: u64,
    size: u64,
    buffer: &[u8],
    block: u64,
) -> Result<u64, Trouble> {
    for (offset, length) in blocks(start, size, block) {
        calls.write(file, &buffer[..length], offset)?;
    }
    Ok(size.div_ceil(block))
}

/// Reads as [`write_blocks`] writes.
///
/// # Errors
/// As [`Calls::read`].
pub(super) fn read_blocks(
    calls: &mut Calls<'_>,
    file: &OwnedFd,
    start: u64,
    size: u64,
    buffer: &mut [u8],
    block: u64,
) -> Result<u64, Trouble> {
    for (offset, length) in blocks(start, size, block) {
        calls.read(file, &mut buffer[..length], offset)?;
    }
    Ok(size.div_ceil(block))
}
