use std::collections::BTreeMap;

use model::account::Overlap;
use proptest::prelude::*;

use super::brute::{Does, Moment, does, in_flight, moment};
use super::*;

const CPUS: u32 = 2;

/// The phase begins then, some time after the trace does.
const BEGIN: u64 = 20;

/// The tasks: the idle ones, an agent, three programs, a flusher and the journal.
const IDLE: [u32; 2] = [0, 1];
const WORKLOAD: [u32; 4] = [2, 3, 4, 5];
const FLUSHER: u32 = 6;

/// At each step, given as pause, CPU, next task, kind of leaving and kind of wake, one of the CPUs goes on to
/// another task, which was woken some time before.
type Step = (u64, usize, usize, usize, usize);

/// The disk, when a request is issued, how long it takes, whether its end is seen, and by whom it is.
type Asked = (u32, u64, u64, bool, usize);

fn random(steps: &[Step], asked: &[Asked]) -> Scene {
    let mut scene = Scene::new(BEGIN..BEGIN);
    let idle = [scene.idle(), scene.idle()];
    let mut off: Vec<u32> =
        ["slowpath-agent", "a", "b", "c"].map(|name| scene.program(name)).to_vec();
    off.push(scene.kernel_thread("kworker/u4:2-flush-259:0"));
    off.push(scene.kernel_thread("jbd2/nullb0-8"));
    let mut on = idle;
    let mut now = 0;
    for (pause, cpu, next, kind, waker) in steps {
        now += pause;
        // The idle task may come whenever its CPU has another one.
        let next = next % (off.len() + 1);
        let goes_idle = next == off.len() && on[*cpu] != idle[*cpu];
        let to = if goes_idle { idle[*cpu] } else { off.remove(next % off.len()) };
        let from = std::mem::replace(&mut on[*cpu], to);
        let (state, stack) = [
            ('D', "down_write"),
            ('S', "futex_wait"),
            ('R', "copy"),
            ('D', "bio_wait"),
            ('X', "do_exit"),
            ('S', "do_wait"),
        ][*kind];
        let path = ["up_write", "bio_endio blk_update common_interrupt", "common_interrupt"];
        if !goes_idle && *waker < path.len() {
            scene.wake(now - pause / 2, *waker as u32 % CPUS, to, path[*waker]);
        }
        scene.switch(now, *cpu as u32, from, state, stack, to);
        if from != idle[*cpu] {
            off.push(from);
        }
    }
    scene.trace.wakes.sort_by_key(|wake| wake.at_ns);
    scene.trace.phases[0].to_ns = BEGIN + now;
    ask(&mut scene, asked);
    scene
}

fn ask(scene: &mut Scene, asked: &[Asked]) {
    for name in ["nullb0", "nullb1", "nullb2"] {
        scene.disk(name);
    }
    let mut asked = asked.to_vec();
    asked.sort_by_key(|(_, issued, ..)| *issued);
    for (disk, issued, took, seen, by) in asked {
        scene.write(disk, 512, issued, seen.then_some(issued + took));
        scene.trace.requests.last_mut().unwrap().by = (by < 8).then_some(by as u32);
    }
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    proptest::collection::vec((1_u64..9, 0_usize..2, 0_usize..8, 0_usize..6, 0_usize..4), 2..60)
}

fn requests() -> impl Strategy<Value = Vec<Asked>> {
    proptest::collection::vec((0_u32..3, 0_u64..250, 0_u64..40, any::<bool>(), 0_usize..10), 0..30)
}

/// The workload at each ns of the phase. Only tasks that were on a CPU in it count.
fn moments(scene: &Scene) -> Vec<Moment> {
    let trace = &scene.trace;
    let phase = trace.phases[0];
    let ran =
        |task: &u32| (phase.from_ns..phase.to_ns).any(|now| does(trace, *task, now) == Does::Runs);
    let tasks: Vec<u32> = WORKLOAD.into_iter().filter(ran).collect();
    let own = |switch: usize| {
        let switch = &trace.switches[switch];
        let agent = trace.tasks[switch.from as usize].name == "slowpath-agent";
        let frames = &trace.stacks[switch.stack as usize];
        let at = |name: &str| frames.iter().any(|frame| frame.0 == name);
        at("do_wait") || (agent && at("futex_wait"))
    };
    let cpus = seen_cpus(scene);
    let at = |now| moment(trace, &tasks, cpus, own, now);
    (phase.from_ns..phase.to_ns).map(at).collect()
}

fn seen_cpus(scene: &Scene) -> u32 {
    scene.trace.switches.iter().map(|switch| switch.cpu + 1).max().unwrap_or(0)
}

/// Blocked time by first frame, in sixtieths of a ns, since up to four share one.
fn blocked(scene: &Scene, moments: &[Moment]) -> BTreeMap<String, u64> {
    let mut sums = BTreeMap::new();
    for sleepers in moments.iter().filter_map(|moment| match moment {
        Moment::Waiting(sleepers) => Some(sleepers),
        _ => None,
    }) {
        for switch in sleepers {
            let stack = scene.trace.switches[*switch].stack as usize;
            let frame = scene.trace.stacks[stack][2].0.clone();
            *sums.entry(frame).or_default() += 60 / sleepers.len() as u64;
        }
    }
    sums
}

proptest! {
    #[test]
    fn times_are_what_looking_at_every_ns_gives(steps in steps(), asked in requests()) {
        let scene = random(&steps, &asked);
        let account = account(&scene);
        let Some(workload) = &account.workload else { return Ok(()) };
        let moments = moments(&scene);
        let count = |of: &dyn Fn(&Moment) -> bool| moments.iter().filter(|m| of(m)).count() as u64;
        prop_assert_eq!(workload.running_ns(), count(&|moment| *moment == Moment::Running));
        prop_assert_eq!(workload.unseen_ns, count(&|moment| *moment == Moment::Unseen));
        for behind in &workload.ready {
            let is_it = |task: u32| {
                crate::observation::names::name(&scene.trace.tasks[task as usize]) == behind.holder
            };
            let counted = count(&|moment| match moment {
                Moment::Behind(Some(task)) => is_it(*task),
                Moment::Behind(None) => behind.holder == "interrupts and idle",
                _ => false,
            });
            prop_assert_eq!(behind.ns, counted, "{:?}", behind);
        }
        prop_assert_eq!(workload.ready_ns(), count(&|moment| matches!(moment, Moment::Behind(_))));
        let expected = blocked(&scene, &moments);
        let events = (scene.trace.switches.len() + scene.trace.wakes.len()) as u64;
        for (frame, sixtieths) in &expected {
            let at = workload.blocked.iter().filter(|at| at.frames.first() == Some(frame));
            let ns: u64 = at.map(|at| at.ns).sum();
            // Remainders of whole ns, at most one a sleeper and event.
            prop_assert!((ns * 60).abs_diff(*sixtieths) <= 60 * 4 * events, "{}", frame);
        }
        let two_share = moments.iter().any(|m| matches!(m, Moment::Waiting(s) if s.len() > 1));
        let exact = workload.blocked.iter().map(|at| (at.frames[0].clone(), at.ns * 60));
        let mut sums: BTreeMap<String, u64> = BTreeMap::new();
        exact.for_each(|(frame, ns)| *sums.entry(frame).or_default() += ns);
        prop_assert!(two_share || sums == expected);
    }

    #[test]
    fn tasks_are_what_looking_at_every_ns_gives(steps in steps()) {
        let scene = random(&steps, &[]);
        let account = account(&scene);
        let phase = scene.trace.phases[0];
        for (task, name) in [(3, "a"), (FLUSHER, "kworker/flush"), (7, "jbd2")] {
            let count = |of: &dyn Fn(Does) -> bool| {
                (phase.from_ns..phase.to_ns).filter(|n| of(does(&scene.trace, task, *n))).count() as u64
            };
            let running = count(&|does| does == Does::Runs);
            let Some(times) = account.tasks.iter().find(|task| task.name == name) else {
                prop_assert_eq!(running, 0);
                continue;
            };
            prop_assert_eq!(times.running_ns, running);
            prop_assert_eq!(times.ready_ns, count(&|does| does == Does::Could));
            let asleep = count(&|does| matches!(does, Does::Sleeps(_)));
            prop_assert_eq!(times.blocked_ns + times.idle_ns, asleep);
        }
    }

    #[test]
    fn overlaps_are_what_looking_at_every_ns_gives(steps in steps(), asked in requests()) {
        let scene = random(&steps, &asked);
        let trace = &scene.trace;
        let phase = trace.phases[0];
        let Some(overlap) = account(&scene).overlap else { return Ok(()) };
        let end = crate::observation::disks::end(trace);
        let later = |disk: u32, now: u64| {
            let issued = trace.requests.iter().filter(|r| r.disk == disk).map(|r| r.issued_ns);
            issued.into_iter().any(|issued| now < issued && issued < phase.to_ns)
        };
        let flushers_ran =
            (phase.from_ns..phase.to_ns).any(|now| does(trace, FLUSHER, now) == Does::Runs);
        let mut expected = Overlap::default();
        let mut busy_ns = 0;
        for (now, moment) in (phase.from_ns..).zip(moments(&scene)) {
            if !matches!(moment, Moment::Waiting(_)) {
                continue;
            }
            let busy = |disk: &u32| in_flight(trace, end, now).any(|r| r.disk == *disk);
            let disks = (0..3).filter(busy).count() as u64;
            let more = (0..3).any(|disk| !busy(&disk) && later(disk, now));
            let by = |task: u32| in_flight(trace, end, now).any(|r| r.by == Some(task));
            let flushes = flushers_ran && match does(trace, FLUSHER, now) {
                Does::Runs | Does::Could => true,
                Does::Sleeps(switch) => {
                    trace.switches[switch].state == model::trace::TaskState::Uninterruptible
                }
                Does::NobodyKnows => false,
            };
            busy_ns += disks;
            expected.waited_ns += 1;
            expected.no_disk_ns += u64::from(disks == 0);
            expected.one_disk_ns += u64::from(disks == 1 && more);
            let own = WORKLOAD.into_iter().any(by);
            expected.no_flusher_ns += u64::from(own && !by(FLUSHER) && !flushes);
        }
        let touches = |disk: &u32| trace.requests.iter().any(|r| {
            let (from, to) = (r.issued_ns, r.done_ns.unwrap_or(end).max(r.issued_ns));
            r.disk == *disk && from < phase.to_ns && (to > phase.from_ns || from >= phase.from_ns)
        });
        expected.disks = (0..3).filter(touches).count() as u32;
        expected.busy_milli = (busy_ns * 1000_u64).checked_div(expected.waited_ns).unwrap_or(0);
        prop_assert_eq!(overlap, expected);
    }

    #[test]
    fn idle_tasks_are_no_tasks(steps in steps()) {
        let scene = random(&steps, &[]);
        let idle: Vec<_> = IDLE.map(|task| scene.trace.tasks[task as usize].name.clone()).to_vec();
        prop_assert!(account(&scene).tasks.iter().all(|task| !idle.contains(&task.name)));
        prop_assert!(account(&scene).tasks.iter().all(|task| task.name != "swapper"));
    }
}
