//! From what probes saw to a trace.

use std::collections::HashMap;

use kernels::{Symbols, Unwinder};
use model::Trace;
use model::trace::{self, MemoryAt, Span, Switch, Wake};

use super::memory;
use super::probes::{Counts, Probes, id};
use super::requests::Requests;
use super::samples::{self, Samples};
use super::stacks::Stacks;
use super::tasks::{self, Tasks, number, state};
use super::user_code::UserCode;
use crate::frames::{Frame, Probe};

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
    samples: Samples,
    /// The task that each CPU went to last.
    on: HashMap<u32, u32>,
    notes: Vec<String>,
    /// Frames that lacked something.
    damaged: u64,
}

impl<'a> Tracer<'a> {
    /// One for a guest that `probes` look at. Without an unwinder there are no call paths.
    pub(crate) fn new(
        probes: &Probes,
        symbols: &'a Symbols<'a>,
        unwinder: Option<&'a Unwinder>,
    ) -> Self {
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
            samples: Samples::default(),
            on: HashMap::new(),
            notes: probes.notes.clone(),
            damaged: 0,
        }
    }

    /// Takes what a probe or a sample saw.
    pub(crate) fn take(&mut self, frame: &Frame) {
        let taken = match frame {
            Frame::Probe(probe) => self.probe(probe),
            Frame::Sample(sample) => self.samples.take(sample, &mut self.stacks),
            _ => return,
        };
        self.damaged += u64::from(taken.is_none());
    }

    fn probe(&mut self, probe: &Probe) -> Option<()> {
        let at_ns = probe.clock?;
        let issued = (at_ns, self.on.get(&probe.vcpu).copied());
        match probe.id {
            id::SWITCH => self.switch(at_ns, probe),
            id::WAKE => self.wake(at_ns, probe),
            id::ASK => {
                let (address, pieces) = probe.pieces.split_first()?;
                let address = u64::from_le_bytes(*address.first_chunk()?);
                self.requests.issued(address, issued, pieces)
            }
            id::START => self.requests.issued(probe.registers.di, issued, &probe.pieces),
            id::DONE => {
                self.requests.done(probe.registers.di, at_ns, probe.registers.dx);
                Some(())
            }
            id::MEMORY => {
                let [zone, node] = probe.pieces.as_slice() else { return None };
                self.memory.push(memory::at(at_ns, &self.counts, zone, node));
                Some(())
            }
            _ => None,
        }
    }

    fn switch(&mut self, at_ns: u64, probe: &Probe) -> Option<()> {
        let (from, rest) = probe.pieces.split_at_checked(tasks::PIECES)?;
        let (to, rest) = rest.split_at_checked(tasks::PIECES)?;
        let [bits, stack] = rest else { return None };
        let stack = self.stacks.callers(self.switch_at, &probe.registers, stack);
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
        self.on.insert(switch.cpu, switch.to);
        self.switches.push(switch);
        Some(())
    }

    fn wake(&mut self, at_ns: u64, probe: &Probe) -> Option<()> {
        let (task, rest) = probe.pieces.split_at_checked(tasks::PIECES)?;
        let [bits, stack] = rest else { return None };
        // One that waits for something else sleeps on.
        if u64::from(number(bits)?) & probe.registers.si & u64::from(u32::MAX) == 0 {
            return Some(());
        }
        let stack = self.stacks.callers(self.wake_at, &probe.registers, stack);
        let task = self.tasks.index(task)?;
        self.wakes.push(Wake { at_ns, cpu: probe.vcpu, task, stack });
        Some(())
    }

    /// The trace of a trial whose phases lay there and whose programs are `users`.
    pub(crate) fn finish(mut self, phases: Vec<Span>, users: &UserCode) -> Trace {
        let samples = std::mem::take(&mut self.samples).named(users, &mut self.stacks);
        let notes = self.all_notes(samples.len());
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
            sampled_every: Some(samples::EVERY),
            samples,
            notes,
            ..Trace::default()
        }
    }

    /// What could not be seen, with how often.
    fn all_notes(&self, samples: usize) -> Vec<String> {
        let Stacks { guessed, guessed_samples, alone, .. } = self.stacks;
        let lost = "the kernel's tables did not lead through the stack";
        // A few samples hit the instructions at which a stack is being changed.
        let many = guessed_samples * 100 > samples as u64;
        let notes = [
            (self.damaged > 0)
                .then(|| format!("{} of the probes' frames could not be read", self.damaged)),
            (guessed > 0).then(|| format!("{guessed} call paths are guesses: {lost}")),
            many.then(|| format!("{guessed_samples} of {samples} samples are guesses: {lost}")),
            (alone > 0).then(|| {
                format!(
                    "{alone} of {samples} samples name the kernel's function without its callers: its \
                     stack could not be read or followed"
                )
            }),
        ];
        self.notes.iter().cloned().chain(notes.into_iter().flatten()).collect()
    }
}

/// Whether the CPU was taken from a task that stood there: it ran on, whatever its state says.
fn is_preempted(path: &[trace::Frame]) -> bool {
    let ways = ["preempt_schedule", "irqentry_exit", "raw_irqentry_exit", "preempt_count_sub"];
    path.iter().take(4).any(|frame| ways.iter().any(|way| frame.0.starts_with(way)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frames::{Code, Registers, Sample};

    const TEXT: u64 = 0xffff_ffff_8100_0000;

    fn task(pid: u32, name: &str) -> Vec<Vec<u8>> {
        let numbers = [pid, pid, 0].map(|number| number.to_le_bytes().to_vec());
        numbers.into_iter().chain([name.as_bytes().to_vec()]).collect()
    }

    fn probe(id: u8, at: u64, pieces: Vec<Vec<u8>>) -> Frame {
        let registers = Registers { di: 0x10, dx: 4096, ..Registers::default() };
        Frame::Probe(Probe {
            id,
            vcpu: 0,
            clock: Some(at),
            instructions: at / 2,
            registers,
            pieces,
        })
    }

    fn sample(at: u64, block: u64, address: u64) -> Frame {
        let registers = Registers::default();
        let pieces = Vec::new();
        Frame::Sample(Sample { vcpu: 0, clock: Some(at), block, address, registers, pieces })
    }

    fn request() -> Vec<Vec<u8>> {
        vec![1u32.to_le_bytes().to_vec(), 4096u32.to_le_bytes().to_vec(), b"nullb0\0".to_vec()]
    }

    #[test]
    fn a_request_is_its_cpu_s_task_s_and_samples_get_their_names_at_the_end() {
        let symbols = Symbols::parse("ffffffff81000000 t vfs_write\n");
        let mut tracer = Tracer::new(&Probes::default(), &symbols, None);
        tracer.take(&probe(id::START, 10, request()));
        tracer.take(&probe(id::DONE, 11, Vec::new()));
        let state = vec![2u32.to_le_bytes().to_vec(), Vec::new()];
        let pieces = [task(7, "dd"), task(40, "kworker"), state].concat();
        tracer.take(&probe(id::SWITCH, 20, pieces));
        tracer.take(&probe(id::START, 30, request()));
        tracer.take(&sample(40, TEXT + 8, TEXT + 8));
        tracer.take(&sample(50, 2, 0x401_000));
        tracer.take(&Frame::Code(Code { key: 2, address: 0x401_000, bytes: Vec::new() }));
        tracer.take(&probe(99, 60, Vec::new()));
        let trace = tracer.finish(Vec::new(), &UserCode::default());
        let by: Vec<_> = trace.requests.iter().map(|request| request.by).collect();
        assert_eq!(by, [None, Some(1)]);
        assert_eq!(trace.tasks[1].name, "kworker");
        assert_eq!(trace.switches[0].instructions, Some(10));
        let frames = |index: usize| &trace.stacks[trace.samples[index].stack as usize][0].0;
        assert_eq!((frames(0).as_str(), frames(1).as_str()), ("vfs_write", "[user]"));
        assert_eq!(trace.notes.len(), 2, "{:?}", trace.notes);
        assert!(trace.notes[0].starts_with("1 of the probes' frames"), "{:?}", trace.notes);
    }
}
