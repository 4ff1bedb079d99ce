//! Forward-backward of one sequence in logarithms: slower, and right for any finite scores. What [`lanes`](super::lanes) falls back to.

use super::features::Features;

/// One sequence: scores of labels by position, and the scores of pairs of labels.
#[derive(Debug)]
pub(super) struct LogChain {
    labels: usize,
    length: usize,
    scores: Vec<f64>,
    pairs: Vec<f64>,
    alpha: Vec<f64>,
    beta: Vec<f64>,
    /// The natural logarithm of Z; minus infinity when no labelling is possible.
    pub log_z: f64,
}

impl LogChain {
    /// The sums for scores by position and label.
    ///
    /// # Complexity
    /// Time T L^2 exponentials, memory L (L + T).
    pub fn new(features: &Features, weights: &[f64], scores: Vec<f64>) -> Self {
        let labels = features.labels();
        let mut pairs = vec![0.0; labels * labels];
        for (from, to, at) in features.label_pairs() {
            pairs[from * labels + to] = weights[at];
        }
        let length = scores.len() / labels.max(1);
        let mut made = Self {
            labels,
            length,
            alpha: scores.clone(),
            beta: vec![0.0; scores.len()],
            scores,
            pairs,
            log_z: 0.0,
        };
        made.run();
        made
    }

    fn run(&mut self) {
        let labels = self.labels;
        let mut terms = vec![0.0; labels];
        for position in 1..self.length {
            let (before, here) = self.alpha.split_at_mut(position * labels);
            let before = &before[(position - 1) * labels..];
            for (to, sum) in here[..labels].iter_mut().enumerate() {
                for (from, (term, log)) in terms.iter_mut().zip(before).enumerate() {
                    *term = log + self.pairs[from * labels + to];
                }
                *sum += log_sum(&terms);
            }
        }
        if self.length > 0 {
            self.log_z = log_sum(&self.alpha[(self.length - 1) * labels..]);
        }
        for position in (1..self.length).rev() {
            let (before, here) = self.beta.split_at_mut(position * labels);
            let before = &mut before[(position - 1) * labels..];
            for (from, sum) in before.iter_mut().enumerate() {
                for (to, term) in terms.iter_mut().enumerate() {
                    *term = self.pairs[from * labels + to]
                        + self.scores[position * labels + to]
                        + here[to];
                }
                *sum = log_sum(&terms);
            }
        }
    }

    /// The posterior probability of a label at a position.
    pub fn posterior(&self, position: usize, label: usize) -> f64 {
        let at = position * self.labels + label;
        probability(self.alpha[at] + self.beta[at] - self.log_z)
    }

    /// The posterior probability of a pair of labels at a position and the next one.
    pub fn pair_posterior(&self, position: usize, from: usize, to: usize) -> f64 {
        let next = (position + 1) * self.labels + to;
        probability(
            self.alpha[position * self.labels + from]
                + self.pairs[from * self.labels + to]
                + self.scores[next]
                + self.beta[next]
                - self.log_z,
        )
    }

    /// The expected number of occurrences of a pair of labels.
    pub fn pair_sum(&self, from: usize, to: usize) -> f64 {
        (1..self.length)
            .map(|position| self.pair_posterior(position - 1, from, to))
            .sum()
    }
}

fn probability(log: f64) -> f64 {
    // Also where all is minus infinity.
    if log > f64::NEG_INFINITY {
        libm::exp(log).min(1.0)
    } else {
        0.0
    }
}

fn log_sum(terms: &[f64]) -> f64 {
    let largest = terms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if largest == f64::NEG_INFINITY {
        return largest;
    }
    let sum: f64 = terms.iter().map(|term| libm::exp(term - largest)).sum();
    largest + libm::log(sum)
}
