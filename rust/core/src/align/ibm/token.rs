//! One token in the E-step: the weights of its candidates, and what their posteriors add to the counts.

use super::emissions::Emissions;
use super::placement::{JUMPS, Model, Placement, Runs};
use crate::ids::WordId;
use crate::numeric::{to_f64, to_fixed, to_u64};

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
    let length = to_f64(to_u64(given_len));
    match (model, null_probability) {
        (Model::Two(_), _) => (1.0, 1.0),
        (Model::One, None) => (1.0 / (length + 1.0), 1.0 / (length + 1.0)),
        (Model::One, Some(p0)) => (p0, (1.0 - p0) / length),
    }
}

pub(super) fn uniform_jumps() -> [f64; JUMPS] {
    let count = to_f64(to_u64(JUMPS));
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

impl Token<'_> {
    /// Adds the posterior of each candidate to the expected counts.
    #[inline]
    pub fn spread(
        &self,
        sum: f64,
        candidates: &[f64],
        expected: &mut [u64],
        jumps: &mut [u64; JUMPS],
    ) {
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
