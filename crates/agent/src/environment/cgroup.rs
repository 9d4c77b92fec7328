//! The control groups of this process, and what they limit.

use super::attributes;
use super::mount::{Mount, mounts};
use super::plan::Plan;
use super::tree::Tree;

/// Limits of memory, processors and disks, of version 2 and of version 1.
const LIMITS: [&str; 24] = [
    "cgroup.controllers",
    "memory.max",
    "memory.high",
    "memory.current",
    "memory.swap.max",
    "memory.pressure",
    "io.max",
    "io.weight",
    "io.latency",
    "io.stat",
    "io.pressure",
    "cpu.max",
    "cpu.weight",
    "cpuset.cpus.effective",
    "memory.limit_in_bytes",
    "memory.soft_limit_in_bytes",
    "memory.usage_in_bytes",
    "blkio.weight",
    "blkio.bfq.weight",
    "blkio.throttle.write_bps_device",
    "blkio.throttle.write_iops_device",
    "blkio.throttle.read_bps_device",
    "cpu.cfs_quota_us",
    "cpuset.effective_cpus",
];

pub(super) fn plans(tree: &Tree) -> Vec<Plan> {
    vec![
        Plan::file(tree, "cgroup", "/proc/self/cgroup"),
        Plan::new(tree, "cgroup limits", "/sys/fs/cgroup", |tree| {
            let groups = tree.read("/proc/self/cgroup").map_err(|why| why.to_string())?;
            let mounts = mounts(tree)?;
            let folders: Vec<String> =
                groups.lines().filter_map(|line| folders(line, &mounts)).flatten().collect();
            let all = |folder: &String| LIMITS.map(|file| format!("{folder}/{file}"));
            let files: Vec<String> = folders.iter().flat_map(all).collect();
            attributes::section(tree, "", &files)
        }),
    ]
}

/// The group of a line of `/proc/self/cgroup` and those above it, without the first `/`.
// 4:memory:/user.slice
// 0::/user.slice/session-2.scope
fn folders(line: &str, mounts: &[Mount]) -> Option<Vec<String>> {
    let mut fields = line.splitn(3, ':');
    let (_, controllers, group) = (fields.next()?, fields.next()?, fields.next()?);
    let mount = mounts.iter().find(|mount| match controllers {
        "" => mount.kind == "cgroup2",
        list => mount.kind == "cgroup" && has_all(&mount.options, list),
    })?;
    // In a container only a part of the groups may be mounted.
    let inner = match mount.root.as_str() {
        "/" => group,
        root => group.strip_prefix(root).unwrap_or_default(),
    };
    let whole = format!("{}{}", mount.point.trim_start_matches('/'), inner.trim_end_matches('/'));
    let up = std::iter::successors(Some(whole.as_str()), |path| Some(path.rsplit_once('/')?.0));
    let depth = inner.matches('/').count() - usize::from(inner.ends_with('/'));
    Some(up.take(depth + 1).map(str::to_owned).collect())
}

fn has_all(options: &str, controllers: &str) -> bool {
    controllers.split(',').all(|one| options.split(',').any(|option| option == one))
}

#[cfg(test)]
mod tests {
    use super::super::testing::Machine;
    use super::*;

    fn found(line: &str, mountinfo: &str) -> Vec<String> {
        let machine = Machine::new();
        machine.write("/proc/self/mountinfo", mountinfo);
        folders(line, &mounts(&machine.tree()).unwrap()).unwrap_or_default()
    }

    #[test]
    fn groups_above_are_looked_at_too() {
        let second = "1 0 0:1 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw,nsdelegate\n";
        let expected = ["sys/fs/cgroup/a/b.scope", "sys/fs/cgroup/a", "sys/fs/cgroup"];
        assert_eq!(found("0::/a/b.scope", second), expected);
        assert_eq!(found("0::/", second), ["sys/fs/cgroup"]);
        assert_eq!(found("4:memory:/a", second), [""; 0]);
        let first = "1 0 0:1 /box /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n";
        let expected = ["sys/fs/cgroup/cpu,cpuacct/a", "sys/fs/cgroup/cpu,cpuacct"];
        assert_eq!(found("5:cpu,cpuacct:/box/a", first), expected);
        assert_eq!(found("5:cpu,cpuacct:/", first), ["sys/fs/cgroup/cpu,cpuacct"]);
    }

    #[test]
    fn limits_are_listed_by_their_files() {
        let machine = Machine::new();
        machine.write("/proc/self/mountinfo", "1 0 0:1 / /cg rw - cgroup2 cgroup2 rw\n");
        machine.write("/proc/self/cgroup", "0::/a\n");
        machine.write("/cg/a/io.max", "8:0 wbps=1000\n8:16 wbps=max\n");
        machine.write("/cg/memory.max", "max\n");
        let limits = plans(&machine.tree()).pop().unwrap().carry_out();
        let expected =
            "cg/a/io.max: 8:0 wbps=1000\ncg/a/io.max: 8:16 wbps=max\ncg/memory.max: max\n";
        assert_eq!(limits.text.as_deref(), Ok(expected));
    }
}
