//! The E-step that EM and variational Bayes share.
//!
//! Cost of an iteration: O(candidate links + co-occurring pairs) time; 8 bytes a co-occurring pair between iterations, 8 more during one.

use super::emissions::{Block, Emissions};
use super::lexicon::Columns;
use super::placement::{JUMPS, Model, Placement, Runs};
use super::strategy::Strategy;
use crate::cancel::CancelToken;
use crate::error::Result;
use crate::ids::WordId;
use crate::numeric::{LogProduct, from_fixed, to_f32, to_fixed, to_u64};

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
            let uniform = 1.0 / crate::numeric::to_f64(to_u64(self.emitted_types.max(1)));
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

/// Factors of candidates under a model; in Model 1 the prior 1 / (I + 1) or (1 - p0) / I is left to [`token_prior`].
pub(super) fn placement(
    model: Model,
    null_probability: Option<f64>,
    jumps: &[f64; JUMPS],
) -> Placement<f64> {
    match (model, null_probability) {
        (Model::One, _) => Placement {
            null: 1.0,
            jumps: [1.0; JUMPS],
        },
        (Model::Two(_), p0) => {
            let p0 = p0.unwrap_or(DEFAULT_NULL_PROBABILITY);
            Placement {
                null: p0,
                jumps: jumps.map(|d| (1.0 - p0) * d),
            }
        }
    }
}

/// NULL's share in Model 2 when nothing is said.
pub const DEFAULT_NULL_PROBABILITY: f64 = 0.2;

/// Model 1's prior of NULL and of each real candidate in a given sentence of this length; 1 and 1 for Model 2, which has its own factors.
#[inline]
pub(super) fn token_prior(
    model: Model,
    null_probability: Option<f64>,
    given_len: usize,
) -> (f64, f64) {
    let length = crate::numeric::to_f64(to_u64(given_len));
    match (model, null_probability) {
        (Model::Two(_), _) => (1.0, 1.0),
        (Model::One, None) => (1.0 / (length + 1.0), 1.0 / (length + 1.0)),
        (Model::One, Some(p0)) => (p0, (1.0 - p0) / length),
    }
}

pub(super) fn uniform_jumps() -> [f64; JUMPS] {
    let count = crate::numeric::to_f64(to_u64(JUMPS));
    [1.0 / count; JUMPS]
}

/// One token's surroundings: what the candidates' factors depend on.
pub(super) struct Token<'a> {
    pub given: &'a [WordId],
    prior: (f64, f64),
    runs: Runs,
    counts_jumps: bool,
}

impl<'a> Token<'a> {
    #[inline]
    pub fn new(
        emissions: &Emissions<'a>,
        slot: usize,
        model: Model,
        null_probability: Option<f64>,
    ) -> Self {
        let given = emissions.given_sentence(slot);
        let runs = match model {
            Model::One => Runs::flat(given.len()),
            Model::Two(tail) => Runs::new(given.len(), emissions.diagonal_of(slot), tail),
        };
        Self {
            given,
            prior: token_prior(model, null_probability, given.len()),
            runs,
            counts_jumps: matches!(model, Model::Two(_)),
        }
    }

    /// The part of a candidate's weight that does not look at words; candidate 0 is NULL, i + 1 is position i.
    pub fn factor(&self, candidate: usize, placement: &Placement<f64>) -> f64 {
        match candidate.checked_sub(1) {
            None => placement.null * self.prior.0,
            Some(i) => {
                let (bucket, share) = self.runs.place(i);
                placement.jumps[bucket] * share * self.prior.1
            }
        }
    }

    /// Writes the weight of NULL and of every position into `candidates`; returns their sum.
    #[inline]
    pub fn weigh(
        &self,
        weight: &[f64],
        placement: &Placement<f64>,
        candidates: &mut Vec<f64>,
    ) -> f64 {
        let null = weight.len() - 1;
        let jumps = &placement.jumps;
        let left = jumps[0] * self.runs.left_share() * self.prior.1;
        let right = jumps[JUMPS - 1] * self.runs.right_share() * self.prior.1;
        let words = |run: &std::ops::Range<usize>| {
            self.given[run.clone()].iter().map(|e| weight[e.index()])
        };
        candidates.clear();
        candidates.push(weight[null] * placement.null * self.prior.0);
        candidates.extend(words(&self.runs.left).map(|w| w * left));
        let core = words(&self.runs.core).zip(&jumps[self.runs.first_bucket..]);
        candidates.extend(core.map(|(w, jump)| w * jump * self.prior.1));
        candidates.extend(words(&self.runs.right).map(|w| w * right));
        sum(candidates)
    }
}

/// A sum in four lanes: a fixed order that the compiler can vectorise.
#[inline]
fn sum(values: &[f64]) -> f64 {
    let chunks = values.chunks_exact(4);
    let rest: f64 = chunks.remainder().iter().sum();
    let mut lanes = [0.0; 4];
    for chunk in chunks {
        for (lane, value) in lanes.iter_mut().zip(chunk) {
            *lane += value;
        }
    }
    (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]) + rest
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

impl Token<'_> {
    /// Adds the posterior of each candidate to the expected counts.
    #[inline]
    fn spread(&self, sum: f64, candidates: &[f64], expected: &mut [u64], jumps: &mut [u64; JUMPS]) {
        let null = expected.len() - 1;
        let inverse = 1.0 / sum;
        expected[null] += to_fixed(candidates[0] * inverse);
        let real = self.given.iter().zip(&candidates[1..]);
        if self.counts_jumps {
            for (i, (e, weight)) in real.enumerate() {
                let posterior = to_fixed(weight * inverse);
                expected[e.index()] += posterior;
                jumps[self.runs.place(i).0] += posterior;
            }
        } else {
            for (e, weight) in real {
                expected[e.index()] += to_fixed(weight * inverse);
            }
        }
    }
}
