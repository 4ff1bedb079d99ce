//! A chain whose positions have lists of possible labels: its sum, and its best path.
//!
//! All is computed with scaled factors, not logarithms. Sums and maxima of a position are divided by scales of their own, so that words of any length keep
//! their precision.

use super::factors::Factors;

/// The positions of one sequence.
#[derive(Debug, Clone, Default)]
pub(super) struct Lattice {
    pub(super) starts: Vec<usize>,
    pub(super) labels: Vec<u32>,
    /// exp(score - largest score of the position).
    pub(super) own: Vec<f64>,
    /// The best path that ends here, over the scale of its position.
    pub(super) best: Vec<f64>,
    /// The scales of sums and of best paths.
    sums: Vec<f64>,
    pub(super) tops: Vec<f64>,
    /// The probability of the best path.
    pub(super) top: f64,
    alpha: Vec<f64>,
}

impl Lattice {
    pub fn clear(&mut self) {
        self.starts.clear();
        self.starts.push(0);
        self.labels.clear();
        self.own.clear();
    }

    /// Adds a position with its labels and the scores of each.
    pub fn push(&mut self, labels: &[u32], scores: &[f64]) {
        let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        self.labels.extend_from_slice(labels);
        self.own
            .extend(scores.iter().map(|score| libm::exp(score - largest)));
        self.starts.push(self.labels.len());
    }

    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Labels of a position.
    pub fn labels(&self, position: usize) -> &[u32] {
        &self.labels[self.starts[position]..self.starts[position + 1]]
    }

    /// Computes sums and best paths.
    pub fn run(&mut self, factors: &Factors) {
        self.best.clear();
        self.best.resize(self.own.len(), 0.0);
        self.alpha.clear();
        self.alpha.resize(self.own.len(), 0.0);
        self.sums.clear();
        self.tops.clear();
        let mut log_top = 0.0;
        for position in 0..self.len() {
            let here = self.starts[position]..self.starts[position + 1];
            let mut before = 0..0;
            if position > 0 {
                before = self.starts[position - 1]..here.start;
            }
            let (done_alpha, rest_alpha) = self.alpha.split_at_mut(here.start);
            let (done_best, rest_best) = self.best.split_at_mut(here.start);
            let (alpha, best) = (&done_alpha[before.clone()], &done_best[before.clone()]);
            let from = &self.labels[before];
            let (mut sum, mut top) = (0.0, 0.0f64);
            for (at, index) in here.clone().enumerate() {
                let own = self.own[index];
                let (into_sum, into_best) = if position == 0 {
                    (1.0, 1.0)
                } else {
                    into(factors, self.labels[index], from, alpha, best)
                };
                rest_alpha[at] = own * into_sum;
                rest_best[at] = own * into_best;
                sum += rest_alpha[at];
                top = top.max(rest_best[at]);
            }
            let count = here.len();
            rest_alpha[..count].iter_mut().for_each(|a| *a /= sum);
            rest_best[..count].iter_mut().for_each(|b| *b /= top);
            self.sums.push(sum);
            self.tops.push(top);
            // Both have the same factors: their quotient stays near the probability of the best path so far.
            log_top += libm::log(top / sum);
        }
        self.top = libm::exp(log_top.min(0.0));
    }

    /// What a path that begins here gives its probability: own factor over the scale of sums.
    pub fn first(&self, label_at: usize) -> f64 {
        self.own[label_at] / self.sums[0]
    }

    /// What one more label gives to the probability of a path.
    pub fn next(&self, position: usize, label_at: usize, from: u32, factors: &Factors) -> f64 {
        let index = self.starts[position] + label_at;
        self.own[index] * factors.get(from, self.labels[index]) / self.sums[position]
    }
}

#[inline]
fn into(factors: &Factors, to: u32, from: &[u32], alpha: &[f64], best: &[f64]) -> (f64, f64) {
    let (mut sum, mut top) = (0.0, 0.0f64);
    if let Some(row) = factors.row(to) {
        for ((&from, &alpha), &best) in from.iter().zip(alpha).zip(best) {
            let factor = row[from as usize];
            sum += alpha * factor;
            let product = best * factor;
            top = if product > top { product } else { top };
        }
    } else {
        for ((&from, &alpha), &best) in from.iter().zip(alpha).zip(best) {
            let factor = factors.get(from, to);
            sum += alpha * factor;
            top = top.max(best * factor);
        }
    }
    (sum, top)
}
