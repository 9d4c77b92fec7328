//! Names of tasks without what differs between tasks that do the same.

use model::trace::Task;

/// What `task` is called in results: kernel threads by what they work for, without the numbers of
/// CPUs, pools and disks, which may differ from run to run; others by their name.
pub(crate) fn name(task: &Task) -> String {
    if !task.kernel && task.pid != 0 {
        return task.name.clone();
    }
    match task.name.split_once('/') {
        Some(("kworker", rest)) => worker(rest),
        Some((kind, _)) => kind.to_owned(),
        None => task.name.clone(),
    }
}

/// `u4:2-flush-259:0` → `kworker/flush`. The kernel puts `-` before what a worker does now, `+`
/// before what it did last (`wq_worker_comm` in `kernel/workqueue.c`).
fn worker(rest: &str) -> String {
    let work = rest.split_once(['-', '+']).map_or("", |(_, work)| work);
    let work = work.split('/').next().unwrap_or(work);
    let is_number = |part: &&str| part.starts_with(|first: char| first.is_ascii_digit());
    let work: Vec<&str> = work.split('-').take_while(|part| !is_number(part)).collect();
    match work.as_slice() {
        [] | [""] => "kworker".to_owned(),
        ["flush", ..] => "kworker/flush".to_owned(),
        work => format!("kworker/{}", work.join("-")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernel_threads_are_called_by_what_they_work_for() {
        for (given, expected) in [
            ("kworker/u4:2-flush-259:0", "kworker/flush"),
            ("kworker/u4:1+flush-252:16", "kworker/flush"),
            ("kworker/u4:1-flush-btrfs-1", "kworker/flush"),
            ("kworker/0:1H-kblockd", "kworker/kblockd"),
            ("kworker/0:0-events", "kworker/events"),
            ("kworker/u4:3-ext4-rsv-conversion", "kworker/ext4-rsv-conversion"),
            ("kworker/1:2-xfs-conv/nullb0", "kworker/xfs-conv"),
            ("kworker/0:1-kcryptd-253:0-1", "kworker/kcryptd"),
            ("kworker/0:1", "kworker"),
            ("jbd2/nullb0-8", "jbd2"),
            ("xfsaild/nullb0", "xfsaild"),
            ("ksoftirqd/0", "ksoftirqd"),
            ("kswapd0", "kswapd0"),
        ] {
            let task = Task { pid: 9, name: given.to_owned(), kernel: true, ..Task::default() };
            assert_eq!(name(&task), expected, "{given}");
        }
    }

    #[test]
    fn programs_keep_their_names() {
        let task = Task { pid: 9, process: 9, name: "a/b".to_owned(), kernel: false };
        assert_eq!(name(&task), "a/b");
        let idle = Task { name: "swapper/0".to_owned(), ..Task::default() };
        assert_eq!(name(&idle), "swapper");
    }
}
