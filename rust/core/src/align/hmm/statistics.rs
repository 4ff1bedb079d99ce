//! What the E-step leaves: integer counts that add in any order.

use super::jumps::JumpCounts;
use super::lexicon::trim;
use super::options::Coupling;
use crate::numeric::to_fixed;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// Expected links below this are not counted.
const SMALLEST_LINK: f32 = 1e-5;

/// Statistics of an iteration, shared by all threads. Counts are in units of 2^-32: integer sums have the same bits whatever the order.
#[derive(Debug)]
pub struct Statistics {
    /// Expected links of each pair of words: once for both directions when they agree, else forward and reverse.
    pub links: Vec<Vec<AtomicU64>>,
    rest: Mutex<Rest>,
}

/// The small statistics: each block has its own, merged when it is done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rest {
    /// Expected NULL links of each target word (forward) and source word (reverse).
    pub nulls: [Vec<u64>; 2],
    /// Expected jumps over source positions (forward) and target positions (reverse).
    pub jumps: [JumpCounts; 2],
    /// Sentence pairs that no alignment can explain, for each direction.
    pub impossible: [u64; 2],
}

impl Rest {
    /// Nothing counted; for so many source and target words.
    #[must_use]
    pub fn new(sources: usize, targets: usize) -> Self {
        Self {
            nulls: [vec![0; targets], vec![0; sources]],
            jumps: [JumpCounts::new(sources), JumpCounts::new(targets)],
            impossible: [0; 2],
        }
    }

    fn merge(&mut self, other: &Self) {
        for direction in 0..2 {
            let nulls = self.nulls[direction]
                .iter_mut()
                .zip(&other.nulls[direction]);
            nulls.for_each(|(sum, term)| *sum += term);
            self.jumps[direction].merge(&other.jumps[direction]);
            self.impossible[direction] += other.impossible[direction];
        }
    }
}

impl Statistics {
    /// Nothing counted, for so many pairs of words and so many source and target words; the memory of `old` counts of links is used again.
    #[must_use]
    pub fn new(
        pairs: usize,
        [sources, targets]: [usize; 2],
        coupling: Coupling,
        mut old: Vec<Vec<u64>>,
    ) -> Self {
        let lists = match coupling {
            Coupling::Agreement => 1,
            Coupling::Independent => 2,
        };
        old.resize(lists, Vec::new());
        let links = old.into_iter().map(|mut counts| {
            counts.resize(pairs, 0);
            trim(&mut counts);
            counts.into_iter().map(|_| AtomicU64::default()).collect()
        });
        Self {
            links: links.collect(),
            rest: Mutex::new(Rest::new(sources, targets)),
        }
    }

    /// Adds a link with these posteriors, forward and reverse, and returns what both expect of it; nothing when that is less than [`SMALLEST_LINK`].
    #[inline]
    pub fn add_link(&self, coupling: Coupling, pair: usize, p: f32, q: f32) -> Option<f32> {
        let expected = coupling.expected(p, q);
        if expected < SMALLEST_LINK {
            return None;
        }
        match coupling {
            Coupling::Agreement => self.add(0, pair, expected),
            Coupling::Independent => {
                self.add(0, pair, p);
                self.add(1, pair, q);
            }
        }
        Some(expected)
    }

    #[inline]
    fn add(&self, which: usize, pair: usize, expected: f32) {
        self.links[which][pair].fetch_add(to_fixed(f64::from(expected)), Ordering::Relaxed);
    }

    /// Adds a block's small statistics.
    pub fn merge(&self, block: &Rest) {
        self.rest
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .merge(block);
    }

    /// The counts, when all blocks are done.
    #[must_use]
    pub fn finish(self) -> (Vec<Vec<u64>>, Rest) {
        let links = self
            .links
            .into_iter()
            .map(|counts| counts.into_iter().map(AtomicU64::into_inner).collect())
            .collect();
        (
            links,
            self.rest
                .into_inner()
                .unwrap_or_else(PoisonError::into_inner),
        )
    }
}
