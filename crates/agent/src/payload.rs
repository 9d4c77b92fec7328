//! Unpacks the payload, a cpio archive (newc), into a folder.

use std::fs::{self, File, Permissions};
use std::io::{self, Read};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Component, Path, PathBuf};

use cpio::newc;

const TYPE: u32 = 0o170_000;
const FOLDER: u32 = 0o040_000;
const REGULAR: u32 = 0o100_000;
const LINK: u32 = 0o120_000;

/// Unpacks folders, files and symbolic links with their modes; owners are ours.
///
/// # Errors
/// The archive is damaged, holds something else, or a name that leads out of `root`.
pub(crate) fn unpack(mut archive: impl Read, root: &Path) -> io::Result<()> {
    fs::create_dir_all(root)?;
    loop {
        let mut entry = newc::Reader::new(archive)?;
        if entry.entry().is_trailer() {
            return Ok(());
        }
        let name = entry.entry().name().to_owned();
        let mode = entry.entry().mode();
        let path = root.join(inside(&name)?);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let named = |error: io::Error| io::Error::new(error.kind(), format!("{name}: {error}"));
        match mode & TYPE {
            FOLDER => fs::create_dir_all(&path).map_err(named)?,
            REGULAR => drop(io::copy(&mut entry, &mut File::create(&path)?).map_err(named)?),
            LINK => {
                let mut target = String::new();
                entry.read_to_string(&mut target)?;
                symlink(target, &path).map_err(named)?;
            }
            _ => return Err(bad(&name, "is neither a file, a folder nor a symbolic link")),
        }
        if mode & TYPE != LINK {
            fs::set_permissions(&path, Permissions::from_mode(mode & 0o7777))?;
        }
        archive = entry.finish()?;
    }
}

/// `name` as a path that stays below its root.
fn inside(name: &str) -> io::Result<PathBuf> {
    let mut path = PathBuf::new();
    for component in Path::new(name).components() {
        match component {
            Component::Normal(part) => path.push(part),
            Component::CurDir | Component::RootDir => {}
            Component::ParentDir | Component::Prefix(_) => {
                return Err(bad(name, "leads out of the payload"));
            }
        }
    }
    Ok(path)
}

fn bad(name: &str, why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("{name} {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn archive(entries: &[(&str, u32, &[u8])]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (name, mode, content) in entries {
            let size = u32::try_from(content.len()).unwrap();
            let mut writer = newc::Builder::new(name).mode(*mode).write(bytes, size);
            io::Write::write_all(&mut writer, content).unwrap();
            bytes = writer.finish().unwrap();
        }
        newc::trailer(bytes).unwrap()
    }

    #[test]
    fn files_folders_and_links_keep_their_modes() {
        let root = tempfile::tempdir().unwrap();
        let bytes = archive(&[
            ("sbin", FOLDER | 0o750, b""),
            ("sbin/mke2fs", REGULAR | 0o755, b"program"),
            ("sbin/mkfs.ext4", LINK | 0o777, b"mke2fs"),
            ("etc/deep/mke2fs.conf", REGULAR | 0o644, b"x"),
        ]);
        unpack(&bytes[..], root.path()).unwrap();
        let mode = |name: &str| fs::metadata(root.path().join(name)).unwrap().permissions().mode();
        assert_eq!(mode("sbin") & 0o7777, 0o750);
        assert_eq!(mode("sbin/mke2fs") & 0o7777, 0o755);
        assert_eq!(fs::read(root.path().join("sbin/mkfs.ext4")).unwrap(), b"program");
        assert_eq!(fs::read(root.path().join("etc/deep/mke2fs.conf")).unwrap(), b"x");
    }

    #[test]
    fn what_leads_out_or_is_a_device_is_refused() {
        let root = tempfile::tempdir().unwrap();
        for (name, mode) in [("../out", REGULAR | 0o644), ("null", 0o020_666)] {
            let error = unpack(&archive(&[(name, mode, b"")])[..], root.path()).unwrap_err();
            assert!(error.to_string().starts_with(name), "{error}");
        }
        assert!(unpack(&b"no archive"[..], root.path()).is_err());
    }
}
