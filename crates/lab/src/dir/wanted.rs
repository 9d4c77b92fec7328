//! What a trial wants of a directory: the phases that are done there, folders, files, space.

use std::collections::BTreeSet;

use model::case::{Action, Phase, ROUND};
use model::settings::Rewrite;
use model::{FORMAT, TrialSpec};
use protocol::{HostJob, Writing};

use super::marker::Contents;
use crate::tools::find_program;
use crate::{fit, job};

/// A trial in a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Wanted {
    /// The agent's job; its folders are still missing.
    pub(crate) job: HostJob,
    /// How many folders it writes into, 1 to 64.
    pub(crate) folders: u32,
    /// What it puts into each.
    pub(crate) contents: Contents,
    /// Bytes that all of it takes, as far as that can be told beforehand.
    bytes: u64,
    /// The steps that a directory has no use for, by their names.
    pub(crate) left_out: Vec<String>,
}

/// Room for a filesystem's own records, bytes, besides a part of the files' sizes.
const LITTLE: u64 = 1 << 20;
const PART: u64 = 64;

impl Wanted {
    /// What `spec` wants, as far as a directory can give it.
    ///
    /// # Errors
    /// A sentence on what it cannot.
    pub(crate) fn by(spec: &TrialSpec) -> Result<Wanted, String> {
        let settings = &spec.settings;
        let phases = phases(spec)?;
        let files: BTreeSet<&String> = phases.iter().filter_map(|phase| file(phase)).collect();
        if settings.block > settings.size && !files.is_empty() {
            return Err(format!(
                "block={} is larger than size={}; a write cannot be larger than the file",
                settings.block, settings.size
            ));
        }
        if !files.is_empty() {
            settings.check_direct().map_err(|error| error.to_string())?;
        }
        phases.iter().try_for_each(has_program)?;
        if let Some(profile) = &spec.ffsb {
            profile.on_disks(settings.disks)?;
        }
        let files: Vec<String> = files
            .into_iter()
            .flat_map(|file| {
                (0..settings.writers).map(move |writer| Writing::file_of(file, writer))
            })
            .collect();
        let streamed = settings.size.0.saturating_mul(files.len() as u64);
        let built = spec.ffsb.as_ref().map_or(0, fit::built_bytes);
        let each = streamed.saturating_mul(rewrites(spec)).saturating_add(built);
        Ok(Wanted {
            folders: settings.disks,
            bytes: each.saturating_mul(settings.disks.into()),
            contents: Contents { files, whole: phases.iter().any(names_files) },
            left_out: left_out(spec),
            job: HostJob {
                format: FORMAT,
                limit_ns: spec.limits.guest.min(spec.limits.wall).0,
                folders: Vec::new(),
                disks: Vec::new(),
                phases,
                workload: job::workload(spec),
                watch: None,
                samples: None,
                environment: None,
            },
        })
    }

    /// Bytes that the files take; with what a filesystem needs for its records.
    pub(crate) fn space(&self) -> u64 {
        self.bytes.saturating_add(self.bytes / PART).saturating_add(LITTLE)
    }
}

/// How often a file's size is written behind one another.
fn rewrites(spec: &TrialSpec) -> u64 {
    match spec.settings.rewrite {
        Rewrite::Append => spec.settings.rounds.into(),
        Rewrite::Truncate | Rewrite::Overwrite => 1,
    }
}

/// Refuses a command whose program is not here.
fn has_program(phase: &Phase) -> Result<(), String> {
    let Action::Command { command } = &phase.action else { return Ok(()) };
    match command.first() {
        Some(name) if find_program(name).is_none() => {
            Err(format!("the command `{name}` is no program here; install it, or name its path"))
        }
        _ => Ok(()),
    }
}

/// Whether a phase names its files itself.
fn names_files(phase: &Phase) -> bool {
    matches!(phase.action, Action::FfsbBuild | Action::Command { .. })
}

/// Whether a step prepares a disk, which a directory is past.
fn prepares(action: &Action) -> bool {
    matches!(action, Action::Mkfs | Action::Mount | Action::Umount)
}

fn file(phase: &Phase) -> Option<&String> {
    match &phase.action {
        Action::Write { file } => Some(file),
        _ => None,
    }
}

fn phases(spec: &TrialSpec) -> Result<Vec<Phase>, String> {
    let unfit = |phase: &Phase| match phase.action {
        Action::DiskWrite => Some("writes to bare disks, which a directory has not"),
        Action::Age => Some("ages the memory, which is done to a guest's alone"),
        _ => None,
    };
    if let Some((Phase { name, .. }, why)) = spec.phases.iter().find_map(|p| Some((p, unfit(p)?))) {
        return Err(format!(
            "step `{name}` of case `{}` {why}; run it in the exact lab (--on exact)",
            spec.case
        ));
    }
    let done = spec.phases.iter().filter(|phase| !prepares(&phase.action));
    let phases: Vec<Phase> = done.cloned().collect();
    let judged = |phase: &Phase| phase.name == spec.headline || spec.headline == ROUND;
    if !phases.iter().any(judged) {
        return Err(format!(
            "case `{}` is judged by `{}`, which is not done in a directory: only its writes and \
             syncs are; run it in the exact lab (--on exact)",
            spec.case, spec.headline
        ));
    }
    Ok(phases)
}

fn left_out(spec: &TrialSpec) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for phase in spec.phases.iter().filter(|phase| prepares(&phase.action)) {
        if !names.contains(&phase.name) {
            names.push(phase.name.clone());
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use model::units::{Bytes, Nanos};
    use model::{Limits, Settings};

    use super::*;

    fn spec(actions: &[(&str, Action)], headline: &str) -> TrialSpec {
        let phase = |(name, action): &(&str, Action)| Phase {
            name: (*name).to_owned(),
            round: None,
            action: action.clone(),
        };
        TrialSpec {
            case: "case".to_owned(),
            headline: headline.to_owned(),
            phases: actions.iter().map(phase).collect(),
            ffsb: None,
            include: Vec::new(),
            settings: Settings { size: Bytes(64 << 20), disks: 2, ..Settings::default() },
            place: "dir:/mnt".to_owned(),
            seed: 1,
            limits: Limits { guest: Nanos(7_000), wall: Nanos(5_000) },
        }
    }

    fn write(file: &str) -> Action {
        Action::Write { file: file.to_owned() }
    }

    #[test]
    fn writes_and_syncs_are_done_and_the_rest_is_left_out() {
        let actions = [
            ("mkfs", Action::Mkfs),
            ("mount", Action::Mount),
            ("write", write("a")),
            ("again", write("b")),
            ("more", write("a")),
            ("sync", Action::Sync),
            ("umount", Action::Umount),
        ];
        let wanted = Wanted::by(&spec(&actions, "sync")).unwrap();
        let names: Vec<_> = wanted.job.phases.iter().map(|phase| phase.name.as_str()).collect();
        assert_eq!(names, ["write", "again", "more", "sync"]);
        assert_eq!(wanted.left_out, ["mkfs", "mount", "umount"]);
        assert_eq!(
            wanted.contents,
            Contents { files: ["a", "b"].map(str::to_owned).to_vec(), whole: false }
        );
        // Two files in each of two folders, a 64th part more, and 1 MiB.
        assert_eq!(wanted.space(), (4 * 65 + 1) << 20);
        assert_eq!(wanted.job.limit_ns, 5_000);
    }

    #[test]
    fn what_a_directory_cannot_do_is_refused() {
        let raw = [("fill", Action::DiskWrite), ("write", write("a"))];
        assert!(Wanted::by(&spec(&raw, "write")).unwrap_err().contains("bare disks"));
        let mount = [("mount", Action::Mount), ("write", write("a"))];
        assert!(Wanted::by(&spec(&mount, "mount")).unwrap_err().contains("judged by `mount`"));
        let mut large = spec(&[("write", write("a"))], "write");
        large.settings.block = Bytes(65 << 20);
        assert!(Wanted::by(&large).unwrap_err().contains("block=65M is larger than size=64M"));
    }

    #[test]
    fn a_disk_s_size_means_nothing_here() {
        let mut large = spec(&[("write", write("a"))], "write");
        large.settings.size = Bytes(1 << 40);
        assert!(Wanted::by(&large).is_ok());
    }
}
