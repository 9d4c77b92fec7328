//! Rows of ORC: for a stretch of code, where the caller's frame is.
//!
//! Source: `struct orc_entry` in `arch/x86/include/asm/orc_types.h`, and `unwind_next_frame()` in
//! `arch/x86/kernel/unwind_orc.c`.

/// The bytes of one row in `.orc_unwind`.
pub(super) const ROW: usize = 6;

/// What is known at a stretch of code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Row {
    /// Added to [`Row::sp`], bytes.
    pub(super) sp_offset: i16,
    /// Added to [`Row::bp`], bytes.
    pub(super) bp_offset: i16,
    /// What the caller's stack pointer is counted from.
    pub(super) sp: Base,
    /// What the place of the caller's frame pointer is counted from.
    pub(super) bp: Base,
    pub(super) kind: Kind,
    /// Whether the caller was interrupted: it stands at an instruction, not behind a call.
    pub(super) signal: bool,
}

/// `ORC_REG_*`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Base {
    Undefined,
    PrevSp,
    Dx,
    Di,
    Bp,
    Sp,
    R10,
    R13,
    BpIndirect,
    SpIndirect,
}

/// `ORC_TYPE_*`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Nothing is known here.
    Undefined,
    /// There is no caller.
    End,
    /// The return address lies below the caller's stack pointer.
    Call,
    /// A whole `struct pt_regs` lies there.
    Regs,
    /// Only its end, which the CPU wrote, lies there.
    RegsPartial,
}

/// How a row's bits stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Encoding {
    /// Up to Linux 6.2: two bits of type, a bit for the end.
    First,
    /// Linux 6.3: two bits of type, a bit for a signal, a bit for the end.
    Signal,
    /// Since Linux 6.4: three bits of type, a bit for a signal.
    Typed,
}

/// What `.orc_header` holds since Linux 6.4: a hash over the definition of the rows
/// (`scripts/orc_hash.sh`).
const TYPED: [u8; 20] = [
    0xfe, 0x5d, 0x32, 0xbf, 0x58, 0x1b, 0xd6, 0x3b, 0x2c, 0xa9, 0xa5, 0xc6, 0x5b, 0xa5, 0xa6, 0x25,
    0xea, 0xb3, 0xfe, 0x24,
];
/// The same in Linux 6.3.10 and later ones of 6.3.
const SIGNAL: [u8; 20] = [
    0xdb, 0x84, 0xae, 0xd4, 0x10, 0x3b, 0x31, 0xdd, 0x51, 0xe0, 0x17, 0xf8, 0xf7, 0x97, 0x83, 0xca,
    0x98, 0x5c, 0x2c, 0x51,
];

impl Encoding {
    /// By the kernel's `.orc_header`, else by the rows themselves, since distributions brought the
    /// later encodings to earlier kernels. `None` when the header names one that is not known here.
    pub(super) fn of(header: Option<&[u8]>, rows: &[[u8; ROW]]) -> Option<Encoding> {
        match header {
            Some(header) if *header == TYPED => Some(Encoding::Typed),
            Some(header) if *header == SIGNAL => Some(Encoding::Signal),
            Some(_) => None,
            None => Some(Encoding::by_rows(rows)),
        }
    }

    /// Nearly all rows are for code that was called: that is type 2 since 6.4, and 0 before. The
    /// fourth bit behind the bases is not used up to 6.2.
    fn by_rows(rows: &[[u8; ROW]]) -> Encoding {
        let known = || rows.iter().map(flags).filter(|flags| flags & 0xf != 0);
        let of_type = |number| known().filter(|flags| flags >> 8 & 7 == number).count();
        if of_type(2) > of_type(0) {
            Encoding::Typed
        } else if rows.iter().any(|row| flags(row) & 1 << 11 != 0) {
            Encoding::Signal
        } else {
            Encoding::First
        }
    }

    /// Reads a row: two little-endian offsets, then 4 bits for each base, then the rest.
    pub(super) fn decode(self, row: &[u8; ROW]) -> Row {
        let flags = flags(row);
        let bit = |at: u16| flags >> at & 1 == 1;
        let sp = Base::of(flags & 0xf);
        let (kind, signal) = match self {
            Encoding::Typed => (Kind::of(flags >> 8 & 7), bit(11)),
            Encoding::Signal => (Kind::old(flags, sp, bit(11)), bit(10)),
            // Before there was a bit for it, whoever has registers on the stack was interrupted.
            Encoding::First => (Kind::old(flags, sp, bit(10)), flags >> 8 & 3 != 0),
        };
        Row {
            sp_offset: i16::from_le_bytes([row[0], row[1]]),
            bp_offset: i16::from_le_bytes([row[2], row[3]]),
            sp,
            bp: Base::of(flags >> 4 & 0xf),
            kind,
            signal,
        }
    }
}

fn flags(row: &[u8; ROW]) -> u16 {
    u16::from_le_bytes([row[4], row[5]])
}

impl Base {
    fn of(number: u16) -> Base {
        match number {
            1 => Base::PrevSp,
            2 => Base::Dx,
            3 => Base::Di,
            4 => Base::Bp,
            5 => Base::Sp,
            6 => Base::R10,
            7 => Base::R13,
            8 => Base::BpIndirect,
            9 => Base::SpIndirect,
            _ => Base::Undefined,
        }
    }
}

impl Kind {
    /// Since Linux 6.4.
    fn of(number: u16) -> Kind {
        match number {
            1 => Kind::End,
            2 => Kind::Call,
            3 => Kind::Regs,
            4 => Kind::RegsPartial,
            _ => Kind::Undefined,
        }
    }

    /// Before: a stack pointer that is not known stands for the end or for nothing known.
    fn old(flags: u16, sp: Base, end: bool) -> Kind {
        match (flags >> 8 & 3, sp, end) {
            (_, Base::Undefined, true) => Kind::End,
            (0, _, _) if sp != Base::Undefined => Kind::Call,
            (1, _, _) if sp != Base::Undefined => Kind::Regs,
            (2, _, _) if sp != Base::Undefined => Kind::RegsPartial,
            _ => Kind::Undefined,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A row with these flags.
    fn row(flags: u16) -> [u8; ROW] {
        let [low, high] = flags.to_le_bytes();
        [0x10, 0, 0xf0, 0xff, low, high]
    }

    #[test]
    fn each_encoding_has_its_bits() {
        use Encoding::{First, Signal, Typed};
        for (encoding, flags, kind, signal) in [
            (First, 0x005, Kind::Call, false),
            (First, 0x105, Kind::Regs, true),
            (First, 0x205, Kind::RegsPartial, true),
            (First, 0x305, Kind::Undefined, true),
            (First, 0x400, Kind::End, false),
            (First, 0x000, Kind::Undefined, false),
            (Signal, 0x005, Kind::Call, false),
            (Signal, 0x105, Kind::Regs, false),
            (Signal, 0x505, Kind::Regs, true),
            (Signal, 0x605, Kind::RegsPartial, true),
            (Signal, 0x800, Kind::End, false),
            (Signal, 0x400, Kind::Undefined, true),
            (Typed, 0x205, Kind::Call, false),
            (Typed, 0xa05, Kind::Call, true),
            (Typed, 0xb05, Kind::Regs, true),
            (Typed, 0xc05, Kind::RegsPartial, true),
            (Typed, 0x100, Kind::End, false),
            (Typed, 0x000, Kind::Undefined, false),
        ] {
            let found = encoding.decode(&row(flags));
            assert_eq!((found.kind, found.signal), (kind, signal), "{encoding:?} {flags:x}");
        }
    }

    #[test]
    fn offsets_and_bases_stand_in_front() {
        let found = Encoding::Typed.decode(&row(0x215));
        let expected = Row {
            sp_offset: 16,
            bp_offset: -16,
            sp: Base::Sp,
            bp: Base::PrevSp,
            kind: Kind::Call,
            signal: false,
        };
        assert_eq!(found, expected);
        let bases = [
            (2, Base::Dx),
            (3, Base::Di),
            (4, Base::Bp),
            (6, Base::R10),
            (7, Base::R13),
            (8, Base::BpIndirect),
            (9, Base::SpIndirect),
            (15, Base::Undefined),
        ];
        for (number, base) in bases {
            assert_eq!(Encoding::Typed.decode(&row(0x200 | number)).sp, base);
        }
    }

    #[test]
    fn the_header_goes_before_the_rows() {
        let called = [row(0x205), row(0x215), row(0)];
        assert_eq!(Encoding::of(Some(&SIGNAL), &called), Some(Encoding::Signal));
        assert_eq!(Encoding::of(Some(&TYPED), &[]), Some(Encoding::Typed));
        assert_eq!(Encoding::of(Some(&[0; 20]), &called), None);
        assert_eq!(Encoding::of(Some(&TYPED[..19]), &called), None);
    }

    #[test]
    fn rows_tell_their_encoding() {
        for (rows, expected) in [
            (vec![0x205, 0x215, 0xb05, 0], Encoding::Typed),
            (vec![0x005, 0x015, 0x205, 0x400, 0], Encoding::First),
            (vec![0x005, 0x015, 0x605, 0x800, 0], Encoding::Signal),
        ] {
            let rows: Vec<_> = rows.into_iter().map(row).collect();
            assert_eq!(Encoding::of(None, &rows), Some(expected), "{rows:x?}");
        }
    }
}
