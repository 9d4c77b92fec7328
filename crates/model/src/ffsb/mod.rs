//! FFSB profiles (Flexible Filesystem Benchmark): what a profile says, and what a run of it did.
//!
//! [`parse()`] reads profiles in the old numbered and the new style. What the engine does with them is
//! the agent's. Facts about the original: its parser, operations and statistics as of its last
//! release, whose code decides where its README says otherwise.

mod outcome;
mod parse;

use serde::{Deserialize, Serialize};

pub use self::outcome::{CallTimes, OpCount, Outcome};
pub use self::parse::{ProfileError, looks_like_one, parse};

/// A profile, with nothing left to inherit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Profile {
    /// How long operations are done, seconds; 0 only builds the filesets.
    pub time: u64,
    /// Files are opened with `O_DIRECT`; blocks are then aligned to 4 KiB.
    pub directio: bool,
    /// `bufferio`: stdio in the original; taken and done with plain calls, as a note says.
    pub bufferio: bool,
    /// Random offsets are multiples of 4096, as they are with `directio`.
    pub alignio: bool,
    /// A command that is run and waited for before the clock starts.
    pub callout: Option<String>,
    /// The filesystems, in the profile's order, `clone`s resolved; at least one.
    pub filesystems: Vec<Fileset>,
    /// The thread groups; empty only where `time` is 0.
    pub threadgroups: Vec<ThreadGroup>,
    /// What of the system calls' times is kept.
    pub stats: Stats,
}

/// The files of one filesystem.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fileset {
    /// Where the profile has it, as written.
    pub location: String,
    /// Files that are built before the run.
    pub num_files: u64,
    /// Directories in `data` over which files are spread, beside `data` itself; 0 where the profile
    /// leaves it out.
    pub num_dirs: u64,
    /// A fileset that is there is used again; only files that the profile asks for are looked for.
    pub reuse: bool,
    /// Bytes of the smallest file.
    pub min_filesize: u64,
    /// Bytes of the largest file.
    pub max_filesize: u64,
    /// Sizes with their weights; where there are any, they alone decide.
    pub size_weights: Vec<SizeWeight>,
    /// Bytes of a write while the fileset is built.
    pub create_blocksize: u64,
    /// Bytes that the fileset is built up to; `None` where files are counted instead.
    pub init_size: Option<u64>,
    /// The filesystem's fullness that it is built up to, in thousandths.
    pub init_util: Option<u32>,
}

/// A file size and how often it is taken, against the others'.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SizeWeight {
    /// Bytes.
    pub size: u64,
    /// Its weight, at least 1.
    pub weight: u64,
}

/// Threads that do the same.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThreadGroup {
    /// Threads, at least 1.
    pub num_threads: u32,
    /// The index of the filesystem to which they are bound; `None`: each operation picks one.
    pub bindfs: Option<usize>,
    /// Milliseconds that a thread waits after each operation.
    pub op_delay: u64,
    /// Reads begin at random offsets.
    pub read_random: bool,
    /// Reads skip `read_skipsize` bytes after each block.
    pub read_skip: bool,
    /// Bytes that a `read` operation reads.
    pub read_size: u64,
    /// Bytes of a read call.
    pub read_blocksize: u64,
    /// Bytes skipped after each block, with `read_skip`.
    pub read_skipsize: u64,
    /// Writes begin at random offsets.
    pub write_random: bool,
    /// Bytes that a `write` or `append` operation writes.
    pub write_size: u64,
    /// Bytes of a write call.
    pub write_blocksize: u64,
    /// The old style's `fsync_file`: writing operations end in fsync(2).
    pub fsync_file: bool,
    /// The operations with their weights, in [`Op::ALL`]'s order; none is 0.
    pub weights: Vec<OpWeight>,
}

/// An operation's weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpWeight {
    /// The operation.
    pub op: Op,
    /// Its weight, at least 1.
    pub weight: u64,
}

/// What is kept of the system calls' times.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stats {
    /// Times are kept at all.
    pub enabled: bool,
    /// Calls are counted by ranges, too.
    pub ranges_enabled: bool,
    /// Calls that are left out.
    pub ignore: Vec<Call>,
    /// Ranges in microseconds (the profile has milliseconds, with decimals).
    pub ranges: Vec<(u64, u64)>,
}

/// What a thread does at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Op {
    /// Reads `read_size` bytes of a file.
    Read,
    /// Reads a whole file.
    Readall,
    /// Overwrites `write_size` bytes of a file.
    Write,
    /// Makes a file and writes it whole.
    Create,
    /// Appends `write_size` bytes.
    Append,
    /// Removes a file.
    Delete,
    /// Makes directories, renames one, removes one. Not supported: the parser refuses it.
    Metaop,
    /// Makes a directory.
    Createdir,
    /// Calls stat(2) on a file.
    Stat,
    /// Overwrites a whole file.
    Writeall,
    /// The same, and fsync(2).
    WriteallFsync,
    /// Opens and closes a file.
    OpenClose,
    /// `write` and fsync(2).
    WriteFsync,
    /// `create` and fsync(2).
    CreateFsync,
    /// `append` and fsync(2).
    AppendFsync,
}

/// A system call whose times are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Call {
    /// open(2) of a file that is there.
    Open,
    /// read(2).
    Read,
    /// write(2).
    Write,
    /// open(2) that makes the file.
    Create,
    /// lseek(2), or the offset of a pread(2).
    Lseek,
    /// unlink(2).
    Unlink,
    /// close(2).
    Close,
    /// stat(2).
    Stat,
    /// fsync(2), which the original does not tell of.
    Fsync,
}

impl Op {
    /// All of them, in the original's order.
    pub const ALL: [Op; 15] = [
        Op::Read,
        Op::Readall,
        Op::Write,
        Op::Create,
        Op::Append,
        Op::Delete,
        Op::Metaop,
        Op::Createdir,
        Op::Stat,
        Op::Writeall,
        Op::WriteallFsync,
        Op::OpenClose,
        Op::WriteFsync,
        Op::CreateFsync,
        Op::AppendFsync,
    ];

    /// Its name in profiles (before `_weight`) and results.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Op::Read => "read",
            Op::Readall => "readall",
            Op::Write => "write",
            Op::Create => "create",
            Op::Append => "append",
            Op::Delete => "delete",
            Op::Metaop => "metaop",
            Op::Createdir => "createdir",
            Op::Stat => "stat",
            Op::Writeall => "writeall",
            Op::WriteallFsync => "writeall_fsync",
            Op::OpenClose => "open_close",
            Op::WriteFsync => "write_fsync",
            Op::CreateFsync => "create_fsync",
            Op::AppendFsync => "append_fsync",
        }
    }
}

impl Op {
    /// Whether it makes files or makes them larger.
    #[must_use]
    pub fn grows(self) -> bool {
        matches!(self, Op::Create | Op::CreateFsync | Op::Append | Op::AppendFsync)
    }
}

impl Call {
    /// All of them, in the order in which they are told.
    pub const ALL: [Call; 9] = [
        Call::Open,
        Call::Read,
        Call::Write,
        Call::Create,
        Call::Lseek,
        Call::Unlink,
        Call::Close,
        Call::Stat,
        Call::Fsync,
    ];

    /// Its name in results.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Call::Open => "open",
            Call::Read => "read",
            Call::Write => "write",
            Call::Create => "create",
            Call::Lseek => "lseek",
            Call::Unlink => "unlink",
            Call::Close => "close",
            Call::Stat => "stat",
            Call::Fsync => "fsync",
        }
    }
}
