//! Weights of a linear model with one vector for each class, and the probabilities they give.
#![expect(
    clippy::inline_always,
    reason = "K is a constant where a kernel is called, which makes its loops straight code"
)]

use super::rows::{Row, Rows};
use crate::cancel::CancelToken;
use crate::error::{Error, Result};
use crate::parallel;

/// Rows that one thread scores at a time.
const PIECE: usize = 1 << 14;

/// One weight for each feature and class: `values[feature * classes + class]`. A bias, if there is one, is a feature behind the others
/// that every example has with the value 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Weights {
    /// The weights by feature, then class.
    pub values: Vec<f64>,
    classes: usize,
    columns: usize,
    has_bias: bool,
}

impl Weights {
    /// Weights of zero.
    #[must_use]
    pub fn zeros(columns: usize, classes: usize, has_bias: bool) -> Self {
        Self {
            values: vec![0.0; (columns + usize::from(has_bias)) * classes],
            classes,
            columns,
            has_bias,
        }
    }

    /// Weights from somewhere else, in the order of [`Weights::values`].
    ///
    /// # Errors
    /// [`Error::Model`]: the number of weights is not that of features (and the bias) times classes, or one is not finite.
    pub fn new(values: Vec<f64>, columns: usize, classes: usize, has_bias: bool) -> Result<Self> {
        let wanted = (columns + usize::from(has_bias)).checked_mul(classes);
        let problem = if Some(values.len()) != wanted {
            "must have a weight for each feature and class"
        } else if values.iter().any(|value| !value.is_finite()) {
            "has weights that are not finite"
        } else {
            return Ok(Self {
                values,
                classes,
                columns,
                has_bias,
            });
        };
        Err(Error::Model {
            part: "the matrix of weights",
            problem: problem.to_owned(),
        })
    }

    /// Number of classes.
    #[must_use]
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// The squared length of all weights together.
    #[must_use]
    pub fn squared_norm(&self) -> f64 {
        self.values.iter().map(|weight| weight * weight).sum()
    }

    /// Where the weights of the bias begin.
    pub(crate) fn bias(&self) -> Option<usize> {
        self.has_bias.then_some(self.columns)
    }

    /// The score of each class for each row: `scores[row * classes + class]`, the inner products (5).
    ///
    /// # Errors
    /// [`Error::Model`]: the rows have other features; [`Error::Cancelled`].
    ///
    /// # Complexity
    /// Time: entries times classes. Memory: the result.
    pub fn scores(&self, rows: Rows<'_>, threads: usize, cancel: &CancelToken) -> Result<Vec<f64>> {
        if rows.columns() != self.columns {
            return Err(Error::Model {
                part: "the matrix of weights",
                problem: format!(
                    "is for {} features, the rows have {}",
                    self.columns,
                    rows.columns()
                ),
            });
        }
        by_pieces(rows, self.classes, threads, cancel, |row, out| {
            scores_of(self.classes, row, self.bias(), &self.values, out);
        })
    }
}

/// The scores of one row, into `scores[..k]`.
#[inline(always)]
pub(crate) fn scores_of(
    k: usize,
    row: Row<'_>,
    bias: Option<usize>,
    weights: &[f64],
    scores: &mut [f64],
) {
    let scores = &mut scores[..k];
    match bias {
        Some(at) => scores.copy_from_slice(&weights[at * k..at * k + k]),
        None => scores.fill(0.0),
    }
    row.for_each(|feature, value| {
        let weights = &weights[feature * k..feature * k + k];
        for c in 0..k {
            scores[c] += value * weights[c];
        }
    });
}

/// Adds `change[..k]` times the value of each feature to its weights.
#[inline(always)]
pub(crate) fn add_to(
    k: usize,
    row: Row<'_>,
    bias: Option<usize>,
    weights: &mut [f64],
    change: &[f64],
) {
    let change = &change[..k];
    if let Some(at) = bias {
        let weights = &mut weights[at * k..at * k + k];
        for c in 0..k {
            weights[c] += change[c];
        }
    }
    row.for_each(|feature, value| {
        let weights = &mut weights[feature * k..feature * k + k];
        for c in 0..k {
            weights[c] += value * change[c];
        }
    });
}

/// `k` numbers for each row, by `each`.
pub(crate) fn by_pieces(
    rows: Rows<'_>,
    k: usize,
    threads: usize,
    cancel: &CancelToken,
    each: impl Fn(Row<'_>, &mut [f64]) + Sync,
) -> Result<Vec<f64>> {
    let mut out = vec![0.0; rows.len() * k];
    let pieces: Vec<&mut [f64]> = out.chunks_mut(PIECE * k).collect();
    parallel::map(threads, cancel, pieces, |n, piece| {
        for (at, out) in piece.chunks_mut(k).enumerate() {
            each(rows.row(n * PIECE + at), out);
        }
        Ok(())
    })?;
    Ok(out)
}

/// The largest of some numbers; -inf for none.
#[inline(always)]
pub(crate) fn largest(numbers: &[f64]) -> f64 {
    numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

/// The logarithm of the sum of exponentials; -inf when all are.
#[inline(always)]
pub(crate) fn log_sum_exp(numbers: &[f64]) -> f64 {
    let top = largest(numbers);
    if top == f64::NEG_INFINITY {
        return top;
    }
    let sum: f64 = numbers.iter().map(|&x| libm::exp(x - top)).sum();
    top + libm::log(sum)
}

/// Makes each group of `k` scores logarithms of probabilities (5).
pub fn normalize(scores: &mut [f64], k: usize) {
    for row in scores.chunks_mut(k) {
        let total = log_sum_exp(row);
        for score in row {
            *score -= total;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_inner_products_and_do_not_depend_on_threads() {
        let rows =
            Rows::new(&[0, 2, 2, 3], &[0, 1, 1], Some(&[2.0, -1.0, 0.5]), 2).expect("two columns");
        let weights =
            Weights::new(vec![1.0, 2.0, 3.0, 5.0, 10.0, 20.0], 2, 2, true).expect("3 times 2");
        for threads in [1, 3] {
            let got = weights.scores(rows, threads, &CancelToken::new());
            assert_eq!(got, Ok(vec![9.0, 19.0, 10.0, 20.0, 11.5, 22.5]));
        }
        let mut probabilities = vec![1.0, 1.0, 2e4, 0.0];
        normalize(&mut probabilities, 2);
        assert!((probabilities[0] + 2f64.ln()).abs() < 1e-15);
        assert!(probabilities[2].abs() < 1e-15);
    }

    #[test]
    fn weights_that_do_not_fit_are_refused() {
        assert!(Weights::new(vec![0.0; 5], 2, 2, true).is_err());
        assert!(Weights::new(vec![f64::NAN; 6], 2, 2, true).is_err());
        let other = Rows::new(&[0], &[], None, 3).expect("no row");
        let weights = Weights::zeros(2, 2, false);
        assert!(weights.scores(other, 1, &CancelToken::new()).is_err());
    }
}
