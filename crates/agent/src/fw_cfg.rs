//! Files that the host hands over through QEMU's `fw_cfg` device.
//!
//! Source: QEMU's `docs/specs/fw_cfg.rst`. Reading is deterministic: it happens within the
//! instruction that asks for it.

use std::io::{self, Read};
use std::sync::atomic::{Ordering, compiler_fence};

use crate::pages::{PAGE, Pages};
use crate::ports;

const SELECTOR: u16 = 0x510;
const DATA: u16 = 0x511;
const DMA_HIGH: u16 = 0x514;
const DMA_LOW: u16 = 0x518;

const KEY_SIGNATURE: u16 = 0x0000;
const KEY_ID: u16 = 0x0001;
const KEY_DIRECTORY: u16 = 0x0019;

const FEATURE_DMA: u32 = 0b10;
const DMA_ERROR: u32 = 0b01;
const DMA_READ: u32 = 0b10;

const DIRECTORY_ENTRY: usize = 64;
const BUFFER_PAGES: usize = 256;

/// A file in the device's directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// Its name, for example `opt/slowpath/job`.
    pub(crate) name: String,
    /// Its size in bytes.
    pub(crate) size: u32,
    /// The key that selects it.
    pub(crate) key: u16,
}

/// The device. Needs the right to use I/O ports.
#[derive(Debug)]
pub(crate) struct FwCfg {
    /// A page for the request, then the pages that receive data.
    memory: Pages,
    /// Where the pages lie; `None` where data must come through the data port.
    addresses: Option<Vec<u64>>,
    directory: Vec<Entry>,
}

/// What [`FwCfg`] needs, made ahead of time.
///
/// # Errors
/// There is no memory.
pub(crate) fn buffer() -> io::Result<Pages> {
    let memory = Pages::new((BUFFER_PAGES + 1) * PAGE)?;
    // Unlocked pages would do as well on a guest without swap.
    let _ = memory.lock();
    Ok(memory)
}

impl FwCfg {
    /// Finds the device and reads its directory.
    ///
    /// # Errors
    /// There is no such device.
    pub(crate) fn open(memory: Pages) -> io::Result<Self> {
        let mut device = FwCfg { memory, addresses: None, directory: Vec::new() };
        if &device.read_key::<4>(KEY_SIGNATURE) != b"QEMU" {
            return Err(io::Error::new(
                io::ErrorKind::NotFound,
                "the machine has no fw_cfg device",
            ));
        }
        if u32::from_le_bytes(device.read_key(KEY_ID)) & FEATURE_DMA != 0 {
            device.addresses = device.memory.physical();
        }
        device.directory = device.read_directory();
        Ok(device)
    }

    /// The file `name`, ready to be read.
    pub(crate) fn file(&mut self, name: &str) -> Option<FwCfgFile<'_>> {
        let entry = self.directory.iter().find(|e| e.name == name)?.clone();
        ports::write_u16(SELECTOR, entry.key);
        Some(FwCfgFile {
            device: self,
            left: usize::try_from(entry.size).unwrap_or(usize::MAX),
            from: 0,
            to: 0,
        })
    }

    fn read_key<const N: usize>(&mut self, key: u16) -> [u8; N] {
        let mut bytes = [0; N];
        ports::write_u16(SELECTOR, key);
        ports::read_bytes(DATA, &mut bytes);
        bytes
    }

    fn read_directory(&mut self) -> Vec<Entry> {
        let count = u32::from_be_bytes(self.read_key(KEY_DIRECTORY)).min(4096);
        let mut bytes = vec![0; usize::try_from(count).unwrap_or(0) * DIRECTORY_ENTRY];
        ports::read_bytes(DATA, &mut bytes);
        parse_directory(&bytes)
    }

    /// Reads the next `length` bytes of the selected file into the data pages.
    fn fetch(&mut self, length: usize) -> io::Result<()> {
        let Some(addresses) = &self.addresses else {
            ports::read_bytes(DATA, &mut self.memory[PAGE..PAGE + length]);
            return Ok(());
        };
        let request = addresses[0];
        for (address, bytes) in runs(&addresses[1..], length) {
            dma(&mut self.memory, request, address, bytes)?;
        }
        Ok(())
    }
}

/// Has the device write the next `length` bytes to `address`; the request goes at `request`, which is
/// the first page of `memory`.
fn dma(memory: &mut Pages, request: u64, address: u64, length: u32) -> io::Result<()> {
    memory[..4].copy_from_slice(&DMA_READ.to_be_bytes());
    memory[4..8].copy_from_slice(&length.to_be_bytes());
    memory[8..16].copy_from_slice(&address.to_be_bytes());
    // The mapping's address is known to the kernel, so a system call or a port may change it; the
    // fence keeps the compiler from moving the bytes past the port.
    compiler_fence(Ordering::SeqCst);
    let [high, low] = [request >> 32, request & 0xffff_ffff];
    ports::write_u32(DMA_HIGH, u32::try_from(high).unwrap_or(0).to_be());
    ports::write_u32(DMA_LOW, u32::try_from(low).unwrap_or(0).to_be());
    compiler_fence(Ordering::SeqCst);
    loop {
        let answer = std::hint::black_box(&memory[..4]);
        let control = u32::from_be_bytes([answer[0], answer[1], answer[2], answer[3]]);
        if control & DMA_ERROR != 0 {
            return Err(io::Error::other("fw_cfg's DMA failed"));
        }
        if control == 0 {
            return Ok(());
        }
        std::hint::spin_loop();
    }
}

/// `length` bytes over `pages` as runs of physically contiguous memory: address and bytes.
fn runs(pages: &[u64], length: usize) -> Vec<(u64, u32)> {
    let mut runs: Vec<(u64, u32)> = Vec::new();
    let mut left = length;
    for page in pages {
        let Ok(bytes) = u32::try_from(left.min(PAGE)) else {
            break;
        };
        if bytes == 0 {
            break;
        }
        match runs.last_mut() {
            Some((start, sum)) if *start + u64::from(*sum) == *page => *sum += bytes,
            _ => runs.push((*page, bytes)),
        }
        left -= bytes as usize;
    }
    runs
}

/// A file being read.
#[derive(Debug)]
pub(crate) struct FwCfgFile<'a> {
    device: &'a mut FwCfg,
    /// Bytes not yet fetched.
    left: usize,
    /// What of the data pages is not yet handed on.
    from: usize,
    to: usize,
}

impl Read for FwCfgFile<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.from == self.to {
            let length = self.left.min(BUFFER_PAGES * PAGE);
            self.device.fetch(length)?;
            self.left -= length;
            (self.from, self.to) = (0, length);
        }
        let length = out.len().min(self.to - self.from);
        let start = PAGE + self.from;
        out[..length].copy_from_slice(&self.device.memory[start..start + length]);
        self.from += length;
        Ok(length)
    }
}

/// Entries of 64 bytes: size and key (big-endian), two bytes unused, a name of 56 bytes.
fn parse_directory(bytes: &[u8]) -> Vec<Entry> {
    let (entries, _) = bytes.as_chunks::<DIRECTORY_ENTRY>();
    let parse = |e: &[u8; DIRECTORY_ENTRY]| {
        let name = e[8..].split(|b| *b == 0).next().unwrap_or_default();
        Entry {
            name: String::from_utf8_lossy(name).into_owned(),
            size: u32::from_be_bytes([e[0], e[1], e[2], e[3]]),
            key: u16::from_be_bytes([e[4], e[5]]),
        }
    };
    entries.iter().map(parse).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_is_big_endian_with_padded_names() {
        let mut bytes = vec![0, 0, 1, 2, 0, 0x21, 0, 0];
        bytes.extend(b"opt/slowpath/job\0");
        bytes.resize(DIRECTORY_ENTRY, 0xff);
        bytes.extend([0; DIRECTORY_ENTRY]);
        bytes.extend([1; 5]);
        let entry = Entry { name: "opt/slowpath/job".into(), size: 0x102, key: 0x21 };
        let parsed = parse_directory(&bytes);
        assert_eq!((parsed.len(), &parsed[0]), (2, &entry));
    }

    #[test]
    fn contiguous_pages_make_one_run() {
        let pages = [0x1000, 0x2000, 0x5000, 0x4000, 0x6000];
        assert_eq!(runs(&pages, 4096), [(0x1000, 4096)]);
        assert_eq!(runs(&pages, 10_000), [(0x1000, 8192), (0x5000, 1808)]);
        assert_eq!(runs(&pages, 16_384), [(0x1000, 8192), (0x5000, 4096), (0x4000, 4096)]);
        assert_eq!(runs(&pages, 0), []);
    }
}
