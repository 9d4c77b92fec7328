//! Linux AIO: many writes with one system call.
//!
//! Source: io_submit(2) and `include/uapi/linux/aio_abi.h`.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd as _;

use libc::{SYS_io_destroy, SYS_io_getevents, SYS_io_setup, SYS_io_submit};

const IOCB_CMD_PWRITE: u16 = 1;

/// `struct iocb` of a little-endian machine.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
struct Request {
    data: u64,
    key: u32,
    rw_flags: u32,
    opcode: u16,
    priority: i16,
    file: u32,
    buffer: u64,
    length: u64,
    offset: i64,
    reserved: u64,
    flags: u32,
    event_file: u32,
}

/// `struct io_event`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
struct Event {
    data: u64,
    request: u64,
    result: i64,
    result2: i64,
}

/// A write that ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Done {
    /// Where it wrote.
    pub(crate) offset: u64,
    /// Bytes written, or the negative error number.
    pub(crate) result: i64,
}

/// A queue of writes of one buffer to one file.
#[derive(Debug)]
pub(crate) struct Queue<'a> {
    context: u64,
    file: &'a File,
    buffer: &'a [u8],
    waiting: Vec<Request>,
    /// The list for io_submit; kept for its memory.
    list: Vec<*const Request>,
    events: Vec<Event>,
    in_flight: usize,
}

fn check(result: i64) -> io::Result<usize> {
    usize::try_from(result).map_err(|_| io::Error::last_os_error())
}

impl<'a> Queue<'a> {
    /// A queue for at most `depth` writes at once.
    ///
    /// # Errors
    /// As io_setup(2); `ENOSYS` on a kernel without AIO.
    pub(crate) fn new(file: &'a File, buffer: &'a [u8], depth: u32) -> io::Result<Self> {
        let mut context = 0u64;
        // SAFETY: the kernel stores the context's number in `context`.
        check(unsafe { libc::syscall(SYS_io_setup, depth, &raw mut context) })?;
        let room = depth as usize;
        Ok(Queue {
            context,
            file,
            buffer,
            waiting: Vec::with_capacity(room),
            list: Vec::with_capacity(room),
            events: vec![Event::default(); room],
            in_flight: 0,
        })
    }

    /// Writes that were asked for and have not ended.
    #[must_use]
    pub(crate) fn open(&self) -> usize {
        self.waiting.len() + self.in_flight
    }

    /// Asks for a write of the buffer's first `length` bytes.
    pub(crate) fn push(&mut self, offset: u64, length: usize) {
        self.waiting.push(Request {
            data: offset,
            opcode: IOCB_CMD_PWRITE,
            file: self.file.as_raw_fd().unsigned_abs(),
            buffer: self.buffer.as_ptr() as u64,
            length: length.min(self.buffer.len()) as u64,
            offset: offset.cast_signed(),
            ..Request::default()
        });
    }

    /// Hands all that was asked for to the kernel.
    ///
    /// # Errors
    /// As io_submit(2).
    pub(crate) fn submit(&mut self) -> io::Result<()> {
        while !self.waiting.is_empty() {
            self.list.clear();
            self.list.extend(self.waiting.iter().map(|r| &raw const *r));
            let (context, count, list) = (self.context, self.list.len(), self.list.as_ptr());
            // SAFETY: `list` points at `count` requests; each writes from `buffer`, which outlives
            // the queue, and the queue waits for all of them before it ends.
            let taken = check(unsafe { libc::syscall(SYS_io_submit, context, count, list) })?;
            self.in_flight += taken;
            self.waiting.drain(..taken);
        }
        Ok(())
    }

    /// Waits until at least `least` writes ended and returns those that did.
    ///
    /// # Errors
    /// As io_getevents(2).
    pub(crate) fn wait(&mut self, least: usize) -> io::Result<impl Iterator<Item = Done> + '_> {
        let (least, room) = (least.min(self.in_flight), self.events.len());
        let events = self.events.as_mut_ptr();
        let forever = std::ptr::null::<libc::timespec>();
        let got = loop {
            // SAFETY: the kernel stores at most `room` events in `events`.
            let result = unsafe {
                libc::syscall(SYS_io_getevents, self.context, least, room, events, forever)
            };
            match check(result) {
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                other => break other?,
            }
        };
        self.in_flight -= got;
        Ok(self.events[..got].iter().map(|event| Done { offset: event.data, result: event.result }))
    }
}

impl Drop for Queue<'_> {
    fn drop(&mut self) {
        // SAFETY: passes a number; the kernel waits for the writes in flight.
        unsafe { libc::syscall(SYS_io_destroy, self.context) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_land_where_they_should() {
        let file = tempfile::tempfile().unwrap();
        let mut queue = match Queue::new(&file, b"abcd", 4) {
            Err(e) if e.raw_os_error() == Some(libc::ENOSYS) => return,
            other => other.unwrap(),
        };
        queue.push(0, 4);
        queue.push(4, 2);
        assert_eq!(queue.open(), 2);
        queue.submit().unwrap();
        let mut done: Vec<Done> = queue.wait(2).unwrap().collect();
        done.sort_by_key(|done| done.offset);
        let wanted = |offset, result| Done { offset, result };
        assert_eq!(done, [wanted(0, 4), wanted(4, 2)]);
        assert_eq!(queue.open(), 0);
    }
}
