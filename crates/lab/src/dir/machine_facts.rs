//! What of the running machine a trial depends on: kernel, processors, memory.

use std::fs;
use std::path::Path;

use model::Fingerprint;

/// Adds what the machine tells, whose files lie below `root`.
pub(crate) fn describe(fingerprint: &mut Fingerprint, root: &Path) {
    let read = |file: &str| fs::read_to_string(root.join("proc").join(file)).ok();
    let line = |file: &str| read(file).map(|text| text.trim().to_owned());
    let processors = read("cpuinfo");
    for (item, value) in [
        ("kernel.release", line("sys/kernel/osrelease")),
        ("kernel.version", line("sys/kernel/version")),
        ("cpu", processors.as_deref().and_then(|text| field(text, "model name"))),
        ("cpus", processors.as_deref().and_then(count)),
        ("mem", read("meminfo").and_then(|text| memory(&text))),
    ] {
        if let Some(value) = value {
            fingerprint.set(item, value);
        }
    }
}

/// The first field of that name: `model name : Some CPU`, `MemTotal:  24684084 kB`.
fn field(text: &str, name: &str) -> Option<String> {
    let mut fields = text.lines().filter_map(|line| line.split_once(':'));
    let (_, value) = fields.find(|(key, _)| key.trim() == name)?;
    Some(value.trim().to_owned())
}

/// Each processor's paragraph begins with `processor : NUMBER`.
fn count(cpuinfo: &str) -> Option<String> {
    let is_one =
        |line: &&str| line.split_once(':').is_some_and(|(key, _)| key.trim_end() == "processor");
    let processors = cpuinfo.lines().filter(is_one).count();
    (processors > 0).then(|| processors.to_string())
}

/// In MiB: what a kernel keeps for itself differs by some KiB from one to the next.
fn memory(meminfo: &str) -> Option<String> {
    let total = field(meminfo, "MemTotal")?;
    let kib: u64 = total.strip_suffix("kB")?.trim().parse().ok()?;
    Some(format!("{}M", kib >> 10))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_is_described_by_what_it_tells() {
        let root = tempfile::tempdir().unwrap();
        let write = |file: &str, text: &str| {
            let path = root.path().join("proc").join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("sys/kernel/osrelease", "6.12.1-amd64\n");
        write("meminfo", "MemTotal:       24684084 kB\nMemFree:  1 kB\n");
        write("cpuinfo", "processor\t: 0\nmodel name\t: Some CPU @ 2:1\n\nprocessor\t: 1\n");
        let mut fingerprint = Fingerprint::default();
        describe(&mut fingerprint, root.path());
        let items: Vec<_> = fingerprint.items().collect();
        let expected = [
            ("cpu", "Some CPU @ 2:1"),
            ("cpus", "2"),
            ("kernel.release", "6.12.1-amd64"),
            ("mem", "24105M"),
        ];
        assert_eq!(items, expected);
    }
}
