//! Tasks, from what is copied of their `task_struct`.

use std::collections::HashMap;

use model::trace::{Task, TaskState};

/// Pieces that tell of a task.
pub(super) const PIECES: usize = 4;

/// `PF_KTHREAD`, include/linux/sched.h.
const KERNEL_THREAD: u32 = 0x0020_0000;

// include/linux/sched.h; what `TASK_REPORT` and ps(1) know.
const INTERRUPTIBLE: u32 = 0x1;
const UNINTERRUPTIBLE: u32 = 0x2;
const NO_LOAD: u32 = 0x400;

/// All tasks that were seen.
#[derive(Default)]
pub(super) struct Tasks {
    list: Vec<Task>,
    known: HashMap<Task, u32>,
}

impl Tasks {
    /// The index of the task that the four pieces tell of.
    pub(super) fn index(&mut self, pieces: &[Vec<u8>]) -> Option<u32> {
        let number = |at: usize| number(pieces.get(at)?);
        let task = Task {
            pid: number(0)?,
            process: number(1)?,
            kernel: number(2)? & KERNEL_THREAD != 0,
            name: text(pieces.get(3)?),
        };
        if let Some(index) = self.known.get(&task) {
            return Some(*index);
        }
        let index = u32::try_from(self.list.len()).ok()?;
        self.list.push(task.clone());
        self.known.insert(task, index);
        Some(index)
    }

    pub(super) fn into_list(self) -> Vec<Task> {
        self.list
    }
}

/// The first four bytes as a number.
pub(super) fn number(piece: &[u8]) -> Option<u32> {
    piece.first_chunk().map(|bytes| u32::from_le_bytes(*bytes))
}

/// Text up to its zero byte.
pub(super) fn text(piece: &[u8]) -> String {
    let end = piece.iter().position(|byte| *byte == 0).unwrap_or(piece.len());
    String::from_utf8_lossy(&piece[..end]).into_owned()
}

/// Why a task leaves its CPU, by its state. One from which the CPU is taken (`preempted`) may have
/// been about to wait and still runs on.
pub(super) fn state(bits: u32, preempted: bool) -> TaskState {
    match bits {
        0 => TaskState::Runnable,
        _ if preempted => TaskState::Runnable,
        bits if bits & UNINTERRUPTIBLE != 0 && bits & NO_LOAD != 0 => TaskState::Idle,
        bits if bits & UNINTERRUPTIBLE != 0 => TaskState::Uninterruptible,
        bits if bits & INTERRUPTIBLE != 0 => TaskState::Interruptible,
        _ => TaskState::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_is_known_again() {
        let pieces = |pid: u32, flags: u32, name: &[u8]| {
            vec![
                pid.to_le_bytes().to_vec(),
                1u32.to_le_bytes().to_vec(),
                flags.to_le_bytes().to_vec(),
                name.to_vec(),
            ]
        };
        let mut tasks = Tasks::default();
        let jbd2 = pieces(40, KERNEL_THREAD | 0x40, b"jbd2/nullb0-8\0\0\0");
        assert_eq!(tasks.index(&jbd2), Some(0));
        assert_eq!(tasks.index(&pieces(1, 0, b"agent\0")), Some(1));
        assert_eq!(tasks.index(&jbd2), Some(0));
        assert_eq!(tasks.index(&jbd2[..3]), None);
        let list = tasks.into_list();
        assert_eq!((list[0].name.as_str(), list[0].kernel), ("jbd2/nullb0-8", true));
        assert!(!list[1].kernel);
    }

    #[test]
    fn states_are_those_of_ps() {
        for (bits, preempted, expected) in [
            (0, false, TaskState::Runnable),
            (1, false, TaskState::Interruptible),
            (2, false, TaskState::Uninterruptible),
            (0x102, false, TaskState::Uninterruptible),
            (0x402, false, TaskState::Idle),
            (2, true, TaskState::Runnable),
            (0x80, false, TaskState::Other),
        ] {
            assert_eq!(state(bits, preempted), expected, "{bits:x}");
        }
    }
}
