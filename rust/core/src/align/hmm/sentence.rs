//! The E-step of one sentence pair, both directions.

use super::jumps::{Jumps, Transitions};
use super::lattice::{Candidates, Lattice};
use super::options::Beam;
use crate::ids::WordId;
use crate::numeric::{LogProduct, to_f32, to_f64, to_u64};

/// Translation probabilities of the cells of a sentence pair: `[t(f | e), t(e | f)]` at i J + j, and of NULL.
#[derive(Debug, Clone, Default)]
pub struct Emissions {
    /// Number of source and of target tokens.
    pub lengths: [usize; 2],
    /// Both probabilities of each cell.
    pub cells: Vec<[f32; 2]>,
    /// t(f | NULL) of the target tokens, and t(e | NULL) of the source tokens.
    pub nulls: [Vec<f32>; 2],
}

/// What is known of the links of a sentence pair: posteriors at i J + j, forward and reverse.
#[derive(Debug, Clone, Default)]
pub struct Posteriors {
    /// P(a_j = i | f, e) of both directions.
    pub links: [Vec<f32>; 2],
    /// ln P(f | e) and ln P(e | f), nats.
    pub ln_likelihoods: [f64; 2],
}

/// Working memory of one direction's lattice.
#[derive(Debug, Clone, Default)]
pub struct Workspace {
    /// Candidates of the sentence.
    pub candidates: Candidates,
    /// Cell of each candidate.
    pub cells: Vec<u32>,
    /// Jump probabilities of the sentence.
    pub transitions: Transitions,
    /// Forward-backward.
    pub lattice: Lattice,
}

impl Emissions {
    /// Index of the cell of emitted token `j` and given position `i` (both from 0) of a direction.
    #[inline]
    pub(super) fn cell(&self, direction: usize, i: usize, j: usize) -> usize {
        if direction == 0 {
            i * self.lengths[1] + j
        } else {
            j * self.lengths[1] + i
        }
    }

    /// Posteriors of Model 1: every candidate (1 - p0) / I, NULL p0, or all 1 / (I + 1) without p0.
    pub fn model_1(&self, p0: Option<f64>, out: &mut Posteriors) {
        for direction in 0..2 {
            let (given, emitted) = (self.lengths[direction], self.lengths[1 - direction]);
            let count = to_f64(to_u64(given));
            let (each, null) = match p0 {
                Some(p0) => ((1.0 - p0) / count, p0),
                None => (1.0 / (count + 1.0), 1.0 / (count + 1.0)),
            };
            let (each, null) = (to_f32(each), to_f32(null));
            let links = &mut out.links[direction];
            links.clear();
            links.resize(self.cells.len(), 0.0);
            let mut ln = LogProduct::default();
            for j in 0..emitted {
                let mut sum = null * self.nulls[direction][j];
                for i in 0..given {
                    sum += each * self.cells[self.cell(direction, i, j)][direction];
                }
                if sum <= 0.0 {
                    continue;
                }
                ln.multiply(f64::from(sum));
                let scale = each / sum;
                for i in 0..given {
                    let cell = self.cell(direction, i, j);
                    links[cell] = scale * self.cells[cell][direction];
                }
            }
            out.ln_likelihoods[direction] = ln.ln();
        }
    }

    /// The candidates of a direction's tokens.
    pub fn candidates(&self, direction: usize, p0: f64, beam: f32, space: &mut Workspace) {
        let (given, emitted) = (self.lengths[direction], self.lengths[1 - direction]);
        let mut ln = LogProduct::default();
        space.candidates.clear();
        space.cells.clear();
        let p0 = to_f32(p0);
        for j in 0..emitted {
            let null = self.nulls[direction][j];
            let best = (0..given).fold(null, |best, i| {
                best.max(self.cells[self.cell(direction, i, j)][direction])
            });
            // Without any probability the pair is impossible, which the lattice finds out.
            let factor = if best > 0.0 { 1.0 / best } else { 1.0 };
            ln.multiply(f64::from(1.0 / factor));
            let least = beam * best;
            for (i, position) in (0..given).zip(1_u32..) {
                let cell = self.cell(direction, i, j);
                let weight = self.cells[cell][direction];
                if weight > 0.0 && weight >= least {
                    space.candidates.positions.push(position);
                    space.candidates.weights.push(weight * factor);
                    space.cells.push(u32::try_from(cell).unwrap_or(u32::MAX));
                }
            }
            space.candidates.close(p0 * null * factor);
        }
        space.candidates.ln_factors = ln.ln();
    }

    /// Posteriors of the HMM; the workspaces keep jumps, last positions and candidates of both directions.
    pub fn hmm(
        &self,
        words: [&[Option<WordId>]; 2],
        jumps: [&Jumps; 2],
        p0: f64,
        beam: Beam,
        spaces: &mut [Workspace; 2],
        out: &mut Posteriors,
    ) {
        for direction in 0..2 {
            let space = &mut spaces[direction];
            self.candidates(direction, p0, beam.emission, space);
            jumps[direction].fill(words[direction], 1.0 - p0, &mut space.transitions);
            let ln =
                space
                    .lattice
                    .forward_backward(&space.candidates, &space.transitions, beam.state);
            out.ln_likelihoods[direction] = ln;
            let links = &mut out.links[direction];
            links.clear();
            links.resize(self.cells.len(), 0.0);
            for (&cell, &posterior) in space.cells.iter().zip(&space.lattice.posteriors) {
                links[cell as usize] = posterior;
            }
        }
    }
}
