//! The rules of a sentence pair as lines.

use super::Span;
use crate::numeric::to_index;
use crate::phrase::general::{write_general, write_whole};
use crate::phrase::lines::Written;
use crate::phrase::sentence::SentencePair;
use crate::phrase::tokens::Tokens;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// How a gap is written.
const GAP: &[u8] = b"[X][X]";

/// The left-hand side of all rules.
const SIDE: &[u8] = b"[X]";

/// The rules of a sentence pair in the order in which each was found first.
#[derive(Default)]
pub(super) struct Rules {
    /// The number of each rule, by its line.
    numbers: FxHashMap<Vec<u8>, usize>,
    direct: Vec<Vec<u8>>,
    inverse: Vec<Vec<u8>>,
    pub(super) counts: Vec<f64>,
    /// Rules of the initial phrase pair that is worked on.
    pub(super) drawn: Vec<usize>,
}

impl Rules {
    /// Adds a rule with these gaps, in the order of the target.
    pub(super) fn add(&mut self, sentence: &SentencePair, span: &Span, gaps: &[Span]) {
        let mut by_source: Vec<&Span> = gaps.iter().collect();
        by_source.sort_unstable_by_key(|gap| gap.source.start);
        let source_gaps: Vec<&Range<usize>> = by_source.iter().map(|gap| &gap.source).collect();
        let target_gaps: Vec<&Range<usize>> = gaps.iter().map(|gap| &gap.target).collect();
        let source = side(&sentence.source, &span.source, &source_gaps);
        let target = side(&sentence.target, &span.target, &target_gaps);
        let (mut direct, mut inverse) = (Vec::new(), Vec::new());
        head(&mut direct, &source, &target);
        head(&mut inverse, &target, &source);
        let mut both = |i: usize, j: usize| {
            link(&mut direct, i, j);
            link(&mut inverse, j, i);
        };
        for word in sentence.links_of(&span.target) {
            let (i, j) = (to_index(word.source.into()), to_index(word.target.into()));
            if let (Some(i), Some(j)) = (
                place(i, span.source.start, &source_gaps),
                place(j, span.target.start, &target_gaps),
            ) {
                both(i, j);
            }
        }
        for gap in gaps {
            both(
                place_of_gap(gap.source.start, span.source.start, &source_gaps),
                place_of_gap(gap.target.start, span.target.start, &target_gaps),
            );
        }
        let next = self.counts.len();
        let number = *self.numbers.entry(direct.clone()).or_insert(next);
        if number == next {
            self.direct.push(direct);
            self.inverse.push(inverse);
            self.counts.push(0.0);
        }
        self.drawn.push(number);
    }

    pub(super) fn write(&self, written: &mut Written, weight: f64) {
        for ((direct, inverse), count) in self.direct.iter().zip(&self.inverse).zip(&self.counts) {
            for (out, line) in [
                (&mut written.direct, direct),
                (&mut written.inverse, inverse),
            ] {
                out.extend_from_slice(line);
                out.extend_from_slice(b" ||| ");
                write_general(out, count * weight);
                out.push(b'\n');
            }
            written.pairs += 1;
        }
    }
}

fn head(out: &mut Vec<u8>, first: &[u8], second: &[u8]) {
    out.extend_from_slice(first);
    out.extend_from_slice(b" ||| ");
    out.extend_from_slice(second);
    out.extend_from_slice(b" |||");
}

fn link(out: &mut Vec<u8>, first: usize, second: usize) {
    out.push(b' ');
    write_whole(out, first);
    out.push(b'-');
    write_whole(out, second);
}

/// The words and gaps of one side, with the left-hand side behind them.
fn side(tokens: &Tokens, span: &Range<usize>, gaps: &[&Range<usize>]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut at = span.start;
    let words = |out: &mut Vec<u8>, words: Range<usize>| {
        if !words.is_empty() {
            out.extend_from_slice(tokens.span(&words));
            out.push(b' ');
        }
    };
    for gap in gaps {
        words(&mut out, at..gap.start);
        out.extend_from_slice(GAP);
        out.push(b' ');
        at = gap.end;
    }
    words(&mut out, at..span.end);
    out.extend_from_slice(SIDE);
    out
}

/// The place of a word in a rule; none in a gap. Gaps are in their order.
fn place(word: usize, start: usize, gaps: &[&Range<usize>]) -> Option<usize> {
    if gaps.iter().any(|gap| gap.contains(&word)) {
        return None;
    }
    Some(place_of_gap(word, start, gaps))
}

/// The place of a word outside of gaps, or of the gap that begins there.
fn place_of_gap(word: usize, start: usize, gaps: &[&Range<usize>]) -> usize {
    let before = gaps.iter().filter(|gap| gap.end <= word);
    before.fold(word - start, |place, gap| place + 1 - gap.len())
}
