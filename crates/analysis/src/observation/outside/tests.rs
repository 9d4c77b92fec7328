use model::PhaseRun;
use model::observation::DiskDone;
use model::trace::{RequestKind, Task};
use proptest::prelude::*;

use super::super::testing::Scene;
use super::*;

/// Measurements of one phase, with its stretches.
fn measured(wall_ns: u64, gaps: &[(u64, u64)]) -> Measurements {
    let gap = |(at_ns, took_ns): &(u64, u64)| Gap { at_ns: *at_ns, took_ns: *took_ns };
    let run = PhaseRun {
        name: "write".to_owned(),
        wall_ns,
        write_latency: vec![(3_000, 9)],
        gaps: gaps.iter().map(gap).collect(),
        ..PhaseRun::default()
    };
    Measurements { phases: vec![run], ..Measurements::default() }
}

/// First frame, state, count, ns and times.
fn short(groups: &[StackGroup]) -> Vec<(&str, &str, u32, u64, u64)> {
    let named = groups.iter().map(|g| (g.frames.first().map_or("", String::as_str), g));
    named.map(|(first, g)| (first, g.state.as_str(), g.count, g.ns, g.times)).collect()
}

#[test]
fn three_wait_on_one_lock() {
    let mut scene = Scene::new(1000..2000);
    let names = ["one", "two", "three", "owner"].map(|name| scene.program(name));
    let [one, two, three, owner] = names;
    let lock = "rwsem_down_write_slowpath down_write ext4_file_write do_syscall_64";
    scene.switch(900, 0, one, 'D', lock, two);
    scene.switch(1100, 0, two, 'D', lock, three);
    scene.switch(1200, 0, three, 'D', lock, owner);
    for (at, task) in [(1700, one), (1800, two)] {
        scene.wake(at, 0, task, "rwsem_wake up_write");
    }
    scene.switch(1900, 0, owner, 'R', "up_write", one);
    let seen = outside(&measured(1000, &[(150, 700)]), Some(Nanos(500)), &scene.trace);

    // The first was on no CPU in the phase before its last 100 ns, yet it was.
    let waits = &seen.phases[0].waits;
    assert_eq!(short(waits), [("rwsem_down_write_slowpath", "D", 3, 700 + 700 + 800, 3)]);
    assert_eq!(waits[0].frames, ["rwsem_down_write_slowpath", "down_write", "ext4_file_write"]);
    assert_eq!(waits[0].tasks, ["one", "three", "two"]);

    // The stall is from 1150 to 1850.
    let stall = &seen.stalls[0];
    let waiting = [("rwsem_down_write_slowpath", "D", 3, 550 + 650 + 650, 3)];
    assert_eq!(short(&stall.waiting), waiting);
    let running = [("up_write", "R", 1, 650, 1), ("rwsem_down_write_slowpath", "R", 1, 50, 1)];
    assert_eq!(short(&stall.running), running);
    let waited_for = stall.waited_for.as_ref().unwrap();
    assert_eq!((waited_for.task.as_str(), waited_for.interrupt), ("owner", false));
    assert_eq!(waited_for.frames, ["rwsem_wake", "up_write"]);
}

#[test]
fn a_stall_tells_who_waits_what_runs_and_what_ended_it() {
    let mut scene = Scene::new(0..1000);
    let (main, writer) = (scene.program("agent"), scene.program("writer"));
    let (flusher, idle) = (scene.kernel_thread("kworker/u4:1-flush-259:0"), scene.idle());
    let (parked, journal) = (scene.kernel_thread("rcu_gp"), scene.kernel_thread("jbd2/nullb0-8"));
    let disk = scene.disk("nullb0");
    for at in 0..11 {
        scene.dirty(at * 100, at);
    }
    scene.switch(10, 0, main, 'S', "futex_wait", parked);
    scene.switch(20, 0, parked, 'D', "kthread ret_from_fork", journal);
    scene.switch(30, 0, journal, 'D', "folio_wait_bit_common jbd2_commit", writer);
    scene.switch(100, 0, writer, 'D', "jbd2_log_wait_commit fsync", flusher);
    scene.write(disk, 4096, 150, Some(500));
    scene.switch(200, 0, flusher, 'I', "worker_thread kthread", idle);
    scene.wake(500, 0, journal, "folio_end_writeback handle_softirqs common_interrupt");
    scene.switch(510, 0, idle, 'R', "", journal);
    scene.wake(600, 0, writer, "wake_up jbd2_commit");
    scene.switch(620, 0, journal, 'S', "kjournald2", writer);
    scene.switch(900, 0, writer, 'Z', "do_exit", main);
    let measured = measured(1000, &[(90, 550), (640, 10)]);
    let seen = outside(&measured, Some(Nanos(100)), &scene.trace);

    assert_eq!(seen.stalls.len(), 1);
    let stall = &seen.stalls[0];
    let waiting =
        [("jbd2_log_wait_commit", "D", 1, 500, 1), ("folio_wait_bit_common", "D", 1, 410, 1)];
    assert_eq!(short(&stall.waiting), waiting);
    assert_eq!(stall.waiting[1].tasks, ["jbd2"]);
    let ran: Vec<_> = stall.running.iter().map(|g| (g.tasks[0].as_str(), g.ns)).collect();
    assert_eq!(ran, [("jbd2", 110), ("kworker/flush", 100), ("writer", 20), ("writer", 10)]);
    let waited_for = stall.waited_for.as_ref().unwrap();
    assert_eq!((waited_for.task.as_str(), waited_for.interrupt), ("jbd2", false));
    let moments: Vec<_> = stall.memory.iter().map(|m| (m.at_ns, m.dirty.unwrap())).collect();
    assert_eq!(moments, [(100, 1), (600, 6)]);

    // The writer waits from 100 to 600, the disk is busy from 150 to 500.
    let disks = stall.disks.as_ref().unwrap();
    assert_eq!((disks.idle_wait_ns, disks.disks[0].busy_ns), (Some(150), 350));
    let write = DiskDone { kind: RequestKind::Write, requests: 1, bytes: 4096 };
    assert_eq!(disks.disks[0].done, [write]);
    assert_eq!(seen.phases[0].memory.len(), 11);
}

#[test]
fn an_interrupt_ends_a_wait() {
    for (stack, idles) in [("try_to_wake_up common_interrupt", false), ("try_to_wake_up", true)] {
        let mut scene = Scene::new(0..100);
        let (dd, other, idle) = (scene.program("dd"), scene.program("other"), scene.idle());
        let on_cpu = if idles { idle } else { other };
        scene.switch(10, 0, dd, 'D', "folio_wait_bit_common", on_cpu);
        scene.wake(80, 0, dd, stack);
        scene.switch(81, 0, on_cpu, 'R', "", dd);
        let seen = outside(&measured(100, &[(5, 90)]), Some(Nanos(50)), &scene.trace);
        let waited_for = seen.stalls[0].waited_for.clone().unwrap();
        assert!(waited_for.interrupt, "{stack}");
        assert_eq!(waited_for.task, if idles { "swapper" } else { "other" });
    }
}

#[test]
fn what_was_not_seen_is_missing() {
    let mut scene = Scene::new(0..100);
    scene.trace.notes.push("The kernel has no BTF.".to_owned());
    let mut measured = measured(100, &[(5, 90)]);
    measured.phases.push(PhaseRun::default());
    let seen = outside(&measured, Some(Nanos(50)), &scene.trace);
    assert_eq!((seen.phases.len(), seen.notes.len()), (1, 2));
    let stall = &seen.stalls[0];
    assert_eq!((stall.waited_for.as_ref(), stall.disks.as_ref()), (None, None));
    assert!(stall.waiting.is_empty() && stall.running.is_empty() && stall.memory.is_empty());
    // With disks but without switches, nobody knows whether the workload waited.
    scene.disk("nullb0");
    let seen = outside(&measured, None, &scene.trace);
    assert_eq!(seen.phases[0].disks.as_ref().unwrap().idle_wait_ns, None);
}

/// A trace of two CPUs and `tasks` tasks: at each step, given as pause, CPU, next task and kind of
/// leaving, one of the CPUs goes on to a task that is on none. That was woken some time before.
fn random(steps: &[(u64, u32, usize, usize)], tasks: usize) -> Scene {
    let mut scene = Scene::new(0..1);
    let idle = scene.idle();
    let mut off: Vec<u32> = (0..tasks).map(|at| scene.program(&format!("t{at}"))).collect();
    let mut on = [idle, idle];
    let mut now = 0;
    for (pause, cpu, next, kind) in steps {
        now += pause;
        let to = off.remove(next % off.len());
        let from = std::mem::replace(&mut on[*cpu as usize], to);
        let (state, stack) =
            [('D', "down_write"), ('S', "poll"), ('R', "copy"), ('D', "bio_wait")][*kind];
        scene.wake(now - pause / 2, 0, to, "try_to_wake_up");
        scene.switch(now, *cpu, from, state, stack, to);
        off.push(from);
    }
    scene.trace.phases[0].to_ns = now;
    scene
}

/// What a task does at one moment.
#[derive(Clone, Copy, PartialEq)]
enum Does {
    Sleeps,
    RunsOrCould,
    Unknown,
}

/// By going through all events until then.
fn does(trace: &Trace, task: usize, now: u64) -> Does {
    let switches = trace.switches.iter().filter(|switch| switch.at_ns <= now);
    let of_task = |index: u32| index as usize == task;
    match switches.rev().find(|switch| of_task(switch.from) || of_task(switch.to)) {
        None => Does::Unknown,
        Some(last) if of_task(last.to) || last.state == TaskState::Runnable => Does::RunsOrCould,
        Some(last) => {
            let since = last.at_ns..=now;
            let woken =
                trace.wakes.iter().any(|wake| of_task(wake.task) && since.contains(&wake.at_ns));
            if woken { Does::RunsOrCould } else { Does::Sleeps }
        }
    }
}

proptest! {
    #[test]
    fn no_group_takes_more_than_all_tasks_have(
        steps in proptest::collection::vec((1_u64..50, 0_u32..2, 0_usize..8, 0_usize..4), 1..80),
        (at, took) in (0_u64..500, 1_u64..500),
    ) {
        let scene = random(&steps, 4);
        let length = scene.trace.phases[0].to_ns;
        let seen = outside(&measured(length, &[(at, took)]), Some(Nanos(1)), &scene.trace);
        let sum = |groups: &[StackGroup]| groups.iter().map(|group| group.ns).sum::<u64>();
        prop_assert!(sum(&seen.phases[0].waits) <= 4 * length);
        let stall = &seen.stalls[0];
        let in_phase = (at + took).min(length).saturating_sub(at);
        prop_assert!(sum(&stall.waiting) + sum(&stall.running) <= 4 * in_phase);
        prop_assert!(sum(&stall.running) <= 2 * in_phase);
        prop_assert!(stall.waiting.iter().all(|group| (1..=4).contains(&group.count)));
    }

    /// Against looking at every task at every ns.
    #[test]
    fn waits_are_what_looking_all_the_time_gives(
        steps in proptest::collection::vec((1_u64..9, 0_u32..2, 0_usize..8, 0_usize..4), 1..40),
    ) {
        let mut scene = random(&steps, 4);
        scene.disk("nullb0");
        let length = scene.trace.phases[0].to_ns;
        let at = |now| (1..5).map(|task| does(&scene.trace, task, now)).collect::<Vec<_>>();
        let all: Vec<Vec<Does>> = (0..length).map(at).collect();
        let asleep = all.iter().flatten().filter(|does| **does == Does::Sleeps).count() as u64;
        let waits = |does: &&Vec<Does>| {
            does.contains(&Does::Sleeps) && !does.contains(&Does::RunsOrCould)
        };
        let idle = all.iter().filter(waits).count() as u64;

        let seen = outside(&measured(length, &[]), None, &scene.trace);
        let phase = &seen.phases[0];
        prop_assert_eq!(phase.waits.iter().map(|group| group.ns).sum::<u64>(), asleep);
        prop_assert_eq!(phase.disks.as_ref().unwrap().idle_wait_ns, Some(idle));
    }
}

#[test]
fn a_kernel_thread_is_no_workload() {
    let task = |pid, kernel| Task { pid, kernel, ..Task::default() };
    let tasks = vec![task(0, false), task(1, false), task(2, true)];
    let trace = Trace { tasks, ..Trace::default() };
    let outside = Outside::of(&trace);
    assert_eq!([0, 1, 2, 3].map(|task| outside.is_workload(task)), [false, true, false, false]);
}
