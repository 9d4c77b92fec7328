//! The kernel: version, configuration, command line, taint.

use super::plan::Plan;
use super::tree::Tree;

/// What the bits of `/proc/sys/kernel/tainted` are called, from the lowest.
/// Source: `Documentation/admin-guide/tainted-kernels.rst`.
const TAINTS: &str = "PFSRMBUDAWCIOELKXTNJ";

/// The configuration as the kernel itself has it, packed.
const PACKED: &str = "/proc/config.gz";

pub(super) fn plans(tree: &Tree) -> Vec<Plan> {
    vec![
        Plan::file(tree, "kernel version", "/proc/version"),
        Plan::file(tree, "kernel command line", "/proc/cmdline"),
        Plan::new(tree, "kernel taint", "/proc/sys/kernel/tainted", |tree| {
            taint(tree).ok_or_else(|| "the kernel does not tell".to_owned())
        }),
        config(tree),
    ]
}

/// The release that this kernel calls itself.
pub(super) fn release(tree: &Tree) -> Option<String> {
    tree.line("/proc/sys/kernel/osrelease")
}

/// The number and the letters of its bits: `4097 PO`; `0 not tainted`.
pub(super) fn taint(tree: &Tree) -> Option<String> {
    let bits: u64 = tree.line("/proc/sys/kernel/tainted")?.parse().ok()?;
    let set = TAINTS.chars().enumerate().filter(|(bit, _)| bits >> bit & 1 == 1);
    let letters: String = set.map(|(_, letter)| letter).collect();
    Some(match bits {
        0 => "0 not tainted".to_owned(),
        _ => format!("{bits} {letters}").trim_end().to_owned(),
    })
}

fn config(tree: &Tree) -> Plan {
    let title = "kernel config";
    let release = release(tree).unwrap_or_default();
    let files = [
        format!("/boot/config-{release}"),
        format!("/lib/modules/{release}/config"),
        format!("/lib/modules/{release}/build/.config"),
        format!("/usr/lib/kernel/config-{release}"),
    ];
    let found = files.iter().find(|file| !release.is_empty() && tree.exists(file));
    match found {
        Some(file) => Plan::file(tree, title, file),
        None if tree.exists(PACKED) => {
            let why = format!("it is there, but packed; `zcat {PACKED}` shows it");
            Plan::known(tree, title, PACKED, Err(why))
        }
        None => {
            let why = format!("neither {PACKED} nor {} is there", files.join(" nor "));
            Plan::known(tree, title, "/boot", Err(why))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::Machine;
    use super::*;

    #[test]
    fn the_config_is_taken_from_where_it_is() {
        let machine = Machine::new();
        let section = |machine: &Machine| config(&machine.tree()).carry_out();
        machine.write("/proc/sys/kernel/osrelease", "6.1.0-57-amd64\n");
        let nowhere = section(&machine).text.unwrap_err();
        assert!(nowhere.contains("/boot/config-6.1.0-57-amd64"), "{nowhere}");
        machine.write("/proc/config.gz", "packed");
        let packed = section(&machine).text.unwrap_err();
        assert_eq!(packed, "it is there, but packed; `zcat /proc/config.gz` shows it");
        machine.write("/lib/modules/6.1.0-57-amd64/config", "CONFIG_SMP=y\n");
        let found = section(&machine);
        assert_eq!(found.source, "/lib/modules/6.1.0-57-amd64/config");
        assert_eq!(found.text.as_deref(), Ok("CONFIG_SMP=y\n"));
    }

    #[test]
    fn taint_is_told_in_letters() {
        let machine = Machine::new();
        for (bits, told) in [
            ("0", Some("0 not tainted")),
            ("4097", Some("4097 PO")),
            ("512", Some("512 W")),
            ("1099511627776", Some("1099511627776")),
            ("x", None),
        ] {
            machine.write("/proc/sys/kernel/tainted", bits);
            assert_eq!(taint(&machine.tree()).as_deref(), told, "{bits}");
        }
    }
}
