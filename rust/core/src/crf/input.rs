//! What is to be labelled: sequences, and the labels that are allowed at each position.

use super::dataset::{Sequence, Sequences};
use super::model::Model;
use super::scores::score;
use crate::error::{Error, Result};

/// Positions that one thread takes at a time.
const BLOCK: usize = 4096;

/// Sequences with the labels that are allowed at each position: claims by position among all, then label. All are allowed without claims.
#[derive(Debug, Clone, Copy)]
pub struct Input<'a> {
    pub(super) data: &'a Sequences,
    allowed: Option<&'a [bool]>,
    pub(super) labels: usize,
}

impl<'a> Input<'a> {
    /// Sequences for a model.
    ///
    /// # Errors
    /// [`Error::Config`] when there are not as many claims as positions times labels, or a position has no allowed label.
    pub fn new(data: &'a Sequences, allowed: Option<&'a [bool]>, model: &Model) -> Result<Self> {
        let labels = model.labels().len();
        if let Some(claims) = allowed {
            let expected = data.positions() * labels;
            if claims.len() != expected {
                let expected = format!("{expected} claims, for each position and label");
                return Err(Error::config("allowed", &expected, claims.len()));
            }
            let rows = claims.chunks_exact(labels.max(1));
            if let Some(at) = rows.into_iter().position(|row| !row.contains(&true)) {
                return Err(Error::config(
                    "allowed",
                    "one label or more at each position",
                    format!("none at position {at} of all (from 0)"),
                ));
            }
        }
        Ok(Self {
            data,
            allowed,
            labels,
        })
    }

    /// Scores of the labels at a position among all; minus infinity for what is not allowed.
    pub(super) fn score(&self, position: usize, model: &Model, row: &mut [f64]) {
        score(self.data, position, model.features(), model.weights(), row);
        if let Some(claims) = self.allowed {
            let claims = &claims[position * self.labels..][..self.labels];
            for (score, &is_allowed) in row.iter_mut().zip(claims) {
                if !is_allowed {
                    *score = f64::NEG_INFINITY;
                }
            }
        }
    }

    pub(super) fn scores(&self, sequence: &Sequence<'_>, model: &Model, scores: &mut Vec<f64>) {
        scores.clear();
        scores.resize(sequence.len() * self.labels, 0.0);
        for (position, row) in scores.chunks_exact_mut(self.labels).enumerate() {
            self.score(sequence.first() + position, model, row);
        }
    }

    /// Runs of sequences with some thousand positions each.
    pub(super) fn blocks(&self) -> Vec<std::ops::Range<usize>> {
        let mut blocks = Vec::new();
        let mut start = 0;
        let starts = self.data.starts();
        for end in 1..=self.data.len() {
            if starts[end] - starts[start] >= BLOCK || end == self.data.len() {
                blocks.push(start..end);
                start = end;
            }
        }
        blocks
    }
}
