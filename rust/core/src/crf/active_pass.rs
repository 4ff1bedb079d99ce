//! The likelihood over some labels at each position: candidates, or those that hold nearly all of the probability.

use super::active_chain::ActiveChain;
use super::dataset::{NO_LABEL, Sequence};
use super::exponential::exp;
use super::group_pass::Over;
use super::groups::{Group, cut};
use super::label_sets::LabelSets;
use super::likelihood::{At, Likelihood};
use super::pair_factors::PairFactors;
use super::scope::{Pruned, Scope};
use super::worker::{Scratch, Worker};
use crate::cancel::CancelToken;
use crate::error::Result;
use crate::numeric::{id_index, to_f64, to_index};
use pulp::{Arch, Simd, WithSimd};

/// Masses that labels of a position are sorted by: powers of 2 from 1 down.
const BUCKETS: usize = 96;

/// Labels that have less mass together are left out.
const NOTHING: f64 = 1e-200;

/// Products of active labels at neighbouring positions take so many times as long as links of all labels, which are computed in lanes.
const SLOWER: usize = 8;

impl Likelihood<'_> {
    /// Adds the expected counts of a block of groups; returns the sum of the logarithms of Z.
    pub(super) fn add_block(
        &self,
        at: &At<'_>,
        scope: &Scope<'_>,
        worker: &mut Worker,
        groups: &[Group],
        cancel: &CancelToken,
    ) -> Result<(f64, Pruned)> {
        let (mut log_z, mut pruned) = (0.0, Pruned::default());
        let Some(pairs) = &at.factors else {
            for group in groups {
                cancel.check()?;
                log_z += self.add_any_group(at, worker, group);
            }
            return Ok((log_z, pruned));
        };
        let mut rest = Vec::new();
        for &number in groups.iter().flatten() {
            cancel.check()?;
            let added = Arch::new().dispatch(ActivePass {
                of: self,
                at,
                pairs,
                scope,
                chain: &mut worker.chain,
                scratch: &mut worker.scratch,
                number,
            });
            match added {
                Some(log) => {
                    log_z += log;
                    pruned.add(&self.lost(number, &worker.chain));
                }
                None => rest.push(number),
            }
        }
        // In lanes again, as full as may be.
        rest.sort_by_key(|&number| std::cmp::Reverse(self.data.get(number).len()));
        let mut groups = Vec::new();
        cut(self.data, self.features.labels(), &rest, &mut groups);
        for group in &groups {
            cancel.check()?;
            log_z += self.add_any_group(at, worker, group);
        }
        Ok((log_z, pruned))
    }

    fn add_any_group(&self, at: &At<'_>, worker: &mut Worker, group: &[usize]) -> f64 {
        let Worker {
            wide,
            narrow,
            scratch,
            ..
        } = worker;
        if let Some(text) = &at.text {
            self.add_by_text(at, text, scratch, group)
        } else if group.len() == 1 {
            self.add_group(at, narrow, scratch, group)
        } else {
            self.add_group(at, wide, scratch, group)
        }
    }

    /// What a sequence has lost.
    fn lost(&self, number: usize, chain: &ActiveChain) -> Pruned {
        let sequence = self.data.get(number);
        let weight = self.data.weight(number);
        // The probability of all labellings that are left out; posteriors err by twice that in sum.
        let share = -libm::expm1(-chain.bound);
        let mut values = to_f64(sequence.len().saturating_sub(1) as u64);
        if chain.bound > 0.0 {
            for position in sequence.positions() {
                self.data
                    .features(position, |_, value| values += value.abs());
            }
        }
        Pruned {
            objective: weight * chain.bound,
            gradient: weight * 2.0 * share * values,
            sequences: 1,
            positions: chain.len() as u64,
            labels: chain.active() as u64,
        }
    }
}

/// The work on one sequence, compiled for each set of vector instructions. Returns the logarithm of Z times the weight of the sequence; none where all labels are needed.
struct ActivePass<'p, 'a> {
    of: &'p Likelihood<'a>,
    at: &'p At<'p>,
    pairs: &'p PairFactors<'p>,
    scope: &'p Scope<'p>,
    chain: &'p mut ActiveChain,
    scratch: &'p mut Scratch,
    number: usize,
}

impl WithSimd for ActivePass<'_, '_> {
    type Output = Option<f64>;

    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "it must be compiled for the instructions of its caller"
    )]
    fn with_simd<S: Simd>(mut self, _: S) -> Option<f64> {
        let sequence = self.of.data.get(self.number);
        let factor = self.of.data.weight(self.number);
        let subtracted = match *self.scope {
            Scope::All => return None,
            Scope::Pruned(beam) => self.choose(&sequence, beam)?,
            Scope::Candidates(sets) => self.set(&sequence, sets),
            Scope::CandidatePairs(sets) => self.set_all(&sequence, sets),
        };
        let is_sound = self.chain.forward(self.pairs);
        match *self.scope {
            Scope::Pruned(beam) => {
                let length = to_f64(sequence.len() as u64);
                // Rounding of both sums, each of at most L + 3 terms at a position.
                let terms = to_f64(self.of.features.labels() as u64) + 10.0;
                self.chain.bound += 4.0 * f64::EPSILON * terms * length;
                if !(is_sound && self.chain.bound <= beam * length) {
                    return None;
                }
            }
            Scope::Candidates(sets) if !is_sound => {
                let over = Over {
                    allowed: None,
                    candidates: Some(sets),
                    sign: 1.0,
                };
                self.chain.bound = 0.0;
                let log_z = self
                    .of
                    .add_in_logs(self.at, self.scratch, over, &sequence, factor);
                return Some(factor * (log_z + subtracted));
            }
            // What probabilities cannot hold is computed with all pairs.
            Scope::CandidatePairs(_) if !is_sound => return None,
            _ => {}
        }
        let scale = self.of.scale * factor;
        self.chain
            .backward(self.pairs, scale, &mut self.scratch.pairs);
        let mut row = std::mem::take(&mut self.scratch.posterior);
        let count = self.of.features.labels();
        for (at, position) in sequence.positions().enumerate() {
            row.fill(0.0);
            let (labels, posterior) = self.chain.posterior(at);
            for (&label, &probability) in labels.iter().zip(posterior) {
                if id_index(label) < count {
                    row[id_index(label)] = probability;
                } else {
                    let masses = &self.scratch.masses[at * count..][..count];
                    let share = probability / sum(masses);
                    for (whole, &mass) in row.iter_mut().zip(masses) {
                        *whole += mass * share;
                    }
                }
            }
            self.of.add_position(self.scratch, position, &row, factor);
        }
        self.scratch.posterior = row;
        Some(factor * (self.chain.log_z + subtracted))
    }
}

impl ActivePass<'_, '_> {
    const OVER_ALL: Over<'static> = Over {
        allowed: None,
        candidates: None,
        sign: 1.0,
    };

    /// Makes the candidates active; returns the sum of what was subtracted from scores.
    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "it must be compiled for the instructions of its caller"
    )]
    fn set(&mut self, sequence: &Sequence<'_>, sets: &LabelSets) -> f64 {
        self.chain.clear();
        let mut subtracted = 0.0;
        for position in sequence.positions() {
            self.of
                .score(self.at, self.scratch, Self::OVER_ALL, position);
            let own = sets.at(position);
            let scores = &self.scratch.scores;
            let top = own
                .iter()
                .map(|&label| scores[id_index(label)])
                .fold(f64::NEG_INFINITY, f64::max);
            subtracted += top;
            for &label in own {
                self.chain.push(label, scores[id_index(label)] - top);
            }
            self.chain.end_position(0.0);
        }
        subtracted
    }

    /// Makes the candidates active, and the others together as a label that has no pairs; returns the sum of what was subtracted from scores.
    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "it must be compiled for the instructions of its caller"
    )]
    fn set_all(&mut self, sequence: &Sequence<'_>, sets: &LabelSets) -> f64 {
        let count = self.of.features.labels();
        // There are fewer labels than ids.
        let others = u32::try_from(count).unwrap_or(u32::MAX);
        self.chain.clear();
        self.scratch.masses.clear();
        let mut subtracted = 0.0;
        for position in sequence.positions() {
            let top = self
                .of
                .score(self.at, self.scratch, Self::OVER_ALL, position);
            subtracted += top;
            let Scratch { scores, masses, .. } = &mut *self.scratch;
            let first = masses.len();
            masses.resize(first + count, 0.0);
            for (mass, &score) in masses[first..].iter_mut().zip(&*scores) {
                *mass = exp(score - top);
            }
            for &label in sets.at(position) {
                self.chain.push(label, scores[id_index(label)] - top);
                masses[first + id_index(label)] = 0.0;
            }
            let rest = sum(&masses[first..]);
            if rest > NOTHING {
                self.chain.push(others, libm::log(rest));
            }
            self.chain.end_position(0.0);
        }
        subtracted
    }

    /// Makes those labels active that the others have little mass beside, and the given one; returns the sum of what was subtracted from scores. None when there are too many.
    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "it must be compiled for the instructions of its caller"
    )]
    fn choose(&mut self, sequence: &Sequence<'_>, beam: f64) -> Option<f64> {
        let labels = self.of.features.labels();
        let most = self.at.transitions.links() / SLOWER;
        let unweighted = libm::exp(-self.pairs.shift);
        self.chain.clear();
        let (mut subtracted, mut budget) = (0.0, most * sequence.len());
        let mut masses = std::mem::take(&mut self.scratch.posterior);
        for (at, position) in sequence.positions().enumerate() {
            let top = self
                .of
                .score(self.at, self.scratch, Self::OVER_ALL, position);
            subtracted += top;
            let scores = &self.scratch.scores[..labels];
            let masses = &mut masses[..labels];
            for (mass, &score) in masses.iter_mut().zip(scores) {
                *mass = exp(score - top);
            }
            let mut usual = sum(masses);
            if at > 0 {
                usual *= unweighted;
                for (mass, &ceiling) in masses.iter_mut().zip(&self.pairs.ceilings) {
                    *mass *= ceiling;
                }
            }
            let least = threshold(masses, beam * usual);
            let gold = self.of.data.labels()[position];
            let mut outside = 0.0;
            for (label, (&mass, &score)) in (0..).zip(masses.iter().zip(scores)) {
                if mass >= least || label == gold {
                    self.chain.push(label, score - top);
                } else {
                    outside += mass;
                }
            }
            self.chain.end_position(outside);
            let Some(left) = budget.checked_sub(self.chain.last_pairs()) else {
                self.chain.clear();
                break;
            };
            budget = left;
        }
        self.scratch.posterior = masses;
        debug_assert!(!self.of.data.labels().contains(&NO_LABEL));
        (self.chain.len() == sequence.len()).then_some(subtracted)
    }
}

/// The sum of masses, in eight parts.
#[inline(always)]
#[expect(
    clippy::inline_always,
    reason = "it must be compiled for the instructions of its caller"
)]
fn sum(masses: &[f64]) -> f64 {
    let mut parts = [0.0; 8];
    let mut chunks = masses.chunks_exact(8);
    for chunk in &mut chunks {
        for (part, mass) in parts.iter_mut().zip(chunk) {
            *part += mass;
        }
    }
    let rest: f64 = chunks.remainder().iter().sum();
    parts.iter().sum::<f64>() + rest
}

/// A power of 2 such that the masses below it are together at most `rest`.
#[inline(always)]
#[expect(
    clippy::inline_always,
    reason = "it must be compiled for the instructions of its caller"
)]
fn threshold(masses: &[f64], rest: f64) -> f64 {
    let mut sums = [0.0; BUCKETS];
    let bucket = |mass: f64| {
        // Masses are at most 1, whose exponent is 1023.
        let exponent = to_index(mass.to_bits() >> 52);
        1023_usize.saturating_sub(exponent).min(BUCKETS - 1)
    };
    for &mass in masses {
        sums[bucket(mass)] += mass;
    }
    let mut sum = 0.0;
    for at in (0..BUCKETS).rev() {
        sum += sums[at];
        if sum > rest {
            return if at + 1 == BUCKETS {
                0.0
            } else {
                f64::from_bits((1023 - at as u64) << 52)
            };
        }
    }
    f64::INFINITY
}
