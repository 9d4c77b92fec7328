//! A piece of guest memory that a probe copies: where it is, by way of which pointers, and how long.
//!
//! `BASE[+OFFSET](>[+OFFSET])*:LENGTH[^BOUND]`, as in `di+0>+60>+c:32`.

use crate::qemu::registers::Register;

/// The most that one piece copies, in bytes.
const LONGEST: usize = 65_536;

/// The registers that a probe reads, in the order of its frame, with their names in a piece.
pub(crate) const REGISTERS: [(&str, Register); 5] = [
    ("di", Register::Rdi),
    ("si", Register::Rsi),
    ("dx", Register::Rdx),
    ("sp", Register::Rsp),
    ("bp", Register::Rbp),
];

/// The values of [`REGISTERS`].
pub(crate) type Values = [u64; REGISTERS.len()];

const LENGTH: &str = "pieces that end in :LENGTH, 1 to 65536 bytes";
const BOUND: &str = "pieces whose ^BOUND is a power of two";
const BASE: &str = "pieces that begin with di, si, dx, sp, bp or =ADDRESS in hexadecimal";
const OFFSET: &str = "pieces with each offset as +OFFSET in hexadecimal, after the base or a >";

/// Where a piece's way through memory begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Base {
    /// The value of the register in that row of [`REGISTERS`].
    Register(usize),
    /// An address.
    Address(u64),
}

/// What to copy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Piece {
    base: Base,
    /// What is added to the base.
    offset: u64,
    /// What is added to each pointer that is followed.
    pointers: Vec<u64>,
    length: usize,
    /// The power of two of whose multiples the piece crosses none.
    bound: Option<u64>,
}

impl Piece {
    /// Reads a piece's text; the error says what it must be.
    pub(crate) fn parse(text: &str) -> Result<Self, &'static str> {
        let (way, extent) = text.rsplit_once(':').ok_or(LENGTH)?;
        let (length, bound) = match extent.split_once('^') {
            Some((length, bound)) => (length, Some(power_of_two(bound).ok_or(BOUND)?)),
            None => (extent, None),
        };
        let length = decimal(length).and_then(|length| usize::try_from(length).ok());
        let length = length.filter(|length| (1..=LONGEST).contains(length)).ok_or(LENGTH)?;
        let (first, pointers) = match way.split_once('>') {
            Some((first, rest)) => {
                (first, rest.split('>').map(offset).collect::<Option<_>>().ok_or(OFFSET)?)
            }
            None => (way, Vec::new()),
        };
        let end = first.find('+').unwrap_or(first.len());
        let (base, first) = first.split_at(end);
        let base = Base::parse(base).ok_or(BASE)?;
        Ok(Self { base, offset: offset(first).ok_or(OFFSET)?, pointers, length, bound })
    }

    /// Where the piece begins and how long it is; `None` when a pointer on the way cannot be
    /// followed. `follow` reads a pointer at an address.
    pub(crate) fn find(
        &self,
        values: &Values,
        follow: impl FnMut(u64) -> Option<u64>,
    ) -> Option<(u64, usize)> {
        let mut follow = follow;
        let base = match self.base {
            Base::Register(row) => *values.get(row)?,
            Base::Address(address) => address,
        };
        let mut at = base.wrapping_add(self.offset);
        for offset in &self.pointers {
            at = follow(at)?.wrapping_add(*offset);
        }
        Some((at, self.length_at(at)))
    }

    fn length_at(&self, start: u64) -> usize {
        let room = self.bound.map_or(u64::MAX, |bound| bound - start % bound);
        usize::try_from(room).map_or(self.length, |room| self.length.min(room))
    }
}

impl Base {
    fn parse(text: &str) -> Option<Self> {
        match text.strip_prefix('=') {
            Some(address) => hexadecimal(address).map(Self::Address),
            None => REGISTERS.iter().position(|row| row.0 == text).map(Self::Register),
        }
    }
}

/// `+OFFSET`, or nothing for 0.
fn offset(text: &str) -> Option<u64> {
    if text.is_empty() { Some(0) } else { text.strip_prefix('+').and_then(hexadecimal) }
}

fn power_of_two(text: &str) -> Option<u64> {
    decimal(text).filter(|number| number.is_power_of_two())
}

/// Digits alone: Rust's own parsers would take a sign as well.
pub(crate) fn hexadecimal(text: &str) -> Option<u64> {
    let digits = text.bytes().all(|byte| byte.is_ascii_hexdigit());
    u64::from_str_radix(text, 16).ok().filter(|_| digits)
}

/// As [`hexadecimal`].
pub(crate) fn decimal(text: &str) -> Option<u64> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where a piece is in a guest whose word at an address is ten times that address.
    fn found(text: &str) -> Option<(u64, usize)> {
        let piece = Piece::parse(text).expect(text);
        piece.find(&[0x1000, 0x2000, 0x3000, 0x4ff8, 0x5000], |at| {
            (at != 0x2008).then(|| at.wrapping_mul(0x10))
        })
    }

    #[test]
    fn a_piece_is_found_by_way_of_its_pointers() {
        let table: [(&str, Option<(u64, usize)>); 14] = [
            ("di:8", Some((0x1000, 8))),
            ("si+0:1", Some((0x2000, 1))),
            ("dx+18:65536", Some((0x3018, 65_536))),
            ("sp+8:16", Some((0x5000, 16))),
            ("bp+FfF:16", Some((0x5fff, 16))),
            ("=ffffffff82a00000+40:4", Some((0xffff_ffff_82a0_0040, 4))),
            ("=7:4", Some((7, 4))),
            ("di+fffffffffffffff8:4", Some((0xff8, 4))),
            ("di>:4", Some((0x1_0000, 4))),
            ("di+8>+1>+2:4", Some((0x10_0812, 4))),
            ("si+8>+1:4", None),
            ("sp:8192^16384", Some((0x4ff8, 8192))),
            ("sp:16384^16384", Some((0x4ff8, 0x3008))),
            ("bp:64^16", Some((0x5000, 16))),
        ];
        for (text, wanted) in table {
            assert_eq!(found(text), wanted, "{text}");
        }
    }

    #[test]
    fn a_text_that_is_no_piece_is_refused_with_what_is_wanted() {
        let table = [
            ("", LENGTH),
            ("di", LENGTH),
            ("di:", LENGTH),
            ("di:0", LENGTH),
            ("di:65537", LENGTH),
            ("di:+8", LENGTH),
            ("di:1f", LENGTH),
            ("di:8^", BOUND),
            ("di:8^0", BOUND),
            ("di:8^24", BOUND),
            (":8", BASE),
            ("ax:8", BASE),
            ("rdi:8", BASE),
            ("=:8", BASE),
            ("=0x10:8", BASE),
            ("=10000000000000000:8", BASE),
            ("di-8:8", BASE),
            ("di+:8", OFFSET),
            ("di+1+2:8", OFFSET),
            ("di+g:8", OFFSET),
            ("di>8:8", OFFSET),
            ("di>+8>x:8", OFFSET),
        ];
        for (text, wanted) in table {
            assert_eq!(Piece::parse(text), Err(wanted), "{text}");
        }
    }
}
