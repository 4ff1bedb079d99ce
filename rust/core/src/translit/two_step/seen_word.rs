//! The expected counts of one word, where each chunk has its own list of labels.

use super::seen::{At, Seen};
use crate::numeric::to_f64;
use std::ops::Range;

/// What a thread works with: tables of one word, and its sums.
#[derive(Debug, Default)]
pub(super) struct Worker {
    /// Where the labels of each position start, and the factors of pairs that lead there.
    starts: Vec<usize>,
    cells: Vec<usize>,
    own: Vec<f64>,
    alpha: Vec<f64>,
    beta: Vec<f64>,
    factors: Vec<f64>,
    numbers: Vec<u32>,
    scales: Vec<f64>,
    /// Probabilities of the labels of a position, in units.
    posteriors: Vec<i64>,
    /// Expected counts in units, and what pairs without a weight have at the end.
    pub sums: Vec<i64>,
    pub evaluation: u64,
}

impl Worker {
    /// Adds the expected counts of a word; returns log Z.
    pub fn add(&mut self, of: &Seen<'_>, at: &At<'_>, word: usize) -> f64 {
        let positions = of.data.get(word).positions();
        if positions.is_empty() {
            return 0.0;
        }
        let log_z = self.score(of, at, positions.clone());
        self.open_pairs(of, at, positions.clone());
        let steps = to_f64(positions.len() as u64 - 1);
        let log_z = log_z + self.forward() + steps * at.shift;
        self.backward(of);
        for (number, position) in positions.enumerate() {
            let here = self.starts[number]..self.starts[number + 1];
            let both = self.alpha[here.clone()].iter().zip(&self.beta[here]);
            self.posteriors.clear();
            self.posteriors
                .extend(both.map(|(alpha, beta)| units(alpha * beta * of.scale)));
            for run in of.runs(position) {
                for part in run {
                    self.sums[part.pair as usize] += self.posteriors[part.slot as usize];
                }
            }
        }
        log_z
    }

    /// exp(score - largest score) of the labels of each position; returns the sum of the largest ones.
    fn score(&mut self, of: &Seen<'_>, at: &At<'_>, positions: Range<usize>) -> f64 {
        self.starts.clear();
        self.starts.push(0);
        self.own.clear();
        let mut subtracted = 0.0;
        for position in positions {
            let start = self.own.len();
            let count = of.labels(of.lists[position]).len();
            self.own.resize(start + count, 0.0);
            let own = &mut self.own[start..];
            for run in of.runs(position) {
                for part in run {
                    own[part.slot as usize] += at.weights[part.pair as usize];
                }
            }
            let largest = own.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            for score in own {
                *score = libm::exp(*score - largest);
            }
            subtracted += largest;
            self.starts.push(start + count);
        }
        subtracted
    }

    /// Numbers and factors of the pairs of labels of neighbouring positions, by the second, then the first.
    fn open_pairs(&mut self, of: &Seen<'_>, at: &At<'_>, positions: Range<usize>) {
        self.cells.clear();
        self.cells.push(0);
        self.numbers.clear();
        let labels = of.features.labels();
        let none = of.features.next_labels().len();
        let states = of.features.state_count();
        for position in positions.clone() {
            if position > positions.start {
                let before = of.labels(of.lists[position - 1]);
                for &to in of.labels(of.lists[position]) {
                    if of.table.is_empty() {
                        self.numbers.extend(before.iter().map(|&from| {
                            let pair = of.features.transition(from as usize, to);
                            let number = pair.map_or(none, |pair| pair - states);
                            u32::try_from(number).unwrap_or(u32::MAX)
                        }));
                    } else {
                        let row = &of.table[to as usize * labels..][..labels];
                        self.numbers
                            .extend(before.iter().map(|&from| row[from as usize]));
                    }
                }
            }
            self.cells.push(self.numbers.len());
        }
        self.factors.clear();
        let factors = self
            .numbers
            .iter()
            .map(|&number| at.factors[number as usize]);
        self.factors.extend(factors);
    }

    /// alpha over its sum at each position; returns the sum of the logarithms of these.
    fn forward(&mut self) -> f64 {
        self.alpha.clear();
        self.alpha.resize(self.own.len(), 0.0);
        self.scales.clear();
        let mut log_z = 0.0;
        for position in 0..self.starts.len() - 1 {
            let start = self.starts[position];
            let (done, here) = self.alpha.split_at_mut(start);
            let own = &self.own[start..self.starts[position + 1]];
            let here = &mut here[..own.len()];
            if position == 0 {
                here.copy_from_slice(own);
            } else {
                let before = &done[self.starts[position - 1]..];
                let factors = &self.factors[self.cells[position]..self.cells[position + 1]];
                let rows = factors.chunks_exact(before.len());
                for ((alpha, own), row) in here.iter_mut().zip(own).zip(rows) {
                    *alpha = own * dot(before, row);
                }
            }
            let sum: f64 = here.iter().sum();
            for alpha in here.iter_mut() {
                *alpha /= sum;
            }
            self.scales.push(sum);
            log_z += libm::log(sum);
        }
        log_z
    }

    /// beta, such that alpha times beta is the posterior probability; adds the expected counts of pairs of labels.
    fn backward(&mut self, of: &Seen<'_>) {
        self.beta.clear();
        self.beta.resize(self.own.len(), 1.0);
        let states = of.features.state_count();
        for position in (1..self.starts.len() - 1).rev() {
            let start = self.starts[position];
            let (before, here) = self.beta.split_at_mut(start);
            let before = &mut before[self.starts[position - 1]..];
            before.fill(0.0);
            let alpha = &self.alpha[self.starts[position - 1]..start];
            let cells = self.cells[position]..self.cells[position + 1];
            let factors = self.factors[cells.clone()].chunks_exact(alpha.len());
            let numbers = self.numbers[cells].chunks_exact(alpha.len());
            let own = &self.own[start..self.starts[position + 1]];
            for (((own, beta), factors), numbers) in own.iter().zip(here).zip(factors).zip(numbers)
            {
                let gamma = own * *beta / self.scales[position];
                let unit = gamma * of.scale;
                for (((before, alpha), factor), &number) in
                    before.iter_mut().zip(alpha).zip(factors).zip(numbers)
                {
                    *before += gamma * factor;
                    self.sums[states + number as usize] += units(alpha * factor * unit);
                }
            }
        }
    }
}

/// The sum of products, in four parts.
#[inline]
fn dot(left: &[f64], right: &[f64]) -> f64 {
    let mut parts = [0.0; 4];
    let (lefts, rights) = (left.chunks_exact(4), right.chunks_exact(4));
    let ends = lefts.remainder().iter().zip(rights.remainder());
    let rest: f64 = ends.map(|(a, b)| a * b).sum();
    for (a, b) in lefts.zip(rights) {
        for lane in 0..4 {
            parts[lane] += a[lane] * b[lane];
        }
    }
    (parts[0] + parts[2]) + (parts[1] + parts[3]) + rest
}

/// Adding this rounds to a whole number, which then stands in the last bits.
const ROUNDER: f64 = 6_755_399_441_055_744.0;

/// The nearest whole number; for numbers below 2^51, such as a probability times at most 2^44.
#[inline]
fn units(number: f64) -> i64 {
    (number + ROUNDER)
        .to_bits()
        .wrapping_sub(ROUNDER.to_bits())
        .cast_signed()
}
