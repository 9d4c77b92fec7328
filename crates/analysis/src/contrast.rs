//! One side against the baseline.

use model::{Contrast, Series, Side};

use crate::judge::judge;
use crate::pairs::differences;

/// Judges every series that both sides have under common seeds, in the baseline's order, at one
/// look. `threshold` and `error` are those of [`judge`].
///
/// Not comparable, with the reason, where a side has a broken trial or the two have nothing in
/// common. Nothing is said while a side has no trial at all.
#[must_use]
pub fn contrast(baseline: &Side, other: &Side, threshold: f64, error: f64) -> Contrast {
    if let Some(reason) = broken("the baseline", baseline).or_else(|| broken("the variant", other))
    {
        return Contrast::NotComparable(reason);
    }
    if baseline.series.is_empty() || other.series.is_empty() {
        return Contrast::Judged(Vec::new());
    }
    let common: Vec<_> = baseline.series.iter().filter_map(|ours| in_both(ours, other)).collect();
    if common.is_empty() {
        return Contrast::NotComparable(nothing_in_common(baseline, other, "phase"));
    }
    let paired = common.iter().map(|(ours, theirs)| (*ours, differences(ours, theirs)));
    let judgements: Vec<_> = paired
        .filter(|(_, differences)| !differences.is_empty())
        .map(|(series, d)| judge(&series.phase, series.rounds, &d, threshold, error))
        .collect();
    if judgements.is_empty() {
        return Contrast::NotComparable(nothing_in_common(baseline, other, "seed"));
    }
    Contrast::Judged(judgements)
}

fn broken(which: &str, side: &Side) -> Option<String> {
    let broken = side.broken.as_ref()?;
    let name = &side.variant.name;
    Some(format!("{which} `{name}` has a broken trial, {}: {}", broken.trial, broken.reason))
}

fn in_both<'a>(ours: &'a Series, other: &'a Side) -> Option<(&'a Series, &'a Series)> {
    let same = |theirs: &&Series| (&theirs.phase, theirs.rounds) == (&ours.phase, ours.rounds);
    other.series.iter().find(same).map(|theirs| (ours, theirs))
}

fn nothing_in_common(baseline: &Side, other: &Side, what: &str) -> String {
    let (ours, theirs) = (&baseline.variant.name, &other.variant.name);
    format!("the baseline `{ours}` and the variant `{theirs}` have no {what} in common")
}

#[cfg(test)]
mod tests {
    use model::Verdict;
    use model::comparison::BrokenSide;

    use super::*;
    use crate::testing::{series, side};

    fn seeds(wall: f64) -> Vec<(u64, f64)> {
        (1..=6_u32).map(|seed| (u64::from(seed), wall * (1.0 + 0.001 * f64::from(seed)))).collect()
    }

    #[test]
    fn each_phase_of_both_is_judged_in_the_baselines_order() {
        let rounds = Some((2, 4));
        let baseline = side(
            "fs=ext4",
            vec![
                series("write", rounds, &seeds(1e9)),
                series("only here", None, &seeds(1e9)),
                series("sync", rounds, &seeds(1e9)),
            ],
        );
        let other = side(
            "fs=xfs",
            vec![series("sync", rounds, &seeds(2e9)), series("write", rounds, &seeds(1e9))],
        );
        let Contrast::Judged(judgements) = contrast(&baseline, &other, 0.02, 2.0 / 64.0) else {
            panic!("not judged")
        };
        let found: Vec<_> = judgements.iter().map(|j| (j.label(), j.verdict)).collect();
        assert_eq!(
            found,
            [("write 2-4".to_owned(), Verdict::Same), ("sync 2-4".to_owned(), Verdict::Worse)]
        );
    }

    #[test]
    fn nothing_is_said_of_a_side_that_was_not_run_yet() {
        let here = side("fs=ext4", vec![series("sync", None, &seeds(1e9))]);
        let there = side("fs=xfs", Vec::new());
        for (baseline, other) in [(&here, &there), (&there, &here), (&there, &there)] {
            assert_eq!(contrast(baseline, other, 0.02, 0.05), Contrast::Judged(Vec::new()));
        }
    }

    #[test]
    fn what_cannot_be_compared_says_why() {
        let good = side("fs=ext4", vec![series("sync", None, &seeds(1e9))]);
        let mut bad = side("fs=xfs", vec![series("sync", None, &seeds(1e9))]);
        bad.broken = Some(BrokenSide { trial: "t7".to_owned(), reason: "no mkfs".to_owned() });
        let other_phase = side("fs=xfs", vec![series("sync", Some((1, 1)), &seeds(1e9))]);
        let other_seeds = side("fs=xfs", vec![series("sync", None, &[(77, 1e9)])]);
        for (baseline, other, reason) in [
            (&good, &bad, "the variant `fs=xfs` has a broken trial, t7: no mkfs"),
            (&bad, &good, "the baseline `fs=xfs` has a broken trial, t7: no mkfs"),
            (
                &good,
                &other_phase,
                "the baseline `fs=ext4` and the variant `fs=xfs` have no phase in common",
            ),
            (
                &good,
                &other_seeds,
                "the baseline `fs=ext4` and the variant `fs=xfs` have no seed in common",
            ),
        ] {
            assert_eq!(
                contrast(baseline, other, 0.02, 0.05),
                Contrast::NotComparable(reason.to_owned())
            );
        }
    }
}
