//! The archive of trials and comparisons: append-only, a folder each, and an index made from them.
//!
//! ```text
//! ROOT/trials/20260131-142501-3fa9/trial.json         the trial, model::Trial
//!                                  console.log        attachments, as the trial left them
//!                                  profile.json
//! ROOT/comparisons/20260131-142455-0c17/question.json what is asked, from the beginning
//!                                       comparison.json what was found, once it has ended:
//!                                                     model::Comparison
//!                                       lock          locked (flock) while a program works on it
//! ROOT/{trials,comparisons}/.new-ID-PID-N/            a folder that is being written
//! ROOT/index.sqlite                                   made from the trials, and again at any time
//! ```
//!
//! A folder appears whole or not at all, whatever kills the program in between. A folder that
//! cannot be read is named and hides no other. The trials of one run or comparison are a *set*,
//! which bears its ID. The index only finds folders sooner; where there is none, the folders are
//! read. The root is handed in; this room knows nothing of XDG folders, of how a trial came to be,
//! or of how it is shown.
//!
//! All calls block; an async program makes them on a thread of its own.

mod archive;
mod comparisons;
mod document;
mod error;
mod find;
mod folder;
mod id;
mod index;
mod key;
mod known;
mod leftovers;
mod moment;
mod question;
mod sets;
mod staging;
mod variants;

pub use archive::{Archive, Listing};
pub use comparisons::Comparisons;
pub use error::{Kind, StoreError};
pub use id::new_id;
pub use key::{fingerprint_key, spec_key};
pub use moment::rfc3339;
pub use question::Begun;
pub use sets::Set;
