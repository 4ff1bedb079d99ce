//! The best labels of a sequence (Viterbi 1967).
//!
//! Only the best score of each label at each position is kept. Which label came before is found again on the way back, for one label a position: the loop over
//! pairs has no branch and no index to carry.

use super::features::Features;
use super::pair_scores::Between;
use crate::numeric::to_index;
use pulp::{Arch, Simd, WithSimd};

/// Up to so many labels all pairs are looked at; above, those that have a weight and the best of the others.
const DENSE: usize = 512;

/// The scores of pairs of labels, laid out for maxima.
#[derive(Debug)]
pub(super) struct PairScores {
    labels: usize,
    /// By first label, then second; empty when there are many labels.
    dense: Vec<f64>,
    /// With many labels: where the pairs of each second label start, first labels that rise, and weights.
    starts: Vec<usize>,
    first: Vec<u32>,
    weights: Vec<f64>,
}

impl PairScores {
    pub fn new(features: &Features, weights: &[f64]) -> Self {
        let labels = features.labels();
        let mut made = Self {
            labels,
            dense: Vec::new(),
            starts: Vec::new(),
            first: Vec::new(),
            weights: Vec::new(),
        };
        if labels <= DENSE {
            made.dense = vec![0.0; labels * labels];
            for (from, to, at) in features.label_pairs() {
                made.dense[from * labels + to] = weights[at];
            }
            return made;
        }
        made.starts = vec![0; labels + 1];
        for (_, to, _) in features.label_pairs() {
            made.starts[to + 1] += 1;
        }
        for label in 0..labels {
            made.starts[label + 1] += made.starts[label];
        }
        let mut ends = made.starts.clone();
        made.first = vec![0; features.next_labels().len()];
        made.weights = vec![0.0; features.next_labels().len()];
        for (from, to, at) in features.label_pairs() {
            made.first[ends[to]] = u32::try_from(from).unwrap_or(u32::MAX);
            made.weights[ends[to]] = weights[at];
            ends[to] += 1;
        }
        made
    }

    /// The score of a pair of labels.
    #[inline]
    pub fn get(&self, from: usize, to: usize) -> f64 {
        if !self.dense.is_empty() {
            return self.dense[from * self.labels + to];
        }
        let run = self.starts[to]..self.starts[to + 1];
        let from = u32::try_from(from).unwrap_or(u32::MAX);
        match self.first[run.clone()].binary_search(&from) {
            Ok(at) => self.weights[run.start + at],
            Err(_) => 0.0,
        }
    }

    /// Changes the score of a pair of labels that has a weight.
    pub fn set(&mut self, from: u32, to: u32, weight: f64) {
        if !self.dense.is_empty() {
            self.dense[to_index(from.into()) * self.labels + to_index(to.into())] = weight;
            return;
        }
        let run = self.starts[to_index(to.into())]..self.starts[to_index(to.into()) + 1];
        if let Ok(at) = self.first[run.clone()].binary_search(&from) {
            self.weights[run.start + at] = weight;
        }
    }

    /// Turns scores by position and label into those of the best labellings that end there.
    ///
    /// # Complexity
    /// Time T L^2, or with many labels T (L log L + pairs that have a weight) in most cases.
    pub fn maximize(&self, scores: &mut [f64]) {
        let labels = self.labels;
        if labels == 0 || scores.is_empty() {
            return;
        }
        if self.dense.is_empty() {
            self.maximize_sparse(scores);
            return;
        }
        Arch::new().dispatch(Maximize {
            pairs: &self.dense,
            labels,
            scores,
        });
    }

    fn maximize_sparse(&self, scores: &mut [f64]) {
        let labels = self.labels;
        let mut order: Vec<usize> = (0..labels).collect();
        let mut rows = scores.chunks_exact_mut(labels);
        let Some(mut before) = rows.next() else {
            return;
        };
        for here in rows {
            order.sort_unstable_by(|&a, &b| before[b].total_cmp(&before[a]).then(a.cmp(&b)));
            for (to, score) in here.iter_mut().enumerate() {
                let run = self.starts[to]..self.starts[to + 1];
                let first = &self.first[run.clone()];
                let mut best = f64::NEG_INFINITY;
                for (&from, &weight) in first.iter().zip(&self.weights[run]) {
                    best = best.max(before[to_index(from.into())] + weight);
                }
                // The best one without a weight.
                let unweighted = order.iter().copied().find(|&from| {
                    u32::try_from(from).is_ok_and(|from| first.binary_search(&from).is_err())
                });
                if let Some(from) = unweighted {
                    best = best.max(before[from] + 0.0);
                }
                *score += best;
            }
            before = here;
        }
    }

    /// [`trace`] with these scores.
    pub fn trace(&self, best: &[f64], labels: &mut Vec<u32>) -> f64 {
        trace(self, self.labels, best, labels)
    }
}

impl Between for PairScores {
    #[inline]
    fn between(&self, _position: usize, from: usize, to: usize) -> f64 {
        self.get(from, to)
    }
}

/// The best labels of a sequence and their score, from the scores of the best labellings that end with each label. Of equal labellings the one whose last differing label has
/// the smallest id.
pub(super) fn trace(
    pairs: &impl Between,
    count: usize,
    best: &[f64],
    labels: &mut Vec<u32>,
) -> f64 {
    labels.clear();
    let mut rows = best.chunks_exact(count.max(1)).enumerate().rev();
    let Some((_, last)) = rows.next() else {
        return 0.0;
    };
    let mut label = first_largest(last.iter().copied());
    let score = last[label];
    labels.push(u32::try_from(label).unwrap_or(u32::MAX));
    for (position, row) in rows {
        let ahead = row.iter().enumerate();
        label = first_largest(ahead.map(|(from, s)| s + pairs.between(position + 1, from, label)));
        labels.push(u32::try_from(label).unwrap_or(u32::MAX));
    }
    labels.reverse();
    score
}

/// Viterbi's recursion over all pairs of labels, compiled for each set of vector instructions.
struct Maximize<'p> {
    pairs: &'p [f64],
    labels: usize,
    scores: &'p mut [f64],
}

impl WithSimd for Maximize<'_> {
    type Output = ();

    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "it must be compiled for the instructions of its caller"
    )]
    fn with_simd<S: Simd>(self, _: S) {
        let mut best = vec![0.0; self.labels];
        let mut rows = self.scores.chunks_exact_mut(self.labels);
        let Some(mut before) = rows.next() else {
            return;
        };
        for here in rows {
            best.fill(f64::NEG_INFINITY);
            for (&score, pairs) in before.iter().zip(self.pairs.chunks_exact(self.labels)) {
                for (best, &pair) in best.iter_mut().zip(pairs) {
                    let sum = score + pair;
                    *best = if sum > *best { sum } else { *best };
                }
            }
            for (score, best) in here.iter_mut().zip(&best) {
                *score += best;
            }
            before = here;
        }
    }
}

/// The index of the largest number, the first of equals.
pub(super) fn first_largest(numbers: impl Iterator<Item = f64>) -> usize {
    let mut best = (0, f64::NEG_INFINITY);
    for (at, number) in numbers.enumerate() {
        if number > best.1 {
            best = (at, number);
        }
    }
    best.0
}
