//! Fields `name=value` of a line.

use super::super::line::Line;
use crate::error::Result;
use std::borrow::Cow;

/// The fields of a line, one after the other.
pub(super) struct Fields<'a> {
    pub line: Line<'a>,
    pub at: usize,
}

impl<'a> Fields<'a> {
    pub fn next_field(&mut self) -> Result<Option<(&'a str, Cow<'a, str>)>> {
        let rest = self.line.text[self.at..].trim_start_matches([' ', '\t']);
        if rest.is_empty() {
            return Ok(None);
        }
        let blank = rest.find([' ', '\t']).unwrap_or(rest.len());
        let Some(equals) = rest
            .find('=')
            .filter(|&equals| equals > 0 && equals < blank)
        else {
            return Err(self
                .line
                .error(&rest[..blank], "a field is written name=value"));
        };
        let (key, value) = (&rest[..equals], &rest[equals + 1..]);
        let start = self.line.text.len() - value.len();
        let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
        let (value, length) = if let Some(quote) = quote {
            quoted(self.line, value, quote)?
        } else {
            let end = value.find([' ', '\t']).unwrap_or(value.len());
            (Cow::Borrowed(&value[..end]), end)
        };
        self.at = start + length;
        Ok(Some((key, value)))
    }
}

/// A value in quotes, and its length in the line.
fn quoted<'a>(line: Line<'a>, value: &'a str, quote: char) -> Result<(Cow<'a, str>, usize)> {
    let mut text = String::new();
    let mut characters = value.char_indices().skip(1);
    while let Some((at, c)) = characters.next() {
        if c == quote {
            return Ok((Cow::Owned(text), at + 1));
        }
        match c {
            '\\' => text.extend(characters.next().map(|(_, c)| c)),
            c => text.push(c),
        }
    }
    Err(line.error(value, "the value has no closing quote"))
}
