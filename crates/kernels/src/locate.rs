//! Where a kernel's image is in a folder, and where its modules are.

use std::fs;
use std::path::{self, Path, PathBuf};

use crate::error::KernelError;
use crate::layout::build_release;
use crate::tree::ModuleTree;

const MODULE_FOLDERS: [&str; 2] = ["lib/modules", "usr/lib/modules"];

/// The one image in an unpacked package or a build tree.
///
/// # Errors
/// There is none, or more than one.
pub(crate) fn image_in(folder: &Path) -> Result<PathBuf, KernelError> {
    let built = folder.join("arch/x86/boot/bzImage");
    if built.is_file() {
        return Ok(built);
    }
    let mut images: Vec<PathBuf> = images(folder)?.into_iter().map(|(_, image)| image).collect();
    match (images.pop(), images.is_empty()) {
        (Some(image), true) => Ok(image),
        (None, _) => Err(KernelError::NoImage { folder: folder.to_path_buf() }),
        (Some(image), false) => {
            images.push(image);
            Err(KernelError::SeveralImages { folder: folder.to_path_buf(), images })
        }
    }
}

/// The images below a root by version: `boot/vmlinuz-VERSION` (Debian, and most others), else
/// `lib/modules/VERSION/vmlinuz` (Fedora, Arch). Rescue images are left out.
pub(crate) fn images(root: &Path) -> Result<Vec<(String, PathBuf)>, KernelError> {
    let mut images = Vec::new();
    for path in entries(&root.join("boot"))? {
        if let Some(version) = file_name(&path).and_then(|name| name.strip_prefix("vmlinuz-")) {
            images.push((version.to_owned(), path.clone()));
        }
    }
    for folder in MODULE_FOLDERS {
        for path in entries(&root.join(folder))? {
            if let Some(version) = file_name(&path) {
                images.push((version.to_owned(), path.join("vmlinuz")));
            }
        }
    }
    images.retain(|(version, path)| !version.starts_with("0-rescue") && path.is_file());
    // Stable: of one version, the image in boot/ stays.
    images.sort_by(|(left, _), (right, _)| left.cmp(right));
    images.dedup_by(|(later, _), (earlier, _)| later == earlier);
    Ok(images)
}

/// The modules in a folder that the user named: it holds `kernel/` itself or is a build tree, or it
/// has `RELEASE/`, `lib/modules/RELEASE/` or `usr/lib/modules/RELEASE/` in it.
///
/// # Errors
/// There are no modules, or only those of another kernel.
pub(crate) fn named_modules(dir: &Path, release: &str) -> Result<ModuleTree, KernelError> {
    let within = MODULE_FOLDERS.iter().map(|folder| dir.join(folder).join(release));
    let inner = [dir.join(release)].into_iter().chain(within).find(|inner| inner.is_dir());
    let tree = match inner {
        Some(inner) => ModuleTree::open(&inner)?,
        None if is_parent(dir) => return Err(no_such_release(dir, release)),
        None => ModuleTree::open(dir)?,
    };
    if tree.release() != release {
        return Err(KernelError::ModulesOfAnotherKernel {
            dir: tree.dir().to_path_buf(),
            found: tree.release().to_owned(),
            release: release.to_owned(),
        });
    }
    Ok(tree)
}

/// Whether the folder is a `lib/modules` with several kernels' modules, rather than one kernel's.
fn is_parent(dir: &Path) -> bool {
    let own = build_release(dir).is_some() || dir.join("kernel").is_dir();
    !own && !releases(dir).is_empty()
}

fn releases(dir: &Path) -> Vec<String> {
    let folders = entries(dir).unwrap_or_default();
    let folders = folders.iter().filter(|path| path.join("kernel").is_dir());
    folders.filter_map(|path| file_name(path)).map(str::to_owned).collect()
}

fn no_such_release(dir: &Path, release: &str) -> KernelError {
    let found = releases(dir).join(", ");
    KernelError::ModulesOfAnotherKernel {
        dir: dir.to_path_buf(),
        found,
        release: release.to_owned(),
    }
}

/// The modules that lie beside an image, if any.
///
/// A build tree's modules may be older than its image; those are not this kernel's and are left alone.
///
/// # Errors
/// There are some, and they cannot be read or are another kernel's in spite of their folder's name.
pub(crate) fn modules_beside(
    image: &Path,
    release: &str,
) -> Result<Option<ModuleTree>, KernelError> {
    let image = path::absolute(image).map_err(|error| KernelError::read(image, error))?;
    if let Some(tree) = build_tree_of(&image) {
        let tree = unless_empty(ModuleTree::open(&tree))?;
        return Ok(tree.filter(|tree| tree.release() == release));
    }
    match installed_folders(&image, release).into_iter().find(|folder| folder.is_dir()) {
        Some(folder) => unless_empty(named_modules(&folder, release)),
        None => Ok(None),
    }
}

/// A folder without modules is as good as none.
fn unless_empty(tree: Result<ModuleTree, KernelError>) -> Result<Option<ModuleTree>, KernelError> {
    match tree {
        Err(KernelError::NoModules { .. }) => Ok(None),
        tree => tree.map(Some),
    }
}

/// `TREE/arch/x86/boot/bzImage` and `TREE/vmlinux` belong to `TREE`.
fn build_tree_of(image: &Path) -> Option<PathBuf> {
    let mut above = image.ancestors();
    let tree = [above.nth(1), above.nth(2)].into_iter().flatten();
    tree.into_iter().find(|tree| build_release(tree).is_some()).map(Path::to_path_buf)
}

fn installed_folders(image: &Path, release: &str) -> Vec<PathBuf> {
    let Some(folder) = image.parent() else { return Vec::new() };
    let own = folder.ends_with(release).then(|| folder.to_path_buf());
    let root = folder.parent().into_iter();
    let beside =
        root.flat_map(|root| MODULE_FOLDERS.map(|modules| root.join(modules).join(release)));
    own.into_iter().chain(beside).collect()
}

/// The folder's entries by name; none when there is no such folder.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, KernelError> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let entries = fs::read_dir(folder).map_err(|error| KernelError::read(folder, error))?;
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    Ok(paths)
}

fn file_name(path: &Path) -> Option<&str> {
    path.file_name()?.to_str()
}
