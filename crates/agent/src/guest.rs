//! The order of a trial in the guest, where the agent is PID 1.

use std::fs;
use std::io::{self, Read as _};
use std::path::Path;
use std::sync::Arc;

use model::Measurements;
use protocol::marker::READY;
use protocol::{AgentReport, JOB_FILE, Job, PAYLOAD_FILE, PAYLOAD_ROOT, Perturbation};

use crate::failure::{Failure, While as _};
use crate::fw_cfg::{self, FwCfg};
use crate::guest_disks::GuestDisks;
use crate::outbox::{self, Outbox};
use crate::pages::Pages;
use crate::phases::Workload;
use crate::watch::Watcher;
use crate::whereabouts::Whereabouts;
use crate::{
    boot, clock, disks, entropy, exec, kernel_log, marker, modules, mounts, payload, syscalls,
    sysctl, watch, watchdog,
};

/// Does the trial, sends what came of it and switches the machine off.
pub fn run() -> ! {
    let outbox = Arc::new(Outbox::default());
    let report = match boot::mount_kernel_filesystems().and_then(|()| trial(&outbox)) {
        Ok(measurements) => AgentReport::Measured(measurements),
        Err(failure) => failure.report(),
    };
    outbox.finish(&report)
}

/// A bug of the agent must not leave the host waiting.
fn report_panics(outbox: &Arc<Outbox>) {
    let outbox = Arc::clone(outbox);
    std::panic::set_hook(Box::new(move |panic| {
        if outbox.is_closing() {
            outbox::restart();
        }
        outbox.finish(&Failure::setup(format!("the agent panicked: {panic}")).report());
    }));
}

fn trial(outbox: &Arc<Outbox>) -> Result<Measurements, Failure> {
    report_panics(outbox);
    boot::prepare_process()?;
    let memory = fw_cfg::buffer().in_setup("allocating memory for the job")?;
    boot::wait_for_timers();
    marker::mark(READY);
    // The machine may have been saved and restored at this point; what follows is this trial's.
    let job = receive(memory)?;
    outbox.set(job.results, job.symbols);
    let whereabouts = Arc::new(Whereabouts::default());
    whereabouts.enter("while preparing the trial");
    watch(outbox, &job, &whereabouts)?;
    prepare(&job)?;
    let disks = GuestDisks::new(&job, &whereabouts)?;
    let workload = Workload::new(disks, &job.workload, &whereabouts)?;
    let held = perturb(&job.perturbation)?;
    let watcher = job.watch.as_ref().map(|watch| Watcher::start(watch, workload.seen()));
    let watcher = watcher.transpose()?;
    let phases = workload.run(&job.phases)?;
    if let Some(watcher) = watcher {
        outbox.keep(watcher.stop(), watch::environment(mounts::point(0)));
    }
    drop(held);
    Ok(Measurements { phases, witness: witness()?, clock: boot::clock_source() })
}

fn watch(outbox: &Arc<Outbox>, job: &Job, place: &Arc<Whereabouts>) -> Result<(), Failure> {
    let outbox = Arc::clone(outbox);
    let end = move |failure: Failure| outbox.finish(&failure.report());
    watchdog::start(job.limit_ns, "guest time", Arc::clone(place), end)
}

/// Reads the job and unpacks the payload.
fn receive(memory: Pages) -> Result<Job, Failure> {
    let mut device = FwCfg::open(memory).in_setup("finding the job")?;
    let job = read_job(&mut device)?;
    if let Some(file) = device.file(PAYLOAD_FILE) {
        payload::unpack(file, Path::new(PAYLOAD_ROOT)).in_setup("unpacking the payload")?;
    }
    // With port rights each task switch costs a little more.
    let _ = syscalls::iopl(0);
    Ok(job)
}

fn read_job(device: &mut FwCfg) -> Result<Job, Failure> {
    let mut text = Vec::new();
    device
        .file(JOB_FILE)
        .ok_or_else(|| Failure::setup(format!("the host gave no job ({JOB_FILE} in fw_cfg)")))?
        .read_to_end(&mut text)
        .in_setup("reading the job")?;
    serde_json::from_slice(&text)
        .map_err(|error| Failure::setup(format!("the job cannot be understood: {error}")))
}

fn prepare(job: &Job) -> Result<(), Failure> {
    entropy::credit(&job.perturbation.entropy)?;
    job.modules.iter().try_for_each(modules::load).map_err(kernel_log::explain)?;
    sysctl::apply(&job.sysctl, Path::new("/proc/sys"))?;
    exec::prepare_root()?;
    if job.disks.is_empty() {
        return Ok(());
    }
    boot::mount_configfs()?;
    for (index, disk) in job.disks.iter().enumerate() {
        disks::make(index, disk)?;
    }
    for (index, disk) in job.disks.iter().enumerate() {
        if disk.prewrite {
            disks::prewrite(index, disk)?;
        }
    }
    Ok(())
}

/// Shifts what the seed shifts; the memory is held until the value is dropped.
fn perturb(perturbation: &Perturbation) -> Result<Option<Pages>, Failure> {
    let bytes = usize::try_from(perturbation.hold_bytes).unwrap_or(usize::MAX);
    let held = (bytes > 0)
        .then(|| Pages::new(bytes))
        .transpose()
        .in_setup(format!("holding {bytes} bytes of memory"))?;
    clock::sleep_until(clock::now_ns() + perturbation.idle_ns);
    Ok(held)
}

fn witness() -> Result<String, Failure> {
    const FILE: &str = "/proc/sys/kernel/random/uuid";
    let read = |file| -> io::Result<String> { fs::read_to_string(file) };
    Ok(read(FILE).in_setup(format!("reading {FILE}"))?.trim().to_owned())
}
