//! Forward-backward and Viterbi of one sentence pair and one direction.
//!
//! A [state](States) is the last real position, 0 before the first: a NULL leaves it as it is, a real link moves it. (Och and Ney have two states for each position,
//! one for the real link and one for the NULL after it; their futures are the same, so one is enough.) Only candidates with a translation probability take part, and only
//! states with forward mass: a few of each token once the lexicon has settled. All jumps beyond the same end of the buckets are equally likely, so that a
//! token costs the sum of its states and candidates, and not their product.

use super::jumps::{BUCKETS, FAR, ROW, Transitions, bucket};
use super::states::{NONE, States, narrow};
use crate::cancel::CancelToken;
use crate::error::Result;

/// Candidates of each emitted token: those of token j are `starts[j]..starts[j + 1]`.
#[derive(Debug, Clone, Default)]
pub struct Candidates {
    /// Where each token's candidates start.
    pub starts: Vec<usize>,
    /// Given positions, from 1, rising.
    pub positions: Vec<u32>,
    /// t(f | e), up to a factor of the token.
    pub weights: Vec<f32>,
    /// p0 t(f | NULL), up to the same factor, of each token.
    pub nulls: Vec<f32>,
    /// Logarithm of the product of all tokens' factors.
    pub ln_factors: f64,
}

impl Candidates {
    /// Forgets all tokens.
    pub fn clear(&mut self) {
        self.starts.clear();
        self.starts.push(0);
        self.positions.clear();
        self.weights.clear();
        self.nulls.clear();
        self.ln_factors = 0.0;
    }

    /// Number of emitted tokens.
    #[must_use]
    pub fn tokens(&self) -> usize {
        self.nulls.len()
    }
}

/// Working memory and results of one sentence.
#[derive(Debug, Clone, Default)]
pub struct Lattice {
    /// Posterior of each candidate.
    pub posteriors: Vec<f32>,
    /// Expected jumps by position and bucket: rows of [`ROW`] for positions 0..=I.
    pub jumps: Vec<f32>,
    /// Posterior of each last position 0..=I; only those above 0.
    pub ends: Vec<(u32, f32)>,
    /// After [`Self::viterbi`], the candidate of each token, or None for NULL.
    pub best: Vec<Option<u32>>,
    states: States,
    beta: Vec<f32>,
    before: Vec<f32>,
    gains: Gains,
}

/// What the links of one token give to the states before it: the translation probability times what comes after.
#[derive(Debug, Clone, Default)]
struct Gains {
    /// Positions, rising, with their gains.
    links: Vec<(u32, f32)>,
    /// For each link, the sum of its gain and all to its right.
    right: Vec<f32>,
}

impl Lattice {
    /// ln P(f | e), and the posteriors of all candidates, jumps and last positions. A pair that cannot be aligned has minus infinity and zeros.
    ///
    /// # Errors
    /// [`crate::error::Error::Cancelled`].
    ///
    /// # Complexity
    /// O(sum over tokens of states and candidates) time.
    pub fn forward_backward(
        &mut self,
        candidates: &Candidates,
        transitions: &Transitions,
        beam: f32,
        cancel: &CancelToken,
    ) -> Result<f64> {
        self.posteriors.clear();
        self.posteriors.resize(candidates.positions.len(), 0.0);
        self.jumps.clear();
        self.jumps.resize(transitions.rows.len(), 0.0);
        self.ends.clear();
        // Until the way back, a candidate's posterior is what reaches it by jumps.
        let reached = &mut self.posteriors;
        let forward =
            self.states
                .forward::<false>(candidates, transitions, beam, reached, cancel)?;
        let tokens = candidates.tokens();
        let last = match forward {
            Some(_) => self.states.before(tokens),
            None => 0..0,
        };
        let end: f32 = last
            .clone()
            .map(|s| self.states.mass[s] * transitions.last[self.states.positions[s] as usize])
            .sum();
        let Some(ln_likelihood) = forward.filter(|_| end > 0.0) else {
            self.posteriors.fill(0.0);
            return Ok(f64::NEG_INFINITY);
        };
        self.beta.clear();
        for s in last {
            let position = self.states.positions[s];
            let beta = transitions.last[position as usize] / end;
            self.beta.push(beta);
            self.ends.push((position, self.states.mass[s] * beta));
        }
        for j in (0..tokens).rev() {
            cancel.check()?;
            self.leave(j, candidates);
            self.backward(j, transitions);
        }
        Ok(ln_likelihood + libm::log(f64::from(end)) + candidates.ln_factors)
    }

    /// Exchanges working memory, which is no part of the results: both directions of a sentence pair need it one after the other.
    pub fn swap_states(&mut self, other: &mut Self) {
        std::mem::swap(&mut self.states, &mut other.states);
    }

    /// The gains and posteriors of the links of token j, and what its NULL gives to the states before it.
    fn leave(&mut self, j: usize, candidates: &Candidates) {
        let (states, scale) = (&self.states, self.states.scales[j]);
        let start = states.before(j).start;
        self.before.clear();
        self.before.resize(states.before(j).len(), 0.0);
        self.gains.links.clear();
        let mut next = candidates.starts[j];
        for (s, &beta) in states.before(j + 1).zip(&self.beta) {
            let scaled = beta * scale;
            if states.stayed[s] != NONE {
                self.before[states.stayed[s] as usize - start] += candidates.nulls[j] * scaled;
            }
            if states.candidate[s] == NONE {
                continue;
            }
            let c = states.candidate[s] as usize;
            let gain = candidates.weights[c] * scaled;
            self.gains.links.push((candidates.positions[c], gain));
            // Candidates between this one and the last were dropped. Rounding may lead past 1.
            self.posteriors[next..c].fill(0.0);
            self.posteriors[c] = (self.posteriors[c] * gain).min(1.0);
            next = c + 1;
        }
        self.posteriors[next..candidates.starts[j + 1]].fill(0.0);
    }

    /// One step back: `beta` of the states after token j becomes that of the states before it. As on the way forward, all links far to one side of a state are one sum.
    fn backward(&mut self, j: usize, transitions: &Transitions) {
        let states = &self.states;
        let Gains { links, right } = &mut self.gains;
        right.clear();
        right.resize(links.len() + 1, 0.0);
        for k in (0..links.len()).rev() {
            right[k] = right[k + 1] + links[k].1;
        }
        let (mut left, mut near) = (0.0_f32, 0..0);
        for (out, s) in self.before.iter_mut().zip(states.before(j)) {
            let (from, mass) = (states.positions[s], states.mass[s]);
            while near.start < links.len() && links[near.start].0 + FAR <= from {
                left += links[near.start].1;
                near.start += 1;
            }
            while near.end < links.len() && links[near.end].0 < from + FAR {
                near.end += 1;
            }
            let start = from as usize * ROW;
            let (row, jumps) = (
                &transitions.rows[start..start + ROW],
                &mut self.jumps[start..start + ROW],
            );
            let mut take = |bucket: usize, gain: f32| {
                let step = row[bucket] * gain;
                jumps[bucket] += mass * step;
                *out += step;
            };
            take(0, left);
            take(BUCKETS - 1, right[near.end]);
            for &(to, gain) in &links[near.clone()] {
                take((to + FAR - from) as usize, gain);
            }
        }
        std::mem::swap(&mut self.beta, &mut self.before);
    }

    /// The most probable alignment into [`Self::best`]; ties go to the state that comes first. Returns its log-probability.
    ///
    /// # Errors
    /// [`crate::error::Error::Cancelled`].
    ///
    /// # Complexity
    /// As [`Self::forward_backward`].
    pub fn viterbi(
        &mut self,
        candidates: &Candidates,
        transitions: &Transitions,
        cancel: &CancelToken,
    ) -> Result<f64> {
        let tokens = candidates.tokens();
        self.best.clear();
        self.best.resize(tokens, None);
        let reached = &mut self.before;
        reached.clear();
        reached.resize(candidates.positions.len(), 0.0);
        let forward = self
            .states
            .forward::<true>(candidates, transitions, 0.0, reached, cancel)?;
        let Some(ln_probability) = forward else {
            return Ok(f64::NEG_INFINITY);
        };
        let states = &self.states;
        let score = |s: usize| states.mass[s] * transitions.last[states.positions[s] as usize];
        let mut current = first_best(states.before(tokens), score);
        let end = score(current);
        for j in (0..tokens).rev() {
            cancel.check()?;
            let stays = match states.stayed[current] {
                NONE => -1.0,
                s => states.mass[s as usize] * candidates.nulls[j],
            };
            let c = states.candidate[current];
            let moves = if c == NONE { None } else { Some(c as usize) }.map(|c| {
                let position = candidates.positions[c] as usize;
                let arrives = |s: usize| {
                    let from = states.positions[s] as usize;
                    states.mass[s] * transitions.rows[from * ROW + bucket(from, position)]
                };
                let s = first_best(states.before(j), arrives);
                (s, arrives(s) * candidates.weights[c], c)
            });
            match moves {
                Some((s, moved, c)) if moved > stays => {
                    self.best[j] = Some(narrow(c));
                    current = s;
                }
                _ => current = states.stayed[current] as usize,
            }
        }
        Ok(ln_probability + libm::log(f64::from(end)) + candidates.ln_factors)
    }
}

fn first_best(states: std::ops::Range<usize>, score: impl Fn(usize) -> f32) -> usize {
    let mut best = states.start;
    for s in states {
        if score(s) > score(best) {
            best = s;
        }
    }
    best
}

#[cfg(test)]
mod tests;
