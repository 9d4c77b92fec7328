//! Functions by their names, however a compiler or a module dressed them up.

/// What compilers add to the names of functions that they changed or parted.
const COMPILER: &[&str] =
    &[".isra", ".constprop", ".part", ".cold", ".llvm.", ".lto_priv", ".localalias"];

/// The function of a frame: without ` [module]`, offset and what the compiler added (`.isra.0`). What has no name
/// (`[user]`, `(mke2fs)`) stays as it is.
pub(crate) fn function(frame: &str) -> &str {
    if frame.starts_with(['[', '(']) {
        return frame;
    }
    let name = match frame.rsplit_once(" (") {
        Some((name, _)) => name,
        None => frame.split([' ', '+']).next().unwrap_or(frame),
    };
    let end = COMPILER.iter().filter_map(|suffix| name.find(suffix)).min();
    &name[..end.unwrap_or(name.len())]
}

/// The name under which a function is the same on both sides of a comparison: as [`function`], but a program's
/// functions stay its own.
pub(crate) fn normal(frame: &str) -> String {
    let name = function(frame);
    match frame.rsplit_once(" (") {
        Some((_, program)) if name.len() < frame.len() => format!("{name} ({program}"),
        _ => name.to_owned(),
    }
}

/// Whether a frame is in one of the functions; a name that ends in `*` stands for all that begin like it.
pub(crate) fn is_in(frame: &str, functions: &[&str]) -> bool {
    let name = function(frame);
    functions.iter().any(|pattern| match pattern.strip_suffix('*') {
        Some(begin) => name.starts_with(begin),
        None => name == *pattern,
    })
}

/// The first frame of a call path that is in one of the functions.
pub(super) fn first_in<'a>(frames: &'a [String], functions: &[&str]) -> Option<&'a str> {
    frames.iter().map(String::as_str).find(|frame| is_in(frame, functions))
}

/// Whether a call path leads through one of the functions.
pub(super) fn leads_through(frames: &[String], functions: &[&str]) -> bool {
    first_in(frames, functions).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_dresses_a_name_up_is_taken_off() {
        for (frame, expected, same) in [
            ("rmqueue_bulk", "rmqueue_bulk", "rmqueue_bulk"),
            ("rmqueue_bulk.isra.0", "rmqueue_bulk", "rmqueue_bulk"),
            ("ext4_map.constprop.12.isra.3 [ext4]", "ext4_map", "ext4_map"),
            ("__down+0x81/0xdc", "__down", "__down"),
            ("shrink_node.cold", "shrink_node", "shrink_node"),
            ("ext2fs_close.part.0 (mke2fs)", "ext2fs_close", "ext2fs_close (mke2fs)"),
            (
                "<Vec as Drop>::drop.llvm.77 (tool)",
                "<Vec as Drop>::drop",
                "<Vec as Drop>::drop (tool)",
            ),
            ("main.main (tool)", "main.main", "main.main (tool)"),
            ("(libc.so.6)", "(libc.so.6)", "(libc.so.6)"),
            ("[user]", "[user]", "[user]"),
            ("", "", ""),
        ] {
            assert_eq!((function(frame), normal(frame).as_str()), (expected, same), "{frame}");
        }
    }

    #[test]
    fn a_star_stands_for_all_that_begin_like_it() {
        let list = ["vfs_fsync*", "ksys_sync"];
        assert!(is_in("vfs_fsync_range.isra.0", &list) && is_in("ksys_sync", &list));
        assert!(!is_in("ksys_sync_helper", &list) && !is_in("do_vfs_fsync", &list));
        let path = ["wait".to_owned(), "vfs_fsync [x]".to_owned(), "ksys_sync".to_owned()];
        assert_eq!(first_in(&path, &list), Some("vfs_fsync [x]"));
        assert!(!leads_through(&path[..1], &list));
    }
}
