//! Counts of the current links: those of the whole corpus as a sweep begins, and a block's own up to date.
//!
//! A block numbers the pairs and words that it has anew, so that what it works with stays small. It starts a sweep with the counts of the corpus, changes
//! them link by link, and hands back the differences, which add in any order.

use super::fertility;
use crate::align::hmm::jumps::{BUCKETS, ROW};
use crate::align::hmm::options::Coupling;

/// Rows of whole numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Table {
    width: usize,
    cells: Vec<u32>,
}

impl Table {
    fn new(width: usize, rows: usize) -> Self {
        Self {
            width,
            cells: vec![0; width * rows],
        }
    }

    /// One row.
    #[must_use]
    #[inline]
    pub fn row(&self, n: usize) -> &[u32] {
        &self.cells[n * self.width..(n + 1) * self.width]
    }

    /// One row, to be changed.
    #[inline]
    pub fn row_mut(&mut self, n: usize) -> &mut [u32] {
        &mut self.cells[n * self.width..(n + 1) * self.width]
    }

    /// Counts one more, or one less.
    #[inline]
    pub fn step(&mut self, n: usize, up: bool) {
        let cell = &mut self.cells[n];
        if up { *cell += 1 } else { *cell -= 1 }
    }

    /// A cell of a table of one column.
    #[must_use]
    #[inline]
    pub fn at(&self, n: usize) -> u32 {
        self.cells[n]
    }

    /// All rows.
    pub fn rows(&self) -> impl Iterator<Item = &[u32]> {
        self.cells.chunks_exact(self.width)
    }

    fn gather(&self, rows: &[u32]) -> Self {
        let mut cells = Vec::with_capacity(rows.len() * self.width);
        for &n in rows {
            cells.extend_from_slice(self.row(n as usize));
        }
        Self {
            width: self.width,
            cells,
        }
    }

    /// What it has more than the rows of `all` that it was made of; below 0 wraps.
    fn subtract(&mut self, all: &Self, rows: &[u32]) {
        for (mine, &n) in self.cells.chunks_exact_mut(self.width).zip(rows) {
            for (cell, before) in mine.iter_mut().zip(all.row(n as usize)) {
                *cell = cell.wrapping_sub(*before);
            }
        }
    }

    fn add(&mut self, differences: &Self, rows: &[u32]) {
        for (more, &n) in differences.rows().zip(rows) {
            for (cell, difference) in self.row_mut(n as usize).iter_mut().zip(more) {
                *cell = cell.wrapping_add(*difference);
            }
        }
    }
}

/// Links of pairs of words.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LinkCounts {
    /// Of each pair.
    pub pairs: Table,
    /// Of each source and each target word.
    pub totals: [Table; 2],
}

/// What one direction counts for itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DirectionCounts {
    /// NULL links of each emitted word.
    pub nulls: Table,
    /// All NULL links.
    pub null_total: Table,
    /// Jumps from each given word: buckets, and in the last column all of them.
    pub jumps: Table,
    /// First jumps and last jumps, in the same form.
    pub edges: Table,
    /// Tokens of each given word by fertility.
    pub fertilities: Table,
}

/// Row of the first jumps in [`DirectionCounts::edges`].
pub const FIRST: usize = 0;
/// Row of the last jumps.
pub const LAST: usize = 1;

/// All counts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts {
    /// Of the lexicons: forward and reverse, or one for both.
    pub links: Vec<LinkCounts>,
    /// Of everything else, forward and reverse.
    pub directions: [DirectionCounts; 2],
}

/// Which pairs, source words and target words of the corpus a block has.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Numbering {
    /// Pair of each number.
    pub pairs: Vec<u32>,
    /// Word of each number, source and target.
    pub words: [Vec<u32>; 2],
}

const ONE: [u32; 1] = [0];
const TWO: [u32; 2] = [0, 1];

impl Counts {
    /// No links; for so many pairs, source and target words.
    #[must_use]
    pub fn new(pairs: usize, words: [usize; 2], coupling: Coupling) -> Self {
        let sets = if coupling == Coupling::Agreement {
            1
        } else {
            2
        };
        let links = LinkCounts {
            pairs: Table::new(1, pairs),
            totals: words.map(|n| Table::new(1, n)),
        };
        let direction = |d: usize| DirectionCounts {
            nulls: Table::new(1, words[1 - d]),
            null_total: Table::new(1, 1),
            jumps: Table::new(ROW, words[d]),
            edges: Table::new(ROW, 2),
            fertilities: Table::new(fertility::CLASSES, words[d]),
        };
        Self {
            links: vec![links; sets],
            directions: [direction(0), direction(1)],
        }
    }

    /// The counts of a block's pairs and words.
    #[must_use]
    pub fn gather(&self, numbering: &Numbering) -> Self {
        let [sources, targets] = &numbering.words;
        let links = self.links.iter().map(|links| LinkCounts {
            pairs: links.pairs.gather(&numbering.pairs),
            totals: [
                links.totals[0].gather(sources),
                links.totals[1].gather(targets),
            ],
        });
        let direction = |d: usize| {
            let (all, words) = (&self.directions[d], &numbering.words);
            DirectionCounts {
                nulls: all.nulls.gather(&words[1 - d]),
                null_total: all.null_total.gather(&ONE),
                jumps: all.jumps.gather(&words[d]),
                edges: all.edges.gather(&TWO),
                fertilities: all.fertilities.gather(&words[d]),
            }
        };
        Self {
            links: links.collect(),
            directions: [direction(0), direction(1)],
        }
    }

    /// From a block's counts to what they changed; `all` are those that it started from.
    pub fn subtract(&mut self, all: &Self, numbering: &Numbering) {
        self.pairwise(all, numbering, Table::subtract);
    }

    /// Adds what a block changed.
    pub fn add(&mut self, differences: &Self, numbering: &Numbering) {
        differences.pairwise_mut(self, numbering, |more, all, rows| all.add(more, rows));
    }

    fn pairwise(
        &mut self,
        all: &Self,
        numbering: &Numbering,
        change: impl Fn(&mut Table, &Table, &[u32]),
    ) {
        for (mine, all) in self.links.iter_mut().zip(&all.links) {
            change(&mut mine.pairs, &all.pairs, &numbering.pairs);
            for side in 0..2 {
                change(
                    &mut mine.totals[side],
                    &all.totals[side],
                    &numbering.words[side],
                );
            }
        }
        for d in 0..2 {
            let (mine, all) = (&mut self.directions[d], &all.directions[d]);
            let [given, emitted] = [&numbering.words[d], &numbering.words[1 - d]];
            change(&mut mine.nulls, &all.nulls, emitted);
            change(&mut mine.null_total, &all.null_total, &ONE);
            change(&mut mine.jumps, &all.jumps, given);
            change(&mut mine.edges, &all.edges, &TWO);
            change(&mut mine.fertilities, &all.fertilities, given);
        }
    }

    fn pairwise_mut(
        &self,
        all: &mut Self,
        numbering: &Numbering,
        change: impl Fn(&Table, &mut Table, &[u32]),
    ) {
        for (mine, all) in self.links.iter().zip(&mut all.links) {
            change(&mine.pairs, &mut all.pairs, &numbering.pairs);
            for side in 0..2 {
                change(
                    &mine.totals[side],
                    &mut all.totals[side],
                    &numbering.words[side],
                );
            }
        }
        for d in 0..2 {
            let (mine, all) = (&self.directions[d], &mut all.directions[d]);
            let [given, emitted] = [&numbering.words[d], &numbering.words[1 - d]];
            change(&mine.nulls, &mut all.nulls, emitted);
            change(&mine.null_total, &mut all.null_total, &ONE);
            change(&mine.jumps, &mut all.jumps, given);
            change(&mine.edges, &mut all.edges, &TWO);
            change(&mine.fertilities, &mut all.fertilities, given);
        }
    }
}

impl DirectionCounts {
    /// All jumps between words, by bucket.
    #[must_use]
    pub fn between(&self) -> [u64; BUCKETS] {
        sum_of_rows(&self.jumps)
    }

    /// All tokens by fertility.
    #[must_use]
    pub fn all_fertilities(&self) -> [u64; fertility::CLASSES] {
        sum_of_rows(&self.fertilities)
    }
}

fn sum_of_rows<const N: usize>(table: &Table) -> [u64; N] {
    let mut sums = [0; N];
    for row in table.rows() {
        for (sum, &n) in sums.iter_mut().zip(row) {
            *sum += u64::from(n);
        }
    }
    sums
}
