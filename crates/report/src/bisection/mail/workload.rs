//! What was run, in words.

use model::case::ROUND;
use model::{Action, ChangeKind, Hunt, Settings, TrialSpec};

use super::letter::Letter;
use crate::bisection::again::varied;

/// Settings that say which kernel it is; the mail tells that elsewhere.
const OF_THE_KERNEL: [&str; 3] = ["kernel", "kernel.repo", "kernel.modules"];

/// Writes the phases of the case, and the settings that differ from the defaults.
pub(super) fn write(letter: &mut Letter, hunt: &Hunt, spec: Option<&TrialSpec>) {
    letter.blank();
    letter.paragraph(&format!(
        "What was run: the test case {} of slowpath {}, judged by `{}`.",
        hunt.case,
        env!("CARGO_PKG_VERSION"),
        hunt.headline
    ));
    if let Some(spec) = spec {
        phases(letter, hunt, spec);
    }
    let varied = varied(hunt);
    let told = |key: &str| !OF_THE_KERNEL.contains(&key) && !varied.contains(&key);
    let told = hunt.settings.changed().into_iter().filter(|(key, _)| told(key));
    let told: Vec<String> = told.map(|(key, value)| format!("{key}={}", public(&value))).collect();
    if !told.is_empty() {
        letter.item("  settings  ", &told.join(", "));
    }
    kernels(letter, hunt);
}

/// A file without its folders, which are nobody's business.
fn public(value: &str) -> String {
    let name = |file: &str| match file.rsplit_once('/') {
        Some((_, name)) if file.starts_with('/') => name.to_owned(),
        _ => file.to_owned(),
    };
    value.split(',').map(name).collect::<Vec<_>>().join(",")
}

/// The phases in their order; those of the rounds once.
fn phases(letter: &mut Letter, hunt: &Hunt, spec: &TrialSpec) {
    let first = spec.phases.iter().filter(|phase| phase.round.is_none_or(|round| round == 1));
    let shown: Vec<_> = first.collect();
    let widest = shown.iter().map(|phase| phase.name.chars().count()).max().unwrap_or(0).max(8);
    for phase in shown {
        let lead = format!("  {:<widest$}  ", phase.name);
        letter.item(&lead, &action(&phase.action, &hunt.settings));
    }
    if hunt.headline == ROUND {
        let parts = spec.phases.iter().filter(|phase| phase.round == Some(1));
        let parts: Vec<&str> = parts.map(|phase| phase.name.as_str()).collect();
        letter.item(&format!("  {ROUND:<widest$}  "), &format!("{} in all", parts.join(" and ")));
    }
    if hunt.settings.rounds > 1 {
        letter.paragraph(&format!("  in {} rounds", hunt.settings.rounds));
    }
}

/// What a phase does.
fn action(action: &Action, settings: &Settings) -> String {
    let each = if settings.disks == 1 { "the disk" } else { "each disk" };
    let stream = format!("{} in writes of {}", settings.size, settings.block);
    match action {
        Action::Mkfs => format!("runs {} on {each}", mkfs(settings)),
        Action::Mount => match settings.mount.as_str() {
            "" => format!("mounts {each} as {}", settings.fs),
            options => format!("mounts {each} as {} -o {options}", settings.fs),
        },
        Action::Write { .. } => format!("writes a file of {stream} to {each}"),
        Action::Sync => "calls sync(2)".to_owned(),
        Action::Umount => format!("unmounts {each}"),
        Action::DiskWrite => format!("writes {stream} to {each}, past any filesystem"),
        Action::Age => "brings the memory to the condition of the settings age.*".to_owned(),
        Action::FfsbBuild => "builds the filesets of an ffsb profile".to_owned(),
        Action::FfsbRun => "has the threads of the ffsb profile work".to_owned(),
        Action::Command { command } => format!("runs `{}`", command.join(" ")),
    }
}

fn mkfs(settings: &Settings) -> String {
    let program = settings.mkfs_program.clone().map(|program| public(&program));
    let program = program.unwrap_or_else(|| format!("mkfs.{}", settings.fs));
    format!("`{}`", format!("{program} {}", settings.mkfs).trim_end())
}

/// How kernels that were built came to be.
fn kernels(letter: &mut Letter, hunt: &Hunt) {
    if hunt.kind != ChangeKind::Commit {
        return;
    }
    let text = match hunt.settings.kernel_config.as_slice() {
        [] => "built from the commits: tinyconfig with what slowpath's machine needs".to_owned(),
        files => format!("built from the commits with the options of {}", public(&files.join(","))),
    };
    letter.item("  kernels   ", &text);
}
