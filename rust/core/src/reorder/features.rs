//! The phrase pairs of a corpus as lines of examples: phrases, orientation, features.
//!
//! A line is `source phrase ||| target phrase ||| class ||| features`. Features are words without spaces:
//!
//! - `a:f&e` for a link inside between `f` and `e`; `&` in a word is written `&amp;`, so that the one between them is the only bare one;
//! - `c:f` for a source word at most [`Options::window`] words outside; with [`Options::marks_sides`] `l1:f`, `l2:f`, .. to the left and `r1:f`, .. to the
//!   right, by distance.
//!
//! A feature may stand more than once in a line; it counts as often. Any further word in the last column is a feature too.

use crate::align::links::Links;
use crate::error::{Error, Result};
use crate::ids::WordId;
use crate::numeric::{to_index, to_u64};
use crate::phrase::{
    Definition, Extractor, Options as Spans, Orientation, Orientations, PhrasePair,
};
use crate::text::{Bitext, Vocabulary};
use std::io::Write;
use std::ops::Range;

/// By what a phrase pair's neighbour is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Model {
    /// Links: "wbe".
    Word,
    /// Phrase pairs: "phrase".
    Phrase,
    /// Blocks of any length: "hier".
    Hier,
}

/// How finely orientations are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Classes {
    /// `mono swap other`.
    Msd,
    /// `mono swap dleft dright`.
    Mslr,
    /// `mono nomono`.
    Monotonicity,
}

/// What makes an example.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Longest side of a phrase pair, in words.
    pub max_length: usize,
    /// Which definition of orientations is meant.
    pub definition: Definition,
    /// By what neighbours are told.
    pub model: Model,
    /// The classes.
    pub classes: Classes,
    /// Whether the orientation to the next phrase is meant, instead of that to the previous one.
    pub is_next: bool,
    /// Source words on each side that are features.
    pub window: usize,
    /// Whether words on the left and on the right, and at each distance, are different features.
    pub marks_sides: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            max_length: 7,
            definition: Definition::Strict,
            model: Model::Hier,
            classes: Classes::Msd,
            is_next: false,
            window: 1,
            marks_sides: false,
        }
    }
}

impl Options {
    fn class(&self, pair: &PhrasePair) -> &'static str {
        let side: &Orientations = if self.is_next {
            &pair.next
        } else {
            &pair.previous
        };
        let orientation = match self.model {
            Model::Word => side.word,
            Model::Phrase => side.phrase,
            Model::Hier => side.hier,
        };
        match (self.classes, orientation) {
            (_, Orientation::Mono) => "mono",
            (Classes::Monotonicity, _) => "nomono",
            (_, Orientation::Swap) => "swap",
            (Classes::Msd, _) => "other",
            (Classes::Mslr, Orientation::DiscontinuousLeft) => "dleft",
            (Classes::Mslr, Orientation::DiscontinuousRight) => "dright",
        }
    }
}

/// The lines of the phrase pairs of some sentence pairs, in the order of the text and, within a pair, of [`Extractor::for_each`].
///
/// # Errors
/// [`Error::Links`]: a link outside of its pair, a pair that is too long, or a word `|||`, which separates columns;
/// [`Error::Config`]: a maximum length of 0.
///
/// # Complexity
/// That of [`Extractor::for_each`], and the bytes that are written.
pub fn lines(
    text: &Bitext,
    links: &Links,
    pairs: Range<usize>,
    options: &Options,
) -> Result<Vec<u8>> {
    let spans = Spans {
        max_length: options.max_length,
        definition: options.definition,
    };
    let mut extractor = Extractor::new(&spans)?;
    let mut writer = Writer {
        sides: [text.source().vocabulary(), text.target().vocabulary()],
        options,
        out: Vec::new(),
    };
    for n in pairs {
        let (source, target) = (text.source().sentence(n), text.target().sentence(n));
        let links = links.sentence(n);
        writer.check_words(n, [source, target])?;
        extractor
            .for_each(source.len(), target.len(), links, |pair| {
                writer.line(source, target, links, &pair);
            })
            .map_err(|problem| numbered(problem, n))?;
    }
    Ok(writer.out)
}

/// The error with the number of the sentence pair.
fn numbered(problem: Error, n: usize) -> Error {
    match problem {
        Error::Links { problem, found, .. } => Error::Links {
            sentence: to_u64(n) + 1,
            problem,
            found,
        },
        other => other,
    }
}

struct Writer<'a> {
    sides: [&'a Vocabulary; 2],
    options: &'a Options,
    out: Vec<u8>,
}

impl<'a> Writer<'a> {
    fn check_words(&self, n: usize, sentences: [&[WordId]; 2]) -> Result<()> {
        for (side, words) in self.sides.iter().zip(sentences) {
            if words.iter().any(|&word| side.word(word) == Some("|||")) {
                return Err(Error::Links {
                    sentence: to_u64(n) + 1,
                    problem: "the word ||| separates the columns of examples; escape it in the text (Moses writes &#124;)".to_owned(),
                    found: "a word \"|||\"".to_owned(),
                });
            }
        }
        Ok(())
    }

    fn line(
        &mut self,
        source: &[WordId],
        target: &[WordId],
        links: &[crate::align::Link],
        pair: &PhrasePair,
    ) {
        self.phrase(0, &source[pair.source.clone()]);
        self.out.extend_from_slice(b"||| ");
        self.phrase(1, &target[pair.target.clone()]);
        // Writing to memory cannot fail.
        let _ = write!(self.out, "||| {} |||", self.options.class(pair));
        // Links are sorted by their source.
        let first = links.partition_point(|link| (link.source as usize) < pair.source.start);
        for link in &links[first..] {
            let (i, j) = (to_index(link.source.into()), to_index(link.target.into()));
            if i >= pair.source.end {
                break;
            }
            if pair.target.contains(&j) {
                self.out.extend_from_slice(b" a:");
                self.escaped(0, source[i]);
                self.out.push(b'&');
                self.escaped(1, target[j]);
            }
        }
        for distance in 1..=self.options.window {
            if let Some(i) = pair.source.start.checked_sub(distance) {
                self.context('l', distance, source[i]);
            }
            if let Some(&word) = source.get(pair.source.end + distance - 1) {
                self.context('r', distance, word);
            }
        }
        self.out.push(b'\n');
    }

    fn phrase(&mut self, side: usize, words: &[WordId]) {
        for &word in words {
            let text = self.word(side, word);
            self.out.extend_from_slice(text.as_bytes());
            self.out.push(b' ');
        }
    }

    fn context(&mut self, side: char, distance: usize, word: WordId) {
        let _ = if self.options.marks_sides {
            write!(self.out, " {side}{distance}:")
        } else {
            write!(self.out, " c:")
        };
        let text = self.word(0, word);
        self.out.extend_from_slice(text.as_bytes());
    }

    fn escaped(&mut self, side: usize, word: WordId) {
        let text = self.word(side, word);
        for &byte in text.as_bytes() {
            if byte == b'&' {
                self.out.extend_from_slice(b"&amp;");
            } else {
                self.out.push(byte);
            }
        }
    }

    fn word(&self, side: usize, word: WordId) -> &'a str {
        // Words of a corpus are those of its vocabulary.
        self.sides[side].word(word).unwrap_or_default()
    }
}
