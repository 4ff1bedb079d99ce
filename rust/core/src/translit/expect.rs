//! One pass over the lattices of pairs: expected counts of units, or the best ways.

use super::lattice::{Grid, Lattices};
use crate::cancel::CancelToken;
use crate::error::{Error, Result};
use crate::numeric::{to_f64, to_fixed, to_u64};
use crate::parallel;

/// How often a pair whose probability leaves the range of doubles is tried with other factors.
const TRIES: u32 = 80;

/// What a pass needs besides the lattices.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pass<'a> {
    pub lattices: &'a Lattices,
    /// A weight for each unit.
    pub weights: &'a [f64],
    pub threads: usize,
    pub cancel: &'a CancelToken,
}

/// Expected counts of units in units of 2^-32, and the logarithm of the sum over all ways of each pair.
#[derive(Debug)]
pub(super) struct Expected {
    pub counts: Vec<u64>,
    pub logs: Vec<f64>,
}

impl Pass<'_> {
    /// Expected counts by forward-backward.
    ///
    /// Counts are integers, so their sum does not depend on which thread adds what.
    pub fn expect(&self) -> Result<Expected> {
        let parts = parallel::map(self.threads, self.cancel, self.ranges(), |_, range| {
            let mut counts = vec![0; self.weights.len()];
            let mut sums = Sums::default();
            let mut logs = Vec::with_capacity(range.len());
            for n in range {
                if n % 256 == 0 {
                    self.cancel.check()?;
                }
                let (grid, units) = self.lattices.get(n);
                let log = sums.add(
                    grid,
                    units,
                    &self.lattices.shapes,
                    self.weights,
                    &mut counts,
                );
                logs.push(log.ok_or_else(|| self.beyond(n))?);
            }
            Ok(Expected { counts, logs })
        })?;
        let mut parts = parts.into_iter();
        let mut all = parts.next().unwrap_or(Expected {
            counts: vec![0; self.weights.len()],
            logs: Vec::new(),
        });
        for part in parts {
            for (sum, count) in all.counts.iter_mut().zip(part.counts) {
                *sum += count;
            }
            all.logs.extend(part.logs);
        }
        Ok(all)
    }

    /// The arcs of the best way of each pair, and the logarithm of its weight.
    pub fn best(&self) -> Result<Vec<(Vec<u32>, f64)>> {
        let logs: Vec<f64> = self.weights.iter().map(|&w| libm::log(w)).collect();
        let parts = parallel::map(self.threads, self.cancel, self.ranges(), |_, range| {
            let mut best = Best::default();
            let mut found = Vec::with_capacity(range.len());
            for n in range {
                if n % 256 == 0 {
                    self.cancel.check()?;
                }
                let (grid, units) = self.lattices.get(n);
                found.push(best.way(grid, units, &logs).ok_or_else(|| self.beyond(n))?);
            }
            Ok(found)
        })?;
        Ok(parts.into_iter().flatten().collect())
    }

    fn beyond(&self, n: usize) -> Error {
        Error::Examples {
            example: to_u64(self.lattices.kept[n]) + 1,
            problem: "the words are too long for their probabilities; leave the pair out"
                .to_owned(),
            found: "a probability beyond the range of numbers".to_owned(),
        }
    }

    /// One range of pairs for each thread.
    fn ranges(&self) -> Vec<std::ops::Range<usize>> {
        let (count, parts) = (self.lattices.len(), self.threads.max(1));
        (0..parts)
            .map(|part| count * part / parts..count * (part + 1) / parts)
            .collect()
    }
}

/// Room for the sums of a pair.
#[derive(Debug, Default)]
struct Sums {
    forward: Vec<f64>,
    backward: Vec<f64>,
}

impl Sums {
    /// Adds the expected counts of a pair; the logarithm of its sum over all ways.
    fn add(
        &mut self,
        grid: &Grid,
        units: &[u32],
        shapes: &[(usize, usize)],
        weights: &[f64],
        counts: &mut [u64],
    ) -> Option<f64> {
        let symbols = to_f64(to_u64(grid.nodes / (grid.target + 1) - 1 + grid.target));
        let mut ln_factor = 0.0;
        let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
        for _ in 0..TRIES {
            // Each way consumes all symbols, so a factor for each symbol changes no posterior.
            let factors: Vec<f64> = shapes
                .iter()
                .map(|&(a, b)| libm::exp(ln_factor * to_f64(to_u64(a + b))))
                .collect();
            let weight =
                |arc: usize| weights[units[arc] as usize] * factors[grid.arcs[arc].shape as usize];
            let total = self.forward(grid, weight);
            if (1e-290..1e290).contains(&total) {
                self.backward(grid, weight);
                for (at, arc) in grid.arcs.iter().enumerate() {
                    let through = self.forward[arc.from as usize]
                        * weight(at)
                        * self.backward[arc.to as usize];
                    counts[units[at] as usize] += to_fixed((through / total).min(1.0));
                }
                return Some(libm::log(total) - ln_factor * symbols);
            }
            if total < 1.0 {
                low = ln_factor;
            } else {
                high = ln_factor;
            }
            ln_factor = match (low.is_finite(), high.is_finite()) {
                (true, true) => f64::midpoint(low, high),
                (true, false) => low + 1.0,
                (false, _) => high - 1.0,
            };
        }
        None
    }

    fn forward(&mut self, grid: &Grid, weight: impl Fn(usize) -> f64) -> f64 {
        self.forward.clear();
        self.forward.resize(grid.nodes, 0.0);
        self.forward[0] = 1.0;
        for (at, arc) in grid.arcs.iter().enumerate() {
            self.forward[arc.to as usize] += self.forward[arc.from as usize] * weight(at);
        }
        self.forward[grid.nodes - 1]
    }

    fn backward(&mut self, grid: &Grid, weight: impl Fn(usize) -> f64) {
        self.backward.clear();
        self.backward.resize(grid.nodes, 0.0);
        self.backward[grid.nodes - 1] = 1.0;
        for (at, arc) in grid.arcs.iter().enumerate().rev() {
            self.backward[arc.from as usize] += self.backward[arc.to as usize] * weight(at);
        }
    }
}

/// Room for the best ways of a pair.
#[derive(Debug, Default)]
struct Best {
    scores: Vec<f64>,
    entered_by: Vec<u32>,
}

impl Best {
    /// Units of the best way, in order. Of equal ways into a node, the one by the arc that comes first is kept: the one from the smallest position.
    fn way(&mut self, grid: &Grid, units: &[u32], logs: &[f64]) -> Option<(Vec<u32>, f64)> {
        self.scores.clear();
        self.scores.resize(grid.nodes, f64::NEG_INFINITY);
        self.entered_by.clear();
        self.entered_by.resize(grid.nodes, u32::MAX);
        self.scores[0] = 0.0;
        for (at, arc) in (0u32..).zip(&grid.arcs) {
            let score = self.scores[arc.from as usize] + logs[units[at as usize] as usize];
            if score > self.scores[arc.to as usize] {
                self.scores[arc.to as usize] = score;
                self.entered_by[arc.to as usize] = at;
            }
        }
        let score = self.scores[grid.nodes - 1];
        if score == f64::NEG_INFINITY {
            return None;
        }
        let mut way = Vec::new();
        let mut node = grid.nodes - 1;
        while node != 0 {
            let arc = self.entered_by[node] as usize;
            way.push(units[arc]);
            node = grid.arcs[arc].from as usize;
        }
        way.reverse();
        Some((way, score))
    }
}
