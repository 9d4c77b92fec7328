//! Stacks of tasks that wait in Debian's kernels, against what the kernel itself says of them.
//!
//! `stacks/` holds, for a boot, where some functions of modules were, and for some tasks the registers
//! and the stack with which they entered `__switch_to_asm`, and the path that the kernel gave for
//! them in `/proc/PID/stack`. The kernel leaves out the scheduler's own functions.

use kernels::{Kernel, Registers, Symbols, Unwinder, vmlinux};

use crate::kernel;

const DEBIAN_6_1: (&str, &str) = ("6.1.0-57-amd64", include_str!("stacks/debian-6.1.txt"));
const DEBIAN_6_12: (&str, &str) = ("6.12.117+deb12-amd64", include_str!("stacks/debian-6.12.txt"));

struct Task {
    name: String,
    registers: Registers,
    stack: Vec<u8>,
    path: Vec<u64>,
}

fn hex(text: &str) -> u64 {
    u64::from_str_radix(text, 16).unwrap()
}

fn words(text: &str) -> Vec<u64> {
    text.split(' ').map(hex).collect()
}

/// The modules' symbols and the tasks.
fn read(text: &str) -> (String, Vec<Task>) {
    let (mut symbols, mut tasks) = (String::new(), Vec::new());
    let mut lines = text.lines().map(|line| line.split_once(' ').unwrap());
    while let Some((key, value)) = lines.next() {
        if key == "symbol" {
            symbols.push_str(value);
            symbols.push('\n');
            continue;
        }
        let mut field = || lines.next().unwrap().1;
        let [ip, sp, bp] = words(field()).try_into().unwrap();
        let stack = field().as_bytes().chunks_exact(2);
        let stack = stack.map(|byte| hex(std::str::from_utf8(byte).unwrap()) as u8).collect();
        let registers = Registers { ip, sp, bp };
        tasks.push(Task { name: value.to_owned(), registers, stack, path: words(field()) });
    }
    (symbols, tasks)
}

/// The kernel in the lab, if it is the one that the stacks are from.
fn same_kernel(folder: &str, release: &str) -> Option<Kernel> {
    let kernel = kernel(folder)?;
    if kernel.release != release {
        println!("skipped: the stacks are from {release}, not from {}", kernel.release);
        return None;
    }
    Some(kernel)
}

/// Hides the ORC of an ELF file by another name.
fn without_orc(mut elf: Vec<u8>) -> Vec<u8> {
    let name = b".orc_unwind_ip\0";
    let at = elf.windows(name.len()).rposition(|window| window == name).unwrap();
    elf[at + 1] = b'x';
    elf
}

/// An unwinder for the kernel with ext4 and jbd2.
fn unwinder(kernel: &Kernel, symbols: &str, orc: bool) -> Unwinder {
    let hidden = |elf| if orc { elf } else { without_orc(elf) };
    let elf = hidden(vmlinux(&std::fs::read(&kernel.image).unwrap()).unwrap());
    let modules = kernel.resolve(&["ext4"], &[]).unwrap();
    let modules: Vec<_> =
        modules.into_iter().map(|module| (module.name, hidden(module.bytes))).collect();
    let modules: Vec<_> =
        modules.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect();
    Unwinder::new(&elf, &modules, &Symbols::parse(symbols)).unwrap()
}

#[test]
fn paths_are_the_kernels_own() {
    for (folder, (release, text)) in [("debian-6.1", DEBIAN_6_1), ("debian-6.12", DEBIAN_6_12)] {
        let Some(kernel) = same_kernel(folder, release) else { continue };
        let (symbols, tasks) = read(text);
        assert_eq!(tasks.len(), 3);
        let unwinder = unwinder(&kernel, &symbols, true);
        for task in tasks {
            let found = unwinder.unwind(task.registers, &task.stack);
            let (scheduler, path) = found.frames.split_at(found.frames.len() - task.path.len());
            assert_eq!(path, task.path, "{}", task.name);
            assert!((3..=4).contains(&scheduler.len()), "{}: {scheduler:x?}", task.name);
            assert!(!found.guessed);
        }
    }
}

#[test]
fn without_orc_the_path_is_among_the_guesses() {
    for (folder, (release, text)) in [("debian-6.1", DEBIAN_6_1), ("debian-6.12", DEBIAN_6_12)] {
        let Some(kernel) = same_kernel(folder, release) else { continue };
        let (symbols, tasks) = read(text);
        let unwinder = unwinder(&kernel, &symbols, false);
        assert_eq!(unwinder.orc_rows(), 0);
        for task in tasks {
            let found = unwinder.unwind(task.registers, &task.stack);
            let missing: Vec<_> =
                task.path.iter().filter(|frame| !found.frames.contains(frame)).collect();
            assert!(missing.is_empty(), "{}: {missing:x?} of {:x?}", task.name, found.frames);
            assert!(found.guessed);
        }
    }
}
