//! What a kernel worker works for, where its name does not tell: by the function that it was given.

use crate::observation::frames::function;

/// Works that have a name of their own.
const NAMED: &[(&str, &str)] = &[
    ("wb_workfn", FLUSH),
    ("bdi_writeback_workfn", FLUSH),
    ("blk_mq_run_work_fn", BLOCK),
    ("blk_mq_requeue_work", BLOCK),
    ("blk_mq_timeout_work", BLOCK),
    ("blk_timeout_work", BLOCK),
    ("blk_delay_work", BLOCK),
];

/// Functions that hand out works, by the beginnings of their names. A worker that is woken there is about
/// to do that.
const HANDED_OUT: &[(&str, &str)] = &[
    ("kblockd_", BLOCK),
    ("wb_queue_work", FLUSH),
    ("wb_start_writeback", FLUSH),
    ("wb_start_background_writeback", FLUSH),
    ("wb_wakeup", FLUSH),
    ("wakeup_flusher_threads", FLUSH),
    ("__wakeup_flusher_threads", FLUSH),
    ("ext4_put_io_end_defer", "kworker/ext4_end_io_rsv_work"),
];

/// Beginnings of the names of what a worker does between two works, and where it was interrupted there.
const BETWEEN: &[&str] = &[
    "__cond_resched",
    "_cond_resched",
    "__schedule",
    "schedule",
    "preempt_schedule",
    "irqentry_",
    "raw_irqentry_",
    "asm_",
    "sysvec_",
    "common_interrupt",
    "kick_pool",
    "wake_up_worker",
    "pwq_",
];

const FLUSH: &str = "kworker/flush";
/// The block layer's own workers (`block/blk-mq.c`): they hand on what others queued, and are not who wrote it.
pub(crate) const BLOCK: &str = "kworker/kblockd";

/// Whether this is the name of a worker of which it is not known what it works for.
pub(super) fn is_bare(name: &str) -> bool {
    name == "kworker"
}

/// Whether it writes back what others left dirty.
pub(super) fn is_flusher(name: &str) -> bool {
    name.contains("flush")
}

/// What the worker with this call path, innermost function first, works for: the kernel calls each work
/// from `process_one_work` in kernel/workqueue.c. `None` where it does none.
pub(super) fn done_in<'a>(frames: impl Iterator<Item = &'a str>) -> Option<String> {
    let mut inner: Option<&str> = None;
    for frame in frames {
        let frame = function(frame);
        if frame == "process_one_work" {
            return inner.filter(|inner| !is_between(inner)).map(named);
        }
        inner = Some(frame);
    }
    None
}

fn is_between(frame: &str) -> bool {
    BETWEEN.iter().any(|begin| frame.starts_with(begin))
}

fn named(work: &str) -> String {
    let known = NAMED.iter().find(|(function, _)| *function == work);
    known.map_or_else(|| format!("kworker/{work}"), |(_, name)| (*name).to_owned())
}

/// What a worker is woken for by a call path.
pub(super) fn handed_out_in<'a>(mut frames: impl Iterator<Item = &'a str>) -> Option<&'static str> {
    frames.find_map(|frame| {
        let begins = |(beginning, name): &(&str, &'static str)| {
            function(frame).starts_with(beginning).then_some(*name)
        };
        HANDED_OUT.iter().find_map(begins)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worker_is_called_by_its_work() {
        for (path, expected) in [
            (
                "wbt_wait wb_writeback wb_workfn process_one_work worker_thread",
                Some("kworker/flush"),
            ),
            ("blk_mq_run_work_fn process_one_work worker_thread", Some("kworker/kblockd")),
            ("bio_wait blkcg_punt process_one_work", Some("kworker/blkcg_punt")),
            ("__schedule __cond_resched process_one_work worker_thread", None),
            ("kick_pool process_one_work worker_thread", None),
            ("__schedule irqentry_exit asm_common_interrupt process_one_work", None),
            ("__schedule schedule worker_thread kthread", None),
            ("process_one_work worker_thread", None),
        ] {
            assert_eq!(done_in(path.split_whitespace()).as_deref(), expected, "{path}");
        }
        let of_a_module = ["bio_wait", "ext4_end_io_rsv_work [ext4]", "process_one_work"];
        assert_eq!(done_in(of_a_module.into_iter()).unwrap(), "kworker/ext4_end_io_rsv_work");
    }

    #[test]
    fn who_wakes_it_tells_what_it_is_to_do() {
        let woken = |path: &str| handed_out_in(path.split_whitespace());
        assert_eq!(
            woken("kick_pool mod_delayed_work_on wb_queue_work sync_inodes_sb"),
            Some(FLUSH)
        );
        assert_eq!(woken("kick_pool kblockd_mod_delayed_work_on io_schedule"), Some(BLOCK));
        assert_eq!(woken("kick_pool __queue_work call_timer_fn run_timer_softirq"), None);
        assert!(is_flusher(FLUSH) && !is_flusher(BLOCK) && is_bare("kworker"));
    }
}
