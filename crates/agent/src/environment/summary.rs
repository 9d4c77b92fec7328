//! The most important facts, as keys and values.

use std::time::{SystemTime, UNIX_EPOCH};

use super::mount::Place;
use super::tree::Tree;
use super::{cpu, filesystem, kernel, machine, memory, processes};

/// What is known, in the order to show; what is not has no key.
pub(super) fn of(tree: &Tree, place: Option<&Place>) -> Vec<(String, String)> {
    let line = |file: &str| tree.line(file).unwrap_or_default();
    let mut facts = vec![("host", line("/proc/sys/kernel/hostname")), ("unix time", now())];
    facts.extend([
        ("root", yes_or_no(rustix::process::geteuid().is_root())),
        ("uname", uname(tree)),
        ("kernel", kernel::release(tree).unwrap_or_default()),
        ("tainted", kernel::taint(tree).unwrap_or_default()),
        ("distribution", machine::distribution(tree).unwrap_or_default()),
        ("machine", machine::product(tree).unwrap_or_default()),
        ("virtual", machine::is_virtual(tree).map(yes_or_no).unwrap_or_default()),
    ]);
    facts.extend(cpu::facts(tree));
    facts.push(("governor", cpu::governors(tree)));
    facts.extend(memory::facts(tree));
    facts.push(("uptime", first_word(&line("/proc/uptime"), " s")));
    facts.push(("load", line("/proc/loadavg")));
    let blocked = processes::count_blocked(tree).map(|count| count.to_string());
    facts.push(("blocked tasks", blocked.unwrap_or_default()));
    facts.extend(place.map(|place| filesystem::facts(tree, place)).unwrap_or_default());
    let known = facts.into_iter().filter(|(_, value)| !value.is_empty());
    known.map(|(key, value)| (key.to_owned(), value)).collect()
}

/// In seconds since 1970.
fn now() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map(|since| since.as_secs().to_string()).unwrap_or_default()
}

fn yes_or_no(is: bool) -> String {
    if is { "yes" } else { "no" }.to_owned()
}

fn first_word(text: &str, unit: &str) -> String {
    text.split(' ')
        .next()
        .filter(|word| !word.is_empty())
        .map(|word| format!("{word}{unit}"))
        .unwrap_or_default()
}

/// As `uname -a` has it: system, host, release, version, architecture.
fn uname(tree: &Tree) -> String {
    let told = |file: &str| tree.line(&format!("/proc/sys/kernel/{file}"));
    let mut words: Vec<String> =
        ["ostype", "hostname", "osrelease", "version"].into_iter().filter_map(told).collect();
    // Kernels before 6.1 lack the file.
    let own = || tree.is_own().then(|| rustix::system::uname().machine().to_string_lossy().into());
    words.extend(told("arch").or_else(own));
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::super::testing::Machine;
    use super::*;

    #[test]
    fn what_is_known_stands_in_order() {
        let machine = Machine::with_lvm_on_md();
        for (file, text) in [
            ("sys/kernel/hostname", "box\n"),
            ("sys/kernel/ostype", "Linux\n"),
            ("sys/kernel/osrelease", "6.1.0-57-amd64\n"),
            ("sys/kernel/arch", "x86_64\n"),
            ("uptime", "1234.56 99.0\n"),
        ] {
            machine.write(&format!("/proc/{file}"), text);
        }
        let tree = machine.tree();
        let place = Place::find(&tree, std::path::Path::new("/data")).unwrap();
        let facts = of(&tree, Some(&place));
        let value = |key: &str| facts.iter().find(|(k, _)| k == key).map(|(_, v)| v.as_str());
        assert_eq!(facts[0], ("host".to_owned(), "box".to_owned()));
        assert_eq!(value("uname"), Some("Linux box 6.1.0-57-amd64 x86_64"));
        assert_eq!(value("uptime"), Some("1234.56 s"));
        assert_eq!(value("mount options"), Some("rw,noatime,rw"));
        assert_eq!((value("memory"), value("blocked tasks")), (None, None));
    }
}
