//! The statistics files of Moses: FEATSTAT, the features of n-best lists, and SCORESTAT, their statistics.
//!
//! A file holds blocks, one for each segment:
//!
//! ```text
//! FEATURES_TXT_BEGIN_0 <segment> <hypotheses> <features> <name> <name> ...
//! <value> <value> ...
//! FEATURES_TXT_END_0
//! SCORES_TXT_BEGIN_0 <segment> <hypotheses> <numbers> BLEU
//! <number> <number> ...
//! SCORES_TXT_END_0
//! ```

mod write;

pub use write::{Written, write};

use crate::error::{Error, Result};
use crate::numeric::to_u64;
use crate::text::lines::LineCutter;
use std::str::FromStr;

/// What a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// FEATSTAT: rows of real numbers, under the names of features.
    Features,
    /// SCORESTAT: rows of counts, under the name of the score.
    Scores,
}

impl Kind {
    fn word(self) -> &'static str {
        match self {
            Self::Features => "FEATURES",
            Self::Scores => "SCORES",
        }
    }

    fn remedy(self) -> &'static str {
        match self {
            Self::Features => "check that this is a FEATSTAT file in text form",
            Self::Scores => "check that this is a SCORESTAT file in text form",
        }
    }
}

/// A file as arrays.
#[derive(Debug, Clone, PartialEq)]
pub struct Blocks<T> {
    /// The segment of each block.
    pub segments: Vec<u64>,
    /// The rows of block b are `starts[b] .. starts[b + 1]`.
    pub starts: Vec<u64>,
    /// The columns' names, or that of the score.
    pub names: Vec<String>,
    /// The length of a row.
    pub width: usize,
    /// Row after row.
    pub values: Vec<T>,
}

/// Reads byte blocks.
#[derive(Debug)]
pub struct Reader<T> {
    kind: Kind,
    lines: LineCutter,
    found: Blocks<T>,
    /// Rows that the open block still has.
    open: Option<u64>,
    /// Lines so far.
    seen: u64,
}

impl<T: FromStr + Number> Reader<T> {
    /// A reader of a kind of file.
    #[must_use]
    pub fn new(kind: Kind) -> Self {
        let found = Blocks {
            segments: Vec::new(),
            starts: vec![0],
            names: Vec::new(),
            width: 0,
            values: Vec::new(),
        };
        Self {
            kind,
            lines: LineCutter::default(),
            found,
            open: None,
            seen: 0,
        }
    }

    /// Reads the next bytes.
    ///
    /// # Errors
    /// [`Error::Text`] with line and column.
    pub fn feed(&mut self, block: &[u8]) -> Result<()> {
        let Self {
            kind,
            lines,
            found,
            open,
            seen,
        } = self;
        lines.feed(block, |number, line| {
            *seen = number;
            read(*kind, found, open, number, line)
        })
    }

    /// The whole file.
    ///
    /// # Errors
    /// [`Error::Text`], also if a block has no end.
    pub fn finish(mut self) -> Result<Blocks<T>> {
        let Self {
            kind,
            lines,
            found,
            open,
            seen,
        } = &mut self;
        lines.finish(|number, line| {
            *seen = number;
            read(*kind, found, open, number, line)
        })?;
        if open.is_some() {
            return Err(Error::Text {
                line: *seen + 1,
                column: 1,
                problem: format!(
                    "the last block has no {}_TXT_END_0; the file is cut short: make it again",
                    kind.word()
                ),
                found: "the end of the file".to_owned(),
            });
        }
        Ok(self.found)
    }
}

/// What a column can hold.
pub trait Number: Copy {
    /// What is expected.
    const EXPECTED: &'static str;
    /// Whether it is one that can be used.
    fn is_sound(self) -> bool;
}

impl Number for f64 {
    const EXPECTED: &'static str = "a finite number; leave the hypothesis out";

    fn is_sound(self) -> bool {
        self.is_finite()
    }
}

impl Number for i64 {
    const EXPECTED: &'static str = "a whole number that is not negative";

    fn is_sound(self) -> bool {
        self >= 0
    }
}

/// A line with what errors say of it.
#[derive(Clone, Copy)]
struct Line<'a> {
    kind: Kind,
    number: u64,
    text: &'a str,
}

impl Line<'_> {
    fn error(self, token: &str, problem: &str) -> Error {
        // A part of the line: its place tells the column.
        let start = (token.as_ptr().addr()).saturating_sub(self.text.as_ptr().addr());
        let before = self.text.get(..start).unwrap_or(self.text);
        let found: String = token
            .chars()
            .take(40)
            .flat_map(char::escape_debug)
            .collect();
        Error::Text {
            line: self.number,
            column: to_u64(before.chars().count()) + 1,
            problem: format!("{problem}; {}", self.kind.remedy()),
            found: if found.is_empty() {
                "the end of the line".to_owned()
            } else {
                found
            },
        }
    }
}

fn read<T: FromStr + Number>(
    kind: Kind,
    found: &mut Blocks<T>,
    open: &mut Option<u64>,
    number: u64,
    bytes: &[u8],
) -> Result<()> {
    let Ok(text) = std::str::from_utf8(bytes) else {
        let line = Line {
            kind,
            number,
            text: "",
        };
        return Err(line.error("bytes", "must be UTF-8"));
    };
    let line = Line { kind, number, text };
    let end = &text[text.len()..];
    let mut tokens = text
        .split([' ', '\t'])
        .filter(|token| !token.is_empty())
        .peekable();
    let Some(&first) = tokens.peek() else {
        return if *open == Some(0) || open.is_none() {
            Ok(())
        } else {
            Err(line.error(end, "a row of values is missing"))
        };
    };
    let word = kind.word();
    match *open {
        None => {
            if first.strip_prefix(word) != Some("_TXT_BEGIN_0") {
                let problem = if first.contains("_BIN_BEGIN_") {
                    "binary statistics cannot be read; let the extractor write text, without --binary".to_owned()
                } else {
                    format!("a block begins with {word}_TXT_BEGIN_0")
                };
                return Err(line.error(first, &problem));
            }
            tokens.next();
            *open = Some(begin(line, found, tokens)?);
        }
        Some(0) => {
            if first.strip_prefix(word) != Some("_TXT_END_0") {
                return Err(line.error(
                    first,
                    &format!("the block has all its rows and ends with {word}_TXT_END_0"),
                ));
            }
            *open = None;
        }
        Some(rows) => {
            let before = found.values.len();
            for token in tokens {
                let value = token.parse::<T>().ok().filter(|value| value.is_sound());
                let Some(value) = value else {
                    return Err(line.error(token, &format!("must be {}", T::EXPECTED)));
                };
                if found.values.len() - before == found.width {
                    return Err(line.error(token, &format!("a row has {} values", found.width)));
                }
                found.values.push(value);
            }
            if found.values.len() - before < found.width {
                return Err(line.error(end, &format!("a row has {} values", found.width)));
            }
            *open = Some(rows - 1);
        }
    }
    Ok(())
}

/// The first line of a block, behind its mark: the number of rows.
fn begin<'a, T>(
    line: Line<'a>,
    found: &mut Blocks<T>,
    mut tokens: impl Iterator<Item = &'a str>,
) -> Result<u64> {
    let end = &line.text[line.text.len()..];
    let mut number = |what: &str| {
        let token = tokens.next().unwrap_or(end);
        let read = token.parse::<u64>().ok().filter(|&n| n < 1 << 32);
        read.ok_or_else(|| line.error(token, &format!("must be {what}")))
    };
    let segment = number("the number of a segment")?;
    let rows = number("the number of hypotheses")?;
    // Below 2^32.
    let width = crate::numeric::to_index(number("the number of values in a row")?);
    let names: Vec<&str> = tokens.collect();
    // At the end of a line that is written it would be read as part of the line's end.
    if let Some(name) = names.iter().find(|name| name.contains('\r')) {
        return Err(line.error(name, "a name has no carriage return in it"));
    }
    let names: Vec<String> = names.into_iter().map(str::to_owned).collect();
    if found.segments.is_empty() {
        if line.kind == Kind::Features && names.len() != width {
            return Err(line.error(
                end,
                &format!("must have a name for each of {width} features"),
            ));
        }
        if line.kind == Kind::Scores && (width < 3 || width.is_multiple_of(2)) {
            return Err(line.error(
                end,
                "only the statistics of BLEU can be used, an odd number in a row",
            ));
        }
        (found.names, found.width) = (names, width);
    } else if found.width != width || found.names != names {
        return Err(line.error(
            end,
            "all blocks have the same names and as many values in a row",
        ));
    }
    found.segments.push(segment);
    found
        .starts
        .push(found.starts.last().copied().unwrap_or(0) + rows);
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, size: usize) -> Result<Blocks<f64>> {
        let mut reader = Reader::new(Kind::Features);
        for block in text.as_bytes().chunks(size) {
            reader.feed(block)?;
        }
        reader.finish()
    }

    #[test]
    fn what_is_written_is_read_back_in_blocks_of_any_size() {
        let blocks = Blocks {
            segments: vec![0, 7],
            starts: vec![0, 2, 2],
            names: vec!["lm_0".to_owned(), "w_0".to_owned()],
            width: 2,
            values: vec![-1.5, 1e-7, 0.1, -2e20],
        };
        let text = write(Kind::Features, &blocks);
        assert_eq!(
            text,
            "FEATURES_TXT_BEGIN_0 0 2 2 lm_0 w_0 \n-1.5 1e-07 \n0.1 -2e+20 \nFEATURES_TXT_END_0\n\
             FEATURES_TXT_BEGIN_0 7 0 2 lm_0 w_0 \nFEATURES_TXT_END_0\n"
        );
        for size in [1, 3, 1000] {
            assert_eq!(read(&text, size).as_ref(), Ok(&blocks));
        }
    }

    #[test]
    fn a_file_that_is_cut_short_is_refused_wherever_it_ends() {
        let text = "FEATURES_TXT_BEGIN_0 0 1 1 lm_0\n-1.5\nFEATURES_TXT_END_0\n";
        for end in 1..text.len() - 1 {
            assert!(read(&text[..end], 8).is_err(), "{end} bytes");
        }
        assert!(read(text, 8).is_ok());
        assert_eq!(read("", 8).map(|found| found.segments.len()), Ok(0));
    }
}
