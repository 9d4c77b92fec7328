//! The options that profiles know: where each stands, and what it takes.

use super::section::Kind;
use crate::ffsb::Op;

/// What an option takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// A whole number of 32 bits.
    Count,
    /// 0 or 1.
    Flag,
    /// Bytes.
    Size,
    /// Bytes of a call, of 32 bits.
    Block,
    /// All that stands there.
    Text,
    /// A path.
    Location,
    /// A part of 1, in thousandths.
    Part,
    /// How often an operation is done.
    Weight(Op),
    /// A size and its weight.
    SizeWeight,
    /// Two times in milliseconds.
    Range,
    /// A system call's name.
    Call,
}

impl Form {
    /// Whether its value stands behind the name without `=`.
    pub(super) fn stands_bare(self) -> bool {
        matches!(self, Form::SizeWeight | Form::Range)
    }

    /// A value that would do, for messages.
    pub(super) fn example(self) -> &'static str {
        match self {
            Form::Count | Form::Weight(_) => "10",
            Form::Flag => "1",
            Form::Size | Form::Block => "4k",
            Form::Text => "COMMAND",
            Form::Location => "/mnt/test",
            Form::Part => "0.25",
            Form::SizeWeight => "4k 10",
            Form::Range => "0.5 1.0",
            Form::Call => "close",
        }
    }
}

/// All but the weights of operations.
const OPTIONS: [(&str, Kind, Form); 38] = [
    ("num_filesystems", Kind::Global, Form::Count),
    ("num_threadgroups", Kind::Global, Form::Count),
    ("verbose", Kind::Global, Form::Flag),
    ("time", Kind::Global, Form::Count),
    ("directio", Kind::Global, Form::Flag),
    ("bufferio", Kind::Global, Form::Flag),
    ("alignio", Kind::Global, Form::Flag),
    ("callout", Kind::Global, Form::Text),
    ("location", Kind::Filesystem, Form::Location),
    ("num_files", Kind::Filesystem, Form::Count),
    ("num_dirs", Kind::Filesystem, Form::Count),
    ("reuse", Kind::Filesystem, Form::Flag),
    ("min_filesize", Kind::Filesystem, Form::Size),
    ("max_filesize", Kind::Filesystem, Form::Size),
    ("size_weight", Kind::Filesystem, Form::SizeWeight),
    ("create_blocksize", Kind::Filesystem, Form::Block),
    ("age_blocksize", Kind::Filesystem, Form::Block),
    ("init_size", Kind::Filesystem, Form::Size),
    ("init_util", Kind::Filesystem, Form::Part),
    ("agefs", Kind::Filesystem, Form::Flag),
    ("desired_util", Kind::Filesystem, Form::Part),
    ("clone", Kind::Filesystem, Form::Location),
    ("num_threads", Kind::Threadgroup, Form::Count),
    ("bindfs", Kind::Threadgroup, Form::Location),
    ("op_delay", Kind::Threadgroup, Form::Count),
    ("read_random", Kind::Threadgroup, Form::Flag),
    ("read_skip", Kind::Threadgroup, Form::Flag),
    ("read_size", Kind::Threadgroup, Form::Size),
    ("read_blocksize", Kind::Threadgroup, Form::Block),
    ("read_skipsize", Kind::Threadgroup, Form::Block),
    ("write_random", Kind::Threadgroup, Form::Flag),
    ("write_size", Kind::Threadgroup, Form::Size),
    ("write_blocksize", Kind::Threadgroup, Form::Block),
    ("fsync_file", Kind::Threadgroup, Form::Flag),
    ("enable_stats", Kind::Stats, Form::Flag),
    ("enable_range", Kind::Stats, Form::Flag),
    ("ignore", Kind::Stats, Form::Call),
    ("msec_range", Kind::Stats, Form::Range),
];

/// Where an option of that name stands, and what it takes.
pub(super) fn option(name: &str) -> Option<(Kind, Form)> {
    let weighed = Op::ALL.into_iter().find(|op| weight(*op) == name);
    let plain = || OPTIONS.iter().find(|(known, ..)| *known == name);
    weighed
        .map(|op| (Kind::Threadgroup, Form::Weight(op)))
        .or_else(|| plain().map(|(_, kind, form)| (*kind, *form)))
}

/// The name of the option that weighs an operation.
pub(super) fn weight(op: Op) -> String {
    format!("{}_weight", op.name())
}

/// The names of all options that stand in a kind of section.
pub(super) fn names(kind: Kind) -> Vec<String> {
    let plain = OPTIONS.iter().filter(|(_, home, _)| *home == kind);
    let weights = Op::ALL.into_iter().filter(|_| kind == Kind::Threadgroup);
    plain.map(|(name, ..)| (*name).to_owned()).chain(weights.map(weight)).collect()
}
