//! The system calls of operations, timed: one clock reading a call, the end of one being the start
//! of the next.

use std::ffi::CStr;
use std::os::fd::{IntoRawFd as _, OwnedFd};

use model::ffsb::Call;
use rustix::fs::{Mode, OFlags, SeekFrom};
use rustix::io::Errno;

use super::call_times::CallTable;
use super::trouble::Trouble;
use crate::clock::now_ns;
use crate::gaps::Gaps;

/// What a thread calls with.
#[derive(Debug)]
pub(super) struct Calls<'a> {
    gaps: &'a Gaps,
    /// When the last call ended, ns.
    last_ns: u64,
    times: Option<CallTable>,
}

/// How a file is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    Read,
    Write,
    Append,
    /// Made or emptied, for reading and writing as in the original.
    Create,
}

impl Access {
    fn flags(self) -> OFlags {
        match self {
            Access::Read => OFlags::RDONLY,
            Access::Write => OFlags::WRONLY,
            Access::Append => OFlags::WRONLY | OFlags::APPEND,
            Access::Create => OFlags::RDWR | OFlags::CREATE | OFlags::TRUNC,
        }
    }
}

fn failed(call: &'static str) -> impl Fn(Errno) -> Trouble {
    move |errno| Trouble::Call { call, offset: None, errno }
}

fn failed_at(call: &'static str, offset: u64) -> impl Fn(Errno) -> Trouble {
    move |errno| Trouble::Call { call, offset: Some(offset), errno }
}

impl<'a> Calls<'a> {
    /// Time runs from now.
    pub(super) fn new(gaps: &'a Gaps, times: Option<CallTable>) -> Self {
        Calls { gaps, last_ns: now_ns(), times }
    }

    /// When the last call ended, ns.
    pub(super) fn last_ns(&self) -> u64 {
        self.last_ns
    }

    /// What was kept of the calls' times.
    pub(super) fn into_times(self) -> Option<CallTable> {
        self.times
    }

    /// What was done since the last call is no call's time. Free where no times are kept.
    #[inline]
    pub(super) fn restart(&mut self) {
        if self.times.is_some() {
            self.last_ns = now_ns();
        }
    }

    /// The thread paused by choice.
    pub(super) fn paused(&mut self) {
        self.last_ns = now_ns();
        self.gaps.paused(self.last_ns);
    }

    #[inline]
    fn ended(&mut self, call: Option<Call>) {
        let now = now_ns();
        if let (Some(times), Some(call)) = (&mut self.times, call) {
            times.note(call, now.saturating_sub(self.last_ns));
        }
        self.last_ns = now;
        self.gaps.completed(now);
    }

    /// Opens a file.
    ///
    /// # Errors
    /// As open(2).
    pub(super) fn open(
        &mut self,
        path: &CStr,
        access: Access,
        direct: bool,
    ) -> Result<OwnedFd, Trouble> {
        let direct = if direct { OFlags::DIRECT } else { OFlags::empty() };
        let flags = access.flags() | direct | OFlags::CLOEXEC;
        let opened = rustix::fs::open(path, flags, Mode::RWXU);
        self.ended(Some(if access == Access::Create { Call::Create } else { Call::Open }));
        opened.map_err(failed("open"))
    }

    /// Bytes of an open file. The original asks, too, and does not count this call.
    ///
    /// # Errors
    /// As fstat(2).
    pub(super) fn size(&mut self, file: &OwnedFd) -> Result<u64, Trouble> {
        let stat = rustix::fs::fstat(file).map_err(failed("fstat"))?;
        self.restart();
        Ok(stat.st_size.unsigned_abs())
    }

    /// Writes all bytes; the offset is only told.
    ///
    /// # Errors
    /// As write(2).
    #[inline]
    pub(super) fn write(
        &mut self,
        file: &OwnedFd,
        bytes: &[u8],
        offset: u64,
    ) -> Result<(), Trouble> {
        let mut written = 0;
        while written < bytes.len() {
            match rustix::io::write(file, &bytes[written..]) {
                Ok(0) => return Err(failed_at("write", offset + written as u64)(Errno::IO)),
                Ok(count) => written += count,
                Err(Errno::INTR) => {}
                Err(errno) => return Err(failed_at("write", offset + written as u64)(errno)),
            }
        }
        self.ended(Some(Call::Write));
        Ok(())
    }

    /// Reads as many bytes as there is room for; the offset is only told.
    ///
    /// # Errors
    /// As read(2), and the file ends.
    #[inline]
    pub(super) fn read(
        &mut self,
        file: &OwnedFd,
        room: &mut [u8],
        offset: u64,
    ) -> Result<(), Trouble> {
        let mut read = 0;
        while read < room.len() {
            match rustix::io::read(file, &mut room[read..]) {
                Ok(0) => return Err(Trouble::Ended { offset: offset + read as u64 }),
                Ok(count) => read += count,
                Err(Errno::INTR) => {}
                Err(errno) => return Err(failed_at("read", offset + read as u64)(errno)),
            }
        }
        self.ended(Some(Call::Read));
        Ok(())
    }

    /// Goes to an offset.
    ///
    /// # Errors
    /// As lseek(2).
    pub(super) fn seek(&mut self, file: &OwnedFd, offset: u64) -> Result<(), Trouble> {
        let sought = rustix::fs::seek(file, SeekFrom::Start(offset));
        self.ended(Some(Call::Lseek));
        sought.map(|_| ()).map_err(failed_at("lseek", offset))
    }

    /// # Errors
    /// As fsync(2).
    pub(super) fn fsync(&mut self, file: &OwnedFd) -> Result<(), Trouble> {
        let synced = rustix::fs::fsync(file);
        self.ended(Some(Call::Fsync));
        synced.map_err(failed("fsync"))
    }

    /// Closes a file. Some filesystems tell only here that a write failed.
    ///
    /// # Errors
    /// As close(2).
    pub(super) fn close(&mut self, file: OwnedFd) -> Result<(), Trouble> {
        // SAFETY: the descriptor is owned, and given up here.
        let closed = match unsafe { libc::close(file.into_raw_fd()) } {
            0 => Ok(()),
            _ => Err(std::io::Error::last_os_error().raw_os_error()),
        };
        self.ended(Some(Call::Close));
        match closed.map_err(|code| code.map_or(Errno::IO, Errno::from_raw_os_error)) {
            // The descriptor is closed all the same (close(2), "NOTES").
            Err(Errno::INTR) => Ok(()),
            closed => closed.map_err(failed("close")),
        }
    }

    /// # Errors
    /// As stat(2).
    pub(super) fn stat(&mut self, path: &CStr) -> Result<(), Trouble> {
        let stat = rustix::fs::stat(path);
        self.ended(Some(Call::Stat));
        stat.map(|_| ()).map_err(failed("stat"))
    }

    /// # Errors
    /// As unlink(2).
    pub(super) fn unlink(&mut self, path: &CStr) -> Result<(), Trouble> {
        let unlinked = rustix::fs::unlink(path);
        self.ended(Some(Call::Unlink));
        unlinked.map_err(failed("unlink"))
    }

    /// Makes a folder; the original keeps no time of this.
    ///
    /// # Errors
    /// As mkdir(2).
    pub(super) fn mkdir(&mut self, path: &CStr) -> Result<(), Trouble> {
        let made = rustix::fs::mkdir(path, Mode::RWXU);
        self.ended(None);
        made.map_err(failed("mkdir"))
    }
}

#[cfg(test)]
mod tests {
    use model::ffsb::Stats;

    use super::*;

    #[test]
    fn a_full_device_is_told_with_the_offset() {
        let gaps = Gaps::new();
        let mut calls = Calls::new(&gaps, None);
        let file = calls.open(c"/dev/full", Access::Write, false).unwrap();
        let errno = Errno::NOSPC;
        let full = Trouble::Call { call: "write", offset: Some(8192), errno };
        assert_eq!(calls.write(&file, &[0; 100], 8192), Err(full));
        calls.close(file).unwrap();
    }

    #[test]
    fn a_file_that_ends_too_early_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, [1; 100]).unwrap();
        let path = std::ffi::CString::new(path.to_str().unwrap()).unwrap();
        let gaps = Gaps::new();
        let mut calls = Calls::new(&gaps, None);
        let file = calls.open(&path, Access::Read, false).unwrap();
        let mut room = [0; 80];
        calls.read(&file, &mut room, 0).unwrap();
        assert_eq!((room, calls.size(&file)), ([1; 80], Ok(100)));
        assert_eq!(calls.read(&file, &mut room, 80), Err(Trouble::Ended { offset: 100 }));
    }

    #[test]
    fn each_call_is_timed_and_ends_a_stretch() {
        let gaps = Gaps::new();
        let stats = Stats { enabled: true, ..Stats::default() };
        let mut calls = Calls::new(&gaps, CallTable::new(&stats));
        gaps.begin(calls.last_ns());
        let file = calls.open(c"/dev/null", Access::Write, false).unwrap();
        calls.write(&file, &[0; 10], 0).unwrap();
        calls.close(file).unwrap();
        assert!(calls.stat(c"/dev/null/none").is_err());
        // The last completion is the last call's end.
        assert_eq!(gaps.stretch(calls.last_ns() + 5), 5);
        let times = calls.into_times().unwrap().into_times();
        let calls: Vec<_> = times.iter().map(|times| (times.call, times.count)).collect();
        let wanted = [(Call::Open, 1), (Call::Write, 1), (Call::Close, 1), (Call::Stat, 1)];
        assert_eq!(calls, wanted);
    }
}
