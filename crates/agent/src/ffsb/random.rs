//! Random choices that a seed decides.

/// The SplitMix64 generator (Steele, Lea, Flood: "Fast splittable pseudorandom number generators",
/// OOPSLA 2014). Its sequence is part of what a trial does, so it is ours and never changes.
#[derive(Clone, Debug)]
pub(super) struct Random(u64);

const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

impl Random {
    /// A generator of its own for each `stream` of a seed.
    pub(super) fn new(seed: u64, stream: u64) -> Self {
        Random(mix(mix(seed.wrapping_add(STEP)).wrapping_add(stream.wrapping_mul(STEP))))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        mix(self.0)
    }

    /// One of 0 to `bound - 1`, each as likely up to 2^-64; 0 below 2.
    #[inline]
    pub(super) fn below(&mut self, bound: u64) -> u64 {
        let product = u128::from(self.next()) * u128::from(bound);
        (product >> 64) as u64
    }

    /// The index of one of these weights, by them; they sum up to `total`.
    #[inline]
    pub(super) fn weighted(&mut self, weights: impl Iterator<Item = u64>, total: u64) -> usize {
        let mut left = self.below(total);
        let reached = |weight: u64| {
            let here = left < weight;
            left = left.saturating_sub(weight);
            here
        };
        weights.map(reached).position(|here| here).unwrap_or(0)
    }
}

fn mix(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_is_that_of_the_reference() {
        // SplitMix64 from state 1234567, as its authors' code gives.
        let mut random = Random(1_234_567);
        let numbers = [random.next(), random.next(), random.next()];
        assert_eq!(
            numbers,
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]
        );
    }

    #[test]
    fn streams_differ_and_choices_keep_their_bounds() {
        let draw = |seed, stream| {
            let mut random = Random::new(seed, stream);
            [(); 64].map(|()| random.below(5))
        };
        assert_eq!(draw(1, 2), draw(1, 2));
        assert_ne!(draw(1, 2), draw(1, 3));
        assert_ne!(draw(1, 2), draw(2, 2));
        assert!((0..5).all(|n| draw(1, 2).contains(&n)));
        assert_eq!((Random(7).below(0), Random(7).below(1)), (0, 0));
    }

    #[test]
    fn weights_decide_how_often() {
        let mut random = Random::new(1, 1);
        let mut times = [0; 3];
        for _ in 0..10_000 {
            times[random.weighted([1, 0, 3].into_iter(), 4)] += 1;
        }
        assert_eq!(times[1], 0);
        assert!((2_300..2_700).contains(&times[0]), "{times:?}");
    }
}
