//! A line of a file and its errors.

use crate::error::{Error, Result};
use crate::text::decode::{column_after, quote};
use std::str::FromStr;

/// One line, with what to do about a bad one.
#[derive(Clone, Copy)]
pub(super) struct Line<'a> {
    pub number: u64,
    pub text: &'a str,
    pub remedy: &'static str,
}

impl<'a> Line<'a> {
    /// The line that these bytes are.
    pub fn new(number: u64, bytes: &'a [u8], remedy: &'static str) -> Result<Self> {
        match std::str::from_utf8(bytes) {
            Ok(text) => Ok(Self {
                number,
                text,
                remedy,
            }),
            Err(problem) => {
                let (good, bad) = bytes.split_at(problem.valid_up_to());
                let bad = &bad[..problem.error_len().unwrap_or(bad.len())];
                Err(Error::Text {
                    line: number,
                    column: column_after(&String::from_utf8_lossy(good)),
                    problem: "the text is not UTF-8 here; convert the file (for instance with iconv -f latin1 -t utf-8)".to_owned(),
                    found: format!("byte {}", bad.escape_ascii()),
                })
            }
        }
    }

    /// What stands between spaces and tabs.
    pub fn fields(self) -> impl Iterator<Item = &'a str> {
        words(self.text)
    }

    /// The error at a part of the line.
    pub fn error(self, part: &str, problem: &str) -> Error {
        // A value that was unquoted is not part of the line.
        let start = part.as_ptr().addr().checked_sub(self.text.as_ptr().addr());
        let is_within = |start: &usize| start + part.len() <= self.text.len();
        let start = start.filter(is_within).unwrap_or(0);
        Error::Text {
            line: self.number,
            column: column_after(self.text.get(..start).unwrap_or(self.text)),
            problem: format!("{problem}; {}", self.remedy),
            found: if part.is_empty() && start >= self.text.len() {
                "the end of the line".to_owned()
            } else {
                quote(part)
            },
        }
    }

    /// The error behind the last character.
    pub fn end_error(self, problem: &str) -> Error {
        self.error(&self.text[self.text.len()..], problem)
    }

    /// A finite number.
    pub fn number(self, part: &str, what: &str) -> Result<f64> {
        match part.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(value),
            _ => Err(self.error(part, &format!("{what} must be a finite number"))),
        }
    }

    /// A whole number.
    pub fn whole<T: FromStr>(self, part: &str, what: &str) -> Result<T> {
        let is_number = part
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'-');
        match part.parse() {
            Ok(value) if is_number => Ok(value),
            _ => Err(self.error(part, &format!("{what} must be a whole number"))),
        }
    }

    /// The next of some fields, or the error that it is missing.
    pub fn next(self, fields: &mut impl Iterator<Item = &'a str>, what: &str) -> Result<&'a str> {
        fields
            .next()
            .ok_or_else(|| self.end_error(&format!("{what} is missing")))
    }

    /// The error that there is one more field.
    pub fn end(self, fields: &mut impl Iterator<Item = &'a str>) -> Result<()> {
        fields.next().map_or(Ok(()), |field| {
            Err(self.error(field, "the line should end here"))
        })
    }
}

/// What stands between spaces and tabs. Other white space belongs to words.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> + Clone {
    text.split([' ', '\t']).filter(|field| !field.is_empty())
}

/// The error at the end of a file that is cut short.
pub(super) fn cut_short(lines: u64, problem: &str, remedy: &str) -> Error {
    Error::Text {
        line: lines + 1,
        column: 1,
        problem: format!("{problem}; {remedy}"),
        found: "the end of the file".to_owned(),
    }
}
