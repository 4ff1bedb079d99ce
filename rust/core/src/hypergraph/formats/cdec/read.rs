//! From JSON to forests.

use super::super::super::forest::Forests;
use super::super::draft::Names;
use super::parts::{Object, Top};
use super::state::State;
use crate::error::{Error, Result};
use crate::numeric::to_u64;
use crate::text::decode::{column_after, quote};
use crate::text::lines::reserve;
use serde::de::DeserializeSeed;
use std::marker::PhantomData;

pub(super) const REMEDY: &str =
    "check that it is a JSON forest of cdec, and make or copy the file again";

/// Reads forests of cdec. JSON is parsed when all of it is there: memory for the bytes of the file and its forest, no recursion.
#[derive(Debug, Default)]
pub struct CdecReader {
    bytes: Vec<u8>,
}

impl CdecReader {
    pub fn feed(&mut self, block: &[u8]) -> Result<()> {
        reserve(&mut self.bytes, block.len(), "a JSON forest")?;
        self.bytes.extend_from_slice(block);
        Ok(())
    }

    pub fn finish(self) -> Result<Forests> {
        let bytes = self
            .bytes
            .strip_prefix(b"\xef\xbb\xbf")
            .unwrap_or(&self.bytes);
        let mut names = Names::default();
        let mut list = Vec::new();
        let mut start = 0;
        loop {
            // From here on: an error costs a look at this forest, not at all before it.
            let rest = &bytes[start..];
            let mut json = serde_json::Deserializer::from_slice(rest);
            let mut state = State::new(names);
            let object = Object::<Top>(&mut state, PhantomData);
            if let Err(problem) = object.deserialize(&mut json) {
                return Err(state.into_error(&problem, bytes, start + offset(rest, &problem)));
            }
            names = state.finish_forest(&mut list);
            let Err(problem) = json.end() else {
                break;
            };
            start += offset(rest, &problem);
            match bytes[start..].trim_ascii() {
                // A test file of cdec itself ends so. The object is complete, so that nothing else can be meant.
                b"\"" => break,
                [b'{', ..] => {}
                _ => {
                    let what = "there is something behind the end of the forest";
                    return Err(text_error(bytes, start, format!("{what}; {REMEDY}")));
                }
            }
        }
        Ok(names.into_forests(list))
    }
}

/// The byte that an error of the parser is about. Its columns count bytes: up to the offending one, or those before a value of the wrong type.
pub(in super::super) fn offset(bytes: &[u8], at: &serde_json::Error) -> usize {
    if at.is_eof() {
        return bytes.len();
    }
    let before = at.line().saturating_sub(1);
    let start = match before.checked_sub(1) {
        None => 0,
        Some(n) => {
            let mut ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
            ends.nth(n).map_or(bytes.len(), |(end, _)| end + 1)
        }
    };
    let column = at.column().saturating_sub(usize::from(!at.is_data()));
    (start + column).min(bytes.len())
}

/// The error at a byte of the file.
pub(in super::super) fn text_error(bytes: &[u8], offset: usize, problem: String) -> Error {
    const SHOWN: usize = 200;
    let (before, rest) = bytes.split_at(offset);
    let line = before.split(|&byte| byte == b'\n').count();
    let start = before
        .iter()
        .rposition(|&byte| byte == b'\n')
        .map_or(0, |end| end + 1);
    let shown = rest.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let shown = String::from_utf8_lossy(&shown[..shown.len().min(SHOWN)]);
    let is_end = rest.trim_ascii().is_empty();
    Error::Text {
        line: to_u64(line),
        column: column_after(&String::from_utf8_lossy(&before[start..])),
        problem,
        found: if is_end {
            "the end of the file".to_owned()
        } else {
            quote(&shown)
        },
    }
}
