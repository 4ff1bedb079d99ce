//! Held-out sequences: how well each iteration's weights label them, and an end of training when they do no better.

use super::builder::Names;
use super::chunks::ChunkLabels;
use super::dataset::Sequences;
use super::decode::Decoder;
use super::features::Features;
use super::input::Input;
use super::label_sets::LabelSets;
use super::model::Model;
use super::snapshot::Snapshot;
use crate::cancel::CancelToken;
use crate::error::{Error, Result};
use crate::numeric::{to_f64, to_index, to_u64};

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// The share of positions with the right label.
    Accuracy,
    /// The F1 of chunks, where all labels are such of chunks; else as [`Accuracy`](Self::Accuracy).
    F1,
}

impl Measure {
    /// The measure of this name.
    ///
    /// # Errors
    /// [`Error::Config`] when there is none.
    pub fn named(name: &str) -> Result<Self> {
        match name {
            "accuracy" => Ok(Self::Accuracy),
            "f1" => Ok(Self::F1),
            other => Err(Error::config(
                "held_out_score",
                "'accuracy' or 'f1'",
                format!("'{other}'"),
            )),
        }
    }
}

/// When held-out sequences are labelled, and what follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Watch {
    /// What is measured.
    pub measure: Measure,
    /// After every so many iterations.
    pub every: usize,
    /// Training ends after so many iterations without a better score, and the best weights are kept; without, nothing follows.
    pub patience: Option<usize>,
}

/// Watches how well held-out sequences are labelled.
#[derive(Debug)]
pub struct HeldOut<'a> {
    model: Model,
    chunks: Option<ChunkLabels>,
    data: &'a Sequences,
    /// Labels that may stand at each position, where not all may.
    claims: Option<Vec<bool>>,
    watch: Watch,
    history: Vec<f64>,
    best: Vec<f64>,
    best_iteration: usize,
}

impl<'a> HeldOut<'a> {
    /// Watches labelled sequences with the ids of these names.
    ///
    /// # Errors
    /// [`Error::Config`] when there is no position, one has no label, or `patience` or `every` is 0.
    pub fn new(
        attributes: &Names,
        labels: &Names,
        features: &Features,
        data: &'a Sequences,
        watch: Watch,
    ) -> Result<Self> {
        if data.positions() == 0 || !data.is_labelled() {
            return Err(Error::config(
                "the held-out data",
                "labelled at each position, with at least one position",
                "others",
            ));
        }
        for (name, number) in [
            ("patience", watch.patience),
            ("held_out_every", Some(watch.every)),
        ] {
            if number == Some(0) {
                return Err(Error::config(name, "at least 1", 0));
            }
        }
        let chunks = match watch.measure {
            Measure::Accuracy => None,
            Measure::F1 => ChunkLabels::new(labels),
        };
        Ok(Self {
            model: Model::new(
                attributes.clone(),
                labels.clone(),
                features.clone(),
                vec![0.0; features.len()],
            )?,
            chunks,
            data,
            claims: None,
            watch,
            history: Vec::new(),
            best: Vec::new(),
            best_iteration: 0,
        })
    }

    /// Labels with these candidates.
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub fn with_candidates(mut self, sets: &LabelSets) -> Result<Self> {
        self.claims = Some(sets.claims()?);
        Ok(self)
    }

    /// Looks at the weights of an iteration; returns whether to go on. Of equal scores the first one counts.
    ///
    /// # Errors
    /// [`Error::Cancelled`]; [`Error::Model`] when a weight is not finite.
    pub fn see(
        &mut self,
        iteration: usize,
        weights: &[f64],
        threads: usize,
        cancel: &CancelToken,
    ) -> Result<bool> {
        if !iteration.is_multiple_of(self.watch.every) {
            return Ok(!self.is_over(iteration));
        }
        self.model.replace_weights(weights)?;
        let input = Input::new(self.data, self.claims.as_deref(), &self.model)?;
        let (found, _) = Decoder::new(&self.model).best(&input, threads, cancel)?;
        let score = if let Some(chunks) = &self.chunks {
            chunks.f1(self.data, &found)
        } else {
            let pairs = found.iter().zip(self.data.labels());
            let right = pairs.filter(|(found, gold)| found == gold).count();
            to_f64(to_u64(right)) / to_f64(to_u64(found.len()))
        };
        let top = self
            .history
            .iter()
            .copied()
            .fold(f64::NEG_INFINITY, f64::max);
        self.history.push(score);
        if score > top {
            self.best_iteration = iteration;
            if self.watch.patience.is_some() {
                self.best.clear();
                self.best.extend_from_slice(weights);
            }
        }
        Ok(!self.is_over(iteration))
    }

    /// Whether the best score is too long ago.
    #[must_use]
    pub fn is_over(&self, iteration: usize) -> bool {
        let most = self.watch.patience.filter(|_| !self.history.is_empty());
        most.is_some_and(|most| iteration.saturating_sub(self.best_iteration) >= most)
    }

    /// The last score.
    #[must_use]
    pub fn score(&self) -> Option<f64> {
        self.history.last().copied()
    }

    /// Adds what it has seen to a snapshot.
    pub fn save(&self, into: &mut Snapshot) {
        into.put("dev.history", self.history.clone());
        into.put("dev.best", self.best.clone());
        into.put(
            "dev.best_iteration",
            vec![to_f64(to_u64(self.best_iteration))],
        );
    }

    /// Has seen what a snapshot says.
    ///
    /// # Errors
    /// [`Error::Model`] when that has nothing of the kind.
    pub fn restore(&mut self, from: &Snapshot) -> Result<()> {
        self.history = from.vector("dev.history")?.to_vec();
        let length = if self.watch.patience.is_some() && !self.history.is_empty() {
            self.model.weights().len()
        } else {
            0
        };
        self.best = from.sized("dev.best", length)?.to_vec();
        self.best_iteration = to_index(from.count("dev.best_iteration")?);
        Ok(())
    }

    /// The scores, and the weights of the best one if that ends training; none before the first score.
    #[must_use]
    pub fn finish(self) -> (Vec<f64>, Option<Vec<f64>>) {
        let has_best = !self.best.is_empty();
        (self.history, has_best.then_some(self.best))
    }
}
