//! Sentences of text, a line each, as sequences of word ids.

use super::corpus::{Sequences, Symbols};
use crate::error::{Error, Result};
use crate::text::decode::{column_after, decode_strictly, quote};
use crate::text::interner::Interner;
use crate::text::lines::LineCutter;
use crate::text::{Vocabulary, WordIndex};
use std::sync::Arc;

/// How the beginning of a sentence is written where it must be.
pub const START: &str = "<s>";
/// How the end of a sentence is written.
pub const END: &str = "</s>";
/// How words are written that a model does not know.
pub const UNKNOWN: &str = "<unk>";

/// Where words get their numbers from.
#[derive(Debug)]
enum Names {
    /// A new word gets the next number.
    Growing(Interner),
    /// A new word is unknown.
    Fixed(Arc<WordIndex>),
}

/// Sequences that own their arrays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Corpus {
    starts: Vec<usize>,
    words: Vec<u32>,
}

impl Corpus {
    /// The sequences.
    ///
    /// # Errors
    /// None for those that a reader has made.
    pub fn sequences(&self) -> Result<Sequences<'_>> {
        Sequences::new(&self.starts, &self.words)
    }

    /// The words of all sequences.
    #[must_use]
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// Where each sequence starts among the words, and the number of words.
    #[must_use]
    pub fn starts(&self) -> &[usize] {
        &self.starts
    }
}

/// Reads sentences from byte blocks or words. Tokens stand between spaces and tabs.
#[derive(Debug)]
pub struct CorpusReader {
    lines: LineCutter,
    sentences: Sentences,
}

#[derive(Debug)]
struct Sentences {
    names: Names,
    corpus: Corpus,
}

impl CorpusReader {
    /// A reader that numbers words by first occurrence, to estimate a model.
    #[must_use]
    pub fn to_estimate() -> Self {
        Self::new(Names::Growing(Interner::default()))
    }

    /// A reader that takes the numbers of a model's words, to score with it; other words are unknown.
    #[must_use]
    pub fn to_score(words: Arc<WordIndex>) -> Self {
        Self::new(Names::Fixed(words))
    }

    fn new(names: Names) -> Self {
        let corpus = Corpus {
            starts: vec![0],
            words: Vec::new(),
        };
        Self {
            lines: LineCutter::default(),
            sentences: Sentences { names, corpus },
        }
    }

    /// Reads a block of bytes of any size.
    ///
    /// # Errors
    /// [`Error::Text`] for a line that is not UTF-8 or has `<s>` or `</s>`, and `<unk>` to estimate; [`Error::TooLarge`]; [`Error::Memory`].
    pub fn feed(&mut self, block: &[u8]) -> Result<()> {
        let Self { lines, sentences } = self;
        lines.feed(block, |number, line| sentences.read(number, line))
    }

    /// Adds a sentence that is in words already; they may hold any characters.
    ///
    /// # Errors
    /// Those of [`feed`](Self::feed), with the number of the sentence as line and that of the word as column.
    pub fn push<'w>(&mut self, words: impl Iterator<Item = &'w str>) -> Result<()> {
        let number = self.sentences.corpus.starts.len() as u64;
        for (at, word) in (1..).zip(words) {
            self.sentences.push(word, number, || at)?;
        }
        self.sentences.end();
        Ok(())
    }

    /// Reads what is left; returns the sentences, and the words by number when they were numbered here.
    ///
    /// # Errors
    /// Those of [`feed`](Self::feed).
    pub fn finish(self) -> Result<(Corpus, Option<Vocabulary>)> {
        let Self {
            mut lines,
            mut sentences,
        } = self;
        lines.finish(|number, line| sentences.read(number, line))?;
        let words = match sentences.names {
            Names::Growing(interner) => Some(interner.into_vocabulary()),
            Names::Fixed(_) => None,
        };
        Ok((sentences.corpus, words))
    }
}

impl Sentences {
    fn read(&mut self, number: u64, line: &[u8]) -> Result<()> {
        let line = decode_strictly(number, line)?;
        let mut rest = line;
        loop {
            let end = rest.find([' ', '\t']).unwrap_or(rest.len());
            let word = &rest[..end];
            if !word.is_empty() {
                let before = line.len() - rest.len();
                self.push(word, number, || column_after(&line[..before]))?;
            }
            match rest.get(end + 1..) {
                Some(more) => rest = more,
                None => break,
            }
        }
        self.end();
        Ok(())
    }

    fn push(&mut self, word: &str, line: u64, column: impl Fn() -> u64) -> Result<()> {
        let is_reserved = word.starts_with('<')
            && (word == START
                || word == END
                || (matches!(self.names, Names::Growing(_)) && is_unknown(word)));
        if is_reserved {
            return Err(Error::Text {
                line,
                column: column(),
                problem: "this token is reserved: sentences have their beginning and end without it; take it out or write it in \
                    another way"
                    .to_owned(),
                found: quote(word),
            });
        }
        let id = match &mut self.names {
            Names::Growing(interner) => interner.intern(word)?.as_u32(),
            Names::Fixed(index) => index.get(word).map_or(u32::MAX, crate::ids::WordId::as_u32),
        };
        let words = &mut self.corpus.words;
        words.try_reserve(1).map_err(|_| Error::Memory {
            what: "the words of sentences",
            bytes: 8 * words.len() as u64,
        })?;
        words.push(id);
        Ok(())
    }

    fn end(&mut self) {
        self.corpus.starts.push(self.corpus.words.len());
    }
}

/// Whether a word stands for all unknown ones; programs differ in its case.
pub(super) fn is_unknown(word: &str) -> bool {
    word.eq_ignore_ascii_case(UNKNOWN)
}

/// The symbol of a reserved word.
pub(super) fn reserved(word: &str, symbols: Symbols) -> Option<u32> {
    match word {
        START => Some(symbols.start),
        END => Some(symbols.end),
        word if is_unknown(word) => Some(symbols.unknown),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_numbered_by_first_occurrence_or_found_in_a_model() {
        let mut reader = CorpusReader::to_estimate();
        for byte in "b  a\tb\r\n\n \u{a0}\n".as_bytes().chunks(1) {
            reader.feed(byte).expect("text");
        }
        let (corpus, words) = reader.finish().expect("text");
        let words = words.expect("numbered here");
        assert!(words.words().eq(["b", "a", "\u{a0}"]));
        assert_eq!(
            (corpus.words(), corpus.starts()),
            (&[0, 1, 0, 2][..], &[0, 3, 3, 4][..])
        );
        let index = Arc::new(words.index().expect("few words"));
        let mut reader = CorpusReader::to_score(index);
        reader.push(["a", "c", "<unk>"].into_iter()).expect("words");
        assert_eq!(
            reader.finish().expect("words").0.words(),
            [1, u32::MAX, u32::MAX]
        );
    }

    #[test]
    fn reserved_words_are_told_with_their_place() {
        for bad in ["a <s>", "a </s>", "a <unk>", "a <UNK>"] {
            let mut reader = CorpusReader::to_estimate();
            let Err(Error::Text { line, column, .. }) =
                reader.feed(format!("x\n{bad}\n").as_bytes())
            else {
                panic!("{bad}")
            };
            assert_eq!((line, column), (2, 3));
        }
    }
}
