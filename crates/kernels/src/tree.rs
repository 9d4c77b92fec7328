//! The modules of one kernel.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::alias::{AliasIndex, CIPHERS, FILESYSTEMS, Folders};
use crate::builtin::Builtins;
use crate::error::KernelError;
use crate::layout::{ModuleFiles, build_release, module_files, source_folder};
use crate::module::{Module, read_with_info};
use crate::name;
use crate::resolve;

/// How many modules are asked for the release before the folder's name must do.
const ASKED: usize = 8;

/// The modules of one kernel, as installed (`…/lib/modules/VERSION`) or in a build tree.
///
/// depmod need not have run: what a module needs is read from the module itself.
#[derive(Debug, Clone)]
pub struct ModuleTree {
    dir: PathBuf,
    release: String,
    files: ModuleFiles,
    builtins: Builtins,
    ciphers: OnceLock<AliasIndex>,
    filesystems: OnceLock<AliasIndex>,
}

impl ModuleTree {
    /// Walks the folder once. It holds `kernel/` (with `updates/` and `extra/`, if any), or is a
    /// build tree with `include/config/kernel.release`.
    ///
    /// # Errors
    /// The folder cannot be read, or holds no modules and no `modules.builtin` either.
    pub fn open(dir: &Path) -> Result<Self, KernelError> {
        let files = module_files(dir)?;
        let builtins = Builtins::read(dir)?;
        if files.is_empty() && builtins.is_empty() {
            return Err(KernelError::NoModules { dir: dir.to_path_buf() });
        }
        let release = tree_release(dir, &files);
        Ok(ModuleTree {
            dir: dir.to_path_buf(),
            release,
            files,
            builtins,
            ciphers: OnceLock::new(),
            filesystems: OnceLock::new(),
        })
    }

    /// The kernel's release: what its own modules were built for, else what the build tree or the
    /// folder's name says.
    pub fn release(&self) -> &str {
        &self.release
    }

    /// The folder that was opened.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The module's file. `-` and `_` are the same.
    pub fn find(&self, name: &str) -> Option<&Path> {
        self.files.get(&name::normal(name)).map(PathBuf::as_path)
    }

    /// Whether `modules.builtin` lists the module.
    pub fn is_builtin(&self, name: &str) -> bool {
        self.builtins.has(&name::normal(name))
    }

    /// What to load, in this order: every module that `names` need, its dependencies before it, each
    /// once. Built-in ones are left out.
    ///
    /// `names` may be aliases too (`ext2` is ext4's). Of a module's soft dependencies, those that are
    /// there come along as [`Module::optional`].
    ///
    /// `extra` are module files from outside the tree. They take precedence over the tree's and are
    /// loaded when they are named or needed, else not.
    ///
    /// # Errors
    /// [`KernelError::ModuleMissing`] for a name that the kernel does not have,
    /// [`KernelError::DependencyMissing`] for one that another needs,
    /// [`KernelError::WrongVermagic`] for an extra module of another kernel; or a file cannot be read.
    pub fn resolve(&self, names: &[&str], extra: &[PathBuf]) -> Result<Vec<Module>, KernelError> {
        resolve::resolve(Some(self), &self.release, names, extra)
    }

    /// Whether a built-in module answers to the alias.
    pub(crate) fn has_builtin_alias(&self, alias: &str) -> bool {
        self.builtins.has_alias(&name::normal(alias))
    }

    /// The ciphers and checksums that answer to the alias, generic ones first.
    pub(crate) fn ciphers(&self, alias: &str) -> Result<&[String], KernelError> {
        self.by_alias(&self.ciphers, CIPHERS, alias)
    }

    /// The filesystems that answer to the alias. The first call may take a second.
    pub(crate) fn filesystems(&self, alias: &str) -> Result<&[String], KernelError> {
        self.by_alias(&self.filesystems, FILESYSTEMS, alias)
    }

    fn by_alias<'a>(
        &'a self,
        index: &'a OnceLock<AliasIndex>,
        folders: Folders,
        alias: &str,
    ) -> Result<&'a [String], KernelError> {
        let index = match index.get() {
            Some(index) => index,
            None => {
                let built = AliasIndex::build(&self.dir, &self.files, folders)?;
                index.get_or_init(|| built)
            }
        };
        Ok(index.modules(&name::normal(alias)))
    }
}

/// The kernel's own modules know best; `updates/` and `extra/` may hold some of other kernels.
fn tree_release(dir: &Path, files: &ModuleFiles) -> String {
    let foreign = ["updates", "extra", "weak-updates"];
    let own = files.values().filter(|path| {
        source_folder(dir, path)
            .is_some_and(|folder| !foreign.iter().any(|top| folder.starts_with(top)))
    });
    own.take(ASKED)
        .find_map(|path| built_for(path))
        .or_else(|| build_release(dir))
        .or_else(|| Some(dir.canonicalize().ok()?.file_name()?.to_string_lossy().into_owned()))
        .unwrap_or_default()
}

fn built_for(path: &Path) -> Option<String> {
    let (_, info) = read_with_info(path).ok()?;
    info.vermagic.split_whitespace().next().map(str::to_owned)
}
