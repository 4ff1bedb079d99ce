//! The gradient of a few sequences at weights that change after each few.

use super::dataset::{Sequence, Sequences};
use super::features::Features;
use super::groups::{WIDTH, cut};
use super::lanes::Lanes;
use super::log_chain::LogChain;
use super::scores::largest;
use super::slots::Slots;
use super::transitions::Transitions;
use crate::cancel::CancelToken;
use crate::error::Result;
use crate::numeric::to_index;
use pulp::{Arch, Simd, WithSimd};

/// What computes gradients of few sequences, with room to work.
#[derive(Debug)]
pub(super) struct Batch<'a> {
    data: &'a Sequences,
    features: &'a Features,
    wide: Lanes<WIDTH>,
    narrow: Lanes<1>,
    scores: Vec<f64>,
    /// The weights of pairs of labels stand where they stand among all; those before are not used.
    weights: Vec<f64>,
}

impl<'a> Batch<'a> {
    pub fn new(data: &'a Sequences, features: &'a Features) -> Self {
        Self {
            data,
            features,
            wide: Lanes::new(),
            narrow: Lanes::new(),
            scores: vec![0.0; features.labels()],
            weights: vec![0.0; features.len()],
        }
    }

    /// -log p of the sequences of a batch, the longest first, in which no one is empty; its derivatives are added to the sums of slots.
    ///
    /// # Complexity
    /// That of [`Likelihood::evaluate`](super::Likelihood::evaluate) for these sequences, with all attributes as runs of pairs.
    pub fn add(
        &mut self,
        slots: &mut Slots<'_>,
        sequences: &[usize],
        cancel: &CancelToken,
    ) -> Result<f64> {
        let first = self.features.state_count();
        for (weight, slot) in self.weights[first..].iter_mut().zip(&slots.pairs) {
            *weight = slots.scale * slot.weight;
        }
        let transitions = Transitions::new(self.features, &self.weights);
        let mut groups = Vec::new();
        cut(self.data, self.features.labels(), sequences, &mut groups);
        let mut value = 0.0;
        for group in &groups {
            cancel.check()?;
            // An idle table for the time of the call: the pass borrows the rest.
            value += if group.len() == 1 {
                let mut lanes = std::mem::replace(&mut self.narrow, Lanes::new());
                let found = self.pass(&mut lanes, slots, &transitions, group);
                self.narrow = lanes;
                found
            } else {
                let mut lanes = std::mem::replace(&mut self.wide, Lanes::new());
                let found = self.pass(&mut lanes, slots, &transitions, group);
                self.wide = lanes;
                found
            };
        }
        Ok(value)
    }

    fn pass<const W: usize>(
        &mut self,
        lanes: &mut Lanes<W>,
        slots: &mut Slots<'_>,
        transitions: &Transitions,
        group: &[usize],
    ) -> f64 {
        Arch::new().dispatch(Pass {
            of: self,
            lanes,
            slots,
            transitions,
            group,
        })
    }

    /// Sets the scores of all lanes less the largest of each position; returns the sum of what was subtracted less the scores of the given labels.
    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "it must be compiled for the instructions of its caller"
    )]
    fn set_scores<const W: usize>(
        &mut self,
        lanes: &mut Lanes<W>,
        slots: &Slots<'_>,
        sequences: &[Sequence<'_>],
        factors: &[f64; W],
    ) -> f64 {
        let mut lengths = [0; W];
        for (length, sequence) in lengths.iter_mut().zip(sequences) {
            *length = sequence.len();
        }
        lanes.reset(self.features.labels(), lengths);
        let mut sum = 0.0;
        for (lane, sequence) in sequences.iter().enumerate() {
            for (position, &gold) in sequence.labels().iter().enumerate() {
                self.score(slots, sequence.first() + position);
                let top = largest(&self.scores);
                sum += factors[lane] * (top - self.scores[to_index(gold.into())]);
                for (label, &value) in self.scores.iter().enumerate() {
                    lanes.set_score(lane, position, label, value - top);
                }
            }
        }
        sum
    }

    /// The scores of all labels at a position among all.
    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "it must be compiled for the instructions of its caller"
    )]
    fn score(&mut self, slots: &Slots<'_>, position: usize) {
        let Self { scores, data, .. } = self;
        scores.fill(0.0);
        data.features(position, |attribute, value| {
            let factor = value * slots.scale;
            for slot in slots.of(attribute) {
                scores[to_index(slot.label.into())] += factor * slot.weight;
            }
        });
    }

    /// Adds the derivatives at a position: probabilities less 1 for the given label, times the weight of the sequence.
    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "it must be compiled for the instructions of its caller"
    )]
    fn add_position(
        &mut self,
        slots: &mut Slots<'_>,
        position: usize,
        gold: u32,
        probabilities: &[f64],
        factor: f64,
    ) {
        let errors = &mut self.scores;
        errors.copy_from_slice(probabilities);
        errors[to_index(gold.into())] -= 1.0;
        self.data.features(position, |attribute, value| {
            let value = factor * value;
            for slot in slots.of_mut(attribute) {
                slot.sum += value * errors[to_index(slot.label.into())];
            }
        });
    }

    /// A sequence that probabilities cannot hold: its derivatives; returns the logarithm of Z less the largest scores.
    #[cold]
    #[inline(never)]
    fn add_in_logs(&mut self, slots: &mut Slots<'_>, sequence: &Sequence<'_>, factor: f64) -> f64 {
        let labels = self.features.labels();
        let mut scores = Vec::with_capacity(labels * sequence.len());
        for position in 0..sequence.len() {
            self.score(slots, sequence.first() + position);
            let top = largest(&self.scores);
            scores.extend(self.scores.iter().map(|score| score - top));
        }
        let chain = LogChain::new(self.features, &self.weights, scores);
        let mut posterior = vec![0.0; labels];
        for (position, &gold) in sequence.labels().iter().enumerate() {
            for (label, value) in posterior.iter_mut().enumerate() {
                *value = chain.posterior(position, label);
            }
            let number = sequence.first() + position;
            self.add_position(slots, number, gold, &posterior, factor);
        }
        let first = self.features.state_count();
        for (from, to, pair) in self.features.label_pairs() {
            slots.pairs[pair - first].sum += factor * chain.pair_sum(from, to);
        }
        chain.log_z
    }

    /// Subtracts what a sequence has of pairs of labels from their sums; returns the sum of their weights.
    fn subtract_pairs(&self, slots: &mut Slots<'_>, sequence: &Sequence<'_>, factor: f64) -> f64 {
        let first = self.features.state_count();
        let mut score = 0.0;
        for pair in sequence.labels().windows(2) {
            if let Some(at) = self.features.transition(to_index(pair[0].into()), pair[1]) {
                slots.pairs[at - first].sum -= factor;
                score += factor * self.weights[at];
            }
        }
        score
    }
}

/// The work on one group, compiled for each set of vector instructions; the processor's is chosen when it runs.
struct Pass<'p, 'a, 's, const W: usize> {
    of: &'p mut Batch<'a>,
    lanes: &'p mut Lanes<W>,
    slots: &'p mut Slots<'s>,
    transitions: &'p Transitions,
    group: &'p [usize],
}

impl<const W: usize> WithSimd for Pass<'_, '_, '_, W> {
    type Output = f64;

    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "it must be compiled for the instructions of its caller"
    )]
    fn with_simd<S: Simd>(self, _: S) -> f64 {
        let Self {
            of,
            lanes,
            slots,
            transitions,
            group,
        } = self;
        let data = of.data;
        let sequences: Vec<Sequence<'_>> = group.iter().map(|&number| data.get(number)).collect();
        let mut factors = [0.0; W];
        for (factor, &number) in factors.iter_mut().zip(group) {
            *factor = data.weight(number);
        }
        let mut value = of.set_scores(lanes, slots, &sequences, &factors);
        let is_sound = lanes.forward(transitions);
        lanes.backward(transitions);
        for (lane, sequence) in sequences.iter().enumerate() {
            let factor = factors[lane];
            value -= of.subtract_pairs(slots, sequence, factor);
            if is_sound[lane] {
                value += factor * lanes.log_z[lane];
                for (position, &gold) in sequence.labels().iter().enumerate() {
                    let posterior = lanes.posterior(lane, position);
                    let number = sequence.first() + position;
                    of.add_position(slots, number, gold, posterior, factor);
                }
            } else {
                value += factor * of.add_in_logs(slots, sequence, factor);
                lanes.silence(lane);
            }
        }
        lanes.multiply(&factors, sequences.len());
        let (starts, next) = (of.features.transition_starts(), of.features.next_labels());
        for from in 0..of.features.labels() {
            let run = starts[from]..starts[from + 1];
            let own = next[run.clone()]
                .iter()
                .zip(&transitions.factors[run.clone()])
                .zip(&mut slots.pairs[run]);
            for ((&to, factor), slot) in own {
                slot.sum += lanes.pair_sum(from, to_index(to.into())) * factor;
            }
        }
        value
    }
}
