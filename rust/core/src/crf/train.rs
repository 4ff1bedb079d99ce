//! Training: the weights that minimise -log p + c2 |w|^2 + c1 |w|_1.

use super::dataset::Sequences;
use super::features::Features;
use super::lbfgs::{Minimum, State, Stopping, minimize};
use super::likelihood::Likelihood;
use super::vectors::Vectors;
use crate::cancel::CancelToken;
use crate::error::{Error, Result};
use crate::progress::Progress;

/// What is minimised, and how.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct TrainOptions {
    /// c2: the factor of the sum of squared weights (no 1/2, as in `CRFsuite`; 1 / (2 sigma^2) of a Gaussian prior).
    pub l2: f64,
    /// c1: the factor of the sum of absolute weights.
    pub l1: f64,
    /// When to stop.
    pub stopping: Stopping,
}

impl TrainOptions {
    /// # Errors
    /// [`Error::Config`] for what is out of range.
    pub fn check(&self) -> Result<()> {
        let from_zero = [
            ("l2", self.l2),
            ("l1", self.l1),
            ("epsilon", self.stopping.epsilon),
            ("delta", self.stopping.delta),
        ];
        for (name, value) in from_zero {
            if !(value.is_finite() && value >= 0.0) {
                return Err(Error::config(name, "a finite number from 0", value));
            }
        }
        if self.stopping.memory == 0 {
            return Err(Error::config("memory", "at least 1", 0));
        }
        Ok(())
    }
}

/// Fits weights to labelled sequences, from `start` on. `counts` are those of [`Features::collect`]; `visit` sees every iteration and returns whether to go on.
///
/// # Errors
/// [`Error::Config`] for options out of range and values too large; [`Error::Cancelled`]; [`Error::Memory`]; those of `visit`.
///
/// # Complexity
/// An evaluation of the likelihood ([`Likelihood::evaluate`]) for each iteration and a few more; memory is 2 m + 5 vectors of weights for L-BFGS with m remembered pairs
/// and one for each thread.
#[expect(
    clippy::too_many_arguments,
    reason = "what is fitted, how, and the three things of long work"
)]
pub fn train(
    data: &Sequences,
    features: &Features,
    counts: &[f64],
    start: Vec<f64>,
    options: &TrainOptions,
    threads: usize,
    cancel: &CancelToken,
    progress: &dyn Progress,
    mut visit: impl FnMut(&State<'_>) -> Result<bool>,
) -> Result<Minimum> {
    options.check()?;
    let likelihood = Likelihood::new(data, features, counts)?;
    let vectors = Vectors::new(threads, cancel);
    let total = options.stopping.max_iterations as u64;
    progress.report("training", 0, total, &[]);
    let l2 = options.l2;
    minimize(
        start,
        options.l1,
        &options.stopping,
        &vectors,
        |weights, gradient| {
            let value = likelihood.evaluate(weights, gradient, threads, cancel)?;
            if l2 > 0.0 {
                vectors.add(2.0 * l2, weights, gradient);
            }
            let squares = if l2 > 0.0 {
                vectors.dot(weights, weights)
            } else {
                0.0
            };
            cancel.check()?;
            Ok(value + l2 * squares)
        },
        |state| {
            cancel.check()?;
            let figures = [
                ("objective", state.objective),
                ("gradient", state.gradient_norm),
            ];
            progress.report("training", state.iteration as u64, total, &figures);
            visit(state)
        },
    )
}
