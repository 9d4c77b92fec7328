use proptest::prelude::*;

use super::*;

// 2.6.1x: two lists a CPU, counters by zone.
const OLD: &str = "\
Node 0, zone   Normal
  pages free     51211
        min      936
        low      1170
        high     1404
        active   88012
        inactive 60213
        scanned  0 (a: 3 i: 12)
        spanned  225280
        present  223491
        protection: (0, 0, 1015)
  pagesets
    cpu: 0 pcp: 0
              count: 101
              low:   62
              high:  186
              batch: 31
    cpu: 0 pcp: 1
              count: 57
              low:   0
              high:  62
              batch: 31
            numa_hit:       4101
  all_unreclaimable: 0
  prev_priority:     12
  temp_priority:     12
  start_pfn:         4096
";

// 2.6.32: one list a CPU.
const MIDDLE: &str = "\
Node 0, zone      DMA
  pages free     3935
        min      39
        low      48
        high     58
        scanned  7
        spanned  4095
        present  3840
    nr_free_pages 3935
    nr_dirty     21
    nr_vmscan_write 0
        protection: (0, 3000, 4010, 4010)
  pagesets
    cpu: 0
              count: 0
              high:  0
              batch: 1
  vm stats threshold: 6
  all_unreclaimable: 0
  prev_priority:     12
  start_pfn:         1
  inactive_ratio:    1
";

// 6.x: counters of the node with its first zone, an empty zone without lists.
const NEW: &str = "\
Node 0, zone    DMA32
  per-node stats
      nr_inactive_anon 1938
      nr_dirty     46
      nr_writeback 3
      workingset_nodes 242882
  pages free     772915
        boost    0
        min      2134
        low      2906
        high     3678
        promo    4450
        spanned  1044480
        present  782336
        managed  772916
        cma      0
        protection: (0, 0, 20864, 20864, 20864)
      nr_free_pages 772915
      nr_zone_write_pending 9
      numa_hit     17
  pagesets
    cpu: 0
              count:    11
              high:     1453
              batch:    63
              high_min: 1454
              high_max: 48307
  vm stats threshold: 24
    cpu: 1
              count:    12
              high:     1455
              batch:    63
              high_min: 1456
              high_max: 48308
  vm stats threshold: 25
  node_unreclaimable:  0
  start_pfn:           4096
  reserved_highatomic: 512
Node 1, zone  Movable
  pages free     0
        min      32
        managed  0
        protection: (0, 0, 0, 0, 0)
";

fn only(text: &str) -> Zone {
    let parsed = parse(text);
    assert_eq!(parsed.notes, [""; 0]);
    assert_eq!(parsed.value.len(), 1);
    parsed.value.into_iter().next().unwrap()
}

fn other(zone: &Zone, name: &str) -> Option<u64> {
    zone.others.iter().find(|other| other.0 == name).map(|other| other.1)
}

#[test]
fn a_kernel_with_two_lists_a_cpu() {
    let zone = only(OLD);
    assert_eq!((zone.node, &*zone.zone), (0, "Normal"));
    assert_eq!((zone.free, zone.min), (Some(51_211), Some(936)));
    assert_eq!((zone.low, zone.high), (Some(1170), Some(1404)));
    assert_eq!((zone.spanned, zone.present), (Some(225_280), Some(223_491)));
    assert_eq!((zone.managed, &zone.protection[..]), (None, &[0, 0, 1015][..]));
    assert_eq!((zone.counters["active"], zone.counters["scanned"]), (88_012, 0));
    let lists: Vec<_> = zone.pagesets.iter().map(|set| (set.cpu, set.count, set.high)).collect();
    assert_eq!(lists, [(0, Some(101), Some(186)), (0, Some(57), Some(62))]);
    assert_eq!(zone.pagesets[0].stat_threshold, None);
    assert_eq!((other(&zone, "numa_hit"), other(&zone, "start_pfn")), (Some(4101), Some(4096)));
}

#[test]
fn a_kernel_that_counts_by_zone() {
    let zone = only(MIDDLE);
    assert_eq!((zone.counters["nr_dirty"], zone.counters["scanned"]), (21, 7));
    assert!(zone.node_counters.is_empty());
    assert_eq!(zone.pagesets.len(), 1);
    assert_eq!(zone.pagesets[0].batch, Some(1));
    assert_eq!(zone.pagesets[0].stat_threshold, Some(6));
    assert_eq!((zone.pagesets[0].high_min, zone.managed), (None, None));
    assert_eq!(other(&zone, "inactive_ratio"), Some(1));
}

#[test]
fn a_kernel_that_counts_by_node() {
    let parsed = parse(NEW);
    assert_eq!(parsed.notes, [""; 0]);
    let [dma32, movable] = &parsed.value[..] else { panic!("{parsed:?}") };
    assert_eq!((dma32.node_counters["nr_dirty"], dma32.node_counters.len()), (46, 4));
    assert_eq!((dma32.free, dma32.managed), (Some(772_915), Some(772_916)));
    assert_eq!((dma32.counters["nr_zone_write_pending"], dma32.counters["numa_hit"]), (9, 17));
    assert_eq!((dma32.counters["boost"], dma32.counters["promo"]), (0, 4450));
    let second = &dma32.pagesets[1];
    assert_eq!((second.cpu, second.count, second.high), (1, Some(12), Some(1455)));
    assert_eq!((second.high_min, second.high_max), (Some(1456), Some(48_308)));
    assert_eq!((second.stat_threshold, dma32.pagesets[0].stat_threshold), (Some(25), Some(24)));
    assert_eq!(other(dma32, "reserved_highatomic"), Some(512));
    assert_eq!((movable.node, movable.min, movable.free), (1, Some(32), Some(0)));
    assert_eq!((movable.spanned, movable.pagesets.len()), (None, 0));
}

#[test]
fn what_is_not_understood_is_noted_with_its_line() {
    let parsed = parse(
        "  pages free 1\nNode 0, zone DMA\n  pages free\n  min x\n  protection: 1\n\
         \x20 cpu: x\n  start_pfn: -1\n  pages min 18446744073709551615\nNode 0, zone A b\n",
    );
    let zone = Zone { zone: "DMA".to_owned(), ..Zone::default() };
    assert_eq!(parsed.value, [zone]);
    assert_eq!(
        parsed.notes,
        [
            "line 1: it stands before the first zone",
            "line 3: it has no value",
            "line 4: `x` is no counter",
            "line 5: its list has no parentheses",
            "line 6: `x` is no CPU",
            "line 7: `-1` is no counter",
            "line 8: `18446744073709551615` is a number below zero that wrapped around",
            "line 9: `b` after the zone's name is unknown here",
        ]
    );
}

proptest! {
    #[test]
    fn anything_is_survived(text: String, words: Vec<String>) {
        let _ = parse(&text);
        let _ = parse(&format!("Node 0, zone DMA\n{}", words.join("\n")));
        let _ = parse(&format!("Node 0, zone DMA\n{}", words.join(": ")));
    }
}
