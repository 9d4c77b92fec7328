//! Streams zeros into a file and times every `write`, as `dd if=/dev/zero` would.

use std::fs::File;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use model::settings::{Flush, OpenFlags, Rewrite};
use protocol::Writing;
use rustix::io::Errno;

use crate::clock::now_ns;
use crate::failure::{Failure, While as _};
use crate::gaps::Gaps;
use crate::latency::Latency;

/// Who hears how long calls took.
pub(crate) struct Watched<'a> {
    /// This stream's calls.
    pub(crate) latency: &'a mut Latency,
    /// The calls of all streams.
    pub(crate) gaps: &'a Gaps,
}

/// Writes `writing.size` bytes into the file at `path`, `block.len()` bytes a call, the last call
/// less, and flushes it as `writing.conv` says. The file is made where it is missing; `first` says
/// that no round before this one has written it.
///
/// # Errors
/// The file cannot be opened, or a write or the flush fails.
pub(crate) fn write(
    path: &Path,
    writing: &Writing,
    block: &[u8],
    first: bool,
    watched: &mut Watched<'_>,
) -> Result<u64, Failure> {
    let truncate = first || writing.rewrite == Rewrite::Truncate;
    let append = writing.rewrite == Rewrite::Append;
    let mut options = File::options();
    // The standard library does not truncate a file that it appends to.
    options.write(true).create(true).truncate(truncate);
    let append = if append { libc::O_APPEND } else { 0 };
    let file = options
        .custom_flags(flags(writing.oflag) | append)
        .open(path)
        .in_workload(format!("opening {}", path.display()))?;
    let written = stream(&file, writing.size, block, watched).map_err(|(offset, errno)| {
        Failure::workload(format!(
            "write to {} failed at offset {offset}: {}",
            path.display(),
            std::io::Error::from(errno)
        ))
    })?;
    flush(&file, writing.conv).in_workload(format!("flushing {}", path.display()))?;
    watched.gaps.completed(now_ns());
    Ok(written)
}

fn flags(oflag: OpenFlags) -> i32 {
    let named =
        [(oflag.direct, libc::O_DIRECT), (oflag.sync, libc::O_SYNC), (oflag.dsync, libc::O_DSYNC)];
    named.into_iter().filter(|(set, _)| *set).fold(0, |flags, (_, flag)| flags | flag)
}

fn flush(file: &File, conv: Flush) -> std::io::Result<()> {
    match conv {
        Flush::None => Ok(()),
        Flush::Fsync => file.sync_all(),
        Flush::Fdatasync => file.sync_data(),
    }
}

/// One clock reading a call: the end of one is the start of the next.
fn stream(
    file: &File,
    size: u64,
    block: &[u8],
    watched: &mut Watched<'_>,
) -> Result<u64, (u64, Errno)> {
    let mut offset = 0;
    let mut began = now_ns();
    while offset < size {
        let left = usize::try_from(size - offset).unwrap_or(usize::MAX);
        let bytes = &block[..block.len().min(left)];
        write_whole(file, bytes).map_err(|(written, errno)| (offset + written, errno))?;
        let ended = now_ns();
        watched.latency.note(began, ended - began, offset);
        watched.gaps.completed(ended);
        offset += bytes.len() as u64;
        began = ended;
    }
    Ok(offset)
}

/// Writes all bytes; on an error tells how many were written before.
#[inline]
fn write_whole(file: &File, bytes: &[u8]) -> Result<(), (u64, Errno)> {
    let mut written = 0;
    loop {
        match rustix::io::write(file, &bytes[written..]) {
            Ok(0) => return Err((written as u64, Errno::IO)),
            Ok(count) => written += count,
            Err(Errno::INTR) => {}
            Err(errno) => return Err((written as u64, errno)),
        }
        if written == bytes.len() {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn writing(size: u64) -> Writing {
        Writing {
            size,
            block: 1024,
            rewrite: Rewrite::Truncate,
            oflag: OpenFlags::default(),
            conv: Flush::None,
            writers: 1,
        }
    }

    fn streamed(path: &Path, writing: &Writing, first: bool) -> (Result<u64, Failure>, Latency) {
        let (mut latency, gaps) = (Latency::new(), Gaps::new());
        let block = crate::pages::Pages::new(writing.block as usize).unwrap();
        let block = &block[..writing.block as usize];
        let mut watched = Watched { latency: &mut latency, gaps: &gaps };
        let written = write(path, writing, block, first, &mut watched);
        (written, latency)
    }

    #[test]
    fn a_file_is_written_whole_and_every_call_is_timed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let (written, latency) = streamed(&path, &writing(10_000), true);
        assert_eq!((written.unwrap(), fs::read(&path).unwrap().len()), (10_000, 10_000));
        let calls: u64 = latency.buckets().iter().map(|(_, calls)| calls).sum();
        assert_eq!(calls, 10);
        let slowest = latency.slowest(0);
        assert!(slowest.iter().all(|s| s.offset < 10_000 && s.offset % 1024 == 0));
    }

    #[test]
    fn a_later_round_empties_the_file_writes_over_it_or_appends() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        for (rewrite, first, length) in [
            (Rewrite::Truncate, false, 1000),
            (Rewrite::Overwrite, false, 3000),
            (Rewrite::Append, false, 4000),
            (Rewrite::Append, true, 1000),
            (Rewrite::Overwrite, true, 1000),
        ] {
            fs::write(&path, [1; 3000]).unwrap();
            streamed(&path, &Writing { rewrite, ..writing(1000) }, first).0.unwrap();
            assert_eq!(fs::read(&path).unwrap().len(), length, "{rewrite:?} {first}");
        }
    }

    #[test]
    fn flags_and_flushes_are_those_of_dd() {
        let set = OpenFlags { direct: true, sync: false, dsync: true };
        assert_eq!(flags(set), libc::O_DIRECT | libc::O_DSYNC);
        assert_eq!(flags(OpenFlags::default()), 0);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        for conv in [Flush::Fsync, Flush::Fdatasync] {
            let oflag = OpenFlags { sync: true, ..OpenFlags::default() };
            let stream = Writing { conv, oflag, ..writing(5000) };
            assert_eq!(streamed(&path, &stream, true).0.unwrap(), 5000);
        }
        // A pipe can be written and not flushed.
        let (reader, writer) = std::io::pipe().unwrap();
        let failed = flush(&File::from(std::os::fd::OwnedFd::from(writer)), Flush::Fsync);
        assert!(failed.is_err());
        drop(reader);
    }

    #[test]
    fn a_full_device_breaks_the_workload_at_its_offset() {
        let failure = streamed(Path::new("/dev/full"), &writing(4096), false).0.unwrap_err();
        assert_eq!(failure.kind, model::BrokenKind::Workload);
        assert_eq!(
            failure.reason,
            "write to /dev/full failed at offset 0: No space left on device (os error 28)"
        );
    }
}
