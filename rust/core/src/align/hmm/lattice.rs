//! Forward-backward and Viterbi of one sentence pair and one direction.
//!
//! A state is the last real position, 0 before the first: a NULL leaves it as it is, a real link moves it. (Och and Ney have two states for each position,
//! one for the real link and one for the NULL after it; their futures are the same, so one is enough.) Only candidates with a translation probability take part, and only
//! states with forward mass: a few of each token once the lexicon has settled, so a token costs their product and not I^2.

use super::jumps::{ROW, Transitions, bucket};
use crate::numeric::LogProduct;

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
}

/// States after each token, rising by position; those after token j are `starts[j]..starts[j + 1]`, with one initial state before.
#[derive(Debug, Clone, Default)]
struct States {
    starts: Vec<usize>,
    positions: Vec<u32>,
    /// Forward probability, normalised at each token.
    mass: Vec<f32>,
    /// Index of the token's candidate that leads here, if any.
    candidate: Vec<u32>,
    /// Index of the same position among the states before the token, if any.
    stayed: Vec<u32>,
    scales: Vec<f32>,
}

const NONE: u32 = u32::MAX;

impl States {
    fn reset(&mut self) {
        self.starts.clear();
        self.positions.clear();
        self.mass.clear();
        self.candidate.clear();
        self.stayed.clear();
        self.scales.clear();
        self.starts.extend([0, 1]);
        self.positions.push(0);
        self.mass.push(1.0);
        self.candidate.push(NONE);
        self.stayed.push(NONE);
    }

    fn push(&mut self, position: u32, mass: f32, candidate: u32, stayed: u32) {
        self.positions.push(position);
        self.mass.push(mass);
        self.candidate.push(candidate);
        self.stayed.push(stayed);
    }

    /// The states before token j.
    fn before(&self, j: usize) -> std::ops::Range<usize> {
        self.starts[j]..self.starts[j + 1]
    }
}

fn narrow(index: usize) -> u32 {
    // Indices of candidates and states of a sentence: below 2^32 by the limit on cells.
    u32::try_from(index).unwrap_or(NONE)
}

impl Lattice {
    /// ln P(f | e), and the posteriors of all candidates, jumps and last positions. A pair that cannot be aligned has minus infinity and zeros.
    ///
    /// # Complexity
    /// O(sum over tokens of states times candidates) time.
    pub fn forward_backward(
        &mut self,
        candidates: &Candidates,
        transitions: &Transitions,
        beam: f32,
    ) -> f64 {
        self.posteriors.clear();
        self.posteriors.resize(candidates.positions.len(), 0.0);
        self.jumps.clear();
        self.jumps.resize(transitions.rows.len(), 0.0);
        self.ends.clear();
        let Some(ln_likelihood) = self.forward::<false>(candidates, transitions, beam) else {
            return f64::NEG_INFINITY;
        };
        let tokens = candidates.tokens();
        let last = self.states.before(tokens);
        let end: f32 = last
            .clone()
            .map(|s| self.states.mass[s] * transitions.last[self.states.positions[s] as usize])
            .sum();
        if end <= 0.0 {
            return f64::NEG_INFINITY;
        }
        self.beta.clear();
        for s in last {
            let position = self.states.positions[s];
            let beta = transitions.last[position as usize] / end;
            self.beta.push(beta);
            self.ends.push((position, self.states.mass[s] * beta));
        }
        for j in (0..tokens).rev() {
            self.backward(j, candidates, transitions);
        }
        ln_likelihood + libm::log(f64::from(end)) + candidates.ln_factors
    }

    /// Fills the states with sums, or with the best of what reaches them. Returns the log of the scales, or None when no alignment is possible.
    fn forward<const BEST: bool>(
        &mut self,
        candidates: &Candidates,
        transitions: &Transitions,
        beam: f32,
    ) -> Option<f64> {
        let states = &mut self.states;
        states.reset();
        let mut ln = LogProduct::default();
        for j in 0..candidates.tokens() {
            let before = states.before(j);
            let null = candidates.nulls[j];
            let mut old = before.clone();
            let mut sum = 0.0_f32;
            for c in candidates.starts[j]..candidates.starts[j + 1] {
                let position = candidates.positions[c];
                let mut reached = 0.0_f32;
                for s in before.clone() {
                    let from = states.positions[s] as usize;
                    let step = transitions.rows[from * ROW + bucket(from, position as usize)];
                    reached = join::<BEST>(reached, states.mass[s] * step);
                }
                let mut mass = reached * candidates.weights[c];
                while old.start < old.end && states.positions[old.start] < position {
                    let stays = states.mass[old.start] * null;
                    states.push(states.positions[old.start], stays, NONE, narrow(old.start));
                    sum += stays;
                    old.start += 1;
                }
                let mut stayed = NONE;
                if old.start < old.end && states.positions[old.start] == position {
                    stayed = narrow(old.start);
                    mass = join::<BEST>(mass, states.mass[old.start] * null);
                    old.start += 1;
                }
                states.push(position, mass, narrow(c), stayed);
                sum += mass;
            }
            for s in old {
                let stays = states.mass[s] * null;
                states.push(states.positions[s], stays, NONE, narrow(s));
                sum += stays;
            }
            if sum <= 0.0 || !sum.is_finite() {
                return None;
            }
            states.normalise(j, sum, beam);
            ln.multiply(f64::from(sum));
        }
        Some(ln.ln())
    }

    /// One step back: `beta` of the states after token j becomes that of the states before it.
    fn backward(&mut self, j: usize, candidates: &Candidates, transitions: &Transitions) {
        let (states, scale) = (&self.states, self.states.scales[j]);
        let (before, after) = (states.before(j), states.before(j + 1));
        self.before.clear();
        self.before.resize(before.len(), 0.0);
        for (s, &beta) in after.zip(&self.beta) {
            let scaled = beta * scale;
            if states.stayed[s] != NONE {
                self.before[states.stayed[s] as usize - before.start] +=
                    candidates.nulls[j] * scaled;
            }
            if states.candidate[s] == NONE {
                continue;
            }
            let c = states.candidate[s] as usize;
            let position = candidates.positions[c] as usize;
            let gain = candidates.weights[c] * scaled;
            let mut posterior = 0.0_f32;
            for (out, r) in self.before.iter_mut().zip(before.clone()) {
                let from = states.positions[r] as usize;
                let cell = from * ROW + bucket(from, position);
                let step = transitions.rows[cell] * gain;
                *out += step;
                let expected = states.mass[r] * step;
                self.jumps[cell] += expected;
                posterior += expected;
            }
            // Rounding may lead past 1.
            self.posteriors[c] = posterior.min(1.0);
        }
        std::mem::swap(&mut self.beta, &mut self.before);
    }

    /// The most probable alignment into [`Self::best`]; ties go to the state that comes first. Returns its log-probability.
    ///
    /// # Complexity
    /// As [`Self::forward_backward`].
    pub fn viterbi(&mut self, candidates: &Candidates, transitions: &Transitions) -> f64 {
        let tokens = candidates.tokens();
        self.best.clear();
        self.best.resize(tokens, None);
        let Some(ln_probability) = self.forward::<true>(candidates, transitions, 0.0) else {
            return f64::NEG_INFINITY;
        };
        let states = &self.states;
        let score = |s: usize| states.mass[s] * transitions.last[states.positions[s] as usize];
        let mut current = first_best(states.before(tokens), score);
        let end = score(current);
        for j in (0..tokens).rev() {
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
        ln_probability + libm::log(f64::from(end)) + candidates.ln_factors
    }
}

impl States {
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

fn first_best(states: std::ops::Range<usize>, score: impl Fn(usize) -> f32) -> usize {
    let mut best = states.start;
    for s in states {
        if score(s) > score(best) {
            best = s;
        }
    }
    best
}
