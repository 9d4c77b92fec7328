//! Files without a name: they reach QEMU by descriptor and vanish with the last process that has
//! them open, however it ends.

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::os::unix::fs::FileExt as _;

use rustix::fs::{MemfdFlags, memfd_create};

/// An empty file in memory. `name` shows in `/proc/PID/fd` alone.
pub(crate) fn empty(name: &str) -> io::Result<File> {
    Ok(File::from(memfd_create(name, MemfdFlags::CLOEXEC)?))
}

/// A file in memory that holds `bytes`.
pub(crate) fn holding(name: &str, bytes: &[u8]) -> io::Result<File> {
    let mut file = empty(name)?;
    file.write_all(bytes)?;
    file.seek(SeekFrom::Start(0))?;
    Ok(file)
}

/// All that stands in `file` now, whoever wrote it; text that is no UTF-8 is repaired.
pub(crate) fn text(file: &File) -> String {
    match whole(file) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(error) => format!("(the log cannot be read: {error})"),
    }
}

/// All bytes of a file; none where it cannot be read.
pub(crate) fn bytes(file: &File) -> Vec<u8> {
    whole(file).unwrap_or_default()
}

fn whole(file: &File) -> io::Result<Vec<u8>> {
    let length = file.metadata()?.len();
    let mut bytes = vec![0; usize::try_from(length).unwrap_or(usize::MAX)];
    // Not by the file's own offset, which others may share.
    file.read_exact_at(&mut bytes, 0)?;
    Ok(bytes)
}
