//! Arguments as text; `commands` resolves them against the system.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use model::units::{Bytes, Nanos};

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
    /// How large that folder may become.
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

const EXIT_CODES: &str = "Exit codes: 0 done, 1 a recipe's numbers came out otherwise, 2 wrong \
    input, 3 cannot tell, 4 something needed is missing \
    (slowpath doctor says what) or cannot be written, 5 a broken \
    trial, 130 interrupted.";

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run a case and report each of its phases.
    Run(Run),
    /// Show a trial that was run.
    Show(Show),
    /// List the trials that were run.
    Trials(Trials),
    /// List the built-in cases, or show one.
    Cases(Cases),
    /// List the kernels that are installed here.
    Kernels,
    /// List the settings of a trial with their defaults.
    Settings,
    /// Say what is missing here, and the command that installs it.
    Doctor,
}

/// Arguments of `run`.
#[derive(Debug, Args)]
pub struct Run {
    /// A built-in case (see `slowpath cases`), a case file (TOML), or a recipe of `show --recipe`.
    pub case: String,
    /// Change a setting (see `slowpath settings`), for example --set fs=xfs.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// The seeds to run under, each a harmless perturbation; 0 perturbs nothing.
    #[arg(long = "seed", value_name = "N", value_delimiter = ',', default_value = "0")]
    pub seeds: Vec<u64>,
    /// Run each seed this often; in the exact place every run gives the same numbers.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub repeat: u32,
    /// Where to run.
    #[arg(long = "on", value_name = "PLACE", default_value = "exact")]
    pub place: String,
    /// Trials at once [default: the number of cores].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,
    /// Count instructions by function; the times stay the same.
    #[arg(long)]
    pub profile: bool,
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

/// Arguments of `show`.
#[derive(Debug, Args)]
pub struct Show {
    /// The trial's id or the beginning of it [default: the newest].
    #[arg(default_value = "last")]
    pub id: String,
    /// Everything as JSON.
    #[arg(long, conflicts_with = "recipe")]
    pub json: bool,
    /// A file from which `run` elsewhere gives the same numbers, or names what differs.
    #[arg(long)]
    pub recipe: bool,
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
