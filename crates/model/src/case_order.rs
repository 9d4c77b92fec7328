//! Whether a case's steps can follow one another: found out from the file, before anything boots.

use std::collections::BTreeSet;

use crate::case::{Action, Case, Step};

/// What the disks are at a step.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Disks {
    Bare,
    Made,
    Mounted,
}

/// Walks through the case, its round twice, and returns the first step that cannot be where it is:
/// its name and why.
pub(crate) fn misplaced(case: &Case) -> Option<(String, &'static str)> {
    let mut disks = Disks::Bare;
    let twice = case.round.iter().chain(&case.round);
    for step in case.before.iter().chain(twice).chain(&case.after) {
        match after(disks, &step.action) {
            Ok(next) => disks = next,
            Err(why) => return Some((step.name.clone(), why)),
        }
    }
    None
}

/// The first name that two steps have.
pub(crate) fn twin(case: &Case) -> Option<&str> {
    let mut names = BTreeSet::new();
    let all = [&case.before, &case.round, &case.after].into_iter().flatten();
    all.map(|step: &Step| step.name.as_str()).find(|name| !names.insert(*name))
}

fn after(disks: Disks, action: &Action) -> Result<Disks, &'static str> {
    match (action, disks) {
        (Action::Mkfs, Disks::Mounted) => Err("the disks are mounted there; umount them before"),
        (Action::Mkfs, _) => Ok(Disks::Made),
        (Action::Mount, Disks::Made) => Ok(Disks::Mounted),
        (Action::Mount, Disks::Bare) => Err("there is no filesystem yet; a mkfs step comes first"),
        (Action::Mount, Disks::Mounted) => Err("the disks are mounted there already"),
        (Action::Write { .. } | Action::Umount, Disks::Mounted) => Ok(match action {
            Action::Umount => Disks::Made,
            _ => Disks::Mounted,
        }),
        (Action::Write { .. } | Action::Umount, _) => {
            Err("nothing is mounted there; a mount step comes first")
        }
        (Action::Sync | Action::Age | Action::Command { .. }, _) => Ok(disks),
        (Action::FfsbBuild | Action::FfsbRun, Disks::Mounted) => Ok(disks),
        (Action::FfsbBuild | Action::FfsbRun, _) => {
            Err("nothing is mounted there; a mount step comes first")
        }
        (Action::DiskWrite, Disks::Mounted) => {
            Err("the disks are mounted there; it would destroy their filesystems")
        }
        (Action::DiskWrite, _) => Ok(Disks::Bare),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Settings;

    fn case(before: &[Action], round: &[Action], after: &[Action]) -> Case {
        let steps = |actions: &[Action], part: &str| {
            let step = |(at, action): (usize, &Action)| Step {
                name: format!("{part}{at}"),
                action: action.clone(),
            };
            actions.iter().enumerate().map(step).collect()
        };
        Case {
            name: "case".to_owned(),
            about: String::new(),
            headline: String::new(),
            settings: Settings::default(),
            before: steps(before, "b"),
            round: steps(round, "r"),
            after: steps(after, "a"),
            ffsb: None,
            include: Vec::new(),
        }
    }

    #[test]
    fn steps_that_cannot_follow_one_another_are_found() {
        use Action::{DiskWrite, Mkfs, Mount, Sync, Umount};
        let write = || Action::Write { file: "f".to_owned() };
        let wrong = |before: &[Action], round: &[Action], after: &[Action]| {
            misplaced(&case(before, round, after)).map(|(name, _)| name)
        };
        assert_eq!(wrong(&[Mkfs, Mount], &[write(), Sync], &[Umount]), None);
        assert_eq!(wrong(&[], &[Mkfs, Mount, write(), Umount], &[]), None);
        assert_eq!(wrong(&[], &[DiskWrite], &[]), None);
        assert_eq!(wrong(&[], &[write()], &[]).as_deref(), Some("r0"));
        assert_eq!(wrong(&[Mount], &[], &[]).as_deref(), Some("b0"));
        assert_eq!(wrong(&[Mkfs, Mount], &[write(), Umount], &[]).as_deref(), Some("r0"));
        assert_eq!(wrong(&[Mkfs], &[Mount, write()], &[]).as_deref(), Some("r0"));
        assert_eq!(wrong(&[Mkfs, Mount], &[DiskWrite], &[]).as_deref(), Some("r0"));
        assert_eq!(wrong(&[Mkfs, DiskWrite, Mount], &[], &[]).as_deref(), Some("b2"));
        assert_eq!(wrong(&[Mkfs, Mount], &[write()], &[Mkfs]).as_deref(), Some("a0"));
    }
}
