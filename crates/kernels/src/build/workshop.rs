//! One build: from a laid-out source to a kernel that is kept.

use std::cell::Cell;
use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::time::Instant;

use super::asked::{Asked, Base};
use super::configure::{Configured, configure};
use super::digest::Digest;
use super::image;
use super::kept::{About, Draft, FORMAT};
use super::log::Log;
use super::make::{Make, assigned};
use super::programs::Tools;
use super::session::Session;
use super::space;
use super::words::source_in_words;
use super::{Builds, Built};
use crate::source::{Checkout, Source, SourceError};

/// Of a configuration's hash, what its build folder is named after.
const SHORT: usize = 12;

/// The lists of what is built in, without which nobody knows that there are no modules to load.
const LISTS: [&str; 3] = ["modules.builtin", "modules.builtin.modinfo", "modules.order"];

/// Where a kernel is built, and of what.
pub(crate) struct Workshop<'a> {
    pub(crate) builds: &'a Builds,
    pub(crate) tools: &'a Tools,
    pub(crate) asked: &'a Asked,
    pub(crate) checkout: &'a Checkout<'a>,
    pub(crate) tell: &'a dyn Fn(&str),
}

impl Workshop<'_> {
    /// Whether there is room for what is to be made.
    ///
    /// # Errors
    /// [`SourceError::NoSpace`].
    pub(crate) fn has_room(&self) -> Result<(), SourceError> {
        let wanted = space::Wanted {
            tree: !self.checkout.tree().exists(),
            again: self.out().exists(),
            whole: matches!(self.asked.base, Base::Whole { .. }),
        };
        space::check(&self.builds.cache, wanted, self.builds.free)
    }

    /// Builds it and keeps it.
    ///
    /// # Errors
    /// As [`Builds::build`].
    pub(crate) fn build(
        &self,
        source: &Source,
        identity: &str,
        key: &str,
    ) -> Result<Built, SourceError> {
        let begun = Instant::now();
        let (out, tree) = (self.out(), self.checkout.tree());
        let clean = !out.exists();
        fs::create_dir_all(&out).map_err(|error| SourceError::io("write", &out, error))?;
        let stop = || (self.builds.stop)();
        let session = Session::begin(&out, &stop)?;
        let log = out.join("build.log");
        let mut log =
            Log::begin(&log, &tree).map_err(|error| SourceError::io("write", &log, error))?;
        let make = Make {
            programs: &self.builds.programs,
            tools: self.tools,
            tree: &tree,
            out: &out,
            first: self.ccache()?,
            jobs: self.builds.jobs,
            session: &session,
            cut_off: Cell::new(false),
            stop: &stop,
            tell: self.tell,
        };
        let made = self.make(&make, &mut log);
        if !make.cut_off.get() {
            session.finish()?;
        }
        let (draft, configured) = made.map_err(|error| self.with_log(error, key))?;
        let seconds = begun.elapsed().as_secs_f64();
        let about = About {
            format: FORMAT,
            source: source_in_words(source),
            identity: identity.to_owned(),
            config: hash_of(&configured.text),
            tools: self.tools.versions.clone(),
            seconds,
            clean,
            notes: configured.notes,
        };
        draft.copy(log.path(), "build.log")?;
        let folder = draft.keep(key, &about)?;
        Ok(Built { folder, fresh: true, seconds: Some(seconds), notes: about.notes })
    }

    /// Makes all that is kept of it, but what is said about it.
    fn make(&self, make: &Make<'_>, log: &mut Log) -> Result<(Draft, Configured), SourceError> {
        let configured = configure(make, self.asked, log)?;
        let modules = configured.options.has_modules();
        (self.tell)("building the kernel");
        make.run(log, if modules { &["vmlinux", "modules"] } else { &["vmlinux"] }, &[])?;
        let image = image::bootable(make, log)?;
        let draft = self.builds.kept.draft(self.checkout.folder().join("draft"))?;
        let release = release(make.out)?;
        install(make.out, &image, &draft, &release)?;
        if modules {
            (self.tell)("installing the modules");
            let variables =
                [assigned("INSTALL_MOD_PATH", draft.folder()), "INSTALL_MOD_STRIP=1".into()];
            make.run(log, &["modules_install"], &variables)?;
            forget_the_build(&draft.folder().join("lib/modules").join(&release))?;
        }
        Ok((draft, configured))
    }

    /// The build folder of the configuration that is asked for.
    fn out(&self) -> PathBuf {
        let hash = self.asked.hash();
        self.checkout.folder().join(format!("build-{}", hash.get(..SHORT).unwrap_or(&hash)))
    }

    /// A folder in which ccache goes by the compiler's name. The compiler's name stays the same with and
    /// without it, or all would be compiled anew when it comes or goes.
    fn ccache(&self) -> Result<Option<PathBuf>, SourceError> {
        let Some(ccache) = &self.tools.ccache else { return Ok(None) };
        let folder = self.checkout.folder().join("ccache");
        let link = folder.join("gcc");
        let make = || -> io::Result<()> {
            if fs::read_link(&link).is_ok_and(|target| target == *ccache) {
                return Ok(());
            }
            fs::create_dir_all(&folder)?;
            let _ = fs::remove_file(&link);
            symlink(ccache, &link)
        };
        make().map_err(|error| SourceError::io("write", &link, error))?;
        Ok(Some(folder))
    }

    /// An error names a log that the next build does not write over.
    fn with_log(&self, error: SourceError, key: &str) -> SourceError {
        match error {
            SourceError::DoesNotBuild { first, tail, log } => {
                let log = self.builds.kept.failed(key, &log).unwrap_or(log);
                SourceError::DoesNotBuild { first, tail, log }
            }
            error => error,
        }
    }
}

/// The release that a build folder writes down.
fn release(out: &Path) -> Result<String, SourceError> {
    let file = out.join("include/config/kernel.release");
    let text = fs::read_to_string(&file).map_err(|error| SourceError::io("read", &file, error))?;
    Ok(text.trim().to_owned())
}

/// Lays the build out like an unpacked package.
fn install(out: &Path, image: &Path, draft: &Draft, release: &str) -> Result<(), SourceError> {
    draft.copy(image, &format!("boot/vmlinuz-{release}"))?;
    draft.copy(&out.join("System.map"), &format!("boot/System.map-{release}"))?;
    draft.copy(&out.join(".config"), &format!("boot/config-{release}"))?;
    for list in LISTS {
        let file = out.join(list);
        // A kernel without modules makes no order of them, and old ones have no modinfo.
        if file.is_file() {
            draft.copy(&file, &format!("lib/modules/{release}/{list}"))?;
        }
    }
    Ok(())
}

/// Takes away the links to the build folder and the source, which will change.
fn forget_the_build(modules: &Path) -> Result<(), SourceError> {
    for name in ["build", "source"] {
        let link = modules.join(name);
        match fs::remove_file(&link) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(SourceError::io("remove", &link, error));
            }
            _ => {}
        }
    }
    Ok(())
}

fn hash_of(text: &str) -> String {
    let mut digest = Digest::new("config");
    digest.add("text", text);
    digest.hex()
}
