//! What a trial wants of a directory: the phases that are done there, folders, files, space.

use std::collections::BTreeSet;

use model::case::{Action, Phase, ROUND};
use model::{FORMAT, TrialSpec};
use protocol::HostJob;

/// A trial in a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Wanted {
    /// The agent's job; its folders are still missing.
    pub(crate) job: HostJob,
    /// How many folders it writes into, 1 to 64.
    pub(crate) folders: u32,
    /// The files that it writes into each.
    pub(crate) files: Vec<String>,
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
        if settings.block > settings.size {
            return Err(format!(
                "block={} is larger than size={}; a write cannot be larger than the file",
                settings.block, settings.size
            ));
        }
        let phases = phases(spec)?;
        let files: BTreeSet<&String> = phases.iter().filter_map(|phase| file(phase)).collect();
        Ok(Wanted {
            folders: settings.disks,
            files: files.into_iter().cloned().collect(),
            left_out: left_out(spec),
            job: HostJob {
                format: FORMAT,
                limit_ns: spec.limits.guest.min(spec.limits.wall).0,
                folders: Vec::new(),
                disks: Vec::new(),
                phases,
                size: settings.size.0,
                block: settings.block.0,
                rewrite: settings.rewrite,
            },
        })
    }

    /// Bytes that the files take; with what a filesystem needs for its records.
    pub(crate) fn space(&self) -> u64 {
        let files = u64::from(self.folders) * self.files.len() as u64;
        let bytes = self.job.size.saturating_mul(files);
        bytes.saturating_add(bytes / PART).saturating_add(LITTLE)
    }
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
    let bare = spec.phases.iter().find(|phase| phase.action == Action::DiskWrite);
    if let Some(Phase { name, .. }) = bare {
        return Err(format!(
            "step `{name}` of case `{}` writes to bare disks, which a directory has not; run it \
             in the exact lab (--on exact)",
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
        assert_eq!(wanted.files, ["a", "b"]);
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
