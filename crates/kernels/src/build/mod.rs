//! Kernels built from source, out of tree, in the cache.
//!
//! `CACHE/source/NAME-HASH/build-CONFIGHASH/` is where `make` works, one folder a configuration, so that it
//! builds anew only what has to be. `CACHE/built/KEY/` is what is kept of each kernel. The same source,
//! configuration, compiler and build variables have the same key, and it is made once.

mod asked;
mod check;
mod configure;
mod digest;
mod failures;
mod group;
mod image;
mod kconfig;
mod kept;
mod log;
mod make;
mod menus;
mod programs;
mod session;
mod space;
mod words;
mod workshop;

use std::fmt;
use std::io;
use std::path::{self, Path, PathBuf};
use std::sync::Arc;
use std::thread;

use self::asked::Asked;
use self::digest::Digest;
use self::failures::Failures;
use self::kept::Kept;
use self::make::TERSE;
use self::programs::{Programs, Tools, VARIABLES};
use self::workshop::Workshop;
use crate::source::{Checkout, Source, SourceError};

/// Tells whether to stop.
type Stop = Arc<dyn Fn() -> bool + Send + Sync>;

/// Kernels built from source. Those that were built lie in the cache and cost nothing more.
pub struct Builds {
    cache: PathBuf,
    jobs: usize,
    stop: Stop,
    programs: Programs,
    free: Option<u64>,
    kept: Kept,
    failures: Failures,
}

/// A kernel that was built from source.
#[derive(Clone, Debug)]
pub struct Built {
    /// Laid out like an unpacked kernel package, for [`crate::Kernel::from_path`].
    pub folder: PathBuf,
    /// Whether it was built just now, rather than taken from the cache.
    pub fresh: bool,
    /// How long that took, in seconds, with the configuration; `None` where it was taken from the cache.
    pub seconds: Option<f64>,
    /// What is otherwise than one would think, in sentences.
    pub notes: Vec<String>,
}

/// Whether the programs and headers are there that building a kernel needs.
///
/// # Errors
/// [`SourceError::NoCompiler`] with all that is missing, and Debian's packages that bring it.
pub fn build_needs() -> Result<(), SourceError> {
    Programs::default().check()
}

impl Builds {
    /// Builds in the folder `cache`, which need not exist.
    #[must_use]
    pub fn new(cache: &Path) -> Builds {
        // make is started in other folders. Only without a current folder there is no absolute name.
        let cache = path::absolute(cache).unwrap_or_else(|_| cache.to_path_buf());
        Builds {
            jobs: thread::available_parallelism().map_or(1, usize::from),
            stop: Arc::new(|| false),
            programs: Programs::default(),
            free: None,
            kept: Kept::new(cache.join("built")),
            failures: Failures::new(cache.join("built")),
            cache,
        }
    }

    /// Runs so many compilers at a time instead of one a core; 0 is taken for 1.
    #[must_use]
    pub fn with_jobs(mut self, jobs: usize) -> Builds {
        self.jobs = jobs.max(1);
        self
    }

    /// Asks this, some times a second, whether to stop.
    #[must_use]
    pub fn with_stop(mut self, stop: Stop) -> Builds {
        self.stop = stop;
        self
    }

    /// Takes make, gcc and the others from this folder instead of from the `PATH`.
    #[must_use]
    pub fn with_programs(mut self, folder: &Path) -> Builds {
        self.programs = Programs { folder: Some(folder.to_path_buf()) };
        self
    }

    /// Takes so many bytes to be free for the cache, whatever the system says.
    #[must_use]
    pub fn with_free_bytes(mut self, bytes: u64) -> Builds {
        self.free = Some(bytes);
        self
    }

    /// The kernel of this source, built if it is not there. `tell` is told what is being done, in a few words
    /// at a time.
    ///
    /// A build that was interrupted goes on where it was. One that failed fails again at once: the same source,
    /// configuration and compiler would come to the same.
    ///
    /// # Errors
    /// The source cannot be laid out; [`SourceError::NoCompiler`], [`SourceError::NoSpace`],
    /// [`SourceError::Refused`], [`SourceError::DoesNotBuild`], [`SourceError::Stopped`], or the cache cannot be
    /// written.
    pub fn build(&self, source: &Source, tell: &dyn Fn(&str)) -> Result<Built, SourceError> {
        self.fits_make()?;
        let tools = self.programs.tools()?;
        let asked = Asked::read(&source.config, tools.versions.pahole.is_some())?;
        let checkout = Checkout::open(&self.cache, &source.origin, tell, &*self.stop)?;
        let workshop =
            Workshop { builds: self, tools: &tools, asked: &asked, checkout: &checkout, tell };
        let key_of = |identity: &str| key(identity, &asked, &tools);
        // What is there already need not be laid out, which would change the times of files.
        let known =
            checkout.identity(source)?.and_then(|identity| self.at_hand(&key_of(&identity)));
        if let Some(found) = known {
            return found;
        }
        workshop.has_room()?;
        let identity = checkout.lay_out(source, tell)?.identity;
        let key = key_of(&identity);
        if let Some(found) = self.at_hand(&key) {
            return found;
        }
        let built = workshop.build(source, &identity, &key);
        built.inspect_err(|error| self.failures.remember(&key, error))
    }

    /// What came of this kernel before.
    fn at_hand(&self, key: &str) -> Option<Result<Built, SourceError>> {
        let kept = self.kept.find(key).map(|(folder, about)| {
            Ok(Built { folder, fresh: false, seconds: None, notes: about.notes })
        });
        kept.or_else(|| self.failures.of(key).map(Err))
    }

    /// How long earlier builds took, in seconds, oldest first; from nothing and after a small change alike.
    #[must_use]
    pub fn past_seconds(&self) -> Vec<f64> {
        self.kept.seconds()
    }

    /// make takes a space or a colon for the end of a name.
    fn fits_make(&self) -> Result<(), SourceError> {
        let name = self.cache.to_string_lossy();
        if !name.contains([' ', '\t', '\n', ':']) {
            return Ok(());
        }
        let reason = "a kernel builds in no folder with a space or a colon in its path; put the cache elsewhere: \
                      --cache DIR";
        Err(SourceError::io("build in", &self.cache, io::Error::other(reason)))
    }
}

impl fmt::Debug for Builds {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Builds").field("cache", &self.cache).finish_non_exhaustive()
    }
}

/// What decides a kernel's bytes. Its `.config` follows from them.
fn key(identity: &str, asked: &Asked, tools: &Tools) -> String {
    let mut digest = Digest::new("kernel");
    digest.add("identity", identity);
    digest.add("asked", &asked.hash());
    tools.versions.add_to(&mut digest);
    digest.add("flags", TERSE);
    VARIABLES.iter().for_each(|(name, value)| digest.add(name, value));
    digest.hex()
}
