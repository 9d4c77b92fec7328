//! Plans trials, runs them, compares what they measured, and searches for the change behind it.
//!
//! What a trial runs in ([`Place`]) and where it is kept ([`Archive`]) are traits of this room; the
//! rooms `lab` and `store` implement them, and the program hands them in. So everything here can
//! be tested with places that only pretend.

pub mod archive;
pub mod bisect;
mod collection;
pub mod compare;
pub mod explain;
mod inside;
mod judged;
mod notes;
pub mod observe;
pub mod place;
pub mod plan;
pub mod run;
#[cfg(test)]
mod scripted;
pub mod stored;
mod unlike;

pub use archive::{Archive, ArchiveError};
pub use bisect::{BisectRequest, Bisected, Expected, HuntEvent, bisect, expected};
pub use compare::{Compared, Request, check, compare};
pub use explain::{Why, explain, explain_twins};
pub use observe::{ACCOUNTS, OBSERVATION, observe};
pub use place::{
    Cancel, InsidePass, Outside, Passes, Place, PlaceError, Seen, TrialEvent, TrialOutput,
};
pub use plan::Plan;
pub use run::{Clock, Progress, RunError, Runner, run};
pub use stored::{StoredSide, compare_stored};
