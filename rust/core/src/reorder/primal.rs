//! Multinomial logistic regression by stochastic gradient descent on the primal (6): the baseline of Alrajeh and Niranjan (EMNLP 2014, eq. 8).
#![expect(
    clippy::inline_always,
    reason = "K is a constant where a kernel is called, which makes its loops straight code"
)]

use super::dual::positive;
use super::rows::Examples;
use super::shuffle::{Shuffled, shuffle};
use super::weights::{Weights, add_to, largest, scores_of};
use crate::cancel::CancelToken;
use crate::error::{Error, Result};
use crate::numeric::to_f64;
use crate::progress::Progress;
use crate::rng::Stream;

const BLOCK: usize = Shuffled::BLOCK;

/// What tells this module's random numbers from those of others.
const STREAM: u64 = 0x7072_696D;

/// Below this factor the weights are multiplied out, before they run out of range.
const LEAST_SCALE: f64 = 1e-6;

/// What training is told.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// The variance of the weights' Gaussian prior, sigma^2 in (6).
    pub sigma2: f64,
    /// The first learning rate. It falls as `rate / (1 + rate lambda t)` after `t` examples, with `lambda = 1 / (sigma^2 N)` (Bottou 2010).
    pub rate: f64,
    /// Passes over the examples.
    pub epochs: u32,
    /// Whether there is a feature that all examples have; its weights are regularised like others.
    pub bias: bool,
    /// The seed of the order in which examples are visited.
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            sigma2: 0.1,
            rate: 0.1,
            epochs: 10,
            bias: true,
            seed: 1,
        }
    }
}

/// Goes on with training: `weights` move, and `seen` counts the examples that they have seen.
///
/// The result holds the mean loss of each epoch in nats, each example under the weights just before it moved them.
/// `total` is N of the regulariser's weight 1/N for each example: the number of examples, or what it will be when they come in parts.
///
/// # Errors
/// [`Error::Config`]: an option is out of range; [`Error::Examples`]: there is no example; [`Error::Cancelled`].
///
/// # Complexity
/// Time of an epoch: entries times K, plus K exponentials for each example. The regulariser's pull on all weights is one factor.
pub fn train(
    examples: Examples<'_>,
    weights: &mut Weights,
    seen: &mut u64,
    total: u64,
    options: &Options,
    cancel: &CancelToken,
    progress: &dyn Progress,
) -> Result<Vec<f64>> {
    positive("sigma2", options.sigma2)?;
    positive("rate", options.rate)?;
    if options.epochs == 0 {
        return Err(Error::config("epochs", "at least 1", options.epochs));
    }
    if examples.is_empty() {
        return Err(Error::Examples {
            example: 0,
            problem: "training needs examples".to_owned(),
            found: "none".to_owned(),
        });
    }
    if weights.classes() != examples.classes()
        || weights.values.len()
            != (examples.rows.columns() + usize::from(options.bias)) * examples.classes()
    {
        return Err(Error::Model {
            part: "the matrix of weights",
            problem: "is for other features or classes than the examples have".to_owned(),
        });
    }
    let lambda = 1.0 / (options.sigma2 * to_f64(total.max(1)));
    progress.report("training", 0, u64::from(options.epochs), &[]);
    // Keyed by what was seen before, so that training in parts draws other orders for each.
    let shuffled = Shuffled::new(examples, None, Stream::new(&[options.seed, STREAM, *seen]))?;
    let examples = shuffled.examples();
    let mut losses = Vec::new();
    for epoch in 0..options.epochs {
        let stream = Stream::new(&[options.seed, STREAM, *seen, 1]);
        let mut run = Run {
            examples,
            weights,
            seen,
            lambda,
            rate: options.rate,
        };
        let loss = match examples.classes() {
            2 => run.epoch(2, stream, cancel),
            3 => run.epoch(3, stream, cancel),
            4 => run.epoch(4, stream, cancel),
            k => run.epoch(k, stream, cancel),
        }? / to_f64(examples.len() as u64);
        losses.push(loss);
        progress.report(
            "training",
            u64::from(epoch) + 1,
            u64::from(options.epochs),
            &[("loss", loss)],
        );
    }
    Ok(losses)
}

struct Run<'a> {
    examples: Examples<'a>,
    weights: &'a mut Weights,
    seen: &'a mut u64,
    lambda: f64,
    rate: f64,
}

impl Run<'_> {
    #[inline(always)]
    fn epoch(&mut self, k: usize, stream: Stream, cancel: &CancelToken) -> Result<f64> {
        let bias = self.weights.bias();
        let (mut scores, mut change) = (vec![0.0; k], vec![0.0; k]);
        // The weights are `scale` times what is stored, so that the regulariser moves one number instead of all.
        let (mut scale, mut loss) = (1.0, 0.0);
        let blocks = self.examples.len().div_ceil(BLOCK);
        let mut order: Vec<usize> = (0..blocks).collect();
        let mut draws = 0;
        shuffle(&mut order, stream, &mut draws);
        let mut members = Vec::with_capacity(BLOCK);
        for (done, &block) in order.iter().enumerate() {
            if done % 64 == 0 {
                cancel.check()?;
            }
            members.clear();
            members.extend(block * BLOCK..((block + 1) * BLOCK).min(self.examples.len()));
            shuffle(&mut members, stream, &mut draws);
            for &i in &members {
                let eta = self.rate / (1.0 + self.rate * self.lambda * to_f64(*self.seen));
                *self.seen += 1;
                let row = self.examples.rows.row(i);
                let label = self.examples.label(i);
                scores_of(k, row, bias, &self.weights.values, &mut scores);
                for score in &mut scores[..k] {
                    *score *= scale;
                }
                let top = largest(&scores[..k]);
                let own = scores[label];
                let mut sum = 0.0;
                for score in &mut scores[..k] {
                    *score = libm::exp(*score - top);
                    sum += *score;
                }
                loss += libm::log(sum) + top - own;
                // (8) with (7): first the pull to zero, then the example's part.
                scale *= 1.0 - eta * self.lambda / (1.0 + eta * self.lambda);
                for c in 0..k {
                    let target = f64::from(u8::from(c == label));
                    change[c] = eta / scale * (target - scores[c] / sum);
                }
                add_to(k, row, bias, &mut self.weights.values, &change);
                if scale < LEAST_SCALE {
                    self.multiply_out(&mut scale);
                }
            }
        }
        self.multiply_out(&mut scale);
        Ok(loss)
    }

    fn multiply_out(&mut self, scale: &mut f64) {
        for weight in &mut self.weights.values {
            *weight *= *scale;
        }
        *scale = 1.0;
    }
}
