//! The negative log-likelihood of labelled sequences and its gradient, on many threads.
//!
//! Expected counts are summed as whole numbers in units of a power of two: such sums do not depend on their order, so each thread has one vector of sums, takes
//! whatever block comes next, and the result has the same bits for any number of threads.

use super::dataset::{Sequence, Sequences};
use super::features::Features;
use super::groups::{Groups, WIDTH};
use super::lanes::Lanes;
use super::log_chain::LogChain;
use super::scores::{largest, score};
use super::transitions::Transitions;
use crate::cancel::CancelToken;
use crate::error::{Error, Result};
use crate::parallel;
use pulp::Arch;
use std::sync::Mutex;

/// Units of expected counts are at least 2^-FINEST.
const FINEST: i32 = 44;

/// The largest sum of absolute values of an attribute: its counts are then still exact to 2^-20.
const LARGEST: f64 = 1e12;

/// Adding this to a number below 2^51 leaves its nearest whole number in the last bits.
const ROUNDER: f64 = 6_755_399_441_055_744.0;

/// -log p of labelled sequences as a function of the weights.
#[derive(Debug)]
pub struct Likelihood<'a> {
    data: &'a Sequences,
    features: &'a Features,
    /// What the training sequences have of each pair.
    counts: &'a [f64],
    groups: Groups,
    /// Units of expected counts in 1: a power of 2.
    scale: f64,
    workers: Mutex<Vec<Worker>>,
}

/// What a thread works with.
#[derive(Debug)]
struct Worker {
    wide: Lanes<WIDTH>,
    narrow: Lanes<1>,
    /// Scores of a position.
    row: Vec<f64>,
    /// Posterior probabilities of a position in units.
    units: Vec<i64>,
    /// Expected counts of all pairs in units.
    sums: Vec<i64>,
}

impl<'a> Likelihood<'a> {
    /// The function for sequences whose pairs were counted by [`Features::collect`].
    ///
    /// # Errors
    /// [`Error::Config`] when the values of an attribute are too large to be added up, or an attribute is not among those of the pairs.
    pub fn new(data: &'a Sequences, features: &'a Features, counts: &'a [f64]) -> Result<Self> {
        if data.attribute_bound() > features.attributes() {
            let expected = format!("ids below {}", features.attributes());
            return Err(Error::config(
                "attributes",
                &expected,
                data.attribute_bound() - 1,
            ));
        }
        let mut sizes = vec![0.0_f64; features.attributes()];
        for position in 0..data.positions() {
            data.features(position, |id, value| sizes[id as usize] += value.abs());
        }
        let positions = crate::numeric::to_f64(data.positions() as u64);
        let most = sizes.into_iter().fold(positions, f64::max);
        if most > LARGEST {
            return Err(Error::config(
                "the values of an attribute",
                &format!(
                    "at most {LARGEST:e} in sum, without their signs; divide them by a constant"
                ),
                most,
            ));
        }
        let mut exponent = FINEST;
        while most * 2_f64.powi(exponent) > 2_f64.powi(61) {
            exponent -= 1;
        }
        Ok(Self {
            data,
            features,
            counts,
            groups: Groups::new(data, features.labels()),
            scale: 2_f64.powi(exponent),
            workers: Mutex::new(Vec::new()),
        })
    }

    /// -log p of all sequences at these weights; its gradient is written to `gradient`.
    ///
    /// # Errors
    /// [`Error::Cancelled`]; [`Error::Memory`].
    ///
    /// # Complexity
    /// For each position the pairs of its attributes, twice, L exponentials, and 6 floating-point operations for each pair of labels with a weight (each of L^2 when
    /// more than half have one).
    pub fn evaluate(
        &self,
        weights: &[f64],
        gradient: &mut [f64],
        threads: usize,
        cancel: &CancelToken,
    ) -> Result<f64> {
        let transitions = Transitions::new(self.features, weights);
        let blocks = self.groups.blocks.clone();
        let logs = parallel::map(threads, cancel, blocks, |_, block| {
            let mut worker = self.take()?;
            let mut log_z = 0.0;
            for group in &self.groups.groups[block] {
                cancel.check()?;
                log_z += if group.len() == 1 {
                    let Worker {
                        narrow,
                        row,
                        units,
                        sums,
                        ..
                    } = &mut worker;
                    Pass {
                        of: self,
                        weights,
                        transitions: &transitions,
                        row,
                        units,
                        sums,
                    }
                    .run(narrow, group)
                } else {
                    let Worker {
                        wide,
                        row,
                        units,
                        sums,
                        ..
                    } = &mut worker;
                    Pass {
                        of: self,
                        weights,
                        transitions: &transitions,
                        row,
                        units,
                        sums,
                    }
                    .run(wide, group)
                };
            }
            self.give_back(worker);
            Ok(log_z)
        })?;
        self.merge(gradient);
        let gold: f64 = weights.iter().zip(self.counts).map(|(w, c)| w * c).sum();
        Ok(logs.iter().sum::<f64>() - gold)
    }

    fn take(&self) -> Result<Worker> {
        let idle = self
            .workers
            .lock()
            .ok()
            .and_then(|mut workers| workers.pop());
        if let Some(worker) = idle {
            return Ok(worker);
        }
        let mut sums = Vec::new();
        let length = self.features.len();
        sums.try_reserve_exact(length).map_err(|_| Error::Memory {
            what: "expected counts",
            bytes: (length as u64).saturating_mul(8),
        })?;
        sums.resize(length, 0);
        let labels = self.features.labels();
        Ok(Worker {
            wide: Lanes::new(),
            narrow: Lanes::new(),
            row: vec![0.0; labels],
            units: vec![0; labels],
            sums,
        })
    }

    fn give_back(&self, worker: Worker) {
        if let Ok(mut workers) = self.workers.lock() {
            workers.push(worker);
        }
    }

    /// Expected less observed counts; the sums of the workers start anew.
    fn merge(&self, gradient: &mut [f64]) {
        let Ok(mut workers) = self.workers.lock() else {
            return;
        };
        for (at, (derivative, count)) in gradient.iter_mut().zip(self.counts).enumerate() {
            let mut sum = 0_i64;
            for worker in workers.iter_mut() {
                sum += worker.sums[at];
                worker.sums[at] = 0;
            }
            *derivative = real(sum) / self.scale - count;
        }
    }
}

/// One group of sequences at one vector of weights.
struct Pass<'a, 'w> {
    of: &'a Likelihood<'a>,
    weights: &'a [f64],
    transitions: &'a Transitions,
    row: &'w mut [f64],
    units: &'w mut [i64],
    sums: &'w mut [i64],
}

impl Pass<'_, '_> {
    /// Adds expected counts; returns the sum of the logarithms of Z.
    fn run<const W: usize>(&mut self, lanes: &mut Lanes<W>, group: &[usize]) -> f64 {
        let sequences: Vec<Sequence<'_>> = group.iter().map(|&n| self.of.data.get(n)).collect();
        let mut log_z = self.set_scores(lanes, &sequences);
        let (features, transitions) = (self.of.features, self.transitions);
        let arch = Arch::new();
        let is_sound = arch.dispatch(
            #[inline(always)]
            || {
                let is_sound = lanes.forward(transitions);
                lanes.backward(transitions);
                is_sound
            },
        );
        for (lane, sequence) in sequences.iter().enumerate() {
            if is_sound[lane] {
                log_z += lanes.log_z[lane];
                for position in 0..sequence.len() {
                    self.add_position(sequence.first() + position, lanes.posterior(lane, position));
                }
            } else {
                // The score that was subtracted at each position is part of this sum already.
                log_z += self.in_logs(sequence);
                lanes.silence(lane);
            }
        }
        let (sums, scale) = (&mut *self.sums, self.of.scale);
        let first = features.state_count();
        arch.dispatch(
            #[inline(always)]
            || {
                for (from, to, at) in features.label_pairs() {
                    let expected = lanes.pair_sum(from, to) * transitions.factors[at - first];
                    sums[at] += whole(expected * scale);
                }
            },
        );
        log_z
    }

    /// Sets the scores of all lanes less the largest of each position; returns the sum of what was subtracted.
    fn set_scores<const W: usize>(
        &mut self,
        lanes: &mut Lanes<W>,
        sequences: &[Sequence<'_>],
    ) -> f64 {
        let mut lengths = [0; W];
        for (length, sequence) in lengths.iter_mut().zip(sequences) {
            *length = sequence.len();
        }
        lanes.reset(self.of.features.labels(), lengths);
        let mut subtracted = 0.0;
        for (lane, sequence) in sequences.iter().enumerate() {
            for position in 0..sequence.len() {
                let at = sequence.first() + position;
                score(self.of.data, at, self.of.features, self.weights, self.row);
                let top = largest(self.row);
                subtracted += top;
                for (label, &value) in self.row.iter().enumerate() {
                    lanes.set_score(lane, position, label, value - top);
                }
            }
        }
        subtracted
    }

    /// Adds the expected counts of pairs of attributes and labels at a position.
    fn add_position(&mut self, position: usize, posterior: &[f64]) {
        let scale = self.of.scale;
        for (unit, &probability) in self.units.iter_mut().zip(posterior) {
            *unit = small_whole(probability * scale);
        }
        let (starts, labels) = (
            self.of.features.state_starts(),
            self.of.features.state_labels(),
        );
        self.of.data.features(position, |attribute, value| {
            let run = starts[attribute as usize]..starts[attribute as usize + 1];
            let pairs = labels[run.clone()].iter().zip(&mut self.sums[run]);
            #[expect(clippy::float_cmp, reason = "1 is stored exactly")]
            if value == 1.0 {
                for (&label, sum) in pairs {
                    *sum += self.units[label as usize];
                }
            } else {
                for (&label, sum) in pairs {
                    *sum += whole(posterior[label as usize] * value * scale);
                }
            }
        });
    }

    /// Adds the expected counts of a sequence that probabilities cannot hold; returns the logarithm of Z less the largest scores.
    fn in_logs(&mut self, sequence: &Sequence<'_>) -> f64 {
        let (features, scale) = (self.of.features, self.of.scale);
        let labels = features.labels();
        let mut scores = Vec::with_capacity(labels * sequence.len());
        for position in 0..sequence.len() {
            score(
                self.of.data,
                sequence.first() + position,
                features,
                self.weights,
                self.row,
            );
            let top = largest(self.row);
            scores.extend(self.row.iter().map(|score| score - top));
        }
        let chain = LogChain::new(features, self.weights, scores);
        let mut posterior = vec![0.0; labels];
        for position in 0..sequence.len() {
            for (label, value) in posterior.iter_mut().enumerate() {
                *value = chain.posterior(position, label);
            }
            self.add_position(sequence.first() + position, &posterior);
        }
        for (from, to, at) in features.label_pairs() {
            self.sums[at] += whole(chain.pair_sum(from, to) * scale);
        }
        chain.log_z
    }
}

/// The nearest whole number of one from 0 to 2^51.
#[inline]
fn small_whole(number: f64) -> i64 {
    (number + ROUNDER)
        .to_bits()
        .wrapping_sub(ROUNDER.to_bits())
        .cast_signed()
}

/// The nearest whole number.
#[inline]
#[expect(
    clippy::cast_possible_truncation,
    reason = "sums were checked to stay below 2^62 in size"
)]
fn whole(number: f64) -> i64 {
    number.round_ties_even() as i64
}

#[inline]
#[expect(
    clippy::cast_precision_loss,
    reason = "the nearest double is asked for"
)]
fn real(sum: i64) -> f64 {
    sum as f64
}
