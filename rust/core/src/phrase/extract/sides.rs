//! Orientations of a phrase pair, from links and corners of blocks.

use super::Extractor;
use crate::phrase::corners::{Cells, Corners, Pair};
use crate::phrase::hull::Hull;
use crate::phrase::orientation::{Definition, Orientation, Orientations};

/// Looks orientations up, once all corners are known.
pub(super) struct Sides<'e> {
    pub(super) source_length: usize,
    pub(super) target_length: usize,
    pub(super) extractor: &'e Extractor,
}

/// What is known about the row of the target next to a phrase pair.
struct Row {
    index: usize,
    /// Source columns next to the phrase pair, in the order of the target (`mono`) and against it (`swap`); none outside of the sentence.
    mono: Option<usize>,
    swap: Option<usize>,
    is_mono_linked: bool,
    is_swap_linked: bool,
}

impl Sides<'_> {
    /// Orientations of source words `low..=high` to what comes before target word `start`.
    pub(super) fn previous(&self, low: usize, high: usize, start: usize) -> Orientations {
        let Some(row) = start.checked_sub(1) else {
            return at_border(low == 0);
        };
        let row = self.row(row, low.checked_sub(1), self.column_after(high));
        let away = |pair: &Pair| {
            // The neighbour itself is no distant one; a set cell there was taken before.
            let is_right = pair.last.has_before(row.index, low);
            let is_left = pair.first.has_after(row.index, high);
            away(is_right, is_left)
        };
        let of_corners = |corners: &Corners| {
            let pair = &corners.ends;
            row.by_corners(&pair.last, &pair.first)
                .unwrap_or_else(|| away(pair))
        };
        let partners = self.extractor.partners.of_target[row.index];
        self.all(&row, partners, (low, high), true, of_corners)
    }

    /// Orientations of source words `low..=high` to what comes after target word `end`.
    pub(super) fn next(&self, low: usize, high: usize, end: usize) -> Orientations {
        if end + 1 == self.target_length {
            return at_border(high + 1 == self.source_length);
        }
        let row = self.row(end + 1, self.column_after(high), low.checked_sub(1));
        let of_corners = |corners: &Corners| {
            let pair = match self.extractor.options.definition {
                Definition::Strict => &corners.starts,
                Definition::Moses => &corners.ends,
            };
            row.by_corners(&pair.first, &pair.last).unwrap_or_else(|| {
                let is_right = pair.first.has_after(row.index, high);
                let is_left = pair.last.has_before(row.index, low);
                away(is_right, is_left)
            })
        };
        let partners = self.extractor.partners.of_target[row.index];
        self.all(&row, partners, (low, high), false, of_corners)
    }

    fn all(
        &self,
        row: &Row,
        partners: Hull,
        (low, high): (usize, usize),
        is_previous: bool,
        of_corners: impl Fn(&Corners) -> Orientation,
    ) -> Orientations {
        let word = row.by_links().unwrap_or_else(|| {
            let is_before = partners.low < low;
            let is_after = !partners.is_empty() && partners.high > high;
            // Both or neither: it cannot be told.
            if is_before == is_after || is_before == is_previous {
                Orientation::DiscontinuousRight
            } else {
                Orientation::DiscontinuousLeft
            }
        });
        let needs = self.extractor.needs;
        let by_corners = |is_needed: bool, corners: &Corners| {
            if is_needed { of_corners(corners) } else { word }
        };
        Orientations {
            word,
            phrase: by_corners(needs.phrase, &self.extractor.within),
            hier: by_corners(needs.hier, &self.extractor.blocks),
        }
    }

    fn row(&self, row: usize, mono: Option<usize>, swap: Option<usize>) -> Row {
        let is_linked =
            |column: Option<usize>| column.is_some_and(|c| self.extractor.linked.has(row, c));
        Row {
            index: row,
            mono,
            swap,
            is_mono_linked: is_linked(mono),
            is_swap_linked: is_linked(swap),
        }
    }

    fn column_after(&self, high: usize) -> Option<usize> {
        (high + 1 < self.source_length).then_some(high + 1)
    }
}

impl Row {
    /// Mono or swap by links alone.
    fn by_links(&self) -> Option<Orientation> {
        match (self.is_mono_linked, self.is_swap_linked) {
            (true, false) => Some(Orientation::Mono),
            (false, true) => Some(Orientation::Swap),
            _ => None,
        }
    }

    /// Mono or swap by links or by blocks with a corner next to the phrase pair; mono goes first.
    fn by_corners(&self, mono: &Cells, swap: &Cells) -> Option<Orientation> {
        let has = |cells: &Cells, column: Option<usize>| {
            column.is_some_and(|column| cells.has(self.index, column))
        };
        let links = self.by_links();
        if links == Some(Orientation::Mono) || has(mono, self.mono) {
            Some(Orientation::Mono)
        } else if links == Some(Orientation::Swap) || has(swap, self.swap) {
            Some(Orientation::Swap)
        } else {
            None
        }
    }
}

/// The class of what is neither mono nor swap.
const fn away(is_right: bool, is_left: bool) -> Orientation {
    if is_left && !is_right {
        Orientation::DiscontinuousLeft
    } else {
        Orientation::DiscontinuousRight
    }
}

/// Next to the border of the target: in order when it is the same border of the source, otherwise a jump from the start, or to the end, of the source.
const fn at_border(is_in_order: bool) -> Orientations {
    let orientation = if is_in_order {
        Orientation::Mono
    } else {
        Orientation::DiscontinuousRight
    };
    Orientations {
        word: orientation,
        phrase: orientation,
        hier: orientation,
    }
}
