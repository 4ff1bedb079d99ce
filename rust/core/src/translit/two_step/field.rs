//! One of the two fields: attributes, weights and factors.

use super::factors::Factors;
use super::grams::Attributes;
use crate::crf::Features;
use crate::error::{Error, Result};

/// No dense row.
const NONE: u32 = u32::MAX;

/// A random field whose attributes are made of strings.
#[derive(Debug, Clone)]
pub struct Field {
    attributes: Attributes,
    features: Features,
    weights: Vec<f64>,
    factors: Factors,
    /// The dense row of each attribute that stands with many labels.
    rows: Vec<u32>,
    dense: Vec<f64>,
}

impl Field {
    /// A field of its parts.
    ///
    /// # Errors
    /// [`Error::Model`] when numbers of attributes, pairs and weights differ, or a weight is not finite.
    pub fn new(attributes: Attributes, features: Features, weights: Vec<f64>) -> Result<Self> {
        let wrong = |part, problem: &str| {
            Err(Error::Model {
                part,
                problem: problem.to_owned(),
            })
        };
        if attributes.keys().len() != features.attributes() {
            return wrong("attributes", "are not as many as those with pairs");
        }
        if weights.len() != features.len() {
            return wrong("weights", "are not as many as pairs");
        }
        if !weights.iter().all(|weight| weight.is_finite()) {
            return wrong("weights", "must be finite numbers");
        }
        let labels = features.labels();
        let pairs: Vec<_> = features
            .label_pairs()
            .map(|(from, to, at)| (from, to, weights[at]))
            .collect();
        let factors = Factors::new(labels, &pairs);
        let (mut rows, mut dense) = (Vec::with_capacity(features.attributes()), Vec::new());
        let mut made = 0;
        for run in features.state_starts().windows(2) {
            if run[1] - run[0] <= labels / 4 {
                rows.push(NONE);
                continue;
            }
            let start = dense.len();
            dense.resize(start + labels, 0.0);
            for at in run[0]..run[1] {
                dense[start + features.state_labels()[at] as usize] = weights[at];
            }
            rows.push(made);
            made += 1;
        }
        Ok(Self {
            attributes,
            features,
            weights,
            factors,
            rows,
            dense,
        })
    }

    /// Number of labels.
    #[must_use]
    pub fn labels(&self) -> usize {
        self.features.labels()
    }

    /// Its attributes.
    #[must_use]
    pub fn attributes(&self) -> &Attributes {
        &self.attributes
    }

    /// The pairs that have weights.
    #[must_use]
    pub fn features(&self) -> &Features {
        &self.features
    }

    /// The weights of the pairs.
    #[must_use]
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    pub(super) fn factors(&self) -> &Factors {
        &self.factors
    }

    /// Adds the weights of an attribute to the scores of the labels in a list. `slots` has for each label of the field its place in the list and 1 more, or 0; `scores`
    /// has one number more than the list, the first of which takes what is not asked for.
    #[inline]
    pub(super) fn add(&self, attribute: u32, list: &[u32], slots: &[u32], scores: &mut [f64]) {
        let attribute = attribute as usize;
        let row = self.rows[attribute];
        if row != NONE {
            let start = row as usize * self.labels();
            let row = &self.dense[start..start + self.labels()];
            for (score, &label) in scores[1..].iter_mut().zip(list) {
                *score += row[label as usize];
            }
            return;
        }
        let starts = self.features.state_starts();
        let run = starts[attribute]..starts[attribute + 1];
        let labels = &self.features.state_labels()[run.clone()];
        for (&label, &weight) in labels.iter().zip(&self.weights[run]) {
            scores[slots[label as usize] as usize] += weight;
        }
    }
}
