//! Waits for data to be written back, and the calls that ask for it.

use model::account::{Account, WorkloadTime};

use super::function::{is_in, leads_through};

/// Functions in which a caller writes back, or waits for that (`fs/fs-writeback.c`, `mm/filemap.c`,
/// `mm/page-writeback.c`, `fs/sync.c`), also under their names in older kernels.
const WRITEBACK: &[&str] = &[
    "sync_inodes_sb",
    "wb_wait_for_completion",
    "wait_sb_inodes",
    "bdi_sync_writeback",
    "bdi_wait_on_work_clear",
    "folio_wait_writeback*",
    "wait_on_page_writeback*",
    "wait_on_page_writeback_range",
    "filemap_fdatawait*",
    "__filemap_fdatawait*",
    "filemap_write_and_wait*",
    "file_write_and_wait*",
    "fdatawait_one_bdev",
    "sync_bdevs",
    "sync_blockdev*",
    "filemap_fdatawrite*",
    "__filemap_fdatawrite*",
    "filemap_flush",
    "writeback_inodes_sb*",
    "sync_filesystem",
    "__sync_filesystem",
    "sync_filesystems",
    "iterate_supers",
    "__iterate_supers",
    "iterate_bdevs",
    "ksys_sync",
];

/// Calls that ask for data to be durable. What they wait for includes one commit of a journal.
const DURABLE: &[&str] = &[
    "ksys_sync",
    "sync_filesystem",
    "__sync_filesystem",
    "sync_filesystems",
    "do_fsync",
    "__do_sys_fsync",
    "__do_sys_fdatasync",
    "vfs_fsync*",
    "generic_write_sync",
    "__do_sys_syncfs",
    "sys_sync",
    "do_sync",
];

/// sync(2), which is the one call for the data of all filesystems.
const SYNC: &[&str] = &[
    "ksys_sync",
    "__do_sys_sync",
    "sys_sync",
    "do_sync",
    "sync_filesystems",
    "__x64_sys_sync",
    "__arm64_sys_sync",
];

/// What a caller did to wait for writeback, by the functions of its path, in the order of the search.
const CALLS: &[(&str, &[&str])] = &[
    ("sync", SYNC),
    ("syncfs", &["__do_sys_syncfs", "sys_syncfs"]),
    ("umount", &["generic_shutdown_super", "deactivate_locked_super", "cleanup_mnt"]),
    ("fsync", &["do_fsync", "vfs_fsync*"]),
    ("close", &["__fput"]),
];

/// Whether the path's caller waits for writeback.
pub(super) fn for_writeback(frames: &[String]) -> bool {
    leads_through(frames, WRITEBACK)
}

/// Whether the path's caller asked for data to be durable.
pub(super) fn for_durability(frames: &[String]) -> bool {
    leads_through(frames, DURABLE)
}

/// Whether waiting in sync(2) is the larger part of the waiting whose place is known.
pub(super) fn mostly_in_sync(workload: &WorkloadTime) -> bool {
    let known = workload.blocked.iter().filter(|place| !place.frames.is_empty());
    let (in_sync, all) = known.fold((0, 0), |(in_sync, all), place| {
        let sync = if leads_through(&place.frames, SYNC) { place.ns } else { 0 };
        (in_sync + sync, all + place.ns)
    });
    in_sync * 2 > all
}

/// The call path of the longest waiting for writeback; empty where there is none.
pub(super) fn longest_path(account: &Account) -> &[String] {
    let blocked = account.workload.iter().flat_map(|workload| &workload.blocked);
    let longest = blocked.filter(|place| for_writeback(&place.frames)).max_by_key(|place| place.ns);
    longest.map_or(&[], |place| &place.frames)
}

/// ` in `sync``: the call beneath which a path waits for writeback; nothing where it is none of those known.
pub(super) fn in_call(frames: &[String]) -> String {
    let leads = |functions: &[&str]| frames.iter().any(|frame| is_in(frame, functions));
    let call = CALLS.iter().find(|(_, functions)| leads(functions));
    call.map(|(name, _)| format!(" in `{name}`")).unwrap_or_default()
}
