//! From what probes saw to a trace.

use kernels::{Symbols, Unwinder};
use model::Trace;
use model::trace::{Frame, MemoryAt, Span, Switch, Wake};

use super::memory;
use super::probes::{Counts, Probes, id};
use super::requests::Requests;
use super::stacks::Stacks;
use super::tasks::{self, Tasks, number, state};
use crate::frames::Probe;

/// A trace that grows.
pub(crate) struct Tracer<'a> {
    counts: Counts,
    switch_at: u64,
    wake_at: u64,
    tasks: Tasks,
    stacks: Stacks<'a>,
    requests: Requests,
    switches: Vec<Switch>,
    wakes: Vec<Wake>,
    memory: Vec<MemoryAt>,
    notes: Vec<String>,
    /// Frames that lacked something.
    damaged: u64,
}

impl<'a> Tracer<'a> {
    /// One for a guest that `probes` look at.
    pub(crate) fn new(probes: &Probes, symbols: &'a Symbols<'a>, unwinder: &'a Unwinder) -> Self {
        let address = |name| symbols.address_of(name).unwrap_or_default();
        Tracer {
            counts: probes.counts,
            switch_at: address("__switch_to_asm"),
            wake_at: address("try_to_wake_up"),
            tasks: Tasks::default(),
            stacks: Stacks::new(unwinder, symbols),
            requests: Requests::default(),
            switches: Vec::new(),
            wakes: Vec::new(),
            memory: Vec::new(),
            notes: probes.notes.clone(),
            damaged: 0,
        }
    }

    /// Takes what a probe saw.
    pub(crate) fn take(&mut self, probe: &Probe) {
        let taken = probe.clock.and_then(|at_ns| match probe.id {
            id::SWITCH => self.switch(at_ns, probe),
            id::WAKE => self.wake(at_ns, probe),
            id::ASK => {
                let (address, pieces) = probe.pieces.split_first()?;
                let address = u64::from_le_bytes(*address.first_chunk()?);
                self.requests.issued(address, at_ns, pieces)
            }
            id::START => self.requests.issued(probe.di, at_ns, &probe.pieces),
            id::DONE => {
                self.requests.done(probe.di, at_ns, probe.dx);
                Some(())
            }
            id::MEMORY => {
                let [zone, node] = probe.pieces.as_slice() else { return None };
                self.memory.push(memory::at(at_ns, &self.counts, zone, node));
                Some(())
            }
            _ => None,
        });
        self.damaged += u64::from(taken.is_none());
    }

    fn switch(&mut self, at_ns: u64, probe: &Probe) -> Option<()> {
        let (from, rest) = probe.pieces.split_at_checked(tasks::PIECES)?;
        let (to, rest) = rest.split_at_checked(tasks::PIECES)?;
        let [bits, stack] = rest else { return None };
        let stack = self.stacks.index(self.switch_at, probe, stack);
        let preempted = is_preempted(self.stacks.path(stack));
        let switch = Switch {
            at_ns,
            cpu: probe.vcpu,
            from: self.tasks.index(from)?,
            state: state(number(bits)?, preempted),
            stack,
            to: self.tasks.index(to)?,
            instructions: Some(probe.instructions),
        };
        self.switches.push(switch);
        Some(())
    }

    fn wake(&mut self, at_ns: u64, probe: &Probe) -> Option<()> {
        let (task, rest) = probe.pieces.split_at_checked(tasks::PIECES)?;
        let [bits, stack] = rest else { return None };
        // One that waits for something else sleeps on.
        if u64::from(number(bits)?) & probe.si & u64::from(u32::MAX) == 0 {
            return Some(());
        }
        let stack = self.stacks.index(self.wake_at, probe, stack);
        let task = self.tasks.index(task)?;
        self.wakes.push(Wake { at_ns, cpu: probe.vcpu, task, stack });
        Some(())
    }

    /// The trace of a trial whose phases lay there.
    pub(crate) fn finish(self, phases: Vec<Span>) -> Trace {
        let mut notes = self.notes;
        if self.damaged > 0 {
            notes.push(format!("{} of the probes' frames could not be read", self.damaged));
        }
        let guessed = self.stacks.guessed;
        if guessed > 0 {
            notes.push(format!(
                "{guessed} call paths are guesses: the kernel's tables did not lead through the stack"
            ));
        }
        let (disks, requests) = self.requests.into_lists();
        Trace {
            phases,
            tasks: self.tasks.into_list(),
            stacks: self.stacks.into_list(),
            switches: self.switches,
            wakes: self.wakes,
            disks,
            requests,
            memory: self.memory,
            notes,
            ..Trace::default()
        }
    }
}

/// Whether the CPU was taken from a task that stood there: it ran on, whatever its state says.
fn is_preempted(path: &[Frame]) -> bool {
    let ways = ["preempt_schedule", "irqentry_exit", "raw_irqentry_exit", "preempt_count_sub"];
    path.iter().take(4).any(|frame| ways.iter().any(|way| frame.0.starts_with(way)))
}
