//! Call paths without what all of them share, so that the first frames name the wait.

use std::collections::HashMap;

/// Functions of the scheduler, by which every wait enters it.
const SCHEDULER: &[&str] = &[
    "__switch_to_asm",
    "__switch_to",
    "context_switch",
    "__schedule",
    "schedule",
    "schedule_rtlock",
    "schedule_preempt_disabled",
    "io_schedule",
    "io_schedule_timeout",
    "__cond_resched",
    "_cond_resched",
];

/// Beginnings of the names of more of them.
const SCHEDULER_FAMILIES: &[&str] = &["preempt_schedule", "schedule_timeout", "schedule_hrtimeout"];

/// What stands between the scheduler and the place where an interrupt met a task.
const INTERRUPTED: &[&str] = &[
    "raw_irqentry_exit_cond_resched",
    "irqentry_exit_cond_resched",
    "irqentry_exit",
    "asm_common_interrupt",
    "el1_interrupt",
    "el1h_64_irq_handler",
    "el1h_64_irq",
];

/// How every task got into the kernel, or every kernel thread came to be.
const ENTRY: &[&str] = &[
    "entry_SYSCALL_64_after_hwframe",
    "entry_SYSCALL_64_safe_stack",
    "entry_SYSCALL_64",
    "do_syscall_64",
    "x64_sys_call",
    "ret_from_fork_asm",
    "ret_from_fork",
    "kthread",
    "el0t_64_sync",
    "el0t_64_sync_handler",
    "el0_svc",
    "do_el0_svc",
    "el0_svc_common",
    "invoke_syscall",
];

/// Where kernel threads stand that have nothing to do.
const IDLE: &[&str] =
    &["worker_thread", "rescuer_thread", "kthread", "kthread_worker_fn", "smpboot_thread_fn"];

/// Functions in the call path of an interrupt.
const INTERRUPT: &[&str] =
    &["common_interrupt", "irq_exit_rcu", "__irq_exit_rcu", "__do_softirq", "handle_softirqs"];

/// Beginnings of the names of more of them.
const INTERRUPT_FAMILIES: &[&str] =
    &["asm_common_interrupt", "asm_sysvec_", "sysvec_", "el0t_64_irq", "el1h_64_irq"];

/// The function's name without module, offset and what the compiler added (`.isra.0`).
pub(crate) fn function(frame: &str) -> &str {
    frame.split([' ', '+', '.']).next().unwrap_or(frame)
}

fn one_of(frame: &str, names: &[&str], families: &[&str]) -> bool {
    let name = function(frame);
    names.contains(&name) || families.iter().any(|family| name.starts_with(family))
}

/// `frames`, innermost first, without the scheduler's at their begin and without the way into the
/// kernel at their end. The last one left is kept.
pub(crate) fn trimmed<'a>(frames: &[&'a str]) -> Vec<&'a str> {
    let scheduler = frames.iter().take_while(|frame| is_scheduler(frame)).count();
    without_entry(&frames[scheduler..])
}

/// `frames`, innermost first, without the way into the kernel at their end. The last one left is kept.
fn without_entry<'a>(frames: &[&'a str]) -> Vec<&'a str> {
    let entry = frames.iter().rev().take_while(|frame| one_of(frame, ENTRY, &[])).count();
    let kept = (frames.len() - entry).max(1);
    frames.iter().take(kept).copied().collect()
}

fn is_scheduler(frame: &str) -> bool {
    one_of(frame, SCHEDULER, SCHEDULER_FAMILIES) || one_of(frame, INTERRUPTED, &["asm_sysvec_"])
}

/// Whether a kernel thread with this first frame, trimmed, has nothing to do.
pub(crate) fn is_idle(first: &str) -> bool {
    one_of(first, IDLE, &[])
}

/// Whether this is the call path of an interrupt.
pub(crate) fn is_interrupt<'a>(mut frames: impl Iterator<Item = &'a str>) -> bool {
    frames.any(|frame| one_of(frame, INTERRUPT, INTERRUPT_FAMILIES))
}

/// Trimmed call paths, each once.
#[derive(Debug)]
pub(crate) struct Places {
    places: Vec<Vec<String>>,
    known: HashMap<Vec<String>, usize>,
}

impl Places {
    /// Where a task stands of which nothing is known.
    pub(crate) const UNKNOWN: usize = 0;

    pub(crate) fn new() -> Self {
        Places { places: vec![Vec::new()], known: HashMap::from([(Vec::new(), Self::UNKNOWN)]) }
    }

    /// The place of a whole call path of a task that left its CPU.
    pub(crate) fn place(&mut self, frames: &[&str]) -> usize {
        self.number(&trimmed(frames))
    }

    /// The place of a whole call path that was on a CPU: there the scheduler's own time counts, too.
    pub(crate) fn ran(&mut self, frames: &[&str]) -> usize {
        self.number(&without_entry(frames))
    }

    fn number(&mut self, frames: &[&str]) -> usize {
        let place: Vec<String> = frames.iter().map(|frame| (*frame).to_owned()).collect();
        let next = self.places.len();
        *self.known.entry(place).or_insert_with_key(|place| {
            self.places.push(place.clone());
            next
        })
    }

    /// Its frames.
    pub(crate) fn frames(&self, place: usize) -> &[String] {
        self.places.get(place).map_or(&[], Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_frames_name_the_wait() {
        let cases: [(&str, &str); 7] = [
            (
                "__switch_to_asm __schedule schedule io_schedule folio_wait_bit_common \
                 folio_wait_writeback ksys_sync do_syscall_64 entry_SYSCALL_64_after_hwframe",
                "folio_wait_bit_common folio_wait_writeback ksys_sync",
            ),
            (
                "__schedule schedule schedule_preempt_disabled rwsem_down_write_slowpath \
                 down_write x64_sys_call do_syscall_64",
                "rwsem_down_write_slowpath down_write",
            ),
            (
                "__schedule schedule_timeout.constprop.0 io_schedule_timeout balance_dirty_pages \
                 schedule_work",
                "balance_dirty_pages schedule_work",
            ),
            ("__schedule schedule worker_thread kthread ret_from_fork_asm", "worker_thread"),
            ("__schedule schedule kthread ret_from_fork ret_from_fork_asm", "kthread"),
            (
                "__schedule preempt_schedule_irq irqentry_exit asm_sysvec_apic_timer_interrupt \
                 copy_page ext4_write_begin",
                "copy_page ext4_write_begin",
            ),
            ("", ""),
        ];
        for (whole, expected) in cases {
            let frames: Vec<&str> = whole.split_whitespace().collect();
            assert_eq!(trimmed(&frames).join(" "), expected);
        }
    }

    #[test]
    fn interrupts_are_told_from_tasks() {
        for frame in ["asm_sysvec_apic_timer_interrupt", "common_interrupt", "handle_softirqs"] {
            assert!(is_interrupt(["try_to_wake_up", frame].into_iter()), "{frame}");
        }
        let task = ["try_to_wake_up", "wake_up_q", "rwsem_wake [ext4]", "common_interrupts"];
        assert!(!is_interrupt(task.into_iter()));
    }

    #[test]
    fn a_place_has_one_number() {
        let mut places = Places::new();
        let one = places.place(&["__schedule", "schedule", "down_write", "do_syscall_64"]);
        let same = places.place(&["schedule", "down_write"]);
        let other = places.place(&["schedule", "down_read"]);
        assert_eq!((one, places.place(&[])), (same, Places::UNKNOWN));
        assert_ne!(one, other);
        assert_eq!(places.frames(one), ["down_write"]);
        assert!(places.frames(99).is_empty());
    }
}
