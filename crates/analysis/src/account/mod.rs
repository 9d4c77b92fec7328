//! From what a further pass saw to where the time went.
//!
//! [`outside()`] works on a [`model::Trace`]: at every moment of a phase one of the workload's tasks runs,
//! or one could run, or all of them wait, and so the parts add up to the phase to the nanosecond.
//! [`sampled()`] works on samples of `/proc`: each stands for the time until the next.
//!
//! What names mechanisms is not here: accounts hold times, and who waited for whom.

mod blocks;
mod issued;
mod machine;
mod meanwhile;
mod outside;
mod overlap;
mod running;
mod runs;
mod sampled;
mod shares;
mod split;
mod tasks;
#[cfg(test)]
mod tests;
mod wakers;
mod watched;
mod work;

pub(crate) use issued::NOBODY_KNOWS;
pub use outside::outside;
pub use sampled::sampled;
pub(crate) use work::BLOCK;
