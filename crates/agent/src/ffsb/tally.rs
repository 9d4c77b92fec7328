//! What was done.

use model::ffsb::{Op, OpCount, Outcome};

use super::call_times::CallTable;

/// What an operation did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Done {
    pub(super) transactions: u64,
    pub(super) read_bytes: u64,
    pub(super) written_bytes: u64,
}

impl Done {
    /// An operation that counts as one.
    pub(super) const ONE: Done = Done { transactions: 1, read_bytes: 0, written_bytes: 0 };

    pub(super) fn read(transactions: u64, bytes: u64) -> Self {
        Done { transactions, read_bytes: bytes, written_bytes: 0 }
    }

    pub(super) fn written(transactions: u64, bytes: u64) -> Self {
        Done { transactions, read_bytes: 0, written_bytes: bytes }
    }
}

/// What one thread did, or several together.
#[derive(Clone, Debug)]
pub(super) struct Tally {
    /// By the operation's place in [`Op::ALL`].
    ops: [OpCount; Op::ALL.len()],
    read_bytes: u64,
    written_bytes: u64,
    times: Option<CallTable>,
}

impl Tally {
    pub(super) fn new(times: Option<CallTable>) -> Self {
        let none = |op| OpCount { op, done: 0, transactions: 0, bytes: 0 };
        Tally { ops: Op::ALL.map(none), read_bytes: 0, written_bytes: 0, times }
    }

    #[inline]
    pub(super) fn note(&mut self, op: Op, done: Done) {
        let count = &mut self.ops[op as usize];
        count.done += 1;
        count.transactions += done.transactions;
        count.bytes += done.read_bytes + done.written_bytes;
        self.read_bytes += done.read_bytes;
        self.written_bytes += done.written_bytes;
    }

    /// Adds what another thread did, and the times that it kept.
    pub(super) fn add(&mut self, other: &Tally, times: Option<&CallTable>) {
        for (all, one) in self.ops.iter_mut().zip(&other.ops) {
            all.done += one.done;
            all.transactions += one.transactions;
            all.bytes += one.bytes;
        }
        self.read_bytes += other.read_bytes;
        self.written_bytes += other.written_bytes;
        if let (Some(all), Some(one)) = (&mut self.times, times) {
            all.add(one);
        }
    }

    /// Of the operations only those that the profile weighs.
    pub(super) fn into_outcome(self, weighed: impl Fn(Op) -> bool) -> Outcome {
        Outcome {
            ops: self.ops.into_iter().filter(|count| weighed(count.op)).collect(),
            read_bytes: self.read_bytes,
            written_bytes: self.written_bytes,
            calls: self.times.map(CallTable::into_times).unwrap_or_default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_stands_where_its_operation_points() {
        let mut tally = Tally::new(None);
        for op in Op::ALL {
            tally.note(op, Done::ONE);
        }
        let mut all = tally.clone();
        all.note(Op::Append, Done::written(4, 9));
        all.note(Op::Readall, Done::read(2, 5));
        all.add(&tally, None);
        let outcome = all.into_outcome(|op| op != Op::Metaop);
        assert_eq!((outcome.ops.len(), outcome.read_bytes, outcome.written_bytes), (14, 5, 9));
        let append = OpCount { op: Op::Append, done: 3, transactions: 6, bytes: 9 };
        assert_eq!(outcome.ops[4], append);
        assert_eq!(outcome.ops[6].op, Op::Createdir);
    }
}
