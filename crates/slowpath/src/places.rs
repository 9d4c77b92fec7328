//! Where things lie on this machine.

use std::env;
use std::path::{Path, PathBuf};

use lab::{Config, Exact, Without};
use slowpath::arguments::{Arguments, Part};
use store::Archive;

use crate::exit::Failure;

/// The archive that `--store` names, or the one in the XDG state folder.
pub(crate) fn archive(arguments: &Arguments) -> Result<Archive, Failure> {
    let root = match &arguments.store {
        Some(folder) => folder.clone(),
        None => xdg("XDG_STATE_HOME", ".local/state", "--store")?,
    };
    Ok(Archive::open(&root)?)
}

/// The exact lab of this machine.
pub(crate) fn exact(arguments: &Arguments, profile: bool) -> Result<Exact, Failure> {
    let cache = match &arguments.cache {
        Some(folder) => folder.clone(),
        None => xdg("XDG_CACHE_HOME", ".cache", "--cache")?,
    };
    Ok(Exact::new(Config {
        qemu: arguments.qemu.clone(),
        agent: beside("slowpath-agent").unwrap_or_else(|| PathBuf::from("slowpath-agent")),
        plugin: beside("libslowpath_plugin.so"),
        cache,
        cache_limit: arguments.cache_limit,
        profile,
        without: arguments.without.iter().copied().map(part).collect(),
        root: PathBuf::from("/"),
    }))
}

/// A file that is shipped with the program: beside it, or in `../lib/slowpath`.
pub(crate) fn beside(name: &str) -> Option<PathBuf> {
    let program = env::current_exe().ok()?;
    let folder = program.parent()?;
    [folder.join(name), folder.join("../lib/slowpath").join(name)]
        .into_iter()
        .find(|file| file.is_file())
}

fn xdg(variable: &str, below_home: &str, option: &str) -> Result<PathBuf, Failure> {
    let absolute =
        |value: std::ffi::OsString| Some(PathBuf::from(value)).filter(|p| p.is_absolute());
    let folder = env::var_os(variable).and_then(absolute);
    let home = || env::var_os("HOME").and_then(absolute).map(|home| home.join(below_home));
    folder.or_else(home).map(|folder| Path::new(&folder).join("slowpath")).ok_or_else(|| {
        Failure::usage(format!("neither {variable} nor HOME names a folder; give {option} DIR"))
    })
}

fn part(part: Part) -> Without {
    match part {
        Part::Plugin => Without::Plugin,
        Part::HltCure => Without::HltCure,
        Part::Stop => Without::Stop,
        Part::GuestMemory => Without::GuestMemory,
    }
}
