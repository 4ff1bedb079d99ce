//! Bytes of a line as UTF-8, or the exact place where they are not.

use super::OnError;
use crate::error::{Error, Result};
use std::borrow::Cow;

/// A line after decoding.
#[derive(Debug, PartialEq)]
pub(super) enum Decoded<'a> {
    /// The bytes were UTF-8.
    Clean(&'a str),
    /// The bytes were not; each bad sequence became U+FFFD.
    Replaced(String),
    /// The bytes were not, and the line is to be left out.
    Skipped,
}

/// Decodes line number `line`.
pub(super) fn decode(line: u64, bytes: &[u8], on_error: OnError) -> Result<Decoded<'_>> {
    let problem = match std::str::from_utf8(bytes) {
        Ok(text) => return Ok(Decoded::Clean(text)),
        Err(problem) => problem,
    };
    match on_error {
        OnError::Skip => Ok(Decoded::Skipped),
        OnError::Replace => Ok(match String::from_utf8_lossy(bytes) {
            Cow::Borrowed(text) => Decoded::Clean(text),
            Cow::Owned(text) => Decoded::Replaced(text),
        }),
        OnError::Strict => {
            let (good, bad) = bytes.split_at(problem.valid_up_to());
            let bad = &bad[..problem.error_len().unwrap_or(bad.len())];
            Err(Error::Text {
                line,
                column: column_after(&String::from_utf8_lossy(good)),
                problem: "the text is not UTF-8 here; convert the file (for instance with iconv -f latin1 -t utf-8), \
                    or choose on-error skip or replace"
                    .to_owned(),
                found: format!("byte {}", bad.escape_ascii()),
            })
        }
    }
}

/// Decodes a line for readers that take UTF-8 only. A byte order mark at the start of the stream is dropped.
pub(crate) fn decode_strictly(line: u64, bytes: &[u8]) -> Result<&str> {
    match decode(line, bytes, OnError::Strict)? {
        Decoded::Clean(text) => Ok(text),
        Decoded::Replaced(_) | Decoded::Skipped => Ok(""),
    }
}

/// The 1-based column, in characters, of what comes after `text`.
pub(crate) fn column_after(text: &str) -> u64 {
    text.chars().count() as u64 + 1
}

/// The start of `text`, quoted and escaped for display.
pub(crate) fn quote(text: &str) -> String {
    const SHOWN: usize = 40;
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{:?}...", &text[..end]),
        None => format!("{text:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_column_counts_characters_and_the_bad_bytes_are_escaped() {
        let error = decode(7, b"\xc3\xa9t\xc3\xa9 \xff.", OnError::Strict).unwrap_err();
        let Error::Text {
            line,
            column,
            found,
            ..
        } = error
        else {
            panic!("wrong kind")
        };
        assert_eq!((line, column, found.as_str()), (7, 5, r"byte \xff"));
    }

    #[test]
    fn a_sequence_cut_short_by_the_line_end_is_shown_whole() {
        let error = decode(1, b"a\xe2\x82", OnError::Strict).unwrap_err();
        assert!(
            matches!(&error, Error::Text { column: 2, found, .. } if found == r"byte \xe2\x82"),
            "{error}"
        );
    }

    #[test]
    fn replacing_and_skipping() {
        let replaced = decode(1, b"a\xff\xe2\x82b", OnError::Replace);
        assert_eq!(
            replaced,
            Ok(Decoded::Replaced("a\u{fffd}\u{fffd}b".to_owned()))
        );
        assert_eq!(decode(1, b"\xff", OnError::Skip), Ok(Decoded::Skipped));
        assert_eq!(decode(1, b"a", OnError::Skip), Ok(Decoded::Clean("a")));
    }
}
