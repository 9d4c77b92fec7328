//! Requests to disks, from their issue to their end.

use std::collections::HashMap;

use model::trace::{Request, RequestKind};

use super::tasks::{number, text};

// include/linux/blk_types.h: the operation is in the lowest byte of `cmd_flags`.
const READ: u32 = 0;
const WRITE: u32 = 1;
const FLUSH: u32 = 2;

/// All requests that were seen.
#[derive(Default)]
pub(super) struct Requests {
    list: Vec<Request>,
    disks: Vec<String>,
    /// By a request's address: its index, and bytes that are still to be done.
    in_flight: HashMap<u64, (usize, u64)>,
}

impl Requests {
    /// The driver gets the request at `address` from that task; again, where it had no room for it before.
    pub(super) fn issued(
        &mut self,
        address: u64,
        (at_ns, by): (u64, Option<u32>),
        pieces: &[Vec<u8>],
    ) -> Option<()> {
        if self.in_flight.contains_key(&address) {
            return Some(());
        }
        let (flags, bytes) = (number(pieces.first()?)?, number(pieces.get(1)?)?);
        let name = text(pieces.get(2)?);
        let request = Request {
            disk: self.disk(name),
            kind: kind(flags),
            bytes: bytes.into(),
            issued_ns: at_ns,
            done_ns: None,
            by,
        };
        self.in_flight.insert(address, (self.list.len(), bytes.into()));
        self.list.push(request);
        Some(())
    }

    /// So many bytes of the request at `address` are done.
    pub(super) fn done(&mut self, address: u64, at_ns: u64, bytes: u64) {
        let Some((index, left)) = self.in_flight.get_mut(&address) else { return };
        // A length is an unsigned int; the register's upper half is anybody's.
        *left = left.saturating_sub(bytes & u64::from(u32::MAX));
        if *left == 0 {
            self.list[*index].done_ns = Some(at_ns);
            self.in_flight.remove(&address);
        }
    }

    fn disk(&mut self, name: String) -> u32 {
        let index = self.disks.iter().position(|disk| *disk == name).unwrap_or_else(|| {
            self.disks.push(name);
            self.disks.len() - 1
        });
        u32::try_from(index).unwrap_or(u32::MAX)
    }

    /// The disks' names, and the requests.
    pub(super) fn into_lists(self) -> (Vec<String>, Vec<Request>) {
        (self.disks, self.list)
    }
}

fn kind(flags: u32) -> RequestKind {
    match flags & 0xff {
        READ => RequestKind::Read,
        WRITE => RequestKind::Write,
        FLUSH => RequestKind::Flush,
        _ => RequestKind::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(flags: u32, bytes: u32, disk: &str) -> Vec<Vec<u8>> {
        let mut name = disk.as_bytes().to_vec();
        name.resize(32, 0);
        vec![flags.to_le_bytes().to_vec(), bytes.to_le_bytes().to_vec(), name]
    }

    #[test]
    fn a_request_ends_when_its_bytes_are_done_and_its_address_serves_again() {
        let mut requests = Requests::default();
        requests.issued(0x10, (5, Some(3)), &pieces(0x8801, 8192, "nullb0")).unwrap();
        // Sent back by the driver and issued again: still the same request.
        requests.issued(0x10, (7, Some(4)), &pieces(0x8801, 8192, "nullb0")).unwrap();
        requests.issued(0x20, (8, None), &pieces(2, 0, "nullb1")).unwrap();
        requests.done(0x10, 9, 4096);
        requests.done(0x10, 11, 0xffff_0000_0000 | 4096);
        requests.done(0x20, 12, 0);
        requests.issued(0x10, (20, None), &pieces(0, 4096, "nullb0")).unwrap();
        let (disks, list) = requests.into_lists();
        assert_eq!(disks, ["nullb0", "nullb1"]);
        assert_eq!(list.iter().map(|r| r.by).collect::<Vec<_>>(), [Some(3), None, None]);
        let seen: Vec<_> = list.iter().map(|r| (r.kind, r.issued_ns, r.done_ns)).collect();
        assert_eq!(
            seen,
            [
                (RequestKind::Write, 5, Some(11)),
                (RequestKind::Flush, 8, Some(12)),
                (RequestKind::Read, 20, None)
            ]
        );
    }
}
