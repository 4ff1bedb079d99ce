//! Forward-backward over several sequences at once, one in each lane of a vector, in scaled probabilities.
//!
//! Rabiner (1989), section V.A: alpha is divided by its sum s(t) at each position, beta by the same numbers; the logarithm of Z is the sum of those of s. No
//! exponential or logarithm stands inside the loops over pairs of labels: scores of positions are exponentiated once, after their
//! maximum was subtracted, factors of pairs of labels once for each vector of weights.
//!
//! Tables are by label, then position, then lane. A lane that has ended has scores of minus infinity, so that its factors are 0 and it adds nothing.

#![expect(
    clippy::needless_range_loop,
    reason = "a loop over lanes by number is what the compiler turns into vector instructions"
)]

use super::exponential::exp;
use super::transitions::{Links, Transitions};
use crate::numeric::{id_index, to_f64};

/// The widest span of factors, as logarithms, that probabilities hold: from the best label of a position to the worst one that is possible, and from the largest weight of a
/// pair of labels to the smallest. The proof is in docs/design/crf.md; a sequence with a wider span is computed in logarithms instead.
pub(super) const SPAN: f64 = 600.0;

/// Tables for sequences of up to `length` positions.
#[derive(Debug)]
pub(super) struct Lanes<const W: usize> {
    labels: usize,
    length: usize,
    /// Rows of a label: at least `length`, odd, so that the rows of different labels do not compete for the same places of the cache.
    stride: usize,
    /// Scores; after [`forward`](Self::forward) their exponentials, after [`backward`](Self::backward) exponential times beta over s.
    pub gamma: Vec<[f64; W]>,
    alpha: Vec<[f64; W]>,
    /// 1 / s(t).
    inverses: Vec<[f64; W]>,
    /// Posterior probabilities of labels, by position, lane, label.
    pub posteriors: Vec<f64>,
    beta: Vec<[f64; W]>,
    /// Number of positions of each lane.
    pub lengths: [usize; W],
    /// The logarithm of Z of each lane, without what was subtracted from scores.
    pub log_z: [f64; W],
}

impl<const W: usize> Lanes<W> {
    pub fn new() -> Self {
        Self {
            labels: 0,
            length: 0,
            stride: 0,
            gamma: Vec::new(),
            alpha: Vec::new(),
            inverses: Vec::new(),
            posteriors: Vec::new(),
            beta: Vec::new(),
            lengths: [0; W],
            log_z: [0.0; W],
        }
    }

    /// Makes room for sequences of these lengths; lanes without a sequence have length 0. All scores are minus infinity.
    pub fn reset(&mut self, labels: usize, lengths: [usize; W]) {
        self.labels = labels;
        self.length = lengths.into_iter().max().unwrap_or(0);
        self.stride = self.length | 1;
        self.lengths = lengths;
        let size = labels * self.stride;
        self.gamma.clear();
        self.gamma.resize(size, [f64::NEG_INFINITY; W]);
        // What was there is written over before it is read.
        if self.alpha.len() < size {
            self.alpha.resize(size, [0.0; W]);
        }
        let rows = self.length * W * labels;
        if self.posteriors.len() < rows {
            self.posteriors.resize(rows, 0.0);
        }
        self.inverses.clear();
        self.inverses.resize(self.length, [0.0; W]);
        self.beta.clear();
        self.beta.resize(labels, [0.0; W]);
    }

    /// Sets the score of a label at a position.
    #[inline]
    pub fn set_score(&mut self, lane: usize, position: usize, label: usize, score: f64) {
        self.gamma[label * self.stride + position][lane] = score;
    }

    /// The posterior probabilities of all labels at a position, after [`backward`](Self::backward).
    #[inline]
    pub fn posterior(&self, lane: usize, position: usize) -> &[f64] {
        let start = (position * W + lane) * self.labels;
        &self.posteriors[start..start + self.labels]
    }

    /// Exponentials of scores, alpha, and the logarithm of Z. The largest score of each position must be 0. Returns whether each lane is sound: nothing that matters was lost
    /// to underflow or to cancellation.
    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "it must be compiled for the instructions of its caller"
    )]
    pub fn forward(&mut self, transitions: &Transitions) -> [bool; W] {
        let used = self.labels * self.stride;
        let mut lowest = [0.0_f64; W];
        for row in &mut self.gamma[..used] {
            for lane in 0..W {
                // What is not possible loses nothing.
                let score = row[lane];
                let possible = if score == f64::NEG_INFINITY {
                    0.0
                } else {
                    score
                };
                lowest[lane] = if possible < lowest[lane] {
                    possible
                } else {
                    lowest[lane]
                };
                row[lane] = exp(score);
            }
        }
        let mut is_sound = [true; W];
        for lane in 0..W {
            is_sound[lane] = transitions.span - lowest[lane] <= SPAN;
        }
        let mut product = [1.0_f64; W];
        self.log_z = [0.0; W];
        for position in 0..self.length {
            let sums = if position == 0 {
                self.first()
            } else {
                self.step(transitions, position)
            };
            let mut inverse = [0.0; W];
            for lane in 0..W {
                inverse[lane] = if sums[lane] > 0.0 {
                    1.0 / sums[lane]
                } else {
                    0.0
                };
            }
            for label in 0..self.labels {
                let alpha = &mut self.alpha[label * self.stride + position];
                for lane in 0..W {
                    alpha[lane] *= inverse[lane];
                }
            }
            self.inverses[position] = inverse;
            for lane in 0..W {
                if position < self.lengths[lane] {
                    is_sound[lane] &= sums[lane] > 0.0 && sums[lane].is_finite();
                    // One logarithm for many positions.
                    product[lane] *= sums[lane];
                    if !(1e-40..1e40).contains(&product[lane]) {
                        self.log_z[lane] += libm::log(product[lane]);
                        product[lane] = 1.0;
                    }
                }
            }
        }
        for lane in 0..W {
            self.log_z[lane] += libm::log(product[lane]);
            let steps = self.lengths[lane].saturating_sub(1);
            self.log_z[lane] += to_f64(steps as u64) * transitions.shift;
            is_sound[lane] &= self.log_z[lane].is_finite();
        }
        is_sound
    }

    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "it must be compiled for the instructions of its caller"
    )]
    fn first(&mut self) -> [f64; W] {
        let mut sums = [0.0; W];
        for label in 0..self.labels {
            let at = label * self.stride;
            self.alpha[at] = self.gamma[at];
            for lane in 0..W {
                sums[lane] += self.gamma[at][lane];
            }
        }
        sums
    }

    /// alpha before division, and its sums.
    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "it must be compiled for the instructions of its caller"
    )]
    fn step(&mut self, transitions: &Transitions, position: usize) -> [f64; W] {
        let mut sums = [0.0; W];
        let before = position - 1;
        for label in 0..self.labels {
            let Links { background, links } = transitions.into(label);
            let mut even = [background; W];
            let mut odd = [0.0; W];
            let mut pairs = links.chunks_exact(2);
            for pair in &mut pairs {
                let first = &self.alpha[id_index(pair[0].label) * self.stride + before];
                let second = &self.alpha[id_index(pair[1].label) * self.stride + before];
                for lane in 0..W {
                    even[lane] += first[lane] * pair[0].excess;
                }
                for lane in 0..W {
                    odd[lane] += second[lane] * pair[1].excess;
                }
            }
            for link in pairs.remainder() {
                let first = &self.alpha[id_index(link.label) * self.stride + before];
                for lane in 0..W {
                    even[lane] += first[lane] * link.excess;
                }
            }
            let at = label * self.stride + position;
            let (gamma, alpha) = (&self.gamma[at], &mut self.alpha[at]);
            for lane in 0..W {
                // Rounding may leave a little less than nothing where the background cancels.
                let sum = even[lane] + odd[lane];
                alpha[lane] = (if sum > 0.0 { sum } else { 0.0 }) * gamma[lane];
                sums[lane] += alpha[lane];
            }
        }
        sums
    }

    /// Posterior probabilities of labels, and gamma(t, j) = exp(score) beta(t, j) / s(t): the posterior probability of the pair (i, j) at t - 1 and t is then alpha(t - 1, i)
    /// factor(i, j) gamma(t, j). gamma(0, j) is set to 0, so that [`pair_sum`](Self::pair_sum) can run over all rows.
    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "it must be compiled for the instructions of its caller"
    )]
    pub fn backward(&mut self, transitions: &Transitions) {
        for position in (0..self.length).rev() {
            for lane in 0..W {
                if self.lengths[lane] == position + 1 {
                    for beta in &mut self.beta {
                        beta[lane] = 1.0;
                    }
                }
            }
            let inverse = self.inverses[position];
            let mut sums = [0.0; W];
            for label in 0..self.labels {
                let at = label * self.stride + position;
                let (alpha, gamma, beta) =
                    (&self.alpha[at], &mut self.gamma[at], &self.beta[label]);
                for lane in 0..W {
                    let posterior = alpha[lane] * beta[lane];
                    self.posteriors[(position * W + lane) * self.labels + label] = posterior;
                    gamma[lane] *= beta[lane] * inverse[lane];
                    sums[lane] += gamma[lane];
                }
            }
            if position > 0 {
                self.back(transitions, position, sums);
            }
        }
        for label in 0..self.labels {
            let row = label * self.stride;
            self.gamma[row] = [0.0; W];
            // The row behind the last one is read by the sum over pairs.
            for extra in self.length..self.stride {
                self.gamma[row + extra] = [0.0; W];
                self.alpha[row + extra] = [0.0; W];
            }
        }
    }

    /// beta of the position before this one.
    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "it must be compiled for the instructions of its caller"
    )]
    fn back(&mut self, transitions: &Transitions, position: usize, sums: [f64; W]) {
        for label in 0..self.labels {
            let mut even = [0.0; W];
            let mut odd = [0.0; W];
            let Links { background, links } = transitions.from(label);
            for lane in 0..W {
                even[lane] = background * sums[lane];
            }
            let mut pairs = links.chunks_exact(2);
            for pair in &mut pairs {
                let first = &self.gamma[id_index(pair[0].label) * self.stride + position];
                let second = &self.gamma[id_index(pair[1].label) * self.stride + position];
                for lane in 0..W {
                    even[lane] += first[lane] * pair[0].excess;
                }
                for lane in 0..W {
                    odd[lane] += second[lane] * pair[1].excess;
                }
            }
            for link in pairs.remainder() {
                let first = &self.gamma[id_index(link.label) * self.stride + position];
                for lane in 0..W {
                    even[lane] += first[lane] * link.excess;
                }
            }
            let beta = &mut self.beta[label];
            for lane in 0..W {
                let sum = even[lane] + odd[lane];
                beta[lane] = if sum > 0.0 { sum } else { 0.0 };
            }
        }
    }

    /// The sum over lanes and positions of alpha(t - 1, from) gamma(t, to): times the factor of the pair, its expected number of occurrences.
    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "it must be compiled for the instructions of its caller"
    )]
    pub fn pair_sum(&self, from: usize, to: usize) -> f64 {
        let alpha = &self.alpha[from * self.stride..][..self.length.max(1) - 1];
        let gamma = &self.gamma[to * self.stride + 1..][..self.length.max(1) - 1];
        let mut sums = [0.0; W];
        for (alpha, gamma) in alpha.iter().zip(gamma) {
            for lane in 0..W {
                sums[lane] += alpha[lane] * gamma[lane];
            }
        }
        fold(&sums)
    }

    /// Multiplies what the first lanes add to [`pair_sum`](Self::pair_sum); 0 takes a lane out, whatever it holds.
    pub fn multiply(&mut self, factors: &[f64; W], count: usize) {
        #[expect(clippy::float_cmp, reason = "1 changes nothing")]
        let is_plain = factors[..count].iter().all(|&factor| factor == 1.0);
        if is_plain {
            return;
        }
        let used = self.labels * self.stride;
        for (alpha, gamma) in self.alpha[..used].iter_mut().zip(&mut self.gamma[..used]) {
            for (lane, &factor) in factors[..count].iter().enumerate() {
                if factor == 0.0 {
                    alpha[lane] = 0.0;
                    gamma[lane] = 0.0;
                } else {
                    gamma[lane] *= factor;
                }
            }
        }
    }

    /// Takes a lane out: it adds nothing to sums over pairs any more.
    pub fn silence(&mut self, lane: usize) {
        let mut factors = [1.0; W];
        factors[lane] = 0.0;
        self.multiply(&factors, lane + 1);
    }
}

/// The sum of all lanes, halves first.
#[inline(always)]
#[expect(
    clippy::inline_always,
    reason = "it must be compiled for the instructions of its caller"
)]
fn fold<const W: usize>(sums: &[f64; W]) -> f64 {
    let mut sums = *sums;
    let mut width = W;
    while width > 1 {
        width /= 2;
        for lane in 0..width {
            sums[lane] += sums[lane + width];
        }
    }
    sums[0]
}
