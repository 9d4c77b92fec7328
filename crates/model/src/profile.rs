//! Instructions by function, phase by phase, as the plugin counted them.

use serde::{Deserialize, Serialize};

/// A trial's profile. Counts are exact: nothing is sampled.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Profile {
    /// The phases in the order in which they ran.
    pub phases: Vec<PhaseProfile>,
}

/// One phase's instructions by function.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PhaseProfile {
    /// The phase's label, as `write 2`.
    pub phase: String,
    /// The functions, largest count first.
    pub functions: Vec<FunctionCount>,
}

/// One function's instructions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FunctionCount {
    /// The kernel's name for it, with ` [module]` for a module's; in a program ` (program)` or ` (library)`
    /// follows, which stands alone where no symbol is known; `[user]` for user code of nobody knows what.
    pub name: String,
    /// Instructions executed in it, without those of functions that it called.
    pub instructions: u64,
}
