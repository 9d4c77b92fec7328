//! What a seed shifts: harmless things, alike for every variant.

use protocol::Perturbation;
use sha2::{Digest, Sha256};

use crate::hash::hex;

/// The bytes of entropy that the guest is given: as many as the kernel's pool ever asks for.
const ENTROPY_BYTES: usize = 512;

/// Idle time before the first phase is below this, ns: some periods of the guest's timers.
const LONGEST_IDLE_NS: u64 = 40_000_000;

/// Memory that the agent holds is below this, bytes.
const MOST_HELD: u64 = 4 << 20;

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
        assert_eq!((zero.idle_ns, zero.hold_bytes), (0, 0));
        assert_eq!(zero.entropy.len(), 2 * ENTROPY_BYTES);
        assert_ne!(zero.entropy, perturbation(1).entropy);
        assert_eq!(perturbation(7), perturbation(7));
        assert_ne!(perturbation(7).idle_ns, perturbation(8).idle_ns);
    }
}
