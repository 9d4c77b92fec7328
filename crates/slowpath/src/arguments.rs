//! Arguments as text; `commands` resolves them against the system.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use model::Limits;
use model::units::{Bytes, Nanos};

use crate::share::Share;

/// slowpath finds which change made writing slow, proves it, and says why.
#[derive(Debug, Parser)]
#[command(name = "slowpath", version, max_term_width = 100, after_help = EXIT_CODES)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// Keep trials in this folder [default: slowpath in the XDG state folder].
    #[arg(long, global = true, value_name = "DIR", help_heading = "Where things are")]
    pub store: Option<PathBuf>,
    /// Keep booted machines and unpacked kernels in this folder [default: slowpath in the XDG
    /// cache folder].
    #[arg(long, global = true, value_name = "DIR", help_heading = "Where things are")]
    pub cache: Option<PathBuf>,
    /// How large booted machines and images there may become; fetched kernels come on top.
    #[arg(
        long,
        global = true,
        value_name = "SIZE",
        default_value = "8G",
        help_heading = "Where things are"
    )]
    pub cache_limit: Bytes,
    /// The QEMU to use [default: qemu-system-x86_64 in PATH].
    #[arg(
        long,
        global = true,
        value_name = "PATH",
        env = "SLOWPATH_QEMU",
        help_heading = "Where things are"
    )]
    pub qemu: Option<PathBuf>,
    /// Do without a part of the emulator, to see that its fallback works.
    #[arg(long, global = true, value_delimiter = ',', hide = true)]
    pub without: Vec<Part>,
}

const EXIT_CODES: &str = "Exit codes: 0 done (compare: same or better), 1 worse, or a recipe's \
    numbers came out otherwise, 2 wrong input, 3 cannot tell, 4 something needed is missing \
    (slowpath doctor says what) or cannot be written, 5 a broken \
    trial, 130 interrupted.";

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run a case and report each of its phases.
    Run(Run),
    /// Compare variants of a case pair by pair: which is slower, by how much, how sure that is.
    Compare(Compare),
    /// Find the change between a good and a bad end that made a case slow, and prove it.
    Bisect(Bisect),
    /// Show a trial, a comparison or a bisection.
    Show(Show),
    /// Look at a trial that was kept, in further passes: where it waited, what memory and disks did.
    Observe(Observe),
    /// List the trials that were run.
    Trials(Trials),
    /// List the comparisons that were made.
    Comparisons,
    /// List the bisections that were made.
    Bisections,
    /// List the built-in cases, or show one.
    Cases(Cases),
    /// List the kernels that are here and those that can be had.
    Kernels(Kernels),
    /// List the settings of a trial with their defaults.
    Settings,
    /// Print what a report about slow writing should say of this machine: kernel, memory, disks,
    /// filesystems, programs.
    Snapshot(Snapshot),
    /// Say what is missing here, and the command that installs it.
    Doctor,
}

/// Arguments of `run`.
#[derive(Debug, Args)]
pub struct Run {
    /// A built-in case (see `slowpath cases`), a case file (TOML), an ffsb profile, or a recipe of
    /// `show --recipe`; or none, and a command behind `--`.
    #[arg(required_unless_present = "command")]
    pub case: Option<String>,
    /// What a case may do and bring.
    #[command(flatten)]
    pub commands: Commands,
    /// Change a setting (see `slowpath settings`), for example --set fs=xfs.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// The seeds to run under, each a harmless perturbation; 0 perturbs nothing.
    #[arg(long = "seed", value_name = "N", value_delimiter = ',', default_value = "0")]
    pub seeds: Vec<u64>,
    /// Run each seed this often; in the exact place every run gives the same numbers.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub repeat: u32,
    /// What kernels are built from.
    #[command(flatten)]
    pub sources: Sources,
    /// What running takes.
    #[command(flatten)]
    pub running: Running,
    /// Count instructions by function; the times stay the same.
    #[arg(long)]
    pub profile: bool,
    /// Look at each trial in further passes: where it waited, what memory and disks did meanwhile.
    #[arg(long)]
    pub observe: bool,
    /// Of an ffsb profile print the closing block of the original instead of the tables.
    #[arg(long, conflicts_with = "json")]
    pub ffsb: bool,
}

/// What kernels are built from.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Kernels that are built")]
pub struct Sources {
    /// The git repository of which kernel=REVISION is a revision; nothing is written there.
    #[arg(long, value_name = "DIR")]
    pub repo: Option<PathBuf>,
    /// Options on top of the small default configuration, or a whole .config in its place.
    #[arg(long, value_name = "FILE")]
    pub config: Vec<PathBuf>,
}

/// The commands of a case.
#[derive(Debug, Args)]
pub struct Commands {
    /// A program and its arguments: it is run in the first disk's folder, and sync(2) after it.
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<String>,
    /// A file or folder that the guest's commands need besides their programs and libraries.
    #[arg(long, value_name = "PATH")]
    pub include: Vec<PathBuf>,
    /// Let a case file, a recipe, or an ffsb profile's `callout` run its commands.
    #[arg(long, visible_alias = "allow-callout")]
    pub allow_command: bool,
}

/// Arguments of every command that runs trials.
#[derive(Debug, Args)]
pub struct Running {
    /// Where to run: exact, or dir:PATH for a fresh folder in a directory of this machine.
    #[arg(long = "on", value_name = "PLACE", default_value = "exact")]
    pub place: String,
    /// Trials at once [default: the number of cores; in a directory always 1].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,
    /// Guest time that a trial may take before it is broken.
    #[arg(long, value_name = "TIME", default_value = "1h")]
    pub guest_limit: Nanos,
    /// Time of this machine that a boot, and again a trial, may take before it is broken.
    #[arg(long, value_name = "TIME", default_value = "10m")]
    pub wall_limit: Nanos,
    /// Write JSON to a file, or to standard output instead of the tables (-).
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
}

impl Running {
    /// Of a command that runs a single trial as it was run before.
    #[must_use]
    pub fn for_one(json: Option<PathBuf>) -> Running {
        let Limits { guest, wall } = Limits::default();
        let place = model::place::EXACT.to_owned();
        Running { place, jobs: None, guest_limit: guest, wall_limit: wall, json }
    }

    /// What a trial may take.
    #[must_use]
    pub fn limits(&self) -> Limits {
        Limits { guest: self.guest_limit, wall: self.wall_limit }
    }
}

/// How sides are judged.
#[derive(Debug, Args)]
pub struct Judging {
    /// Judge by this phase instead of the case's headline, or by the whole round: round.
    #[arg(long, value_name = "PHASE")]
    pub headline: Option<String>,
    /// The least change that matters.
    #[arg(long, value_name = "PERCENT", default_value = "2%")]
    pub threshold: Share,
    /// How sure a verdict must be, over all variants.
    #[arg(long, value_name = "PERCENT", default_value = "95%")]
    pub confidence: Share,
    /// When to look for the reason, in further passes of three trials a side: auto where times differ.
    #[arg(long, value_name = "WHEN", value_enum, default_value_t)]
    pub why: Why,
}

/// When to look for the reason of a difference.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Why {
    /// Not at all.
    Never,
    /// Where the verdict on a phase is worse or better.
    #[default]
    Auto,
    /// Whatever the verdicts are.
    Always,
}

/// Arguments of `compare`.
#[derive(Debug, Args)]
#[command(after_help = COMPARE_EXAMPLES)]
pub struct Compare {
    /// A case (see `slowpath cases`), a case file or an ffsb profile; or two stored sets: IDs of runs
    /// or comparisons, of the K-th variant in one as ID:K; or none, and a command behind `--`.
    #[arg(value_name = "CASE | SET SET", num_args = 1..=2, required_unless_present = "command")]
    pub what: Vec<String>,
    /// What a case may do and bring.
    #[command(flatten)]
    pub commands: Commands,
    /// The setting that sets the variants apart, and its values; the first is the baseline. `on`
    /// varies the place. Given twice, every combination is a variant. A comma in a value is `\,`.
    #[arg(long, value_name = "KEY=VALUE,VALUE...")]
    pub vary: Vec<String>,
    /// Change a setting for all variants, for example --set rounds=2.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Make exactly this many pairs [default: as many as the verdict needs; twins: 6].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub seeds: Option<u32>,
    /// Give up after this many pairs.
    #[arg(long, value_name = "N", default_value_t = 48, conflicts_with = "seeds",
          value_parser = clap::value_parser!(u32).range(6..=1000))]
    pub most: u32,
    /// How it is judged.
    #[command(flatten)]
    pub judging: Judging,
    /// Time that the comparison may take; the best verdict within it is given.
    #[arg(long, value_name = "TIME")]
    pub budget: Option<Nanos>,
    /// Measure how often neutral twins, which differ in nothing that matters, are called worse or
    /// better: this many twins. With --vary kernel=A,B,... those kernels are twins, too.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=1000))]
    pub twins: Option<u32>,
    /// With --twins: also write the table as Markdown to a file.
    #[arg(long, value_name = "FILE", requires = "twins")]
    pub markdown: Option<PathBuf>,
    /// Exit as `git bisect run` expects: 0, 1, 125 for cannot tell and broken, else 129.
    #[arg(long, conflicts_with = "twins")]
    pub for_git_bisect: bool,
    /// What kernels are built from.
    #[command(flatten)]
    pub sources: Sources,
    /// What running takes.
    #[command(flatten)]
    pub running: Running,
}

const COMPARE_EXAMPLES: &str = "Examples:
  slowpath compare dd-sync --vary fs=reiserfs,ext4 --set kernel=debian:6.1
  slowpath compare dd-sync --vary kernel=debian:6.1,debian:6.12
  slowpath compare dd-sync --vary on=dir:/mnt/a,dir:/mnt/b --budget 10m
  slowpath compare dd-sync --twins 20 --set kernel=debian:6.1
  slowpath compare --vary fs=ext4,xfs -- sh -c 'for i in 1 2 3; do cp /bin/sh $i; done'
  slowpath compare 20260131-142501-3c34c0 20260201-090000-11aa22

Exit codes: 0 same or better, 1 worse, 3 cannot tell, 5 not comparable; see slowpath --help.";

/// Arguments of `bisect`.
#[derive(Debug, Args)]
#[command(after_help = BISECT_EXAMPLES)]
pub struct Bisect {
    /// A case (see `slowpath cases`), a case file or an ffsb profile; or none, and a command behind `--`.
    #[arg(required_unless_present = "command")]
    pub case: Option<String>,
    /// What a case may do and bring.
    #[command(flatten)]
    pub commands: Commands,
    /// The revision before the slowdown.
    #[arg(long, value_name = "REVISION", requires = "repo", requires = "bad")]
    pub good: Option<String>,
    /// The revision with the slowdown.
    #[arg(long, value_name = "REVISION", requires = "repo", requires = "good")]
    pub bad: Option<String>,
    /// Only commits that touch this file or folder of the repository.
    #[arg(long = "path", value_name = "PATH", requires = "good")]
    pub paths: Vec<String>,
    /// The values of a setting in order, the first good and the last bad: KEY=VALUE,VALUE,...; of Debian's
    /// kernels all from one version to another: kernel=debian:A..B.
    #[arg(long, value_name = "KEY=VALUES", conflicts_with_all = ["good", "list"])]
    pub vary: Option<String>,
    /// A file with a change in each line, in order: settings as KEY=VALUE, each on top of all lines before it. The
    /// good end is the case without any of them, the bad end with all.
    #[arg(long, value_name = "FILE", conflicts_with = "good")]
    pub list: Option<PathBuf>,
    /// Also measure the bad end with this patch: a fix that is proposed.
    #[arg(long = "try", value_name = "PATCH")]
    pub fixes: Vec<PathBuf>,
    /// Change a setting for all, for example --set rounds=2.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Run each candidate under at least this many seeds; more while it cannot be told.
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(2..=1000))]
    pub seeds: u32,
    /// Give up on two sides after this many pairs.
    #[arg(long, value_name = "N", default_value_t = 24, value_parser = clap::value_parser!(u32).range(6..=1000))]
    pub most: u32,
    /// How it is judged.
    #[command(flatten)]
    pub judging: Judging,
    /// Time that it may take; what is found by then is told, and the same command goes on.
    #[arg(long, value_name = "TIME")]
    pub budget: Option<Nanos>,
    /// Only say what would be done: candidates, builds, trials, minutes.
    #[arg(long)]
    pub dry_run: bool,
    /// What kernels are built from.
    #[command(flatten)]
    pub sources: Sources,
    /// What running takes.
    #[command(flatten)]
    pub running: Running,
}

const BISECT_EXAMPLES: &str = "Examples:
  slowpath bisect ffsb-create-4k --repo ~/linux --good v6.11 --bad v6.12
  slowpath bisect mke2fs-aged --repo ~/linux --good v6.11 --bad HEAD --path mm --try fix.patch
  slowpath bisect dd-sync --vary kernel=debian:6.1..6.12
  slowpath bisect dd-sync --vary sysctl.vm.dirty_ratio=5,10,20,40 --set kernel=debian:6.12
  slowpath bisect dd-sync --list series.txt --repo ~/linux --set kernel=v6.12

Exit codes: 0 a culprit is named, 3 none is: the ends do not differ, or only a range is left; 5 an end is
broken; see slowpath --help.";

/// Arguments of `kernels`.
#[derive(Debug, Args)]
pub struct Kernels {
    /// Only what is here: ask no package index.
    #[arg(long)]
    pub local: bool,
}

/// Arguments of `show`.
#[derive(Debug, Args)]
pub struct Show {
    /// The ID of a trial, comparison, bisection or set, or the beginning of it; `last` is the newest trial.
    #[arg(default_value = "last")]
    pub id: String,
    /// Everything as JSON.
    #[arg(long, conflicts_with_all = ["recipe", "mail", "bisect_log"])]
    pub json: bool,
    /// A file from which `run` elsewhere gives the same numbers, or names what differs; of a bisection
    /// that of its culprit.
    #[arg(long, conflicts_with_all = ["mail", "bisect_log"])]
    pub recipe: bool,
    /// Why it took so long: where each phase's time went, who waited for whom, what was at work; of a comparison
    /// or a bisection, what makes the difference.
    #[arg(long, conflicts_with_all = ["recipe", "mail", "bisect_log", "ffsb"])]
    pub why: bool,
    /// Call paths and what they took in ns, a line each, for flame graphs: where a trial's workload ran, or where it
    /// waited.
    #[arg(long, value_name = "WHICH", value_enum, conflicts_with_all = ["json", "recipe", "mail", "bisect_log", "ffsb", "why"])]
    pub folded: Option<Folded>,
    /// Of a bisection: the mail that reports it.
    #[arg(long, conflicts_with = "bisect_log")]
    pub mail: bool,
    /// Of a bisection of commits: a log that `git bisect replay` takes.
    #[arg(long)]
    pub bisect_log: bool,
    /// Of a trial of an ffsb profile: the closing block of the original.
    #[arg(long, conflicts_with_all = ["json", "recipe", "mail", "bisect_log"])]
    pub ffsb: bool,
}

/// Which call paths are folded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Folded {
    /// Where it was on a CPU.
    Running,
    /// Where it waited.
    Blocked,
}

/// Arguments of `snapshot`.
#[derive(Debug, Args)]
pub struct Snapshot {
    /// A directory whose filesystem and disks are of interest.
    pub path: Option<PathBuf>,
    /// Put placeholders for what names people and machines.
    #[arg(long, alias = "anonymize")]
    pub anonymise: bool,
}

/// Arguments of `observe`.
#[derive(Debug, Args)]
pub struct Observe {
    /// The ID of a trial, or the beginning of it; `last` is the newest.
    #[arg(default_value = "last")]
    pub id: String,
    /// How often to look from inside [default: as the trial's setting sample.every].
    #[arg(long, value_name = "TIME")]
    pub every: Option<Nanos>,
    /// From what length on a stretch without a completed call is a stall [default: as the trial's
    /// setting stall.limit].
    #[arg(long, value_name = "TIME")]
    pub stall_limit: Option<Nanos>,
    /// Write JSON to a file, or to standard output instead of the tables (-).
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
}

/// Arguments of `trials`.
#[derive(Debug, Args)]
pub struct Trials {
    /// As JSON.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `cases`.
#[derive(Debug, Args)]
pub struct Cases {
    /// Show this case's file.
    pub name: Option<String>,
    /// Print the JSON schema of case files.
    #[arg(long, conflicts_with = "name")]
    pub schema: bool,
}

/// A part of the emulator that has a fallback.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Part {
    /// The plugin.
    Plugin,
    /// The cure of the `hlt` leak.
    HltCure,
    /// Saved machines.
    Stop,
    /// Reading guest memory.
    GuestMemory,
}
