//! Waits, folded by where they were and by what ended them.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use model::account::{BlockedAt, EndedBy, Meanwhile, Waker};
use model::trace::Span;

use super::runs::Names;
use crate::observation::frames::Places;

/// What ended a wait; a task by its name's index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum By {
    Task(usize),
    Disk,
    Interrupt,
    Unknown,
}

/// What ended a wait, and where that was, as a place.
#[derive(Clone, Copy, Debug)]
pub(super) struct End {
    pub(super) by: By,
    pub(super) place: usize,
}

/// Nobody saw what ended it.
pub(super) const UNSEEN: End = End { by: By::Unknown, place: Places::UNKNOWN };

/// A wait, or what was seen of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wait {
    /// Where, as a place.
    pub(super) place: usize,
    /// As ps(1) shows it.
    pub(super) state: char,
    /// When.
    pub(super) span: Span,
    /// The time that counts, ns.
    pub(super) ns: u64,
    pub(super) end: End,
}

/// Waits by place and state.
#[derive(Debug, Default)]
pub(super) struct Blocks(BTreeMap<(usize, char), Block>);

#[derive(Debug, Default)]
struct Block {
    ns: u64,
    times: u64,
    longest: Span,
    ended: BTreeMap<By, Ended>,
}

#[derive(Debug, Default)]
struct Ended {
    ns: u64,
    times: u64,
    /// The wakers' place; `None` where there are several.
    place: Option<usize>,
    meanwhile: Option<Did>,
}

/// What a task did over some time.
#[derive(Debug, Default)]
pub(super) struct Did {
    pub(super) running_ns: u64,
    pub(super) ready_ns: u64,
    pub(super) blocked: Blocks,
}

/// What results call the indices and places.
pub(super) struct Words<'a> {
    pub(super) places: &'a Places,
    pub(super) names: &'a Names,
    /// Moments are told from then on.
    pub(super) from_ns: u64,
}

impl Blocks {
    /// Counts a wait, and hands out where to count what its waker did meanwhile.
    pub(super) fn add(&mut self, wait: &Wait) -> &mut Option<Did> {
        let block = self.0.entry((wait.place, wait.state)).or_default();
        block.ns += wait.ns;
        block.times += 1;
        if wait.span.length() > block.longest.length() {
            block.longest = wait.span;
        }
        let ended = block.ended.entry(wait.end.by).or_default();
        ended.place = Some(wait.end.place).filter(|p| ended.times == 0 || ended.place == Some(*p));
        ended.ns += wait.ns;
        ended.times += 1;
        &mut ended.meanwhile
    }

    /// The same as results have it: the longest first, then by frames.
    pub(super) fn told(self, words: &Words<'_>) -> Vec<BlockedAt> {
        let told = |((place, state), block): ((usize, char), Block)| BlockedAt {
            frames: words.places.frames(place).to_vec(),
            state: state.to_string(),
            ns: block.ns,
            times: block.times,
            longest_at_ns: block.longest.from_ns.saturating_sub(words.from_ns),
            longest_ns: block.longest.length(),
            ended_by: ended_by(block.ended, words),
        };
        let mut all: Vec<BlockedAt> = self.0.into_iter().map(told).collect();
        all.sort_by(|a, b| {
            (Reverse(a.ns), &a.frames, &a.state).cmp(&(Reverse(b.ns), &b.frames, &b.state))
        });
        all
    }
}

fn ended_by(ended: BTreeMap<By, Ended>, words: &Words<'_>) -> Vec<EndedBy> {
    let told = |(by, ended): (By, Ended)| EndedBy {
        waker: match by {
            By::Task(name) => Waker::Task(words.names.get(name).to_owned()),
            By::Disk => Waker::Disk,
            By::Interrupt => Waker::Interrupt,
            By::Unknown => Waker::Unknown,
        },
        ns: ended.ns,
        times: ended.times,
        frames: ended.place.map_or(Vec::new(), |place| words.places.frames(place).to_vec()),
        meanwhile: ended.meanwhile.map(|did| Meanwhile {
            running_ns: did.running_ns,
            ready_ns: did.ready_ns,
            blocked: did.blocked.told(words),
        }),
    };
    let mut all: Vec<EndedBy> = ended.into_iter().map(told).collect();
    all.sort_by(|a, b| (Reverse(a.ns), &a.waker).cmp(&(Reverse(b.ns), &b.waker)));
    all
}
