//! Does what an FFSB profile says: builds its filesets, and lets its threads work on them.
//!
//! The operations and what is counted of them follow the original's last release, whose code
//! decides. All random choices come from a seed: with one thread they are the same in every run,
//! with several they depend on who comes first to a shared list of files.
//!
//! Nothing is written but `data` and `meta` below the folders that are handed in.

mod build;
mod call_times;
mod calls;
mod catalogue;
mod folders;
mod names;
mod ops;
mod random;
mod run;
mod sizes;
mod tally;
#[cfg(test)]
mod tests;
mod transfer;
mod trouble;
mod worker;

use std::path::{Path, PathBuf};
use std::thread;

use model::ffsb::{Op, Outcome, Profile, ThreadGroup};

use self::build::Set;
use self::names::Name;
use self::random::Random;
use self::run::Run;
use self::worker::Hands;
use crate::failure::{Failure, While as _};
use crate::gaps::Gaps;
use crate::pages::Pages;

/// The random streams of threads begin here, those of filesets at 0.
const THREAD_STREAMS: u64 = 1 << 32;

/// A profile's filesets as they are on disk, and its threads' memory.
///
/// No file is held open between runs, so that the filesystems can be unmounted.
#[derive(Debug)]
pub(crate) struct Filesets {
    profile: Profile,
    sets: Vec<Set>,
    hands: Vec<Hands>,
}

impl Filesets {
    /// The original's first phase: builds the filesets, a thread each, in one folder for each of
    /// the profile's filesystems, in its order.
    ///
    /// What a former fileset left in `data` and `meta` is removed, or with `reuse` kept as far as
    /// it fits. What no fileset has is left alone, and then nothing is built.
    ///
    /// # Errors
    /// [`Failure::setup`]: the profile cannot be done, or a fileset cannot be built.
    pub(crate) fn build(profile: &Profile, roots: &[PathBuf], seed: u64) -> Result<Self, Failure> {
        check(profile, roots)?;
        let sets = thread::scope(|scope| {
            let jobs = profile.filesystems.iter().zip(roots).zip(0..);
            let threads: Vec<_> = jobs
                .map(|((fileset, root), stream)| {
                    scope.spawn(move || build::build(fileset, root, Random::new(seed, stream)))
                })
                .collect();
            let crashed = |_| Err(Failure::setup("a thread that builds a fileset panicked"));
            let ended = threads.into_iter().map(|thread| thread.join().unwrap_or_else(crashed));
            ended.collect::<Vec<_>>().into_iter().collect::<Result<Vec<Set>, Failure>>()
        })?;
        Ok(Filesets { sets, hands: hands(profile, seed)?, profile: profile.clone() })
    }

    /// Lets the threads work for so many nanoseconds, and tells `gaps` of every completed call. The
    /// profile is the one that was built. After a failure the filesets are of no use for another
    /// run.
    ///
    /// # Errors
    /// [`Failure::workload`]: the first call that fails ends the run; operation, path and error are
    /// told.
    pub(crate) fn run(
        &mut self,
        profile: &Profile,
        time_ns: u64,
        gaps: &Gaps,
    ) -> Result<Outcome, Failure> {
        self.run_until(profile, time_ns, u64::MAX, gaps)
    }

    /// As [`Filesets::run`], but each thread ends after so many operations at the latest.
    fn run_until(
        &mut self,
        profile: &Profile,
        time_ns: u64,
        operations: u64,
        gaps: &Gaps,
    ) -> Result<Outcome, Failure> {
        if *profile != self.profile {
            return Err(Failure::setup("the filesets were built for another ffsb profile"));
        }
        let tally =
            Run::new(profile, &self.sets, gaps).with(&mut self.hands, time_ns, operations)?;
        let groups = &profile.threadgroups;
        let weighs = |group: &ThreadGroup, op| group.weights.iter().any(|weight| weight.op == op);
        Ok(tally.into_outcome(|op| groups.iter().any(|group| weighs(group, op))))
    }
}

/// Refuses what would end in a wrong run. The parser lets none of this through.
fn check(profile: &Profile, roots: &[PathBuf]) -> Result<(), Failure> {
    let refuse = |wrong: bool, reason: &str| match wrong {
        true => Err(Failure::setup(format!("this ffsb profile cannot be run: {reason}"))),
        false => Ok(()),
    };
    let (filesystems, groups) = (&profile.filesystems, &profile.threadgroups);
    refuse(filesystems.is_empty(), "it has no filesystem")?;
    refuse(filesystems.len() != roots.len(), "it needs a folder for each filesystem")?;
    refuse(!roots.iter().all(|root| is_whole(root)), "a folder's name has a NUL")?;
    refuse(filesystems.iter().any(|set| set.create_blocksize == 0), "create_blocksize is 0")?;
    refuse(groups.iter().any(lacks_block), "read_blocksize or write_blocksize is 0")?;
    let unbound = |group: &ThreadGroup| group.bindfs.is_some_and(|set| set >= filesystems.len());
    refuse(groups.iter().any(unbound), "bindfs names no filesystem")?;
    let idle = |group: &ThreadGroup| group.weights.is_empty();
    refuse(groups.iter().any(idle), "a threadgroup has no operations")?;
    let meta = |group: &ThreadGroup| group.weights.iter().any(|weight| weight.op == Op::Metaop);
    refuse(groups.iter().any(meta), "metaop is not supported")
}

/// Whether a group reads or writes without a block's size.
fn lacks_block(group: &ThreadGroup) -> bool {
    group.weights.iter().any(|weight| match weight.op {
        Op::Read | Op::Readall => group.read_blocksize == 0,
        op => writes(op) && group.write_blocksize == 0,
    })
}

fn writes(op: Op) -> bool {
    use Op::{
        Append, AppendFsync, Create, CreateFsync, Write, WriteFsync, Writeall, WriteallFsync,
    };
    let overwrites = matches!(op, Write | WriteFsync | Writeall | WriteallFsync);
    overwrites || matches!(op, Create | CreateFsync | Append | AppendFsync)
}

fn is_whole(root: &Path) -> bool {
    use std::os::unix::ffi::OsStrExt as _;
    !root.as_os_str().as_bytes().contains(&0)
}

/// All memory that threads need, so that a run asks for none.
fn hands(profile: &Profile, seed: u64) -> Result<Vec<Hands>, Failure> {
    let groups = profile.threadgroups.iter().enumerate();
    let each =
        groups.flat_map(|(index, group)| (0..group.num_threads).map(move |_| (index, group)));
    each.zip(THREAD_STREAMS..)
        .map(|((index, group), stream)| {
            let block = group.read_blocksize.max(group.write_blocksize);
            let block = usize::try_from(block).unwrap_or(usize::MAX);
            Ok(Hands {
                group: index,
                random: Random::new(seed, stream),
                buffer: Pages::new(block).in_setup("allocating a thread's block")?,
                name: Name::new(),
            })
        })
        .collect()
}
