//! All rows of ORC by address.

use super::orc::{Kind, Row};

/// The rows of the kernel and its modules, each for the code from its address to the next row's.
#[derive(Debug, Clone, Default)]
pub(super) struct Table(Vec<(u64, Row)>);

impl Table {
    /// Sorts the rows. The kernel's own are sorted when it is built, a module's when it is loaded.
    pub(super) fn new(mut rows: Vec<(u64, Row)>) -> Self {
        // At the end of each object file stands a row that knows nothing, in case there is a gap. A
        // real one at the same address goes before it: the last of equal addresses is the one found.
        rows.sort_by_key(|(address, row)| (*address, row.kind != Kind::Undefined));
        Table(rows)
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// The row for the instruction at this address.
    pub(super) fn find(&self, address: u64) -> Option<Row> {
        let after = self.0.partition_point(|(start, _)| *start <= address);
        Some(self.0[after.checked_sub(1)?].1)
    }
}

#[cfg(test)]
mod tests {
    use super::super::orc::Encoding;
    use super::*;

    #[test]
    fn a_real_row_goes_before_a_weak_one_at_its_address() {
        let row = |offset: u8, flags: u8| Encoding::Typed.decode(&[offset, 0, 0, 0, 5, flags]);
        let weak = Encoding::Typed.decode(&[0; 6]);
        let table =
            Table::new(vec![(0x300, weak), (0x200, row(16, 2)), (0x100, row(8, 2)), (0x200, weak)]);
        let found = |at| table.find(at).map(|row| (row.sp_offset, row.kind));
        assert_eq!(table.len(), 4);
        for (address, expected) in [
            (0xff, None),
            (0x100, Some((8, Kind::Call))),
            (0x1ff, Some((8, Kind::Call))),
            (0x200, Some((16, Kind::Call))),
            (0x300, Some((0, Kind::Undefined))),
        ] {
            assert_eq!(found(address), expected, "{address:x}");
        }
    }
}
