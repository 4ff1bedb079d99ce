//! The states of a lattice: where the chain of links may be after each token, and how probable that is.
//!
//! A state is the last real position, 0 before the first: a NULL leaves it as it is, a real link moves it.

use super::jumps::{BUCKETS, FAR, ROW, Transitions};
use super::lattice::Candidates;
use crate::cancel::CancelToken;
use crate::error::Result;
use crate::numeric::LogProduct;

/// No candidate, or no state.
pub const NONE: u32 = u32::MAX;

/// States after each token, rising by position; those after token j are `starts[j]..starts[j + 1]`, with one initial state before.
#[derive(Debug, Clone, Default)]
pub struct States {
    /// Last real position.
    pub positions: Vec<u32>,
    /// Forward probability, normalised at each token.
    pub mass: Vec<f32>,
    /// Index of the token's candidate that leads here, if any.
    pub candidate: Vec<u32>,
    /// Index of the same position among the states before the token, if any.
    pub stayed: Vec<u32>,
    /// What each token's masses were multiplied by.
    pub scales: Vec<f32>,
    starts: Vec<usize>,
    /// For each state before a token, what it and all to its right give to a position far to their left.
    right: Vec<f32>,
}

/// An index among the candidates or states of a sentence.
#[must_use]
pub fn narrow(index: usize) -> u32 {
    // Below 2^32 by the limit on cells.
    u32::try_from(index).unwrap_or(NONE)
}

impl States {
    /// The states before token j.
    #[must_use]
    pub fn before(&self, j: usize) -> std::ops::Range<usize> {
        self.starts[j]..self.starts[j + 1]
    }

    /// Fills the states with sums, or with the best of what reaches them. Returns the log of the scales, or None when no alignment is possible. `reached`
    /// has, for each candidate, what comes there by a jump, before its translation probability.
    ///
    /// # Errors
    /// [`crate::error::Error::Cancelled`].
    ///
    /// # Complexity
    /// O(sum over tokens of states and candidates) time.
    pub fn forward<const BEST: bool>(
        &mut self,
        candidates: &Candidates,
        transitions: &Transitions,
        beam: f32,
        reached: &mut [f32],
        cancel: &CancelToken,
    ) -> Result<Option<f64>> {
        self.reset();
        let mut ln = LogProduct::default();
        for j in 0..candidates.tokens() {
            cancel.check()?;
            let span = candidates.starts[j]..candidates.starts[j + 1];
            let positions = &candidates.positions[span.clone()];
            let reached = &mut reached[span];
            self.arrive::<BEST>(j, positions, transitions, reached);
            let sum = self.advance::<BEST>(j, candidates, reached);
            if sum <= 0.0 || !sum.is_finite() {
                return Ok(None);
            }
            self.normalise(j, sum, beam);
            ln.multiply(f64::from(sum));
        }
        Ok(Some(ln.ln()))
    }

    /// What reaches these rising positions by a jump from the states before token j.
    ///
    /// From a state all positions beyond the same end of its buckets are equally likely. So the states far to the left of a position are a running sum,
    /// those far to the right a sum that is made from the right, and only the few near ones have a jump of their own for each position.
    fn arrive<const BEST: bool>(
        &mut self,
        j: usize,
        positions: &[u32],
        Transitions { rows, .. }: &Transitions,
        reached: &mut [f32],
    ) {
        let before = self.before(j);
        let (froms, masses) = (&self.positions[before.clone()], &self.mass[before]);
        let give = |s: usize, b: usize| masses[s] * rows[froms[s] as usize * ROW + b];
        let right = &mut self.right;
        right.clear();
        right.resize(froms.len() + 1, 0.0);
        for s in (0..froms.len()).rev() {
            right[s] = join::<BEST>(right[s + 1], give(s, 0));
        }
        let (mut left, mut near) = (0.0_f32, 0..0);
        for (&position, reached) in positions.iter().zip(reached) {
            while near.start < froms.len() && froms[near.start] + FAR <= position {
                left = join::<BEST>(left, give(near.start, BUCKETS - 1));
                near.start += 1;
            }
            while near.end < froms.len() && froms[near.end] < position + FAR {
                near.end += 1;
            }
            let mut sum = join::<BEST>(left, right[near.end]);
            for s in near.clone() {
                let bucket = (position + FAR - froms[s]) as usize;
                sum = join::<BEST>(sum, give(s, bucket));
            }
            *reached = sum;
        }
    }

    /// Adds the states after token j, not yet normalised; returns the sum of their masses.
    fn advance<const BEST: bool>(
        &mut self,
        j: usize,
        candidates: &Candidates,
        reached: &[f32],
    ) -> f32 {
        let null = candidates.nulls[j];
        let mut old = self.before(j);
        let mut sum = 0.0_f32;
        for (c, reached) in (candidates.starts[j]..).zip(reached) {
            let position = candidates.positions[c];
            let mut mass = reached * candidates.weights[c];
            while old.start < old.end && self.positions[old.start] < position {
                sum += self.stay(old.start, null);
                old.start += 1;
            }
            let mut stayed = NONE;
            if old.start < old.end && self.positions[old.start] == position {
                stayed = narrow(old.start);
                mass = join::<BEST>(mass, self.mass[old.start] * null);
                old.start += 1;
            }
            self.push(position, mass, narrow(c), stayed);
            sum += mass;
        }
        for s in old {
            sum += self.stay(s, null);
        }
        sum
    }

    /// A state that NULL alone leads to; returns its mass.
    fn stay(&mut self, s: usize, null: f32) -> f32 {
        let mass = self.mass[s] * null;
        self.push(self.positions[s], mass, NONE, narrow(s));
        mass
    }

    fn reset(&mut self) {
        self.starts.clear();
        self.positions.clear();
        self.mass.clear();
        self.candidate.clear();
        self.stayed.clear();
        self.scales.clear();
        self.starts.extend([0, 1]);
        self.push(0, 1.0, NONE, NONE);
    }

    fn push(&mut self, position: u32, mass: f32, candidate: u32, stayed: u32) {
        self.positions.push(position);
        self.mass.push(mass);
        self.candidate.push(candidate);
        self.stayed.push(stayed);
    }

    /// Divides by the sum, drops states below the beam, and ends the states after token j.
    fn normalise(&mut self, j: usize, sum: f32, beam: f32) {
        let start = self.starts[j + 1];
        let inverse = 1.0 / sum;
        self.scales.push(inverse);
        let mut kept = start;
        for s in start..self.positions.len() {
            let mass = self.mass[s] * inverse;
            if mass > 0.0 && mass >= beam {
                self.positions[kept] = self.positions[s];
                self.mass[kept] = mass;
                self.candidate[kept] = self.candidate[s];
                self.stayed[kept] = self.stayed[s];
                kept += 1;
            }
        }
        self.positions.truncate(kept);
        self.mass.truncate(kept);
        self.candidate.truncate(kept);
        self.stayed.truncate(kept);
        self.starts.push(kept);
    }
}

#[inline]
fn join<const BEST: bool>(a: f32, b: f32) -> f32 {
    if BEST { a.max(b) } else { a + b }
}
