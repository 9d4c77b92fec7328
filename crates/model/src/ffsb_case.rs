//! What a profile of ffsb becomes: a case, and filesets on disks.

use crate::case::{Action, Case, ROUND, Step};
use crate::ffsb::{Fileset, Profile};
use crate::settings::Settings;

/// The case that a profile is when it is run as it is: filesystems are made and mounted, the filesets
/// built, all is synced, the callout is run; then the clock starts, and stops when the final sync is
/// done. So run and sync are a round, by which the case is judged.
#[must_use]
pub fn case_of_profile(name: &str, profile: Profile) -> Case {
    let step = |name: &str, action| Step { name: name.to_owned(), action };
    let mut before = vec![
        step("mkfs", Action::Mkfs),
        step("mount", Action::Mount),
        step("fileset", Action::FfsbBuild),
        step("settle", Action::Sync),
    ];
    if let Some(callout) = &profile.callout {
        let command = ["sh", "-c", callout].map(str::to_owned).to_vec();
        before.push(step("callout", Action::Command { command }));
    }
    let timed = profile.time > 0;
    let round = match timed {
        true => vec![step("run", Action::FfsbRun), step("sync", Action::Sync)],
        false => Vec::new(),
    };
    let disks = u32::try_from(profile.filesystems.len()).unwrap_or(u32::MAX);
    Case {
        name: name.to_owned(),
        about: "a profile of ffsb".to_owned(),
        headline: if timed { ROUND } else { "fileset" }.to_owned(),
        settings: Settings { disks, ..Settings::default() },
        before,
        round,
        after: vec![step("umount", Action::Umount)],
        ffsb: Some(profile),
        include: Vec::new(),
    }
}

impl Profile {
    /// The profile on so many disks: each of its filesystems on one, or its only one on all of them.
    ///
    /// # Errors
    /// The profile has several filesystems, and not as many; the sentence says how many.
    pub fn on_disks(&self, disks: u32) -> Result<Profile, String> {
        let mut profile = self.clone();
        if let [only] = self.filesystems.as_slice() {
            profile.filesystems = (0..disks).map(|disk| on_disk(only, disk)).collect();
            for group in &mut profile.threadgroups {
                // Bound to the only one meant: to all that it is now.
                group.bindfs = group.bindfs.filter(|_| disks == 1);
            }
            return Ok(profile);
        }
        match self.filesystems.len() == disks as usize {
            true => Ok(profile),
            false => Err(format!(
                "the profile has {} filesystems, each on a disk of its own: disks={disks} does not go \
                 with it",
                self.filesystems.len()
            )),
        }
    }
}

fn on_disk(fileset: &Fileset, disk: u32) -> Fileset {
    let location = match disk {
        0 => fileset.location.clone(),
        disk => format!("{} ({})", fileset.location, disk + 1),
    };
    Fileset { location, ..fileset.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ffsb::ThreadGroup;

    fn profile(filesystems: usize, time: u64) -> Profile {
        Profile {
            time,
            filesystems: vec![Fileset::default(); filesystems],
            threadgroups: vec![ThreadGroup { bindfs: Some(0), ..ThreadGroup::default() }],
            ..Profile::default()
        }
    }

    #[test]
    fn run_and_final_sync_are_judged_together() {
        let case = case_of_profile("mine", profile(13, 600));
        assert_eq!((case.settings.disks, case.headline.as_str()), (13, "round"));
        let names: Vec<_> = case.phases(1).into_iter().map(|phase| phase.name).collect();
        assert_eq!(names, ["mkfs", "mount", "fileset", "settle", "run", "sync", "umount"]);
        let built = case_of_profile("mine", profile(1, 0));
        assert!(built.headlines().contains(&built.headline.as_str()));
    }

    #[test]
    fn an_only_filesystem_goes_on_every_disk() {
        let three = profile(1, 1).on_disks(3).unwrap();
        assert_eq!((three.filesystems.len(), three.threadgroups[0].bindfs), (3, None));
        assert_eq!(profile(1, 1).on_disks(1).unwrap().threadgroups[0].bindfs, Some(0));
        assert_eq!(profile(2, 1).on_disks(2).unwrap().filesystems.len(), 2);
        assert!(profile(2, 1).on_disks(3).unwrap_err().contains("2 filesystems"));
    }
}
