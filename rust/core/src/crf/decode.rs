//! Labels, lists of labellings and probabilities of many sequences, on many threads.

mod by_text;

use self::by_text::ByText;
use super::dataset::Sequence;
use super::groups::{Groups, WIDTH};
use super::input::Input;
use super::lanes::Lanes;
use super::log_chain::LogChain;
use super::model::Model;
use super::nbest::{Labelling, nbest, total};
use super::scores::largest;
use super::transitions::Transitions;
use super::viterbi::PairScores;
use crate::cancel::CancelToken;
use crate::error::{Error, Result};
use crate::numeric::to_index;
use crate::parallel;
use pulp::{Arch, Simd, WithSimd};

/// What is asked of a model, prepared once for many sequences.
#[derive(Debug)]
pub struct Decoder<'a> {
    model: &'a Model,
    pairs: PairScores,
}

/// Labellings of one sequence with what is needed for their probabilities.
#[derive(Debug, Clone, PartialEq)]
pub struct Listed {
    /// The best labellings.
    pub labellings: Vec<Labelling>,
    /// The natural logarithm of Z: of all allowed labellings.
    pub log_z: f64,
}

/// Probabilities of labels.
#[derive(Debug, Clone, PartialEq)]
pub struct Posteriors {
    /// By position among all, then label.
    pub labels: Vec<f64>,
    /// The natural logarithm of Z of each sequence.
    pub log_z: Vec<f64>,
}

impl<'a> Decoder<'a> {
    /// Prepares a model.
    #[must_use]
    pub fn new(model: &'a Model) -> Self {
        Self {
            model,
            pairs: PairScores::new(model.features(), model.weights()),
        }
    }

    /// The best labels of all positions, and the score of each sequence.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    ///
    /// # Complexity
    /// T L^2 additions and comparisons for a sequence, without branches.
    pub fn best(
        &self,
        input: &Input<'_>,
        threads: usize,
        cancel: &CancelToken,
    ) -> Result<(Vec<u32>, Vec<f64>)> {
        if let Some(text) = ByText::of(self, input)? {
            return text.best(threads, cancel);
        }
        let parts = parallel::map(threads, cancel, input.blocks(), |_, block| {
            let (mut all, mut sums) = (Vec::new(), Vec::new());
            let (mut scores, mut labels) = (Vec::new(), Vec::new());
            for number in block {
                cancel.check()?;
                input.scores(&input.data.get(number), self.model, &mut scores);
                self.pairs.maximize(&mut scores);
                sums.push(self.pairs.trace(&scores, &mut labels));
                all.extend_from_slice(&labels);
            }
            Ok((all, sums))
        })?;
        let mut found = (Vec::with_capacity(input.data.positions()), Vec::new());
        for (labels, sums) in parts {
            found.0.extend(labels);
            found.1.extend(sums);
        }
        Ok(found)
    }

    /// The `n` best labellings of each sequence, with the logarithm of Z.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub fn nbest(
        &self,
        input: &Input<'_>,
        n: usize,
        threads: usize,
        cancel: &CancelToken,
    ) -> Result<Vec<Listed>> {
        if let Some(text) = ByText::of(self, input)? {
            return text.nbest(n, threads, cancel);
        }
        let log_z = self.log_z(input, threads, cancel)?;
        let parts = parallel::map(threads, cancel, input.blocks(), |_, block| {
            let mut listed = Vec::new();
            let mut scores = Vec::new();
            for number in block {
                cancel.check()?;
                input.scores(&input.data.get(number), self.model, &mut scores);
                let mut best = scores.clone();
                self.pairs.maximize(&mut best);
                listed.push(Listed {
                    labellings: nbest(&self.pairs, &scores, &best, input.labels, n),
                    log_z: log_z[number],
                });
            }
            Ok(listed)
        })?;
        Ok(parts.concat())
    }

    /// The scores of given labels of each sequence; minus infinity where a label is not allowed or not among those of the model.
    ///
    /// # Errors
    /// [`Error::Config`] when there is not one label for each position; [`Error::Cancelled`].
    pub fn scores_of(
        &self,
        input: &Input<'_>,
        labels: &[u32],
        threads: usize,
        cancel: &CancelToken,
    ) -> Result<Vec<f64>> {
        if labels.len() != input.data.positions() {
            let expected = format!("one for each of the {} positions", input.data.positions());
            return Err(Error::config("labels", &expected, labels.len()));
        }
        if let Some(text) = ByText::of(self, input)? {
            return text.scores_of(labels, threads, cancel);
        }
        let parts = parallel::map(threads, cancel, input.blocks(), |_, block| {
            let (mut sums, mut scores) = (Vec::new(), Vec::new());
            for number in block {
                let sequence = input.data.get(number);
                let own = &labels[sequence.first()..][..sequence.len()];
                if own
                    .iter()
                    .any(|&label| to_index(label.into()) >= input.labels)
                {
                    sums.push(f64::NEG_INFINITY);
                    continue;
                }
                input.scores(&sequence, self.model, &mut scores);
                sums.push(total(&self.pairs, &scores, own, input.labels));
            }
            Ok(sums)
        })?;
        Ok(parts.concat())
    }

    /// The probability of each label at each position, and the logarithm of Z of each sequence.
    ///
    /// # Errors
    /// [`Error::Cancelled`]; [`Error::Memory`].
    pub fn posteriors(
        &self,
        input: &Input<'_>,
        threads: usize,
        cancel: &CancelToken,
    ) -> Result<Posteriors> {
        let size = input.data.positions() * input.labels;
        let mut labels: Vec<f64> = Vec::new();
        labels.try_reserve_exact(size).map_err(|_| Error::Memory {
            what: "probabilities of labels",
            bytes: (size as u64).saturating_mul(8),
        })?;
        labels.resize(size, 0.0);
        let mut log_z = vec![0.0; input.data.len()];
        for (number, log, rows) in self.forward_backward(input, true, threads, cancel)? {
            log_z[number] = log;
            let start = input.data.get(number).first() * input.labels;
            labels[start..start + rows.len()].copy_from_slice(&rows);
        }
        Ok(Posteriors { labels, log_z })
    }

    /// The logarithm of Z of each sequence.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub fn log_z(
        &self,
        input: &Input<'_>,
        threads: usize,
        cancel: &CancelToken,
    ) -> Result<Vec<f64>> {
        let mut log_z = vec![0.0; input.data.len()];
        for (number, log, _) in self.forward_backward(input, false, threads, cancel)? {
            log_z[number] = log;
        }
        Ok(log_z)
    }

    /// The probability of each pair of labels at each position of a sequence and the next one: by position, first label, second label.
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub fn pair_posteriors(&self, input: &Input<'_>, number: usize) -> Result<Vec<f64>> {
        if let Some(text) = ByText::of(self, input)? {
            return Ok(text.pair_posteriors(number));
        }
        let sequence = input.data.get(number);
        let chain = self.chain(input, &sequence);
        let mut found = Vec::new();
        for position in 1..sequence.len() {
            for from in 0..input.labels {
                found.extend(
                    (0..input.labels).map(|to| chain.pair_posterior(position - 1, from, to)),
                );
            }
        }
        Ok(found)
    }

    fn chain(&self, input: &Input<'_>, sequence: &Sequence<'_>) -> LogChain {
        let mut scores = Vec::new();
        input.scores(sequence, self.model, &mut scores);
        LogChain::new(self.model.features(), self.model.weights(), scores)
    }

    /// Number, logarithm of Z and probabilities of each sequence that is not empty.
    fn forward_backward(
        &self,
        input: &Input<'_>,
        wants_labels: bool,
        threads: usize,
        cancel: &CancelToken,
    ) -> Result<Vec<(usize, f64, Vec<f64>)>> {
        if let Some(text) = ByText::of(self, input)? {
            return text.forward_backward(wants_labels, threads, cancel);
        }
        let transitions = Transitions::new(self.model.features(), self.model.weights());
        let Groups { groups, blocks } = Groups::new(input.data, input.labels);
        let parts = parallel::map(threads, cancel, blocks, |_, block| {
            let (mut wide, mut narrow) = (Lanes::<WIDTH>::new(), Lanes::<1>::new());
            let mut found = Vec::new();
            for group in &groups[block] {
                cancel.check()?;
                if group.len() == 1 {
                    self.group(
                        input,
                        &transitions,
                        &mut narrow,
                        group,
                        wants_labels,
                        &mut found,
                    );
                } else {
                    self.group(
                        input,
                        &transitions,
                        &mut wide,
                        group,
                        wants_labels,
                        &mut found,
                    );
                }
            }
            Ok(found)
        })?;
        Ok(parts.concat())
    }

    fn group<const W: usize>(
        &self,
        input: &Input<'_>,
        transitions: &Transitions,
        lanes: &mut Lanes<W>,
        group: &[usize],
        wants_labels: bool,
        found: &mut Vec<(usize, f64, Vec<f64>)>,
    ) {
        let labels = input.labels;
        let mut lengths = [0; W];
        for (length, &number) in lengths.iter_mut().zip(group) {
            *length = input.data.get(number).len();
        }
        lanes.reset(labels, lengths);
        let (mut row, mut subtracted) = (vec![0.0; labels], [0.0; W]);
        for (lane, &number) in group.iter().enumerate() {
            let sequence = input.data.get(number);
            for position in 0..sequence.len() {
                input.score(sequence.first() + position, self.model, &mut row);
                let top = largest(&row);
                subtracted[lane] += top;
                for (label, &score) in row.iter().enumerate() {
                    lanes.set_score(lane, position, label, score - top);
                }
            }
        }
        let is_sound = Arch::new().dispatch(Pass {
            lanes,
            transitions,
            wants_labels,
        });
        for (lane, &number) in group.iter().enumerate() {
            let sequence = input.data.get(number);
            let mut rows = Vec::new();
            if is_sound[lane] {
                if wants_labels {
                    for position in 0..sequence.len() {
                        rows.extend_from_slice(lanes.posterior(lane, position));
                    }
                }
                found.push((number, lanes.log_z[lane] + subtracted[lane], rows));
            } else {
                let chain = self.chain(input, &sequence);
                if wants_labels {
                    for position in 0..sequence.len() {
                        rows.extend((0..labels).map(|label| chain.posterior(position, label)));
                    }
                }
                found.push((number, chain.log_z, rows));
            }
        }
    }
}

/// Forward-backward of one group, compiled for each set of vector instructions.
struct Pass<'p, const W: usize> {
    lanes: &'p mut Lanes<W>,
    transitions: &'p Transitions,
    wants_labels: bool,
}

impl<const W: usize> WithSimd for Pass<'_, W> {
    type Output = [bool; W];

    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "it must be compiled for the instructions of its caller"
    )]
    fn with_simd<S: Simd>(self, _: S) -> [bool; W] {
        let is_sound = self.lanes.forward(self.transitions);
        if self.wants_labels {
            self.lanes.backward(self.transitions);
        }
        is_sound
    }
}
