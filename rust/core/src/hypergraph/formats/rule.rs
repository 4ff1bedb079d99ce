//! Rules of synchronous grammars as text: `[X] ||| source ||| target ||| features`.

use super::draft::{Names, variable};
use crate::error::Result;

/// What stands between the parts of a rule.
pub(super) const BAR: &str = "|||";

/// The target side of a rule; nothing if it has none.
pub(super) fn target_side(rule: &str) -> Option<&str> {
    let mut parts = rule.split(BAR).map(|part| part.trim_matches([' ', '\t']));
    let (_, _, target) = (parts.next()?, parts.next()?, parts.next()?);
    Some(target)
}

/// The position in the tail, from 0, that a token of a rule stands for: `[2]` and `[X,2]` are 1.
pub(super) fn position(token: &str) -> Option<usize> {
    let inner = token.strip_prefix('[')?.strip_suffix(']')?;
    let digits = inner.rsplit_once(',').map_or(inner, |(_, digits)| digits);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    digits.parse::<usize>().ok()?.checked_sub(1)
}

/// The items of a target side, and one more than its largest position.
pub(super) fn target_items(target: &str, names: &mut Names, items: &mut Vec<i32>) -> Result<usize> {
    let mut arity = 0;
    for token in super::line::words(target) {
        match position(token) {
            Some(at) => {
                arity = arity.max(at.saturating_add(1));
                items.push(variable(at));
            }
            None => items.push(names.word(token)?),
        }
    }
    Ok(arity)
}
