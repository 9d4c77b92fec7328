//! Writes past any filesystem, with several requests in flight on each disk.

use std::fs::File;
use std::io;
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use crate::aio::Queue;
use crate::failure::{Failure, While as _};
use crate::pages::Pages;

/// Requests in flight on a disk: more than its queue takes, so that they wait there and merge.
const DEPTH: u32 = 256;
/// So many end before more are begun: one system call for several.
const BATCH: usize = 64;
/// Requests are whole blocks of this size.
const BLOCK: u64 = 4096;

/// Writes to all disks at once, a thread each, and returns the bytes written in all.
///
/// # Errors
/// A disk cannot be opened (a mounted one is busy), or a write fails.
pub(crate) fn write_all(disks: &[PathBuf], size: u64, request: u64) -> Result<u64, Failure> {
    std::thread::scope(|scope| {
        let threads: Vec<_> =
            disks.iter().map(|disk| scope.spawn(move || write(disk, size, request))).collect();
        let ended = threads.into_iter().map(|thread| {
            let crashed = |_| Err(Failure::workload("a writing thread panicked"));
            thread.join().unwrap_or_else(crashed)
        });
        ended.collect::<Vec<_>>().into_iter().sum()
    })
}

/// Writes `size` bytes in order, in requests of `request` bytes, from the start of the disk, and
/// again from its start at its end. Both are rounded up to blocks of 4096 bytes.
///
/// # Errors
/// As [`write_all`].
pub(crate) fn write(disk: &Path, size: u64, request: u64) -> Result<u64, Failure> {
    let name = disk.display();
    let file = File::options()
        .write(true)
        .custom_flags(libc::O_DIRECT | libc::O_EXCL)
        .open(disk)
        .in_workload(format!("opening {name}"))?;
    let length = rustix::fs::seek(&file, rustix::fs::SeekFrom::End(0))
        .in_workload(format!("finding the size of {name}"))?;
    let plan = Plan::new(size, request, length)
        .ok_or_else(|| Failure::workload(format!("{name} is smaller than a request")))?;
    let room = usize::try_from(plan.request).unwrap_or(usize::MAX);
    let zeros = Pages::new(room).in_workload("allocating a request's memory")?;
    let written = match Queue::new(&file, &zeros, DEPTH) {
        Ok(queue) => write_queued(queue, plan),
        Err(e) if e.raw_os_error() == Some(libc::ENOSYS) => write_one_by_one(&file, &zeros, plan),
        Err(e) => Err((0, e)),
    };
    written.map_err(|(offset, error)| {
        Failure::workload(format!("write to {name} failed at offset {offset}: {error}"))
    })
}

type Written = Result<u64, (u64, io::Error)>;

fn write_queued(mut queue: Queue<'_>, mut plan: Plan) -> Written {
    let mut written = 0;
    loop {
        while queue.open() < DEPTH as usize {
            let Some((offset, length)) = plan.next() else {
                break;
            };
            queue.push(offset, length);
        }
        if queue.open() == 0 {
            return Ok(written);
        }
        queue.submit().map_err(|e| (plan.offset, e))?;
        for done in queue.wait(BATCH).map_err(|e| (plan.offset, e))? {
            let fail = |code: i64| io::Error::from_raw_os_error(i32::try_from(-code).unwrap_or(0));
            written += u64::try_from(done.result).map_err(|_| (done.offset, fail(done.result)))?;
        }
    }
}

fn write_one_by_one(file: &File, zeros: &[u8], plan: Plan) -> Written {
    let mut written = 0;
    for (offset, length) in plan {
        let bytes = &zeros[..length];
        file.write_all_at(bytes, offset).map_err(|e| (offset, e))?;
        written += length as u64;
    }
    Ok(written)
}

/// The requests: offset and length of each.
#[derive(Clone, Debug)]
struct Plan {
    offset: u64,
    left: u64,
    request: u64,
    disk: u64,
}

impl Plan {
    fn new(size: u64, request: u64, disk: u64) -> Option<Self> {
        let request = request.max(1).checked_next_multiple_of(BLOCK)?;
        (request <= disk).then_some(Plan {
            offset: 0,
            left: size.checked_next_multiple_of(BLOCK)?,
            request,
            disk,
        })
    }
}

impl Iterator for Plan {
    type Item = (u64, usize);

    fn next(&mut self) -> Option<(u64, usize)> {
        let length = self.request.min(self.left);
        if length == 0 {
            return None;
        }
        if self.offset + length > self.disk {
            self.offset = 0;
        }
        let offset = self.offset;
        self.offset += length;
        self.left -= length;
        Some((offset, usize::try_from(length).ok()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_whole_blocks_in_order_and_start_again() {
        let plan = |size, request, disk| Plan::new(size, request, disk).map(Vec::from_iter);
        assert_eq!(plan(10_000, 4096, 1 << 20), Some(vec![(0, 4096), (4096, 4096), (8192, 4096)]));
        assert_eq!(plan(24_576, 5000, 20_480), Some(vec![(0, 8192), (8192, 8192), (0, 8192)]));
        assert_eq!(plan(12_288, 8192, 1 << 20), Some(vec![(0, 8192), (8192, 4096)]));
        assert_eq!(plan(1, 8192, 4096), None);
        assert_eq!(plan(0, 4096, 4096), Some(vec![]));
    }
}
