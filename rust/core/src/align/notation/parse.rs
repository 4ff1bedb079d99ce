//! Pharaoh lines to links.

use crate::align::links::{Link, Links};
use crate::cancel::CancelToken;
use crate::error::{Error, Result};
use crate::numeric::to_u64;
use crate::parallel;

/// Bytes of text that one thread takes at a time (then up to the end of the line).
const PIECE: usize = 1 << 18;
/// How much of an offending token a message shows, in characters.
const SHOWN: usize = 40;

/// A value, or the problem in words, to which the caller adds the place.
type Attempt<T> = std::result::Result<T, String>;

/// How Pharaoh lines are read.
#[derive(Debug, Clone, Copy)]
pub struct ParseOptions {
    /// Number of the first line in its file, 1-based; messages count from it.
    pub first_line: u64,
    /// Whether possible links (`i?j`, `ipj`) are accepted.
    pub allow_possible: bool,
    /// Number of the first word: 0, or 1 as some gold files have it.
    pub base: u32,
    /// Number of threads.
    pub threads: usize,
}

impl Default for ParseOptions {
    fn default() -> Self {
        Self {
            first_line: 1,
            allow_possible: false,
            base: 0,
            threads: 1,
        }
    }
}

/// The links of a block of lines.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Parsed {
    /// All links, sure and possible. They have probabilities when all of them were written with one.
    pub links: Links,
    /// For each link, whether it is sure.
    pub sure: Vec<bool>,
}

/// Reads a block of whole lines; a last line without `\n` counts when it is not empty.
///
/// Of a link that is repeated in its line, the sure and the most probable reading stays. A byte order mark at the start of line 1 is skipped.
///
/// # Errors
/// [`Error::Text`] with line, column, the offending token and the remedy: when a token is not a link, a position is over
/// [`Link::MAX_POSITION`] or below the base, a probability is not a number from 0 to 1, a possible link is not allowed, or some links have a
/// probability and others have none. [`Error::Cancelled`].
///
/// # Complexity
/// Linear time; memory for the result.
pub fn parse(block: &[u8], options: &ParseOptions, cancel: &CancelToken) -> Result<Parsed> {
    let mark = usize::from(options.first_line == 1 && block.starts_with(b"\xEF\xBB\xBF")) * 3;
    let mut first_line = options.first_line;
    let pieces: Vec<(&[u8], u64)> = pieces(&block[mark..])
        .into_iter()
        .map(|piece| {
            let start = first_line;
            first_line += line_ends(piece);
            (piece, start)
        })
        .collect();
    let parts = parallel::map(options.threads, cancel, pieces, |_, (piece, line)| {
        Reader::new(options).read(piece, line)
    })?;
    join(parts)
}

/// Cuts text into pieces that end after a line end.
fn pieces(mut text: &[u8]) -> Vec<&[u8]> {
    let mut found = Vec::new();
    while !text.is_empty() {
        let least = PIECE.min(text.len());
        let end = text[least..]
            .iter()
            .position(|&b| b == b'\n')
            .map_or(text.len(), |at| least + at + 1);
        let (piece, rest) = text.split_at(end);
        found.push(piece);
        text = rest;
    }
    found
}

#[expect(
    clippy::naive_bytecount,
    reason = "a millisecond per megabyte less is not worth a dependency"
)]
fn line_ends(text: &[u8]) -> u64 {
    to_u64(text.iter().filter(|&&b| b == b'\n').count())
}

fn join(parts: Vec<Part>) -> Result<Parsed> {
    let bare = parts.iter().find_map(|p| p.bare.as_ref());
    let rated = parts.iter().find_map(|p| p.rated.as_ref());
    if let (Some(bare), Some(rated)) = (bare, rated) {
        let (later, earlier, state) =
            if bare.line > rated.line || (bare.line == rated.line && bare.column > rated.column) {
                (bare, rated, "has no probability")
            } else {
                (rated, bare, "has a probability")
            };
        return Err(later.error(&format!(
            "a link {state}, unlike the one in line {}, column {}; give every link a probability (i-j:p) or none",
            earlier.line, earlier.column
        )));
    }
    let is_rated = rated.is_some();
    let mut joined = Parsed::default();
    joined.links.offsets.push(0);
    let mut probabilities = Vec::new();
    for part in parts {
        let base = to_u64(joined.links.links.len());
        joined.links.links.extend_from_slice(&part.links);
        joined
            .links
            .offsets
            .extend(part.ends.iter().map(|end| base + end));
        joined.sure.extend_from_slice(&part.sure);
        if is_rated {
            probabilities.extend_from_slice(&part.probabilities);
        }
    }
    joined.links.probabilities = is_rated.then_some(probabilities);
    Ok(joined)
}

/// Where a token is, and how it looks.
#[derive(Debug, Clone)]
struct Place {
    line: u64,
    column: u64,
    token: String,
}

impl Place {
    fn error(&self, problem: &str) -> Error {
        Error::Text {
            line: self.line,
            column: self.column,
            problem: problem.to_owned(),
            found: self.token.clone(),
        }
    }
}

#[derive(Debug, Default)]
struct Part {
    links: Vec<Link>,
    probabilities: Vec<f32>,
    sure: Vec<bool>,
    /// End of each line in `links`.
    ends: Vec<u64>,
    /// The first link without and with a probability.
    bare: Option<Place>,
    rated: Option<Place>,
}

/// One link as it is written.
#[derive(Debug, Clone, Copy)]
struct Entry {
    link: Link,
    is_sure: bool,
    probability: Option<f32>,
}

struct Reader<'o> {
    options: &'o ParseOptions,
    part: Part,
    line: Vec<Entry>,
}

impl<'o> Reader<'o> {
    fn new(options: &'o ParseOptions) -> Self {
        Self {
            options,
            part: Part::default(),
            line: Vec::new(),
        }
    }

    fn read(mut self, piece: &[u8], first_line: u64) -> Result<Part> {
        for (number, line) in (first_line..).zip(piece.split_inclusive(|&b| b == b'\n')) {
            let text = line.strip_suffix(b"\n").unwrap_or(line);
            self.read_line(text.strip_suffix(b"\r").unwrap_or(text), number)?;
        }
        Ok(self.part)
    }

    fn read_line(&mut self, text: &[u8], number: u64) -> Result<()> {
        self.line.clear();
        let mut at = 0;
        while at < text.len() {
            if is_separator(text[at]) {
                at += 1;
                continue;
            }
            let length = text[at..]
                .iter()
                .position(|&b| is_separator(b))
                .unwrap_or(text.len() - at);
            let token = &text[at..at + length];
            let place = || Place {
                line: number,
                column: to_u64(characters(&text[..at])) + 1,
                token: show(token),
            };
            let entry =
                read_link(token, self.options).map_err(|problem| place().error(&problem))?;
            let first = if entry.probability.is_some() {
                &mut self.part.rated
            } else {
                &mut self.part.bare
            };
            first.get_or_insert_with(place);
            self.line.push(entry);
            at += length;
        }
        self.end_line();
        Ok(())
    }

    fn end_line(&mut self) {
        if !self.line.is_sorted_by(|a, b| a.link < b.link) {
            let weight = |e: &Entry| e.probability.unwrap_or(0.0);
            self.line.sort_unstable_by(|a, b| {
                (a.link, !a.is_sure)
                    .cmp(&(b.link, !b.is_sure))
                    .then(weight(b).total_cmp(&weight(a)))
            });
            self.line.dedup_by_key(|e| e.link);
        }
        let part = &mut self.part;
        for entry in &self.line {
            part.links.push(entry.link);
            part.sure.push(entry.is_sure);
            part.probabilities.push(entry.probability.unwrap_or(1.0));
        }
        part.ends.push(to_u64(part.links.len()));
    }
}

/// The links of one line in the order they are written, repeats included; `column` of an error counts from 1.
///
/// # Errors
/// [`Error::Text`] as [`parse`].
pub(crate) fn links_of_line(text: &[u8], number: u64, links: &mut Vec<Link>) -> Result<()> {
    links.clear();
    let mut at = 0;
    while at < text.len() {
        if is_separator(text[at]) {
            at += 1;
            continue;
        }
        let length = text[at..]
            .iter()
            .position(|&b| is_separator(b))
            .unwrap_or(text.len() - at);
        let token = &text[at..at + length];
        let entry = read_link(token, &ParseOptions::default()).map_err(|problem| Error::Text {
            line: number,
            column: to_u64(characters(&text[..at])) + 1,
            problem,
            found: show(token),
        })?;
        links.push(entry.link);
        at += length;
    }
    Ok(())
}

fn is_separator(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

/// Number of characters in UTF-8 text: of the bytes that do not continue one.
pub(crate) fn characters(text: &[u8]) -> usize {
    text.iter().filter(|&&b| b & 0xC0 != 0x80).count()
}

/// Text for a message: escaped, and cut when it is long.
pub(crate) fn show(token: &[u8]) -> String {
    let text = String::from_utf8_lossy(token);
    let mut shown: String = text
        .chars()
        .take(SHOWN)
        .flat_map(char::escape_debug)
        .collect();
    if text.chars().count() > SHOWN {
        shown.push('…');
    }
    format!("'{shown}'")
}

fn read_link(token: &[u8], options: &ParseOptions) -> Attempt<Entry> {
    let (source, rest) = read_position(token, "source", options.base)?;
    let is_sure = match rest.first() {
        Some(b'-') => true,
        Some(b'?' | b'p') => false,
        _ => return Err(no_link()),
    };
    if !is_sure && !options.allow_possible {
        return Err(
            "a possible link (i?j or ipj) belongs to a gold standard and not to an alignment; \
             write i-j, or read the file as gold"
                .into(),
        );
    }
    let (target, rest) = read_position(&rest[1..], "target", options.base)?;
    let probability = match rest.split_first() {
        None => None,
        Some((b':', text)) => Some(read_probability(text)?),
        Some(_) => return Err(no_link()),
    };
    Ok(Entry {
        link: Link::new(source, target),
        is_sure,
        probability,
    })
}

fn read_position<'t>(text: &'t [u8], side: &str, base: u32) -> Attempt<(u32, &'t [u8])> {
    let digits = text.iter().take_while(|b| b.is_ascii_digit()).count();
    if digits == 0 {
        return Err(no_link());
    }
    let mut value = 0u64;
    for digit in &text[..digits] {
        // Saturates far above the limit, so that any number of digits is safe.
        value = (value * 10 + u64::from(digit - b'0')).min(1 << 40);
    }
    let Some(value) = value.checked_sub(u64::from(base)) else {
        return Err(format!(
            "the {side} position is 0, but the words are counted from 1; read the file with base 0"
        ));
    };
    match u32::try_from(value) {
        Ok(position) if position <= Link::MAX_POSITION => Ok((position, &text[digits..])),
        _ => Err(format!(
            "the {side} position is above {}; no sentence is that long: check that the file holds links",
            Link::MAX_POSITION
        )),
    }
}

fn read_probability(text: &[u8]) -> Attempt<f32> {
    std::str::from_utf8(text)
        .ok()
        .and_then(|t| t.parse::<f32>().ok())
        .filter(|p| (0.0..=1.0).contains(p))
        .ok_or_else(|| {
            "the probability after ':' must be a number from 0 to 1, such as 3-4:0.87".into()
        })
}

fn no_link() -> String {
    "expected a link 'i-j' of a source and a target position, such as 3-4; fix the line or remove it in all parallel files".into()
}

#[cfg(test)]
mod tests;
