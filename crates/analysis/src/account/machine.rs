//! What the machine's one CPU did, from counted instructions.

use model::account::MachineTime;
use model::trace::{Span, Switch, Trace};

/// What it did in the phase with this index; `None` where the machine has several CPUs, or not every switch in
/// the phase has a count.
///
/// Idle time does not come from the phase's length: over each stretch in which the idle task had the CPU, it is
/// what the instructions that were executed meanwhile (by interrupts) leave of the time.
pub(super) fn machine(trace: &Trace, phase: usize) -> Option<MachineTime> {
    let (span, insn_ns) = (*trace.phases.get(phase)?, trace.insn_ns?);
    let (began, ended) = *trace.counted.get(phase)?;
    let one_cpu = trace.switches.windows(2).all(|two| two[0].cpu == two[1].cpu);
    let instructions = ended.checked_sub(began).filter(|_| one_cpu)?;
    let idle = idle_stretches(trace, span, (began, ended))?;
    let halted =
        |(length, executed): &(u64, u64)| length.saturating_sub(executed.saturating_mul(insn_ns));
    Some(MachineTime {
        instructions,
        busy_ns: instructions.saturating_mul(insn_ns),
        idle_ns: idle.iter().map(halted).sum(),
    })
}

/// Length and instructions of each stretch of `span` in which the CPU's idle task had it; none where nothing was
/// switched in it.
fn idle_stretches(trace: &Trace, span: Span, counted: (u64, u64)) -> Option<Vec<(u64, u64)>> {
    let first = trace.switches.partition_point(|switch| switch.at_ns < span.from_ns);
    let rest = &trace.switches[first..];
    let within = &rest[..rest.partition_point(|switch| switch.at_ns < span.to_ns)];
    let Some(begin) = within.first() else { return Some(Vec::new()) };
    let switched = |switch: &Switch| Some((switch.at_ns, switch.instructions?, switch.to));
    let mut edges = vec![(span.from_ns, counted.0, begin.from)];
    edges.extend(within.iter().map(switched).collect::<Option<Vec<_>>>()?);
    edges.push((span.to_ns, counted.1, begin.from));
    let is_idle = |task: u32| trace.tasks.get(task as usize).is_some_and(|task| task.pid == 0);
    let idle = edges.windows(2).filter(|two| is_idle(two[0].2));
    Some(idle.map(|two| (two[1].0 - two[0].0, two[1].1.saturating_sub(two[0].1))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observation::testing::Scene;

    /// The idle task from 50 to 200 and from 900 on, with 10 and 20 instructions of interrupts.
    fn scene() -> Scene {
        let mut scene = Scene::new(100..1000);
        let (dd, idle) = (scene.program("dd"), scene.idle());
        scene.trace.insn_ns = Some(2);
        scene.trace.counted = vec![(1_000, 1_380)];
        for (at, from, to, counted) in
            [(50, dd, idle, 990), (200, idle, dd, 1_010), (900, dd, idle, 1_360)]
        {
            scene.switch(at, 0, from, 'S', "poll", to);
            scene.counted(counted);
        }
        scene
    }

    #[test]
    fn instructions_and_idle_time_add_up_by_themselves() {
        let machine = machine(&scene().trace, 0).unwrap();
        assert_eq!((machine.instructions, machine.busy_ns), (380, 760));
        // Of 100 ns to 200, and of 900 to 1000, what 10 and 20 instructions leave.
        assert_eq!(machine.idle_ns, 80 + 60);
        assert_eq!(machine.busy_ns + machine.idle_ns, 900);
    }

    #[test]
    fn without_counts_or_with_more_cpus_there_is_none() {
        let without = |change: fn(&mut Trace)| {
            let mut trace = scene().trace;
            change(&mut trace);
            machine(&trace, 0)
        };
        assert_eq!(without(|trace| trace.insn_ns = None), None);
        assert_eq!(without(|trace| trace.counted.clear()), None);
        assert_eq!(without(|trace| trace.switches[1].instructions = None), None);
        assert_eq!(without(|trace| trace.switches[0].cpu = 1), None);
        let busy = without(|trace| trace.switches.clear()).unwrap();
        assert_eq!((busy.busy_ns, busy.idle_ns), (760, 0));
    }
}
