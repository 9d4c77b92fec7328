//! The machine and its distribution: what it is made of, whether it is emulated.

use super::attributes::{self, names, push};
use super::plan::Plan;
use super::tree::Tree;

/// Of the firmware's tables; none that tells one machine from another of its kind.
const DMI: [&str; 11] = [
    "sys_vendor",
    "product_name",
    "product_version",
    "product_family",
    "board_vendor",
    "board_name",
    "chassis_type",
    "bios_vendor",
    "bios_version",
    "bios_release",
    "bios_date",
];

pub(super) fn plans(tree: &Tree) -> Vec<Plan> {
    let release = match tree.exists("/etc/os-release") {
        true => "/etc/os-release",
        false => "/usr/lib/os-release",
    };
    vec![
        Plan::file(tree, "distribution", release),
        Plan::list(tree, "machine", "/sys/class/dmi/id", names(&DMI)),
        Plan::new(tree, "virtualisation", "/proc/cpuinfo and others", virtualisation),
        Plan::file(tree, "uptime", "/proc/uptime"),
    ]
}

/// The distribution's name with its version.
pub(super) fn distribution(tree: &Tree) -> Option<String> {
    let text = tree.line("/etc/os-release").or_else(|| tree.line("/usr/lib/os-release"))?;
    let name = text.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
    Some(name.trim_matches(['"', '\'']).to_owned())
}

/// Maker and product as the firmware calls them.
pub(super) fn product(tree: &Tree) -> Option<String> {
    let told = ["sys_vendor", "product_name"]
        .map(|file| tree.line(&format!("/sys/class/dmi/id/{file}")).unwrap_or_default());
    Some(told.join(" ").trim().to_owned()).filter(|told| !told.is_empty())
}

/// Whether the processor says that a hypervisor is below it; `None` where it does not say.
pub(super) fn is_virtual(tree: &Tree) -> Option<bool> {
    let text = tree.line("/proc/cpuinfo")?;
    let flags = text.lines().find_map(|line| line.strip_prefix("flags"))?;
    Some(flags.split_whitespace().any(|flag| flag == "hypervisor"))
}

fn virtualisation(tree: &Tree) -> Result<String, String> {
    let mut text = String::new();
    if let Some(is) = is_virtual(tree) {
        push(&mut text, "hypervisor flag", if is { "yes" } else { "no" });
    }
    let files = ["sys/hypervisor/type", "run/systemd/container", "proc/device-tree/model"];
    text += &attributes::lines(tree, "", &files);
    for mark in ["/.dockerenv", "/run/.containerenv"] {
        if tree.exists(mark) {
            push(&mut text, "container", mark);
        }
    }
    if text.is_empty() { Err("nothing tells".to_owned()) } else { Ok(text) }
}

#[cfg(test)]
mod tests {
    use super::super::testing::Machine;
    use super::*;

    #[test]
    fn a_virtual_machine_says_so() {
        let machine = Machine::new();
        let tree = machine.tree();
        assert_eq!((is_virtual(&tree), product(&tree)), (None, None));
        machine.write("/proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu hypervisor sse\n");
        machine.write("/run/systemd/container", "lxc\n");
        machine.write("/sys/class/dmi/id/sys_vendor", "QEMU\n");
        let text = virtualisation(&tree).unwrap();
        assert_eq!(text, "hypervisor flag: yes\nrun/systemd/container: lxc\n");
        assert_eq!(product(&tree).as_deref(), Some("QEMU"));
    }

    #[test]
    fn a_distribution_has_a_name() {
        let machine = Machine::new();
        machine.write("/usr/lib/os-release", "ID=x\nPRETTY_NAME=\"Some Linux 12 (word)\"\n");
        assert_eq!(distribution(&machine.tree()).as_deref(), Some("Some Linux 12 (word)"));
    }
}
