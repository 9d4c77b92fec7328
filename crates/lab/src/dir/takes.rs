//! Which settings mean something in a directory, and how the others' ends are met.

use model::place::IN_A_DIRECTORY;
use model::setting_table::SYSCTL_PREFIX;

/// Whether the directory `path` takes the setting `key`.
///
/// # Errors
/// It does not; the sentence says how the same is done instead.
pub(crate) fn takes(key: &str, path: &str) -> Result<(), String> {
    let sets = format!(
        "keep a set of trials with each (`slowpath run CASE --on dir:{path} --repeat 12`), then \
         compare the sets: `slowpath compare SET SET`"
    );
    match key {
        taken if IN_A_DIRECTORY.contains(&taken) => Ok(()),
        "kernel" | "kernel.modules" | "modules" | "cmdline" => {
            Err(format!("a directory is written by the kernel that runs; boot each and {sets}"))
        }
        "fs" | "mkfs" | "program.mkfs" | "mount" => Err(
            "a directory has its filesystem already; make and mount each yourself and compare the \
             directories: --vary on=dir:/mnt/a,dir:/mnt/b"
                .to_owned(),
        ),
        sysctl if sysctl.starts_with(SYSCTL_PREFIX) => {
            let name = &sysctl[SYSCTL_PREFIX.len()..];
            Err(format!("set each value yourself (`sysctl -w {name}=VALUE`) and {sets}"))
        }
        _ => Err("only the exact lab can set it (--on exact)".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use model::setting_table::KNOBS;

    use super::*;

    #[test]
    fn every_setting_is_taken_or_told_how_else() {
        let keys = KNOBS.iter().map(|knob| knob.key).chain(["sysctl.vm.dirty_bytes"]);
        for key in keys {
            let said = match key {
                taken if IN_A_DIRECTORY.contains(&taken) => None,
                "kernel" | "kernel.modules" | "modules" | "cmdline" => Some("--on dir:/mnt/x"),
                "fs" | "mkfs" | "program.mkfs" | "mount" => Some("--vary on=dir:"),
                "sysctl.vm.dirty_bytes" => Some("sysctl -w vm.dirty_bytes=VALUE"),
                _ => Some("--on exact"),
            };
            match (said, takes(key, "/mnt/x")) {
                (None, taken) => assert_eq!(taken, Ok(())),
                (Some(said), refused) => assert!(refused.unwrap_err().contains(said), "{key}"),
            }
        }
    }
}
