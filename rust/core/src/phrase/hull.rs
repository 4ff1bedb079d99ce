//! The outermost partners of words.

use crate::align::links::Link;
use crate::numeric::to_index;

/// A range of positions that grows; empty when `low > high`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Hull {
    pub(super) low: usize,
    pub(super) high: usize,
}

impl Hull {
    pub(super) const EMPTY: Self = Self {
        low: usize::MAX,
        high: 0,
    };

    pub(super) const fn is_empty(self) -> bool {
        self.low > self.high
    }

    /// Number of positions in a hull that is not empty.
    pub(super) const fn len(self) -> usize {
        self.high - self.low + 1
    }

    pub(super) fn add(&mut self, position: usize) {
        self.low = self.low.min(position);
        self.high = self.high.max(position);
    }

    pub(super) fn join(&mut self, other: Self) {
        self.low = self.low.min(other.low);
        self.high = self.high.max(other.high);
    }
}

/// The words of a sentence pair as the search for blocks sees them.
#[derive(Debug, Default)]
pub(super) struct Partners {
    /// Outermost source partners of each target word.
    pub(super) of_target: Vec<Hull>,
    /// Outermost target partners of each source word.
    pub(super) of_source: Vec<Hull>,
    /// Number of unlinked source words right before, and right after, each source word.
    pub(super) free_before: Vec<usize>,
    pub(super) free_after: Vec<usize>,
}

impl Partners {
    pub(super) fn fill(&mut self, source_length: usize, target_length: usize, links: &[Link]) {
        reset(&mut self.of_source, source_length, Hull::EMPTY);
        reset(&mut self.of_target, target_length, Hull::EMPTY);
        for link in links {
            let (i, j) = (to_index(link.source.into()), to_index(link.target.into()));
            self.of_source[i].add(j);
            self.of_target[j].add(i);
        }
        reset(&mut self.free_before, source_length, 0);
        reset(&mut self.free_after, source_length, 0);
        let free = |i: usize| self.of_source[i].is_empty();
        for i in 1..source_length {
            if free(i - 1) {
                self.free_before[i] = self.free_before[i - 1] + 1;
            }
        }
        for i in (1..source_length).rev() {
            if free(i) {
                self.free_after[i - 1] = self.free_after[i] + 1;
            }
        }
    }
}

pub(super) fn reset<T: Clone>(values: &mut Vec<T>, length: usize, value: T) {
    values.clear();
    values.resize(length, value);
}
