//! Probabilities and the weights of shorter contexts, from adjusted counts.

use super::corpus::Symbols;
use super::counts::Level;
use super::discounts::{Discounts, discount};
use crate::cancel::CancelToken;
use crate::error::Result;
use crate::numeric::to_f64;
use crate::parallel;
use std::ops::Range;

/// Contexts that are smoothed in one piece of work.
const BLOCK: usize = 1 << 13;

/// What the n-grams of one length have to say to smooth those of the same length.
#[derive(Debug, Clone, Copy)]
pub(super) struct Counted<'a> {
    /// Adjusted counts.
    pub(super) adjusted: &'a [u32],
    /// Counts in the text.
    pub(super) counts: &'a [u32],
    /// N-grams whose count in the text is at most this are left out.
    pub(super) prune: u32,
    pub(super) discounts: &'a Discounts,
}

impl Counted<'_> {
    /// The sum of the adjusted counts of some n-grams, and the share of it that discounts and n-grams left out save: gamma.
    fn saved(&self, range: Range<usize>) -> (f64, f64) {
        let (mut sum, mut left_out) = (0_u64, 0_u64);
        let mut of_count = [0_u64; 3];
        for n in range {
            let adjusted = self.adjusted[n];
            sum += u64::from(adjusted);
            if self.counts[n] <= self.prune {
                left_out += u64::from(adjusted);
            } else if adjusted > 0 {
                of_count[adjusted.min(3) as usize - 1] += 1;
            }
        }
        if sum == 0 {
            return (0.0, 1.0);
        }
        let saved: f64 = of_count
            .iter()
            .zip(self.discounts)
            .map(|(&count, discount)| to_f64(count) * discount)
            .sum();
        let sum = to_f64(sum);
        (sum, (saved + to_f64(left_out)) / sum)
    }

    /// What an n-gram has of its own: its count less the discount, as a share of `sum`.
    fn own(&self, n: usize, sum: f64) -> f64 {
        let adjusted = self.adjusted[n];
        (f64::from(adjusted) - discount(self.discounts, adjusted)) / sum
    }
}

/// The unigrams.
#[derive(Debug)]
pub(super) struct Unigrams {
    /// The probability of each n-gram of the first level; that of `<s>` is 0.
    pub(super) probabilities: Vec<f64>,
    /// The share of each word that was not seen.
    pub(super) unseen: f64,
}

/// Smooths the first level with the uniform distribution over `outcomes` words.
pub(super) fn unigrams(
    level: &Level,
    counted: &Counted<'_>,
    symbols: Symbols,
    outcomes: usize,
) -> Unigrams {
    // <s> is the largest symbol, and never predicted.
    let predicted = level
        .symbols
        .partition_point(|&symbol| symbol < symbols.start);
    let (sum, gamma) = counted.saved(0..predicted);
    let unseen = gamma / to_f64(outcomes as u64);
    let mut probabilities: Vec<f64> = (0..predicted)
        .map(|n| counted.own(n, sum) + unseen)
        .collect();
    probabilities.resize(level.len(), 0.0);
    Unigrams {
        probabilities,
        unseen,
    }
}

/// The probabilities of one level, and gamma for each n-gram of the level before.
#[derive(Debug, Default)]
pub(super) struct Smoothed {
    pub(super) probabilities: Vec<f64>,
    pub(super) gammas: Vec<f64>,
}

/// Smooths n-grams of two words and more with the level before: `links` leads to the n-gram without the first word, `shorter` has its probability.
pub(super) fn smooth(
    parents: &Level,
    counted: &Counted<'_>,
    links: &[u32],
    shorter: &[f64],
    threads: usize,
    cancel: &CancelToken,
) -> Result<Smoothed> {
    let blocks: Vec<usize> = (0..parents.len()).step_by(BLOCK).collect();
    let parts = parallel::map(threads, cancel, blocks, |_, begin| {
        let mut part = Smoothed::default();
        for parent in begin..(begin + BLOCK).min(parents.len()) {
            let range = parents.range(parent);
            let (sum, gamma) = counted.saved(range.clone());
            part.gammas.push(gamma);
            for n in range {
                let lower = shorter[links[n] as usize];
                part.probabilities.push(counted.own(n, sum) + gamma * lower);
            }
        }
        Ok(part)
    })?;
    let mut whole = Smoothed::default();
    for part in parts {
        whole.probabilities.extend(part.probabilities);
        whole.gammas.extend(part.gammas);
    }
    Ok(whole)
}
