//! `cargo run -p xtask -- WHAT`: man pages, completions, and the published schema.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};
use clap_complete::Shell;
use slowpath::Arguments;

/// What is made from the program's own definitions.
#[derive(Debug, Parser)]
struct Task {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Man pages, one a command.
    Man {
        /// The folder to write to.
        folder: PathBuf,
    },
    /// Completions for bash, zsh and fish.
    Completions {
        /// The folder to write to.
        folder: PathBuf,
    },
    /// The JSON schema of case files: docs/case.schema.json.
    Schema,
}

fn main() -> ExitCode {
    let done = match Task::parse().what {
        What::Man { folder } => man(&folder),
        What::Completions { folder } => completions(&folder),
        What::Schema => schema(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "xtask: {error}");
            ExitCode::FAILURE
        }
    }
}

fn man(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    clap_mangen::generate_to(Arguments::command(), folder)
}

fn completions(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
        clap_complete::generate_to(shell, &mut Arguments::command(), "slowpath", folder)?;
    }
    Ok(())
}

fn schema() -> io::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
    fs::create_dir_all(&root)?;
    let mut text = serde_json::to_string_pretty(&model::case_file::schema())?;
    text.push('\n');
    fs::write(root.join("case.schema.json"), text)
}
