//! What the package lists said when they were last fetched.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use super::offer::{self, Offer};
use crate::error::KernelError;

/// How long lists are good without asking again.
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// The kernels that the lists name, in one small file, and when all lists were last up to date.
#[derive(Debug)]
pub(crate) struct Lists {
    offers: PathBuf,
    stamp: PathBuf,
}

impl Lists {
    /// In this folder.
    pub(crate) fn new(folder: &std::path::Path) -> Lists {
        Lists { offers: folder.join("offers"), stamp: folder.join("refreshed") }
    }

    /// The offers, if the lists are less than a day old.
    pub(crate) fn fresh(&self) -> Option<Vec<Offer>> {
        let refreshed = fs::metadata(&self.stamp).and_then(|stamp| stamp.modified()).ok()?;
        // A stamp from the future says nothing.
        let age = SystemTime::now().duration_since(refreshed).ok()?;
        (age < DAY).then(|| self.at_hand())?
    }

    /// The offers, however old the lists are.
    pub(crate) fn at_hand(&self) -> Option<Vec<Offer>> {
        let offers = offer::from_text(&fs::read_to_string(&self.offers).ok()?);
        (!offers.is_empty()).then_some(offers)
    }

    /// Keeps the offers of lists that have just been fetched; `whole` when all are up to date.
    ///
    /// # Errors
    /// [`KernelError::Write`].
    pub(crate) fn keep(&self, offers: &[Offer], whole: bool) -> Result<(), KernelError> {
        let keep = || -> io::Result<()> {
            let draft = self.offers.with_extension("draft");
            fs::write(&draft, offer::to_text(offers))?;
            fs::rename(&draft, &self.offers)?;
            if whole { fs::write(&self.stamp, "") } else { Ok(()) }
        };
        keep().map_err(|reason| KernelError::write(&self.offers, reason))
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;

    fn offers() -> Vec<Offer> {
        offer::from_text("linux-image-6.1.0-9-amd64 6.1.9-1 bookworm\n")
    }

    #[test]
    fn lists_are_fresh_for_a_day() {
        let folder = tempfile::tempdir().unwrap();
        let lists = Lists::new(folder.path());
        assert_eq!((lists.fresh(), lists.at_hand()), (None, None));
        lists.keep(&offers(), true).unwrap();
        assert_eq!(lists.fresh(), Some(offers()));
        let stamp =
            |time| File::options().write(true).open(&lists.stamp).unwrap().set_modified(time);
        for time in [SystemTime::now() - DAY, SystemTime::now() + DAY] {
            stamp(time).unwrap();
            assert_eq!((lists.fresh(), lists.at_hand()), (None, Some(offers())));
        }
        lists.keep(&offers(), true).unwrap();
        assert!(lists.fresh().is_some());
    }

    #[test]
    fn lists_that_were_fetched_in_part_are_not_fresh() {
        let folder = tempfile::tempdir().unwrap();
        let lists = Lists::new(folder.path());
        lists.keep(&offers(), false).unwrap();
        assert_eq!((lists.fresh(), lists.at_hand()), (None, Some(offers())));
    }
}
