//! What is maximised: BLEU of integer statistics.

use crate::minrisk::bleu::{Smoothing, score};

/// BLEU with its options.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Objective {
    /// What is done about orders without a match.
    pub smoothing: Smoothing,
}

impl Objective {
    /// BLEU of the statistics of a corpus.
    #[must_use]
    pub fn value(&self, statistics: &[i64]) -> f64 {
        let numbers: Vec<f64> = statistics.iter().map(|&count| real(count)).collect();
        score(&numbers, self.smoothing, false)
    }

    /// Whether BLEU of these statistics is below a value beyond doubt, without exponentials: the product of the precisions is a bound of it, as the brevity
    /// penalty is at most 1.
    #[must_use]
    #[inline]
    pub fn is_clearly_below(&self, statistics: &[i64], value: f64) -> bool {
        if self.smoothing != Smoothing::None || statistics[0] <= 0 {
            return false;
        }
        let (mut bound, mut power) = (1.0, 1.0);
        for pair in statistics[..statistics.len() - 1].chunks_exact(2) {
            bound *= real(pair[0]) / real(pair[1]);
            power *= value;
        }
        // Rounding is below 1e-13 for up to 64 orders.
        bound < power * (1.0 - 1e-12)
    }
}

/// A count as a double; exact up to 2^53.
#[inline]
#[expect(
    clippy::cast_precision_loss,
    reason = "corpora have fewer than 2^53 n-grams"
)]
fn real(count: i64) -> f64 {
    count as f64
}
