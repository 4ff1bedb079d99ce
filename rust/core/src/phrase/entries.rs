//! Lines of phrase pairs on their way in.

use super::sort::Count;
use crate::align::notation::{characters, show};
use crate::error::{Error, Result};
use crate::numeric::to_u64;

/// What stands between the fields of a line.
pub(super) const BAR: &[u8] = b" ||| ";

/// The fields of a line of an extract file; the third one may be empty.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry<'a> {
    /// The two phrases with the separator between them.
    pub(super) pair: &'a [u8],
    /// Links, or orientations.
    pub(super) third: &'a [u8],
    /// The number of the sentence pair, if lines have one.
    pub(super) sentence: u64,
    pub(super) count: Count,
}

/// The first phrase of two with the separator between them, and the second.
pub(super) fn split_pair(pair: &[u8]) -> (&[u8], &[u8]) {
    match find_bar(pair) {
        Some(at) => (&pair[..at], &pair[at + BAR.len()..]),
        None => (pair, &[]),
    }
}

/// Where the separator of fields begins.
pub(super) fn find_bar(text: &[u8]) -> Option<usize> {
    let mut from = 0;
    while let Some(at) = text[from..].iter().position(|&b| b == b'|') {
        let at = from + at;
        if at > 0 && text[at - 1..].starts_with(BAR) {
            return Some(at - 1);
        }
        from = at + 1;
    }
    None
}

/// Calls back with each entry of the lines of a block and its line number; empty lines are left out.
///
/// With `has_sentences`, the fourth field is the number of the sentence pair and a weight is the fifth.
///
/// # Errors
/// [`Error::Text`] when a line has fewer than three fields, an empty phrase, a weight that is no number, or no number of a sentence pair.
pub(super) fn each_entry<'a>(
    block: &'a [u8],
    first_line: u64,
    has_sentences: bool,
    mut each: impl FnMut(u64, Entry<'a>) -> Result<()>,
) -> Result<()> {
    for (number, line) in (first_line..).zip(super::tokens::lines(block)) {
        if !line.is_empty() {
            each(number, entry(line, number, has_sentences)?)?;
        }
    }
    Ok(())
}

fn entry(line: &[u8], number: u64, has_sentences: bool) -> Result<Entry<'_>> {
    let short = || Error::Text {
        line: number,
        column: 1,
        problem: "expected 'source ||| target ||| ..' as written by phrases extract".into(),
        found: show(line),
    };
    let first = find_bar(line).ok_or_else(short)?;
    let rest = first + BAR.len();
    // The third field may be empty, and the line end right behind its separator.
    let second = match find_bar(&line[rest..]) {
        Some(at) => rest + at,
        None if line.ends_with(b" |||") => line.len() - 4,
        None => return Err(short()),
    };
    if first == 0 || second <= rest {
        return Err(short());
    }
    let third = second + 4;
    let mut end = third + find_bar(&line[third..]).unwrap_or(line.len() - third);
    let links = &line[third..end];
    let mut next_field = || {
        let from = end + BAR.len();
        (from <= line.len()).then(|| {
            end = from + find_bar(&line[from..]).unwrap_or(line.len() - from);
            (&line[from..end], to_u64(characters(&line[..from])) + 1)
        })
    };
    let sentence = if has_sentences {
        let (text, column) = next_field().unwrap_or((b"", to_u64(characters(line)) + 1));
        sentence_of(text, number, column)?
    } else {
        0
    };
    let count = match next_field() {
        None => Count::ONE,
        Some((weight, column)) => weight_of(weight, number, column)?,
    };
    if let Some((more, column)) = next_field() {
        return Err(unknown_field(more, number, column));
    }
    Ok(Entry {
        pair: &line[..second],
        third: links.trim_ascii(),
        sentence,
        count,
    })
}

/// The number of the sentence pair of a line.
fn sentence_of(text: &[u8], line: u64, column: u64) -> Result<u64> {
    let token = text.trim_ascii();
    std::str::from_utf8(token)
        .ok()
        .and_then(|t| t.parse().ok())
        .ok_or_else(|| Error::Text {
            line,
            column,
            problem: "expected the number of the sentence pair behind the links; write it with phrases extract --sentence-ids".into(),
            found: show(token),
        })
}

fn unknown_field(text: &[u8], line: u64, column: u64) -> Error {
    Error::Text {
        line,
        column,
        problem: "there is a field behind the weight; if the fourth field is the number of the sentence pair, say --sentence-ids".into(),
        found: show(text.trim_ascii()),
    }
}

/// The weight of a line: its last field.
fn weight_of(text: &[u8], line: u64, column: u64) -> Result<Count> {
    let token = text.trim_ascii();
    std::str::from_utf8(token)
        .ok()
        .and_then(|t| t.parse::<f64>().ok())
        .filter(|w| (0.0..1e18).contains(w))
        .map(Count::from_f64)
        .ok_or_else(|| Error::Text {
            line,
            column,
            problem: "the weight behind a phrase pair must be one number from 0 to 1e18".into(),
            found: show(token),
        })
}
