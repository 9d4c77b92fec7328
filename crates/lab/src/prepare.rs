//! From a spec to what the machine is started with.

use std::fs::File;
use std::path::{Path, PathBuf};

use experiment::PlaceError;
use kernels::{Kernel, KernelError, Module, check_vermagic};
use model::{BrokenKind, Fingerprint, Settings, TrialSpec};

use crate::config::Config;
use crate::disk_model::bound_by_cpu;
use crate::emulator::Emulator;
use crate::filesystems::{Recipe, recipe};
use crate::hash::{sha256, sha256_of_parts};
use crate::images::{self, Image};
use crate::job::module_path;
use crate::machine::{self, Clock, Shifts};
use crate::payload::Archive;
use crate::seeds::{self, Boot};
use crate::sources::{self, Sources};
use crate::symbol_cache::SymbolCache;
use crate::tools::{closure, find_program};
use crate::watch::{self, NamedProgram};
use crate::{initramfs, luggage, memfile, tools};

/// A setup in which trials can run: all that does not depend on the seed but by its boot.
pub(crate) struct Prepared {
    /// Arguments for the machine.
    pub(crate) machine: Vec<String>,
    /// The initramfs.
    pub(crate) initramfs: File,
    /// What the payload holds besides the mkfs program.
    pub(crate) modules: Vec<Module>,
    /// The mkfs program's path in the payload.
    pub(crate) mkfs: String,
    /// The payload.
    pub(crate) payload: File,
    /// The kernel as it is booted; open, since the cache may let go of it meanwhile.
    pub(crate) image: File,
    /// All that the numbers depend on.
    pub(crate) fingerprint: Fingerprint,
    /// What had to be done another way.
    pub(crate) notes: Vec<String>,
    /// The key of the saved state.
    pub(crate) key: String,
}

impl Prepared {
    /// The programs and libraries that the guest can run.
    pub(crate) fn programs(&self) -> Vec<NamedProgram> {
        let agent = memfile::bytes(&self.initramfs);
        let mut programs = watch::programs(&agent, |path| match path {
            // As the only program of the first root, it bears the name that the kernel looks for.
            "init" => AGENT,
            path => path,
        });
        programs.extend(watch::programs(&memfile::bytes(&self.payload), |path| path));
        programs.extend(watch::vdso(&memfile::bytes(&self.image)));
        programs
    }

    /// Where the symbols of trials with this setup and job are kept, in the folder of its state. Where
    /// modules lie depends on all that the guest did before, the reading of its job included.
    pub(crate) fn symbol_cache(&self, folder: &Path, job: &[u8]) -> SymbolCache {
        let payload = self.fingerprint.get(PAYLOAD).unwrap_or_default();
        SymbolCache::new(folder, payload, &sha256(job))
    }
}

/// The agent's name among programs.
const AGENT: &str = "slowpath-agent";

/// The fingerprint's item for the payload.
const PAYLOAD: &str = "payload.sha256";

/// Why nothing could be prepared.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unprepared {
    /// The request cannot be met.
    #[error(transparent)]
    Place(#[from] PlaceError),
    /// The trial is broken before it boots: why, and the last lines of what was logged.
    #[error("{1}")]
    Broken(BrokenKind, String, Vec<String>),
}

impl From<std::io::Error> for Unprepared {
    fn from(error: std::io::Error) -> Self {
        Unprepared::Place(PlaceError::Host(format!("the trial cannot be prepared: {error}")))
    }
}

/// Finds the kernel that the settings name, building it where it is a source and fetching it where it is
/// one of Debian's; `tell` hears of that.
///
/// # Errors
/// No such kernel, one that does not build, or modules from outside that were built for another one.
pub(crate) fn kernel(
    settings: &Settings,
    config: &Config,
    sources: &Sources,
    tell: &dyn Fn(&str),
) -> Result<Kernel, Unprepared> {
    let modules = settings.kernel_modules.as_ref().map(PathBuf::from);
    let in_folder = |path: &Path| Kernel::from_path(path, modules.as_deref());
    let named = settings.kernel.as_deref().unwrap_or_default();
    let found = match sources::source(settings)? {
        Some(source) => in_folder(&sources.folder(&source, &config.builds, tell)?),
        None if named.is_empty() => return Ok(newest_installed(&config.root)?),
        None => ready_made(named, config, &in_folder, tell),
    };
    let kernel = found.map_err(|error| unusable(named, &error))?;
    outside_modules(settings, &kernel)?;
    Ok(kernel)
}

/// A kernel that need not be built.
fn ready_made(
    named: &str,
    config: &Config,
    in_folder: &dyn Fn(&Path) -> Result<Kernel, KernelError>,
    tell: &dyn Fn(&str),
) -> Result<Kernel, KernelError> {
    match named.split_once(':') {
        Some(("installed", version)) => Kernel::installed(&config.root, version),
        Some(("debian", version)) => {
            let fetched = config.debian.fetch(version, tell);
            fetched.and_then(|folder| in_folder(&folder))
        }
        _ => in_folder(Path::new(named)),
    }
}

/// What cannot be had now is missing; anything else is wrong input.
fn unusable(named: &str, error: &KernelError) -> PlaceError {
    // `v6.12` is no file, but somebody may have meant a revision.
    let plain = !named.contains(['/', ':']) && !named.is_empty() && !Path::new(named).exists();
    let hint = if plain { "; a git revision needs its repository: --repo DIR" } else { "" };
    let text = format!("kernel={named}: {error}{hint}");
    match error.cannot_be_fetched() {
        true => PlaceError::Missing(text),
        false => PlaceError::Refused(text),
    }
}

/// The names of the modules from outside the kernel's tree.
///
/// # Errors
/// A file that is no module, or one that was built for another kernel.
fn outside_modules(settings: &Settings, kernel: &Kernel) -> Result<Vec<String>, PlaceError> {
    let name = |file: &String| {
        let module = kernels::read_module(Path::new(file))?;
        check_vermagic(&module, &kernel.release)?;
        Ok(module.name)
    };
    let refused = |file: &String, error: kernels::KernelError| {
        PlaceError::Refused(format!("modules={file}: {error}"))
    };
    let files = settings.modules.iter();
    files.map(|file| name(file).map_err(|error| refused(file, error))).collect()
}

fn newest_installed(root: &Path) -> Result<Kernel, PlaceError> {
    let versions = Kernel::list_installed(root);
    let readable = versions.iter().find_map(|version| Kernel::installed(root, version).ok());
    readable.ok_or_else(|| {
        PlaceError::Missing(
            "no kernel is installed here that can be read; name one: --set kernel=debian:6.12 fetches \
             Debian's newest of that series without installing it (slowpath kernels lists them), and \
             kernel=PATH takes a bzImage, a vmlinux, or the folder of an unpacked package"
                .to_owned(),
        )
    })
}

/// Prepares everything that trials of these settings and this boot share.
///
/// # Errors
/// See [`Unprepared`].
pub(crate) fn prepare(
    spec: &TrialSpec,
    boot: Boot,
    kernel: &Kernel,
    config: &Config,
    emulator: &Emulator,
) -> Result<Prepared, Unprepared> {
    let settings = &spec.settings;
    if settings.cpus > 1 && emulator.clock() == Clock::Recorded {
        return Err(Unprepared::Place(PlaceError::Missing(
            "several CPUs are exact with the plugin alone, which cannot keep this QEMU's time \
             (slowpath doctor says why); use cpus=1"
                .to_owned(),
        )));
    }
    let image = images::bootable(kernel, &config.cache)?;
    let agent = agent(&config.agent)?;
    let modules = modules(kernel, settings)?;
    let modules: Vec<Module> = if kernel.insists_on_signatures() {
        modules
    } else {
        // Checking a signature takes the guest as long as a short phase, for each module.
        modules.into_iter().map(without_signature).collect()
    };
    let (mkfs, payload) = payload(spec, &modules)?;
    let shifts = Shifts { boot, twin: seeds::twin(settings.twin) };
    let initramfs = initramfs::with_agent(&agent, shifts.twin.file)?;
    let machine = machine::arguments(settings, emulator.clock(), &shifts);
    let mut fingerprint = fingerprint(settings, &shifts, kernel, &image, emulator);
    fingerprint.set("agent.sha256", sha256(&agent));
    fingerprint.set("initramfs.sha256", sha256(&initramfs));
    fingerprint.set(PAYLOAD, sha256(&payload));
    if let Some(plugin) = emulator.plugin() {
        fingerprint.set("plugin.sha256", sha256(&std::fs::read(plugin)?));
    }
    let key = state_key(&fingerprint, emulator.program())?;
    Ok(Prepared {
        machine,
        initramfs: memfile::holding("initramfs", &initramfs)?,
        modules,
        mkfs,
        image: File::open(&image.file)?,
        payload: memfile::holding("payload", &payload)?,
        fingerprint,
        notes: image
            .note
            .into_iter()
            .chain(emulator.notes(settings.cpus))
            .chain(bound_by_cpu(settings.disks, settings.disk_mbps, settings.insn_ns))
            .collect(),
        key,
    })
}

/// The agent's bytes; it must be static, for there is no loader in its guest.
fn agent(file: &Path) -> Result<Vec<u8>, PlaceError> {
    let unfit = |why: &str| {
        let message = format!("the agent {} {why}; build it: make build", file.display());
        PlaceError::Missing(message)
    };
    let bytes = std::fs::read(file).map_err(|error| unfit(&format!("cannot be read ({error})")))?;
    match tools::needs_loader(&bytes) {
        Ok(false) => Ok(bytes),
        Ok(true) => Err(unfit("is not linked statically")),
        Err(error) => Err(unfit(&format!("is no program ({error})"))),
    }
}

/// The key of a saved machine: the fingerprint without the payload, which it has not seen yet, and
/// the QEMU on this machine, which may have been built anew under the same version.
fn state_key(fingerprint: &Fingerprint, qemu: &Path) -> std::io::Result<String> {
    let items = fingerprint.items().filter(|(item, _)| *item != PAYLOAD);
    let file = std::fs::metadata(qemu)?;
    let qemu = format!("{} {} {:?}", qemu.display(), file.len(), file.modified()?);
    Ok(sha256_of_parts(items.flat_map(|(item, value)| [item, value]).chain([qemu.as_str()])))
}

fn fingerprint(
    settings: &Settings,
    shifts: &Shifts,
    kernel: &Kernel,
    image: &Image,
    emulator: &Emulator,
) -> Fingerprint {
    let mut fingerprint = Fingerprint::default();
    for (item, value) in [
        ("qemu", emulator.version().to_owned()),
        ("machine", machine::MACHINE.to_owned()),
        ("cpu", settings.cpu.clone()),
        ("cpus", settings.cpus.to_string()),
        ("insn.ns", settings.insn_ns.to_string()),
        ("mem", machine::memory(settings, shifts).to_string()),
        ("date", machine::date(shifts)),
        ("cmdline", machine::command_line(settings, shifts)),
        ("kernel.release", kernel.release.clone()),
        ("kernel.sha256", image.sha256.clone()),
        ("clock", format!("{:?}", emulator.clock()).to_lowercase()),
        ("results", format!("{:?}", emulator.results()).to_lowercase()),
        ("restored", if emulator.can_save(settings.cpus) { "yes" } else { "no" }.to_owned()),
    ] {
        fingerprint.set(item, value);
    }
    // How a pass is looked at changes nothing.
    let looks = ["profile", "probes", "sample"];
    for (key, value) in emulator.findings().filter(|(key, _)| !looks.contains(key)) {
        fingerprint.set(&format!("plugin.{key}"), value);
    }
    fingerprint
}

fn modules(kernel: &Kernel, settings: &Settings) -> Result<Vec<Module>, Unprepared> {
    let Recipe { drivers, .. } = recipe(settings.fs);
    let has = |driver: &&&str| {
        kernel.modules.as_ref().is_some_and(|m| m.find(driver).is_some() || m.is_builtin(driver))
    };
    let driver = drivers.iter().find(has).or(drivers.last()).copied().unwrap_or_default();
    let extra: Vec<PathBuf> = settings.modules.iter().map(PathBuf::from).collect();
    let outside = outside_modules(settings, kernel)?;
    let mut names = vec!["configfs", "null_blk", driver];
    names.extend(outside.iter().map(String::as_str));
    kernel
        .resolve(&names, &extra)
        .map_err(|error| Unprepared::Broken(BrokenKind::Setup, error.to_string(), Vec::new()))
}

fn without_signature(module: Module) -> Module {
    let bytes = kernels::without_signature(&module.bytes).to_owned();
    Module { bytes, ..module }
}

/// The program by which filesystems are made.
fn mkfs(settings: &Settings) -> Result<PathBuf, Unprepared> {
    let Recipe { program, package, .. } = recipe(settings.fs);
    let named = settings.mkfs_program.as_deref();
    find_program(named.unwrap_or(program)).ok_or_else(|| match named {
        Some(named) => Unprepared::Place(PlaceError::Missing(format!(
            "program.mkfs={named}: there is no such program here; install it, or name its path"
        ))),
        None => Unprepared::Broken(
            BrokenKind::Setup,
            format!("{program} is not installed; install it: apt-get install {package}"),
            Vec::new(),
        ),
    })
}

/// The mkfs program's path in the payload, and the payload.
fn payload(spec: &TrialSpec, modules: &[Module]) -> Result<(String, Vec<u8>), Unprepared> {
    let broken = |reason: String| Unprepared::Broken(BrokenKind::Setup, reason, Vec::new());
    let mkfs = mkfs(&spec.settings)?;
    let mut files = closure(&mkfs).map_err(|error| broken(error.to_string()))?;
    files.extend(luggage::luggage(spec).map_err(PlaceError::Refused)?);
    // Debian's mke2fs takes its features from here; without the file it has other defaults.
    let configuration = PathBuf::from("/etc/mke2fs.conf");
    if let Ok(bytes) = std::fs::read(&configuration) {
        files.insert(configuration, bytes);
    }
    let mut archive = Archive::default();
    for folder in ["dev", "proc", "sys", "tmp", "etc", "mnt"] {
        archive.folder(folder)?;
    }
    // Some mkfs programs look there whether the disk is mounted.
    if !files.contains_key(Path::new("/etc/mtab")) {
        archive.link("etc/mtab", "/proc/self/mounts")?;
    }
    for module in modules {
        archive.file(Path::new(&module_path(&module.name)), &module.bytes)?;
    }
    for (path, bytes) in &files {
        archive.file(path, bytes)?;
    }
    let path = mkfs.to_string_lossy().trim_start_matches('/').to_owned();
    Ok((path, archive.finish()?))
}
