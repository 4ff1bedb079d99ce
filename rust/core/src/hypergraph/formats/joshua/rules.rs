//! A line of the file of rules.

use super::super::draft::Names;
use super::super::line::Line;
use super::super::rule::{target_items, target_side};
use crate::error::Result;

/// What a rule says of the edges that have it.
#[derive(Debug, Clone)]
pub struct Rule {
    pub text: u32,
    pub owner: u32,
    /// The target side, as items of a yield.
    pub items: Vec<i32>,
    /// The number of tail nodes that the target side needs.
    pub arity: usize,
}

impl Rule {
    /// The number of a rule, the rule as it is written, and what it says.
    pub fn read<'a>(line: Line<'a>, names: &mut Names) -> Result<(i64, &'a str, Self)> {
        let mut fields = line.text.splitn(3, ' ');
        let id = line.whole(
            line.next(&mut fields, "the number of the rule")?,
            "the number of the rule",
        )?;
        let owner = line.next(&mut fields, "the owner of the rule")?;
        let rest = line.next(&mut fields, "the rule")?;
        let rule = rest.strip_prefix("-LZF- ").unwrap_or(rest);
        let Some(target) = target_side(rule) else {
            return Err(line.error(
                rule,
                "a rule is written [LHS] ||| source ||| target ||| scores",
            ));
        };
        let mut items = Vec::new();
        let arity = target_items(target, names, &mut items)?;
        let new = Self {
            text: names.text(rule)?,
            owner: names.text(owner)?,
            items,
            arity,
        };
        Ok((id, rule, new))
    }
}
