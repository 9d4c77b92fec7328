//! What wakers did while others waited for them.

use model::trace::Span;

use super::blocks::{Blocks, Did, UNSEEN, Wait};
use super::shares;
use super::split::aways;
use super::wakers::waker;
use super::watched::{Watched, letter};
use crate::observation::frames::Places;
use crate::observation::stretches::{cut, touching};
use crate::observation::timeline::Away;

/// So many wakers in turn are looked at: whom the workload waited for, whom that one waited for, and so on.
const DEEPEST: u32 = 3;

/// The state of a task of which nothing was seen.
const NOBODY_KNOWS: char = '?';

/// Counts into `blocks` a task's sleep, as far as it lies in `whole`, with `ns` of its time, and what its
/// wakers did meanwhile. `depth` wakers were looked at before.
pub(super) fn count(
    watched: &Watched<'_>,
    blocks: &mut Blocks,
    away: &Away,
    whole: Span,
    ns: u64,
    depth: u32,
) {
    let Some(span) = away.asleep().and_then(|asleep| cut(asleep, whole)) else { return };
    let seen = away.wake.filter(|_| away.until_ns <= whole.to_ns);
    let woken = seen.and_then(|wake| waker(watched, wake));
    let wait = Wait {
        place: watched.left_at(away.stack),
        state: letter(away.state),
        span,
        ns,
        end: woken.map_or(UNSEEN, |woken| woken.end),
    };
    let meanwhile = blocks.add(&wait);
    if let Some(waker) = woken.and_then(|woken| woken.task).filter(|_| depth < DEEPEST) {
        did(watched, meanwhile.get_or_insert_default(), waker, span, ns, depth + 1);
    }
}

/// Counts into `did` what a task did in `span`, all in proportion, so that it adds up to `ns`.
fn did(watched: &Watched<'_>, did: &mut Did, task: usize, span: Span, ns: u64, depth: u32) {
    let aways: Vec<&Away> = aways(watched, task, span).map(|(_, away)| away).collect();
    let within = |part: Option<Span>| part.and_then(|part| cut(part, span)).map_or(0, Span::length);
    let runs = touching(watched.runs.of_task(task), span);
    let running = runs.iter().map(|run| within(Some(run.span))).sum();
    let ready = aways.iter().map(|away| within(away.ready())).sum();
    let asleep: Vec<u64> = aways.iter().map(|away| within(away.asleep())).collect();
    // Before it was first seen, or while it was stopped.
    let seen = running + ready + asleep.iter().sum::<u64>();
    let rest = span.length().saturating_sub(seen);
    let parts: Vec<u64> = [running, ready, rest].into_iter().chain(asleep).collect();

    let parts = shares::in_proportion(ns, &parts);
    did.running_ns += parts[0];
    did.ready_ns += parts[1];
    if parts[2] > 0 {
        did.blocked.add(&Wait {
            place: Places::UNKNOWN,
            state: NOBODY_KNOWS,
            span: Span { from_ns: span.from_ns, to_ns: span.from_ns + rest },
            ns: parts[2],
            end: UNSEEN,
        });
    }
    let asleep = aways.into_iter().zip(&parts[3..]).filter(|(_, ns)| **ns > 0);
    for (away, ns) in asleep {
        count(watched, &mut did.blocked, away, span, *ns, depth);
    }
}
