//! Debian's kernels, fetched with the machine's package client as an ordinary user.

mod apt_output;
mod client;
mod configuration;
mod fetching;
mod keyrings;
mod lists;
mod offer;
mod release;
mod root;
mod sources;
mod told;
mod unpacked;
mod wanted;

use std::path::{self, Path, PathBuf};
use std::sync::OnceLock;

use self::client::Programs;
use self::fetching::Fetching;
use self::lists::Lists;
pub use self::offer::Offer;
use self::unpacked::Unpacked;
use self::wanted::Wanted;
use crate::error::KernelError;

/// Names a Debian archive for a machine whose own sources name none.
const MIRROR: &str = "SLOWPATH_DEBIAN_MIRROR";

/// Debian's kernels for amd64: those in the cache, and those that can be fetched.
///
/// Kernels lie in `CACHE/kernels/RELEASE/`, unpacked packages for [`crate::Kernel::from_path`]. The
/// package client's own root, with its lists, is `CACHE/apt/`.
#[derive(Debug)]
pub struct Debian {
    apt: PathBuf,
    unpacked: Unpacked,
    lists: Lists,
    programs: Programs,
    mirror: Option<String>,
    /// Why the lists could not be refreshed. It is not tried again in this program.
    unreachable: OnceLock<String>,
}

impl Debian {
    /// Debian's kernels in the folder `cache`, which need not exist. The archive is the one that
    /// `SLOWPATH_DEBIAN_MIRROR` names, else the one that the machine's package sources name.
    #[must_use]
    pub fn new(cache: &Path) -> Debian {
        let cache = absolute(cache);
        let apt = cache.join("apt");
        Debian {
            lists: Lists::new(&apt),
            apt,
            unpacked: Unpacked::new(cache.join("kernels")),
            programs: Programs::default(),
            mirror: std::env::var(MIRROR).ok().filter(|mirror| !mirror.is_empty()),
            unreachable: OnceLock::new(),
        }
    }

    /// Takes apt-get, apt-cache and dpkg-deb from this folder instead of from the `PATH`.
    #[must_use]
    pub fn with_programs(mut self, folder: &Path) -> Debian {
        self.programs = Programs { folder: Some(absolute(folder)) };
        self
    }

    /// Takes this archive instead of what `SLOWPATH_DEBIAN_MIRROR` says; `None` is what the
    /// machine's package sources name.
    #[must_use]
    pub fn with_mirror(mut self, mirror: Option<&str>) -> Debian {
        self.mirror = mirror.map(str::to_owned);
        self
    }

    /// The folder of the unpacked kernel that `version` means, fetched if it is not there.
    ///
    /// `version` is a series such as `6.12`, which means the newest plain kernel of it, or a release
    /// such as `6.1.0-57-amd64`. A release that is in the cache needs no network. A series asks the
    /// lists, which are refreshed once a day; where nothing can be fetched, the newest of the series
    /// in the cache is taken, and `progress` told why.
    ///
    /// `progress` is told what is being done, in a few words at a time.
    ///
    /// # Errors
    /// [`KernelError::NotAVersion`], [`KernelError::NoSuchVersion`]; one for which
    /// [`KernelError::cannot_be_fetched`] holds; or the cache cannot be written.
    pub fn fetch(&self, version: &str, progress: &dyn Fn(&str)) -> Result<PathBuf, KernelError> {
        let wanted = Wanted::parse(version)?;
        if let Some(folder) = self.without_asking(&wanted) {
            return Ok(folder);
        }
        let fetched = Fetching::begin(self, progress).and_then(|fetching| fetching.fetch(&wanted));
        match fetched {
            Err(error) => match self.newest_cached(&wanted) {
                Some((release, folder)) => {
                    progress(&format!("taking {release} from the cache: {error}"));
                    Ok(folder)
                }
                None => Err(error),
            },
            folder => folder,
        }
    }

    /// Whether `version` can be a version at all; asks nobody.
    ///
    /// # Errors
    /// [`KernelError::NotAVersion`].
    pub fn check(version: &str) -> Result<(), KernelError> {
        Wanted::parse(version).map(drop)
    }

    /// The releases that lie in the cache, newest first. Uses no network.
    #[must_use]
    pub fn cached(&self) -> Vec<String> {
        self.unpacked.releases()
    }

    /// The releases that can be had, newest first, of every flavour. The lists are refreshed when
    /// they are absent or older than a day; where they cannot be, those at hand are used.
    ///
    /// # Errors
    /// There are no lists and none can be fetched ([`KernelError::cannot_be_fetched`]).
    pub fn available(&self) -> Result<Vec<Offer>, KernelError> {
        if let Some(offers) = self.lists.fresh() {
            return Ok(offers);
        }
        Fetching::begin(self, &|_| ())?.offers()
    }

    /// The plain releases from one version to another, both included, oldest first: those that are offered and
    /// those that lie in the cache. A series stands for its oldest release as the first version, and for
    /// its newest as the last.
    ///
    /// # Errors
    /// [`KernelError::NotAVersion`]; or none are known ([`KernelError::cannot_be_fetched`]).
    pub fn between(&self, first: &str, last: &str) -> Result<Vec<String>, KernelError> {
        let (first, last) = (Wanted::parse(first)?, Wanted::parse(last)?);
        let cached = self.cached();
        let offered = match self.available() {
            Ok(offers) => offers.into_iter().map(|offer| offer.release).collect(),
            Err(error) if cached.is_empty() => return Err(error),
            Err(_) => Vec::new(),
        };
        Ok(wanted::between(&first, &last, cached.into_iter().chain(offered)))
    }

    /// The kernel, when it is in the cache and nobody need be asked whether it is the right one.
    fn without_asking(&self, wanted: &Wanted) -> Option<PathBuf> {
        match wanted {
            Wanted::Release(release) => self.unpacked.find(release),
            Wanted::Series(_) => {
                let release = self.pick(wanted, &self.lists.fresh()?)?;
                self.unpacked.find(&release)
            }
        }
    }

    fn newest_cached(&self, wanted: &Wanted) -> Option<(String, PathBuf)> {
        let release = self.pick(wanted, &[])?;
        let folder = self.unpacked.find(&release)?;
        Some((release, folder))
    }

    /// The release that is meant, of those that are offered or in the cache.
    fn pick(&self, wanted: &Wanted, offers: &[Offer]) -> Option<String> {
        let cached = self.unpacked.releases();
        let offered = offers.iter().map(|offer| offer.release.as_str());
        wanted.pick(cached.iter().map(String::as_str).chain(offered)).map(str::to_owned)
    }
}

/// The package client is told absolute names and started in another folder. Only without a current
/// folder there is no absolute name.
fn absolute(folder: &Path) -> PathBuf {
    path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf())
}
