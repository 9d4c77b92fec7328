//! Streams zeros into a file and times every `write`, as `dd if=/dev/zero` would.

use std::fs::File;
use std::path::Path;

use rustix::io::Errno;

use crate::clock::now_ns;
use crate::failure::{Failure, While as _};
use crate::latency::Latency;

/// Writes `size` bytes into the file at `path`, `block.len()` bytes a call, the last call less. The
/// file is made where it is missing, and emptied first where `truncate` says so.
///
/// # Errors
/// The file cannot be opened, or a write fails.
pub(crate) fn write(
    path: &Path,
    size: u64,
    block: &[u8],
    truncate: bool,
    latency: &mut Latency,
) -> Result<u64, Failure> {
    let file = File::options()
        .write(true)
        .create(true)
        .truncate(truncate)
        .open(path)
        .in_workload(format!("opening {}", path.display()))?;
    stream(&file, size, block, latency).map_err(|(offset, errno)| {
        Failure::workload(format!(
            "write to {} failed at offset {offset}: {}",
            path.display(),
            std::io::Error::from(errno)
        ))
    })
}

/// One clock reading a call: the end of one is the start of the next.
fn stream(
    file: &File,
    size: u64,
    block: &[u8],
    latency: &mut Latency,
) -> Result<u64, (u64, Errno)> {
    let mut offset = 0;
    let mut began = now_ns();
    while offset < size {
        let left = usize::try_from(size - offset).unwrap_or(usize::MAX);
        let bytes = &block[..block.len().min(left)];
        write_whole(file, bytes).map_err(|(written, errno)| (offset + written, errno))?;
        let ended = now_ns();
        latency.note(began, ended - began, offset);
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

    #[test]
    fn a_file_is_written_whole_and_every_call_is_timed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let mut latency = Latency::new();
        let written = write(&path, 10_000, &[0; 1024], true, &mut latency).unwrap();
        assert_eq!((written, fs::read(&path).unwrap().len()), (10_000, 10_000));
        let calls: u64 = latency.buckets().iter().map(|(_, calls)| calls).sum();
        assert_eq!(calls, 10);
        let slowest = latency.slowest(0);
        assert!(slowest.iter().all(|s| s.offset < 10_000 && s.offset % 1024 == 0));
    }

    #[test]
    fn a_file_is_emptied_or_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, [1; 3000]).unwrap();
        let mut latency = Latency::new();
        write(&path, 1000, &[0; 512], false, &mut latency).unwrap();
        let bytes = fs::read(&path).unwrap();
        assert_eq!((bytes.len(), bytes[999], bytes[1000]), (3000, 0, 1));
        write(&path, 1000, &[0; 512], true, &mut latency).unwrap();
        assert_eq!(fs::read(&path).unwrap().len(), 1000);
    }

    #[test]
    fn a_full_device_breaks_the_workload_at_its_offset() {
        let path = Path::new("/dev/full");
        let failure = write(path, 4096, &[0; 512], false, &mut Latency::new()).unwrap_err();
        assert_eq!(failure.kind, model::BrokenKind::Workload);
        assert_eq!(
            failure.reason,
            "write to /dev/full failed at offset 0: No space left on device (os error 28)"
        );
    }
}
