//! Tasks that stood at the same place, folded into one group.

use std::collections::{BTreeMap, BTreeSet};

use model::observation::StackGroup;
use model::trace::Span;

use super::frames::Places;

/// A task stood somewhere for a while.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stay<'a> {
    /// Where, as a place of [`Places`].
    pub(crate) place: usize,
    /// As ps(1) shows it.
    pub(crate) state: char,
    /// The task's name, as results show it.
    pub(crate) name: &'a str,
    /// When.
    pub(crate) span: Span,
}

/// Stays at one place, in one state.
#[derive(Debug, Default)]
struct Stays<'a> {
    names: BTreeSet<&'a str>,
    spans: Vec<Span>,
}

/// The groups, the longest first, then by frames. Where a place is not known, tasks of different
/// names are groups apart.
pub(crate) fn fold<'a>(stays: impl Iterator<Item = Stay<'a>>, places: &Places) -> Vec<StackGroup> {
    let mut groups: BTreeMap<(usize, char, &str), Stays> = BTreeMap::new();
    for stay in stays {
        let apart = if stay.place == Places::UNKNOWN { stay.name } else { "" };
        let group = groups.entry((stay.place, stay.state, apart)).or_default();
        group.names.insert(stay.name);
        group.spans.push(stay.span);
    }
    let groups = groups.into_iter();
    let mut groups: Vec<StackGroup> = groups
        .map(|((place, state, _), stays)| group(places.frames(place), state, stays))
        .collect();
    groups.sort_by(|one, other| order(one).cmp(&order(other)));
    groups
}

fn order(group: &StackGroup) -> impl Ord + '_ {
    (std::cmp::Reverse(group.ns), &group.frames, &group.state, &group.tasks)
}

fn group(frames: &[String], state: char, stays: Stays) -> StackGroup {
    StackGroup {
        frames: frames.to_vec(),
        state: state.to_string(),
        tasks: stays.names.into_iter().map(str::to_owned).collect(),
        count: most_at_once(&stays.spans),
        ns: stays.spans.iter().map(|span| span.length()).sum(),
        times: stays.spans.len() as u64,
    }
}

/// How many of `spans`, none of them empty, lie over one moment at most. One that begins where
/// another ends does not lie over it.
fn most_at_once(spans: &[Span]) -> u32 {
    let begins = spans.iter().map(|span| (span.from_ns, 1));
    let ends = spans.iter().map(|span| (span.to_ns, -1));
    let mut edges: Vec<(u64, i32)> = begins.chain(ends).collect();
    edges.sort_unstable();
    let levels = edges.iter().scan(0, |level, (_, step)| {
        *level += step;
        Some(*level)
    });
    levels.max().and_then(|most| u32::try_from(most).ok()).unwrap_or(0)
}

/// Whether it is the agent that waits for a program or for threads that it started itself: what those
/// do is the workload.
pub(crate) fn waits_for_its_own(group: &StackGroup) -> bool {
    match group.tasks.as_slice() {
        [task] => agent_waits_for_its_own(task, &group.state, &group.frames),
        _ => false,
    }
}

/// The same of one task.
pub(crate) fn agent_waits_for_its_own(task: &str, state: &str, frames: &[String]) -> bool {
    // wait4(2), a join by futex(2), and the pipe or socket by which a started program tells that it runs.
    const WAITS: [&str; 7] = [
        "do_wait",
        "futex_do_wait",
        "futex_wait",
        "futex_wait_queue",
        "unix_stream_read_generic",
        "__skb_wait_for_more_packets",
        "pipe_read",
    ];
    task == "slowpath-agent"
        && state == "S"
        && frames.iter().any(|frame| WAITS.contains(&frame.as_str()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn stay(place: usize, state: char, name: &str, from_ns: u64, to_ns: u64) -> Stay<'_> {
        Stay { place, state, name, span: Span { from_ns, to_ns } }
    }

    #[test]
    fn the_agent_s_waits_for_what_it_started_are_not_the_workload_s() {
        let group = |task: &str, state: &str, frame: &str| StackGroup {
            tasks: vec![task.to_owned()],
            state: state.to_owned(),
            frames: vec![frame.to_owned(), "do_syscall_64".to_owned()],
            ..StackGroup::default()
        };
        assert!(waits_for_its_own(&group("slowpath-agent", "S", "do_wait")));
        assert!(waits_for_its_own(&group("slowpath-agent", "S", "futex_wait")));
        for other in [
            group("slowpath-agent", "D", "do_wait"),
            group("slowpath-agent", "S", "wb_wait_for_completion"),
            group("sh", "S", "do_wait"),
        ] {
            assert!(!waits_for_its_own(&other), "{other:?}");
        }
    }

    #[test]
    fn three_on_a_lock_are_one_group() {
        let mut places = Places::new();
        let lock = places.place(&["schedule", "rwsem_down_write_slowpath", "down_write"]);
        let other = places.place(&["schedule", "folio_wait_bit_common"]);
        let stays = [
            stay(lock, 'D', "b", 0, 10),
            stay(lock, 'D', "a", 2, 10),
            stay(other, 'D', "b", 10, 100),
            stay(lock, 'D', "b", 5, 10),
            stay(lock, 'D', "a", 10, 12),
            stay(lock, 'S', "a", 20, 21),
        ];
        let groups = fold(stays.into_iter(), &places);
        let short: Vec<_> =
            groups.iter().map(|g| (g.state.as_str(), g.count, g.ns, g.times)).collect();
        assert_eq!(short, [("D", 1, 90, 1), ("D", 3, 25, 4), ("S", 1, 1, 1)]);
        assert_eq!(groups[1].frames, ["rwsem_down_write_slowpath", "down_write"]);
        assert_eq!(groups[1].tasks, ["a", "b"]);
    }

    #[test]
    fn what_stands_nobody_knows_where_is_told_by_name() {
        let stays = [stay(0, 'R', "dd", 0, 5), stay(0, 'R', "kworker", 0, 9)];
        let groups = fold(stays.into_iter(), &Places::new());
        let names: Vec<_> = groups.iter().flat_map(|group| &group.tasks).collect();
        assert_eq!(names, ["kworker", "dd"]);
    }

    proptest! {
        #[test]
        fn most_at_once_is_what_counting_every_moment_gives(
            spans in proptest::collection::vec((0_u64..40, 1_u64..20), 0..30),
        ) {
            let spans: Vec<Span> = spans
                .into_iter()
                .map(|(from_ns, length)| Span { from_ns, to_ns: from_ns + length })
                .collect();
            let at = |now: u64| spans.iter().filter(|s| s.from_ns <= now && now < s.to_ns).count();
            let expected = (0..60).map(at).max().unwrap_or(0);
            prop_assert_eq!(most_at_once(&spans) as usize, expected);
        }
    }
}
