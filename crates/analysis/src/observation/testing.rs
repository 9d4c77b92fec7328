//! Traces made by hand.

use std::ops::Range;

use model::trace::{
    Frame, MemoryAt, PathSample, Request, RequestKind, Span, Switch, Task, TaskState, Trace, Wake,
};

/// A trace that grows.
pub(crate) struct Scene {
    pub(crate) trace: Trace,
}

impl Scene {
    /// A trace of one phase.
    pub(crate) fn new(phase: Range<u64>) -> Self {
        let phases = vec![Span { from_ns: phase.start, to_ns: phase.end }];
        Scene { trace: Trace { phases, ..Trace::default() } }
    }

    pub(crate) fn program(&mut self, name: &str) -> u32 {
        let pid = 100 + self.trace.tasks.len() as u32;
        self.task(Task { pid, process: 1, name: name.to_owned(), kernel: false })
    }

    pub(crate) fn kernel_thread(&mut self, name: &str) -> u32 {
        let pid = 100 + self.trace.tasks.len() as u32;
        self.task(Task { pid, process: pid, name: name.to_owned(), kernel: true })
    }

    pub(crate) fn idle(&mut self) -> u32 {
        self.task(Task { name: "swapper/0".to_owned(), kernel: true, ..Task::default() })
    }

    fn task(&mut self, task: Task) -> u32 {
        self.trace.tasks.push(task);
        self.trace.tasks.len() as u32 - 1
    }

    /// `stack` names its functions, innermost first, without the scheduler's.
    fn stack(&mut self, stack: &str) -> u32 {
        let frames = ["__schedule", "schedule"].into_iter().chain(stack.split_whitespace());
        self.trace.stacks.push(frames.map(|frame| Frame(frame.to_owned())).collect());
        self.trace.stacks.len() as u32 - 1
    }

    pub(crate) fn switch(
        &mut self,
        at_ns: u64,
        cpu: u32,
        from: u32,
        state: char,
        stack: &str,
        to: u32,
    ) {
        let stack = self.stack(stack);
        let state = match state {
            'R' => TaskState::Runnable,
            'S' => TaskState::Interruptible,
            'D' => TaskState::Uninterruptible,
            'I' => TaskState::Idle,
            _ => TaskState::Other,
        };
        self.trace.switches.push(Switch { at_ns, cpu, from, state, stack, to, instructions: None });
    }

    /// Instructions that were executed before the last switch.
    pub(crate) fn counted(&mut self, instructions: u64) {
        self.trace.switches.last_mut().unwrap().instructions = Some(instructions);
    }

    /// `stack` names its functions, innermost first.
    pub(crate) fn sample(&mut self, at_ns: u64, cpu: u32, stack: &str) {
        let frames = stack.split_whitespace().map(|frame| Frame(frame.to_owned())).collect();
        self.trace.stacks.push(frames);
        let stack = self.trace.stacks.len() as u32 - 1;
        self.trace.samples.push(PathSample { at_ns, cpu, stack });
    }

    pub(crate) fn wake(&mut self, at_ns: u64, cpu: u32, task: u32, stack: &str) {
        let stack = self.stack(stack);
        self.trace.wakes.push(Wake { at_ns, cpu, task, stack });
    }

    pub(crate) fn disk(&mut self, name: &str) -> u32 {
        self.trace.disks.push(name.to_owned());
        self.trace.disks.len() as u32 - 1
    }

    pub(crate) fn write(&mut self, disk: u32, bytes: u64, issued_ns: u64, done_ns: Option<u64>) {
        let kind = RequestKind::Write;
        self.trace.requests.push(Request { disk, kind, bytes, issued_ns, done_ns, by: None });
    }

    /// A task that issued the last request.
    pub(crate) fn by(&mut self, task: u32) {
        self.trace.requests.last_mut().unwrap().by = Some(task);
    }

    pub(crate) fn dirty(&mut self, at_ns: u64, bytes: u64) {
        let dirty = Some(bytes);
        self.trace.memory.push(MemoryAt { at_ns, dirty, ..MemoryAt::default() });
    }
}
