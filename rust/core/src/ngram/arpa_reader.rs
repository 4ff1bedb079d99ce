//! ARPA files to models.
//!
//! `\data\`, lines `ngram 1=COUNT`, then for each length a section `\1-grams:` with lines `LOG10 WORDS LOG10-BACKOFF`, and `\end\`. Fields stand between
//! tabs or spaces, in any number. A backoff that is missing is 0. `<unk>` may have capitals; without it an unknown word has the probability 10^-100.
//! Lines before `\data\` and after `\end\` are comments.

use super::arpa_tree::{Section, assemble};
use super::automaton::{Rest, build};
use super::corpus::Symbols;
use super::estimate::MAX_ORDER;
use super::model::Model;
use super::parts::LARGEST_LOG;
use super::text::reserved;
use crate::cancel::CancelToken;
use crate::error::{Error, Result};
use crate::text::Vocabulary;
use crate::text::decode::{column_after, decode_strictly, quote};
use crate::text::interner::Interner;
use crate::text::lines::LineCutter;
use std::f64::consts::LN_10;

/// The logarithm to base 10 of the probability of `<unk>` where a file has none, as in `KenLM`.
const UNKNOWN_LOG10: f64 = -100.0;

/// Reserved words while the size of the vocabulary is not known.
const PROVISIONAL: Symbols = Symbols {
    end: u32::MAX - 2,
    unknown: u32::MAX - 1,
    start: u32::MAX,
};

/// Where a file goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Before `\data\`.
    Preamble,
    /// Among counts.
    Counts,
    /// In the section of n-grams of this length.
    Section(usize),
    /// After an empty line in a section.
    Between(usize),
    /// After `\end\`.
    End,
}

/// Reads an ARPA file, block by block.
#[derive(Debug)]
pub struct ArpaReader {
    lines: LineCutter,
    file: File,
}

#[derive(Debug)]
struct File {
    place: Place,
    last_line: u64,
    counts: Vec<u64>,
    sections: Vec<Section>,
    words: Interner,
    /// The provisional numbers of the reserved unigrams that were there.
    reserved: Vec<u32>,
}

impl Default for ArpaReader {
    fn default() -> Self {
        Self::new()
    }
}

impl ArpaReader {
    /// A reader of one file.
    #[must_use]
    pub fn new() -> Self {
        Self {
            lines: LineCutter::default(),
            file: File {
                place: Place::Preamble,
                last_line: 0,
                counts: Vec::new(),
                sections: Vec::new(),
                words: Interner::default(),
                reserved: Vec::new(),
            },
        }
    }

    /// Reads a block of bytes of any size.
    ///
    /// # Errors
    /// [`Error::Text`] for a line that cannot stand there; [`Error::TooLarge`]; [`Error::Memory`].
    pub fn feed(&mut self, block: &[u8]) -> Result<()> {
        let Self { lines, file } = self;
        lines.feed(block, |number, line| file.read(number, line))
    }

    /// Reads what is left and makes the model, and its words by number.
    ///
    /// # Errors
    /// Those of [`feed`](Self::feed); [`Error::Text`] for a file without its end or with an n-gram that is there twice; [`Error::Cancelled`].
    pub fn finish(self, cancel: &CancelToken) -> Result<(Model, Vocabulary)> {
        let Self {
            mut lines,
            mut file,
        } = self;
        lines.finish(|number, line| file.read(number, line))?;
        file.finish(cancel)
    }
}

impl File {
    fn read(&mut self, number: u64, line: &[u8]) -> Result<()> {
        self.last_line = number;
        if matches!(self.place, Place::End) {
            return Ok(());
        }
        if matches!(self.place, Place::Preamble) {
            if line.trim_ascii() == b"\\data\\" {
                self.place = Place::Counts;
            }
            return Ok(());
        }
        let line = decode_strictly(number, line)?;
        let trimmed = line.trim_matches(|c: char| c.is_ascii_whitespace());
        match self.place {
            Place::Section(length) if trimmed.is_empty() => {
                self.place = Place::Between(length);
                Ok(())
            }
            _ if trimmed.is_empty() => Ok(()),
            Place::Section(_) | Place::Between(_) | Place::Counts if is_heading(trimmed) => {
                self.heading(number, trimmed)
            }
            Place::Counts => self.count(number, line, trimmed),
            Place::Section(length) => self.ngram(number, line, length),
            _ => Err(text(
                number,
                1,
                "an empty line ends the n-grams of one length; after it stands the next section, such as \\2-grams:, or \\end\\",
                trimmed,
            )),
        }
    }

    /// `ngram 1=COUNT`.
    fn count(&mut self, number: u64, line: &str, trimmed: &str) -> Result<()> {
        let expected = self.counts.len() + 1;
        let parsed = trimmed
            .strip_prefix("ngram")
            .and_then(|rest| rest.split_once('='))
            .and_then(|(length, count)| {
                Some((
                    length.trim().parse::<usize>().ok()?,
                    count.trim().parse::<u64>().ok()?,
                ))
            });
        match parsed {
            Some((length, count)) if length == expected && length <= MAX_ORDER => {
                self.counts.push(count);
                Ok(())
            }
            _ => Err(text(
                number,
                1,
                &format!(
                    "here stands 'ngram {expected}=COUNT' or the first section, \\1-grams:; orders go up to {MAX_ORDER}"
                ),
                line,
            )),
        }
    }

    fn heading(&mut self, number: u64, heading: &str) -> Result<()> {
        let done = self.sections.len();
        if let Some(section) = self.sections.last() {
            let (stated, found) = (self.counts[done - 1], section.len() as u64);
            if stated != found {
                return Err(text(
                    number,
                    1,
                    &format!(
                        "the head of the file promises {stated} n-grams of length {done}, and {found} came; is the file whole?"
                    ),
                    heading,
                ));
            }
        }
        let expected = if done == self.counts.len() && done > 0 {
            "\\end\\".to_owned()
        } else {
            format!("\\{}-grams:", done + 1)
        };
        if heading != expected || self.counts.is_empty() {
            return Err(text(
                number,
                1,
                &format!(
                    "here stands {expected}, after a line 'ngram LENGTH=COUNT' for each length"
                ),
                heading,
            ));
        }
        if done == self.counts.len() {
            self.place = Place::End;
        } else {
            self.place = Place::Section(done + 1);
            self.sections.push(Section::new(done + 1, number + 1));
        }
        Ok(())
    }

    /// `LOG10 WORDS LOG10-BACKOFF`.
    fn ngram(&mut self, number: u64, line: &str, length: usize) -> Result<()> {
        let mut fields = Fields { line, at: 0 };
        let is_highest = length == self.counts.len();
        let (column, field) = fields.next().unwrap_or((0, ""));
        let log = number_of(field).filter(|&log| log <= 0.0).ok_or_else(|| {
            text(
                number,
                column_after(&line[..column]),
                "an n-gram begins with the logarithm of its probability, a number that is not above 0",
                field,
            )
        })?;
        let mut ids = [0_u32; MAX_ORDER];
        for slot in ids.iter_mut().take(length) {
            let Some((column, word)) = fields.next() else {
                return Err(text(
                    number,
                    column_after(line),
                    &format!(
                        "an n-gram of length {length} has {length} words after its probability, and perhaps a backoff"
                    ),
                    line,
                ));
            };
            *slot = self.word(number, line, column, word, length)?;
        }
        let mut backoff = 0.0;
        if let Some((column, field)) = fields.next() {
            let weight = number_of(field).filter(|weight| *weight < f64::INFINITY);
            let at = || column_after(&line[..column]);
            let weight = weight.ok_or_else(|| {
                text(
                    number,
                    at(),
                    "what follows the words is the logarithm of a backoff weight, a finite number; is there a space in a word?",
                    field,
                )
            })?;
            if !is_highest {
                backoff = weight * LN_10;
            }
        }
        if let Some((column, field)) = fields.next() {
            return Err(text(
                number,
                column_after(&line[..column]),
                "nothing follows the backoff; is there a space in a word?",
                field,
            ));
        }
        self.sections[length - 1].push(&ids[..length], log * LN_10, backoff)
    }

    /// The number of a word; that of a unigram is new.
    fn word(
        &mut self,
        number: u64,
        line: &str,
        column: usize,
        word: &str,
        length: usize,
    ) -> Result<u32> {
        let symbol = reserved(word, PROVISIONAL);
        if length == 1 {
            if let Some(symbol) = symbol {
                self.reserved.push(symbol);
                return Ok(symbol);
            }
            return Ok(self.words.intern(word)?.as_u32());
        }
        // A context that begins a sentence needs no unigram.
        let known = match symbol {
            Some(symbol) => {
                (symbol == PROVISIONAL.start || self.reserved.contains(&symbol)).then_some(symbol)
            }
            None => self.words.get(word).map(crate::ids::WordId::as_u32),
        };
        known.ok_or_else(|| {
            text(
                number,
                column_after(&line[..column]),
                "every word of an n-gram is a unigram as well; is the file whole?",
                word,
            )
        })
    }

    fn finish(self, cancel: &CancelToken) -> Result<(Model, Vocabulary)> {
        if self.place != Place::End {
            let problem = if self.place == Place::Preamble {
                "an ARPA file has a line \\data\\; is this one?"
            } else {
                "an ARPA file ends with the line \\end\\; is the file whole?"
            };
            return Err(text(self.last_line + 1, 1, problem, ""));
        }
        let symbols = Symbols::new(self.words.len())?;
        let levels = assemble(self.sections, PROVISIONAL, symbols, |line, ngram| {
            let names: Vec<&str> = ngram
                .iter()
                .map(|&id| match id {
                    id if id == symbols.start => super::text::START,
                    id if id == symbols.end => super::text::END,
                    id if id == symbols.unknown => super::text::UNKNOWN,
                    id => self.words.word(id as usize),
                })
                .collect();
            text(
                line,
                1,
                "this n-gram has come before; take one of the two out",
                &names.join(" "),
            )
        })?;
        let rest = Rest {
            word: None,
            unknown: UNKNOWN_LOG10 * LN_10,
        };
        let model = build(&levels, symbols, rest, cancel)?;
        if model.steps.iter().any(|step| step.log > LARGEST_LOG) {
            let problem = "back-off weights give an n-gram that is not listed a probability above 1; estimate the model again";
            return Err(text(self.last_line, 1, problem, "\\end\\"));
        }
        Ok((model, self.words.into_vocabulary()))
    }
}

fn is_heading(line: &str) -> bool {
    line.starts_with('\\') && (line.ends_with("-grams:") || line == "\\end\\")
}

/// The fields of a line between spaces and tabs, with where they begin.
struct Fields<'a> {
    line: &'a str,
    at: usize,
}

impl<'a> Iterator for Fields<'a> {
    type Item = (usize, &'a str);

    fn next(&mut self) -> Option<Self::Item> {
        let rest = &self.line[self.at..];
        let begin = rest.find(|c| c != ' ' && c != '\t')?;
        let field = &rest[begin..];
        let end = field.find([' ', '\t']).unwrap_or(field.len());
        let column = self.at + begin;
        self.at = column + end;
        Some((column, &field[..end]))
    }
}

/// A number that is none of those that are not.
fn number_of(field: &str) -> Option<f64> {
    field.parse::<f64>().ok().filter(|number| !number.is_nan())
}

fn text(line: u64, column: u64, problem: &str, found: &str) -> Error {
    Error::Text {
        line,
        column,
        problem: problem.to_owned(),
        found: if found.is_empty() {
            "nothing".to_owned()
        } else {
            quote(found)
        },
    }
}
