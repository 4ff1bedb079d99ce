//! What the E-step counts of a sentence pair.

use super::expect::SMALLEST_OWN;
use super::options::Coupling;
use super::sentence::{Emissions, Posteriors, Workspace};
use super::statistics::{Rest, Statistics};
use crate::cancel::{CancelToken, STRIDE};
use crate::error::Result;
use crate::ids::WordId;
use crate::numeric::to_fixed;

/// The counts of a block.
pub(super) struct Counter<'a> {
    coupling: Coupling,
    remembers: bool,
    statistics: &'a Statistics,
    rest: Rest,
    own: Vec<(u32, f32)>,
    /// Cells of the sentence pairs that are counted.
    before: usize,
    /// Posteriors of one direction by cell, while they are multiplied; all 0 before and after.
    other: Vec<f32>,
    /// Sums of the posteriors of the links of each target and of each source token.
    real: [Vec<f32>; 2],
}

impl<'a> Counter<'a> {
    /// Nothing counted, for so many source and target words. `remembers` is whether a token's own expected links are wanted.
    pub(super) fn new(
        coupling: Coupling,
        remembers: bool,
        statistics: &'a Statistics,
        words: [usize; 2],
    ) -> Self {
        Self {
            coupling,
            remembers,
            statistics,
            rest: Rest::new(words[0], words[1]),
            own: Vec::new(),
            before: 0,
            other: Vec::new(),
            real: Default::default(),
        }
    }

    /// The small counts, and the expected links of each cell that has any.
    pub(super) fn finish(self) -> (Rest, Vec<(u32, f32)>) {
        (self.rest, self.own)
    }

    #[inline]
    fn add_link(&mut self, cell: usize, pair: u32, p: f32, q: f32) {
        let pair = pair as usize;
        let Some(expected) = self.statistics.add_link(self.coupling, pair, p, q) else {
            return;
        };
        if self.remembers && expected >= SMALLEST_OWN {
            let place = u32::try_from(self.before + cell).unwrap_or(u32::MAX);
            self.own.push((place, expected));
        }
    }

    /// The expected links and NULL links of Model 1.
    pub(super) fn add_model_1(
        &mut self,
        sides: [&[WordId]; 2],
        emissions: &Emissions,
        posteriors: &Posteriors,
        cancel: &CancelToken,
    ) -> Result<()> {
        let [forward, reverse] = &posteriors.links;
        // A token may have no cell left: then it is all NULL's.
        let mut real = std::mem::take(&mut self.real);
        for (real, side) in real.iter_mut().zip([sides[1], sides[0]]) {
            real.clear();
            real.resize(side.len(), 0.0);
        }
        let mut start = 0;
        for row in emissions.cells.chunk_by(|a, b| a.source == b.source) {
            cancel.check()?;
            let mut sum = 0.0_f32;
            for (at, cell) in (start..).zip(row) {
                let (p, q) = (forward[at], reverse[at]);
                real[0][usize::from(cell.target)] += p;
                sum += q;
                self.add_link(at, cell.pair, p, q);
            }
            start += row.len();
            real[1][usize::from(row[0].source)] = sum;
        }
        for direction in 0..2 {
            for (&word, &sum) in sides[1 - direction].iter().zip(&real[direction]) {
                self.add_null(direction, word, sum);
            }
        }
        self.real = real;
        self.before += emissions.cells.len();
        Ok(())
    }

    /// The expected links, NULL links and jumps of the HMM.
    pub(super) fn add_hmm(
        &mut self,
        sides: [&[WordId]; 2],
        emissions: &Emissions,
        spaces: &[Workspace; 2],
        cancel: &CancelToken,
    ) -> Result<()> {
        let cells = &emissions.cells;
        if self.other.len() < cells.len() {
            self.other.resize(cells.len(), 0.0);
        }
        let [forward, reverse] = spaces;
        for (&at, &q) in reverse.cells.iter().zip(&reverse.lattice.posteriors) {
            self.other[at as usize] = q;
        }
        let strides = forward.cells.chunks(STRIDE);
        for (at, posteriors) in strides.zip(forward.lattice.posteriors.chunks(STRIDE)) {
            cancel.check()?;
            for (&at, &p) in at.iter().zip(posteriors) {
                let at = at as usize;
                let q = std::mem::take(&mut self.other[at]);
                self.add_link(at, cells[at].pair, p, q);
            }
        }
        for at in reverse.cells.chunks(STRIDE) {
            cancel.check()?;
            for &at in at {
                // What only the reverse direction has.
                let q = std::mem::take(&mut self.other[at as usize]);
                if q > 0.0 {
                    self.add_link(at as usize, cells[at as usize].pair, 0.0, q);
                }
            }
        }
        self.before += cells.len();
        for direction in 0..2 {
            let (words, lattice) = (sides[direction], &spaces[direction].lattice);
            let emitted = sides[1 - direction]
                .iter()
                .zip(spaces[direction].candidates.starts.windows(2));
            for (&word, span) in emitted {
                let sum = lattice.posteriors[span[0]..span[1]].iter().sum();
                self.add_null(direction, word, sum);
            }
            self.rest.jumps[direction].add_rows(words, &lattice.jumps);
            for &(position, expected) in &lattice.ends {
                // An alignment to NULL alone says nothing of where alignments end.
                if position > 0 {
                    self.rest.jumps[direction].add_last(position as usize, words.len(), expected);
                }
            }
        }
        Ok(())
    }

    /// A word whose posteriors of real links have this sum.
    #[inline]
    fn add_null(&mut self, direction: usize, word: WordId, real: f32) {
        self.rest.nulls[direction][word.index()] += to_fixed(f64::from((1.0 - real).max(0.0)));
    }

    /// Adds the likelihoods of a sentence pair to `sums`; a pair without any is counted.
    pub(super) fn add_ends(&mut self, ln_likelihoods: [f64; 2], sums: &mut [f64; 2]) {
        for (direction, ln) in ln_likelihoods.into_iter().enumerate() {
            if ln.is_finite() {
                sums[direction] += ln;
            } else {
                self.rest.impossible[direction] += 1;
            }
        }
    }
}
