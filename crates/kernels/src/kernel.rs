//! A kernel: its image, its release and its modules.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::KernelError;
use crate::image;
use crate::installed;
use crate::locate;
use crate::module::Module;
use crate::resolve;
use crate::tree::ModuleTree;

/// A kernel that the lab can boot.
#[derive(Debug, Clone)]
pub struct Kernel {
    /// Its release by the image's own version string, such as `6.1.0-57-amd64`.
    pub release: String,
    /// The bzImage or ELF vmlinux, as the user named it.
    pub image: PathBuf,
    /// Its modules; `None` when there are none or nobody knows where they are.
    pub modules: Option<ModuleTree>,
}

impl Kernel {
    /// Takes the kernel at `path`: a bzImage, an ELF vmlinux, or a folder that is the root of an
    /// unpacked package (`boot/vmlinuz-*`) or a build tree (`arch/x86/boot/bzImage`).
    ///
    /// `modules` is the modules folder when the user names one: the folder that holds `kernel/`, a
    /// build tree, or a folder above (`…/lib/modules`, or the root of an unpacked package) that has
    /// this release's in it. Otherwise they are looked for beside the image: as `../lib/modules/RELEASE` and
    /// `../usr/lib/modules/RELEASE` (for an image in `/boot` that is `/lib/modules/RELEASE`), in the
    /// image's own folder, and in the build tree that the image is part of. None is fine.
    ///
    /// # Errors
    /// The image cannot be read ([`KernelError::NotReadable`]) or is none, the folder holds none or
    /// several, or the modules are another kernel's.
    pub fn from_path(path: &Path, modules: Option<&Path>) -> Result<Kernel, KernelError> {
        let image = if path.is_dir() { locate::image_in(path)? } else { path.to_path_buf() };
        let release = release_of(&image)?;
        let modules = match modules {
            Some(dir) => Some(locate::named_modules(dir, &release)?),
            None => locate::modules_beside(&image, &release)?,
        };
        Ok(Kernel { release, image, modules })
    }

    /// Takes the installed kernel of exactly this version. `root` is `/`, and a fake tree in tests.
    ///
    /// # Errors
    /// [`KernelError::NotInstalled`] lists what is installed there; [`KernelError::NotReadable`]
    /// when the image is not for this user, as on Ubuntu.
    pub fn installed(root: &Path, version: &str) -> Result<Kernel, KernelError> {
        Kernel::from_path(&installed::image_of(root, version)?, None)
    }

    /// The versions that are installed below `root`, newest first (6.12 before 6.9).
    pub fn list_installed(root: &Path) -> Vec<String> {
        installed::versions(root)
    }

    /// Whether the kernel was built to refuse modules without a signature, as far as its
    /// configuration lies beside the image (`config-RELEASE`) or among the modules (`config`).
    #[must_use]
    pub fn insists_on_signatures(&self) -> bool {
        let beside = self.image.with_file_name(format!("config-{}", self.release));
        let among = self.modules.as_ref().map(|modules| modules.dir().join("config"));
        let configs = [Some(beside), among].into_iter().flatten();
        let texts = configs.filter_map(|file| fs::read_to_string(file).ok());
        texts.take(1).any(|text| text.lines().any(|line| line == "CONFIG_MODULE_SIG_FORCE=y"))
    }

    /// What to load for `names`, in order: see [`ModuleTree::resolve`]. A kernel without a module
    /// tree is taken to have everything built in that is not among `extra`.
    ///
    /// # Errors
    /// As [`ModuleTree::resolve`].
    pub fn resolve(&self, names: &[&str], extra: &[PathBuf]) -> Result<Vec<Module>, KernelError> {
        resolve::resolve(self.modules.as_ref(), &self.release, names, extra)
    }
}

fn release_of(image: &Path) -> Result<String, KernelError> {
    let metadata = fs::metadata(image).map_err(|error| KernelError::read(image, error))?;
    if !metadata.is_file() {
        return Err(KernelError::NotAnImage { reason: "not a regular file" }.within(image));
    }
    let bytes = fs::read(image).map_err(|error| KernelError::read(image, error))?;
    image::release(&bytes).map_err(|error| error.within(image))
}
