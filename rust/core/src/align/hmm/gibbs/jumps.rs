//! Jumps whose parameters are integrated out.
//!
//! The jumps from each word have a Dirichlet prior over the 15 buckets with tau pseudo-counts, whose mean g are the jumps of all words when the sweep begins
//! (He 2007, eq. 11, with counts of links for expected ones):
//!
//! ```text
//! P(b | e) = (c(b; e) + tau g(b)) / (c(e) + tau)
//! ```
//!
//! DEVIATION: eq. 2 divides by the counts of the buckets that fit into the sentence, after which a Dirichlet prior is no longer conjugate. Here the probability is
//! divided by what g gives to these buckets, which is the same where a word jumps as all words do, and keeps the predictive exact.

use super::counts::{DirectionCounts, FIRST, LAST};
use crate::align::hmm::jumps::{BUCKETS, ROW, bucket};
use crate::numeric::{single, to_f32, to_f64, to_u64};

/// Pseudo-count of each bucket in the jumps of all words, and in first and last jumps.
const FLOOR: f64 = 0.5;

/// Rooms before and after a position that are told apart: 7 and more let all jumps fit.
const ROOMS: usize = 8;

/// The priors of all jumps of a direction, as a sweep begins.
#[derive(Debug, Clone, PartialEq)]
pub struct Priors {
    /// tau g; g itself when tau is infinite.
    masses: [f32; BUCKETS],
    /// None when it is infinite.
    tau: Option<f32>,
    /// The same for first and last jumps.
    edge_masses: [f32; BUCKETS],
    edge_tau: f32,
    /// One over what g gives to the buckets that fit, by the room before and after.
    scales: [[f32; ROOMS]; ROOMS],
    /// The same for first and last jumps, by the length of the sentence.
    edge_scales: [[f32; ROOMS]; 2],
}

impl Priors {
    /// Those of these counts.
    #[must_use]
    pub fn new(counts: &DirectionCounts, tau: f64, smoothing: f64) -> Self {
        let mean = smoothed(&counts.between(), 0..BUCKETS, smoothing);
        let first = smoothed(&wide(counts.edges.row(FIRST)), 8..BUCKETS, smoothing);
        let last = smoothed(&wide(counts.edges.row(LAST)), 8..BUCKETS, smoothing);
        let mut scales = [[1.0; ROOMS]; ROOMS];
        for (before, row) in scales.iter_mut().enumerate() {
            for (after, scale) in row.iter_mut().enumerate() {
                *scale = to_f32(1.0 / mean[7 - before..8 + after].iter().sum::<f64>());
            }
        }
        let edge = |mean: &[f64; BUCKETS]| {
            std::array::from_fn(|length: usize| {
                let fits = 8..8 + length.clamp(1, 7);
                to_f32(1.0 / mean[fits].iter().sum::<f64>())
            })
        };
        let weight = if tau.is_infinite() { 1.0 } else { tau };
        let edge_total = FLOOR * 7.0;
        Self {
            masses: mean.map(|p| to_f32(weight * p)),
            tau: (!tau.is_infinite()).then(|| to_f32(tau)),
            edge_masses: std::array::from_fn(|b| if b < 8 { 0.0 } else { to_f32(FLOOR) }),
            edge_tau: to_f32(edge_total),
            scales,
            edge_scales: [edge(&first), edge(&last)],
        }
    }

    /// The probability of a jump between positions of a sentence; `row` has the other jumps from the same word, and `again` is the bucket of one more of them.
    #[must_use]
    #[inline]
    pub fn between(
        &self,
        row: &[u32],
        (from, to, length): (usize, usize, usize),
        again: Option<usize>,
    ) -> f32 {
        let b = bucket(from, to);
        let (before, after) = (from - 1, length - from);
        let scale = self.scales[before.min(ROOMS - 1)][after.min(ROOMS - 1)];
        let mass = match self.tau {
            None => self.masses[b],
            Some(tau) => predictive(row, b, self.masses[b], tau, again),
        };
        mass * scale / sharing(b, before, after)
    }

    /// The probability of a first jump to this position.
    #[must_use]
    #[inline]
    pub fn first(&self, row: &[u32], to: usize, length: usize) -> f32 {
        self.edge(FIRST, row, to, length)
    }

    /// The probability that this is the last aligned position; all are equally likely when there is none.
    #[must_use]
    #[inline]
    pub fn last(&self, row: &[u32], from: usize, length: usize) -> f32 {
        if from == 0 {
            return to_f32(1.0 / to_f64(to_u64(length)));
        }
        self.edge(LAST, row, length + 1 - from, length)
    }

    #[inline]
    fn edge(&self, which: usize, row: &[u32], distance: usize, length: usize) -> f32 {
        let b = bucket(0, distance);
        let mass = predictive(row, b, self.edge_masses[b], self.edge_tau, None);
        mass * self.edge_scales[which][length.min(ROOMS - 1)] / sharing(b, 0, length)
    }
}

/// Positions that share a bucket.
#[inline]
fn sharing(b: usize, before: usize, after: usize) -> f32 {
    let room = match b {
        0 => before,
        b if b + 1 == BUCKETS => after,
        _ => return 1.0,
    };
    to_f32(to_f64(to_u64(room.saturating_sub(6).max(1))))
}

#[inline]
fn predictive(row: &[u32], b: usize, mass: f32, total: f32, again: Option<usize>) -> f32 {
    let (mut count, mut all) = (row[b], row[ROW - 1]);
    if let Some(other) = again {
        count += u32::from(other == b);
        all += 1;
    }
    (single(count) + mass) / (single(all) + total)
}

/// Adds a jump to a row, or takes one away.
#[inline]
pub fn step(row: &mut [u32], b: usize, up: bool) {
    for cell in [b, ROW - 1] {
        if up {
            row[cell] += 1;
        } else {
            row[cell] -= 1;
        }
    }
}

fn wide(row: &[u32]) -> [u64; BUCKETS] {
    std::array::from_fn(|b| u64::from(row[b]))
}

/// Relative frequencies of buckets with their pseudo-counts and a share of the uniform distribution.
fn smoothed(
    counts: &[u64; BUCKETS],
    support: std::ops::Range<usize>,
    smoothing: f64,
) -> [f64; BUCKETS] {
    let total: f64 = counts[support.clone()]
        .iter()
        .map(|&n| to_f64(n) + FLOOR)
        .sum();
    let even = 1.0 / to_f64(to_u64(support.len()));
    std::array::from_fn(|b| {
        if support.contains(&b) {
            (1.0 - smoothing) * (to_f64(counts[b]) + FLOOR) / total + smoothing * even
        } else {
            0.0
        }
    })
}
