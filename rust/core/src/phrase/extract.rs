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

mod sides;

use super::corners::{Cells, Corners};
use super::hull::{Hull, Partners};
use super::orientation::{Definition, Orientations};
use crate::align::links::Link;
use crate::error::{Error, Result};
use crate::numeric::to_index;
use sides::Sides;
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
    /// Of the last sentence pair.
    lengths: (usize, usize),
    /// Whether orientations by phrases, and by blocks, are looked up.
    needs: Needs,
}

/// Which orientations are looked up besides those of words.
#[derive(Debug, Clone, Copy)]
struct Needs {
    phrase: bool,
    hier: bool,
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
            lengths: (0, 0),
            needs: Needs {
                phrase: true,
                hier: true,
            },
        })
    }

    /// The same without orientations that nobody asks for, which then are those of words: without `hier`, no block above the limit is looked at.
    #[must_use]
    pub const fn with_bases(mut self, phrase: bool, hier: bool) -> Self {
        self.needs = Needs { phrase, hier };
        self
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
        self.lengths = (source_length, target_length);
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

    /// Calls back with the two words of each of these links of the last sentence pair that share a word with another one: Moses' "single word
    /// heuristic", which makes phrase pairs of them although they are inconsistent with the links.
    ///
    /// `links` are those that [`Extractor::for_each`] was given, in the order of their target words. The order of the pairs is theirs.
    ///
    /// # Complexity
    /// Linear time in the links and the words.
    pub fn single_words(&self, links: &[Link], mut found: impl FnMut(PhrasePair)) {
        let (source_length, target_length) = self.lengths;
        let ends = |link: &Link| (to_index(link.source.into()), to_index(link.target.into()));
        let (mut of_source, mut of_target) =
            (vec![0_u32; source_length], vec![0_u32; target_length]);
        for (i, j) in links.iter().map(ends) {
            of_source[i] += 1;
            of_target[j] += 1;
        }
        let sides = Sides {
            source_length,
            target_length,
            extractor: self,
        };
        for (i, j) in links.iter().map(ends) {
            if of_source[i] > 1 || of_target[j] > 1 {
                found(PhrasePair {
                    source: i..i + 1,
                    target: j..j + 1,
                    previous: sides.previous(i, i, j),
                    next: sides.next(i, i, j),
                });
            }
        }
    }

    /// Marks the corners of all blocks and notes those that give phrase pairs.
    fn find_blocks(&mut self) {
        self.found.clear();
        let limit = self.options.max_length;
        let target_length = self.partners.of_target.len();
        let longest = if self.needs.hier {
            target_length
        } else {
            limit
        };
        for start in 0..target_length {
            let (mut hull, mut back) = (Hull::EMPTY, Hull::EMPTY);
            for end in start..target_length.min(start.saturating_add(longest)) {
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
                if self.needs.hier {
                    self.blocks
                        .add((start, end), (first, hull.low), (hull.high, last));
                }
                if end - start < limit && hull.len() <= limit {
                    if self.needs.phrase {
                        let first = first.max((hull.high + 1).saturating_sub(limit));
                        let last = last.min(hull.low.saturating_add(limit - 1));
                        self.within
                            .add((start, end), (first, hull.low), (hull.high, last));
                    }
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

/// Fails when a sentence is too long or a link lies outside.
pub(super) fn check(source_length: usize, target_length: usize, links: &[Link]) -> Result<()> {
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

#[cfg(test)]
mod tests;
