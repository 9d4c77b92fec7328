//! A root of our own for the package client: own sources, own lists, own cache, no root rights.
//!
//! Fetching changes nothing on the machine. Where to fetch from, through which proxy and by whose
//! keys is read from the machine's own configuration.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::apt_output::update_trouble;
use super::client::{Programs, failed, run, watch};
use super::configuration;
use super::keyrings::keyrings;
use super::offer::{self, Offer};
use super::sources::{Archives, FORMAT, Target};
use super::told::Told;
use crate::error::KernelError;

/// What the lists are called in messages.
pub(crate) const LISTS: &str = "Debian's package lists";

/// Why lists without kernels are of no use.
const NO_KERNEL: &str = "they name no kernel (linux-image-*-amd64) in the suites of Debian 12 and 13; perhaps what SLOWPATH_DEBIAN_MIRROR or the machine's sources name is another archive";

/// How long nothing may come from the archive. The client's own time-outs are for each file and each
/// attempt, so with an archive that takes connections and says nothing they add up to minutes.
const PATIENCE: Duration = Duration::from_secs(60);

/// The package client's root.
pub(crate) struct Root<'a> {
    folder: &'a Path,
    programs: &'a Programs,
}

impl<'a> Root<'a> {
    /// Writes the root's configuration anew, since the machine's may have changed. The lists in it
    /// stay. `folder` is absolute.
    ///
    /// # Errors
    /// [`KernelError::NoDebianArchive`], or the folder cannot be written.
    pub(crate) fn open(
        folder: &'a Path,
        programs: &'a Programs,
        mirror: Option<&str>,
    ) -> Result<Root<'a>, KernelError> {
        let targets = machine_targets(programs)?;
        let archives = Archives::find(&targets, mirror).ok_or(KernelError::NoDebianArchive)?;
        let sources = archives.source_lines(&keyrings(&targets));
        configuration::write(folder, &sources)
            .map_err(|reason| KernelError::write(folder, reason))?;
        Ok(Root { folder, programs })
    }

    fn command(&self, program: &str) -> Command {
        let mut command = self.programs.command(program);
        command.env("APT_CONFIG", self.folder.join("apt.conf"));
        command
    }

    /// Fetches the lists. `Some` is why not all of them are up to date now; those that could be
    /// fetched are, the others are as they were.
    ///
    /// # Errors
    /// The program cannot be run.
    pub(crate) fn update(&self, progress: &dyn Fn(&str)) -> Result<Option<String>, KernelError> {
        let mut told = Told::new(LISTS, progress);
        let mut update = self.command("apt-get");
        update.args(["update", "-q", "-o", "APT::Status-Fd=1"]);
        let said = watch(&mut update, Some(PATIENCE), &mut |line| told.line(line))?;
        let trouble = update_trouble(said.well, &said.stderr);
        Ok(trouble.map(|trouble| if trouble.is_empty() { said.reason() } else { trouble }))
    }

    /// The kernels that the lists name, newest first.
    ///
    /// # Errors
    /// A program fails, or the lists name no kernel at all.
    pub(crate) fn offers(&self) -> Result<Vec<Offer>, KernelError> {
        let mut names = self.command("apt-cache");
        let names = run(names.args(["pkgnames", "linux-image-"]))?;
        let names = names.unless_failed(LISTS)?;
        let packages = offer::kernel_packages(&names);
        let mut madison = self.command("apt-cache");
        let offers = match packages.is_empty() {
            true => Vec::new(),
            false => {
                let said = run(madison.arg("madison").args(packages))?;
                offer::from_madison(&said.unless_failed(LISTS)?)
            }
        };
        match offers.is_empty() {
            true => Err(failed(LISTS, NO_KERNEL.to_owned())),
            false => Ok(offers),
        }
    }

    /// Fetches the package into the empty folder `into` and returns its file.
    ///
    /// # Errors
    /// It cannot be fetched.
    pub(crate) fn download(
        &self,
        offer: &Offer,
        into: &Path,
        progress: &dyn Fn(&str),
    ) -> Result<PathBuf, KernelError> {
        let what = format!("kernel {}", offer.release);
        let mut told = Told::new(&offer.package, progress);
        let mut download = self.command("apt-get");
        download.args(["download", "-q", "-o", "APT::Status-Fd=1", "-o", "Acquire::Retries=2"]);
        download.arg(format!("{}={}", offer.package, offer.version)).current_dir(into);
        watch(&mut download, Some(PATIENCE), &mut |line| told.line_on_one_file(line))?
            .unless_failed(&what)?;
        let mut files = fs::read_dir(into).map_err(|error| KernelError::read(into, error))?;
        let package = files.find_map(|file| {
            file.ok()
                .map(|file| file.path())
                .filter(|path| path.extension().is_some_and(|end| end == "deb"))
        });
        package.ok_or_else(|| failed(&what, "apt-get brought no package".to_owned()))
    }

    /// Unpacks a package into the folder.
    ///
    /// # Errors
    /// It cannot be unpacked, as with a full disk.
    pub(crate) fn unpack(
        &self,
        package: &Path,
        into: &Path,
        what: &str,
    ) -> Result<(), KernelError> {
        let mut unpack = self.command("dpkg-deb");
        unpack.arg("-x").arg(package).arg(into);
        run(&mut unpack)?.unless_failed(what).map(drop)
    }
}

/// What the machine's sources name, and who made it where the machine knows.
fn machine_targets(programs: &Programs) -> Result<Vec<Target>, KernelError> {
    let mut targets = Vec::new();
    // The first names those whose lists the machine has, with their origin; the second all.
    for options in [&["--format", FORMAT][..], &["--no-release-info", "--format", FORMAT]] {
        let mut command = programs.command("apt-get");
        let said = run(command.arg("indextargets").args(options))?;
        Target::add(&mut targets, Target::all(&said.stdout));
    }
    Ok(targets)
}
