//! CRF++'s models: binary files, and the text that `crf_learn -t` writes beside them.
//!
//! Both hold a factor of all weights, the number of columns before the label, the labels, the templates, attributes with numbers, and the weights.
//! An attribute of a template `U` has a weight for each label, from its number on; one of `B`, with cells or without, has a weight for each pair of labels, by the
//! first and then the second.
//!
//! Source: the code of CRF++ 0.59, and models of it.

mod binary;
mod text;

pub use binary::{is_binary, read};
pub use text::{CrfppReader, TEXT_MAGIC};

use super::builder::Names;
use super::model::Model;
use super::template::Template;
use crate::error::{Error, Result};
use crate::text::decode::quote;
use std::ops::Range;

/// The version of the format since CRF++ 0.50.
const VERSION: u64 = 100;

/// What a file holds.
#[derive(Debug, Clone)]
pub struct CrfppModel {
    /// Names and weights. Weights are multiplied by the cost factor; those that are 0, and attributes without others, are left out.
    pub model: Model,
    /// The templates that made the attributes.
    pub template: Template,
    /// The number of columns before the label.
    pub columns: usize,
}

fn unsound<T>(part: &'static str, problem: String) -> Result<T> {
    Err(Error::Model { part, problem })
}

#[derive(Debug, Default)]
struct Parts {
    labels: Vec<String>,
    templates: String,
    /// Attributes with the number of their first weight.
    attributes: Vec<(u64, String)>,
    weights: Vec<f64>,
}

impl Parts {
    fn finish(mut self, factor: f64, columns: usize) -> Result<CrfppModel> {
        if let Some(weight) = self
            .weights
            .iter()
            .find(|&&weight| !(weight * factor).is_finite())
        {
            return unsound(
                "the weights",
                format!("have {weight}, too large for the cost factor {factor}"),
            );
        }
        self.attributes.sort();
        let runs = self.runs()?;
        let template = Template::parse(&self.templates)?;
        let mut model = Pairs::new(self.labels.len());
        for ((_, name), run) in self.attributes.iter().zip(runs) {
            let weights = self.weights[run].iter().map(|weight| weight * factor);
            if !name.starts_with('B') {
                model.add_states(name, weights);
            } else if template.is_plain(name) {
                model.add_transitions(weights);
            } else {
                model.add_triples(name, weights);
            }
        }
        if template.columns() > columns {
            let last = template.columns() - 1;
            return unsound(
                "a template",
                format!("names column {last}, but xsize is {columns}"),
            );
        }
        Ok(CrfppModel {
            model: model.finish(&self.labels)?,
            template,
            columns,
        })
    }

    /// Which weights belong to each attribute: the ids must cut all weights into runs without gaps.
    fn runs(&self) -> Result<Vec<Range<usize>>> {
        let labels = self.labels.len();
        let mut start = 0;
        let mut runs = Vec::new();
        for (id, name) in &self.attributes {
            let length = if name.starts_with('B') {
                labels.saturating_mul(labels)
            } else {
                labels
            };
            if usize::try_from(*id) != Ok(start) {
                let problem = format!(
                    "have {} with the number {id}, where {start} is needed",
                    quote(name)
                );
                return unsound("the attributes", problem);
            }
            runs.push(start..start.saturating_add(length));
            start = start.saturating_add(length);
        }
        if start != self.weights.len() {
            let weights = self.weights.len();
            let problem = format!("have {start} weights together, but the file has {weights}");
            return unsound("the attributes", problem);
        }
        Ok(runs)
    }
}

/// Pairs with a weight other than 0.
struct Pairs {
    labels: usize,
    names: Vec<String>,
    states: Vec<(u32, u32, f64)>,
    /// Attributes, two labels, weights.
    triples: Vec<(u32, u32, u32, f64)>,
    /// Weights of all pairs of labels, summed over templates without cells.
    transitions: Vec<f64>,
}

impl Pairs {
    fn new(labels: usize) -> Self {
        Self {
            labels,
            names: Vec::new(),
            states: Vec::new(),
            triples: Vec::new(),
            transitions: Vec::new(),
        }
    }

    fn add_states(&mut self, name: &str, weights: impl Iterator<Item = f64>) {
        // More ids than 32 bits are refused with the names.
        let id = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
        let before = self.states.len();
        let kept = weights.zip(0..).filter(|&(weight, _)| weight != 0.0);
        self.states
            .extend(kept.map(|(weight, label)| (id, label, weight)));
        if self.states.len() > before {
            self.names.push(name.to_owned());
        }
    }

    fn add_triples(&mut self, name: &str, weights: impl Iterator<Item = f64>) {
        let id = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
        let before = self.triples.len();
        let labels = u32::try_from(self.labels).unwrap_or(u32::MAX);
        let pairs = (0..labels).flat_map(|from| (0..labels).map(move |to| (from, to)));
        let kept = weights.zip(pairs).filter(|&(weight, _)| weight != 0.0);
        self.triples
            .extend(kept.map(|(weight, (from, to))| (id, from, to, weight)));
        if self.triples.len() > before {
            self.names.push(name.to_owned());
        }
    }

    fn add_transitions(&mut self, weights: impl ExactSizeIterator<Item = f64>) {
        self.transitions.resize(weights.len(), 0.0);
        for (sum, weight) in self.transitions.iter_mut().zip(weights) {
            *sum += weight;
        }
    }

    fn finish(self, labels: &[String]) -> Result<Model> {
        let names = |what, names: &[String]| {
            Names::new(what, names.iter().map(String::as_str)).map_err(|problem| match problem {
                Error::Config { found, .. } => Error::Model {
                    part: what,
                    problem: format!("have {found}"),
                },
                other => other,
            })
        };
        let transitions = self.transitions.chunks(self.labels.max(1)).zip(0..);
        let pairs = transitions.flat_map(|(row, from)| {
            let kept = row.iter().zip(0..).filter(|&(&weight, _)| weight != 0.0);
            kept.map(move |(&weight, to)| (from, to, weight))
        });
        let model = Model::from_pairs(
            names("the attributes", &self.names)?,
            names("the labels", labels)?,
            self.states,
            pairs.collect(),
        )?;
        if self.triples.is_empty() {
            Ok(model)
        } else {
            model.with_triples(self.triples)
        }
    }
}
