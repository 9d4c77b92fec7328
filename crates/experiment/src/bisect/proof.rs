//! The proof: the culprit against what it stands on, and the bad end with something done about it.

use model::bisection::Step;
use model::{ChangeKind, Comparison, Contrast, Extent, Remedy, RemedyKind};

use super::{Halt, HuntEvent, Hunting};
use crate::explain::explain;

impl Hunting<'_> {
    /// The culprit against what it stands on, under seeds that had no part in the search: what led it astray by
    /// chance cannot lead the proof.
    pub(super) fn proof(
        &mut self,
        parent: Option<usize>,
        culprit: usize,
    ) -> Result<Comparison, Halt> {
        self.runner.progress.hunting(self.hunt, HuntEvent::Proving(culprit));
        let sides = vec![self.variant(parent)?, self.variant(Some(culprit))?];
        let most = self.hunt.most;
        let (mut proof, trials) =
            self.compared_over(sides, Extent::UntilClear(most), u64::from(most))?;
        self.runner.progress.hunting(self.hunt, HuntEvent::Explaining(culprit));
        proof.explanations = explain(self.runner, &proof, &trials, self.why);
        if self.runner.cancel.is_set() {
            return Err(Halt::Stopped);
        }
        Ok(proof)
    }

    /// The bad end without each culprit that can be reverted, and with each fix.
    pub(super) fn remedies(&mut self, steps: &[Step]) -> Result<Vec<Remedy>, Halt> {
        let mut remedies = Vec::new();
        if self.hunt.kind == ChangeKind::Commit {
            for culprit in steps.iter().filter_map(Step::culprit) {
                let change = self.hunt.change(Some(culprit));
                let name = format!("bad with {} reverted", change.short(self.hunt.kind));
                let set = vec![("revert".to_owned(), change.name.clone())];
                remedies.push(self.remedy(RemedyKind::Revert(culprit), name, &set)?);
            }
        }
        for (at, fix) in self.hunt.fixes.iter().enumerate() {
            let name = format!("bad with {}", fix.name);
            remedies.push(self.remedy(RemedyKind::Fix(at), name, &fix.set)?);
        }
        Ok(remedies)
    }

    fn remedy(
        &mut self,
        what: RemedyKind,
        name: String,
        set: &[(String, String)],
    ) -> Result<Remedy, Halt> {
        self.runner.progress.hunting(self.hunt, HuntEvent::Remedy(&name));
        let bad = Some(self.hunt.bad());
        let sides = vec![self.end("bad", bad)?, self.side(name, bad, set)?];
        let comparison = self.compared(sides)?;
        Ok(match comparison.contrasts.first() {
            Some(Contrast::NotComparable(reason)) => {
                Remedy { what, reason: Some(reason.clone()), comparison: None }
            }
            _ => Remedy { what, comparison: Some(comparison), reason: None },
        })
    }
}
