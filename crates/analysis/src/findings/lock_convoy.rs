//! Tasks stand in line for one lock of a filesystem.

use model::account::Account;

use super::amount::{Amount, Holds, Phase};
use super::figure;
use super::function::{function, is_in};
use super::told::Told;
use super::waits::{self, Waits};

/// Functions in which a task waits for a lock (`kernel/locking`).
const LOCK: &[&str] = &[
    "rwsem_down_*",
    "down_write*",
    "down_read*",
    "__down*",
    "down",
    "down_killable",
    "__mutex_lock*",
    "mutex_lock*",
    "rwbase_*",
    "rt_mutex_slowlock*",
];

/// Beginnings of the names of a filesystem's functions, where it is built in.
const FILESYSTEM: &[&str] = &[
    "ext4_*",
    "ext2_*",
    "ext3_*",
    "jbd2_*",
    "xfs_*",
    "btrfs_*",
    "f2fs_*",
    "reiserfs_*",
    "reiser4_*",
    "nilfs_*",
    "jfs_*",
    "fat_*",
    "exfat_*",
    "ntfs_*",
    "inode_lock*",
];

/// Modules that are filesystems.
const MODULES: &[&str] = &[
    "ext4", "ext3", "ext2", "jbd2", "xfs", "btrfs", "f2fs", "reiserfs", "reiser4", "nilfs2", "jfs",
    "vfat", "fat", "exfat", "ntfs3", "bcachefs", "ocfs2", "gfs2", "zfs",
];

const TASKS: &str = "tasks in line";

/// The workload's waits for locks that filesystems take, where at least two of its tasks have such waits.
pub(super) fn amount(phase: &Phase<'_>) -> Option<Amount> {
    let waits = Waits::of(phase.account, |frames| user(frames).is_some())?;
    let tasks = in_line(phase.account);
    let mut amount = waits.amount(phase, 0).with(TASKS, "tasks", f64::from(tasks));
    if tasks < 2 {
        amount.holds = Holds::No;
    }
    Some(amount)
}

/// How many tasks of the workload waited for such a lock.
fn in_line(account: &Account) -> u32 {
    let workload = account.tasks.iter().filter(|task| !task.kernel);
    let waits = workload.filter(|task| task.waits.iter().any(|wait| user(&wait.frames).is_some()));
    waits.map(|task| task.tasks).sum()
}

/// The filesystem's function that takes the lock for which a call path waits.
fn user(frames: &[String]) -> Option<&str> {
    let lock = frames.iter().position(|frame| is_in(frame, LOCK))?;
    let outer = frames[lock + 1..].iter().map(String::as_str);
    outer.take(3).find(|frame| is_in(frame, FILESYSTEM) || is_in_module(frame))
}

fn is_in_module(frame: &str) -> bool {
    let module = frame.rsplit_once(" [").and_then(|(_, module)| module.strip_suffix(']'));
    module.is_some_and(|module| MODULES.contains(&module))
}

/// What it says.
pub(super) fn sentence(told: &Told<'_>) -> String {
    let place = user(&told.amount.frames).map(function);
    let place = place.map(|name| format!(" that `{name}` takes")).unwrap_or_default();
    format!(
        "{} stand in line for a lock of the filesystem{place}: {}",
        figure::counted(told.figure(TASKS).unwrap_or(0.0), "task"),
        waits::summary(told),
    )
}
