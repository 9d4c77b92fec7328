//! The layout that Debian's kernels carry.

use std::time::Instant;

use kernels::{Layout, LayoutError, Member, vmlinux};

use crate::kernel;

/// The layout of a kernel of the lab, if there is one.
fn layout(folder: &str) -> Option<Result<Layout, LayoutError>> {
    let elf = vmlinux(&std::fs::read(kernel(folder)?.image).unwrap()).unwrap();
    let start = Instant::now();
    let layout = Layout::of(&elf);
    println!("{folder}: layout in {:?}", start.elapsed());
    Some(layout)
}

#[test]
fn debians_kernels_say_where_the_members_are() {
    for folder in ["debian-6.1", "debian-6.12"] {
        let Some(layout) = layout(folder) else { continue };
        let layout = layout.unwrap();
        for (of, member, size) in [
            ("task_struct", "pid", 4),
            ("task_struct", "tgid", 4),
            ("task_struct", "comm", 16),
            ("task_struct", "__state", 4),
            ("request", "q", 8),
            ("request", "cmd_flags", 4),
            ("request", "__data_len", 4),
            ("request", "part", 8),
            ("request_queue", "disk", 8),
            ("gendisk", "disk_name", 32),
        ] {
            let found = layout.offset(of, member);
            println!("{folder}: {of}.{member} {found:?}");
            assert_eq!(found.map(|found| found.size), Some(size), "{of}.{member}");
        }
        // Behind three numbers: major, first_minor, minors.
        let name = Member { offset: 12, size: 32 };
        assert_eq!(layout.offset("gendisk", "disk_name"), Some(name));
        let at = |member| layout.offset("task_struct", member).unwrap().offset;
        assert_eq!(at("tgid"), at("pid") + 4);
    }
}

#[test]
fn a_kernel_without_type_information_says_so() {
    let Some(layout) = layout("small-6.12") else { return };
    assert_eq!(layout.unwrap_err(), LayoutError::NoBtf);
}
