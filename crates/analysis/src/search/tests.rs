use proptest::prelude::*;

use super::*;

/// Candidates on a line.
fn line(candidates: usize) -> Vec<Vec<usize>> {
    (0..candidates).map(|at| at.checked_sub(1).into_iter().collect()).collect()
}

/// A line 0-1-2 and one 3-4 that begins on 0; 5 brings them together, 6 stands on it.
fn merged() -> Vec<Vec<usize>> {
    vec![vec![], vec![0], vec![1], vec![0], vec![3], vec![2, 4], vec![5]]
}

#[test]
fn a_line_is_halved() {
    let mut search = Search::between(&line(8), None, 7);
    assert_eq!((search.expected(), search.next()), (3, Next::Try(3)));
    search.mark(3, Mark::Old);
    assert_eq!((search.suspects(), search.expected()), (vec![4, 5, 6, 7], 2));
    assert_eq!(search.next(), Next::Try(5));
    search.mark(5, Mark::New);
    assert_eq!((search.suspects(), search.next()), (vec![4, 5], Next::Try(4)));
    search.mark(4, Mark::Old);
    assert_eq!((search.next(), search.expected()), (Next::Found(vec![5]), 0));
    assert_eq!(search.parent_of(5), Some(4));
}

#[test]
fn the_ends_bound_it() {
    assert_eq!(Search::between(&line(9), Some(3), 6).suspects(), [4, 5, 6]);
    assert_eq!(Search::between(&merged(), Some(2), 5).suspects(), [3, 4, 5]);
    // The older end may lie beside the newer one.
    assert_eq!(Search::between(&merged(), Some(4), 2).suspects(), [1, 2]);
    assert_eq!(Search::between(&line(9), Some(6), 3).next(), Next::Found(vec![]));
    assert_eq!(Search::between(&line(9), None, 9).next(), Next::Found(vec![]));
    assert_eq!(Search::between(&[], None, 0).next(), Next::Found(vec![]));
}

#[test]
fn one_suspect_is_the_culprit() {
    let search = Search::between(&line(1), None, 0);
    assert_eq!((search.next(), search.parent_of(0)), (Next::Found(vec![0]), None));
}

#[test]
fn a_merge_may_be_the_culprit() {
    let mut search = Search::between(&merged(), None, 6);
    for (at, mark) in [(2, Mark::Old), (4, Mark::Old), (5, Mark::New)] {
        search.mark(at, mark);
    }
    assert_eq!(search.next(), Next::Found(vec![5]));
    assert_eq!(search.parent_of(5), Some(2), "its first parent");
}

#[test]
fn a_parent_is_known_to_be_old() {
    let mut search = Search::between(&merged(), Some(0), 6);
    assert_eq!(search.parent_of(2), Some(0), "1 may be new");
    search.mark(4, Mark::Old);
    assert_eq!(search.parent_of(5), Some(4), "2 may be new");
    assert_eq!((search.parent_of(0), search.parent_of(99)), (None, None));
}

#[test]
fn those_that_cannot_be_tried_stay_suspects() {
    let mut search = Search::between(&line(4), None, 3);
    for (at, mark) in [(1, Mark::Skipped), (2, Mark::Skipped)] {
        search.mark(at, mark);
    }
    assert_eq!(search.next(), Next::Try(0));
    let mut old = search.clone();
    old.mark(0, Mark::Old);
    assert_eq!(old.next(), Next::Found(vec![1, 2, 3]));
    search.mark(0, Mark::New);
    assert_eq!(search.next(), Next::Found(vec![0]));
}

#[test]
fn next_to_a_skipped_one_the_next_is_near_and_then_farther() {
    let mut search = Search::between(&line(64), None, 63);
    let mut tries = Vec::new();
    for _ in 0..4 {
        let Next::Try(at) = search.next() else { panic!("{:?}", search.next()) };
        tries.push(at);
        search.mark(at, Mark::Skipped);
    }
    assert_eq!(tries[0], 31);
    let away = |at: &usize| tries[0].abs_diff(*at);
    assert!((1..6).contains(&away(&tries[1])), "{tries:?}");
    assert!(away(&tries[3]) >= 8, "{tries:?}");
}

#[test]
fn what_was_tried_is_not_taken_for_skipped() {
    let mut search = Search::between(&line(2), None, 1);
    search.mark(1, Mark::Skipped);
    assert_eq!(search.next(), Next::Try(0));
    search.mark(0, Mark::Skipped);
    assert_eq!(search.next(), Next::Found(vec![0, 1]));
    search.mark(0, Mark::Old);
    assert_eq!(search.next(), Next::Found(vec![1]));
    search.mark(7, Mark::Old);
    assert_eq!(search.next(), Next::Found(vec![1]), "nobody's mark");
}

#[test]
fn contradictions_leave_nobody() {
    let mut search = Search::between(&line(4), None, 3);
    search.mark(2, Mark::Old);
    search.mark(1, Mark::New);
    assert_eq!((search.next(), search.expected()), (Next::Found(vec![]), 0));
}

#[test]
fn logarithms() {
    for (count, expected) in [(0, 0), (1, 0), (2, 1), (3, 2), (4, 2), (5, 3), (100, 7), (128, 7)] {
        assert_eq!(halvings(count), expected, "{count}");
    }
}

#[test]
fn thousands_are_counted_across_blocks() {
    let counted: Vec<bool> = (0..3000).map(|at| at % 3 != 0).collect();
    let counts = History::new(&line(3000)).counts(&counted);
    let expected = |at: usize| (0..=at).filter(|below| counted[*below]).count();
    assert!((0..3000).all(|at| counts[at] == expected(at)));
}

fn histories() -> impl Strategy<Value = Vec<Vec<usize>>> {
    let parents = |at: usize| prop::collection::vec(0..at.max(1), 0..=2.min(at));
    (1..400_usize).prop_flat_map(move |n| (0..n).map(parents).collect::<Vec<_>>())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn counts_are_those_of_going_through_all(
        parents in histories(),
        chosen in prop::collection::vec(any::<bool>(), 400),
    ) {
        let history = History::new(&parents);
        let counts = history.counts(&chosen[..parents.len()]);
        for (at, count) in counts.into_iter().enumerate() {
            let below = history.ancestors(at);
            prop_assert_eq!(count, below.iter().zip(&chosen).filter(|(b, c)| **b && **c).count());
        }
    }

    #[test]
    fn nothing_panics(
        parents in prop::collection::vec(prop::collection::vec(0..40_usize, 0..4), 0..30),
        older in prop::option::of(0..40_usize),
        newer in 0..40_usize,
        marks in prop::collection::vec((0..40_usize, 0..3_usize), 0..30),
    ) {
        let mut search = Search::between(&parents, older, newer);
        for (at, mark) in marks {
            search.mark(at, [Mark::Old, Mark::New, Mark::Skipped][mark]);
            match search.next() {
                Next::Try(at) => prop_assert!(search.suspects().contains(&at)),
                Next::Found(found) => prop_assert_eq!(found, search.suspects()),
            }
            prop_assert!(search.parent_of(at).is_none_or(|parent| parent < at));
        }
    }
}
