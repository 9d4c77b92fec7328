//! Plans trials and runs them.
//!
//! What a trial runs in ([`Place`]) and where it is kept ([`Archive`]) are traits of this room; the
//! rooms `lab` and `store` implement them, and the program hands them in. So everything here can
//! be tested with places that only pretend.

pub mod archive;
pub mod place;
pub mod plan;
pub mod run;

pub use archive::{Archive, ArchiveError};
pub use place::{Cancel, Place, PlaceError, TrialEvent, TrialOutput};
pub use plan::Plan;
pub use run::{Clock, Progress, RunError, Runner, run};
