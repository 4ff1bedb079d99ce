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
/// # Errors
/// [`Error::Text`] when a line has fewer than three fields, an empty phrase, or a weight that is no number.
pub(super) fn each_entry<'a>(
    block: &'a [u8],
    first_line: u64,
    mut each: impl FnMut(u64, Entry<'a>) -> Result<()>,
) -> Result<()> {
    for (number, line) in (first_line..).zip(super::tokens::lines(block)) {
        if !line.is_empty() {
            each(number, entry(line, number)?)?;
        }
    }
    Ok(())
}

fn entry(line: &[u8], number: u64) -> Result<Entry<'_>> {
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
    let third = &line[second + 4..];
    let (third, count) = match find_bar(third) {
        None => (third, Count::ONE),
        Some(at) => {
            let weight = &third[at + BAR.len()..];
            let column = to_u64(characters(&line[..second + 4 + at + BAR.len()])) + 1;
            (&third[..at], weight_of(weight, number, column)?)
        }
    };
    Ok(Entry {
        pair: &line[..second],
        third: third.trim_ascii(),
        count,
    })
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
            problem: "the weight behind a phrase pair must be one number from 0 to 1e18, and the last field".into(),
            found: show(token),
        })
}
