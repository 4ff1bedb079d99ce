//! What MERT is run on.

use super::surface::Change;
use crate::cancel::CancelToken;
use crate::error::{Error, Result};

/// The scores of all hypotheses, or of the edges of all forests, under some weights: one vector for each block of segments.
#[derive(Debug, Clone, PartialEq)]
pub struct Scores(pub(super) Vec<Vec<f64>>);

/// How the statistics of a corpus change along a line.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Changes {
    /// The statistics of the corpus towards -infinity.
    pub(super) first: Vec<i64>,
    /// Where a segment's best hypothesis becomes another; in any order.
    pub(super) places: Vec<Change>,
    /// What a segment's statistics change by, row after row.
    pub(super) deltas: Vec<i64>,
}

/// The translations of a corpus, of which weights choose the best of each segment.
pub trait Problem: Sync {
    /// The number of features, and of weights.
    fn features(&self) -> usize;

    /// The length of a row of statistics.
    fn width(&self) -> usize;

    /// The statistics of the corpus of the best hypotheses. Of equal ones, the first is the best.
    ///
    /// # Errors
    /// [`Error::Cancelled`], and what spelling a derivation may fail with.
    fn evaluate(&self, weights: &[f64], threads: usize, cancel: &CancelToken) -> Result<Vec<i64>>;

    /// The scores under some weights, which all lines through them share.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    fn scores(&self, weights: &[f64], threads: usize, cancel: &CancelToken) -> Result<Scores>;

    /// How statistics change along `weights + x direction`, given the scores of the weights.
    ///
    /// # Errors
    /// [`Error::Cancelled`], and what spelling a derivation may fail with.
    fn changes(
        &self,
        scores: &Scores,
        direction: &[f64],
        threads: usize,
        cancel: &CancelToken,
    ) -> Result<Changes>;
}

impl Changes {
    /// Adds those of other segments.
    pub(super) fn append(&mut self, other: Self, width: usize) {
        if self.first.is_empty() {
            self.first = vec![0; width];
        }
        for (sum, number) in self.first.iter_mut().zip(&other.first) {
            *sum += number;
        }
        let shift = self.deltas.len() / width;
        self.places.extend(other.places.iter().map(|change| Change {
            row: change.row + shift,
            ..*change
        }));
        self.deltas.extend(other.deltas);
    }

    /// A change from a row of statistics to another, if they differ.
    pub(super) fn push(&mut self, x: f64, before: &[i64], after: &[i64]) {
        if before != after {
            let row = self.deltas.len() / before.len();
            self.places.push(Change { x, row });
            self.deltas.extend(
                after
                    .iter()
                    .zip(before)
                    .map(|(after, before)| after - before),
            );
        }
    }
}

/// Checks a vector of weights or a direction.
///
/// # Errors
/// [`Error::Config`].
pub(super) fn check_vector(name: &'static str, vector: &[f64], features: usize) -> Result<()> {
    if vector.len() != features {
        let expected = format!("one number for each of {features} features");
        return Err(Error::config(name, &expected, vector.len()));
    }
    match vector.iter().find(|x| x.is_nan() || x.abs() > LARGEST) {
        Some(x) => Err(Error::config(name, "finite, and at most 1e30 in size", x)),
        None => Ok(()),
    }
}

/// The largest feature and weight: products of scores must not overflow.
pub(super) const LARGEST: f64 = 1e30;
