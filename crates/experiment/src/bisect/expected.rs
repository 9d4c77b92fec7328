//! What a bisection will probably take, before it begins.

use analysis::interval::LEAST_PAIRS;
use analysis::search::Search;
use model::{ChangeKind, Hunt};

/// What a bisection will probably take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expected {
    /// Changes between the ends.
    pub candidates: usize,
    /// Candidates that will be tried, if none is broken.
    pub tried: u32,
    /// Kernels that are built: the ends, the candidates, the bad end with each remedy. 0 where nothing is
    /// built.
    pub builds: u32,
    /// Trials, where six pairs tell the ends apart and few seeds the candidates.
    pub trials: u32,
}

/// What a bisection will probably take.
#[must_use]
pub fn expected(hunt: &Hunt) -> Expected {
    let parents: Vec<Vec<usize>> =
        hunt.candidates.iter().map(|candidate| candidate.parents.clone()).collect();
    let tried = match parents.is_empty() {
        true => 0,
        false => Search::between(&parents, None, hunt.bad()).expected(),
    };
    let remedies = hunt.fixes.len() as u32 + u32::from(hunt.kind == ChangeKind::Commit);
    let pairs = LEAST_PAIRS as u32;
    // Under seeds of their own.
    let proof = 2 * pairs;
    Expected {
        candidates: hunt.candidates.len(),
        tried,
        builds: if builds_kernels(hunt) { 2 + tried + remedies } else { 0 },
        trials: 2 * pairs + tried * hunt.seeds + proof + remedies * pairs,
    }
}

/// Settings by which another kernel is built.
const OF_SOURCES: [&str; 4] = ["kernel", "kernel.config", "patch", "revert"];

/// Whether each candidate is another kernel that is built.
fn builds_kernels(hunt: &Hunt) -> bool {
    let sets = hunt.candidates.iter().flat_map(|candidate| &candidate.change.set);
    let builds = sets.map(|(key, _)| key.as_str()).any(|key| OF_SOURCES.contains(&key));
    hunt.kind == ChangeKind::Commit || hunt.settings.kernel_repo.is_some() && builds
}
