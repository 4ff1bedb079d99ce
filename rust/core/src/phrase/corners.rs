//! Where blocks have a corner: a set of cells of the alignment matrix.

use super::hull::{Hull, reset};

/// Cells of a matrix with a target word in each row and a source word in each column, and the outermost set cell of each row.
#[derive(Debug, Default)]
pub(super) struct Cells {
    bits: Vec<u64>,
    stride: usize,
    hulls: Vec<Hull>,
    /// Columns from here on do not count for `hulls`.
    seen: usize,
}

impl Cells {
    /// Empties the set and gives it a size; the outermost cells are those before column `seen`.
    pub(super) fn clear(&mut self, rows: usize, columns: usize, seen: usize) {
        self.stride = columns.div_ceil(64);
        reset(&mut self.bits, rows * self.stride, 0);
        reset(&mut self.hulls, rows, Hull::EMPTY);
        self.seen = seen;
    }

    /// Adds the cells from column `low` to column `high`, both included.
    #[inline]
    pub(super) fn add(&mut self, row: usize, low: usize, high: usize) {
        let start = row * self.stride;
        let (first, last) = (low / 64, high / 64);
        let (head, tail) = (u64::MAX << (low % 64), u64::MAX >> (63 - high % 64));
        if first == last {
            self.bits[start + first] |= head & tail;
        } else {
            self.bits[start + first] |= head;
            self.bits[start + first + 1..start + last].fill(u64::MAX);
            self.bits[start + last] |= tail;
        }
        if low < self.seen {
            self.hulls[row].join(Hull {
                low,
                high: high.min(self.seen - 1),
            });
        }
    }

    /// Whether the cell is set.
    #[inline]
    pub(super) fn has(&self, row: usize, column: usize) -> bool {
        self.bits[row * self.stride + column / 64] >> (column % 64) & 1 == 1
    }

    /// Whether the row has a cell left of this column.
    #[inline]
    pub(super) fn has_before(&self, row: usize, column: usize) -> bool {
        self.hulls[row].low < column
    }

    /// Whether the row has a cell right of this column.
    #[inline]
    pub(super) fn has_after(&self, row: usize, column: usize) -> bool {
        let hull = self.hulls[row];
        !hull.is_empty() && hull.high > column
    }
}

/// The corners of blocks that matter for orientations, in rows of the target.
///
/// `first` belongs to the source start of a block, `last` to its source end. Both hold the blocks that end in a row ("previous"), and the pair for
/// "next" the blocks that start in it.
#[derive(Debug, Default)]
pub(super) struct Corners {
    pub(super) ends: Pair,
    pub(super) starts: Pair,
}

/// Source starts and ends of blocks, by target row.
#[derive(Debug, Default)]
pub(super) struct Pair {
    pub(super) first: Cells,
    pub(super) last: Cells,
}

impl Pair {
    fn clear(&mut self, rows: usize, columns: usize, seen: usize) {
        self.first.clear(rows, columns, seen);
        self.last.clear(rows, columns, columns);
    }
}

impl Corners {
    pub(super) fn clear(&mut self, rows: usize, columns: usize, seen: usize) {
        self.ends.clear(rows, columns, seen);
        self.starts.clear(rows, columns, seen);
    }

    /// Adds the blocks of one target span whose source side starts and ends anywhere in these ranges.
    #[inline]
    pub(super) fn add(
        &mut self,
        rows: (usize, usize),
        starts: (usize, usize),
        ends: (usize, usize),
    ) {
        for (pair, row) in [(&mut self.starts, rows.0), (&mut self.ends, rows.1)] {
            pair.first.add(row, starts.0, starts.1);
            pair.last.add(row, ends.0, ends.1);
        }
    }
}
