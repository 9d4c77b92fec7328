//! Who ended a wait.

use super::blocks::{By, End};
use super::runs::functions;
use super::watched::Watched;
use crate::observation::frames::{function, is_interrupt};

/// A disk's request is done so shortly before the wake that it caused it, where no call path tells, ns.
const SOON_NS: u64 = 50_000;

/// With no more functions than this, a call path tells nothing of what an interrupt was for.
const BARE: usize = 2;

/// Beginnings of the names of functions by which an interrupt says that a request is done.
const OF_A_DISK: &[&str] =
    &["blk_", "__blk_", "bio_", "end_bio_", "null_", "nullb_", "nvme_", "virtblk_", "scsi_"];

/// What such names may contain.
const IN_A_DISK_S: &[&str] = &["end_io", "endio", "end_bio"];

/// A wake that was looked into.
#[derive(Clone, Copy, Debug)]
pub(super) struct Woken {
    pub(super) end: End,
    /// The task that did it; `None` where it was none.
    pub(super) task: Option<usize>,
}

/// Who did the wake with this index; `None` where there is no such wake.
pub(super) fn waker(watched: &Watched<'_>, wake: usize) -> Option<Woken> {
    let wake = watched.trace.wakes.get(wake)?;
    let stack = watched.trace.stacks.get(wake.stack as usize).map_or(&[][..], Vec::as_slice);
    let place = watched.left_at(wake.stack);
    // At the same instant the woken task may have got the CPU already; it did not wake itself.
    let before = [wake.at_ns, wake.at_ns.saturating_sub(1)];
    let on_cpu = before.into_iter().filter_map(|at| watched.timeline.on_cpu(wake.cpu, at));
    let on_cpu = on_cpu.into_iter().find(|task| *task != wake.task as usize);
    let idle = on_cpu.is_some_and(|task| watched.is_idle_task(task));
    if idle || is_interrupt(functions(stack)) {
        let frames: Vec<&str> = functions(stack).collect();
        let disk = is_of_a_disk(&frames, || done_just_before(&watched.done, wake.at_ns));
        let by = if disk { By::Disk } else { By::Interrupt };
        return Some(Woken { end: End { by, place }, task: None });
    }
    let by = on_cpu.map_or(By::Unknown, |task| {
        let work = watched.runs.work(wake.stack).filter(|_| !watched.is_workload(task));
        By::Task(work.unwrap_or_else(|| watched.runs.name_at(task, wake.at_ns)))
    });
    Some(Woken { end: End { by, place }, task: on_cpu })
}

/// Whether an interrupt with this call path, innermost function first, says that a request is done. Where the
/// path tells nothing, it is one if a request was `done` just before.
fn is_of_a_disk(frames: &[&str], done: impl FnOnce() -> bool) -> bool {
    // What the interrupt met may be on the path, too, and has nothing to do with it.
    let entry = |frame: &&str| is_interrupt(std::iter::once(*frame));
    let own = frames.iter().position(entry).unwrap_or(frames.len());
    if own <= BARE && frames.len() <= BARE + 1 {
        return done();
    }
    frames[..own].iter().any(|frame| {
        let name = function(frame);
        OF_A_DISK.iter().any(|begin| name.starts_with(begin))
            || IN_A_DISK_S.iter().any(|part| name.contains(part))
    })
}

fn done_just_before(done: &[u64], at_ns: u64) -> bool {
    let later = done.partition_point(|done| *done <= at_ns);
    later.checked_sub(1).is_some_and(|last| at_ns - done[last] <= SOON_NS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_a_disk(path: &str, done: bool) -> bool {
        is_of_a_disk(&path.split_whitespace().collect::<Vec<_>>(), || done)
    }

    #[test]
    fn the_path_tells_a_disk_from_a_timer() {
        for path in [
            "wake_page_function folio_wake_bit end_bio_bh_io_sync blk_update_request \
             null_cmd_timer_expired __hrtimer_run_queues common_interrupt",
            "wake_up_bit mpage_read_end_io blk_update_request handle_irq_event common_interrupt",
            "complete blk_done_softirq handle_softirqs __irq_exit_rcu common_interrupt",
            "wake_up_q clone_endio [dm_mod] scsi_io_completion asm_common_interrupt",
        ] {
            assert!(of_a_disk(path, false), "{path}");
        }
        for path in [
            "hrtimer_wakeup __hrtimer_run_queues timer_interrupt handle_irq_event common_interrupt",
            "process_timeout call_timer_fn run_timer_softirq handle_softirqs common_interrupt",
            "hrtimer_wakeup timer_interrupt asm_common_interrupt blk_mq_submit_bio submit_bio_noacct",
        ] {
            assert!(!of_a_disk(path, true), "{path}");
        }
    }

    #[test]
    fn without_a_path_the_time_tells() {
        for path in ["", "common_interrupt", "try_to_wake_up common_interrupt"] {
            assert!(of_a_disk(path, true) && !of_a_disk(path, false), "{path}");
        }
        let done = [100, 5_000_000];
        assert!(!done_just_before(&done, 99));
        assert!(done_just_before(&done, 100) && done_just_before(&done, 100 + SOON_NS));
        assert!(!done_just_before(&done, 101 + SOON_NS) && !done_just_before(&[], 7));
    }
}
