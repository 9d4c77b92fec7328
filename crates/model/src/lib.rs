//! The words of slowpath as types, units and serde forms.
//!
//! Every other room speaks in these types. This one knows nothing of files, processes, clocks or
//! QEMU: what enters is text or a value, what leaves is a value.

pub mod account;
pub mod bisection;
pub mod case;
pub mod case_file;
mod case_order;
pub mod comparison;
pub mod explanation;
pub mod ffsb;
mod ffsb_case;
pub mod filesystem;
pub mod finding;
pub mod fingerprint;
pub mod measurement;
pub mod memory;
pub mod observation;
pub mod place;
pub mod profile;
mod scale;
pub mod setting_table;
pub mod settings;
pub mod spec;
pub mod trace;
pub mod trial;
pub mod units;

pub use account::{Account, Accounts, SeenFrom};
pub use bisection::{
    Bisection, Candidate, Change, ChangeKind, CommitFacts, Found, Hunt, Remedy, RemedyKind,
    Standing, Tried,
};
pub use case::{Action, Case, Step};
pub use case_file::CaseError;
pub use comparison::{
    Comparison, Contrast, Ended, Extent, Judgement, Question, Sample, Series, Side, Variant,
    Verdict,
};
pub use explanation::{Explanation, Part, PartKind, PhaseExplained};
pub use ffsb_case::case_of_profile;
pub use filesystem::Filesystem;
pub use finding::{Finding, Mechanism, Number, Surety};
pub use fingerprint::Fingerprint;
pub use measurement::{DiskUse, Gap, Measurements, PhaseRun, SlowCall};
pub use memory::{MemoryLists, MemoryState};
pub use observation::Observation;
pub use profile::{FunctionCount, PhaseProfile, Profile};
pub use settings::{SettingError, Settings};
pub use spec::{Limits, TrialSpec};
pub use trace::Trace;
pub use trial::{Broken, BrokenKind, Outcome, Trial};
pub use units::{Bytes, Nanos, UnitError};

/// The number that every public JSON, TOML and archive form of this version carries as `format`.
pub const FORMAT: u32 = 1;
