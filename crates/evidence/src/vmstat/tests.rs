use proptest::prelude::*;

use super::*;

// 2.6.32: reclaim is counted a zone.
const OLD: &str = "\
nr_free_pages 51234
nr_dirty 3301
nr_writeback 128
nr_vmscan_write 77
pgalloc_dma 10
pgalloc_dma32 200
pgalloc_normal 3000
pgalloc_movable 0
pgfree 4100
pgsteal_dma 1
pgsteal_dma32 20
pgsteal_normal 300
pgscan_kswapd_dma 2
pgscan_kswapd_normal 400
pgscan_direct_dma 3
pgscan_direct_normal 500
kswapd_steal 290
pageoutrun 12
allocstall 9
";

// 4.4: stealing is told apart, still a zone.
const MIDDLE: &str = "\
nr_dirty 11
nr_dirtied 90001
nr_written 80002
nr_dirty_threshold 61234
nr_dirty_background_threshold 30577
pgsteal_kswapd_dma32 30
pgsteal_kswapd_normal 4
pgsteal_direct_normal 5
pgscan_direct_normal 6
pgscan_direct_throttle 70
allocstall 8
compact_stall 21
compact_fail 20
compact_success 1
";

// 6.x: stealing a node, stalls a zone.
const NEW: &str = "\
nr_dirty 46
nr_throttled_written 13
pgalloc_dma 0
pgalloc_dma32 7
pgalloc_normal 8
pgalloc_movable 0
pgalloc_device 0
allocstall_dma 0
allocstall_dma32 0
allocstall_normal 14
allocstall_movable 2
pgsteal_kswapd 100
pgsteal_direct 20
pgsteal_khugepaged 3
pgscan_kswapd 1000
pgscan_direct 200
pgscan_khugepaged 30
pgscan_direct_throttle 5
pgscan_anon 600
pgscan_file 630
pgsteal_anon 60
pgsteal_file 63
compact_migrate_scanned 5121
compact_daemon_wake 4
nr_unstable 0
";

#[test]
fn reclaim_is_summed_over_the_zones_of_each_age() {
    let ages = [OLD, MIDDLE, NEW].map(parse);
    for age in &ages {
        assert_eq!(age.notes, [""; 0]);
    }
    let of = |read: fn(&Vmstat) -> Option<u64>| ages.each_ref().map(|age| read(&age.value));
    assert_eq!(of(Vmstat::pgalloc), [Some(3210), None, Some(15)]);
    assert_eq!(of(Vmstat::allocstall), [Some(9), Some(8), Some(16)]);
    assert_eq!(of(Vmstat::pgscan_kswapd), [Some(402), None, Some(1000)]);
    assert_eq!(of(Vmstat::pgscan_direct), [Some(503), Some(6), Some(200)]);
    assert_eq!(of(Vmstat::pgscan), [Some(905), Some(6), Some(1230)]);
    assert_eq!(of(Vmstat::pgsteal_kswapd), [Some(290), Some(34), Some(100)]);
    assert_eq!(of(Vmstat::pgsteal_direct), [None, Some(5), Some(20)]);
    assert_eq!(of(Vmstat::pgsteal), [Some(321), Some(39), Some(123)]);
}

#[test]
fn what_a_kernel_does_not_count_is_none() {
    let [old, middle, new] = [OLD, MIDDLE, NEW].map(|text| parse(text).value);
    assert_eq!([&old, &middle, &new].map(Vmstat::nr_dirty), [Some(3301), Some(11), Some(46)]);
    assert_eq!((old.nr_dirtied(), middle.nr_dirtied()), (None, Some(90_001)));
    assert_eq!((middle.nr_written(), new.nr_written()), (Some(80_002), None));
    assert_eq!(middle.nr_dirty_threshold(), Some(61_234));
    assert_eq!(middle.nr_dirty_background_threshold(), Some(30_577));
    assert_eq!((middle.compact_stall(), middle.compact_fail()), (Some(21), Some(20)));
    assert_eq!((old.pgscan_direct_throttle(), new.pgscan_direct_throttle()), (None, Some(5)));
    assert_eq!((old.nr_throttled_written(), new.nr_throttled_written()), (None, Some(13)));
    assert_eq!(new.get("nr_unstable"), Some(0));
    assert_eq!(new.iter().count(), NEW.lines().count());
}

#[test]
fn what_is_not_understood_is_noted_with_its_line() {
    let parsed = parse("nr_dirty\nnr_dirty 1 2\nnr_writeback 18446744073709551613\n");
    assert_eq!(parsed.value, Vmstat::default());
    assert_eq!(
        parsed.notes,
        [
            "line 1: it has no value",
            "line 2: `1 2` is no counter",
            "line 3: `18446744073709551613` is a number below zero that wrapped around",
        ]
    );
}

proptest! {
    #[test]
    fn anything_is_survived(text: String, counts: Vec<(u8, u64)>) {
        let _ = parse(&text);
        let lines = counts.iter().map(|(zone, count)| {
            format!("pgsteal_{} {count}\n", ZONES[usize::from(*zone) % ZONES.len()])
        });
        let parsed = parse(&lines.collect::<String>());
        prop_assert_eq!(parsed.value.pgsteal().is_some(), parsed.value.iter().count() > 0);
    }
}
