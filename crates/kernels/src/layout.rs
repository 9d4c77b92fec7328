//! Where the module files lie: installed below `lib/modules/VERSION`, or all over a build tree.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::builtin::read_if_there;
use crate::error::KernelError;
use crate::name;

/// Module files by name. With two of a name, `updates/` goes before `extra/`, `weak-updates/` and
/// the kernel's own, much as with depmod's `search` (depmod.d(5)).
pub(crate) type ModuleFiles = BTreeMap<String, PathBuf>;

/// All module files of the folder.
pub(crate) fn module_files(dir: &Path) -> Result<ModuleFiles, KernelError> {
    let paths = match build_release(dir) {
        Some(_) => built(dir)?,
        None => installed(dir)?,
    };
    let mut files = ModuleFiles::new();
    for path in paths {
        let Some(name) = name::from_file(&path) else { continue };
        match files.get(&name) {
            Some(other) if rank(dir, other) <= rank(dir, &path) => {}
            _ => drop(files.insert(name, path)),
        }
    }
    Ok(files)
}

/// The release that a build tree writes down for itself (`include/config/kernel.release`); `None`
/// when the folder is no build tree.
pub(crate) fn build_release(dir: &Path) -> Option<String> {
    let text = fs::read_to_string(dir.join("include/config/kernel.release")).ok()?;
    Some(text.trim().to_owned()).filter(|release| !release.is_empty())
}

/// A module's folder within the kernel's sources, such as `fs/ext4`.
pub(crate) fn source_folder<'a>(dir: &Path, path: &'a Path) -> Option<&'a Path> {
    let path = path.strip_prefix(dir).ok()?;
    path.strip_prefix("kernel").unwrap_or(path).parent()
}

fn rank(dir: &Path, path: &Path) -> (usize, PathBuf) {
    let inside = path.strip_prefix(dir).unwrap_or(path);
    let first = ["updates", "extra", "weak-updates"];
    let rank = first.iter().position(|top| inside.starts_with(top)).unwrap_or(first.len());
    (rank, path.to_path_buf())
}

/// Those of a build tree's `modules.order` that were built: `fs/ext4/ext4.o` a line, and
/// `kernel/fs/ext4/ext4.ko` before Linux 6.3.
fn built(dir: &Path) -> Result<Vec<PathBuf>, KernelError> {
    let order = read_if_there(&dir.join("modules.order"))?;
    let order = String::from_utf8_lossy(&order);
    let paths = order.lines().map(|line| {
        let line = Path::new(line);
        let inside = match line.extension().is_some_and(|end| end == "ko") {
            true => line.strip_prefix("kernel").unwrap_or(line),
            false => line,
        };
        dir.join(inside).with_extension("ko")
    });
    Ok(paths.filter(|path| path.is_file()).collect())
}

/// Every file in the folder that is a module by its name.
fn installed(dir: &Path) -> Result<Vec<PathBuf>, KernelError> {
    let mut paths = Vec::new();
    let mut folders = vec![dir.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).map_err(|error| KernelError::read(&folder, error))? {
            let path = entry.map_err(|error| KernelError::read(&folder, error))?.path();
            if is_folder(&path, folder == dir) {
                folders.push(path);
            } else if name::from_file(&path).is_some() && path.is_file() {
                paths.push(path);
            }
        }
    }
    Ok(paths)
}

/// `build` and `source` lead to the kernel's sources. A link to a folder counts at the top only, so
/// that no circle is walked.
fn is_folder(path: &Path, top: bool) -> bool {
    if top {
        return !path.ends_with("build") && !path.ends_with("source") && path.is_dir();
    }
    fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_dir())
}
