//! Scores of pairs of neighbouring labels that depend on the text: weights of pairs, and of triples with the attributes of the second position.

use super::dataset::Sequences;
use super::features::Features;
use crate::error::{Error, Result};
use crate::numeric::{to_index, to_u64};

/// The score of a pair of labels whose second one stands at a position of a sequence.
pub(super) trait Between {
    fn between(&self, position: usize, from: usize, to: usize) -> f64;
}

/// The scores of a vector of weights.
#[derive(Debug)]
pub(super) struct TextScores<'a> {
    features: &'a Features,
    /// The weights of triples.
    triples: &'a [f64],
    /// The weights of pairs of labels, by the first, then the second.
    pairs: Vec<f64>,
}

/// The same for one sequence, whose first position among all is `first`.
#[derive(Debug, Clone, Copy)]
pub(super) struct SequenceScores<'a> {
    pub scores: &'a TextScores<'a>,
    pub data: &'a Sequences,
    pub first: usize,
}

impl<'a> TextScores<'a> {
    /// # Errors
    /// [`Error::Memory`].
    pub fn new(features: &'a Features, weights: &'a [f64]) -> Result<Self> {
        let labels = features.labels();
        let count = labels.saturating_mul(labels);
        let mut pairs = Vec::new();
        pairs.try_reserve_exact(count).map_err(|_| Error::Memory {
            what: "the scores of pairs of labels",
            bytes: to_u64(count).saturating_mul(8),
        })?;
        pairs.resize(count, 0.0);
        for (from, to, at) in features.label_pairs() {
            pairs[from * labels + to] = weights[at];
        }
        Ok(Self {
            features,
            triples: &weights[features.triple_start()..],
            pairs,
        })
    }

    /// Number of labels.
    pub fn labels(&self) -> usize {
        self.features.labels()
    }

    /// Writes the scores of all pairs whose second label stands at a position among all, by the first label, then the second.
    pub fn fill(&self, data: &Sequences, position: usize, matrix: &mut [f64]) {
        let labels = self.features.labels();
        let triples = self.features.triples();
        matrix.copy_from_slice(&self.pairs);
        data.features(position, |attribute, value| {
            let own = triples.of(attribute);
            for (&(from, to), &weight) in
                triples.labels()[own.clone()].iter().zip(&self.triples[own])
            {
                matrix[to_index(from.into()) * labels + to_index(to.into())] += weight * value;
            }
        });
    }
}

impl Between for SequenceScores<'_> {
    /// The same sum as in [`TextScores::fill`], in the same order.
    fn between(&self, position: usize, from: usize, to: usize) -> f64 {
        let TextScores {
            features,
            triples,
            pairs,
            ..
        } = self.scores;
        let mut sum = pairs[from * features.labels() + to];
        // Labels are below 2^32.
        let pair = (
            u32::try_from(from).unwrap_or(u32::MAX),
            u32::try_from(to).unwrap_or(u32::MAX),
        );
        self.data
            .features(self.first + position, |attribute, value| {
                if let Some(at) = features.triples().find(attribute, pair) {
                    sum += triples[at] * value;
                }
            });
        sum
    }
}

impl SequenceScores<'_> {
    /// Writes the scores of all pairs whose second label stands at a position of the sequence.
    pub fn fill(&self, position: usize, matrix: &mut [f64]) {
        self.scores.fill(self.data, self.first + position, matrix);
    }

    /// Turns scores by position and label into those of the best labellings that end there.
    ///
    /// # Complexity
    /// Time T L^2, memory L^2.
    pub fn maximize(&self, scores: &mut [f64]) {
        let labels = self.scores.labels();
        let mut matrix = vec![0.0; labels * labels];
        let mut best = vec![0.0; labels];
        let mut rows = scores.chunks_exact_mut(labels.max(1)).enumerate();
        let Some((_, mut before)) = rows.next() else {
            return;
        };
        for (position, here) in rows {
            self.fill(position, &mut matrix);
            best.fill(f64::NEG_INFINITY);
            for (&score, pairs) in before.iter().zip(matrix.chunks_exact(labels)) {
                for (best, &pair) in best.iter_mut().zip(pairs) {
                    *best = best.max(score + pair);
                }
            }
            for (score, best) in here.iter_mut().zip(&best) {
                *score += best;
            }
            before = here;
        }
    }
}
