//! Early stopping: training ends when labels of held-out sequences get no better, and the weights that labelled them best are kept.

use super::builder::Names;
use super::dataset::Sequences;
use super::decode::{Decoder, Input};
use super::features::Features;
use super::lbfgs::State;
use super::model::Model;
use crate::cancel::CancelToken;
use crate::error::{Error, Result};
use crate::numeric::to_f64;

/// Watches the share of held-out positions that get the right label.
#[derive(Debug)]
pub struct HeldOut<'a> {
    attributes: &'a Names,
    labels: &'a Names,
    features: &'a Features,
    data: &'a Sequences,
    patience: usize,
    history: Vec<f64>,
    best: Vec<f64>,
    best_iteration: usize,
}

impl<'a> HeldOut<'a> {
    /// Watches labelled sequences with the ids of these names; training ends after `patience` iterations without a better share.
    ///
    /// # Errors
    /// [`Error::Config`] when there is no position, one has no label, or `patience` is 0.
    pub fn new(
        attributes: &'a Names,
        labels: &'a Names,
        features: &'a Features,
        data: &'a Sequences,
        patience: usize,
    ) -> Result<Self> {
        if data.positions() == 0 || !data.is_labelled() {
            return Err(Error::config(
                "the held-out data",
                "labelled at each position, with at least one position",
                "others",
            ));
        }
        if patience == 0 {
            return Err(Error::config("patience", "at least 1", patience));
        }
        Ok(Self {
            attributes,
            labels,
            features,
            data,
            patience,
            history: Vec::new(),
            best: Vec::new(),
            best_iteration: 0,
        })
    }

    /// Looks at the weights of an iteration; returns whether to go on. Of equal shares the first one counts.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub fn see(&mut self, state: &State<'_>, threads: usize, cancel: &CancelToken) -> Result<bool> {
        let model = Model::new(
            self.attributes.clone(),
            self.labels.clone(),
            self.features.clone(),
            state.weights.to_vec(),
        )?;
        let input = Input::new(self.data, None, &model)?;
        let (found, _) = Decoder::new(&model).best(&input, threads, cancel)?;
        let pairs = found.iter().zip(self.data.labels());
        let right = pairs.filter(|(found, gold)| found == gold).count();
        let share = to_f64(right as u64) / to_f64(found.len() as u64);
        let top = self
            .history
            .iter()
            .copied()
            .fold(f64::NEG_INFINITY, f64::max);
        self.history.push(share);
        if share > top {
            self.best_iteration = state.iteration;
            self.best.clear();
            self.best.extend_from_slice(state.weights);
        }
        Ok(state.iteration - self.best_iteration < self.patience)
    }

    /// The share after each iteration, and the weights of the best one; none before the first iteration.
    #[must_use]
    pub fn finish(self) -> (Vec<f64>, Option<Vec<f64>>) {
        let has_any = !self.history.is_empty();
        (self.history, has_any.then_some(self.best))
    }
}
