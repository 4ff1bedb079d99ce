//! A line of text as tokens with one space in between, so that a span of tokens is a slice of bytes.

use super::room::CHUNK;
use crate::align::notation::{characters, show};
use crate::error::{Error, Result};
use crate::numeric::to_u64;
use std::ops::Range;

/// What separates the fields of a table; no token may look like it.
const SEPARATOR: &[u8] = b"|||";

/// The tokens of one line; its buffers are used again for the next.
#[derive(Debug, Default)]
pub(super) struct Tokens {
    /// Tokens with a space behind each, and bytes for copies in chunks.
    text: Vec<u8>,
    /// Start of each token in `text`, and one past the end of the last one's space.
    starts: Vec<usize>,
}

impl Tokens {
    /// Reads a line without its end: tokens are what stands between spaces and tabs.
    ///
    /// # Errors
    /// [`Error::Text`] when a token is the separator of tables.
    pub(super) fn read(&mut self, line: &[u8], number: u64) -> Result<()> {
        self.text.clear();
        self.starts.clear();
        for token in line.split(|&b| b == b' ' || b == b'\t') {
            if token.is_empty() {
                continue;
            }
            if token == SEPARATOR {
                return Err(separator(line, number));
            }
            self.starts.push(self.text.len());
            self.text.extend_from_slice(token);
            self.text.push(b' ');
        }
        self.starts.push(self.text.len());
        self.text.resize(self.text.len() + CHUNK, 0);
        Ok(())
    }

    pub(super) fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Each token.
    pub(super) fn each(&self) -> impl Iterator<Item = &[u8]> {
        let ends = self.starts.iter().skip(1);
        self.starts
            .iter()
            .zip(ends)
            .map(|(&start, &end)| &self.text[start..end - 1])
    }

    /// The tokens of a span, a space behind each: what begins with them, and how many bytes they are.
    #[inline]
    pub(super) fn spaced(&self, span: &Range<usize>) -> (&[u8], usize) {
        let (start, end) = (self.starts[span.start], self.starts[span.end]);
        (&self.text[start..], end - start)
    }

    /// The tokens of a span that is not empty, with one space in between.
    pub(super) fn span(&self, span: &Range<usize>) -> &[u8] {
        &self.text[self.starts[span.start]..self.starts[span.end] - 1]
    }
}

fn separator(line: &[u8], number: u64) -> Error {
    let is_it = |part: &[u8]| part.split(|&b| b == b' ' || b == b'\t').next() == Some(SEPARATOR);
    let at = (0..line.len())
        .find(|&at| (at == 0 || matches!(line[at - 1], b' ' | b'\t')) && is_it(&line[at..]))
        .unwrap_or(0);
    Error::Text {
        line: number,
        column: to_u64(characters(&line[..at])) + 1,
        problem: "the token '|||' separates the fields of phrase tables and cannot be a word of them; write it in another way, as Moses' escaping does (&#124;&#124;&#124;), or remove it".into(),
        found: show(SEPARATOR),
    }
}

/// The lines of a block, without their ends; a `\r` before an end is dropped. A last line without an end counts when it is not empty.
pub(super) fn lines(block: &[u8]) -> impl Iterator<Item = &[u8]> {
    block.split_inclusive(|&b| b == b'\n').map(|line| {
        let text = line.strip_suffix(b"\n").unwrap_or(line);
        text.strip_suffix(b"\r").unwrap_or(text)
    })
}
