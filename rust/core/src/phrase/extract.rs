//! All phrase pairs of a sentence pair with their orientations.
//!
//! One pass over the target spans finds the blocks (consistent spans) of any length and marks their corners in bit matrices; a second one over the blocks
//! within the limit looks the orientations up. For target words `j1..=j2` and source words `i1..=i2` and the model of phrases or blocks:
//!
//! - previous is *mono* when word `(i1 - 1, j1 - 1)` is linked and `(i2 + 1, j1 - 1)` is not, or a block ends at `(i1 - 1, j1 - 1)`; else *swap* in the
//!   mirrored case, with a block that has its source start at `i2 + 1` and its target end at `j1 - 1`; else discontinuous: *right* when a block that ends in
//!   row `j1 - 1` has its source end further left, otherwise *left* when one has its source start further right, otherwise *right*;
//! - next is the same with the corners `(i2 + 1, j2 + 1)` and `(i1 - 1, j2 + 1)` of blocks that start in row `j2 + 1`.
//!
//! The model of words looks at links only. The cell before the first words counts as linked, and the cell after the last ones.

use super::corners::{Cells, Corners, Pair};
use super::hull::{Hull, Partners};
use super::orientation::{Definition, Orientation, Orientations};
use crate::align::links::Link;
use crate::error::{Error, Result};
use crate::numeric::to_index;
use std::ops::Range;

/// The longest sentence whose phrase pairs can be extracted, in words: time and memory grow with the product of the lengths.
pub const MAX_SENTENCE: usize = 10_000;

/// What is extracted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Longest side of a phrase pair, in words.
    pub max_length: usize,
    /// Which definition of orientations is meant.
    pub definition: Definition,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            max_length: 7,
            definition: Definition::Strict,
        }
    }
}

impl Options {
    /// Fails when an option is outside its range.
    ///
    /// # Errors
    /// [`Error::Config`] when the maximum length is 0.
    pub fn check(&self) -> Result<()> {
        if self.max_length > 0 {
            return Ok(());
        }
        Err(Error::config("max_length", "at least 1", 0))
    }
}

/// A phrase pair of a sentence pair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PhrasePair {
    /// Positions of its source words.
    pub source: Range<usize>,
    /// Positions of its target words.
    pub target: Range<usize>,
    /// How it stands to what comes before it in the target.
    pub previous: Orientations,
    /// How it stands to what comes after it in the target.
    pub next: Orientations,
}

/// Calls back with each phrase pair of a sentence pair, once each: by rising target start, rising target end, falling source start, rising source end.
///
/// An [`Extractor`] does the same for many sentence pairs without making its buffers again.
///
/// # Errors
/// As [`Extractor::for_each`].
///
/// # Complexity
/// As [`Extractor::for_each`].
///
/// # Examples
/// ```
/// use plait_core::align::Link;
/// use plait_core::phrase::{Options, Orientation, extract};
///
/// let links = [Link::new(0, 1), Link::new(1, 0)];
/// let mut swaps = 0;
/// extract::for_each(2, 2, &links, &Options::default(), |pair| {
///     swaps += usize::from(pair.previous.hier == Orientation::Swap);
/// })?;
/// assert_eq!(swaps, 1);
/// # Ok::<(), plait_core::error::Error>(())
/// ```
pub fn for_each(
    source_length: usize,
    target_length: usize,
    links: &[Link],
    options: &Options,
    found: impl FnMut(PhrasePair),
) -> Result<()> {
    Extractor::new(options)?.for_each(source_length, target_length, links, found)
}

/// Finds the phrase pairs of one sentence pair after another.
#[derive(Debug)]
pub struct Extractor {
    options: Options,
    partners: Partners,
    linked: Cells,
    /// Corners of phrase pairs within the limit, and of blocks of any length.
    within: Corners,
    blocks: Corners,
    /// Target spans, and the hulls of their links, that make a phrase pair.
    found: Vec<(usize, usize, Hull)>,
}

impl Extractor {
    /// An extractor with these options.
    ///
    /// # Errors
    /// [`Error::Config`]: see [`Options::check`].
    pub fn new(options: &Options) -> Result<Self> {
        options.check()?;
        Ok(Self {
            options: *options,
            partners: Partners::default(),
            linked: Cells::default(),
            within: Corners::default(),
            blocks: Corners::default(),
            found: Vec::new(),
        })
    }

    /// Calls back with each phrase pair, in the order of [`for_each`]. Links may come in any order and repeat.
    ///
    /// # Errors
    /// [`Error::Links`] when a link points outside of the sentence pair or a side is longer than [`MAX_SENTENCE`] words; the number of the pair in it is 1,
    /// for the caller to set.
    ///
    /// # Complexity
    /// For `n` target words: `O(n^2)` steps of a few nanoseconds for the blocks (fewer when words are reordered), and constant time for each phrase pair.
    /// Nine bits for each cell of the source-target matrix, kept from call to call.
    pub fn for_each(
        &mut self,
        source_length: usize,
        target_length: usize,
        links: &[Link],
        mut found: impl FnMut(PhrasePair),
    ) -> Result<()> {
        check(source_length, target_length, links)?;
        self.partners.fill(source_length, target_length, links);
        self.linked
            .clear(target_length, source_length, source_length);
        for link in links {
            let column = to_index(link.source.into());
            self.linked
                .add(to_index(link.target.into()), column, column);
        }
        let seen = match self.options.definition {
            Definition::Strict => source_length,
            Definition::Moses => source_length.saturating_sub(1),
        };
        self.within.clear(target_length, source_length, seen);
        self.blocks.clear(target_length, source_length, seen);
        self.find_blocks();
        let sides = Sides {
            source_length,
            target_length,
            extractor: self,
        };
        for &(start, end, hull) in &self.found {
            self.spans(hull, |low, high| {
                found(PhrasePair {
                    source: low..high + 1,
                    target: start..end + 1,
                    previous: sides.previous(low, high, start),
                    next: sides.next(low, high, end),
                });
            });
        }
        Ok(())
    }

    /// Marks the corners of all blocks and notes those that give phrase pairs.
    fn find_blocks(&mut self) {
        self.found.clear();
        let limit = self.options.max_length;
        let target_length = self.partners.of_target.len();
        for start in 0..target_length {
            let (mut hull, mut back) = (Hull::EMPTY, Hull::EMPTY);
            for end in start..target_length {
                let more = self.partners.of_target[end];
                if !more.is_empty() {
                    grow(&mut hull, &mut back, more, &self.partners.of_source);
                    if back.low < start {
                        // A source word inside has a partner before the span, which no longer span takes away.
                        break;
                    }
                }
                if hull.is_empty() || back.high > end {
                    continue;
                }
                let first = hull.low - self.partners.free_before[hull.low];
                let last = hull.high + self.partners.free_after[hull.high];
                self.blocks
                    .add((start, end), (first, hull.low), (hull.high, last));
                if end - start < limit && hull.len() <= limit {
                    let first = first.max((hull.high + 1).saturating_sub(limit));
                    let last = last.min(hull.low.saturating_add(limit - 1));
                    self.within
                        .add((start, end), (first, hull.low), (hull.high, last));
                    self.found.push((start, end, hull));
                }
            }
        }
    }

    /// The source spans of a target span: the hull of its links with unlinked words on both sides, within the limit.
    fn spans(&self, hull: Hull, mut found: impl FnMut(usize, usize)) {
        let limit = self.options.max_length;
        let first = (hull.low - self.partners.free_before[hull.low])
            .max((hull.high + 1).saturating_sub(limit));
        let last = hull.high + self.partners.free_after[hull.high];
        for low in (first..=hull.low).rev() {
            for high in hull.high..=last.min(low.saturating_add(limit - 1)) {
                found(low, high);
            }
        }
    }
}

/// Widens the hull of source words, and the hull of their target partners with it.
#[inline]
fn grow(hull: &mut Hull, back: &mut Hull, more: Hull, of_source: &[Hull]) {
    if hull.is_empty() {
        *hull = more;
        for partners in &of_source[more.low..=more.high] {
            back.join(*partners);
        }
        return;
    }
    // Each source word is looked at once for each start of a target span.
    if more.low < hull.low {
        for partners in &of_source[more.low..hull.low] {
            back.join(*partners);
        }
        hull.low = more.low;
    }
    if more.high > hull.high {
        for partners in &of_source[hull.high + 1..=more.high] {
            back.join(*partners);
        }
        hull.high = more.high;
    }
}

fn check(source_length: usize, target_length: usize, links: &[Link]) -> Result<()> {
    let problem = |problem: String, found: String| {
        Err(Error::Links {
            sentence: 1,
            problem,
            found,
        })
    };
    let longest = source_length.max(target_length);
    if longest > MAX_SENTENCE {
        return problem(
            format!(
                "phrase pairs are extracted from sentences of at most {MAX_SENTENCE} words; split or remove this one in all parallel files"
            ),
            format!("{longest} words"),
        );
    }
    let outside = |link: &&Link| {
        to_index(link.source.into()) >= source_length
            || to_index(link.target.into()) >= target_length
    };
    match links.iter().find(outside) {
        None => Ok(()),
        Some(link) => problem(
            format!(
                "a link (0-based, source-target) points outside of the pair of {source_length} source and {target_length} target words; \
                 check that the alignment belongs to this text and is not turned around"
            ),
            format!("{}-{}", link.source, link.target),
        ),
    }
}

/// Looks orientations up, once all corners are known.
struct Sides<'e> {
    source_length: usize,
    target_length: usize,
    extractor: &'e Extractor,
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
    fn previous(&self, low: usize, high: usize, start: usize) -> Orientations {
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
    fn next(&self, low: usize, high: usize, end: usize) -> Orientations {
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
        Orientations {
            word,
            phrase: of_corners(&self.extractor.within),
            hier: of_corners(&self.extractor.blocks),
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

#[cfg(test)]
mod tests;
