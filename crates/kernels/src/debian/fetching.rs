//! Asking the lists and fetching what is missing: one program at a time, a second one finds it done.

use std::cell::OnceCell;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use super::Debian;
use super::apt_output::is_gone;
use super::client::failed;
use super::offer::Offer;
use super::release::nearest;
use super::root::{LISTS, Root};
use super::wanted::Wanted;
use crate::error::KernelError;

/// Holds the lock on the client's root and the kernels' drafts.
pub(crate) struct Fetching<'a> {
    debian: &'a Debian,
    progress: &'a dyn Fn(&str),
    root: OnceCell<Root<'a>>,
    _lock: File,
}

/// What the lists say, and how far they can be relied on.
struct Known {
    offers: Vec<Offer>,
    state: State,
}

enum State {
    /// All up to date a moment ago.
    New,
    /// Less than a day old.
    Fresh,
    /// Perhaps old, because they could not be refreshed.
    Old(KernelError),
}

impl<'a> Fetching<'a> {
    /// Waits for the lock.
    ///
    /// # Errors
    /// [`KernelError::Write`].
    pub(crate) fn begin(
        debian: &'a Debian,
        progress: &'a dyn Fn(&str),
    ) -> Result<Fetching<'a>, KernelError> {
        let lock = lock(&debian.apt, progress);
        let lock = lock.map_err(|reason| KernelError::write(&debian.apt, reason))?;
        Ok(Fetching { debian, progress, root: OnceCell::new(), _lock: lock })
    }

    /// The kernels that the lists name.
    ///
    /// # Errors
    /// There are no lists.
    pub(crate) fn offers(&self) -> Result<Vec<Offer>, KernelError> {
        Ok(self.known()?.offers)
    }

    /// The folder of the kernel that is meant.
    ///
    /// # Errors
    /// It cannot be had.
    pub(crate) fn fetch(&self, wanted: &Wanted) -> Result<PathBuf, KernelError> {
        if let Some(folder) = self.debian.without_asking(wanted) {
            return Ok(folder);
        }
        let known = self.known()?;
        let fresh = matches!(known.state, State::Fresh);
        match self.take(wanted, known) {
            // The archive drops packages when newer ones come: the lists may be too old for it.
            Err(KernelError::CannotFetch { reason, .. }) if fresh && is_gone(&reason) => {
                let offers = self.refresh()?;
                self.take(wanted, Known { offers, state: State::New })
            }
            taken => taken,
        }
    }

    fn take(&self, wanted: &Wanted, known: Known) -> Result<PathBuf, KernelError> {
        let Some(release) = self.debian.pick(wanted, &known.offers) else {
            return Err(match known.state {
                State::Old(trouble) => not_at_hand(wanted, trouble),
                State::New | State::Fresh => self.no_such(wanted, &known.offers),
            });
        };
        if let Some(folder) = self.debian.unpacked.find(&release) {
            return Ok(folder);
        }
        match known.offers.iter().find(|offer| offer.release == release) {
            Some(offer) => self.install(offer),
            None => Err(self.no_such(wanted, &known.offers)),
        }
    }

    fn install(&self, offer: &Offer) -> Result<PathBuf, KernelError> {
        let root = self.root()?;
        let draft = self.debian.unpacked.draft(&offer.release)?;
        let package = root.download(offer, &draft.package(), self.progress)?;
        (self.progress)(&format!("unpacking {}", offer.package));
        root.unpack(&package, &draft.root(), &format!("kernel {}", offer.release))?;
        draft.keep(offer)
    }

    /// The lists at hand, refreshed if they are older than a day and can be.
    fn known(&self) -> Result<Known, KernelError> {
        if let Some(offers) = self.debian.lists.fresh() {
            return Ok(Known { offers, state: State::Fresh });
        }
        let trouble = match self.debian.unreachable.get() {
            Some(reason) => failed(LISTS, reason.clone()),
            None => match self.refresh() {
                Ok(offers) => return Ok(Known { offers, state: State::New }),
                Err(trouble) => trouble,
            },
        };
        match self.debian.lists.at_hand() {
            Some(offers) => {
                (self.progress)(&format!("going on with the package lists at hand: {trouble}"));
                Ok(Known { offers, state: State::Old(trouble) })
            }
            None => Err(trouble),
        }
    }

    /// Fetches all lists. On an error those that could be fetched are at hand.
    fn refresh(&self) -> Result<Vec<Offer>, KernelError> {
        let root = self.root()?;
        let trouble = root.update(self.progress)?;
        let offers = root.offers();
        if let Ok(offers) = &offers {
            self.debian.lists.keep(offers, trouble.is_none())?;
        }
        match trouble {
            Some(reason) => {
                let reason = self.debian.unreachable.get_or_init(|| reason);
                Err(failed(LISTS, reason.clone()))
            }
            None => offers,
        }
    }

    fn root(&self) -> Result<&Root<'a>, KernelError> {
        if let Some(root) = self.root.get() {
            return Ok(root);
        }
        let debian = self.debian;
        let root = Root::open(&debian.apt, &debian.programs, debian.mirror.as_deref())?;
        Ok(self.root.get_or_init(|| root))
    }

    fn no_such(&self, wanted: &Wanted, offers: &[Offer]) -> KernelError {
        let cached = self.debian.unpacked.releases();
        let offered = offers.iter().map(|offer| offer.release.as_str());
        let releases = cached.iter().map(String::as_str).chain(offered);
        KernelError::NoSuchVersion {
            version: wanted.text().to_owned(),
            nearest: nearest(wanted.text(), releases).into_iter().map(str::to_owned).collect(),
        }
    }
}

/// It may exist, but the lists that could say so are not to be had.
fn not_at_hand(wanted: &Wanted, trouble: KernelError) -> KernelError {
    let KernelError::CannotFetch { reason, .. } = trouble else { return trouble };
    let lists = "the package lists at hand do not name it, and newer ones cannot be fetched";
    failed(&format!("kernel {}", wanted.text()), format!("{lists}: {reason}"))
}

fn lock(folder: &Path, progress: &dyn Fn(&str)) -> io::Result<File> {
    fs::create_dir_all(folder)?;
    let file = File::options().create(true).append(true).open(folder.join("lock"))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => {
            progress("waiting for another slowpath that fetches kernels");
            file.lock()?;
            Ok(file)
        }
        Err(TryLockError::Error(error)) => Err(error),
    }
}
