//! Forward-backward of one sequence whose pairs of labels depend on the text, in logarithms: right for any finite scores.
//!
//! There is no vector of factors that all positions share, so that each position has L^2 exponentials of its own in either direction, and as many again for probabilities of
//! pairs. Scores of pairs are made anew in each direction instead of being kept: memory is linear in the sequence.

use super::exponential::exp;
use super::pair_scores::SequenceScores;

/// One sequence after both passes.
#[derive(Debug)]
pub(super) struct TextChain<'a> {
    pairs: SequenceScores<'a>,
    labels: usize,
    length: usize,
    scores: Vec<f64>,
    alpha: Vec<f64>,
    beta: Vec<f64>,
    /// The natural logarithm of Z; minus infinity when no labelling is possible.
    pub log_z: f64,
}

impl<'a> TextChain<'a> {
    /// The sums for scores by position and label, minus infinity for what is not allowed.
    ///
    /// # Complexity
    /// Time 2 T L^2 exponentials and T times the triples of a position; memory 3 T L + L^2.
    pub fn new(pairs: SequenceScores<'a>, scores: Vec<f64>) -> Self {
        let labels = pairs.scores.labels();
        let mut made = Self {
            pairs,
            labels,
            length: scores.len() / labels.max(1),
            alpha: scores.clone(),
            beta: vec![0.0; scores.len()],
            scores,
            log_z: 0.0,
        };
        let mut matrix = vec![0.0; labels * labels];
        made.forward(&mut matrix);
        made.backward(&mut matrix);
        made
    }

    fn forward(&mut self, matrix: &mut [f64]) {
        let labels = self.labels;
        let (mut tops, mut sums) = (vec![0.0; labels], vec![0.0; labels]);
        for position in 1..self.length {
            self.pairs.fill(position, matrix);
            let (before, here) = self.alpha.split_at_mut(position * labels);
            let before = &before[(position - 1) * labels..];
            tops.fill(f64::NEG_INFINITY);
            for (&alpha, row) in before.iter().zip(matrix.chunks_exact(labels)) {
                for (top, &pair) in tops.iter_mut().zip(row) {
                    *top = top.max(alpha + pair);
                }
            }
            sums.fill(0.0);
            for (&alpha, row) in before.iter().zip(matrix.chunks_exact(labels)) {
                for ((sum, &pair), &top) in sums.iter_mut().zip(row).zip(&tops) {
                    *sum += exp(alpha + pair - finite(top));
                }
            }
            for ((alpha, &top), &sum) in here[..labels].iter_mut().zip(&tops).zip(&sums) {
                *alpha += finite(top) + libm::log(sum);
            }
        }
        if self.length > 0 {
            self.log_z = log_sum(&self.alpha[(self.length - 1) * labels..]);
        }
    }

    fn backward(&mut self, matrix: &mut [f64]) {
        let labels = self.labels;
        let mut terms = vec![0.0; labels];
        for position in (1..self.length).rev() {
            self.pairs.fill(position, matrix);
            let (before, here) = self.beta.split_at_mut(position * labels);
            let scores = &self.scores[position * labels..][..labels];
            let before = &mut before[(position - 1) * labels..];
            for (beta, row) in before.iter_mut().zip(matrix.chunks_exact(labels)) {
                let behind = scores.iter().zip(&*here);
                for ((term, &pair), (&score, &next)) in terms.iter_mut().zip(row).zip(behind) {
                    *term = pair + score + next;
                }
                *beta = log_sum(&terms);
            }
        }
    }

    /// The posterior probability of a label at a position.
    pub fn posterior(&self, position: usize, label: usize) -> f64 {
        let at = position * self.labels + label;
        probability(self.alpha[at] + self.beta[at] - self.log_z)
    }

    /// Writes the posterior probabilities of all pairs of labels at a position and the one before it, by the first label, then the second.
    pub fn pair_posteriors(&self, position: usize, matrix: &mut [f64]) {
        let labels = self.labels;
        self.pairs.fill(position, matrix);
        let before = &self.alpha[(position - 1) * labels..][..labels];
        let (scores, betas) = (
            &self.scores[position * labels..][..labels],
            &self.beta[position * labels..][..labels],
        );
        for (&alpha, row) in before.iter().zip(matrix.chunks_exact_mut(labels)) {
            for ((pair, &score), &beta) in row.iter_mut().zip(scores).zip(betas) {
                *pair = probability(alpha + *pair + score + beta - self.log_z);
            }
        }
    }
}

/// 0 in the place of minus infinity, which must not be subtracted from itself.
#[inline]
fn finite(top: f64) -> f64 {
    if top == f64::NEG_INFINITY { 0.0 } else { top }
}

fn log_sum(terms: &[f64]) -> f64 {
    let top = finite(terms.iter().copied().fold(f64::NEG_INFINITY, f64::max));
    top + libm::log(terms.iter().map(|&term| exp(term - top)).sum())
}

#[inline]
fn probability(log: f64) -> f64 {
    // Also where all is minus infinity.
    if log > f64::NEG_INFINITY {
        exp(log.min(0.0))
    } else {
        0.0
    }
}
