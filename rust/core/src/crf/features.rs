//! Which pairs have a weight: (attribute, label), and (label, label) of neighbours.

use super::collect::{label_pairs, state_pairs, weighted};
use super::dataset::Sequences;
use super::triples::Triples;
use crate::error::{Error, Result};
use crate::numeric::{to_f64, to_index, to_u64};

/// Which pairs get weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pairs {
    /// Those that occur in the training sequences.
    Observed,
    /// All: A L pairs of attributes and labels, or L^2 pairs of labels.
    All,
    /// None. For pairs of labels only: labels are then independent of each other.
    None,
}

/// What is to have a weight.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FeatureOptions {
    /// Pairs of an attribute and a label; [`Pairs::None`] is no choice here.
    pub states: Pairs,
    /// Pairs of neighbouring labels.
    pub transitions: Pairs,
    /// The least sum of values of an observed pair; rarer ones get no weight, pairs of labels included.
    pub min_count: f64,
}

impl Default for FeatureOptions {
    fn default() -> Self {
        Self {
            states: Pairs::Observed,
            transitions: Pairs::Observed,
            min_count: 0.0,
        }
    }
}

/// The pairs that have weights. Weights are vectors in this order: pairs of attributes and labels by attribute, then label; then pairs of labels
/// by the first, then the second; then triples of an attribute and two labels.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Features {
    /// Where the pairs of each attribute start.
    states: Vec<usize>,
    state_labels: Vec<u32>,
    /// Where the pairs of each first label start.
    transitions: Vec<usize>,
    next_labels: Vec<u32>,
    triples: Triples,
}

impl Features {
    /// The pairs in labelled sequences with `attributes` different attributes and `labels` labels, and the sum of values of each times the weights of sequences: what the
    /// weights are fitted to. Sequences with the weight 0 have no pairs.
    ///
    /// Where sequences have allowed labels, the pairs are those of all labels that are allowed, and the sums are what they would be if each of them stood there.
    ///
    /// # Errors
    /// [`Error::Config`] for options that make no sense; [`Error::Memory`].
    ///
    /// # Complexity
    /// Time and memory are linear in the occurrences of attributes, plus the pairs that have weights.
    pub fn collect(
        data: &Sequences,
        attributes: usize,
        labels: usize,
        options: &FeatureOptions,
    ) -> Result<(Self, Vec<f64>)> {
        if options.states == Pairs::None {
            return Err(Error::config("states", "observed or all", "none"));
        }
        if !(options.min_count >= 0.0 && options.min_count.is_finite()) {
            return Err(Error::config(
                "min_count",
                "a finite number from 0",
                options.min_count,
            ));
        }
        let mut counts = Vec::new();
        let (states, state_labels) = state_pairs(data, attributes, labels, options, &mut counts)?;
        let (transitions, next_labels) = label_pairs(data, labels, options, &mut counts)?;
        let triples = Triples::collect(data, attributes, labels, options, &mut counts)?;
        let features = Self {
            states,
            state_labels,
            transitions,
            next_labels,
            triples,
        };
        Ok((features, counts))
    }

    /// Pairs from arrays: those of attribute a are `state_labels[states[a]..states[a + 1]]`, likewise for labels.
    ///
    /// # Errors
    /// [`Error::Model`] when offsets do not rise from 0 to the lengths of what they cut, or labels do not rise within a run or do not exist.
    pub fn from_parts(
        states: Vec<usize>,
        state_labels: Vec<u32>,
        transitions: Vec<usize>,
        next_labels: Vec<u32>,
    ) -> Result<Self> {
        let count = transitions.len().saturating_sub(1);
        check_runs("states", &states, &state_labels, count)?;
        check_runs("transitions", &transitions, &next_labels, count)?;
        Ok(Self {
            states,
            state_labels,
            transitions,
            next_labels,
            triples: Triples::default(),
        })
    }

    /// The same pairs, with triples. Attributes that have triples must have no pairs.
    ///
    /// # Errors
    /// [`Error::Model`] when they have, or the triples are not of these attributes and labels.
    pub fn with_triples(mut self, starts: Vec<usize>, labels: Vec<(u32, u32)>) -> Result<Self> {
        let triples = Triples::from_parts(starts, labels, self.attributes(), self.labels())?;
        let runs = self.states.windows(2).zip(triples.starts().windows(2));
        if runs.into_iter().any(|(a, b)| a[0] < a[1] && b[0] < b[1]) {
            return Err(Error::Model {
                part: "triples",
                problem: "have an attribute that also has weights with single labels".to_owned(),
            });
        }
        self.triples = triples;
        Ok(self)
    }

    /// The triples of an attribute and two neighbouring labels.
    #[must_use]
    pub fn triples(&self) -> &Triples {
        &self.triples
    }

    /// Where the weights of triples begin.
    #[must_use]
    pub fn triple_start(&self) -> usize {
        self.state_labels.len() + self.next_labels.len()
    }

    /// Those of all weights that belong to pairs of labels.
    #[must_use]
    pub fn transition_weights<'w>(&self, weights: &'w [f64]) -> &'w [f64] {
        &weights[self.state_count()..self.triple_start()]
    }

    /// Number of attributes.
    #[must_use]
    pub fn attributes(&self) -> usize {
        self.states.len() - 1
    }

    /// Number of labels.
    #[must_use]
    pub fn labels(&self) -> usize {
        self.transitions.len() - 1
    }

    /// Number of pairs of attributes and labels: where the weights of pairs of labels begin.
    #[must_use]
    pub fn state_count(&self) -> usize {
        self.state_labels.len()
    }

    /// Number of all pairs and triples.
    #[must_use]
    pub fn len(&self) -> usize {
        self.triple_start() + self.triples.len()
    }

    /// Whether there are no pairs.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Where the pairs of each attribute start, and their number.
    #[must_use]
    pub fn state_starts(&self) -> &[usize] {
        &self.states
    }

    /// The label of each pair of an attribute and a label.
    #[must_use]
    pub fn state_labels(&self) -> &[u32] {
        &self.state_labels
    }

    /// Where the pairs of each first label start, and their number.
    #[must_use]
    pub fn transition_starts(&self) -> &[usize] {
        &self.transitions
    }

    /// The second label of each pair of labels.
    #[must_use]
    pub fn next_labels(&self) -> &[u32] {
        &self.next_labels
    }

    /// The first label, the second label and the number of each pair of labels.
    pub fn label_pairs(&self) -> impl Iterator<Item = (usize, usize, usize)> + '_ {
        let first = self.state_count();
        (0..self.labels()).flat_map(move |from| {
            (self.transitions[from]..self.transitions[from + 1])
                .map(move |at| (from, to_index(self.next_labels[at].into()), first + at))
        })
    }

    /// The number of a pair of an attribute and a label, if it has a weight.
    #[must_use]
    pub fn state(&self, attribute: usize, label: u32) -> Option<usize> {
        let start = *self.states.get(attribute)?;
        let run = &self.state_labels[start..*self.states.get(attribute + 1)?];
        run.binary_search(&label).ok().map(|at| start + at)
    }

    /// The number of a pair of labels, if it has a weight.
    #[must_use]
    pub fn transition(&self, from: usize, to: u32) -> Option<usize> {
        let start = *self.transitions.get(from)?;
        let run = &self.next_labels[start..*self.transitions.get(from + 1)?];
        let at = run.binary_search(&to).ok()?;
        Some(self.state_count() + start + at)
    }

    /// What labelled sequences have of each pair: sums of values times the weights of sequences. Pairs without a weight are left out. Nothing where sequences have allowed labels.
    ///
    /// # Errors
    /// [`Error::Config`] when a position has no label of these.
    pub fn count(&self, data: &Sequences) -> Result<Vec<f64>> {
        let mut counts = vec![0.0; self.len()];
        if data.allowed().is_some() {
            return Ok(counts);
        }
        for (sequence, weight) in weighted(data) {
            let labels = sequence.labels();
            if let Some(label) = labels
                .iter()
                .find(|&&label| to_index(label.into()) >= self.labels())
            {
                let expected = format!("ids below {}", self.labels());
                return Err(Error::config("labels", &expected, label));
            }
            for (position, &label) in labels.iter().enumerate() {
                data.features(sequence.first() + position, |attribute, value| {
                    if let Some(at) = self.state(to_index(attribute.into()), label) {
                        counts[at] += value * weight;
                    }
                    let pair = position
                        .checked_sub(1)
                        .map(|before| (labels[before], label));
                    if let Some(at) = pair.and_then(|pair| self.triples.find(attribute, pair)) {
                        counts[self.triple_start() + at] += value * weight;
                    }
                });
            }
            for pair in labels.windows(2) {
                if let Some(at) = self.transition(to_index(pair[0].into()), pair[1]) {
                    counts[at] += weight;
                }
            }
        }
        Ok(counts)
    }

    /// Weights of other pairs, carried over to these: 0 for pairs that are new. Ids mean the same in both.
    #[must_use]
    pub fn carry_over(&self, old: &Self, weights: &[f64]) -> Vec<f64> {
        let mut made = Vec::with_capacity(self.len());
        for attribute in 0..self.attributes() {
            let run = &self.state_labels[self.states[attribute]..self.states[attribute + 1]];
            made.extend(
                run.iter()
                    .map(|&label| old.state(attribute, label).map_or(0.0, |at| weights[at])),
            );
        }
        made.extend(self.label_pairs().map(|(from, to, _)| {
            let to = u32::try_from(to).unwrap_or(u32::MAX);
            old.transition(from, to).map_or(0.0, |at| weights[at])
        }));
        for attribute in (0..).take(self.attributes()) {
            let run = &self.triples.labels()[self.triples.of(attribute)];
            made.extend(run.iter().map(|&pair| {
                let at = old.triples.find(attribute, pair);
                at.map_or(0.0, |at| weights[old.triple_start() + at])
            }));
        }
        made
    }
}

fn check_runs(part: &'static str, starts: &[usize], labels: &[u32], count: usize) -> Result<()> {
    let wrong = |problem: &str| {
        Err(Error::Model {
            part,
            problem: problem.to_owned(),
        })
    };
    if starts.first() != Some(&0) || starts.last() != Some(&labels.len()) || !starts.is_sorted() {
        return wrong("do not start at offsets that rise from 0 to their number");
    }
    if labels.iter().any(|&label| to_index(label.into()) >= count) {
        return wrong("name a label that does not exist");
    }
    let rise = |run: &[usize]| labels[run[0]..run[1]].is_sorted_by(|a, b| a < b);
    if starts.windows(2).all(rise) {
        Ok(())
    } else {
        wrong("have labels that do not rise")
    }
}

/// The share of the pairs of labels that have a weight.
#[must_use]
pub fn density(features: &Features) -> f64 {
    let labels = to_f64(to_u64(features.labels()));
    to_f64(to_u64(features.next_labels().len())) / (labels * labels).max(1.0)
}
