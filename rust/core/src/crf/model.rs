//! A trained random field: names, pairs and their weights.

use super::builder::Names;
use super::features::Features;
use crate::error::{Error, Result};
use crate::numeric::to_index;

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

    /// A model of pairs in any order: the first, the second, the weight.
    ///
    /// # Errors
    /// [`Error::Model`] when a pair is there twice or names what does not exist, or a weight is not finite.
    ///
    /// # Complexity
    /// Time n log n for n pairs.
    pub fn from_pairs(
        attributes: Names,
        labels: Names,
        states: Vec<(u32, u32, f64)>,
        transitions: Vec<(u32, u32, f64)>,
    ) -> Result<Self> {
        let (starts, seconds, mut weights) = runs("states", states, attributes.len())?;
        let (label_starts, next_labels, more) = runs("transitions", transitions, labels.len())?;
        weights.extend(more);
        let features = Features::from_parts(starts, seconds, label_starts, next_labels)?;
        Self::new(attributes, labels, features, weights)
    }

    /// The same model with weights of triples: an attribute, two neighbouring labels, the weight; in any order.
    ///
    /// # Errors
    /// [`Error::Model`] when a triple is there twice or names what does not exist, its attribute has weights with single labels, or a weight is not finite.
    pub fn with_triples(mut self, mut triples: Vec<(u32, u32, u32, f64)>) -> Result<Self> {
        triples.sort_unstable_by_key(|&(attribute, from, to, _)| (attribute, from, to));
        let mut starts = vec![0; self.attributes.len() + 1];
        let (mut labels, mut weights) = (Vec::new(), self.weights);
        for (attribute, from, to, weight) in triples {
            let Some(count) = starts.get_mut(to_index(attribute.into()) + 1) else {
                return Err(Error::Model {
                    part: "triples",
                    problem: "have one of something that does not exist".to_owned(),
                });
            };
            *count += 1;
            labels.push((from, to));
            weights.push(weight);
        }
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        let features = self.features.with_triples(starts, labels)?;
        check_weights(&features, &weights)?;
        (self.features, self.weights) = (features, weights);
        Ok(self)
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

/// Where the pairs of each first start and their number, the seconds, the weights.
fn runs(
    part: &'static str,
    mut pairs: Vec<(u32, u32, f64)>,
    firsts: usize,
) -> Result<(Vec<usize>, Vec<u32>, Vec<f64>)> {
    let wrong = |problem: &str| {
        Err(Error::Model {
            part,
            problem: problem.to_owned(),
        })
    };
    pairs.sort_unstable_by_key(|&(first, second, _)| (first, second));
    let is_twice = |pair: &[(u32, u32, f64)]| (pair[0].0, pair[0].1) == (pair[1].0, pair[1].1);
    if pairs.windows(2).any(is_twice) {
        return wrong("have a pair that is there twice");
    }
    let mut starts = vec![0; firsts + 1];
    for &(first, ..) in &pairs {
        match starts.get_mut(to_index(first.into()) + 1) {
            Some(count) => *count += 1,
            None => return wrong("have a pair of something that does not exist"),
        }
    }
    let mut sum = 0;
    for start in &mut starts {
        sum += *start;
        *start = sum;
    }
    let (seconds, weights) = pairs
        .into_iter()
        .map(|(_, second, weight)| (second, weight))
        .unzip();
    Ok((starts, seconds, weights))
}
