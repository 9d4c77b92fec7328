//! How large a new file becomes.

use model::ffsb::{Fileset, SizeWeight};

use super::random::Random;

/// The sizes of a fileset's files.
#[derive(Clone, Debug)]
pub(super) struct Sizes {
    /// Where there are any, they alone decide.
    weights: Vec<SizeWeight>,
    total: u64,
    smallest: u64,
    largest: u64,
}

impl Sizes {
    pub(super) fn new(fileset: &Fileset) -> Self {
        Sizes {
            weights: fileset.size_weights.clone(),
            total: fileset.size_weights.iter().map(|size| size.weight).sum(),
            smallest: fileset.min_filesize,
            largest: fileset.max_filesize.max(fileset.min_filesize),
        }
    }

    /// The size of a new file, bytes.
    pub(super) fn pick(&self, random: &mut Random) -> u64 {
        if !self.weights.is_empty() {
            let chosen = random.weighted(self.weights.iter().map(|s| s.weight), self.total);
            return self.weights[chosen].size;
        }
        self.smallest + random.below((self.largest - self.smallest).saturating_add(1))
    }

    /// Whether a new file could be that large.
    pub(super) fn allow(&self, size: u64) -> bool {
        match self.weights.is_empty() {
            true => (self.smallest..=self.largest).contains(&size),
            false => self.weights.iter().any(|weight| weight.size == size),
        }
    }

    /// Whether all files are empty, so that they fill nothing.
    pub(super) fn only_empty(&self) -> bool {
        match self.weights.is_empty() {
            true => self.largest == 0,
            false => self.weights.iter().all(|weight| weight.size == 0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_lie_between_the_bounds_or_are_those_with_weights() {
        let mut random = Random::new(1, 1);
        let mut fileset = Fileset { min_filesize: 3, max_filesize: 5, ..Fileset::default() };
        let sizes = Sizes::new(&fileset);
        let picked: Vec<u64> = (0..100).map(|_| sizes.pick(&mut random)).collect();
        assert!((3..=5).all(|size| picked.contains(&size)));
        assert!(picked.iter().all(|size| sizes.allow(*size)) && !sizes.allow(6));

        fileset.size_weights =
            vec![SizeWeight { size: 0, weight: 1 }, SizeWeight { size: 4096, weight: 9 }];
        let sizes = Sizes::new(&fileset);
        let large = (0..1000).filter(|_| sizes.pick(&mut random) == 4096).count();
        assert!((850..950).contains(&large), "{large}");
        assert!(sizes.allow(0) && !sizes.allow(3) && !sizes.only_empty());
    }
}
