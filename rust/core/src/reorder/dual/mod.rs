//! Multinomial logistic regression in its dual, by shrinking stochastic exponentiated gradient (Alrajeh and Niranjan, EMNLP 2014).
//!
//! Each example has a distribution over the classes, its dual variables alpha. They start close to the true class (15), and are moved one
//! example after the other towards softmax(w x), where they are at the optimum (16); the weights follow them (10, 14). An example whose variables are optimal
//! up to `epsilon` leaves the active set (Algorithm 1).
//!
//! DEVIATION: Algorithm 1 ends when the active set is empty. The weights have moved since most examples left it, so that is no optimum: here all examples are
//! looked at again, with a smaller `epsilon`, until the relative duality gap is below `tolerance`. [`Options::unshrink`] turns that off.
//!
//! [`visit`] moves one example, [`active`] orders and shrinks the set, [`train`] is the loop.

mod active;
mod check;
mod state;
#[cfg(test)]
mod tests;
mod train;
mod visit;

pub use check::Check;
pub use train::{Outcome, Pass, train};

use crate::error::{Error, Result};

/// How the variables of one example are moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// One exponentiated gradient step (11), halved until the objective does not rise (13), as in Algorithm 1.
    ExponentiatedGradient,
    /// To their optimum with those of all other examples fixed, by Newton's method in K variables. Ours: see `docs/design/reordering.md`.
    Block,
}

/// What training is told.
#[expect(
    clippy::struct_excessive_bools,
    reason = "switches that do not depend on one another"
)]
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// The variance of the weights' Gaussian prior, sigma^2 in (6); `C` of other programs.
    pub sigma2: f64,
    /// An example leaves the active set when its violation of (16), in log-odds, is at most this.
    pub epsilon: f64,
    /// Whether the active set shrinks at all.
    pub shrink: bool,
    /// Whether examples come back until the gap is closed.
    pub unshrink: bool,
    /// The relative duality gap at which training ends, (P + D) / |P|.
    pub tolerance: f64,
    /// The most passes over the active set.
    pub passes: u32,
    /// The most steps that are tried for one example, `maxTrial`.
    pub trials: u32,
    /// What (15) takes from the true class; None: the smaller of 0.001 and 1/N.
    pub start: Option<f64>,
    /// How one example is moved.
    pub method: Method,
    /// Whether there is a feature that all examples have; its weights are regularised like others.
    pub bias: bool,
    /// The seed of the order in which examples are visited.
    pub seed: u64,
    /// Whether the dual variables are part of the outcome.
    pub keeps_dual: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            sigma2: 0.1,
            epsilon: 0.1,
            shrink: true,
            unshrink: true,
            tolerance: 1e-3,
            passes: 100,
            trials: 12,
            start: None,
            method: Method::ExponentiatedGradient,
            bias: true,
            seed: 1,
            keeps_dual: true,
        }
    }
}

impl Options {
    /// Refuses what has no meaning.
    pub(crate) fn check(&self) -> Result<()> {
        positive("sigma2", self.sigma2)?;
        positive("epsilon", self.epsilon)?;
        if !self.tolerance.is_finite() || self.tolerance < 0.0 {
            return Err(Error::config(
                "tolerance",
                "a number of at least 0",
                self.tolerance,
            ));
        }
        if self.passes == 0 {
            return Err(Error::config("passes", "at least 1", self.passes));
        }
        if self.trials == 0 {
            return Err(Error::config("trials", "at least 1", self.trials));
        }
        match self.start {
            Some(start) if !(start > 0.0 && start < 1.0) => Err(Error::config(
                "start",
                "between 0 and 1, both excluded: the dual has no value at 0",
                start,
            )),
            _ => Ok(()),
        }
    }
}

/// Refuses numbers that are not above zero and finite.
pub(crate) fn positive(name: &'static str, number: f64) -> Result<()> {
    if number.is_finite() && number > 0.0 {
        Ok(())
    } else {
        Err(Error::config(name, "a finite number above 0", number))
    }
}
