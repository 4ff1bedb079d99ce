//! Forward-backward of one sequence in logarithms: slower, and right for any finite scores. What [`lanes`](super::lanes) falls back to.
//!
//! Pairs of labels without a weight have the factor 1, so that a sum over labels before j is one over those with a weight, and over the runs of labels between them. The sum
//! over a run comes from a tree of sums over 2, 4, 8 .. labels: nothing is subtracted, and memory stays linear in labels and pairs.

use super::features::Features;
use super::transitions::transpose;
use crate::numeric::id_index;

/// One sequence: scores of labels by position, and the scores of pairs of labels.
#[derive(Debug)]
pub(super) struct LogChain {
    labels: usize,
    length: usize,
    scores: Vec<f64>,
    from: Runs,
    into: Runs,
    alpha: Vec<f64>,
    beta: Vec<f64>,
    /// The natural logarithm of Z; minus infinity when no labelling is possible.
    pub log_z: f64,
}

/// The pairs of each label that have a weight.
#[derive(Debug)]
struct Runs {
    starts: Vec<usize>,
    others: Vec<u32>,
    weights: Vec<f64>,
}

impl Runs {
    fn get(&self, label: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let own = self.starts[label]..self.starts[label + 1];
        let others = self.others[own.clone()].iter();
        others
            .zip(&self.weights[own])
            .map(|(&other, &weight)| (id_index(other), weight))
    }

    fn weight(&self, label: usize, other: usize) -> f64 {
        let start = self.starts[label];
        let own = &self.others[start..self.starts[label + 1]];
        u32::try_from(other)
            .ok()
            .and_then(|other| own.binary_search(&other).ok())
            .map_or(0.0, |at| self.weights[start + at])
    }
}

impl LogChain {
    /// The sums for scores by position and label.
    ///
    /// # Complexity
    /// Time T (L + P log L) exponentials for P pairs of labels that have a weight, memory T L + P.
    pub fn new(features: &Features, weights: &[f64], scores: Vec<f64>) -> Self {
        let labels = features.labels();
        let own = features.transition_weights(weights);
        let (starts, next) = (features.transition_starts(), features.next_labels());
        let (into_starts, before, turned) = transpose(starts, next, own, labels);
        let mut made = Self {
            labels,
            length: scores.len() / labels.max(1),
            alpha: scores.clone(),
            beta: vec![0.0; scores.len()],
            scores,
            from: Runs {
                starts: starts.to_vec(),
                others: next.to_vec(),
                weights: own.to_vec(),
            },
            into: Runs {
                starts: into_starts,
                others: before,
                weights: turned,
            },
            log_z: 0.0,
        };
        made.run();
        made
    }

    fn run(&mut self) {
        let labels = self.labels;
        let mut sums = Sums::new(labels);
        for position in 1..self.length {
            let (before, here) = self.alpha.split_at_mut(position * labels);
            sums.set(before[(position - 1) * labels..].iter().copied());
            for (to, sum) in here[..labels].iter_mut().enumerate() {
                *sum += sums.over(self.into.get(to));
            }
        }
        if self.length > 0 {
            let last = self.alpha[(self.length - 1) * labels..].iter().copied();
            sums.set(last);
            self.log_z = sums.over(std::iter::empty());
        }
        for position in (1..self.length).rev() {
            let (before, here) = self.beta.split_at_mut(position * labels);
            let scores = &self.scores[position * labels..][..labels];
            sums.set(scores.iter().zip(&*here).map(|(score, beta)| score + beta));
            let before = &mut before[(position - 1) * labels..];
            for (from, sum) in before.iter_mut().enumerate() {
                *sum = sums.over(self.from.get(from));
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
        self.pair(position, from, to, self.from.weight(from, to))
    }

    fn pair(&self, position: usize, from: usize, to: usize, weight: f64) -> f64 {
        let next = (position + 1) * self.labels + to;
        probability(
            self.alpha[position * self.labels + from]
                + weight
                + self.scores[next]
                + self.beta[next]
                - self.log_z,
        )
    }

    /// The expected number of occurrences of a pair of labels.
    pub fn pair_sum(&self, from: usize, to: usize) -> f64 {
        let weight = self.from.weight(from, to);
        (1..self.length)
            .map(|position| self.pair(position - 1, from, to, weight))
            .sum()
    }
}

/// Sums of exponentials over runs of labels, as logarithms: a tree in an array, the labels at its end.
struct Sums {
    width: usize,
    labels: usize,
    tree: Vec<f64>,
}

impl Sums {
    fn new(labels: usize) -> Self {
        let width = labels.next_power_of_two();
        Self {
            width,
            labels,
            tree: vec![f64::NEG_INFINITY; 2 * width],
        }
    }

    fn set(&mut self, terms: impl Iterator<Item = f64>) {
        for (place, term) in self.tree[self.width..].iter_mut().zip(terms) {
            *place = term;
        }
        for at in (1..self.width).rev() {
            self.tree[at] = log_add(self.tree[2 * at], self.tree[2 * at + 1]);
        }
    }

    /// The sum over all labels, each term plus its weight; labels with a weight rise.
    fn over(&self, weighted: impl Iterator<Item = (usize, f64)>) -> f64 {
        let mut sum = f64::NEG_INFINITY;
        let mut next = 0;
        for (label, weight) in weighted {
            sum = log_add(sum, self.run(next, label));
            sum = log_add(sum, self.tree[self.width + label] + weight);
            next = label + 1;
        }
        log_add(sum, self.run(next, self.labels))
    }

    /// The sum over the labels from `start` up to `end`.
    fn run(&self, start: usize, end: usize) -> f64 {
        let (mut left, mut right) = (start + self.width, end + self.width);
        let mut sum = f64::NEG_INFINITY;
        while left < right {
            if left % 2 == 1 {
                sum = log_add(sum, self.tree[left]);
                left += 1;
            }
            if right % 2 == 1 {
                right -= 1;
                sum = log_add(sum, self.tree[right]);
            }
            left /= 2;
            right /= 2;
        }
        sum
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

/// log(exp(a) + exp(b)).
fn log_add(a: f64, b: f64) -> f64 {
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    if low == f64::NEG_INFINITY {
        high
    } else {
        high + libm::log1p(libm::exp(low - high))
    }
}
