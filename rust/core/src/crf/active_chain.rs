//! Forward-backward of one sequence over some labels at each position, and a bound of what the others would add.
//!
//! Scaled probabilities as in [`lanes`](super::lanes), with each pair of active labels multiplied out: all terms are positive and nothing cancels. The labels that are left out at a
//! position are one node whose weight is an upper bound of theirs together; the proof is in docs/design/crf.md.

use super::exponential::exp;
use super::lanes::SPAN;
use super::pair_factors::PairFactors;
use super::rows::whole;
use crate::numeric::{id_index, to_f64};

/// Tables of a sequence: by position, then active label.
#[derive(Debug, Default)]
pub(super) struct ActiveChain {
    /// Where the labels of each position start.
    starts: Vec<usize>,
    /// Active labels, which rise within a position.
    labels: Vec<u32>,
    /// Exponentials of scores less the largest of all labels at the position.
    emissions: Vec<f64>,
    /// For each position an upper bound of emission times factor of all labels that are not active, together.
    outside: Vec<f64>,
    /// The least score of an active label.
    lowest: f64,
    alpha: Vec<f64>,
    /// What labellings that leave the active labels add to alpha, at most.
    excess: Vec<f64>,
    beta: Vec<f64>,
    /// Posterior probabilities of active labels after [`backward`](Self::backward).
    posteriors: Vec<f64>,
    inverses: Vec<f64>,
    numbers: Vec<u32>,
    gamma: Vec<f64>,
    /// log Z over active labels, without what was subtracted from scores.
    pub log_z: f64,
    /// At most so much is log Z over all labels larger.
    pub bound: f64,
}

impl ActiveChain {
    /// Begins a sequence.
    pub fn clear(&mut self) {
        self.starts.clear();
        self.starts.push(0);
        self.labels.clear();
        self.emissions.clear();
        self.outside.clear();
        self.lowest = 0.0;
    }

    /// Adds an active label to the open position, with its score less the largest one. Labels must rise.
    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "it must be compiled for the instructions of its caller"
    )]
    pub fn push(&mut self, label: u32, score: f64) {
        self.labels.push(label);
        self.emissions.push(score);
        self.lowest = self.lowest.min(score);
    }

    /// Closes the open position; `outside` is 0 when sums run over active labels by definition.
    pub fn end_position(&mut self, outside: f64) {
        self.starts.push(self.labels.len());
        self.outside.push(outside);
    }

    /// Number of positions.
    pub fn len(&self) -> usize {
        self.outside.len()
    }

    /// Number of active labels of all positions.
    pub fn active(&self) -> usize {
        self.labels.len()
    }

    /// Pairs of active labels at the last two closed positions.
    pub fn last_pairs(&self) -> usize {
        match *self.starts.as_slice() {
            [.., a, b, c] => (b - a) * (c - b),
            _ => 0,
        }
    }

    /// The active labels of a position and their posterior probabilities.
    pub fn posterior(&self, position: usize) -> (&[u32], &[f64]) {
        let own = self.starts[position]..self.starts[position + 1];
        (&self.labels[own.clone()], &self.posteriors[own])
    }

    /// Exponentials of scores, alpha, log Z and its bound. Returns whether nothing that matters was lost to underflow.
    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "it must be compiled for the instructions of its caller"
    )]
    pub fn forward(&mut self, pairs: &PairFactors<'_>) -> bool {
        let size = self.labels.len();
        for emission in &mut self.emissions {
            *emission = exp(*emission);
        }
        for table in [&mut self.alpha, &mut self.excess] {
            table.clear();
            table.resize(size, 0.0);
        }
        self.inverses.clear();
        let is_bounded = self.outside.iter().any(|&mass| mass > 0.0);
        let mut is_sound = pairs.span - self.lowest <= SPAN;
        // In units of the sum of alpha: labellings that have left the active labels and not come back, and all that ever left them.
        let (mut outside, mut left) = (0.0, 0.0);
        let (mut log_z, mut product) = (0.0, 1.0);
        for position in 0..self.len() {
            if position == 0 {
                let own = 0..self.starts[1];
                self.alpha[own.clone()].copy_from_slice(&self.emissions[own]);
                outside = self.outside[0];
            } else {
                self.step(pairs, position, outside, is_bounded);
                outside = self.outside[position] * (1.0 + left);
            }
            let own = self.starts[position]..self.starts[position + 1];
            let sum: f64 = self.alpha[own.clone()].iter().sum();
            is_sound &= sum > 0.0 && sum.is_finite();
            let inverse = 1.0 / sum;
            self.inverses.push(inverse);
            outside *= inverse;
            left = outside;
            for (alpha, excess) in self.alpha[own.clone()]
                .iter_mut()
                .zip(&mut self.excess[own])
            {
                *alpha *= inverse;
                *excess *= inverse;
                left += *excess;
            }
            product *= sum;
            if !(1e-40..1e40).contains(&product) {
                log_z += libm::log(product);
                product = 1.0;
            }
        }
        let steps = to_f64(self.len().saturating_sub(1) as u64);
        self.log_z = log_z + libm::log(product) + steps * pairs.shift;
        self.bound = libm::log1p(left);
        is_sound && self.log_z.is_finite()
    }

    /// alpha and excess of a position before they are divided.
    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "it must be compiled for the instructions of its caller"
    )]
    fn step(&mut self, pairs: &PairFactors<'_>, position: usize, outside: f64, is_bounded: bool) {
        let (first, here) = (self.starts[position - 1], self.starts[position]);
        let own = here..self.starts[position + 1];
        let (before, after) = self.alpha.split_at_mut(here);
        let (excess_before, excess_after) = self.excess.split_at_mut(here);
        let (alpha, excess) = (&mut after[..own.len()], &mut excess_after[..own.len()]);
        let labels = &self.labels[own.clone()];
        for at in first..here {
            pairs.find(id_index(self.labels[at]), labels, &mut self.numbers);
            let (mass, more) = (before[at], excess_before[at]);
            if is_bounded {
                for ((alpha, excess), &number) in
                    alpha.iter_mut().zip(excess.iter_mut()).zip(&self.numbers)
                {
                    let factor = pairs.factor(number);
                    *alpha += mass * factor;
                    *excess += more * factor;
                }
            } else {
                for (alpha, &number) in alpha.iter_mut().zip(&self.numbers) {
                    *alpha += mass * pairs.factor(number);
                }
            }
        }
        for (at, &emission) in self.emissions[own].iter().enumerate() {
            alpha[at] *= emission;
            let entering = pairs.ceilings[id_index(labels[at])] * outside;
            excess[at] = (excess[at] + entering) * emission;
        }
    }

    /// Posterior probabilities of active labels; adds the expected counts of their pairs, in units of 1 / scale, to `sums` by number.
    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "it must be compiled for the instructions of its caller"
    )]
    pub fn backward(&mut self, pairs: &PairFactors<'_>, scale: f64, sums: &mut [i64]) {
        self.beta.clear();
        self.beta.resize(self.labels.len(), 1.0);
        self.posteriors.clear();
        self.posteriors.resize(self.labels.len(), 0.0);
        for position in (0..self.len()).rev() {
            let (here, end) = (self.starts[position], self.starts[position + 1]);
            let inverse = self.inverses[position];
            self.gamma.clear();
            for at in here..end {
                self.posteriors[at] = self.alpha[at] * self.beta[at];
                self.gamma
                    .push(self.emissions[at] * self.beta[at] * inverse);
            }
            if position == 0 {
                return;
            }
            for at in self.starts[position - 1]..here {
                let label = id_index(self.labels[at]);
                pairs.find(label, &self.labels[here..end], &mut self.numbers);
                let units = self.alpha[at] * scale;
                let mut sum = 0.0;
                for (&number, &gamma) in self.numbers.iter().zip(&self.gamma) {
                    let term = pairs.factor(number) * gamma;
                    sum += term;
                    let cell = &mut sums[id_index(number)];
                    *cell = cell.wrapping_add(whole(units * term));
                }
                self.beta[at] = sum;
            }
        }
    }
}
