use proptest::prelude::*;

use super::*;

const ENDS: [f64; 6] = [0.50, 0.52, 0.54, 0.54, 0.56, 0.58];

/// Points at `positions` of the way from 0 to `effect`, where the ends never move.
fn points(effect: f64, positions: &[f64]) -> Vec<Point> {
    let point =
        |(seed, at): (u64, &f64)| Point { seed, older: at * effect, newer: (1.0 - at) * effect };
    (0..).zip(positions).map(point).collect()
}

fn judged(ends: &[f64], effect: f64, positions: &[f64], most: u32) -> Judged {
    let points = points(effect, positions);
    standing(&Between { ends, points: &points, threshold: 0.02, most })
}

#[test]
fn standings() {
    let six = [0.5, 0.49, 0.51, 0.48, 0.52, 0.5];
    for (positions, expected, seeds) in [
        (&[0.0, 0.02][..], Some(Standing::Old), 2),
        (&[1.0, 0.98], Some(Standing::New), 2),
        // Beyond an end is on its side.
        (&[-1.0, -1.1], Some(Standing::Old), 2),
        (&[2.0, 2.1], Some(Standing::New), 2),
        // On the one side, but apart from its end: a step, perhaps.
        (&[0.25, 0.26], None, 3),
        (&[0.75, 0.74, 0.75], None, 4),
        (&[0.5, 0.5], None, 3),
        (&six[..4], None, 6),
        (&six, Some(Standing::Neither), 6),
        (&[0.25; 6], Some(Standing::Neither), 6),
        // Too close to an end to be a step.
        (&[0.09; 6], Some(Standing::Old), 6),
        // Seeds that contradict each other.
        (&[0.0, 1.0], None, 3),
        (&[0.0, 1.0, 0.0, 1.0, 0.0, 1.0], None, 9),
    ] {
        let judged = judged(&ENDS, 0.54, positions, 20);
        assert_eq!((judged.standing, judged.seeds), (expected, seeds), "{positions:?}: {judged:?}");
    }
}

#[test]
fn faster_ends_are_judged_alike() {
    let ends = ENDS.map(|end| -end);
    for (position, expected) in
        [(0.0, Standing::Old), (1.0, Standing::New), (0.5, Standing::Neither)]
    {
        let judged = judged(&ends, -0.54, &[position; 6], 20);
        assert_eq!(judged.standing, Some(expected), "{judged:?}");
    }
}

#[test]
fn the_position_is_that_of_the_median() {
    let judged = judged(&[0.5; 8], 0.5, &[0.1, 0.0, 0.9], 20);
    assert!((judged.position.unwrap() - 0.1).abs() < 1e-12, "{judged:?}");
    let (low, high) = judged.interval.unwrap();
    assert!(low < 0.0 && high > 0.5, "{judged:?}");
}

#[test]
fn from_six_seeds_on_jumps_hardly_matter() {
    let mut positions = [0.0, 0.01, 0.0, 3.0, 0.01, 0.0, 0.01, 0.0, 0.0];
    let four = judged(&[0.5; 6], 0.5, &positions[..4], 20);
    assert_eq!((four.standing, four.seeds), (None, 6));
    let nine = judged(&[0.5; 6], 0.5, &positions, 20);
    assert_eq!(nine.standing, Some(Standing::Old));
    assert!(nine.interval.unwrap().1 < 0.02, "{nine:?}");
    positions[0] = 3.0;
    assert_eq!(judged(&[0.5; 6], 0.5, &positions, 20).standing, None, "two of nine do");
}

#[test]
fn noisy_ends_ask_for_more_seeds() {
    let noisy = [0.1, 0.3, 0.5, 0.54, 0.9, 1.2];
    assert_eq!(judged(&noisy, 0.52, &[0.0, 0.0], 20).standing, None);
    assert_eq!(judged(&noisy, 0.52, &[0.0; 6], 20).standing, Some(Standing::Old));
}

#[test]
fn a_step_must_be_larger_than_the_threshold() {
    // A tenth of the effect is less than 2 % here.
    let ends = [0.05; 6];
    assert_eq!(judged(&ends, 0.05, &[0.38; 6], 20).standing, Some(Standing::Old));
    assert_eq!(judged(&ends, 0.05, &[0.45; 6], 20).standing, Some(Standing::Neither));
    let below_twice_the_threshold = judged(&[0.035; 6], 0.035, &[0.5; 20], 20);
    assert_eq!(below_twice_the_threshold.standing, Some(Standing::CannotTell));
}

#[test]
fn most_ends_it() {
    assert_eq!(judged(&ENDS, 0.54, &[0.0, 1.0, 0.0], 4).seeds, 4);
    let last = judged(&ENDS, 0.54, &[0.0, 1.0, 0.0, 1.0], 4);
    assert_eq!((last.standing, last.seeds), (Some(Standing::CannotTell), 4));
    assert_eq!(judged(&ENDS, 0.54, &[], 0).standing, Some(Standing::CannotTell));
}

#[test]
fn looks_grow_by_half() {
    let mut looks = vec![0];
    while looks.last().is_some_and(|last| *last < 60) {
        looks.push(more(looks[looks.len() - 1]));
    }
    assert_eq!(looks, [0, 2, 3, 4, 6, 9, 13, 20, 30, 45, 67]);
}

#[test]
fn bad_input_is_not_judged() {
    let nothing = judged(&ENDS, 0.54, &[0.0], 20);
    assert_eq!((nothing.standing, nothing.position, nothing.seeds), (None, None, 2));
    for ends in [&[][..], &[0.0; 6], &[f64::NAN; 6], &[-0.1, 0.1]] {
        let judged = judged(ends, 0.5, &[0.0, 0.0], 20);
        assert_eq!(judged.standing, Some(Standing::CannotTell), "{ends:?}");
        assert_eq!((judged.position, judged.interval), (None, None));
    }
    // What is left out is not asked for again.
    let unusable = judged(&ENDS, 0.54, &[0.0, f64::NAN], 20);
    assert_eq!((unusable.standing, unusable.seeds), (None, 3));
}

fn any_number() -> impl Strategy<Value = f64> {
    prop_oneof![
        -2.0..2.0_f64,
        -1e300..1e300_f64,
        Just(0.0),
        Just(f64::MIN_POSITIVE),
        Just(f64::MAX),
        Just(f64::NAN),
        Just(f64::INFINITY),
    ]
}

proptest! {
    #[test]
    fn nothing_panics_and_all_ends(
        ends in prop::collection::vec(any_number(), 0..12),
        points in prop::collection::vec((any_number(), any_number()), 0..24),
        threshold in any_number(),
        most in 0..30_u32,
    ) {
        let point = |(seed, (older, newer))| Point { seed, older, newer };
        let points: Vec<Point> = (0..).zip(points).map(point).collect();
        let judged = standing(&Between { ends: &ends, points: &points, threshold, most });
        let seeds = points.len() as u32;
        prop_assert!(judged.standing.is_some() || judged.seeds > seeds && judged.seeds <= most);
        prop_assert!(judged.position.is_none_or(f64::is_finite));
        prop_assert!(judged.interval.is_none_or(|(low, high)| low <= high));
    }

    /// What the older end is to the newer, the newer is to the older.
    #[test]
    fn swapped_ends_swap_the_standing(
        ends in prop::collection::vec(0.1..1.0_f64, 6..9),
        points in prop::collection::vec((-1.0..1.0_f64, -1.0..1.0_f64), 2..14),
    ) {
        let point = |(seed, (older, newer))| Point { seed, older, newer };
        let points: Vec<Point> = (0..).zip(points).map(point).collect();
        let turn = |point: &Point| Point { older: -point.newer, newer: -point.older, ..*point };
        let turned_points: Vec<Point> = points.iter().map(turn).collect();
        let turned_ends: Vec<f64> = ends.iter().map(|end| -end).collect();
        let of = |ends, points| standing(&Between { ends, points, threshold: 0.02, most: 20 });
        let (here, there) = (of(&ends, &points), of(&turned_ends, &turned_points));
        let swapped = |standing| match standing {
            Standing::Old => Standing::New,
            Standing::New => Standing::Old,
            other => other,
        };
        prop_assert_eq!(here.standing.map(swapped), there.standing);
        prop_assert!((here.position.unwrap() + there.position.unwrap() - 1.0).abs() < 1e-9);
    }
}
