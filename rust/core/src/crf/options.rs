//! How weights are to be found, and what is out of range.

use super::stopping::Stopping;
use crate::error::{Error, Result};

/// How weights are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Algorithm {
    /// L-BFGS, or OWL-QN with c1: the minimum, by exact gradients on all threads.
    #[default]
    Lbfgs,
    /// Stochastic gradient descent with one rate; one thread.
    Sgd,
    /// Stochastic gradient descent with a rate for each weight; one thread.
    AdaGrad,
    /// The averaged perceptron, which has another objective; one thread.
    Perceptron,
}

impl Algorithm {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Lbfgs, Self::Sgd, Self::AdaGrad, Self::Perceptron];

    /// One word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Lbfgs => "lbfgs",
            Self::Sgd => "sgd",
            Self::AdaGrad => "adagrad",
            Self::Perceptron => "perceptron",
        }
    }

    /// The algorithm of this name.
    ///
    /// # Errors
    /// [`Error::Config`] when there is none.
    pub fn named(name: &str) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|kind| kind.name() == name);
        found.ok_or_else(|| {
            let expected = "'lbfgs', 'sgd', 'adagrad' or 'perceptron'";
            Error::config("algorithm", expected, format!("'{name}'"))
        })
    }
}

/// What is minimised, and how.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrainOptions {
    /// How.
    pub algorithm: Algorithm,
    /// c2: the factor of the sum of squared weights (no 1/2, as in `CRFsuite`; 1 / (2 sigma^2) of a Gaussian prior). A perceptron has none.
    pub l2: f64,
    /// c1: the factor of the sum of absolute weights. Not for SGD and perceptrons.
    pub l1: f64,
    /// When to stop. For all but L-BFGS iterations are passes over the data, of which only their number, `delta` and `period` are looked at.
    pub stopping: Stopping,
    /// Sequences of a batch of SGD and `AdaGrad`.
    pub batch: usize,
    /// The first rate of SGD and `AdaGrad`; it is found on a sample if there is none.
    pub rate: Option<f64>,
    /// The key of the orders of passes.
    pub seed: u64,
    /// Passes of descent before L-BFGS begins, which start it near the minimum: of SGD, or of `AdaGrad` with c1 or without c2.
    pub warm_passes: usize,
}

impl Default for TrainOptions {
    fn default() -> Self {
        Self {
            algorithm: Algorithm::Lbfgs,
            l2: 0.0,
            l1: 0.0,
            stopping: Stopping::default(),
            batch: 16,
            rate: None,
            seed: 1,
            warm_passes: 0,
        }
    }
}

impl TrainOptions {
    /// # Errors
    /// [`Error::Config`] for what is out of range, or not for this algorithm.
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
        for (name, value) in [("memory", self.stopping.memory), ("batch", self.batch)] {
            if value == 0 {
                return Err(Error::config(name, "at least 1", 0));
            }
        }
        if let Some(rate) = self.rate.filter(|rate| !(rate.is_finite() && *rate > 0.0)) {
            return Err(Error::config("rate", "a finite number above 0", rate));
        }
        match self.algorithm {
            Algorithm::Sgd if self.l1 > 0.0 => Err(Error::config(
                "l1",
                "0 with the algorithm 'sgd'; use 'adagrad' or 'lbfgs'",
                self.l1,
            )),
            Algorithm::Sgd if self.l2 == 0.0 => Err(Error::config(
                "l2",
                "above 0 with the algorithm 'sgd', whose rate falls by it; use 'adagrad' or 'lbfgs'",
                self.l2,
            )),
            _ => Ok(()),
        }
    }
}
