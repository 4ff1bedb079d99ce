//! What watches a search for weights, and what the search tells it.

use super::snapshot::Snapshot;
use super::stopping::Reason;
use crate::error::Result;

/// Where the search is after an iteration.
#[derive(Clone, Copy)]
pub struct State<'a> {
    /// Iterations so far.
    pub iteration: usize,
    /// The objective, with the penalty of absolute values; for other trainers what their history records.
    pub objective: f64,
    /// The Euclidean norm of its gradient (of its pseudo-gradient with absolute values); not every trainer knows it.
    pub gradient_norm: Option<f64>,
    /// The weights.
    pub weights: &'a [f64],
    /// Adds what the next iteration depends on to a snapshot.
    pub(super) save: &'a dyn Fn(&mut Snapshot),
}

impl State<'_> {
    /// What the next iteration depends on: a search that resumes from it has the bits of one that was not interrupted.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        let mut made = Snapshot::default();
        (self.save)(&mut made);
        made
    }
}

/// What watches a search.
pub trait Observer {
    /// An iteration is done; returns whether to go on.
    ///
    /// # Errors
    /// Whatever ends the search.
    fn see(&mut self, state: &State<'_>) -> Result<bool>;

    /// The search was cancelled: the last iteration that is done, once more.
    ///
    /// # Errors
    /// What is told instead of the cancellation.
    fn stop(&mut self, _state: &State<'_>) -> Result<()> {
        Ok(())
    }

    /// Whether [`stop`](Self::stop) is to be called; some searches must remember more for it.
    fn hears_stop(&self) -> bool {
        false
    }

    /// Its score of the last iteration it has seen, if it gives any.
    fn score(&self) -> Option<f64> {
        None
    }

    /// Whether what it has seen ends the search after this iteration: of a search that is resumed.
    fn is_over(&self, _iteration: usize) -> bool {
        false
    }
}

/// Lets the search run.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unwatched;

impl Observer for Unwatched {
    fn see(&mut self, _state: &State<'_>) -> Result<bool> {
        Ok(true)
    }
}

/// What the search found.
#[derive(Debug, Clone, PartialEq)]
pub struct Minimum {
    /// The weights.
    pub weights: Vec<f64>,
    /// The objective before the search and after each iteration. SGD and `AdaGrad`: as it was seen in each pass, each sequence at the weights of that moment, with the penalties
    /// at the end of the pass. The perceptron: the share of wrong labels in each pass.
    pub history: Vec<f64>,
    /// The objective of the weights, if it is known.
    pub objective: Option<f64>,
    /// The norm of the gradient at the end, if it is known.
    pub gradient_norm: Option<f64>,
    /// How often the objective was evaluated.
    pub evaluations: usize,
    /// Why the search ended.
    pub reason: Reason,
}
