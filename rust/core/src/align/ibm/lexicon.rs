//! Which word pairs occur together, and the lexicon that training leaves behind.

use super::emissions::{Block, Emissions};
use super::placement::Placement;
use crate::numeric::{to_f64, to_u64};

/// The columns of a block: for each emitted type, the given types that occur in a sentence pair with it, NULL first, then by first
/// occurrence. Memory: 4 bytes a cell.
#[derive(Debug, Clone, Default)]
pub struct Columns {
    starts: Vec<usize>,
    given: Vec<u32>,
}

impl Columns {
    /// Collects the co-occurring types of every emitted type of the block. O(candidate links) time.
    #[must_use]
    pub fn new(emissions: &Emissions<'_>, block: &Block) -> Self {
        let null = emissions.null();
        let mut last_seen = vec![usize::MAX; null + 1];
        let mut columns = Self {
            starts: vec![0],
            given: Vec::new(),
        };
        for word in block.types.clone() {
            let slots = emissions.slots(word);
            if !slots.is_empty() {
                columns.given.push(u32::try_from(null).unwrap_or(u32::MAX));
            }
            for slot in slots {
                for e in emissions.given_sentence(slot) {
                    if last_seen[e.index()] != word {
                        last_seen[e.index()] = word;
                        columns.given.push(e.as_u32());
                    }
                }
            }
            columns.starts.push(columns.given.len());
        }
        columns.given.shrink_to_fit();
        columns
    }

    /// Number of emitted types in the block.
    #[must_use]
    pub fn types(&self) -> usize {
        self.starts.len() - 1
    }

    /// Number of cells in the block.
    #[must_use]
    pub fn len(&self) -> usize {
        self.given.len()
    }

    /// Whether the block has no cell.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.given.is_empty()
    }

    /// The cells of the `n`-th type of the block.
    #[must_use]
    pub fn cells(&self, n: usize) -> std::ops::Range<usize> {
        self.starts[n]..self.starts[n + 1]
    }

    /// The given types of all cells.
    #[must_use]
    pub fn given(&self) -> &[u32] {
        &self.given
    }
}

/// A trained translation table of one direction: expected counts c(e, f) by emitted type, and what smooths them.
#[derive(Debug, Clone, PartialEq)]
pub struct Lexicon {
    /// Start of each emitted type's cells.
    pub starts: Vec<u64>,
    /// Given type of each cell; the number of given types stands for NULL. Rising within a column.
    pub given: Vec<u32>,
    /// Expected count of each cell.
    pub counts: Vec<f32>,
    /// Sum of the counts of each given type, NULL last.
    pub totals: Vec<f64>,
    /// Pseudo-count of every pair.
    pub theta: f64,
    /// Where links go.
    pub placement: Placement<f64>,
}

impl Lexicon {
    /// A lexicon without columns, for so many given types (NULL included).
    #[must_use]
    pub fn empty(given_types: usize, theta: f64, placement: Placement<f64>) -> Self {
        Self {
            starts: vec![0],
            given: Vec::new(),
            counts: Vec::new(),
            totals: vec![0.0; given_types],
            theta,
            placement,
        }
    }

    /// Appends the column of the next emitted type: given types, rising, and their counts. Empties `cells`.
    pub fn push_column(&mut self, cells: &mut Vec<(u32, f32)>) {
        for (e, count) in cells.drain(..) {
            self.given.push(e);
            self.counts.push(count);
            self.totals[e as usize] += f64::from(count);
        }
        self.starts.push(to_u64(self.given.len()));
    }

    /// Number of emitted types.
    #[must_use]
    pub fn emitted_types(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// What a count stands for: t(f | e) = (c + theta) / (`totals[e]` + V theta), a probability, for given type `e`.
    #[must_use]
    pub fn probability(&self, e: usize, count: f64) -> f64 {
        let types = to_f64(to_u64(self.emitted_types()));
        (count + self.theta) / (self.totals[e] + types * self.theta)
    }
}
