//! Archives for the guest in cpio's `newc` form: dates, owners and inode numbers are fixed, so that
//! the same files give the same bytes.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;

use cpio::newc::{Builder, trailer};

const DIRECTORY: u32 = 0o040_755;
const PROGRAM: u32 = 0o100_755;
const LINK: u32 = 0o120_777;
const CHARACTER_DEVICE: u32 = 0o020_600;

/// An archive that grows.
#[derive(Default)]
pub(crate) struct Archive {
    bytes: Vec<u8>,
    folders: BTreeSet<String>,
    inode: u32,
}

impl Archive {
    /// Adds a file that can be executed, and the folders above it. `path` may begin with `/`.
    pub(crate) fn file(&mut self, path: &Path, content: &[u8]) -> io::Result<()> {
        let name = relative(path);
        self.parents(&name)?;
        self.entry(&name, PROGRAM, (0, 0), content)
    }

    /// Adds a folder, and those above it.
    pub(crate) fn folder(&mut self, path: &str) -> io::Result<()> {
        self.parents(path)?;
        if self.folders.insert(path.to_owned()) {
            self.entry(path, DIRECTORY, (0, 0), &[])?;
        }
        Ok(())
    }

    /// Adds a character device.
    pub(crate) fn device(&mut self, path: &str, major: u32, minor: u32) -> io::Result<()> {
        self.parents(path)?;
        self.entry(path, CHARACTER_DEVICE, (major, minor), &[])
    }

    /// Adds a symbolic link.
    pub(crate) fn link(&mut self, path: &str, target: &str) -> io::Result<()> {
        self.parents(path)?;
        self.entry(path, LINK, (0, 0), target.as_bytes())
    }

    /// The finished archive.
    pub(crate) fn finish(self) -> io::Result<Vec<u8>> {
        trailer(self.bytes)
    }

    fn parents(&mut self, name: &str) -> io::Result<()> {
        for (end, _) in name.match_indices('/') {
            if self.folders.insert(name[..end].to_owned()) {
                self.entry(&name[..end], DIRECTORY, (0, 0), &[])?;
            }
        }
        Ok(())
    }

    fn entry(&mut self, name: &str, mode: u32, rdev: (u32, u32), content: &[u8]) -> io::Result<()> {
        self.inode += 1;
        let links = if mode == DIRECTORY { 2 } else { 1 };
        let builder = Builder::new(name)
            .ino(self.inode)
            .mode(mode)
            .nlink(links)
            .rdev_major(rdev.0)
            .rdev_minor(rdev.1);
        let size = u32::try_from(content.len())
            .map_err(|_| io::Error::other(format!("{name} is larger than cpio's 4 GiB")))?;
        let mut writer = builder.write(&mut self.bytes, size);
        io::Write::write_all(&mut writer, content)?;
        writer.finish().map(drop)
    }
}

fn relative(path: &Path) -> String {
    path.to_string_lossy().trim_start_matches('/').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_archive_is_the_same_every_time_and_names_each_folder_once() {
        let make = || {
            let mut archive = Archive::default();
            archive.file(Path::new("/usr/sbin/mkfs"), b"one").unwrap();
            archive.file(Path::new("/usr/lib/lib.so"), b"two").unwrap();
            archive.device("dev/console", 5, 1).unwrap();
            archive.folder("proc").unwrap();
            archive.finish().unwrap()
        };
        assert_eq!(make(), make());
        let mut names = Vec::new();
        let mut rest = &make()[..];
        loop {
            let reader = cpio::newc::Reader::new(rest).unwrap();
            if reader.entry().is_trailer() {
                break;
            }
            names.push(reader.entry().name().to_owned());
            rest = reader.finish().unwrap();
        }
        let expected = ["usr", "usr/sbin", "usr/sbin/mkfs", "usr/lib", "usr/lib/lib.so"];
        assert_eq!(names[..5], expected);
        assert_eq!(names[5..], ["dev", "dev/console", "proc"]);
    }
}
