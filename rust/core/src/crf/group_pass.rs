//! Forward-backward of a group of sequences over all labels, or all that are allowed, and the expected counts that come of it.

use super::dataset::Sequence;
use super::label_sets::LabelSets;
use super::lanes::Lanes;
use super::likelihood::{At, Likelihood};
use super::log_chain::LogChain;
use super::rows::{Expected, whole};
use super::scores::largest;
use super::units::large_whole;
use super::worker::Scratch;
use crate::numeric::id_index;
use pulp::{Arch, Simd, WithSimd};

impl Likelihood<'_> {
    /// Adds the expected counts of a group of sequences; returns the sum of the logarithms of Z.
    pub(super) fn add_group<const W: usize>(
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
    pub(super) fn score(
        &self,
        at: &At<'_>,
        scratch: &mut Scratch,
        over: Over<'_>,
        position: usize,
    ) -> f64 {
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
        if let Some(sets) = over.candidates {
            let kept: Vec<(u32, f64)> = sets
                .at(position)
                .iter()
                .map(|&label| (label, row[id_index(label)]))
                .collect();
            row.fill(f64::NEG_INFINITY);
            for (label, score) in kept {
                row[id_index(label)] = score;
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
    pub(super) fn add_position(
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
    pub(super) fn add_in_logs(
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
pub(super) struct Over<'c> {
    /// The labels that are allowed, by position among all; all without claims.
    pub allowed: Option<&'c [bool]>,
    /// The same as lists.
    pub candidates: Option<&'c LabelSets>,
    pub sign: f64,
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
            candidates: None,
            sign: 1.0,
        };
        let known = of.data.allowed().map(|claims| Over {
            allowed: Some(claims),
            candidates: None,
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
                let expected = lanes.pair_sum(from, id_index(to)) * factor;
                *sum += large_whole(expected * self.scale);
            }
        }
    }
}
