//! The frame that names a wait: the first one that tells what is waited for, below helpers by which everything waits.

use crate::findings::function;

/// Helpers of waiting: `kernel/sched/{wait,wait_bit,completion}.c`, `kernel/locking`, `mm/filemap.c`,
/// `block/blk-rq-qos.c`. A name that ends in `*` stands for all that begin like it.
const HELPERS: [&str; 28] = [
    "bit_wait*",
    "__wait_on_bit*",
    "out_of_line_wait_on_bit*",
    "wait_on_bit*",
    "folio_wait_bit*",
    "folio_wait_writeback",
    "__folio_lock*",
    "wait_on_page_bit*",
    "__lock_page*",
    "io_schedule*",
    "schedule*",
    "rq_qos_wait",
    "futex_*",
    "__wait_for_common",
    "wait_for_common*",
    "wait_for_completion*",
    "wait_woken",
    "rwsem_down_*",
    "__rwsem_*",
    "down_read*",
    "down_write*",
    "__down_read*",
    "__down_write*",
    "__mutex_lock*",
    "mutex_lock*",
    "__down",
    "down",
    "percpu_rwsem_wait",
];

/// The frame of a wait's path that names it: its innermost one where all are helpers.
#[must_use]
pub fn naming(frames: &[String]) -> Option<&String> {
    let is_helper = |frame: &str| function::is_in(frame, &HELPERS);
    frames.iter().find(|frame| !is_helper(frame)).or(frames.first())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_named_by_what_waits_and_not_by_how() {
        let cases = [
            ("bit_wait_io __wait_on_bit jbd2_log_do_checkpoint start_this_handle", 2),
            ("folio_wait_bit_common folio_wait_writeback __filemap_fdatawait_range", 2),
            ("wb_wait_for_completion sync_inodes_sb ksys_sync", 0),
            ("rwsem_down_write_slowpath down_write ext4_file_write_iter", 2),
            ("schedule_timeout __wait_for_common", 0),
        ];
        for (path, at) in cases {
            let frames: Vec<String> = path.split(' ').map(str::to_owned).collect();
            assert_eq!(naming(&frames), Some(&frames[at]), "{path}");
        }
        assert_eq!(naming(&[]), None);
    }
}
