//! Which modules to load, and in which order.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use crate::error::KernelError;
use crate::modinfo::ModuleInfo;
use crate::module::{Module, check_vermagic, read_with_info};
use crate::name;
use crate::tree::ModuleTree;

/// Real chains of modules are less than ten deep.
const DEPTH_LIMIT: usize = 64;

/// See [`ModuleTree::resolve`]. Without a tree, every module that is not among `extra` is taken for
/// built in: nobody can know better.
pub(crate) fn resolve(
    tree: Option<&ModuleTree>,
    release: &str,
    names: &[&str],
    extra: &[PathBuf],
) -> Result<Vec<Module>, KernelError> {
    let mut search = Search::new(tree, release, extra)?;
    let mut roots = Vec::new();
    for name in names {
        roots.extend(search.need(&name::normal(name), None, 0)?);
    }
    Ok(search.finish(roots))
}

/// A depth-first walk; what a module needs is in `order` before it.
struct Search<'a> {
    tree: Option<&'a ModuleTree>,
    release: &'a str,
    extras: BTreeMap<String, (Module, ModuleInfo)>,
    seen: BTreeSet<String>,
    order: Vec<Placed>,
}

/// A module in its place.
struct Placed {
    /// The name by which it was found, its file's for a module of the tree.
    found_as: String,
    module: Module,
    /// The modules without which it does not load.
    hard: Vec<String>,
}

impl<'a> Search<'a> {
    fn new(
        tree: Option<&'a ModuleTree>,
        release: &'a str,
        extra: &[PathBuf],
    ) -> Result<Self, KernelError> {
        let mut extras = BTreeMap::new();
        for path in extra {
            let (module, info) = read_with_info(path)?;
            extras.insert(module.name.clone(), (module, info));
        }
        Ok(Search { tree, release, extras, seen: BTreeSet::new(), order: Vec::new() })
    }

    /// Places a module that must be there, and returns under which name; `None` when it is built in.
    fn need(
        &mut self,
        name: &str,
        by: Option<&str>,
        depth: usize,
    ) -> Result<Option<String>, KernelError> {
        if self.has_file(name) {
            return self.place(name, depth).map(|()| Some(name.to_owned()));
        }
        if self.is_builtin(name) {
            return Ok(None);
        }
        let mut providers = self.providers(name)?;
        if let (true, Some(tree)) = (providers.is_empty(), self.tree) {
            providers.extend(tree.filesystems(name)?.iter().cloned());
        }
        let Some((first, others)) = providers.split_first() else {
            return Err(self.missing(name, by));
        };
        self.place(first, depth)?;
        for other in others {
            self.place_if_possible(other, depth)?;
        }
        Ok(Some(first.clone()))
    }

    /// Places what answers to a soft dependency: the module of that name and all those with that
    /// alias. (`modprobe` stops at the first kind. Within a guest nobody answers the kernel's own
    /// request for, say, `crypto-crc32`, which on other machines brings the second.)
    fn want(&mut self, name: &str, depth: usize) -> Result<(), KernelError> {
        if self.has_file(name) {
            self.place_if_possible(name, depth)?;
        }
        for provider in self.providers(name)? {
            self.place_if_possible(&provider, depth)?;
        }
        Ok(())
    }

    fn place(&mut self, name: &str, depth: usize) -> Result<(), KernelError> {
        if self.seen.contains(name) {
            return Ok(());
        }
        if depth > DEPTH_LIMIT {
            return Err(KernelError::TooDeep { name: name.to_owned(), limit: DEPTH_LIMIT });
        }
        let Some((module, info)) = self.read(name)? else { return Ok(()) };
        self.seen.insert(name.to_owned());
        let mut hard = Vec::new();
        for dependency in &info.depends {
            hard.extend(self.need(dependency, Some(name), depth + 1)?);
        }
        for wish in &info.softdep_pre {
            self.want(wish, depth + 1)?;
        }
        self.order.push(Placed { found_as: name.to_owned(), module, hard });
        Ok(())
    }

    /// Places a module that may be left out, and leaves it out when one that it needs is missing.
    fn place_if_possible(&mut self, name: &str, depth: usize) -> Result<(), KernelError> {
        let (seen, placed) = (self.seen.clone(), self.order.len());
        match self.place(name, depth) {
            Err(KernelError::DependencyMissing { .. }) => {
                self.seen = seen;
                self.order.truncate(placed);
                Ok(())
            }
            result => result,
        }
    }

    fn read(&self, name: &str) -> Result<Option<(Module, ModuleInfo)>, KernelError> {
        if let Some((module, info)) = self.extras.get(name) {
            check_vermagic(module, self.release)?;
            return Ok(Some((module.clone(), info.clone())));
        }
        self.tree.and_then(|tree| tree.find(name)).map(read_with_info).transpose()
    }

    fn has_file(&self, name: &str) -> bool {
        self.extras.contains_key(name) || self.tree.is_some_and(|tree| tree.find(name).is_some())
    }

    fn is_builtin(&self, name: &str) -> bool {
        match self.tree {
            Some(tree) => tree.is_builtin(name) || tree.has_builtin_alias(name),
            None => !self.extras.values().any(|(_, info)| answers_to(info, name)),
        }
    }

    /// The modules with this alias: the extra ones, then the tree's ciphers and checksums.
    fn providers(&self, alias: &str) -> Result<Vec<String>, KernelError> {
        let extras = self.extras.iter().filter(|(_, (_, info))| answers_to(info, alias));
        let mut providers: Vec<String> = extras.map(|(name, _)| name.clone()).collect();
        if let Some(tree) = self.tree {
            providers.extend(tree.ciphers(alias)?.iter().cloned());
        }
        Ok(providers)
    }

    fn missing(&self, name: &str, by: Option<&str>) -> KernelError {
        let (name, release) = (name.to_owned(), self.release.to_owned());
        match by {
            Some(by) => KernelError::DependencyMissing { name, needed_by: by.to_owned(), release },
            None => KernelError::ModuleMissing { name, release },
        }
    }

    /// The modules in order; those that no root needs, directly or through others, are optional.
    fn finish(self, roots: Vec<String>) -> Vec<Module> {
        let hard: BTreeMap<&str, &[String]> =
            self.order.iter().map(|p| (p.found_as.as_str(), p.hard.as_slice())).collect();
        let mut required = BTreeSet::new();
        let mut open = roots;
        while let Some(name) = open.pop() {
            if !required.contains(&name) {
                open.extend(hard.get(name.as_str()).copied().unwrap_or_default().iter().cloned());
                required.insert(name);
            }
        }
        let optional = |placed: &Placed| !required.contains(&placed.found_as);
        let modules = self.order.into_iter();
        modules.map(|p| Module { optional: optional(&p), ..p.module }).collect()
    }
}

fn answers_to(info: &ModuleInfo, alias: &str) -> bool {
    info.aliases.iter().any(|other| name::normal(other) == alias)
}
