//! The negative log-likelihood of labelled sequences and its gradient, on many threads.
//!
//! Expected counts are summed as whole numbers in units of a power of two: such sums do not depend on their order, so each thread has one vector of sums, takes
//! whatever block comes next, and the result has the same bits for any number of threads.

mod by_text;

use super::dataset::{Sequence, Sequences};
use super::features::Features;
use super::groups::{Groups, WIDTH};
use super::lanes::Lanes;
use super::log_chain::LogChain;
use super::pair_scores::TextScores;
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

/// Pairs that one thread takes at a time when counts are put together.
const PIECE: usize = 1 << 15;

/// -log p of labelled sequences as a function of the weights, each times the weight of its sequence.
///
/// Where sequences have allowed labels ([`Sequences::allowed`]), p is the probability of all labellings that are allowed, log Z of these less log Z of all: not convex in
/// general.
#[derive(Debug)]
pub struct Likelihood<'a> {
    data: &'a Sequences,
    features: &'a Features,
    /// What the training sequences have of each pair; not used where there are allowed labels.
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
    /// Expected counts of pairs of labels, then of triples, in units.
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
    /// [`Error::Config`] when values are too large to be added up, an attribute is not among those of the pairs, or there are not as many counts or allowed labels as there must
    /// be; [`Error::Memory`].
    pub fn new(data: &'a Sequences, features: &'a Features, counts: &'a [f64]) -> Result<Self> {
        if counts.len() != features.len() {
            let expected = format!("one for each of the {} pairs", features.len());
            return Err(Error::config("counts", &expected, counts.len()));
        }
        if let Some(claims) = data.allowed() {
            // Claims were made for as many labels as the pairs have.
            let count = data.positions() * features.labels();
            if claims.len() != count {
                let expected = format!("{count} claims, for each position and label");
                return Err(Error::config("allowed", &expected, claims.len()));
            }
        }
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
    /// more than half have one). With triples 3 L^2 exponentials instead.
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
        let text = if self.features.triples().is_empty() {
            None
        } else {
            Some(TextScores::new(self.features, weights)?)
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
                log_z += if let Some(text) = &text {
                    self.add_by_text(&at, text, &mut scratch, group)
                } else if group.len() == 1 {
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
        let gold = self.merge(&at, gradient, threads, cancel)?;
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
            for (&cell, &weight) in self.rows.cells().iter().zip(at.weights) {
                scratch.cells[cell as usize] = Cell { weight, sum: 0 };
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
        cells.resize(states, Cell::default());
        Ok(Worker {
            wide: Lanes::new(),
            narrow: Lanes::new(),
            scratch: Scratch {
                scores: vec![0.0; self.rows.width],
                units: vec![0; self.rows.width],
                cells,
                table: vec![0; self.rows.size()],
                pairs: vec![0; self.features.len() - states],
                evaluation: 0,
            },
        })
    }

    fn give_back(&self, worker: Worker) {
        if let Ok(mut workers) = self.workers.lock() {
            workers.push(worker);
        }
    }

    /// Expected less observed counts; returns the score of what was observed, if that is known.
    fn merge(
        &self,
        at: &At<'_>,
        gradient: &mut [f64],
        threads: usize,
        cancel: &CancelToken,
    ) -> Result<f64> {
        let Ok(mut workers) = self.workers.lock() else {
            return Err(Error::Cancelled);
        };
        let used: Vec<&mut Scratch> = workers
            .iter_mut()
            .map(|worker| &mut worker.scratch)
            .filter(|scratch| scratch.evaluation == at.evaluation)
            .collect();
        let used = parallel::map(threads, cancel, used, |_, scratch| {
            let Scratch { cells, table, .. } = &mut *scratch;
            let numbers = self.rows.cells();
            self.rows.each_pair(self.features, |pair, place| {
                cells[numbers[pair] as usize].sum = table[place];
            });
            Ok(&*scratch)
        })?;
        let (states, pairs) = gradient.split_at_mut(self.features.state_count());
        let pieces: Vec<_> = states.chunks_mut(PIECE).enumerate().collect();
        let gold = parallel::map(threads, cancel, pieces, |_, (number, piece)| {
            let first = number * PIECE;
            for (derivative, &cell) in piece.iter_mut().zip(&self.rows.cells()[first..]) {
                let cells = used.iter().map(|scratch| scratch.cells[cell as usize]);
                let sum: i64 = cells.map(|cell| cell.sum).sum();
                *derivative = real(sum) / self.scale;
            }
            Ok(self.subtract_counts(first, at.weights, piece))
        })?;
        for (at, derivative) in pairs.iter_mut().enumerate() {
            let sum: i64 = used.iter().map(|scratch| scratch.pairs[at]).sum();
            *derivative = real(sum) / self.scale;
        }
        let last = self.subtract_counts(self.features.state_count(), at.weights, pairs);
        Ok(gold.into_iter().sum::<f64>() + last)
    }

    /// Subtracts the counts of pairs from `first` on; returns their sum times the weights. Nothing where expected counts are less what is expected of allowed labels already.
    fn subtract_counts(&self, first: usize, weights: &[f64], derivatives: &mut [f64]) -> f64 {
        if self.data.allowed().is_some() {
            return 0.0;
        }
        let mut score = 0.0;
        for ((derivative, count), weight) in derivatives
            .iter_mut()
            .zip(&self.counts[first..])
            .zip(&weights[first..])
        {
            *derivative -= count;
            score += weight * count;
        }
        score
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

    /// Writes the scores of a position, minus infinity for what is not allowed, to the row for it; returns the largest one.
    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "it must be compiled for the instructions of its caller"
    )]
    fn score(&self, at: &At<'_>, scratch: &mut Scratch, over: Over<'_>, position: usize) -> f64 {
        let labels = self.features.labels();
        let row = scratch.scores.as_mut_slice();
        let of = self.features.state_labels();
        self.rows
            .score(position, of, &at.table, &scratch.cells, row);
        let row = &mut row[..labels];
        if let Some(claims) = over.allowed {
            let claims = &claims[position * labels..][..labels];
            for (score, &is_allowed) in row.iter_mut().zip(claims) {
                if !is_allowed {
                    *score = f64::NEG_INFINITY;
                }
            }
        }
        largest(row)
    }

    /// Sets the scores of all lanes less the largest of each position; returns the sum of what was subtracted in each lane.
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
        over: Over<'_>,
        sequences: &[Sequence<'_>],
    ) -> [f64; W] {
        let labels = self.features.labels();
        let mut lengths = [0; W];
        for (length, sequence) in lengths.iter_mut().zip(sequences) {
            *length = sequence.len();
        }
        lanes.reset(labels, lengths);
        let mut subtracted = [0.0; W];
        for (lane, sequence) in sequences.iter().enumerate() {
            for position in 0..sequence.len() {
                let top = self.score(at, scratch, over, sequence.first() + position);
                subtracted[lane] += top;
                for (label, &value) in scratch.scores[..labels].iter().enumerate() {
                    lanes.set_score(lane, position, label, value - top);
                }
            }
        }
        subtracted
    }

    /// Adds the expected counts of pairs of attributes and labels at a position, times a factor.
    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "it must be compiled for the instructions of its caller"
    )]
    fn add_position(
        &self,
        scratch: &mut Scratch,
        position: usize,
        probabilities: &[f64],
        factor: f64,
    ) {
        let scale = self.scale * factor;
        for (unit, &probability) in scratch.units.iter_mut().zip(probabilities) {
            *unit = whole(probability * scale);
        }
        let expected = Expected {
            probabilities,
            units: &scratch.units,
            scale,
        };
        let labels = self.features.state_labels();
        let (table, cells) = (&mut scratch.table, &mut scratch.cells);
        self.rows.count(position, labels, &expected, table, cells);
    }

    /// Adds the expected counts of a sequence that probabilities cannot hold, times a factor; returns the logarithm of Z less the largest scores.
    #[cold]
    #[inline(never)]
    fn add_in_logs(
        &self,
        at: &At<'_>,
        scratch: &mut Scratch,
        over: Over<'_>,
        sequence: &Sequence<'_>,
        factor: f64,
    ) -> f64 {
        let labels = self.features.labels();
        let mut scores = Vec::with_capacity(labels * sequence.len());
        for position in 0..sequence.len() {
            let top = self.score(at, scratch, over, sequence.first() + position);
            scores.extend(scratch.scores[..labels].iter().map(|score| score - top));
        }
        let chain = LogChain::new(self.features, at.weights, scores);
        let mut posterior = vec![0.0; labels];
        for position in 0..sequence.len() {
            for (label, value) in posterior.iter_mut().enumerate() {
                *value = chain.posterior(position, label);
            }
            self.add_position(scratch, sequence.first() + position, &posterior, factor);
        }
        let states = self.features.state_count();
        for (from, to, pair) in self.features.label_pairs() {
            let expected = chain.pair_sum(from, to) * factor;
            scratch.pairs[pair - states] += large_whole(expected * self.scale);
        }
        chain.log_z
    }
}

/// What a sum over labellings runs over, and what it is multiplied by.
#[derive(Debug, Clone, Copy)]
struct Over<'c> {
    /// The labels that are allowed, by position among all; all without claims.
    allowed: Option<&'c [bool]>,
    sign: f64,
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
        let all = Over {
            allowed: None,
            sign: 1.0,
        };
        let known = of.data.allowed().map(|claims| Over {
            allowed: Some(claims),
            sign: -1.0,
        });
        let mut sum = 0.0;
        for over in std::iter::once(all).chain(known) {
            let subtracted = of.set_scores(at, lanes, scratch, over, &sequences);
            let is_sound = lanes.forward(&at.transitions);
            lanes.backward(&at.transitions);
            let mut factors = [1.0; W];
            for (lane, sequence) in sequences.iter().enumerate() {
                let factor = over.sign * of.data.weight(group[lane]);
                let log_z = if is_sound[lane] {
                    factors[lane] = factor;
                    for position in 0..sequence.len() {
                        let posterior = lanes.posterior(lane, position);
                        of.add_position(scratch, sequence.first() + position, posterior, factor);
                    }
                    lanes.log_z[lane]
                } else {
                    lanes.silence(lane);
                    of.add_in_logs(at, scratch, over, sequence, factor)
                };
                sum += factor * (log_z + subtracted[lane]);
            }
            lanes.multiply(&factors, sequences.len());
            of.add_pairs(at, lanes, scratch);
        }
        sum
    }
}

impl Likelihood<'_> {
    /// Adds the expected counts of pairs of labels of all lanes.
    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "it must be compiled for the instructions of its caller"
    )]
    fn add_pairs<const W: usize>(&self, at: &At<'_>, lanes: &Lanes<W>, scratch: &mut Scratch) {
        let (starts, next) = (
            self.features.transition_starts(),
            self.features.next_labels(),
        );
        for from in 0..self.features.labels() {
            let run = starts[from]..starts[from + 1];
            let own = next[run.clone()]
                .iter()
                .zip(&at.transitions.factors[run.clone()])
                .zip(&mut scratch.pairs[run]);
            for ((&to, factor), sum) in own {
                let expected = lanes.pair_sum(from, to as usize) * factor;
                *sum += large_whole(expected * self.scale);
            }
        }
    }
}

/// Units in 1: a power of 2, so that no sum leaves 2^61 and no term 2^50.
fn unit_scale(data: &Sequences, attributes: usize) -> Result<f64> {
    let mut sums = vec![0.0_f64; attributes];
    let mut largest_value = 1.0_f64;
    let mut positions = 0.0;
    for (number, sequence) in data.iter().enumerate() {
        let weight = data.weight(number);
        largest_value = largest_value.max(weight);
        positions += weight * to_f64(sequence.len() as u64);
        for position in sequence.positions() {
            data.features(position, |id, value| {
                let size = value.abs() * weight;
                sums[id as usize] += size;
                largest_value = largest_value.max(size);
            });
        }
    }
    let largest_sum = sums.into_iter().fold(positions, f64::max);
    let refuse = |expected: String, found: f64| {
        let expected = format!("{expected}, without signs; divide them by a constant");
        let name = match data.weights() {
            None => "the values of an attribute",
            Some(_) => "the values of an attribute times the weights of sequences",
        };
        Err(Error::config(name, &expected, found))
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
