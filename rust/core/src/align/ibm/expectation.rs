//! The E-step that EM and variational Bayes share.
//!
//! Cost of an iteration: O(candidate links + co-occurring pairs) time; 8 bytes a co-occurring pair between iterations, 8 more during one.

use super::emissions::{Block, Emissions};
use super::lexicon::Columns;
use super::placement::{JUMPS, Model, Placement};
use super::rows::BATCH;
use super::strategy::Strategy;
use super::token::{Token, placement, uniform_jumps};
use crate::cancel::CancelToken;
use crate::error::Result;
use crate::numeric::{LogProduct, from_fixed, to_f32, to_f64, to_u64};

/// How expected counts become weights: the M-step. EM and variational Bayes differ in nothing else.
pub trait Update: Sync {
    /// What is computed once for a given type from the sum of its counts.
    fn scale(&self, total: f64) -> f64;
    /// The weight t(f | e) of a cell with expected count `count`.
    fn weight(&self, count: f64, scale: f64) -> f64;
    /// The natural logarithm of that weight, also where the weight itself is too small for a double.
    fn log_weight(&self, count: f64, scale: f64) -> f64;
    /// The factors of the relative distortions from their expected counts.
    fn jumps(&self, counts: &[f64; JUMPS]) -> [f64; JUMPS];
    /// What the objective loses for a cell of this expected count, besides the E-step's logarithm.
    fn cell_penalty(&self, _count: f64, _scale: f64) -> f64 {
        0.0
    }
    /// The same for a given type with this sum of counts.
    fn row_penalty(&self, _total: f64) -> f64 {
        0.0
    }
    /// The same for the distortions.
    fn jump_penalty(&self, _counts: &[f64; JUMPS]) -> f64 {
        0.0
    }
    /// Whether the objective is defined before the first M-step, with all weights equal.
    fn has_uniform_objective(&self) -> bool {
        true
    }
}

/// Expectation maximisation in the wide sense: the E-step below with the M-step `U`.
#[derive(Debug)]
pub struct Expectation<U> {
    /// The M-step.
    pub update: U,
    /// Which model.
    pub model: Model,
    /// Probability of NULL; Model 1 has 1 / (I + 1) without it.
    pub null_probability: Option<f64>,
    /// The co-occurring pairs of each block.
    pub columns: Vec<Columns>,
    /// Number of emitted types.
    pub emitted_types: usize,
    /// Whether to compute the whole objective; variational Bayes needs two special functions a cell for it.
    pub wants_objective: bool,
}

/// Expected counts, from which each column's weights are made when it is needed.
#[derive(Debug, Clone)]
pub struct Parameters {
    /// Expected count of each cell, by block; without any before the first iteration, when all weights are equal.
    pub counts: Vec<Vec<f32>>,
    /// Sum of counts of each given type, NULL last.
    pub totals: Vec<f64>,
    /// [`Update::scale`] of the totals.
    pub scales: Vec<f64>,
    /// Expected counts of relative distortions.
    pub jump_counts: [f64; JUMPS],
    /// Factors of relative distortions.
    pub jumps: [f64; JUMPS],
    /// Objective of the parameters that the last E-step worked with: log-likelihood (EM) or the bound (VB), natural logarithm.
    pub objective: Option<f64>,
}

/// What one block or several add up to.
#[derive(Debug, Clone)]
pub struct Statistics {
    /// Fixed-point expected count of each cell, by block; empty for blocks that are not in yet.
    pub expected: Vec<Vec<u64>>,
    /// Fixed-point expected counts of relative distortions.
    pub jumps: [u64; JUMPS],
    /// Natural logarithm of the probability of the tokens.
    pub log_probability: f64,
}

/// Dense arrays over given types that a block reuses for all its columns.
pub(super) struct Scratch {
    pub weight: Vec<f64>,
    pub expected: Vec<u64>,
    pub candidates: Vec<f64>,
}

impl Scratch {
    pub fn new(given_types: usize) -> Self {
        Self {
            weight: vec![0.0; given_types + 1],
            expected: vec![0; given_types + 1],
            candidates: Vec::new(),
        }
    }
}

impl<U: Update> Expectation<U> {
    /// Equal weights for all pairs and all distortions.
    #[must_use]
    pub fn uniform(&self, given_types: usize) -> Parameters {
        Parameters {
            counts: Vec::new(),
            totals: vec![0.0; given_types + 1],
            scales: vec![0.0; given_types + 1],
            jump_counts: [0.0; JUMPS],
            jumps: uniform_jumps(),
            objective: None,
        }
    }

    /// Spreads the weights of the `n`-th column of a block over the dense array.
    pub(super) fn load(
        &self,
        block: &Block,
        n: usize,
        parameters: &Parameters,
        weight: &mut [f64],
    ) {
        let columns = &self.columns[block.index];
        let cells = columns.cells(n);
        let given = &columns.given()[cells.clone()];
        if let Some(counts) = parameters.counts.get(block.index) {
            for (&e, &count) in given.iter().zip(&counts[cells]) {
                let e = e as usize;
                weight[e] = self.update.weight(f64::from(count), parameters.scales[e]);
            }
        } else {
            let uniform = 1.0 / to_f64(to_u64(self.emitted_types.max(1)));
            for &e in given {
                weight[e as usize] = uniform;
            }
        }
    }

    /// The factors of the candidates of a token.
    #[must_use]
    pub fn placement(&self, parameters: &Parameters) -> Placement<f64> {
        placement(self.model, self.null_probability, &parameters.jumps)
    }

    /// Candidate weights of a token whose weights all vanish in double precision: the same in logarithms, divided by the largest.
    ///
    /// Returns their sum, and the logarithm of what they were divided by.
    pub(super) fn rescue(
        &self,
        block: &Block,
        n: usize,
        parameters: &Parameters,
        token: &Token<'_>,
        candidates: &mut [f64],
    ) -> (f64, f64) {
        let columns = &self.columns[block.index];
        let cells = columns.cells(n);
        let placement = self.placement(parameters);
        let null = parameters.totals.len() - 1;
        let log_weight = |e: usize| {
            let at = columns.given()[cells.clone()]
                .iter()
                .position(|&g| g as usize == e);
            match (at, parameters.counts.get(block.index)) {
                (Some(at), Some(counts)) => {
                    let count = f64::from(counts[cells.start + at]);
                    self.update.log_weight(count, parameters.scales[e])
                }
                _ => f64::NEG_INFINITY,
            }
        };
        let words = std::iter::once(null).chain(token.given.iter().map(|e| e.index()));
        for (slot, e) in candidates.iter_mut().zip(words) {
            *slot = log_weight(e);
        }
        let top = candidates.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let mut sum = 0.0;
        for (candidate, slot) in candidates.iter_mut().enumerate() {
            // Equal weights when even the logarithms say nothing.
            let weight = if top.is_finite() {
                libm::exp(*slot - top)
            } else {
                1.0
            };
            *slot = weight * token.factor(candidate, &placement);
            sum += *slot;
        }
        (sum, if top.is_finite() { top } else { 0.0 })
    }

    /// The objective of the parameters that an E-step worked with.
    fn objective(&self, parameters: &Parameters, log_probability: f64) -> Option<f64> {
        if parameters.counts.is_empty() {
            return self
                .update
                .has_uniform_objective()
                .then_some(log_probability);
        }
        let mut penalty: f64 = parameters
            .totals
            .iter()
            .map(|&total| self.update.row_penalty(total))
            .sum();
        for (columns, counts) in self.columns.iter().zip(&parameters.counts) {
            for (&e, &count) in columns.given().iter().zip(counts) {
                penalty += self
                    .update
                    .cell_penalty(f64::from(count), parameters.scales[e as usize]);
            }
        }
        if matches!(self.model, Model::Two(_)) {
            penalty += self.update.jump_penalty(&parameters.jump_counts);
        }
        Some(log_probability - penalty)
    }
}

impl<U: Update> Strategy for Expectation<U> {
    type Parameters = Parameters;
    type Statistics = Statistics;
    type State = ();

    fn accumulate(
        &self,
        emissions: &Emissions<'_>,
        block: &Block,
        _state: &mut (),
        parameters: &Parameters,
        cancel: &CancelToken,
    ) -> Result<Statistics> {
        let columns = &self.columns[block.index];
        let placement = self.placement(parameters);
        let mut scratch = Scratch::new(emissions.null());
        let mut expected = vec![0_u64; columns.len()];
        let mut jumps = [0_u64; JUMPS];
        let mut log_probability = LogProduct::default();
        for (n, word) in block.types.clone().enumerate() {
            cancel.check()?;
            self.load(block, n, parameters, &mut scratch.weight);
            for slot in emissions.slots(word) {
                if slot.is_multiple_of(BATCH) {
                    cancel.check()?;
                }
                let token = Token::new(emissions, slot, self.model, self.null_probability);
                let mut sum = token.weigh(&scratch.weight, &placement, &mut scratch.candidates);
                if sum.is_normal() {
                    log_probability.multiply(sum);
                } else {
                    let (scaled, log_scale) =
                        self.rescue(block, n, parameters, &token, &mut scratch.candidates);
                    sum = scaled;
                    log_probability.multiply(sum);
                    log_probability.add_log(log_scale);
                }
                token.spread(sum, &scratch.candidates, &mut scratch.expected, &mut jumps);
            }
            for cell in columns.cells(n) {
                let e = columns.given()[cell] as usize;
                expected[cell] = std::mem::take(&mut scratch.expected[e]);
            }
        }
        let mut by_block = vec![Vec::new(); self.columns.len()];
        by_block[block.index] = expected;
        Ok(Statistics {
            expected: by_block,
            jumps,
            log_probability: log_probability.ln(),
        })
    }

    fn merge(&self, into: &mut Statistics, more: Statistics) -> Result<()> {
        for (sum, part) in into.expected.iter_mut().zip(more.expected) {
            if sum.is_empty() {
                *sum = part;
            } else {
                for (total, count) in sum.iter_mut().zip(part) {
                    *total += count;
                }
            }
        }
        for (total, count) in into.jumps.iter_mut().zip(more.jumps) {
            *total += count;
        }
        into.log_probability += more.log_probability;
        Ok(())
    }

    fn estimate(&self, previous: Parameters, statistics: Statistics) -> Result<Parameters> {
        let objective = if self.wants_objective {
            self.objective(&previous, statistics.log_probability)
        } else {
            None
        };
        let mut totals = vec![0_u64; previous.totals.len()];
        let mut counts = Vec::with_capacity(statistics.expected.len());
        drop(previous.counts);
        for (columns, expected) in self.columns.iter().zip(statistics.expected) {
            for (&e, &count) in columns.given().iter().zip(&expected) {
                totals[e as usize] += count;
            }
            counts.push(
                expected
                    .iter()
                    .map(|&count| to_f32(from_fixed(count)))
                    .collect(),
            );
        }
        let totals: Vec<f64> = totals.into_iter().map(from_fixed).collect();
        let jump_counts = statistics.jumps.map(from_fixed);
        Ok(Parameters {
            counts,
            scales: totals
                .iter()
                .map(|&total| self.update.scale(total))
                .collect(),
            totals,
            jump_counts,
            jumps: match self.model {
                Model::One => previous.jumps,
                Model::Two(_) => self.update.jumps(&jump_counts),
            },
            objective,
        })
    }
}
