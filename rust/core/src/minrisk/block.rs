//! Blocks: many forests in three arrays.
//!
//! A block holds its forests one after the other, in arrays of 64, 32 and 16 bits. What is said of edges is by place, so that nothing has to be ordered. A forest
//! begins with [`HEADER`] numbers of 32 bits, its sizes, from which follows how much of each array is its own. Then come, in this order and each in the array of its width:
//!
//! | numbers | of | width |
//! |---|---|---|
//! | edges into the node | each node | short if they fit |
//! | nodes of the tail | each edge; left out where tails stand in pairs | short if they fit |
//! | tails | each tail node; or two for each edge, from 1, and 0 for none | short if they fit |
//! | row of features | each edge; left out where it is the place | short if they fit |
//! | the caller's number | each edge; left out where it is the place | short if they fit |
//! | ids of features | each feature of the forest: dense ones first, otherwise rising | 32 |
//! | rows in which its value is 1 | each feature that is not dense | short if they fit |
//! | which they are | each of them, rising | short if they fit |
//! | rows in which its value is another | each feature that is not dense | short if they fit |
//! | which they are | each of them, rising | short if they fit |
//! | losses | each edge | 64 |
//! | base scores | each edge, if there are any | 64 |
//! | dense features | column after column, a value for each row | 64 |
//! | values | each row of another value than 1 | 64 |
//!
//! Tails stand in pairs where none has more than two nodes. Rows that are equal are kept once. Most sparse features are counts of something that is there once: those of value 1 take two bytes each. They stand by feature,
//! not by row, because a row has a few, as many as it happens to have, and a feature has many: loops are long, and the processor foresees their ends.

use super::packed::Packed;
use crate::error::{Error, Result};
use crate::numeric::to_index;

/// Numbers at the start of each forest.
pub(super) const HEADER: usize = 10;

/// There are base scores.
pub(super) const HAS_BASE: u32 = 1;
/// Rows are not those of the edges.
pub(super) const HAS_ROWS: u32 = 1 << 1;
/// Edges have other numbers than places.
pub(super) const HAS_NUMBERS: u32 = 1 << 2;
/// Tails stand in pairs.
pub(super) const HAS_PAIRS: u32 = 1 << 12;
/// Array n of the packed ones has 32 bits: this times 2^n.
pub(super) const WIDE: u32 = 1 << 3;

/// Many forests, one after the other.
#[derive(Debug, Clone, Copy)]
pub struct Block<'a> {
    /// The number of the first forest in the training set, from 0.
    pub first: u64,
    /// The number of forests.
    pub forests: usize,
    /// What has 64 bits.
    pub doubles: &'a [f64],
    /// What has 32 bits.
    pub words: &'a [u32],
    /// What has 16 bits.
    pub shorts: &'a [u16],
}

/// A forest of a block.
#[derive(Debug, Clone, Copy)]
pub struct BlockForest<'a> {
    /// Its number in the training set, from 0.
    pub number: u64,
    /// The number of nodes; 0 for a forest without derivations, which has nothing else.
    pub nodes: usize,
    /// The number of edges.
    pub edges: usize,
    /// The place of the root.
    pub root: u32,
    /// The number of different rows of features.
    pub rows: usize,
    /// The number of dense features: the first ones of `ids`.
    pub dense: usize,
    /// Whether tails stand in pairs.
    pub(super) has_pairs: bool,
    pub(super) degrees: Packed<'a>,
    pub(super) arities: Packed<'a>,
    pub(super) tails: Packed<'a>,
    /// The row of each edge, unless it is the place.
    pub(super) row_of: Option<Packed<'a>>,
    /// The caller's number of each edge, unless it is the place.
    pub(super) numbers: Option<Packed<'a>>,
    /// The features that occur.
    pub ids: &'a [u32],
    /// In how many rows each of the other features is 1.
    pub(super) one_counts: Packed<'a>,
    /// Those rows.
    pub(super) ones: Packed<'a>,
    /// In how many rows it has another value.
    pub(super) value_counts: Packed<'a>,
    /// Those rows.
    pub(super) valued: Packed<'a>,
    /// The loss of each edge.
    pub losses: &'a [f64],
    /// The base score of each edge.
    pub base: Option<&'a [f64]>,
    /// Dense features, column after column.
    pub(super) columns: &'a [f64],
    /// The values in the rows `valued`.
    pub(super) values: &'a [f64],
}

impl<'a> Block<'a> {
    /// The forests, in order. O(forests).
    ///
    /// # Errors
    /// [`Error::Model`] where the arrays do not hold what the sizes say.
    pub fn split(&self) -> Result<Vec<BlockForest<'a>>> {
        let mut rest = Rest {
            doubles: self.doubles,
            words: self.words,
            shorts: self.shorts,
        };
        // A damaged count must not take the memory.
        let mut forests = Vec::with_capacity(self.forests.min(self.words.len() / HEADER));
        for number in (self.first..).take(self.forests) {
            forests.push(rest.forest(number)?);
        }
        if rest.doubles.is_empty() && rest.words.is_empty() && rest.shorts.is_empty() {
            Ok(forests)
        } else {
            Err(damaged("holds more than its forests"))
        }
    }

    /// Its size in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        size_of_val(self.doubles) + size_of_val(self.words) + size_of_val(self.shorts)
    }
}

impl BlockForest<'_> {
    /// The caller's number of an edge.
    #[must_use]
    pub fn edge_number(&self, place: usize) -> usize {
        self.numbers
            .map_or(place, |numbers| to_index(u64::from(numbers.get(place))))
    }
}

/// What was not yet read of a block.
struct Rest<'a> {
    doubles: &'a [f64],
    words: &'a [u32],
    shorts: &'a [u16],
}

impl<'a> Rest<'a> {
    fn forest(&mut self, number: u64) -> Result<BlockForest<'a>> {
        let header = take(&mut self.words, HEADER)?;
        let size = |n: usize| to_index(u64::from(header[n]));
        let (nodes, edges, tails, rows) = (size(0), size(1), size(2), size(4));
        let (features, ones, valued, dense) = (size(5), size(6), size(7), size(8));
        let flags = header[9];
        let mut packed = (0..).map(|n| flags & (WIDE << n) != 0);
        let mut next = |rest: &mut Self, length: usize| {
            let is_wide = packed.next().unwrap_or(false);
            rest.packed(is_wide, length)
        };
        let degrees = next(self, nodes)?;
        let has = |flag: u32| flags & flag != 0;
        let arities = next(self, if has(HAS_PAIRS) { 0 } else { edges })?;
        let tails = next(self, tails)?;
        let row_of = next(self, if has(HAS_ROWS) { edges } else { 0 })?;
        let numbers = next(self, if has(HAS_NUMBERS) { edges } else { 0 })?;
        let ids = take(&mut self.words, features)?;
        let Some(sparse) = features.checked_sub(dense) else {
            return Err(damaged("has more dense features than features"));
        };
        let one_counts = next(self, sparse)?;
        let ones = next(self, ones)?;
        let value_counts = next(self, sparse)?;
        let valued = next(self, valued)?;
        let losses = take(&mut self.doubles, edges)?;
        let base = take(&mut self.doubles, if has(HAS_BASE) { edges } else { 0 })?;
        let cells = dense.saturating_mul(rows);
        let columns = take(&mut self.doubles, cells)?;
        let values = take(&mut self.doubles, valued.len())?;
        Ok(BlockForest {
            number,
            nodes,
            edges,
            root: header[3],
            rows,
            dense,
            has_pairs: has(HAS_PAIRS),
            degrees,
            arities,
            tails,
            row_of: has(HAS_ROWS).then_some(row_of),
            numbers: has(HAS_NUMBERS).then_some(numbers),
            ids,
            one_counts,
            ones,
            value_counts,
            valued,
            losses,
            base: has(HAS_BASE).then_some(base),
            columns,
            values,
        })
    }

    fn packed(&mut self, is_wide: bool, length: usize) -> Result<Packed<'a>> {
        Ok(if is_wide {
            Packed::Word(take(&mut self.words, length)?)
        } else {
            Packed::Short(take(&mut self.shorts, length)?)
        })
    }
}

fn take<'a, T>(rest: &mut &'a [T], length: usize) -> Result<&'a [T]> {
    let Some((taken, left)) = rest.split_at_checked(length) else {
        return Err(damaged("ends within a forest"));
    };
    *rest = left;
    Ok(taken)
}

/// A block that no builder has made.
pub(super) fn damaged(problem: &str) -> Error {
    Error::Model {
        part: "a block of forests",
        problem: problem.to_owned(),
    }
}
