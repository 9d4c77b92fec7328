use proptest::prelude::*;

use super::*;

const OLD: &str = "\
Page block order: 9
Pages per block:  512

Free pages count per migrate type at order       0      1      2      3      4      5      6      7      8      9     10 
Node    0, zone      DMA, type    Unmovable      1      0      1      0      2      1      1      0      1      0      0 
Node    0, zone      DMA, type      Reserve      0      0      0      0      0      0      0      0      0      0      1 
Node    0, zone   Normal, type  Reclaimable 119882    230      5      3      5      4      0      0      0      0      0 

Number of blocks type     Unmovable  Reclaimable      Movable      Reserve      Isolate 
Node 0, zone      DMA            1            0            6            1            0 
Node 0, zone   Normal          118           92         1733            2            0 
";

const NEW: &str = "\
Page block order: 9
Pages per block:  512

Free pages count per migrate type at order       0      1      2      3      4      5      6      7      8      9     10 
Node    0, zone   Normal, type    Unmovable >100000   1022   1018    613    495    295    161     75     20      1      0 
Node    0, zone   Normal, type   HighAtomic      0      0      0      0      0      0      0      0      0      0      0 

Number of blocks type     Unmovable      Movable  Reclaimable   HighAtomic          CMA      Isolate 
Node 0, zone   Normal          206         9572          654            3            8            0 

Number of mixed blocks    Unmovable      Movable  Reclaimable   HighAtomic          CMA      Isolate 
Node 0, zone   Normal           12           40            5            0            1            0 
Page block order: 9
Pages per block:  512

Free pages count per migrate type at order       0      1      2      3      4      5      6      7      8      9     10 
Node    1, zone   Normal, type    Unmovable      7      0      0      0      0      0      0      0      0      0      0 

Number of blocks type     Unmovable      Movable  Reclaimable   HighAtomic          CMA      Isolate 
Node 1, zone   Normal            2         8190            0            0            0            0 
";

#[test]
fn an_old_kernels_tables() {
    let Parsed { value, notes } = parse(OLD);
    assert_eq!(notes, [""; 0]);
    assert_eq!((value.block_order, value.pages_per_block), (Some(9), Some(512)));
    let [_, reserve, reclaimable] = &value.free[..] else { panic!("{value:?}") };
    assert_eq!((&*reserve.zone, &*reserve.migrate_type), ("DMA", "Reserve"));
    assert_eq!((reserve.free.len(), reserve.free[10]), (11, Count::Exactly(1)));
    assert_eq!(reclaimable.free[0], Count::Exactly(119_882));
    let [_, normal] = &value.blocks[..] else { panic!("{value:?}") };
    assert_eq!(normal.blocks[1..3], [("Reclaimable".into(), 92), ("Movable".into(), 1733)]);
    assert_eq!(value.mixed_blocks, []);
}

#[test]
fn a_new_kernels_tables_stop_counting_and_come_once_a_node() {
    let Parsed { value, notes } = parse(NEW);
    assert_eq!(notes, [""; 0]);
    let [first, _, second] = &value.free[..] else { panic!("{value:?}") };
    assert_eq!(first.free[..2], [Count::MoreThan(100_000), Count::Exactly(1022)]);
    assert_eq!(first.free[0].at_least() + first.free[1].at_least(), 101_022);
    assert_eq!((second.node, second.free[0]), (1, Count::Exactly(7)));
    let [here, there] = &value.blocks[..] else { panic!("{value:?}") };
    assert_eq!(here.blocks[4], ("CMA".to_owned(), 8));
    assert_eq!((there.node, there.blocks[1].1), (1, 8190));
    assert_eq!(value.mixed_blocks.len(), 1);
    assert_eq!(value.mixed_blocks[0].blocks[0], ("Unmovable".to_owned(), 12));
}

#[test]
fn what_is_not_understood_is_noted_with_its_line() {
    let parsed = parse(
        "Node 0, zone DMA 1 2\nPage block order: x\nNode 0, zone DMA, type\n\
         Node 0, zone DMA, type Movable\nNode 0, zone DMA, type Movable 1 >\n\
         Node 0, zone DMA, type Movable > 100000 5\n\
         Number of blocks type Movable\nNode 0, zone DMA 1 2\nfree\n",
    );
    let [spaced] = &parsed.value.free[..] else { panic!("{parsed:?}") };
    assert_eq!(spaced.free, [Count::MoreThan(100_000), Count::Exactly(5)]);
    assert_eq!(
        parsed.notes,
        [
            "line 1: no table of blocks has begun",
            "line 2: `x` is no order",
            "line 3: it names no type",
            "line 4: it has no counts",
            "line 5: `>` is no counter",
            "line 8: it has 2 counts for 1 types",
            "line 9: it does not begin with a node and a zone",
        ]
    );
}

proptest! {
    #[test]
    fn anything_is_survived(text: String) {
        let _ = parse(&text);
        let _ = parse(&format!("Number of blocks type {text}\nNode 0, zone DMA {text}"));
        let _ = parse(&format!("Node 0, zone DMA, type {text}\nPages per block:{text}"));
    }
}
