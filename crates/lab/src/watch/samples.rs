//! What ran whenever so many instructions had been executed.

use model::trace::{Frame, PathSample};

use super::stacks::Stacks;
use super::user_code::{UserCode, is_kernel};
use crate::frames::Sample;

/// Instructions from one sample to the next. It is a prime: loops take round numbers of instructions, and would
/// be met in the same place each time by a number that shares a factor with theirs.
pub(crate) const EVERY: u64 = 50_021;

/// All samples that were seen.
#[derive(Default)]
pub(super) struct Samples(Vec<Seen>);

struct Seen {
    at_ns: u64,
    cpu: u32,
    ran: Ran,
}

enum Ran {
    /// The kernel, by that path.
    Kernel(u32),
    /// The user block with that key; which function that is shows at the end.
    User(u64),
}

impl Samples {
    pub(super) fn take(&mut self, sample: &Sample, stacks: &mut Stacks<'_>) -> Option<()> {
        let stack = sample.pieces.first().map_or(&[][..], Vec::as_slice);
        let ran = if is_kernel(sample.address) {
            Ran::Kernel(stacks.running(sample.address, &sample.registers, stack))
        } else {
            Ran::User(sample.block)
        };
        self.0.push(Seen { at_ns: sample.clock?, cpu: sample.vcpu, ran });
        Some(())
    }

    /// The same with names.
    pub(super) fn named(self, users: &UserCode, stacks: &mut Stacks<'_>) -> Vec<PathSample> {
        let named = |Seen { at_ns, cpu, ran }| {
            let stack = match ran {
                Ran::Kernel(stack) => stack,
                Ran::User(key) => stacks.named(vec![Frame(users.name(key).to_owned())]),
            };
            PathSample { at_ns, cpu, stack }
        };
        self.0.into_iter().map(named).collect()
    }
}
