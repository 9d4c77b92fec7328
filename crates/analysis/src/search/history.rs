//! Who stands on whom.

/// How many candidates are counted in one pass, in words of 64.
const WORDS: usize = 4;

/// One bit for each candidate that is counted in a pass.
type Block = [u64; WORDS];

/// Candidates and those on which they stand directly, in the order of history.
#[derive(Clone, Debug)]
pub(super) struct History {
    parents: Vec<Vec<usize>>,
}

impl History {
    /// The history in which candidate i stands on those of `parents[i]` that come before it.
    pub(super) fn new(parents: &[Vec<usize>]) -> History {
        let before = |(at, parents): (usize, &Vec<usize>)| {
            parents.iter().copied().filter(|parent| *parent < at).collect()
        };
        History { parents: parents.iter().enumerate().map(before).collect() }
    }

    /// The history of `chosen`, in order, alone: number i in it is `chosen[i]`. Whoever is between
    /// two of them must be chosen, too.
    pub(super) fn of(&self, chosen: &[usize]) -> History {
        let mut number = vec![None; self.parents.len()];
        chosen.iter().enumerate().for_each(|(new, old)| number[*old] = Some(new));
        let among = |at: &usize| self.parents[*at].iter().filter_map(|old| number[*old]).collect();
        History { parents: chosen.iter().map(among).collect() }
    }

    /// Those on which `candidate` stands directly.
    pub(super) fn parents(&self, candidate: usize) -> &[usize] {
        self.parents.get(candidate).map_or(&[], Vec::as_slice)
    }

    /// Which are `candidate` or its ancestors.
    pub(super) fn ancestors(&self, candidate: usize) -> Vec<bool> {
        let mut below = vec![false; self.parents.len()];
        if let Some(itself) = below.get_mut(candidate) {
            *itself = true;
        }
        for at in (0..self.parents.len().min(candidate.saturating_add(1))).rev() {
            if below[at] {
                self.parents[at].iter().for_each(|parent| below[*parent] = true);
            }
        }
        below
    }

    /// For each candidate, how many of those that are `counted` are itself or its ancestors.
    ///
    /// Each pass hands the bits of 256 of them from parents to children, beginning with the first
    /// of these: n candidates take n²/512 steps, and 32 bytes each.
    pub(super) fn counts(&self, counted: &[bool]) -> Vec<usize> {
        let bearers: Vec<usize> = (0..counted.len()).filter(|at| counted[*at]).collect();
        let mut counts = vec![0; self.parents.len()];
        let mut reached = vec![Block::default(); self.parents.len()];
        for block in bearers.chunks(64 * WORDS) {
            self.pass(block, &mut reached, &mut counts);
        }
        counts
    }

    /// Adds to `counts` how many of `bearers`, which are in order, each candidate stands on.
    fn pass(&self, bearers: &[usize], reached: &mut [Block], counts: &mut [usize]) {
        let Some(first) = bearers.first().copied() else { return };
        let mut bearers = bearers.iter().enumerate().peekable();
        for at in first..self.parents.len() {
            let mut block = Block::default();
            for parent in self.parents[at].iter().filter(|parent| **parent >= first) {
                block.iter_mut().zip(reached[*parent]).for_each(|(word, bits)| *word |= bits);
            }
            if let Some((bit, _)) = bearers.next_if(|(_, bearer)| **bearer == at) {
                block[bit / 64] |= 1 << (bit % 64);
            }
            reached[at] = block;
            counts[at] += block.iter().map(|word| word.count_ones() as usize).sum::<usize>();
        }
    }

    /// How many steps, up or down, each is away from the nearest of `from`; `None` where there is
    /// no way.
    pub(super) fn distances(&self, from: &[usize]) -> Vec<Option<u32>> {
        let children = self.children();
        let mut distances = vec![None; self.parents.len()];
        let mut edge = from.to_vec();
        let mut distance = 0;
        while !edge.is_empty() {
            edge.iter().for_each(|at| distances[*at] = Some(distance));
            distance += 1;
            let around = edge.iter().flat_map(|at| self.parents[*at].iter().chain(&children[*at]));
            edge = around.copied().filter(|at| distances[*at].is_none()).collect();
            edge.sort_unstable();
            edge.dedup();
        }
        distances
    }

    fn children(&self) -> Vec<Vec<usize>> {
        let mut children = vec![Vec::new(); self.parents.len()];
        for (at, parents) in self.parents.iter().enumerate() {
            parents.iter().for_each(|parent| children[*parent].push(at));
        }
        children
    }
}
