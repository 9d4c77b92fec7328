//! Calls of the kernel's make, each heard out or ended.

use std::cell::Cell;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::group::Group;
use super::log::Log;
use super::programs::{Programs, Tools};
use super::session::Session;
use crate::source::SourceError;

/// How often progress is told at most.
const TOLD: Duration = Duration::from_millis(500);

/// Leaves out of debugging information what only a debugger reads; of gcc from 8 on.
pub(crate) const TERSE: &str =
    "-fno-var-tracking -gno-variable-location-views -gno-statement-frontiers -gno-column-info";

/// The kernel's make, out of tree.
pub(crate) struct Make<'a> {
    /// Where programs are.
    pub(crate) programs: &'a Programs,
    /// What they are.
    pub(crate) tools: &'a Tools,
    /// The source, which is not written to.
    pub(crate) tree: &'a Path,
    /// The folder in which all is built.
    pub(crate) out: &'a Path,
    /// A folder whose programs are taken before all others: ccache's names for the compiler.
    pub(crate) first: Option<PathBuf>,
    /// Compilers at a time.
    pub(crate) jobs: usize,
    /// While it lasts, nobody else works in `out`.
    pub(crate) session: &'a Session,
    /// Whether a call had to be killed, so that nobody knows what is half written.
    pub(crate) cut_off: Cell<bool>,
    /// Whether to stop.
    pub(crate) stop: &'a dyn Fn() -> bool,
    /// Told how far it is.
    pub(crate) tell: &'a dyn Fn(&str),
}

impl Make<'_> {
    /// Makes `targets`; `variables` go on the command line too. What it says goes to the log.
    ///
    /// # Errors
    /// [`SourceError::DoesNotBuild`] when make fails, [`SourceError::NoSpace`] and
    /// [`SourceError::NoCompiler`] when its words say so; [`SourceError::Stopped`].
    pub(crate) fn run(
        &self,
        log: &mut Log,
        targets: &[&str],
        variables: &[OsString],
    ) -> Result<(), SourceError> {
        let mut command = self.programs.command(&self.tools.make, self.first.as_deref());
        command
            .arg("-C")
            .arg(self.tree)
            .arg("--no-print-directory")
            .arg(format!("-j{}", self.jobs));
        command.arg(assigned("O", self.out)).args(["LOCALVERSION=", "DEPMOD=true"]);
        command.args(self.flags()).args(variables).args(targets);
        let cannot_log = |error: io::Error| SourceError::io("write", self.out, error);
        log.call(&targets.join(" ")).map_err(cannot_log)?;
        let mut group = Group::start(command, self.session)
            .map_err(|error| SourceError::io("run", &self.tools.make, error))?;
        let mut told = Instant::now();
        let line = |line: &str| {
            log.take(line)?;
            if told.elapsed() > TOLD {
                told = Instant::now();
                log.progress().iter().for_each(|words| (self.tell)(words));
            }
            Ok(())
        };
        match group.listen(line, self.stop) {
            Ok(Some(status)) if status.success() => Ok(()),
            Ok(Some(status)) => Err(self.failed(log, &status.to_string())),
            cut_off => {
                self.cut_off.set(!group.end());
                Err(cut_off.err().map_or(SourceError::Stopped, cannot_log))
            }
        }
    }

    /// Debugging information, which goes into the hash that identifies an image, does not tell where the
    /// cache lies. Nor where variables are at each instruction, which makes it half as large and changes neither
    /// the code nor the types that are made of it.
    fn flags(&self) -> [OsString; 2] {
        let map =
            |folder: &Path, name: &str| format!("-fdebug-prefix-map={}={name}", folder.display());
        let maps = format!("{} {}", map(self.out, "."), map(self.tree, "."));
        [format!("KCFLAGS={maps} {TERSE}").into(), format!("KAFLAGS={maps}").into()]
    }

    fn failed(&self, log: &Log, how: &str) -> SourceError {
        if log.is_full() {
            let why = "No space left on device".to_owned();
            return SourceError::NoSpace { folder: self.out.to_path_buf(), why };
        }
        if let Some((what, package)) = log.lacks() {
            return SourceError::NoCompiler {
                missing: vec![what.to_owned()],
                packages: vec![package.to_owned()],
            };
        }
        let first = log.first().map_or_else(|| format!("make ended with {how}"), str::to_owned);
        let compiler = &self.tools.versions.compiler;
        SourceError::DoesNotBuild {
            first: format!("{first} (with {compiler}{})", age(self.tree).unwrap_or_default()),
            tail: log.tail(),
            log: log.path().to_path_buf(),
        }
    }
}

/// `NAME=PATH`, as make takes it.
pub(crate) fn assigned(name: &str, path: &Path) -> OsString {
    let mut argument = OsString::from(format!("{name}="));
    argument.push(path);
    argument
}

/// A hint for kernels from before 5.0, which is older than any compiler of today.
fn age(tree: &Path) -> Option<String> {
    let makefile = fs::read_to_string(tree.join("Makefile")).ok()?;
    let number = |name: &str| {
        let mut values =
            makefile.lines().filter_map(|line| line.strip_prefix(name)?.trim().strip_prefix('='));
        values.next()?.trim().parse::<u32>().ok()
    };
    let (version, level) = (number("VERSION")?, number("PATCHLEVEL")?);
    (version < 5).then(|| format!("; Linux {version}.{level} may want an older compiler"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_old_kernel_may_want_an_older_compiler() {
        let tree = tempfile::tempdir().unwrap();
        let hint = |text: &str| {
            fs::write(tree.path().join("Makefile"), text).unwrap();
            age(tree.path())
        };
        let old =
            "# SPDX-License-Identifier: GPL-2.0\nVERSION = 4\nPATCHLEVEL = 19\nSUBLEVEL = 3\n";
        assert_eq!(hint(old).unwrap(), "; Linux 4.19 may want an older compiler");
        assert_eq!(hint(&old.replace("VERSION = 4", "VERSION = 6")), None);
        assert_eq!(hint("all:\n"), None);
    }
}
