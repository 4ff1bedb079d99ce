//! From blocks of text and alignment lines to the lines of Moses' `extract`.
//!
//! A phrase pair becomes up to three lines: `source ||| target ||| i-j ..`, the same turned around, and `source ||| target ||| orientations`. The
//! orientations of several models stand in columns, `wbe | phrase | hier`, two words each, previous and next; one of words alone stands without bars.

use super::columns::{Columns, LONGEST_ORIENTATIONS};
use super::extract::{Extractor, Options, PhrasePair};
use super::model::{Basis, Column};
pub use super::room::Filled;
use super::room::{CHUNK, Pen, Room};
pub use super::sentence::{Block, Input, Misfit};
use super::sentence::{Item, SentencePair, at_line};
use crate::align::links::Link;
use crate::cancel::CancelToken;
use crate::error::{Error, Result};
use crate::numeric::to_index;
use crate::parallel;
use std::ops::Range;

/// Sentence pairs that one thread takes at a time.
const PIECE: usize = 64;

/// Bytes of a link, at most: positions are below [`super::extract::MAX_SENTENCE`].
const LONGEST_LINK: usize = " 9999-9999".len();

/// What is written.
#[derive(Debug, Clone, Default)]
pub struct LineOptions {
    /// What is extracted.
    pub extract: Options,
    /// Models whose orientations are written; one a basis. Without any, there are no lines of orientations.
    pub models: Vec<Column>,
    /// Whether phrase pairs are written, both ways.
    pub phrases: bool,
    /// Whether the two words of a link that shares a word with another one are a phrase pair as well; see [`Extractor::single_words`].
    pub single_words: bool,
    /// Added to the number of the sentence pair, which is then written behind each phrase pair.
    pub sentence_ids: Option<u64>,
}

impl LineOptions {
    /// Fails when the options contradict themselves.
    ///
    /// # Errors
    /// [`Error::Config`].
    pub fn check(&self) -> Result<()> {
        self.extract.check()?;
        for (n, model) in self.models.iter().enumerate() {
            if self.models[..n].iter().any(|m| m.basis == model.basis) {
                return Err(Error::config(
                    "model",
                    "given once for each of wbe, phrase and hier",
                    model.basis.name(),
                ));
            }
        }
        Ok(())
    }
}

/// Lines of phrase pairs, in the order of the sentences.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Written {
    /// `source ||| target ||| i-j ..`.
    pub direct: Vec<u8>,
    /// `target ||| source ||| j-i ..`.
    pub inverse: Vec<u8>,
    /// `source ||| target ||| orientations`.
    pub orientations: Vec<u8>,
    /// Number of phrase pairs.
    pub pairs: u64,
}

impl From<Part> for Written {
    /// The lines of a part that was lent no memory.
    fn from(part: Part) -> Self {
        let [direct, inverse, orientations] = part.lines.map(|mut filled| {
            filled.own.truncate(filled.length);
            filled.own
        });
        Self {
            direct,
            inverse,
            orientations,
            pairs: part.pairs,
        }
    }
}

/// Writes the phrase pairs of the sentence pairs of a block, in parts for one sentence range after the other.
///
/// Files of other lengths are the caller's to refuse; here the shortest one ends the block.
///
/// # Errors
/// [`Error::Config`] when the options contradict themselves, [`Error::Cancelled`].
/// Inside, with the file that has it, [`Error::Text`]: a token is no link, a link points outside of its sentence pair, a word is `|||`, a weight is not a
/// positive number, a sentence is too long.
///
/// # Complexity
/// As [`Extractor::for_each`]; memory for the lines of the block.
pub fn write(
    block: Block<'_>,
    options: &LineOptions,
    threads: usize,
    cancel: &CancelToken,
) -> Result<std::result::Result<Vec<Written>, Misfit>> {
    let found = write_into(block, options, threads, cancel, Vec::new())?;
    Ok(found.map(|parts| parts.into_iter().map(Written::from).collect()))
}

/// Where the lines of some sentence pairs have gone.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Part {
    /// Phrase pairs, the same turned around, orientations.
    pub lines: [Filled; 3],
    /// Number of phrase pairs.
    pub pairs: u64,
}

/// Memory for three kinds of lines.
pub type Rooms<'r> = [&'r mut [u8]; 3];

/// The same into memory that is lent, an item a part; where it is too small or there is none, into new memory.
///
/// New memory for some hundred bytes a phrase pair costs the system as much time as finding the pairs does, and so does another copy of the lines.
///
/// # Errors
/// As [`write`].
///
/// # Complexity
/// As [`write`].
pub fn write_into(
    block: Block<'_>,
    options: &LineOptions,
    threads: usize,
    cancel: &CancelToken,
    rooms: Vec<Rooms<'_>>,
) -> Result<std::result::Result<Vec<Part>, Misfit>> {
    options.check()?;
    let rooms = rooms
        .into_iter()
        .map(|lent| lent.map(Room::new))
        .chain(std::iter::repeat_with(Default::default));
    let items: Vec<_> = block.pieces(PIECE).into_iter().zip(rooms).collect();
    // The first misfit in the order of the lines ends the block, for any number of threads.
    let parts = parallel::map(threads, cancel, items, |_, (piece, rooms)| {
        let mut writer = Writer::new(options, rooms)?;
        for item in &piece {
            if let Err(misfit) = writer.write(item) {
                return Ok(Err(misfit));
            }
        }
        Ok(Ok(writer.out.part()))
    })?;
    Ok(parts.into_iter().collect())
}

struct Writer<'o, 'r> {
    options: &'o LineOptions,
    extractor: Extractor,
    sentence: SentencePair,
    columns: Columns,
    out: Out<'r>,
}

impl<'o, 'r> Writer<'o, 'r> {
    fn new(options: &'o LineOptions, rooms: [Room<'r>; 3]) -> Result<Self> {
        // What will not be written need not be found.
        let has = |basis: Basis| options.models.iter().any(|model| model.basis == basis);
        let extractor =
            Extractor::new(&options.extract)?.with_bases(has(Basis::Phrase), has(Basis::Hier));
        let [direct, inverse, orientations] = rooms;
        Ok(Self {
            options,
            extractor,
            sentence: SentencePair::default(),
            columns: Columns::new(options),
            out: Out {
                direct,
                inverse,
                orientations,
                pairs: 0,
            },
        })
    }

    fn write(&mut self, item: &Item<'_>) -> std::result::Result<(), Misfit> {
        let weight = self.sentence.read(item, self.options.extract.definition)?;
        let sentence = &self.sentence;
        let mut lines = LineWriter {
            options: self.options,
            sentence,
            columns: &self.columns,
            tail: tail(self.options, item.number, weight),
            out: &mut self.out,
        };
        let lengths = (sentence.source.len(), sentence.target.len());
        self.extractor
            .for_each(lengths.0, lengths.1, &sentence.links, |pair| {
                lines.write(&pair);
            })
            .map_err(|error| (Input::Alignment, at_line(error, item.number)))?;
        if self.options.single_words {
            self.extractor
                .single_words(&sentence.by_target, |pair| lines.write(&pair));
        }
        Ok(())
    }
}

/// The lines so far.
struct Out<'r> {
    direct: Room<'r>,
    inverse: Room<'r>,
    orientations: Room<'r>,
    pairs: u64,
}

impl Out<'_> {
    fn part(self) -> Part {
        Part {
            lines: [self.direct, self.inverse, self.orientations].map(Room::filled),
            pairs: self.pairs,
        }
    }
}

/// What stands behind each phrase pair of a sentence pair, the end of the line included.
struct Tail {
    phrases: Ending,
    others: Ending,
}

/// The end of a line, with bytes for copies in chunks behind it.
struct Ending {
    padded: Vec<u8>,
    length: usize,
}

impl Ending {
    fn new(text: &[u8]) -> Self {
        let mut padded = text.to_vec();
        padded.resize(text.len() + CHUNK, 0);
        Self {
            padded,
            length: text.len(),
        }
    }

    #[inline]
    fn write(&self, pen: &mut Pen<'_>) {
        if self.length == 1 {
            pen.fixed(*b"\n");
        } else {
            pen.text(&self.padded, self.length);
        }
    }
}

fn tail(options: &LineOptions, number: u64, weight: Option<&[u8]>) -> Tail {
    let mut others = Vec::new();
    if let Some(weight) = weight {
        others.extend_from_slice(b" ||| ");
        others.extend_from_slice(weight);
    }
    let mut phrases = Vec::new();
    if let Some(offset) = options.sentence_ids {
        phrases.extend_from_slice(format!(" ||| {}", offset + number).as_bytes());
    }
    others.push(b'\n');
    phrases.extend_from_slice(&others);
    Tail {
        phrases: Ending::new(&phrases),
        others: Ending::new(&others),
    }
}

struct LineWriter<'a, 'r> {
    options: &'a LineOptions,
    sentence: &'a SentencePair,
    columns: &'a Columns,
    tail: Tail,
    out: &'a mut Out<'r>,
}

impl LineWriter<'_, '_> {
    fn write(&mut self, pair: &PhrasePair) {
        self.out.pairs += 1;
        let source = self.sentence.source.spaced(&pair.source);
        let target = self.sentence.target.spaced(&pair.target);
        // The bars between the phrases and behind them.
        let heads = source.1 + target.1 + 8;
        if self.options.phrases {
            let links = links(self.sentence, self.options, pair);
            let most = heads + LONGEST_LINK * links.len() + self.tail.phrases.length;
            self.out.direct.line(most, |pen| {
                head(pen, source, target);
                for_each_link(links, pair, |i, j| link(pen, i, j));
                self.tail.phrases.write(pen);
            });
            self.out.inverse.line(most, |pen| {
                head(pen, target, source);
                for_each_link(links, pair, |i, j| link(pen, j, i));
                self.tail.others.write(pen);
            });
        }
        if !self.options.models.is_empty() {
            let most = heads + LONGEST_ORIENTATIONS + self.tail.others.length;
            self.out.orientations.line(most, |pen| {
                head(pen, source, target);
                self.columns.write(pen, pair);
                self.tail.others.write(pen);
            });
        }
    }
}

/// The links inside of a phrase pair.
fn links<'s>(sentence: &'s SentencePair, options: &LineOptions, pair: &PhrasePair) -> &'s [Link] {
    let links = sentence.links_of(&pair.target);
    if options.single_words && pair.source.len() == 1 && pair.target.len() == 1 {
        // Other links of the target word may lie outside, and a repeated one is written once, as in Moses.
        let inside = |l: &Link| to_index(l.source.into()) == pair.source.start;
        let first = links.iter().position(inside).unwrap_or(0);
        return &links[first..=first];
    }
    links
}

#[inline]
fn head(pen: &mut Pen<'_>, first: (&[u8], usize), second: (&[u8], usize)) {
    pen.text(first.0, first.1);
    pen.fixed(*b"||| ");
    pen.text(second.0, second.1);
    pen.fixed(*b"|||");
}

/// Calls back with the links, counted from the start of a phrase pair.
#[inline]
fn for_each_link(links: &[Link], pair: &PhrasePair, mut found: impl FnMut(u32, u32)) {
    // Sentences are short, links within them.
    let start = |span: &Range<usize>| u32::try_from(span.start).unwrap_or(Link::MAX_POSITION);
    let (i, j) = (start(&pair.source), start(&pair.target));
    for l in links {
        found(l.source - i, l.target - j);
    }
}

#[inline]
fn link(pen: &mut Pen<'_>, first: u32, second: u32) {
    // Nearly all are within a phrase of the usual length: four bytes of one number, in the order of their places.
    if first < 10 && second < 10 {
        let text = u32::from_le_bytes(*b" 0-0") + (first << 8) + (second << 24);
        pen.fixed(text.to_le_bytes());
        return;
    }
    pen.fixed(*b" ");
    pen.number(first);
    pen.fixed(*b"-");
    pen.number(second);
}
