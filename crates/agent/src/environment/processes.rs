//! What else runs: the processes' names, states and processor time. Arguments are not read.

use std::fmt::Write as _;

use super::plan::Plan;
use super::tree::Tree;

/// `PF_KTHREAD` of `linux/sched.h`.
const KERNEL_THREAD: u64 = 0x0020_0000;

/// What `/proc/PID/stat` tells of a process, or `/proc/PID/task/TID/stat` of a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Task {
    id: String,
    name: String,
    state: String,
    is_kernel: bool,
    /// In user mode since it began, in ticks (`USER_HZ`, 100 a second on nearly all machines).
    user_ticks: u64,
    /// In the kernel.
    system_ticks: u64,
    threads: u64,
}

pub(super) fn plans(tree: &Tree) -> Vec<Plan> {
    vec![
        Plan::new(tree, "processes", "/proc/PID/stat", processes),
        Plan::new(tree, "blocked tasks", "/proc/PID/task/TID/stat", blocked),
    ]
}

/// Those that took most time first.
fn processes(tree: &Tree) -> Result<String, String> {
    let mut all = tasks(tree, "/proc");
    if all.is_empty() {
        return Err("no process is seen".to_owned());
    }
    all.sort_by_key(|task| std::cmp::Reverse(task.user_ticks + task.system_ticks));
    let mut text = "pid state threads user_ticks system_ticks name\n".to_owned();
    for task in &all {
        let Task { id, state, threads, user_ticks, system_ticks, .. } = task;
        let name = task.shown_name();
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{id} {state} {threads} {user_ticks} {system_ticks} {name}");
    }
    Ok(text)
}

/// Threads in uninterruptible sleep, with where they sleep.
fn blocked(tree: &Tree) -> Result<String, String> {
    let processes = tasks(tree, "/proc");
    if processes.is_empty() {
        return Err("no process is seen".to_owned());
    }
    let mut text = "pid tid wchan name\n".to_owned();
    for process in &processes {
        let folder = format!("/proc/{}/task", process.id);
        for task in threads(tree, process, &folder).iter().filter(|task| task.state == "D") {
            let own = format!("{folder}/{}", task.id);
            let asleep = tree.line(&format!("{own}/wchan")).filter(|place| place != "0");
            let asleep = asleep.unwrap_or_else(|| "?".to_owned());
            let _ = writeln!(text, "{} {} {asleep} {}", process.id, task.id, task.shown_name());
            for frame in tree.read(&format!("{own}/stack")).unwrap_or_default().lines() {
                let _ = writeln!(text, "    {frame}");
            }
        }
    }
    Ok(text)
}

fn threads(tree: &Tree, process: &Task, folder: &str) -> Vec<Task> {
    match process.threads {
        0 | 1 => vec![process.clone()],
        _ => tasks(tree, folder),
    }
}

/// Those of a folder; one that ended meanwhile is none.
fn tasks(tree: &Tree, folder: &str) -> Vec<Task> {
    let mut names = tree.names(folder);
    names.retain(|name| name.bytes().all(|byte| byte.is_ascii_digit()));
    let stat = |name: &String| tree.read(&format!("{folder}/{name}/stat")).ok();
    names.iter().filter_map(stat).filter_map(|text| parse(&text)).collect()
}

/// A name may hold spaces and parentheses, so its end is the last parenthesis.
// 7 (kworker/0:1) I 2 0 0 0 -1 69238880 0 0 0 0 3 14 0 0 20 0 1 0 …
fn parse(text: &str) -> Option<Task> {
    let (id, rest) = text.split_once(" (")?;
    let (name, rest) = rest.rsplit_once(") ")?;
    let fields: Vec<&str> = rest.split_whitespace().collect();
    let number = |index: usize| fields.get(index)?.parse::<u64>().ok();
    Some(Task {
        id: id.to_owned(),
        name: name.replace(char::is_control, "\u{fffd}"),
        state: (*fields.first()?).to_owned(),
        is_kernel: number(6)? & KERNEL_THREAD != 0,
        user_ticks: number(11)?,
        system_ticks: number(12)?,
        threads: number(17)?,
    })
}

impl Task {
    /// In brackets where it is a thread of the kernel, as ps(1) has it.
    fn shown_name(&self) -> String {
        if self.is_kernel { format!("[{}]", self.name) } else { self.name.clone() }
    }
}

/// How many threads are in uninterruptible sleep; `None` where no process is seen.
pub(super) fn count_blocked(tree: &Tree) -> Option<usize> {
    let text = blocked(tree).ok()?;
    Some(text.lines().skip(1).filter(|line| !line.starts_with(' ')).count())
}

#[cfg(test)]
mod tests {
    use super::super::testing::Machine;
    use super::*;

    fn stat(id: u32, name: &str, state: &str, flags: u64, ticks: u64, threads: u32) -> String {
        format!("{id} ({name}) {state} 2 0 0 0 -1 {flags} 0 0 0 0 {ticks} 4 0 0 20 0 {threads} 0\n")
    }

    fn machine() -> Machine {
        let machine = Machine::new();
        let write = |file: &str, text: String| machine.write(&format!("/proc/{file}"), &text);
        write("9/stat", stat(9, "kworker/0:1 (x", "I", 69_238_880, 5, 1));
        write("10/stat", stat(10, "writer", "S", 0, 900, 2));
        write("10/task/10/stat", stat(10, "writer", "S", 0, 1, 2));
        write("10/task/11/stat", stat(11, "flush)er", "D", 0, 1, 2));
        write("10/task/11/wchan", "jbd2_log_wait".to_owned());
        write("10/task/11/stack", "[<0>] a+0x1/0x2\n[<0>] b+0x1/0x2\n".to_owned());
        write("12/stat", stat(12, "a\nb", "D", 0, 0, 1));
        write("12/task/12/wchan", "0".to_owned());
        write("13/other", String::new());
        machine
    }

    #[test]
    fn those_that_ran_longest_come_first() {
        let text = processes(&machine().tree()).unwrap();
        let expected = "pid state threads user_ticks system_ticks name
10 S 2 900 4 writer
9 I 1 5 4 [kworker/0:1 (x]
12 D 1 0 4 a\u{fffd}b
";
        assert_eq!(text, expected);
    }

    #[test]
    fn blocked_threads_are_told_with_where() {
        let tree = machine().tree();
        assert_eq!(count_blocked(&tree), None, "the folder is gone");
        let machine = machine();
        let text = blocked(&machine.tree()).unwrap();
        let expected = "pid tid wchan name
10 11 jbd2_log_wait flush)er
    [<0>] a+0x1/0x2
    [<0>] b+0x1/0x2
12 12 ? a\u{fffd}b
";
        assert_eq!(text, expected);
        assert_eq!(count_blocked(&machine.tree()), Some(2));
    }

    #[test]
    fn what_is_no_stat_is_passed_over() {
        for text in ["", "1", "1 (a", "1 (a) ", "1 (a) S 1 2", "1 (a) S x x x x x x x x x x x x x"]
        {
            assert_eq!(parse(text), None);
        }
    }
}
