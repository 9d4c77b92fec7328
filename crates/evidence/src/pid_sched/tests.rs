use proptest::prelude::*;

use super::*;

const OLD: &str = "\
dd (3312, #threads: 1)
---------------------------------------------------------
se.exec_start                      :        912345.678901
se.vruntime                        :         -1843.120773
se.sum_exec_runtime                :          1843.120773
se.wait_sum                        :            12.000450
se.iowait_count                    :                  377
nr_switches                        :                  921
nr_voluntary_switches              :                  911
policy                             :                    0
clock-delta                        :                  102
";

const MIDDLE: &str = "\
Web Content (x) (40, #threads: 31)
-------------------------------------------------------------------
se.statistics.wait_sum                       :             7.000001
se.statistics.iowait_sum                     :             9.500000
mm->numa_scan_seq                            :                    2
numa_migrations, 0
numa_faults_memory, 0, 0, 1, 0, 2
";

const NEW: &str = "\
kworker/u16:3 (63, #threads: 1)
-------------------------------------------------------------------
se.sum_exec_runtime                          :             0.000900
sum_block_runtime                            :           120.000001
wait_sum                                     :             3.000002
iowait_count                                 :                    5
effective uclamp.max                         :                 1024
se.slice                                     :              2800000
numa_preferred_nid                           :                   -1
current_node=0, numa_group_id=0
numa_faults node=0 task_private=0 task_shared=0 group_private=0 group_shared=0
";

fn read(text: &str) -> PidSched {
    let parsed = parse(text);
    assert_eq!(parsed.notes, [""; 0]);
    parsed.value
}

#[test]
fn the_head_names_the_task() {
    for (text, comm, pid, threads) in
        [(OLD, "dd", 3312, 1), (MIDDLE, "Web Content (x)", 40, 31), (NEW, "kworker/u16:3", 63, 1)]
    {
        let sched = read(text);
        assert_eq!(sched.comm.as_deref(), Some(comm));
        assert_eq!((sched.pid, sched.threads), (Some(pid), Some(threads)));
    }
}

#[test]
fn a_value_is_found_under_the_names_of_each_age() {
    let [old, middle, new] = [OLD, MIDDLE, NEW].map(read);
    let waits = [&old, &middle, &new].map(|sched| sched.ns("wait_sum"));
    assert_eq!(waits, [Some(12_000_450), Some(7_000_001), Some(3_000_002)]);
    let counts = [&old, &middle, &new].map(|sched| sched.count("iowait_count"));
    assert_eq!(counts, [Some(377), None, Some(5)]);
    assert_eq!(new.ns("se.sum_exec_runtime"), Some(900));
    assert_eq!(new.count("se.slice"), Some(2_800_000));
    assert_eq!(new.count("effective uclamp.max"), Some(1024));
    assert_eq!(old.count("nr_voluntary_switches"), Some(911));
}

#[test]
fn a_value_of_another_kind_is_none() {
    let [old, new] = [OLD, NEW].map(read);
    assert_eq!((old.get("se.vruntime"), old.ns("se.vruntime")), (Some("-1843.120773"), None));
    assert_eq!(
        (new.get("numa_preferred_nid"), new.count("numa_preferred_nid")),
        (Some("-1"), None)
    );
    assert_eq!((old.count("se.exec_start"), old.ns("nr_switches")), (None, None));
    assert_eq!(old.get("sum"), None);
}

#[test]
fn what_is_not_understood_is_noted_with_its_line() {
    let parsed = parse("dd (1 #threads: 1)\ndd\nnr_switches : many\npolicy : 0\n");
    assert_eq!(parsed.value.values.len(), 2);
    assert_eq!(parsed.value.pid, None);
    assert_eq!(parsed.notes, ["line 2: it has no colon", "line 3: `many` is no number"]);
}

proptest! {
    #[test]
    fn anything_is_survived(text: String, number: i128) {
        let _ = parse(&text);
        let sched = parse(&format!("{text}\na.b : {number}.{number}\nc : {number}")).value;
        let _ = (sched.ns("b"), sched.count("c"), sched.get(&text));
    }
}
