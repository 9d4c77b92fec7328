//! What a seed shifts: harmless things, alike for every variant.
//!
//! Most act after the restore. Those that need a boot of their own come in a few kinds of boot,
//! through which the seeds go in turn: the first six seeds make six pairs, and no two of those rest
//! on the same boot.

use model::Settings;
use protocol::Perturbation;
use sha2::{Digest, Sha256};

use crate::hash::hex;

/// The bytes of entropy that the guest is given: as many as the kernel's pool ever asks for.
const ENTROPY_BYTES: usize = 512;

/// Idle time before the first phase is below this, ns: some periods of the guest's timers.
const LONGEST_IDLE_NS: u64 = 40_000_000;

/// Memory that the agent holds is below this, bytes.
const MOST_HELD: u64 = 4 << 20;

/// A program's environment is larger by less than this, bytes.
const LARGEST_ENVIRONMENT: u64 = 4096;

/// Kinds of boot: as many as the pairs without which there is no verdict.
const BOOTS: u64 = 6;

/// A boot parameter is lengthened by less than this, characters.
const LONGEST_PADDING: u64 = 200;

/// The date on which the machine boots is moved by less than this, seconds: within its month.
const LATEST_DATE: u64 = 28 * 24 * 3600;

/// Memory is less by at most this share, or by a few MiB where that is less: 4 MiB of 1 GiB.
const LEAST_SHARE: u64 = 256;

/// Memory is less by at most this, MiB.
const MOST_LESS: u64 = 8;

/// An initramfs grows by less than this, bytes.
const LARGEST_FILE: u64 = 4 << 20;

/// What differs between boots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Boot {
    /// Which kind of boot it is; 0 shifts nothing.
    pub(crate) number: u64,
    /// Characters in a boot parameter that nobody reads.
    pub(crate) padding: u64,
    /// Seconds by which the machine's date is later.
    pub(crate) later: u64,
    /// Bytes of memory that the machine has less, whole MiB.
    pub(crate) less: u64,
}

/// What a neutral twin has more than its sibling, which has nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Twin {
    /// Characters in a boot parameter that nobody reads.
    pub(crate) padding: u64,
    /// Bytes in a file of the initramfs that nobody reads.
    pub(crate) file: u64,
}

/// The boot on which trials under this seed run.
pub(crate) fn boot(seed: u64, settings: &Settings) -> Boot {
    let number = if seed == 0 { 0 } else { 1 + (seed - 1) % BOOTS };
    if number == 0 {
        return Boot::default();
    }
    let shift = |what: &str, below: u64| word(number, &format!("boot: {what}")) % below.max(1);
    Boot {
        number,
        padding: 1 + shift("padding", LONGEST_PADDING),
        later: shift("date", LATEST_DATE),
        less: shift("memory", MOST_LESS.min(settings.mem.0 / LEAST_SHARE / MIB) + 1) * MIB,
    }
}

/// The neutral twin of that number; 0 is none.
pub(crate) fn twin(number: u32) -> Twin {
    let shift = |what: &str, below: u64| match number {
        0 => 0,
        _ => 1 + word(number.into(), &format!("twin: {what}")) % below,
    };
    Twin { padding: shift("padding", LONGEST_PADDING), file: shift("file", LARGEST_FILE) }
}

const MIB: u64 = 1 << 20;

/// The perturbation of a seed. Seed 0 shifts nothing; its entropy is as fixed as every other's.
pub(crate) fn perturbation(seed: u64) -> Perturbation {
    let shift = |what: &str, below: u64| match seed {
        0 => 0,
        _ => word(seed, what) % below,
    };
    Perturbation {
        entropy: hex(&entropy(seed)),
        idle_ns: shift("idle", LONGEST_IDLE_NS),
        hold_bytes: shift("hold", MOST_HELD / 4096) * 4096,
        environment_bytes: shift("environment", LARGEST_ENVIRONMENT),
    }
}

fn entropy(seed: u64) -> Vec<u8> {
    let blocks = (0u64..).flat_map(|block| digest(seed, &format!("entropy {block}")));
    blocks.take(ENTROPY_BYTES).collect()
}

fn word(seed: u64, what: &str) -> u64 {
    let bytes = digest(seed, what);
    bytes.iter().take(8).fold(0, |word, byte| word << 8 | u64::from(*byte))
}

fn digest(seed: u64, what: &str) -> [u8; 32] {
    let text = format!("slowpath seed {seed}: {what}");
    Sha256::digest(text.as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seed_0_shifts_nothing_and_every_seed_has_its_own_entropy() {
        let zero = perturbation(0);
        assert_eq!((zero.idle_ns, zero.hold_bytes, zero.environment_bytes), (0, 0, 0));
        assert_eq!(zero.entropy.len(), 2 * ENTROPY_BYTES);
        assert_ne!(zero.entropy, perturbation(1).entropy);
        assert_eq!(perturbation(7), perturbation(7));
        assert_ne!(perturbation(7).idle_ns, perturbation(8).idle_ns);
    }

    #[test]
    fn six_seeds_rest_on_six_boots_and_later_ones_go_through_them_again() {
        let settings = Settings::default();
        assert_eq!(boot(0, &settings), Boot::default());
        let boots: Vec<Boot> = (1..=6).map(|seed| boot(seed, &settings)).collect();
        for (at, one) in boots.iter().enumerate() {
            assert!(boots[at + 1..].iter().all(|other| {
                (one.padding, one.later, one.less) != (other.padding, other.later, other.less)
            }));
            assert_eq!(*one, boot(at as u64 + 7, &settings));
            assert!(one.less <= MOST_LESS * MIB && one.less % MIB == 0);
        }
        assert_eq!(boot(u64::MAX, &settings).number, 1 + (u64::MAX - 1) % BOOTS);
    }

    #[test]
    fn twin_0_has_nothing_more_and_the_others_differ() {
        assert_eq!(twin(0), Twin::default());
        assert!(twin(1).padding > 0 && twin(1).file > 0);
        assert_ne!(twin(1), twin(2));
    }
}
