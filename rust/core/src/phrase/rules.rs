//! Rules with gaps: hierarchical phrase pairs (Chiang 2007, section 3).
//!
//! A phrase pair within [`RuleOptions::max_span`] is an initial one. It gives a rule of its words, and rules in which smaller phrase pairs inside of it
//! are gaps. Each initial phrase pair counts one, shared out evenly to its rules; equal rules of a sentence pair add up.
//!
//! A line is `source [X] ||| target [X] ||| i-j .. ||| count`. A gap is a word `[X][X]` of both sides and linked; `[X]` behind each side is the
//! left-hand side, and not counted as a word. Order and limits are those of Moses' `extract-rules`.

mod found;

use super::extract;
use super::hull::{Hull, Partners};
use super::lines::Written;
use super::orientation::Definition;
use super::pairs::is_gap;
use super::sentence::{Block, Input, Item, Misfit, SentencePair, at_line};
use crate::align::notation::show;
use crate::cancel::CancelToken;
use crate::error::{Error, Result};
use crate::numeric::{to_f64, to_u64};
use crate::parallel;
use found::Rules;
use std::ops::Range;

/// Sentence pairs that one thread takes at a time; each has thousands of rules.
const PIECE: usize = 8;

/// Which rules are extracted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RuleOptions {
    /// The longest side of an initial phrase pair, in words.
    pub max_span: usize,
    /// The fewest source words of a gap.
    pub min_gap_source: usize,
    /// The fewest target words of a gap.
    pub min_gap_target: usize,
    /// The fewest words of each side of a rule.
    pub min_words: usize,
    /// The most words and gaps of the source side.
    pub max_symbols_source: usize,
    /// The most words and gaps of the target side.
    pub max_symbols_target: usize,
    /// The most gaps.
    pub max_gaps: usize,
    /// Whether gaps may be neighbours in the source.
    pub neighbours: bool,
    /// Whether each rule counts one, instead of its share of the initial phrase pair.
    pub whole_counts: bool,
}

impl Default for RuleOptions {
    fn default() -> Self {
        Self {
            max_span: 10,
            min_gap_source: 2,
            min_gap_target: 1,
            min_words: 1,
            max_symbols_source: 5,
            max_symbols_target: 999,
            max_gaps: 2,
            neighbours: false,
            whole_counts: false,
        }
    }
}

impl RuleOptions {
    /// Fails when an option is outside its range.
    ///
    /// # Errors
    /// [`Error::Config`].
    pub fn check(&self) -> Result<()> {
        for (name, value) in [
            ("max_span", self.max_span),
            ("min_gap_source", self.min_gap_source),
            ("min_gap_target", self.min_gap_target),
            ("max_symbols_source", self.max_symbols_source),
            ("max_symbols_target", self.max_symbols_target),
        ] {
            if value == 0 {
                return Err(Error::config(name, "at least 1", value));
            }
        }
        // The number of rules grows with the span to the power of two for each gap.
        if self.max_span > 100 {
            return Err(Error::config("max_span", "at most 100", self.max_span));
        }
        Ok(())
    }
}

/// Writes the rules of the sentence pairs of a block, in parts for one sentence range after the other; there are no orientations.
///
/// # Errors
/// [`Error::Config`], [`Error::Cancelled`]. Inside, with the file that has it, [`Error::Text`]: as [`super::lines::write`], or a word looks like a gap.
///
/// # Complexity
/// For a sentence of `n` words and `g` gaps: `O(n s^(1 + 2g))` for the span `s` at the worst; memory for the lines of the block.
pub fn write(
    block: Block<'_>,
    options: &RuleOptions,
    threads: usize,
    cancel: &CancelToken,
) -> Result<std::result::Result<Vec<Written>, Misfit>> {
    options.check()?;
    let parts = parallel::map(threads, cancel, block.pieces(PIECE), |_, piece| {
        let mut writer = Writer {
            options,
            sentence: SentencePair::default(),
            partners: Partners::default(),
            blocks: Vec::new(),
            written: Written::default(),
        };
        for item in &piece {
            cancel.check()?;
            if let Err(misfit) = writer.write(item) {
                return Ok(Err(misfit));
            }
        }
        Ok(Ok(writer.written))
    })?;
    Ok(parts.into_iter().collect())
}

/// A phrase pair: an initial one, or a gap in one.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Span {
    source: Range<usize>,
    target: Range<usize>,
}

struct Writer<'o> {
    options: &'o RuleOptions,
    sentence: SentencePair,
    partners: Partners,
    /// Source spans of each target span: those of length `n` from word `j` have the index `j * max_span + n - 1`.
    blocks: Vec<Vec<Range<usize>>>,
    written: Written,
}

impl Writer<'_> {
    fn write(&mut self, item: &Item<'_>) -> std::result::Result<(), Misfit> {
        let weight = self.sentence.read(item, Definition::Strict)?;
        let weight = weight.map_or(1.0, number_of);
        let (source, target) = (&self.sentence.source, &self.sentence.target);
        refuse_gaps(source.each(), item.number).map_err(|e| (Input::Source, e))?;
        refuse_gaps(target.each(), item.number).map_err(|e| (Input::Target, e))?;
        let (sources, targets) = (source.len(), target.len());
        extract::check(sources, targets, &self.sentence.links)
            .map_err(|error| (Input::Alignment, at_line(error, item.number)))?;
        self.partners.fill(sources, targets, &self.sentence.links);
        self.blocks.clear();
        self.blocks
            .resize(targets * self.options.max_span, Vec::new());
        let mut found = Rules::default();
        for length in 1..=self.options.max_span.min(targets) {
            for start in 0..=targets - length {
                self.initial(start..start + length, sources, &mut found);
            }
        }
        found.write(&mut self.written, weight);
        Ok(())
    }

    /// Adds the rules of the initial phrase pairs with this target span: its source span grows over unlinked words, first to the left.
    fn initial(&mut self, target: Range<usize>, sources: usize, found: &mut Rules) {
        let Some(hull) = self.hull(&target) else {
            return;
        };
        let longest = self.options.max_span;
        let first = (hull.low - self.partners.free_before[hull.low])
            .max((hull.high + 1).saturating_sub(longest));
        let last = hull.high + self.partners.free_after[hull.high];
        for low in (first..=hull.low).rev() {
            for high in hull.high..=last.min(low + longest - 1).min(sources - 1) {
                let span = Span {
                    source: low..high + 1,
                    target: target.clone(),
                };
                self.rules(&span, found);
                let at = target.start * longest + target.len() - 1;
                self.blocks[at].push(span.source);
            }
        }
    }

    /// The source partners of a target span that is consistent with the links, if it has any and they are within the limit.
    fn hull(&self, target: &Range<usize>) -> Option<Hull> {
        let mut hull = Hull::EMPTY;
        for partners in &self.partners.of_target[target.clone()] {
            hull.join(*partners);
        }
        if hull.is_empty() || hull.len() > self.options.max_span {
            return None;
        }
        let mut back = Hull::EMPTY;
        for partners in &self.partners.of_source[hull.low..=hull.high] {
            back.join(*partners);
        }
        (back.low >= target.start && back.high < target.end).then_some(hull)
    }

    /// Adds the rules of one initial phrase pair.
    fn rules(&self, span: &Span, found: &mut Rules) {
        let before = found.drawn.len();
        if span.target.len() <= self.options.max_symbols_target
            && span.source.len() <= self.options.max_symbols_source
        {
            found.add(&self.sentence, span, &[]);
        }
        let mut gaps = Vec::new();
        self.with_gaps(span, span.target.start, &mut gaps, found);
        let rules = found.drawn.len() - before;
        let share = if self.options.whole_counts {
            1.0
        } else {
            1.0 / to_f64(to_u64(rules.max(1)))
        };
        for rule in found.drawn.drain(before..) {
            found.counts[rule] += share;
        }
    }

    /// Adds the rules with these gaps and one more or several that begin at `from` or later in the target.
    fn with_gaps(&self, span: &Span, from: usize, gaps: &mut Vec<Span>, found: &mut Rules) {
        if gaps.len() >= self.options.max_gaps {
            return;
        }
        for start in from..span.target.end {
            for end in start + self.options.min_gap_target..=span.target.end {
                let target = start..end;
                if target == span.target {
                    continue;
                }
                let at = start * self.options.max_span + target.len() - 1;
                for source in &self.blocks[at] {
                    let gap = Span {
                        source: source.clone(),
                        target: target.clone(),
                    };
                    if !self.may_be_gap(span, &gap, gaps) {
                        continue;
                    }
                    gaps.push(gap);
                    let symbols = |side: fn(&Span) -> &Range<usize>| {
                        words_left(span, gaps, side) + gaps.len()
                    };
                    if symbols(|s| &s.source) <= self.options.max_symbols_source
                        && symbols(|s| &s.target) <= self.options.max_symbols_target
                    {
                        found.add(&self.sentence, span, gaps);
                    }
                    self.with_gaps(span, end, gaps, found);
                    gaps.pop();
                }
            }
        }
    }

    fn may_be_gap(&self, span: &Span, gap: &Span, gaps: &[Span]) -> bool {
        let options = self.options;
        let (source, target) = (&gap.source, &gap.target);
        // Unlinked words may bring its source out of the phrase pair.
        let is_inside = source.start >= span.source.start && source.end <= span.source.end;
        let is_apart = |other: &Span| {
            let room = usize::from(!options.neighbours);
            other.source.end + room <= source.start || source.end + room <= other.source.start
        };
        let left = |side: fn(&Span) -> &Range<usize>| words_left(span, gaps, side);
        is_inside
            && source.len() >= options.min_gap_source
            && gaps.iter().all(is_apart)
            && left(|s| &s.source) >= source.len() + options.min_words
            && left(|s| &s.target) >= target.len() + options.min_words
            && self.has_linked_word(span, gap, gaps)
    }

    /// Whether a linked word of the target is in no gap, or no word at all of both sides.
    fn has_linked_word(&self, span: &Span, gap: &Span, gaps: &[Span]) -> bool {
        let left =
            |side: fn(&Span) -> &Range<usize>| words_left(span, gaps, side) - side(gap).len();
        if left(|s| &s.source) == 0 && left(|s| &s.target) == 0 {
            return true;
        }
        let is_word = |j: &usize| {
            !gap.target.contains(j) && !gaps.iter().any(|other| other.target.contains(j))
        };
        span.target
            .clone()
            .filter(is_word)
            .any(|j| !self.partners.of_target[j].is_empty())
    }
}

/// Words of one side of a phrase pair that are in no gap.
fn words_left(span: &Span, gaps: &[Span], side: fn(&Span) -> &Range<usize>) -> usize {
    side(span).len() - gaps.iter().map(|gap| side(gap).len()).sum::<usize>()
}

/// A weight that was checked when it was read.
fn number_of(weight: &[u8]) -> f64 {
    std::str::from_utf8(weight)
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(0.0)
}

fn refuse_gaps<'a>(mut words: impl Iterator<Item = &'a [u8]>, number: u64) -> Result<()> {
    match words.position(is_gap) {
        None => Ok(()),
        Some(at) => Err(Error::Text {
            line: number,
            column: 1,
            problem: format!(
                "word {} is in square brackets and would be a gap of the rules; write it in another way, as Moses' escaping does (&#91; &#93;)",
                at + 1
            ),
            found: show(b"[..]"),
        }),
    }
}

#[cfg(test)]
mod tests;
