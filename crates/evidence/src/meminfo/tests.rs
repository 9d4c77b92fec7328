use proptest::prelude::*;

use super::*;

const OLD: &str = "\
MemTotal:      1034324 kB
MemFree:         14276 kB
Buffers:         31052 kB
Cached:         803488 kB
SwapCached:          4 kB
Active:         318092 kB
Inactive:       622208 kB
HighTotal:      131072 kB
HighFree:          252 kB
LowTotal:       903252 kB
LowFree:         14024 kB
SwapTotal:     2096472 kB
SwapFree:      2096468 kB
Dirty:          221184 kB
Writeback:       12288 kB
AnonPages:      105768 kB
Mapped:          41320 kB
Slab:            63012 kB
SReclaimable:    51300 kB
SUnreclaim:      11712 kB
PageTables:       2196 kB
NFS_Unstable:        8 kB
Bounce:             16 kB
CommitLimit:   2613632 kB
Committed_AS:   336180 kB
VmallocTotal:   114680 kB
";

const NEW: &str = "\
MemTotal:       16316412 kB
MemFree:         2071284 kB
MemAvailable:   12604172 kB
Active(anon):    1310852 kB
Inactive(anon):    10552 kB
Active(file):    4101120 kB
Inactive(file):  6291456 kB
Unevictable:        3072 kB
Mlocked:            3072 kB
Shmem:             65536 kB
KReclaimable:     812004 kB
KernelStack:        9216 kB
SecPageTables:         0 kB
WritebackTmp:          0 kB
VmallocTotal:   34359738367 kB
HugePages_Total:       4
Hugepagesize:       2048 kB
DirectMap1G:    13631488 kB
";

#[test]
fn an_old_kernels_lines() {
    let Parsed { value: old, notes } = parse(OLD);
    assert_eq!(notes, [""; 0]);
    assert_eq!(old.total, Some(1_034_324 << 10));
    assert_eq!((old.dirty, old.writeback), (Some(221_184 << 10), Some(12 << 20)));
    assert_eq!((old.active, old.inactive), (Some(318_092 << 10), Some(622_208 << 10)));
    assert_eq!((old.nfs_unstable, old.bounce), (Some(8 << 10), Some(16 << 10)));
    assert_eq!(old.slab.zip(old.s_reclaimable), Some((63_012 << 10, 51_300 << 10)));
    assert_eq!((old.available, old.shmem, old.kernel_stack), (None, None, None));
    assert_eq!((old.active_file, old.writeback_tmp), (None, None));
    assert_eq!(old.others.len(), 5);
    assert_eq!(old.others[0], ("HighTotal".to_owned(), 128 << 20));
}

#[test]
fn a_new_kernels_lines() {
    let Parsed { value: new, notes } = parse(NEW);
    assert_eq!(notes, [""; 0]);
    assert_eq!(new.available, Some(12_604_172 << 10));
    assert_eq!(new.active_anon.zip(new.inactive_anon), Some((1_310_852 << 10, 10_552 << 10)));
    assert_eq!(new.active_file.zip(new.inactive_file), Some((4_101_120 << 10, 6 << 30)));
    assert_eq!((new.shmem, new.kernel_stack), (Some(64 << 20), Some(9 << 20)));
    assert_eq!(new.writeback_tmp, Some(0));
    assert_eq!((new.dirty, new.cached, new.active), (None, None, None));
    let other = |name: &str| new.others.iter().find(|other| other.0 == name).map(|it| it.1);
    assert_eq!(other("VmallocTotal"), Some(34_359_738_367 << 10));
    assert_eq!((other("HugePages_Total"), other("Hugepagesize")), (Some(4), Some(2 << 20)));
}

#[test]
fn what_is_not_understood_is_noted_with_its_line() {
    let parsed = parse(
        "Mem:  1057779712 843816960\nMemFree 5 kB\nDirty: 5 MB\n\
         Committed_AS: 18446744073709551608 kB\nSlab: 18014398509481984 kB\n",
    );
    assert_eq!(parsed.value, Meminfo::default());
    assert_eq!(
        parsed.notes,
        [
            "line 1: `1057779712 843816960` is no counter",
            "line 2: it has no colon",
            "line 3: `5 MB` is no counter",
            "line 4: `18446744073709551608` is a number below zero that wrapped around",
            "line 5: `18014398509481984 kB` is more than 64 bits hold",
        ]
    );
}

proptest! {
    #[test]
    fn anything_is_survived(text: String, number: u128) {
        let _ = parse(&text);
        let parsed = parse(&format!("{text}:{number} kB\nDirty: {number} kB"));
        prop_assert_eq!(parsed.value.dirty.is_some(), number <= u128::from(u64::MAX / 1024));
    }
}
