//! Lists of the n best translations, as Moses writes them: flat forests, an edge without tail for each translation.
//!
//! `id ||| words ||| Label= value .. Label= value .. ||| score [||| more]`. A label with several values stands for features `Label_1`, `Label_2` and so on.
//! Old lists write `Label:`.

use super::super::forest::{Forest, Forests, Item};
use super::draft::{Draft, Names};
use super::line::{Line, words};
use super::output::{feature, is_token, real, refuse, spaceless, text, word};
use super::rule::BAR;
use super::{LineParser, Part};
use crate::error::Result;
use rustc_hash::FxHashSet;
use std::fmt::Write as _;
use std::io::Write;

const REMEDY: &str = "a line is 'id ||| words ||| Label= value .. ||| score'; check that it is an n-best list of Moses";
/// The column of what stands behind the score.
const MORE: &str = "more";
/// The property of how labels end: `=` or `:`.
const LABELS: &str = "labels";

#[derive(Debug, Default)]
pub(super) struct NbestReader {
    names: Names,
    list: Vec<Forest>,
    draft: Option<(String, Draft)>,
    done: FxHashSet<String>,
}

impl LineParser for NbestReader {
    fn line(&mut self, _: Part, number: u64, bytes: &[u8]) -> Result<()> {
        let line = Line::new(number, bytes, REMEDY)?;
        if line.text.trim_matches([' ', '\t']).is_empty() {
            return Ok(());
        }
        let mut parts = line.text.split(BAR);
        let field = parts.next().unwrap_or_default();
        let id = field.trim_matches([' ', '\t']);
        if id.is_empty() || id.contains([' ', '\t']) {
            return Err(line.error(field, "the id of a sentence is one word"));
        }
        self.begin_sentence(line, id)?;
        let translation = line.next(&mut parts, "the field of the words")?;
        let features = line.next(&mut parts, "the field of the features")?;
        let score = line.next(&mut parts, "the field of the score")?;
        let Some((_, draft)) = self.draft.as_mut() else {
            return Ok(());
        };
        for token in words(translation) {
            let item = self.names.word(token)?;
            draft.item(item)?;
        }
        read_features(line, features, &mut self.names, draft)?;
        let score = score.trim_matches([' ', '\t']);
        draft.weight(line.number(score, "the score")?)?;
        let edge = draft.end_edge(0)?;
        if let Some(more) = parts.next() {
            let start = more.as_ptr().addr() - line.text.as_ptr().addr();
            let id = self
                .names
                .text(line.text[start..].trim_matches([' ', '\t']))?;
            draft.edge_text(MORE, edge, id)?;
        }
        Ok(())
    }

    fn finish(&mut self, _: u64) -> Result<Forests> {
        self.end_sentence();
        let list = std::mem::take(&mut self.list);
        Ok(std::mem::take(&mut self.names).into_forests(list))
    }
}

impl NbestReader {
    fn begin_sentence(&mut self, line: Line<'_>, id: &str) -> Result<()> {
        if self.draft.as_ref().is_some_and(|(open, _)| open == id) {
            return Ok(());
        }
        self.end_sentence();
        if !self.done.insert(id.to_owned()) {
            let problem = "the lines of a sentence stand together; sort the list by id";
            return Err(line.error(line.text, problem));
        }
        let mut draft = Draft::default();
        draft.property("id", id);
        self.draft = Some((id.to_owned(), draft));
        Ok(())
    }

    fn end_sentence(&mut self) {
        let draft = self.draft.take().map(|(_, draft)| draft.finish(1, 0));
        self.list.extend(draft);
    }
}

fn read_features(line: Line<'_>, field: &str, names: &mut Names, draft: &mut Draft) -> Result<()> {
    let mut tokens = words(field).peekable();
    let mut name = String::new();
    while let Some(token) = tokens.next() {
        let Some(label) = label(token) else {
            return Err(line.error(token, "values stand behind a label 'Label=' or 'Label:'"));
        };
        if token.ends_with(':') && draft.forest.properties.len() < 2 {
            draft.property(LABELS, ":");
        }
        let is_several = {
            let mut ahead = tokens.clone();
            let first = ahead.next().filter(|token| self::label(token).is_none());
            if first.is_none() {
                return Err(line.error(token, "the label has no value"));
            }
            ahead
                .next()
                .is_some_and(|token| self::label(token).is_none())
        };
        let mut position = 0;
        while let Some(value) = tokens.next_if(|token| self::label(token).is_none()) {
            position += 1;
            name.clear();
            name.push_str(label);
            if is_several {
                // Writing to a string does not fail.
                let _ = write!(name, "_{position}");
            }
            let number = line.number(value, "the value of a feature")?;
            let id = names.feature(&name)?;
            if !draft.feature(id, number)? {
                return Err(line.error(token, "a line has a feature twice"));
            }
        }
    }
    Ok(())
}

/// The name in a label.
fn label(token: &str) -> Option<&str> {
    let name = token.strip_suffix(['=', ':'])?;
    (!name.is_empty()).then_some(name)
}

/// Appends the lines of a sentence; `number` is its id, if it has none that is one word. `ids` are those of the sentences before.
///
/// # Errors
/// [`crate::error::Error::Hypergraph`] for a forest that is not flat, has no weights, or has the id of one before.
pub(super) fn write(
    forests: &Forests,
    number: usize,
    ids: &mut FxHashSet<String>,
    out: &mut Vec<u8>,
) -> Result<()> {
    let forest = &forests.list[number];
    let id = forest
        .property("id")
        .filter(|id| is_token(id))
        .map_or_else(|| number.to_string(), str::to_owned);
    if !ids.insert(id.clone()) {
        let problem = "a list tells sentences apart by their ids, or by their numbers from 0 where they have none; give each its own";
        return Err(refuse(
            format!("sentence {number}"),
            problem,
            &format!("the id {id} again"),
        ));
    }
    let end = if forest.property(LABELS) == Some(":") {
        ':'
    } else {
        '='
    };
    let Some(weights) = &forest.weights else {
        let problem = "a list needs the score of each translation; give the forest weights first";
        return Err(refuse("the forest".to_owned(), problem, "no weights"));
    };
    for (edge, &weight) in weights.iter().enumerate() {
        if !forest.tail(edge).is_empty() || forest.heads[edge] != forest.root {
            let problem = "an n-best list holds flat forests; take the k best derivations first";
            return Err(refuse(
                format!("edge {edge}"),
                problem,
                "an edge between nodes",
            ));
        }
        // Writing to a vector does not fail.
        let _ = write!(out, "{id} {BAR} ");
        for item in forest.items(edge) {
            if let Item::Word(id) = item {
                let token = spaceless(word(forests, id), edge, "a word")?;
                let _ = write!(out, "{token} ");
            }
        }
        let _ = write!(out, "{BAR}");
        write_features(forests, forest, edge, end, out)?;
        let _ = write!(out, " {BAR} ");
        if !weight.is_finite() {
            let problem = "a list has no score of a weight of zero; remove the edge";
            return Err(refuse(format!("edge {edge}"), problem, "the weight 0"));
        }
        real(out, weight);
        if let Some(more) = text(forests, forest.edge_texts(MORE), edge) {
            let _ = write!(out, " {BAR} {more}");
        }
        out.push(b'\n');
    }
    Ok(())
}

/// Features, where `Label_1`, `Label_2` .. in a row become one label.
fn write_features(
    forests: &Forests,
    forest: &Forest,
    edge: usize,
    end: char,
    out: &mut Vec<u8>,
) -> Result<()> {
    let all: Vec<(u32, f64)> = forest.features(edge).collect();
    let mut at = 0;
    while at < all.len() {
        let name = feature(forests, all[at].0);
        let base = name.strip_suffix("_1");
        let length = base.map_or(1, |base| {
            let is_next = |(n, &(id, _)): (usize, &(u32, f64))| {
                let digits = feature(forests, id)
                    .strip_prefix(base)
                    .and_then(|rest| rest.strip_prefix('_'));
                digits.is_some_and(|digits| digits == (n + 1).to_string())
            };
            all[at..]
                .iter()
                .enumerate()
                .take_while(|&(n, pair)| is_next((n, pair)))
                .count()
        });
        let shown = if length > 1 {
            base.unwrap_or(name)
        } else {
            name
        };
        let shown = spaceless(shown, edge, "the name of a feature")?;
        let _ = write!(out, " {shown}{end}");
        for &(_, value) in &all[at..at + length] {
            out.push(b' ');
            real(out, value);
        }
        at += length;
    }
    Ok(())
}
