//! The archive of trials, comparisons and bisections: append-only, a folder each, and an index made
//! from them.
//!
//! ```text
//! ROOT/trials/20260131-142501-3fa9/trial.json         the trial, model::Trial
//!                                  console.log        attachments, as the trial left them
//!                                  profile.json
//! ROOT/comparisons/20260131-142455-0c17/question.json what is asked, from the beginning
//!                                       comparison.json what was found, once it has ended:
//!                                                     model::Comparison
//!                                       lock          locked (flock) while a program works on it
//! ROOT/bisections/20260131-150012-4ba81e/hunt.json    what is asked, from the beginning
//!                                       bisection.json what was found, once it has ended:
//!                                                     model::Bisection
//!                                       lock
//! ROOT/{trials,…}/.new-ID-PID-N/                      a folder that is being written
//! ROOT/index.sqlite                                   made from the trials, and again at any time
//! ```
//!
//! A folder appears whole or not at all, whatever kills the program in between. A folder that
//! cannot be read is named and hides no other. The trials of one run, comparison or bisection
//! are a *set*, which bears its ID. The index only finds folders sooner; where there is none, the folders are
//! read. The root is handed in; this room knows nothing of XDG folders, of how a trial came to be,
//! or of how it is shown.
//!
//! All calls block; an async program makes them on a thread of its own.

mod archive;
mod begin;
mod bisections;
mod comparisons;
mod document;
mod error;
mod find;
mod folder;
mod id;
mod index;
mod inquiry;
mod key;
mod known;
mod leftovers;
mod moment;
mod sets;
mod staging;
mod variants;

pub use archive::{Archive, Listing};
pub use begin::Begun;
pub use bisections::Bisections;
pub use comparisons::Comparisons;
pub use error::{Kind, StoreError};
pub use id::new_id;
pub use inquiry::Inquiries;
pub use key::{fingerprint_key, spec_key};
pub use moment::rfc3339;
pub use sets::Set;
