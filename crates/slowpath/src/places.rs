//! Where things lie on this machine, and where trials run on it.

use std::collections::HashMap;
use std::env;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use experiment::{Cancel, Passes, Place, PlaceError, Seen, TrialEvent, TrialOutput};
use kernels::{Builds, Debian};
use lab::{Config, Dir, Exact, Without};
use model::place::{DIRECTORY, EXACT, is_exact};
use model::{Fingerprint, Settings, TrialSpec, Variant};
use slowpath::arguments::{Arguments, Part};
use store::Archive;

use crate::exit::Failure;

/// The archive that `--store` names, or the one in the XDG state folder.
pub(crate) fn archive(arguments: &Arguments) -> Result<Archive, Failure> {
    Ok(Archive::open(&store_folder(arguments)?)?)
}

/// The archive, if there is one.
pub(crate) fn existing_archive(arguments: &Arguments) -> Result<Option<Archive>, Failure> {
    Ok(Archive::open_existing(&store_folder(arguments)?)?)
}

fn store_folder(arguments: &Arguments) -> Result<PathBuf, Failure> {
    match &arguments.store {
        Some(folder) => Ok(folder.clone()),
        None => xdg("XDG_STATE_HOME", ".local/state", "--store"),
    }
}

/// Debian's kernels, kept in the cache. One for the whole program: it remembers that the lists could
/// not be had.
pub(crate) fn debian(arguments: &Arguments) -> Result<Arc<Debian>, Failure> {
    Ok(Arc::new(Debian::new(&cache(arguments)?)))
}

/// The kernels that are built from source, in the cache.
pub(crate) fn builds(arguments: &Arguments) -> Result<Builds, Failure> {
    Ok(Builds::new(&cache(arguments)?))
}

/// The folder of booted machines, kernels and builds.
pub(crate) fn cache(arguments: &Arguments) -> Result<PathBuf, Failure> {
    match &arguments.cache {
        Some(folder) => Ok(folder.clone()),
        None => xdg("XDG_CACHE_HOME", ".cache", "--cache"),
    }
}

/// How closely trials are looked at.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Looks {
    /// Instructions are counted by function.
    pub(crate) profile: bool,
    /// Further passes will look at them.
    pub(crate) observe: bool,
}

/// The exact lab of this machine.
pub(crate) fn exact(
    arguments: &Arguments,
    (debian, builds): (Arc<Debian>, Arc<Builds>),
    looks: Looks,
) -> Result<Exact, Failure> {
    Ok(Exact::new(Config {
        qemu: arguments.qemu.clone(),
        agent: agent(),
        plugin: beside("libslowpath_plugin.so"),
        builds,
        cache: cache(arguments)?,
        debian,
        cache_limit: arguments.cache_limit,
        profile: looks.profile,
        symbols: looks.observe,
        without: arguments.without.iter().copied().map(part).collect(),
        root: PathBuf::from("/"),
    }))
}

fn agent() -> PathBuf {
    beside("slowpath-agent").unwrap_or_else(|| PathBuf::from("slowpath-agent"))
}

/// All places of this machine: each trial goes to the one that its spec names.
pub(crate) struct Places {
    exact: Exact,
    dirs: Mutex<HashMap<PathBuf, Arc<Dir>>>,
}

impl Places {
    /// The places that `--on` can name.
    /// What is built is built with `jobs` compilers at once, until `cancel` ends it.
    pub(crate) fn new(
        arguments: &Arguments,
        looks: Looks,
        (jobs, cancel): (usize, Arc<Cancel>),
    ) -> Result<Self, Failure> {
        let stop = Arc::new(move || cancel.is_set());
        let builds = builds(arguments)?.with_jobs(jobs).with_stop(stop);
        let exact = exact(arguments, (debian(arguments)?, Arc::new(builds)), looks)?;
        Ok(Places { exact, dirs: Mutex::default() })
    }

    fn of<T>(
        &self,
        place: &str,
        then: impl FnOnce(&dyn Place) -> Result<T, PlaceError>,
    ) -> Result<T, PlaceError> {
        if is_exact(place) {
            return then(&self.exact);
        }
        let path = directory(place).map_err(PlaceError::Refused)?;
        let mut dirs = self.dirs.lock().unwrap_or_else(PoisonError::into_inner);
        let dir = dirs.entry(path).or_insert_with_key(|path| Arc::new(Dir::new(path, &agent())));
        let dir = Arc::clone(dir);
        drop(dirs);
        then(&*dir)
    }

    /// Whether a setting means anything in a place.
    pub(crate) fn takes(&self, place: &str, key: &str) -> Result<(), Failure> {
        let taken = self.of(place, |place| place.takes(key).map_err(PlaceError::Refused));
        taken.map_err(|error| Failure::usage(format!("{key} cannot be set on {place}: {error}")))
    }
}

impl Place for Places {
    fn takes(&self, _: &str) -> Result<(), String> {
        Ok(())
    }

    fn is_exact(&self, spec: &TrialSpec) -> bool {
        is_exact(&spec.place)
    }

    fn make_ready(
        &self,
        side: &Variant,
        tell: &(dyn Fn(&str) + Sync),
        cancel: &Cancel,
    ) -> Result<(), PlaceError> {
        self.of(&side.place, |place| place.make_ready(side, tell, cancel))
    }

    fn check(&self, spec: &TrialSpec) -> Result<Option<Fingerprint>, PlaceError> {
        self.of(&spec.place, |place| place.check(spec))
    }

    fn run(
        &self,
        spec: &TrialSpec,
        events: &(dyn Fn(TrialEvent) + Sync),
        cancel: &Cancel,
    ) -> Result<TrialOutput, PlaceError> {
        self.of(&spec.place, |place| place.run(spec, events, cancel))
    }

    fn observe(
        &self,
        spec: &TrialSpec,
        passes: Passes,
        events: &(dyn Fn(TrialEvent) + Sync),
        cancel: &Cancel,
    ) -> Result<Seen, PlaceError> {
        self.of(&spec.place, |place| place.observe(spec, passes, events, cancel))
    }
}

/// The version of Debian's kernel that these settings name, where they name one.
pub(crate) fn debian_version(settings: &Settings) -> Option<&str> {
    settings.kernel.as_deref().and_then(|kernel| kernel.strip_prefix("debian:"))
}

fn directory(place: &str) -> Result<PathBuf, String> {
    let path = place.strip_prefix(DIRECTORY).filter(|path| !path.is_empty());
    path.map(PathBuf::from).ok_or_else(|| {
        format!(
            "there is no place `{place}`; there are {EXACT} and {DIRECTORY}PATH, as {DIRECTORY}/mnt/scratch"
        )
    })
}

/// A place as it is kept: a directory by its whole path.
///
/// # Errors
/// There is no such place, or no such directory.
pub(crate) fn whole(place: &str) -> Result<String, Failure> {
    if is_exact(place) {
        return Ok(place.to_owned());
    }
    let path = directory(place).map_err(Failure::usage)?;
    let whole = path.canonicalize().map_err(|error| {
        Failure::usage(format!("the directory {} cannot be used: {error}", path.display()))
    })?;
    Ok(format!("{DIRECTORY}{}", whole.display()))
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
        Failure::usage(format!(
            "neither {variable} nor HOME names a folder; give {option} DIRECTORY"
        ))
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
