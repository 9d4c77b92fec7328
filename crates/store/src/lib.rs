//! The archive of trials: append-only, one folder a trial.
//!
//! ```text
//! ROOT/trials/20260131-142501-3fa9/trial.json    the trial, model::Trial
//!                                  console.log   attachments, as the trial left them
//!                                  profile.json
//! ROOT/trials/.new-ID-PID-N/                     a trial that is being written
//! ```
//!
//! A folder appears whole or not at all, whatever kills the program in between. A folder that
//! cannot be read is named and hides no other. The root is handed in; this room knows nothing of
//! XDG folders, of how a trial came to be, or of how it is shown.

mod archive;
mod error;
mod find;
mod folder;
mod id;
mod leftovers;
mod moment;
mod staging;

pub use archive::{Archive, Listing};
pub use error::StoreError;
pub use id::new_id;
pub use moment::rfc3339;
