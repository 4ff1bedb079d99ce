//! The E-step of one sentence pair, both directions.

use super::jumps::{JumpTables, Transitions};
use super::kept::Cell;
use super::lattice::{Candidates, Lattice};
use super::options::Beam;
use crate::cancel::{CancelToken, STRIDE};
use crate::error::Result;
use crate::ids::WordId;
use crate::numeric::{LogProduct, to_f32, to_f64, to_u64};

/// Translation probabilities of cells of a sentence pair, and of NULL.
#[derive(Debug, Clone, Default)]
pub struct Emissions {
    /// Number of source and of target tokens.
    pub lengths: [usize; 2],
    /// The cells that are looked at, in the order of source and then target positions.
    pub cells: Vec<Cell>,
    /// `[t(f | e), t(e | f)]` of each cell.
    pub values: Vec<[f32; 2]>,
    /// t(f | NULL) of the target tokens, and t(e | NULL) of the source tokens.
    pub nulls: [Vec<f32>; 2],
}

/// What is known of the links of a sentence pair: posteriors of the cells, forward and reverse.
#[derive(Debug, Clone, Default)]
pub struct Posteriors {
    /// `P(a_j = i | f, e)` of both directions.
    pub links: [Vec<f32>; 2],
    /// ln P(f | e) and ln P(e | f), nats.
    pub ln_likelihoods: [f64; 2],
    sums: [Vec<f32>; 2],
}

/// What forward-backward needs besides a sentence pair.
#[derive(Debug)]
pub struct Inference<'a> {
    /// Jumps, forward and reverse.
    pub jumps: [JumpTables<'a>; 2],
    /// Probability of NULL.
    pub p0: f64,
    /// What is left out.
    pub beam: Beam,
    /// Polled within a sentence pair, too.
    pub cancel: &'a CancelToken,
}

/// Working memory of one direction's lattice.
#[derive(Debug, Clone, Default)]
pub struct Workspace {
    /// Candidates of the sentence.
    pub candidates: Candidates,
    /// Index of each candidate's cell.
    pub cells: Vec<u32>,
    /// Jump probabilities of the sentence.
    pub transitions: Transitions,
    /// Forward-backward.
    pub lattice: Lattice,
    /// Best translation probability of each token.
    best: Vec<f32>,
    /// Least translation probability of a candidate of each token, and the token's factor.
    limits: Vec<(f32, f32)>,
    /// Where each token's next candidate goes.
    next: Vec<usize>,
}

impl Emissions {
    /// Posteriors of Model 1: every candidate (1 - p0) / I, NULL p0, or all 1 / (I + 1) without p0.
    ///
    /// # Errors
    /// [`crate::error::Error::Cancelled`].
    pub fn model_1(
        &self,
        p0: Option<f64>,
        cancel: &CancelToken,
        out: &mut Posteriors,
    ) -> Result<()> {
        let [sources, targets] = self.lengths;
        let weights = |given: usize| {
            let count = to_f64(to_u64(given));
            let (each, null) = match p0 {
                Some(p0) => ((1.0 - p0) / count, p0),
                None => (1.0 / (count + 1.0), 1.0 / (count + 1.0)),
            };
            (to_f32(each), to_f32(null))
        };
        let [(forward_each, forward_null), (reverse_each, reverse_null)] =
            [weights(sources), weights(targets)];
        let [forward_sums, reverse_sums] = &mut out.sums;
        forward_sums.clear();
        forward_sums.resize(targets, 0.0);
        reverse_sums.clear();
        reverse_sums.resize(sources, 0.0);
        for (cells, values) in self.strides() {
            cancel.check()?;
            for (cell, t) in cells.iter().zip(values) {
                forward_sums[usize::from(cell.target)] += t[0];
                reverse_sums[usize::from(cell.source)] += t[1];
            }
        }
        // From sums to the factors that make posteriors of probabilities.
        let scale = |sums: &mut [f32], nulls: &[f32], each: f32, null: f32| {
            let mut ln = LogProduct::default();
            for (sum, &t) in sums.iter_mut().zip(nulls) {
                let all = each * *sum + null * t;
                *sum = if all > 0.0 { each / all } else { 0.0 };
                if all > 0.0 {
                    ln.multiply(f64::from(all));
                }
            }
            ln.ln()
        };
        out.ln_likelihoods = [
            scale(forward_sums, &self.nulls[0], forward_each, forward_null),
            scale(reverse_sums, &self.nulls[1], reverse_each, reverse_null),
        ];
        let [forward, reverse] = &mut out.links;
        forward.clear();
        reverse.clear();
        for (cells, values) in self.strides() {
            cancel.check()?;
            for (cell, t) in cells.iter().zip(values) {
                forward.push(t[0] * forward_sums[usize::from(cell.target)]);
                reverse.push(t[1] * reverse_sums[usize::from(cell.source)]);
            }
        }
        Ok(())
    }

    /// Cells and values between two looks at the request to stop.
    fn strides(&self) -> impl Iterator<Item = (&[Cell], &[[f32; 2]])> {
        self.cells.chunks(STRIDE).zip(self.values.chunks(STRIDE))
    }

    /// The candidates of both directions' tokens.
    ///
    /// # Errors
    /// [`crate::error::Error::Cancelled`].
    pub fn candidates(
        &self,
        p0: f64,
        beam: f32,
        cancel: &CancelToken,
        spaces: &mut [Workspace; 2],
    ) -> Result<()> {
        self.find_best(cancel, spaces)?;
        let [forward, reverse] = spaces;
        let p0 = to_f32(p0);
        forward.begin(&self.nulls[0], p0, beam);
        reverse.begin(&self.nulls[1], p0, beam);
        self.make_room(cancel, forward)?;
        let mut at = 0_u32;
        let mut rest = &self.cells[..];
        for (i, &(least, factor)) in (0_u32..).zip(&reverse.limits) {
            cancel.check()?;
            let row = rest.partition_point(|cell| u32::from(cell.source) == i);
            for cell in &rest[..row] {
                let (t, j) = (self.values[at as usize], u32::from(cell.target));
                let limit = forward.limits[j as usize];
                if t[0] >= limit.0 {
                    let next = &mut forward.next[j as usize];
                    forward.candidates.positions[*next] = i + 1;
                    forward.candidates.weights[*next] = t[0] * limit.1;
                    forward.cells[*next] = at;
                    *next += 1;
                }
                if t[1] >= least {
                    reverse.candidates.positions.push(j + 1);
                    reverse.candidates.weights.push(t[1] * factor);
                    reverse.cells.push(at);
                }
                at += 1;
            }
            rest = &rest[row..];
            let candidates = reverse.candidates.positions.len();
            reverse.candidates.starts.push(candidates);
        }
        Ok(())
    }

    /// Room for the forward candidates: cells come by source position, and these go by target position.
    fn make_room(&self, cancel: &CancelToken, forward: &mut Workspace) -> Result<()> {
        let starts = &mut forward.candidates.starts;
        starts.clear();
        starts.resize(forward.limits.len() + 1, 0);
        for (cells, values) in self.strides() {
            cancel.check()?;
            for (cell, t) in cells.iter().zip(values) {
                let j = usize::from(cell.target);
                starts[j + 1] += usize::from(t[0] >= forward.limits[j].0);
            }
        }
        for j in 1..starts.len() {
            starts[j] += starts[j - 1];
        }
        let room = starts[starts.len() - 1];
        forward.next.clone_from(starts);
        forward.candidates.positions.resize(room, 0);
        forward.candidates.weights.resize(room, 0.0);
        forward.cells.resize(room, 0);
        Ok(())
    }

    /// The best translation probability of each token, NULL's included.
    fn find_best(&self, cancel: &CancelToken, spaces: &mut [Workspace; 2]) -> Result<()> {
        for (space, nulls) in spaces.iter_mut().zip(&self.nulls) {
            space.best.clone_from(nulls);
        }
        let [forward, reverse] = spaces;
        for (cells, values) in self.strides() {
            cancel.check()?;
            for (cell, t) in cells.iter().zip(values) {
                let best = &mut forward.best[usize::from(cell.target)];
                *best = best.max(t[0]);
                let best = &mut reverse.best[usize::from(cell.source)];
                *best = best.max(t[1]);
            }
        }
        Ok(())
    }

    /// Forgets cells that are in both directions below this share of their token's best translation probability.
    ///
    /// # Errors
    /// [`crate::error::Error::Cancelled`].
    pub fn thin(
        &mut self,
        least: f32,
        cancel: &CancelToken,
        spaces: &mut [Workspace; 2],
    ) -> Result<()> {
        self.find_best(cancel, spaces)?;
        let [forward, reverse] = spaces;
        let mut kept = 0;
        for at in 0..self.cells.len() {
            let (cell, t) = (self.cells[at], self.values[at]);
            let limits = [
                least * forward.best[usize::from(cell.target)],
                least * reverse.best[usize::from(cell.source)],
            ];
            self.cells[kept] = cell;
            self.values[kept] = t;
            kept += usize::from(t[0] >= limits[0] || t[1] >= limits[1]);
        }
        self.cells.truncate(kept);
        self.values.truncate(kept);
        Ok(())
    }

    /// Forward-backward of both directions: posteriors of the candidates, jumps and last positions are in the workspaces.
    ///
    /// # Errors
    /// [`crate::error::Error::Cancelled`].
    pub fn hmm(
        &self,
        words: [&[Option<WordId>]; 2],
        inference: &Inference<'_>,
        spaces: &mut [Workspace; 2],
        out: &mut Posteriors,
    ) -> Result<()> {
        let Inference {
            jumps,
            p0,
            beam,
            cancel,
        } = inference;
        self.candidates(*p0, beam.emission, cancel, spaces)?;
        for direction in 0..2 {
            let space = &mut spaces[direction];
            jumps[direction].fill(words[direction], 1.0 - p0, &mut space.transitions);
            out.ln_likelihoods[direction] = space.lattice.forward_backward(
                &space.candidates,
                &space.transitions,
                beam.state,
                cancel,
            )?;
            let [forward, reverse] = spaces;
            forward.lattice.swap_states(&mut reverse.lattice);
        }
        Ok(())
    }

    /// Spreads the posteriors of the candidates over the cells.
    pub fn spread(&self, spaces: &[Workspace; 2], out: &mut Posteriors) {
        for (links, space) in out.links.iter_mut().zip(spaces) {
            links.clear();
            links.resize(self.values.len(), 0.0);
            for (&cell, &posterior) in space.cells.iter().zip(&space.lattice.posteriors) {
                links[cell as usize] = posterior;
            }
        }
    }
}

impl Workspace {
    /// Starts the candidates of a sentence: what a candidate must have, and the factor of each token.
    fn begin(&mut self, nulls: &[f32], p0: f32, beam: f32) {
        self.candidates.clear();
        self.cells.clear();
        self.limits.clear();
        let mut ln = LogProduct::default();
        for (&best, &null) in self.best.iter().zip(nulls) {
            // Without any probability the pair is impossible, which the lattice finds out.
            let factor = if best > 0.0 { 1.0 / best } else { 1.0 };
            ln.multiply(f64::from(1.0 / factor));
            self.limits
                .push(((beam * best).max(f32::MIN_POSITIVE), factor));
            self.candidates.nulls.push(p0 * null * factor);
        }
        self.candidates.ln_factors = ln.ln();
    }
}
