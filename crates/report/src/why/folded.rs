//! Folded stacks, as flame-graph programs read them.

use std::io::{self, Write};

use model::account::{Accounts, WorkloadTime};

/// Which of the workload's time is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stacks {
    /// On a CPU.
    Running,
    /// Waiting.
    Blocked,
}

/// Stands for a call path that was not taken.
const NO_PATH: &str = "[call path not available]";

/// Writes a line for each call path, `PHASE;OUTERMOST;…;INNERMOST NS`, as `flamegraph.pl` and
/// `inferno-flamegraph` read them; their option `--countname ns` names the unit. Phases whose workload was not
/// seen have no lines.
///
/// Both programs part frames at `;` and know no escape, and take what follows the last space for the value; a
/// number before it they take for a second value, so that `write 2 500` would not be the phase `write 2`. So
/// white space within a name becomes `_` (`ext4_sync_fs_[ext4]`), and `;` becomes `:`.
///
/// # Errors
/// The writer's.
pub fn folded(out: &mut dyn Write, accounts: &Accounts, which: Stacks) -> io::Result<()> {
    for account in &accounts.phases {
        let Some(time) = &account.workload else { continue };
        let phase = name(&account.label());
        for (frames, ns) in paths(time, which).into_iter().filter(|(_, ns)| *ns > 0) {
            writeln!(out, "{phase};{} {ns}", path(frames))?;
        }
    }
    Ok(())
}

fn paths(time: &WorkloadTime, which: Stacks) -> Vec<(&[String], u64)> {
    match which {
        Stacks::Running => time.running.iter().map(|ran| (ran.frames.as_slice(), ran.ns)).collect(),
        Stacks::Blocked => {
            time.blocked.iter().map(|wait| (wait.frames.as_slice(), wait.ns)).collect()
        }
    }
}

fn path(frames: &[String]) -> String {
    if frames.is_empty() {
        return name(NO_PATH);
    }
    frames.iter().rev().map(|frame| name(frame)).collect::<Vec<_>>().join(";")
}

fn name(text: &str) -> String {
    let letter = |c: char| match c {
        ';' => ':',
        c if c.is_whitespace() || c.is_control() => '_',
        c => c,
    };
    text.chars().map(letter).collect()
}
