//! Counts of linked word pairs, N[e, f], as a value that adds.
//!
//! One machine needs no such table: a column's counts are made from its own links. Where a corpus is sampled in shards, each shard needs the
//! links of the others: it gets them as these counts, which shards publish, and which add.

use super::emissions::{Block, Emissions};
use super::gibbs::State;
use crate::numeric::to_u64;

/// N[e, f] of some links, by emitted type; given types rise within a column and NULL is the number of given types.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PairCounts {
    starts: Vec<u64>,
    given: Vec<u32>,
    counts: Vec<u32>,
}

impl PairCounts {
    /// The counts of the links of all blocks of a direction. O(links log links) time at worst, a column at a time.
    #[must_use]
    pub fn of(emissions: &Emissions<'_>, blocks: &[Block], states: &[State]) -> Self {
        let mut pairs = Self {
            starts: vec![0],
            given: Vec::new(),
            counts: Vec::new(),
        };
        for (block, state) in blocks.iter().zip(states) {
            for word in block.types.clone() {
                let slots = emissions.slots(word);
                let mut column = state
                    .linked(slots.start - block.slots.start..slots.end - block.slots.start)
                    .to_vec();
                column.sort_unstable();
                pairs.push(column.chunk_by(|a, b| a == b).filter_map(|run| {
                    let count = u32::try_from(run.len()).unwrap_or(u32::MAX);
                    run.first().map(|&e| (e, count))
                }));
            }
        }
        pairs
    }

    /// The counts of both: what two shards have together.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        self.zip(other, u32::saturating_add)
    }

    /// These counts without those of `part`, which is a part of them: what the other shards have.
    #[must_use]
    pub fn without(&self, part: &Self) -> Self {
        self.zip(part, u32::saturating_sub)
    }

    /// The cells of an emitted type: given types and their counts.
    pub fn column(&self, word: usize) -> impl Iterator<Item = (u32, u32)> + '_ {
        let run = crate::numeric::to_index(self.starts[word])
            ..crate::numeric::to_index(self.starts[word + 1]);
        self.given[run.clone()]
            .iter()
            .copied()
            .zip(self.counts[run].iter().copied())
    }

    fn zip(&self, other: &Self, combine: impl Fn(u32, u32) -> u32) -> Self {
        let mut result = Self {
            starts: vec![0],
            given: Vec::new(),
            counts: Vec::new(),
        };
        for word in 0..self.starts.len() - 1 {
            let (mut mine, mut theirs) =
                (self.column(word).peekable(), other.column(word).peekable());
            let mut column = Vec::new();
            while let Some(e) = mine
                .peek()
                .map(|cell| cell.0)
                .into_iter()
                .chain(theirs.peek().map(|cell| cell.0))
                .min()
            {
                let count = |cell: Option<(u32, u32)>| cell.map_or(0, |cell| cell.1);
                let a = count(mine.next_if(|cell| cell.0 == e));
                let b = count(theirs.next_if(|cell| cell.0 == e));
                column.push((e, combine(a, b)));
            }
            result.push(column.into_iter().filter(|cell| cell.1 > 0));
        }
        result
    }

    fn push(&mut self, column: impl Iterator<Item = (u32, u32)>) {
        for (e, count) in column {
            self.given.push(e);
            self.counts.push(count);
        }
        self.starts.push(to_u64(self.given.len()));
    }
}
