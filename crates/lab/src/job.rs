//! From a spec to the job that the agent does.

use kernels::Module;
use model::ffsb::Profile;
use model::settings::DiskCache;
use model::{Settings, TrialSpec};
use protocol::{
    Disk, Ffsb, Fill, Job, Mkfs, ModuleLoad, Results, WITH_SYMBOLS, WITHOUT_SYMBOLS, Watch,
    Workload, Writing,
};

use crate::disk_model::max_request_kib;
use crate::filesystems::recipe;
use crate::seeds;

/// What the job needs to know besides the spec.
pub(crate) struct Surroundings<'a> {
    /// The payload's modules, in load order.
    pub(crate) modules: &'a [Module],
    /// The mkfs program's path in the payload.
    pub(crate) mkfs: &'a str,
    /// How results leave the guest.
    pub(crate) results: Results,
    /// Whether symbols are wanted.
    pub(crate) symbols: bool,
    /// How the guest is looked at from inside, in a pass of its own.
    pub(crate) watch: Option<Watch>,
}

/// The path of a module in the payload.
pub(crate) fn module_path(name: &str) -> String {
    format!("modules/{name}.ko")
}

/// The job of a trial.
pub(crate) fn job(spec: &TrialSpec, around: &Surroundings<'_>) -> Job {
    let settings = &spec.settings;
    let own = match settings.mkfs_program {
        // The user's program has the user's arguments alone.
        Some(_) => &[],
        None => recipe(settings.fs).arguments,
    };
    let own = own.iter().map(|argument| (*argument).to_owned());
    let users = settings.mkfs.split_ascii_whitespace().map(str::to_owned);
    Job {
        results: around.results,
        limit_ns: spec.limits.guest.0,
        perturbation: seeds::perturbation(spec.seed),
        modules: around.modules.iter().map(load).collect(),
        sysctl: spec.sysctls(),
        disks: (0..settings.disks).map(|_| disk(settings)).collect(),
        mkfs: Mkfs { program: around.mkfs.to_owned(), arguments: own.chain(users).collect() },
        mount_type: settings.fs.name().to_owned(),
        mount_options: settings.mount.clone(),
        fill: (settings.fill > 0)
            .then_some(Fill { percent: settings.fill, style: settings.fill_style }),
        phases: spec.phases.clone(),
        workload: workload(spec),
        watch: around.watch,
        symbols: if around.symbols { WITH_SYMBOLS } else { WITHOUT_SYMBOLS },
    }
}

/// What the phases of a trial do, in any place.
pub(crate) fn workload(spec: &TrialSpec) -> Workload {
    let settings = &spec.settings;
    // A profile that does not go with its disks was refused when the trial was checked.
    let on_disks = |profile: &Profile| profile.on_disks(settings.disks).ok();
    let ffsb = spec.ffsb.as_ref().and_then(on_disks);
    Workload {
        writing: Writing {
            size: settings.size.0,
            block: settings.block.0,
            rewrite: settings.rewrite,
            oflag: settings.oflag,
            conv: settings.conv,
            writers: settings.writers,
        },
        ffsb: ffsb.map(|profile| Ffsb { profile, time_ns: spec.timed_run_ns(), seed: spec.seed }),
        age: settings.age,
    }
}

/// How a pass looks from inside.
pub(crate) fn watch(settings: &Settings) -> Watch {
    /// From when on a stall is looked at more often, where nobody says so, ns.
    const STALLED: u64 = 20_000_000;
    let stall_ns = settings.stall_limit.map_or(STALLED, |limit| limit.0);
    Watch { every_ns: settings.sample_every.0, stall_ns }
}

fn load(module: &Module) -> ModuleLoad {
    // Without this, null_blk would make a disk of 250 GB of its own.
    let parameters = if module.name == "null_blk" { "nr_devices=0" } else { "" };
    ModuleLoad {
        path: module_path(&module.name),
        parameters: parameters.to_owned(),
        optional: module.optional,
    }
}

fn disk(settings: &Settings) -> Disk {
    Disk {
        size_mib: settings.disk_size.0 >> 20,
        mbps: settings.disk_mbps,
        latency_ns: settings.disk_latency.0,
        cache: settings.disk_cache == DiskCache::Flush,
        max_request_kib: max_request_kib(settings.disk_mbps),
        prewrite: !settings.disk_fresh,
    }
}
