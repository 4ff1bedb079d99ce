//! A trained random field: names, pairs and their weights.

use super::builder::Names;
use super::features::Features;
use crate::error::{Error, Result};

/// A linear-chain conditional random field; immutable.
#[derive(Debug, Clone)]
pub struct Model {
    attributes: Names,
    labels: Names,
    features: Features,
    weights: Vec<f64>,
}

impl Model {
    /// A model of its parts. Attributes may have names without pairs behind those of `features`.
    ///
    /// # Errors
    /// [`Error::Model`] when there is no label, numbers of names, pairs and weights do not agree, or a weight is not finite.
    pub fn new(
        attributes: Names,
        labels: Names,
        features: Features,
        weights: Vec<f64>,
    ) -> Result<Self> {
        let wrong = |part, problem: String| Err(Error::Model { part, problem });
        if labels.is_empty() || labels.len() != features.labels() {
            let problem = format!("are {}, but pairs have {}", labels.len(), features.labels());
            return wrong("labels", problem);
        }
        if attributes.len() < features.attributes() {
            let found = attributes.len();
            let problem = format!("are {found}, but pairs have {}", features.attributes());
            return wrong("attributes", problem);
        }
        check_weights(&features, &weights)?;
        Ok(Self {
            attributes,
            labels,
            features,
            weights,
        })
    }

    /// Puts other weights in the place of these.
    ///
    /// # Errors
    /// [`Error::Model`] when there are not as many, or one is not finite.
    pub(super) fn replace_weights(&mut self, weights: &[f64]) -> Result<()> {
        check_weights(&self.features, weights)?;
        self.weights.copy_from_slice(weights);
        Ok(())
    }

    /// The names of attributes.
    #[must_use]
    pub fn attributes(&self) -> &Names {
        &self.attributes
    }

    /// The names of labels.
    #[must_use]
    pub fn labels(&self) -> &Names {
        &self.labels
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
}

fn check_weights(features: &Features, weights: &[f64]) -> Result<()> {
    let problem = if weights.len() != features.len() {
        let found = weights.len();
        format!("are {found}, but there are {} pairs", features.len())
    } else if let Some(weight) = weights.iter().find(|weight| !weight.is_finite()) {
        format!("have one that is {weight}, not finite")
    } else {
        return Ok(());
    };
    Err(Error::Model {
        part: "weights",
        problem,
    })
}
