//! CRF++'s binary models.
//!
//! Little-endian: version, kind, the cost factor as a 64-bit float, number of weights, columns, size of the trie; the labels and the templates, each a
//! size and texts with a zero byte behind; the trie from attributes to their numbers; the weights as 32-bit floats.
//!
//! The trie is a double array (Aoe 1989) of Darts: units of a base and a check. The children of a node with base b are the units b + 1 + byte whose
//! check is b; the unit b itself, when its check is b and its base is negative, ends a name with the number -base - 1.

use super::{CrfppModel, Parts, VERSION, unsound};
use crate::crf::Template;
use crate::error::Result;
use crate::numeric::to_index;

const HEAD_BYTES: usize = 28;
const UNIT_BYTES: usize = 8;

/// Whether bytes begin as a binary model of version 100 does: with the version, and a kind that is a small number.
#[must_use]
pub fn is_binary(bytes: &[u8]) -> bool {
    bytes.len() >= 8 && u64::from(number(bytes)) == VERSION && number(&bytes[4..]) < 16
}

/// The model in the bytes of a file.
///
/// # Errors
/// [`Error::Model`](crate::error::Error::Model) for bytes that are no such model, cut short or damaged as far as that can be seen;
/// [`Error::Text`](crate::error::Error::Text) for templates that are none.
///
/// # Complexity
/// Time n log n for n units of the trie, linear in all else.
pub fn read(bytes: &[u8]) -> Result<CrfppModel> {
    let mut rest = bytes;
    let head = take(&mut rest, HEAD_BYTES)?;
    if !is_binary(head) {
        return unsound(
            "the file",
            "is no binary model of CRF++ of version 100".to_owned(),
        );
    }
    let mut eight = [0; 8];
    eight.copy_from_slice(&head[8..16]);
    let factor = f64::from_le_bytes(eight);
    let [weights, columns, trie] = [16, 20, 24].map(|at| to_index(number(&head[at..]).into()));
    if columns == 0 || !factor.is_finite() {
        return unsound(
            "the head",
            format!("has {columns} columns and a cost factor of {factor}"),
        );
    }
    let mut parts = Parts {
        labels: texts("the labels", &mut rest)?,
        ..Parts::default()
    };
    for template in texts("the templates", &mut rest)? {
        Template::parse(&template)?;
        parts.templates.push_str(&template);
        parts.templates.push('\n');
    }
    let trie = take(&mut rest, trie)?;
    let found = take(&mut rest, weights.saturating_mul(4))?;
    if !rest.is_empty() {
        return unsound(
            "the file",
            format!("has {} bytes behind its weights", rest.len()),
        );
    }
    parts.attributes = names(trie)?;
    for weight in found.chunks_exact(4) {
        let weight = f64::from(f32::from_bits(number(weight)));
        if !weight.is_finite() {
            return unsound(
                "the weights",
                format!("have one that is {weight}, not finite"),
            );
        }
        parts.weights.push(weight);
    }
    parts.finish(factor, columns)
}

/// The number at the start of at least four bytes.
fn number(bytes: &[u8]) -> u32 {
    let mut four = [0; 4];
    four.copy_from_slice(&bytes[..4]);
    u32::from_le_bytes(four)
}

fn take<'a>(rest: &mut &'a [u8], count: usize) -> Result<&'a [u8]> {
    let Some((part, behind)) = rest.split_at_checked(count) else {
        let left = rest.len();
        return unsound(
            "the file",
            format!("is cut short: {count} bytes are needed, {left} are left"),
        );
    };
    *rest = behind;
    Ok(part)
}

/// Texts with zero bytes between and behind; empty ones fill up the part.
fn texts(what: &'static str, rest: &mut &[u8]) -> Result<Vec<String>> {
    let size = to_index(number(take(rest, 4)?).into());
    take(rest, size)?
        .split(|&byte| byte == 0)
        .filter(|text| !text.is_empty())
        .map(|text| decode(what, text))
        .collect()
}

fn decode(what: &'static str, bytes: &[u8]) -> Result<String> {
    std::str::from_utf8(bytes).map_or_else(
        |_| {
            let found = bytes.escape_ascii();
            unsound(
                what,
                format!("are not UTF-8, as {found}; train with text in UTF-8"),
            )
        },
        |text| Ok(text.to_owned()),
    )
}

/// The names in a trie, each with its number.
fn names(trie: &[u8]) -> Result<Vec<(u64, String)>> {
    let damaged = || unsound("the trie of attributes", "is damaged".to_owned());
    let units: Vec<(i32, u32)> = trie
        .chunks_exact(UNIT_BYTES)
        .map(|unit| (number(unit).cast_signed(), number(&unit[4..])))
        .collect();
    let Some(&(root, _)) = units.first() else {
        return damaged();
    };
    // Units by the base of their parent.
    let mut by_check: Vec<(u32, u32)> = (0..)
        .zip(&units)
        .skip(1)
        .filter(|(_, unit)| unit.1 != 0)
        .map(|(at, unit)| (unit.1, at))
        .collect();
    by_check.sort_unstable();
    let mut found = Vec::new();
    // Nodes to visit: the base, the length of the name before, the last byte.
    let mut open = vec![(root, 0, None)];
    let mut name = Vec::new();
    let mut visits = 0;
    while let Some((base, before, byte)) = open.pop() {
        visits += 1;
        // A sound trie has no more nodes than units; a damaged one may have endless paths.
        let Some(base) = u32::try_from(base).ok().filter(|_| visits <= units.len()) else {
            return damaged();
        };
        name.truncate(before);
        name.extend(byte);
        let start = by_check.partition_point(|&(check, _)| check < base);
        let own = by_check[start..]
            .iter()
            .take_while(|&&(check, _)| check == base);
        for &(_, at) in own {
            let value = units[to_index(at.into())].0;
            match at.checked_sub(base) {
                Some(0) if value < 0 => {
                    let id = u64::from(value.unsigned_abs()) - 1;
                    found.push((id, decode("the attributes", &name)?));
                }
                Some(step @ 1..=256) => {
                    open.push((value, name.len(), u8::try_from(step - 1).ok()));
                }
                _ => return damaged(),
            }
        }
    }
    Ok(found)
}
