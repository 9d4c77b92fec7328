//! From trials to verdicts: pure arithmetic on model types.
//!
//! This room opens no file, starts no process and reads no clock, and it throws no dice: every
//! figure follows from its input alone.
//!
//! A bisection asks [`mod@search`] for the next candidate and [`mod@standing`] for what it is like.
//!
//! What further passes saw of a trial becomes stalls, waits and busy disks in [`observation`]; the rest
//! of this room compares.
//!
//! # The method
//!
//! The unit is the **seed**. In the exact lab a trial repeats to the nanosecond, so repeating it
//! tells nothing; and no phase within a trial is independent of the one before. A seed shifts
//! harmless things alike for every variant, so two sides under one seed make a **pair**, and what
//! is judged is the natural logarithm of their ratio of elapsed times ([`mod@series`], [`pairs`]).
//!
//! Such log ratios are nothing like normal: many are 0 or tied, some phases have two modes, others
//! jump once in ten times. But where two sides differ in nothing, each could have been the other,
//! and the sign of every pair is a coin's. Counting all signs gives an exact test under any law
//! ([`sign_flip`]). Its statistic is the sum of **signed ranks** (Wilcoxon 1945, zeros after Pratt
//! 1959), since ranks keep one jump from drowning all other pairs, and still weigh more than bare
//! signs do. The **interval** ([`interval`]) holds the effects that the test does not reject
//! (Hodges & Lehmann 1963). It covers the centre of every symmetric law as often as it says, of
//! laws with ties more often. For skewed laws the centre is the pseudo-median: see there.
//!
//! The **verdict** ([`mod@judge`], [`mod@contrast`]) compares the interval with a threshold, so
//! that a change which repeats but does not matter is `same`, and what the pairs leave open is
//! `cannot tell`, with the pairs that it would take ([`power`]). Several variants, and several
//! looks at growing numbers of pairs, share one total error by the union bound (Bonferroni), which
//! holds however they depend on each other ([`looks`]).
//!
//! # What is assumed, and how it is checked
//!
//! That pairs are independent: seeds are. Yet what one build or boot of a variant brings along by
//! accident is the same under all of its seeds. Between neutral twins it was seen to shift a mount
//! by 0.09 % and a mkfs by 0.006 % under each of 12 seeds, so a small p-value alone means little;
//! the threshold stands above it. How often twins are told apart all the same is measured
//! ([`mod@twins`], with the interval of Clopper & Pearson 1934 in [`proportion`]). Noisy places
//! have other accidents: [`mod@doubts`] names outliers and drift.
//!
//! `tests/simulated` holds every claim against simulated truth.

pub mod account;
pub mod contrast;
pub mod doubts;
pub mod explain;
pub mod findings;
pub mod interval;
pub mod judge;
pub mod looks;
pub mod observation;
pub mod pairs;
pub mod power;
pub mod proportion;
pub mod search;
pub mod series;
pub mod sign_flip;
mod signed_ranks;
pub mod standing;
#[cfg(test)]
mod testing;
pub mod twins;

pub use contrast::contrast;
pub use doubts::{Doubt, doubts};
pub use interval::{Interval, LEAST_PAIRS};
pub use judge::judge;
pub use looks::{Look, Looks, contrast_error};
pub use search::Search;
pub use series::series;
pub use sign_flip::p_value;
pub use standing::standing;
pub use twins::{TwinPhase, Verdicts, twins};
