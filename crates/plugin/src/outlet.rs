//! The descriptor that takes the frames.

use std::fs::File;
use std::io::{self, Write};
use std::mem::ManuallyDrop;
use std::os::fd::FromRawFd;
use std::sync::{Mutex, PoisonError};

/// Writes whole frames, one after the other, until a write fails.
pub(crate) struct Outlet {
    /// `None` after a write has failed: the reader is gone, and the guest must not care.
    file: Mutex<Option<ManuallyDrop<File>>>,
}

impl Outlet {
    /// Takes the inherited descriptor `fd` (not negative) and writes a first frame to it.
    pub(crate) fn open(fd: i32, first: &[u8]) -> io::Result<Self> {
        // SAFETY: the caller of QEMU passed this descriptor for us alone. Should it be closed or
        // another's all the same, it is never closed here, and the first write tells.
        let mut file = ManuallyDrop::new(unsafe { File::from_raw_fd(fd) });
        file.write_all(first)?;
        Ok(Self { file: Mutex::new(Some(file)) })
    }

    /// Writes one frame; blocks while a pipe is full.
    pub(crate) fn write(&self, frame: &[u8]) {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        if file.as_mut().is_some_and(|file| file.write_all(frame).is_err()) {
            *file = None;
        }
    }
}
