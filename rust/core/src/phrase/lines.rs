//! From blocks of text and alignment lines to the lines of Moses' `extract`.
//!
//! A phrase pair becomes up to three lines: `source ||| target ||| i-j ..`, the same turned around, and `source ||| target ||| orientations`. The
//! orientations of several models stand in columns, `wbe | phrase | hier`, two words each, previous and next; one of words alone stands without bars.

use super::extract::{Extractor, Options, PhrasePair};
use super::general::write_whole;
use super::model::{Basis, Classes, Column};
use super::orientation::Definition;
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

impl Written {
    /// Without lines, with its memory.
    fn emptied(mut self) -> Self {
        self.direct.clear();
        self.inverse.clear();
        self.orientations.clear();
        self.pairs = 0;
        self
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
    write_again(block, options, threads, cancel, Vec::new())
}

/// The same into the buffers of an earlier block, whose lines are dropped: new memory for some hundred bytes a phrase pair costs the system as much time
/// as finding the pairs does.
///
/// # Errors
/// As [`write`].
///
/// # Complexity
/// As [`write`].
pub fn write_again(
    block: Block<'_>,
    options: &LineOptions,
    threads: usize,
    cancel: &CancelToken,
    buffers: Vec<Written>,
) -> Result<std::result::Result<Vec<Written>, Misfit>> {
    options.check()?;
    let buffers = buffers
        .into_iter()
        .chain(std::iter::repeat_with(Written::default));
    let items: Vec<_> = block.pieces(PIECE).into_iter().zip(buffers).collect();
    // The first misfit in the order of the lines ends the block, for any number of threads.
    let parts = parallel::map(threads, cancel, items, |_, (piece, buffer)| {
        let mut writer = Writer::new(options, buffer)?;
        for item in &piece {
            if let Err(misfit) = writer.write(item) {
                return Ok(Err(misfit));
            }
        }
        Ok(Ok(writer.written))
    })?;
    Ok(parts.into_iter().collect())
}

struct Writer<'o> {
    options: &'o LineOptions,
    extractor: Extractor,
    sentence: SentencePair,
    columns: Columns,
    written: Written,
}

impl<'o> Writer<'o> {
    fn new(options: &'o LineOptions, buffer: Written) -> Result<Self> {
        let columns = Columns::new(options);
        // What will not be written need not be found.
        let has = |basis: Basis| columns.classes[basis.column()].is_some();
        let extractor =
            Extractor::new(&options.extract)?.with_bases(has(Basis::Phrase), has(Basis::Hier));
        Ok(Self {
            options,
            extractor,
            sentence: SentencePair::default(),
            columns,
            written: buffer.emptied(),
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
            written: &mut self.written,
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

/// What stands behind each phrase pair of a sentence pair, the end of the line included.
struct Tail {
    phrases: Vec<u8>,
    others: Vec<u8>,
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
    Tail { phrases, others }
}

struct LineWriter<'a> {
    options: &'a LineOptions,
    sentence: &'a SentencePair,
    columns: &'a Columns,
    tail: Tail,
    written: &'a mut Written,
}

impl LineWriter<'_> {
    fn write(&mut self, pair: &PhrasePair) {
        self.written.pairs += 1;
        let source = self.sentence.source.span(&pair.source);
        let target = self.sentence.target.span(&pair.target);
        if self.options.phrases {
            let links = self.sentence.links_of(&pair.target);
            let out = &mut self.written.direct;
            head(out, source, target);
            let other = &mut self.written.inverse;
            head(other, target, source);
            if self.options.single_words && source_and_target_are_words(pair) {
                // Other links of the target word may lie outside, and a repeated one is written once, as in Moses.
                link(out, 0, 0);
                link(other, 0, 0);
            } else {
                for (i, j) in positions(links, &pair.source, &pair.target) {
                    link(out, i, j);
                    link(other, j, i);
                }
            }
            out.extend_from_slice(&self.tail.phrases);
            other.extend_from_slice(&self.tail.others);
        }
        if !self.options.models.is_empty() {
            let out = &mut self.written.orientations;
            head(out, source, target);
            out.push(b' ');
            self.columns.write(out, pair);
            out.extend_from_slice(&self.tail.others);
        }
    }
}

fn source_and_target_are_words(pair: &PhrasePair) -> bool {
    pair.source.len() == 1 && pair.target.len() == 1
}

pub(super) fn head(out: &mut Vec<u8>, first: &[u8], second: &[u8]) {
    out.extend_from_slice(first);
    out.extend_from_slice(b" ||| ");
    out.extend_from_slice(second);
    out.extend_from_slice(b" |||");
}

/// The links inside of a phrase pair, counted from its start.
fn positions(
    links: &[Link],
    source: &Range<usize>,
    target: &Range<usize>,
) -> impl Iterator<Item = (usize, usize)> {
    let (i, j) = (source.start, target.start);
    links
        .iter()
        .map(move |l| (to_index(l.source.into()) - i, to_index(l.target.into()) - j))
}

pub(super) fn link(out: &mut Vec<u8>, first: usize, second: usize) {
    // Nearly all are within a phrase of the usual length.
    if let (Ok(first @ 0..10), Ok(second @ 0..10)) = (u8::try_from(first), u8::try_from(second)) {
        out.extend_from_slice(&[b' ', b'0' + first, b'-', b'0' + second]);
        return;
    }
    out.push(b' ');
    write_whole(out, first);
    out.push(b'-');
    write_whole(out, second);
}

/// The columns of a file of orientations: the classes of each basis, if it has one.
struct Columns {
    classes: [Option<Classes>; 3],
    /// Whether orientations of words stand alone, without bars.
    is_word_alone: bool,
}

impl Columns {
    fn new(options: &LineOptions) -> Self {
        let mut classes = [None; 3];
        for model in &options.models {
            classes[model.basis.column()] = Some(model.classes);
        }
        // DEVIATION in Moses' favour when asked: it drops all other columns where there is one of words (and cannot read such files itself).
        let is_alone = options.extract.definition == Definition::Moses || options.models.len() == 1;
        Self {
            classes,
            is_word_alone: classes[Basis::Word.column()].is_some() && is_alone,
        }
    }

    fn write(&self, out: &mut Vec<u8>, pair: &PhrasePair) {
        self.column(out, Basis::Word, pair);
        if !self.is_word_alone {
            for basis in [Basis::Phrase, Basis::Hier] {
                out.extend_from_slice(b" | ");
                self.column(out, basis, pair);
            }
        }
    }

    fn column(&self, out: &mut Vec<u8>, basis: Basis, pair: &PhrasePair) {
        if let Some(classes) = self.classes[basis.column()] {
            out.extend_from_slice(classes.label(basis.of(pair.previous)).as_bytes());
            out.push(b' ');
            out.extend_from_slice(classes.label(basis.of(pair.next)).as_bytes());
        }
    }
}
