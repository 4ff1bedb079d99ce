//! The negative log-likelihood of labelled sequences and its gradient, on many threads.
//!
//! Expected counts are summed as whole numbers in units of a power of two: such sums do not depend on their order, so each thread has one vector of sums, takes
//! whatever block comes next, and the result has the same bits for any number of threads.

use super::dataset::{Sequence, Sequences};
use super::features::Features;
use super::groups::{Groups, WIDTH};
use super::lanes::Lanes;
use super::log_chain::LogChain;
use super::rows::{Cell, Expected, Rows, whole};
use super::scores::largest;
use super::transitions::Transitions;
use crate::cancel::CancelToken;
use crate::error::{Error, Result};
use crate::numeric::to_f64;
use crate::parallel;
use pulp::{Arch, Simd, WithSimd};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// Units of expected counts are at least 2^-FINEST.
const FINEST: i32 = 44;

/// The largest value, and the largest sum of values of an attribute, without signs: units are then at most 2^-20.
const LARGEST_VALUE: f64 = 1e9;
const LARGEST_SUM: f64 = 1e12;

/// -log p of labelled sequences as a function of the weights.
#[derive(Debug)]
pub struct Likelihood<'a> {
    data: &'a Sequences,
    features: &'a Features,
    /// What the training sequences have of each pair.
    counts: &'a [f64],
    groups: Groups,
    rows: Rows,
    /// Units of expected counts in 1: a power of 2.
    scale: f64,
    workers: Mutex<Vec<Worker>>,
    evaluations: AtomicU64,
}

/// What a thread works with.
#[derive(Debug)]
struct Worker {
    wide: Lanes<WIDTH>,
    narrow: Lanes<1>,
    scratch: Scratch,
}

#[derive(Debug)]
struct Scratch {
    /// Scores of a position.
    scores: Vec<f64>,
    /// Probabilities of labels at a position in units.
    units: Vec<i64>,
    /// Weights and expected counts in units of pairs of an attribute and a label; those that lie in the table are counted there.
    cells: Vec<Cell>,
    table: Vec<i64>,
    /// Expected counts of pairs of labels in units.
    pairs: Vec<i64>,
    /// The evaluation that weights and counts belong to.
    evaluation: u64,
}

/// One vector of weights, laid out.
struct At<'a> {
    weights: &'a [f64],
    table: Vec<f64>,
    transitions: Transitions,
    evaluation: u64,
}

impl<'a> Likelihood<'a> {
    /// The function for sequences whose pairs were counted by [`Features::collect`].
    ///
    /// # Errors
    /// [`Error::Config`] when values are too large to be added up, or an attribute is not among those of the pairs; [`Error::Memory`].
    pub fn new(data: &'a Sequences, features: &'a Features, counts: &'a [f64]) -> Result<Self> {
        if data.attribute_bound() > features.attributes() {
            let expected = format!("ids below {}", features.attributes());
            let found = data.attribute_bound() - 1;
            return Err(Error::config("attributes", &expected, found));
        }
        Ok(Self {
            data,
            features,
            counts,
            groups: Groups::new(data, features.labels()),
            rows: Rows::new(data, features)?,
            scale: unit_scale(data, features.attributes())?,
            workers: Mutex::new(Vec::new()),
            evaluations: AtomicU64::new(0),
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
        let at = At {
            weights,
            table: self.rows.table(self.features, weights),
            transitions: Transitions::new(self.features, weights),
            evaluation: self.evaluations.fetch_add(1, Ordering::Relaxed) + 1,
        };
        let blocks = self.groups.blocks.clone();
        let logs = parallel::map(threads, cancel, blocks, |_, block| {
            let Worker {
                mut wide,
                mut narrow,
                mut scratch,
            } = self.take(&at)?;
            let mut log_z = 0.0;
            for group in &self.groups.groups[block] {
                cancel.check()?;
                log_z += if group.len() == 1 {
                    self.add_group(&at, &mut narrow, &mut scratch, group)
                } else {
                    self.add_group(&at, &mut wide, &mut scratch, group)
                };
            }
            self.give_back(Worker {
                wide,
                narrow,
                scratch,
            });
            Ok(log_z)
        })?;
        self.merge(at.evaluation, gradient);
        let gold: f64 = weights.iter().zip(self.counts).map(|(w, c)| w * c).sum();
        Ok(logs.iter().sum::<f64>() - gold)
    }

    /// An idle worker, or a new one, with these weights.
    fn take(&self, at: &At<'_>) -> Result<Worker> {
        let idle = self
            .workers
            .lock()
            .ok()
            .and_then(|mut workers| workers.pop());
        let mut worker = match idle {
            Some(worker) => worker,
            None => self.hire()?,
        };
        let scratch = &mut worker.scratch;
        if scratch.evaluation != at.evaluation {
            scratch.evaluation = at.evaluation;
            for (cell, &weight) in scratch.cells.iter_mut().zip(at.weights) {
                cell.weight = weight;
                cell.sum = 0;
            }
            scratch.table.fill(0);
            scratch.pairs.fill(0);
        }
        Ok(worker)
    }

    fn hire(&self) -> Result<Worker> {
        let states = self.features.state_count();
        let mut cells: Vec<Cell> = Vec::new();
        cells.try_reserve_exact(states).map_err(|_| Error::Memory {
            what: "expected counts",
            bytes: (states as u64).saturating_mul(size_of::<Cell>() as u64),
        })?;
        cells.extend(self.features.state_labels().iter().map(|&label| Cell {
            label,
            ..Cell::default()
        }));
        Ok(Worker {
            wide: Lanes::new(),
            narrow: Lanes::new(),
            scratch: Scratch {
                scores: vec![0.0; self.rows.width],
                units: vec![0; self.rows.width],
                cells,
                table: vec![0; self.rows.size()],
                pairs: vec![0; self.features.next_labels().len()],
                evaluation: 0,
            },
        })
    }

    fn give_back(&self, worker: Worker) {
        if let Ok(mut workers) = self.workers.lock() {
            workers.push(worker);
        }
    }

    /// Expected less observed counts.
    fn merge(&self, evaluation: u64, gradient: &mut [f64]) {
        let Ok(mut workers) = self.workers.lock() else {
            return;
        };
        let mut used: Vec<&mut Scratch> = workers
            .iter_mut()
            .map(|worker| &mut worker.scratch)
            .filter(|scratch| scratch.evaluation == evaluation)
            .collect();
        for scratch in &mut used {
            let Scratch { cells, table, .. } = &mut **scratch;
            self.rows
                .each_pair(self.features, |pair, place| cells[pair].sum += table[place]);
        }
        let (states, pairs) = gradient.split_at_mut(self.features.state_count());
        let (state_counts, pair_counts) = self.counts.split_at(states.len());
        for (at, (derivative, count)) in states.iter_mut().zip(state_counts).enumerate() {
            let sum: i64 = used.iter().map(|scratch| scratch.cells[at].sum).sum();
            *derivative = real(sum) / self.scale - count;
        }
        for (at, (derivative, count)) in pairs.iter_mut().zip(pair_counts).enumerate() {
            let sum: i64 = used.iter().map(|scratch| scratch.pairs[at]).sum();
            *derivative = real(sum) / self.scale - count;
        }
    }

    /// Adds the expected counts of a group of sequences; returns the sum of the logarithms of Z.
    fn add_group<const W: usize>(
        &self,
        at: &At<'_>,
        lanes: &mut Lanes<W>,
        scratch: &mut Scratch,
        group: &[usize],
    ) -> f64 {
        Arch::new().dispatch(Pass {
            of: self,
            at,
            lanes,
            scratch,
            group,
        })
    }

    /// Sets the scores of all lanes less the largest of each position; returns the sum of what was subtracted.
    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "it must be compiled for the instructions of its caller"
    )]
    fn set_scores<const W: usize>(
        &self,
        at: &At<'_>,
        lanes: &mut Lanes<W>,
        scratch: &mut Scratch,
        sequences: &[Sequence<'_>],
    ) -> f64 {
        let labels = self.features.labels();
        let mut lengths = [0; W];
        for (length, sequence) in lengths.iter_mut().zip(sequences) {
            *length = sequence.len();
        }
        lanes.reset(labels, lengths);
        let mut subtracted = 0.0;
        for (lane, sequence) in sequences.iter().enumerate() {
            for position in 0..sequence.len() {
                let row = scratch.scores.as_mut_slice();
                let number = sequence.first() + position;
                self.rows.score(number, &at.table, &scratch.cells, row);
                let top = largest(&row[..labels]);
                subtracted += top;
                for (label, &value) in row[..labels].iter().enumerate() {
                    lanes.set_score(lane, position, label, value - top);
                }
            }
        }
        subtracted
    }

    /// Adds the expected counts of pairs of attributes and labels at a position.
    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "it must be compiled for the instructions of its caller"
    )]
    fn add_position(&self, scratch: &mut Scratch, position: usize, probabilities: &[f64]) {
        for (unit, &probability) in scratch.units.iter_mut().zip(probabilities) {
            *unit = whole(probability * self.scale);
        }
        let expected = Expected {
            probabilities,
            units: &scratch.units,
            scale: self.scale,
        };
        self.rows
            .count(position, &expected, &mut scratch.table, &mut scratch.cells);
    }

    /// Adds the expected counts of a sequence that probabilities cannot hold; returns the logarithm of Z less the largest scores.
    #[cold]
    #[inline(never)]
    fn add_in_logs(&self, at: &At<'_>, scratch: &mut Scratch, sequence: &Sequence<'_>) -> f64 {
        let labels = self.features.labels();
        let mut scores = Vec::with_capacity(labels * sequence.len());
        for position in 0..sequence.len() {
            let row = scratch.scores.as_mut_slice();
            let number = sequence.first() + position;
            self.rows.score(number, &at.table, &scratch.cells, row);
            let top = largest(&row[..labels]);
            scores.extend(row[..labels].iter().map(|score| score - top));
        }
        let chain = LogChain::new(self.features, at.weights, scores);
        let mut posterior = vec![0.0; labels];
        for position in 0..sequence.len() {
            for (label, value) in posterior.iter_mut().enumerate() {
                *value = chain.posterior(position, label);
            }
            self.add_position(scratch, sequence.first() + position, &posterior);
        }
        let states = self.features.state_count();
        for (from, to, pair) in self.features.label_pairs() {
            scratch.pairs[pair - states] += large_whole(chain.pair_sum(from, to) * self.scale);
        }
        chain.log_z
    }
}

/// The work on one group, compiled for each set of vector instructions; the processor's is chosen when it runs.
struct Pass<'p, 'a, const W: usize> {
    of: &'p Likelihood<'a>,
    at: &'p At<'p>,
    lanes: &'p mut Lanes<W>,
    scratch: &'p mut Scratch,
    group: &'p [usize],
}

impl<const W: usize> WithSimd for Pass<'_, '_, W> {
    type Output = f64;

    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "it must be compiled for the instructions of its caller"
    )]
    fn with_simd<S: Simd>(self, _: S) -> f64 {
        let Self {
            of,
            at,
            lanes,
            scratch,
            group,
        } = self;
        let sequences: Vec<Sequence<'_>> =
            group.iter().map(|&number| of.data.get(number)).collect();
        let mut log_z = of.set_scores(at, lanes, scratch, &sequences);
        let is_sound = lanes.forward(&at.transitions);
        lanes.backward(&at.transitions);
        for (lane, sequence) in sequences.iter().enumerate() {
            if is_sound[lane] {
                log_z += lanes.log_z[lane];
                for position in 0..sequence.len() {
                    let posterior = lanes.posterior(lane, position);
                    of.add_position(scratch, sequence.first() + position, posterior);
                }
            } else {
                // The scores that were subtracted are part of this sum already.
                log_z += of.add_in_logs(at, scratch, sequence);
                lanes.silence(lane);
            }
        }
        let (starts, next) = (of.features.transition_starts(), of.features.next_labels());
        for from in 0..of.features.labels() {
            let run = starts[from]..starts[from + 1];
            let own = next[run.clone()]
                .iter()
                .zip(&at.transitions.factors[run.clone()])
                .zip(&mut scratch.pairs[run]);
            for ((&to, factor), sum) in own {
                let expected = lanes.pair_sum(from, to as usize) * factor;
                *sum += large_whole(expected * of.scale);
            }
        }
        log_z
    }
}

/// Units in 1: a power of 2, so that no sum leaves 2^61 and no term 2^50.
fn unit_scale(data: &Sequences, attributes: usize) -> Result<f64> {
    let mut sums = vec![0.0_f64; attributes];
    let mut largest_value = 1.0_f64;
    for position in 0..data.positions() {
        data.features(position, |id, value| {
            sums[id as usize] += value.abs();
            largest_value = largest_value.max(value.abs());
        });
    }
    let positions = to_f64(data.positions() as u64);
    let largest_sum = sums.into_iter().fold(positions, f64::max);
    let refuse = |expected: String, found: f64| {
        let expected = format!("{expected}, without signs; divide them by a constant");
        Err(Error::config(
            "the values of an attribute",
            &expected,
            found,
        ))
    };
    if largest_value > LARGEST_VALUE {
        return refuse(format!("at most {LARGEST_VALUE:e}"), largest_value);
    }
    if largest_sum > LARGEST_SUM {
        return refuse(format!("at most {LARGEST_SUM:e} in sum"), largest_sum);
    }
    let mut scale = 2_f64.powi(FINEST);
    while largest_sum * scale > 2_f64.powi(61) || largest_value * scale > 2_f64.powi(50) {
        scale *= 0.5;
    }
    Ok(scale)
}

/// The nearest whole number.
#[inline]
#[expect(
    clippy::cast_possible_truncation,
    reason = "sums were checked to stay below 2^62 in size"
)]
fn large_whole(number: f64) -> i64 {
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
