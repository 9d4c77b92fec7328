//! Whom a wait is for, and whom that one waits for in turn.

use model::account::{BlockedAt, EndedBy, Waker};

/// Links of a chain, at most.
const LONGEST: usize = 8;

/// Who ended most of the wait, what that one mostly waited for meanwhile, and so on, until one mostly ran or is not
/// known: `kworker/flush`, `disk`.
pub(super) fn chain(wait: &BlockedAt) -> Vec<String> {
    let mut chain = Vec::new();
    let mut next = Some(wait);
    while let Some(ended) = next.and_then(ended_mostly).filter(|_| chain.len() < LONGEST) {
        match &ended.waker {
            Waker::Task(name) => chain.push(name.clone()),
            Waker::Disk => chain.push("disk".to_owned()),
            Waker::Interrupt => chain.push("timer or interrupt".to_owned()),
            Waker::Unknown => break,
        }
        next = waited_mostly(ended);
    }
    chain
}

/// By whom most of the time of the waits was ended.
fn ended_mostly(wait: &BlockedAt) -> Option<&EndedBy> {
    wait.ended_by.iter().reduce(|most, next| if next.ns > most.ns { next } else { most })
}

/// Where a waker waited longest, if it waited for the larger part of the time.
fn waited_mostly(ended: &EndedBy) -> Option<&BlockedAt> {
    let meanwhile = ended.meanwhile.as_ref()?;
    let waited: u64 = meanwhile.blocked.iter().map(|place| place.ns).sum();
    let mostly = waited > meanwhile.running_ns + meanwhile.ready_ns;
    meanwhile.blocked.iter().max_by_key(|place| place.ns).filter(|_| mostly)
}
