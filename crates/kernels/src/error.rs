//! What can go wrong with a kernel or a module: on what, why, and what to do about it.

use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};

/// Why a kernel or a module cannot be used.
///
/// The text of each is complete: causes are part of it and not repeated by `source()`.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KernelError {
    /// The operating system did not give the file or folder.
    #[error("cannot read {}: {reason}", path.display())]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        reason: io::Error,
    },
    /// The file is there, but not for this user, as with the images in Ubuntu's `/boot`.
    #[error(
        "{} is not readable by this user; make a readable copy (sudo install -m 644 {} COPY) and name the copy",
        path.display(), path.display()
    )]
    NotReadable {
        /// The file or folder.
        path: PathBuf,
    },
    /// Another error, found in this file.
    #[error("{}: {what}", path.display())]
    In {
        /// The file in which it was found.
        path: PathBuf,
        /// What is wrong there.
        what: Box<KernelError>,
    },
    /// The bytes are neither a bzImage nor an ELF image.
    #[error(
        "not an x86 kernel image ({reason}); name a bzImage (vmlinuz) or an uncompressed vmlinux"
    )]
    NotAnImage {
        /// What was expected and not found.
        reason: &'static str,
    },
    /// The image says nowhere which version it is.
    #[error(
        "the image holds no version string (\"{looked_for}\"); name the image as it was built, not a part of it"
    )]
    NoRelease {
        /// Where the version was looked for.
        looked_for: &'static str,
    },
    /// The way it is packed has no reader here.
    #[error("packed with {format}, which slowpath cannot unpack; {advice}")]
    UnknownPacking {
        /// The name of the format, or what the bytes begin with.
        format: String,
        /// What to do instead.
        advice: &'static str,
    },
    /// The packed bytes are damaged or cut off.
    #[error(
        "cannot unpack {what} ({format}): {reason}; the file is damaged or cut off, fetch or build it again"
    )]
    Damaged {
        /// What was being unpacked.
        what: &'static str,
        /// The name of the format.
        format: &'static str,
        /// What the unpacking found.
        reason: String,
    },
    /// The folder is neither an unpacked package nor a build tree.
    #[error(
        "no kernel image in {} (looked for boot/vmlinuz-*, arch/x86/boot/bzImage and lib/modules/*/vmlinuz); name the image itself",
        folder.display()
    )]
    NoImage {
        /// The folder.
        folder: PathBuf,
    },
    /// The folder holds several kernels.
    #[error("{} holds several kernel images; name one of them:{}", folder.display(), lines(images))]
    SeveralImages {
        /// The folder.
        folder: PathBuf,
        /// The images in it.
        images: Vec<PathBuf>,
    },
    /// No kernel of this version is installed.
    #[error("kernel {version} is not installed under {}; {}", root.display(), installed_text(installed))]
    NotInstalled {
        /// The version that was asked for.
        version: String,
        /// Below which root.
        root: PathBuf,
        /// The versions that are installed there, newest first.
        installed: Vec<String>,
    },
    /// The folder holds no modules.
    #[error(
        "no kernel modules in {}; name the folder that holds kernel/ (…/lib/modules/VERSION)",
        dir.display()
    )]
    NoModules {
        /// The folder.
        dir: PathBuf,
    },
    /// The folder that the user named holds modules of other kernels only.
    #[error(
        "the modules in {} are for kernel {found}, the image is {release}; name the modules folder of {release}",
        dir.display()
    )]
    ModulesOfAnotherKernel {
        /// The folder.
        dir: PathBuf,
        /// The kernel whose modules these are.
        found: String,
        /// The image's release.
        release: String,
    },
    /// The bytes are no kernel module.
    #[error(
        "not a kernel module ({reason}); name a .ko file, plain or packed with xz, zstd or gzip"
    )]
    NotAModule {
        /// What was expected and not found.
        reason: String,
    },
    /// A module that does not say which kernel it was built for.
    #[error(
        "module {module} ({}) does not say which kernel it was built for (no vermagic); build it again without stripping its .modinfo",
        path.display()
    )]
    NoVermagic {
        /// The module's name.
        module: String,
        /// Its file.
        path: PathBuf,
    },
    /// The kernel has no such module.
    #[error(
        "kernel {release} has no module {name}, neither as a file nor built in; take a kernel that has it, or hand over a {name}.ko built for {release}"
    )]
    ModuleMissing {
        /// The module that was asked for.
        name: String,
        /// The kernel's release.
        release: String,
    },
    /// A module needs another one that the kernel does not have.
    #[error(
        "module {needed_by} needs module {name}, which kernel {release} has neither as a file nor built in; hand over a {name}.ko built for {release} too"
    )]
    DependencyMissing {
        /// The module that is missing.
        name: String,
        /// The module that needs it.
        needed_by: String,
        /// The kernel's release.
        release: String,
    },
    /// Modules that need each other without end.
    #[error(
        "the dependencies of module {name} are more than {limit} deep; its .modinfo is damaged"
    )]
    TooDeep {
        /// The module at which the search stopped.
        name: String,
        /// The depth that was allowed.
        limit: usize,
    },
    /// A module that was built for another kernel.
    #[error(
        "module {module} ({}) was built for kernel {built_for}, not for {release}; build it against the headers of {release}",
        path.display()
    )]
    WrongVermagic {
        /// The module's name.
        module: String,
        /// Its file.
        path: PathBuf,
        /// The release that it was built for.
        built_for: String,
        /// The kernel's release.
        release: String,
    },
    /// What stands behind `debian:` is neither a series nor a release.
    #[error(
        "\"{text}\" is no version of a Debian kernel; write a series such as 6.12, or a release such as 6.1.0-57-amd64"
    )]
    NotAVersion {
        /// What was written.
        text: String,
    },
    /// The package lists name no such kernel, and it is not in the cache either.
    #[error(
        "Debian's package lists name no kernel {version} (the archive drops older builds); {}",
        nearest_text(nearest)
    )]
    NoSuchVersion {
        /// The series or release that was asked for.
        version: String,
        /// The releases that are nearest to it, newest first.
        nearest: Vec<String>,
    },
    /// The machine does not say where Debian's packages are.
    #[error(
        "this machine's package sources name no Debian archive; set SLOWPATH_DEBIAN_MIRROR to the address of one"
    )]
    NoDebianArchive,
    /// A program of the package client is not installed.
    #[error(
        "{program} is not installed here, and Debian's kernels are fetched with it; install apt and dpkg, or unpack a linux-image package elsewhere and name its folder"
    )]
    ClientMissing {
        /// The program.
        program: String,
    },
    /// The package lists or a package could not be fetched or unpacked.
    #[error("cannot fetch {what}: {reason}; {advice}")]
    CannotFetch {
        /// What was to be fetched.
        what: String,
        /// The last words of the program that failed.
        reason: String,
        /// What to do about it.
        advice: &'static str,
    },
    /// The cache cannot be written.
    #[error("cannot write {}: {reason}; make room there, or choose another cache folder", path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        reason: io::Error,
    },
}

impl KernelError {
    /// Whether the kernel could be had if something that is missing here were there: the network,
    /// the package client, the address of an archive, or a cache that can be written.
    #[must_use]
    pub fn cannot_be_fetched(&self) -> bool {
        use KernelError::{CannotFetch, ClientMissing, NoDebianArchive, Write};
        matches!(self, CannotFetch { .. } | ClientMissing { .. } | NoDebianArchive | Write { .. })
    }

    /// The error for a file or folder that the system did not let us write.
    pub(crate) fn write(path: &Path, reason: io::Error) -> Self {
        KernelError::Write { path: path.to_path_buf(), reason }
    }

    /// The error for a file or folder that the system did not give.
    pub(crate) fn read(path: &Path, reason: io::Error) -> Self {
        let path = path.to_path_buf();
        match reason.kind() {
            io::ErrorKind::PermissionDenied => KernelError::NotReadable { path },
            _ => KernelError::Read { path, reason },
        }
    }

    /// The same error, with the file in which it was found.
    pub(crate) fn within(self, path: &Path) -> Self {
        KernelError::In { path: path.to_path_buf(), what: Box::new(self) }
    }
}

fn lines(paths: &[PathBuf]) -> String {
    let mut text = String::new();
    for path in paths {
        let _ = write!(text, "\n  {}", path.display());
    }
    text
}

fn installed_text(versions: &[String]) -> String {
    if versions.is_empty() {
        return "no kernel image was found in boot/ or lib/modules/".to_owned();
    }
    format!("installed are: {}", versions.join(", "))
}

fn nearest_text(releases: &[String]) -> String {
    if releases.is_empty() {
        return "they name none of its kind".to_owned();
    }
    format!("nearest are: {}", releases.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_read_says_how_to_get_a_readable_copy() {
        let denied = io::Error::from(io::ErrorKind::PermissionDenied);
        let error = KernelError::read(Path::new("/boot/vmlinuz-6.8.0-41-generic"), denied);
        assert_eq!(
            error.to_string(),
            "/boot/vmlinuz-6.8.0-41-generic is not readable by this user; make a readable copy \
             (sudo install -m 644 /boot/vmlinuz-6.8.0-41-generic COPY) and name the copy"
        );
    }

    #[test]
    fn what_is_installed_is_listed() {
        assert_eq!(installed_text(&["6.12".into(), "6.1".into()]), "installed are: 6.12, 6.1");
        assert!(installed_text(&[]).starts_with("no kernel image"));
    }

    #[test]
    fn a_version_that_is_gone_comes_with_the_nearest() {
        let nearest = vec!["6.1.0-9-amd64".to_owned(), "6.1.0-7-amd64".to_owned()];
        let error = KernelError::NoSuchVersion { version: "6.1.0-8-amd64".to_owned(), nearest };
        assert_eq!(
            error.to_string(),
            "Debian's package lists name no kernel 6.1.0-8-amd64 (the archive drops older builds); \
             nearest are: 6.1.0-9-amd64, 6.1.0-7-amd64"
        );
        assert!(!error.cannot_be_fetched());
        assert!(nearest_text(&[]).contains("none of its kind"));
    }

    #[test]
    fn what_is_missing_here_is_told_from_what_does_not_exist() {
        let program = "apt-get".to_owned();
        assert!(KernelError::ClientMissing { program }.cannot_be_fetched());
        assert!(KernelError::NoDebianArchive.cannot_be_fetched());
        assert!(!KernelError::NotAVersion { text: "sid".to_owned() }.cannot_be_fetched());
    }
}
