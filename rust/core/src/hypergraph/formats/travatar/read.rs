//! From JSON to forests.

use super::super::super::forest::{Forest, Forests};
use super::super::super::structure::index;
use super::super::cdec::{CATEGORY, offset, text_error};
use super::super::draft::{Draft, Names, variable};
use super::{SPAN, TARGET_SPAN, WORDS};
use crate::error::{Error, Result};
use crate::numeric::to_u64;
use crate::text::decode::quote;
use crate::text::lines::reserve;
use serde::Deserialize;
use serde::de::{self, MapAccess, Visitor};
use std::fmt;

const REMEDY: &str = "check that it is a forest of Travatar, and make or copy the file again";

/// Reads forests of Travatar. JSON is parsed when all of it is there: memory for the bytes of the file and its forests.
#[derive(Debug, Default)]
pub struct TravatarReader {
    bytes: Vec<u8>,
}

#[derive(Deserialize)]
struct Parsed {
    nodes: Vec<Node>,
    edges: Vec<Edge>,
    #[serde(default)]
    words: Vec<String>,
}

#[derive(Deserialize)]
struct Node {
    id: u32,
    sym: String,
    span: Option<[i64; 2]>,
    trg_span: Option<[i64; 2]>,
}

#[derive(Deserialize)]
struct Edge {
    head: u32,
    #[serde(default)]
    tails: Vec<u32>,
    #[serde(default)]
    trg: Vec<Target>,
    #[serde(default)]
    features: Features,
    score: Option<f64>,
}

#[derive(Deserialize)]
struct Target {
    words: Vec<Token>,
}

/// A word, or the tail node -1, -2 and so on.
#[derive(Deserialize)]
#[serde(untagged)]
enum Token {
    Word(String),
    Tail(i64),
}

/// Names and values, in order.
#[derive(Default)]
struct Features(Vec<(String, f64)>);

impl<'de> Deserialize<'de> for Features {
    fn deserialize<D: de::Deserializer<'de>>(json: D) -> std::result::Result<Self, D::Error> {
        struct Pairs;
        impl<'de> Visitor<'de> for Pairs {
            type Value = Features;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("names and values of features")
            }
            fn visit_map<A: MapAccess<'de>>(
                self,
                mut map: A,
            ) -> std::result::Result<Features, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(Features(pairs))
            }
        }
        json.deserialize_map(Pairs)
    }
}

impl TravatarReader {
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
        let mut stream = serde_json::Deserializer::from_slice(bytes).into_iter::<Parsed>();
        let (mut line, mut counted) = (1, 0);
        loop {
            let rest = &bytes[stream.byte_offset()..];
            let start = bytes.len() - rest.trim_ascii_start().len();
            let Some(parsed) = stream.next() else { break };
            let parsed = parsed.map_err(|problem| {
                let text = problem.to_string();
                let what = text
                    .rsplit_once(" at line ")
                    .map_or(text.as_str(), |parts| parts.0);
                text_error(bytes, offset(bytes, &problem), format!("{what}; {REMEDY}"))
            })?;
            // Counted on from the last forest: linear for the whole file.
            line += bytes[counted..start].split(|&byte| byte == b'\n').count() - 1;
            counted = start;
            list.push(forest(parsed, &mut names, to_u64(line))?);
        }
        if list.is_empty() {
            return Err(refuse(
                1,
                "expected a forest as a JSON object",
                "the end of the file".to_owned(),
            ));
        }
        Ok(names.into_forests(list))
    }
}

/// The error of a forest that begins in a line.
fn refuse(line: u64, problem: &str, found: String) -> Error {
    Error::Text {
        line,
        column: 1,
        problem: format!("{problem}; {REMEDY}"),
        found,
    }
}

fn forest(parsed: Parsed, names: &mut Names, line: u64) -> Result<Forest> {
    let mut draft = Draft::default();
    if !parsed.words.is_empty() {
        draft.property(WORDS, &parsed.words.join(" "));
    }
    let count = parsed.nodes.len();
    let mut symbols: Vec<Option<String>> = vec![None; count];
    for node in parsed.nodes {
        let at = index(node.id);
        if symbols.get(at).is_none_or(Option::is_some) {
            let problem = format!("the {count} nodes must have the ids from 0, each once");
            return Err(refuse(line, &problem, format!("the id {}", node.id)));
        }
        let category = names.text(&node.sym)?;
        draft.node_text(CATEGORY, at, category)?;
        for (column, span) in [(SPAN, node.span), (TARGET_SPAN, node.trg_span)] {
            if let Some(span) = span {
                draft.node_integers(column, at, &span)?;
            }
        }
        symbols[at] = Some(node.sym);
    }
    let mut has_edges = vec![false; count];
    for (number, edge) in parsed.edges.iter().enumerate() {
        let named = edge.tails.iter().chain([&edge.head]);
        if let Some(node) = named.copied().find(|&node| index(node) >= count) {
            let problem = format!("edge {number} must name nodes below {count}");
            return Err(refuse(line, &problem, format!("node {node}")));
        }
        has_edges[index(edge.head)] = true;
        read_edge(edge, number, names, &mut draft, line)?;
    }
    for (node, symbol) in symbols.into_iter().enumerate() {
        if !has_edges[node] {
            let item = names.word(&symbol.unwrap_or_default())?;
            draft.item(item)?;
            draft.axiom(u32::try_from(node).unwrap_or(u32::MAX))?;
        }
    }
    Ok(draft.finish(count.max(1), 0))
}

fn read_edge(
    edge: &Edge,
    number: usize,
    names: &mut Names,
    draft: &mut Draft,
    line: u64,
) -> Result<()> {
    for &node in &edge.tails {
        draft.tail(node)?;
    }
    for token in edge.trg.first().map_or(&[][..], |target| &target.words) {
        let item = match token {
            Token::Word(word) => names.word(word)?,
            // A rule whose variables were not filled in; Travatar writes them x0, x1 and so on.
            &Token::Tail(tail) if edge.tails.is_empty() && tail < 0 => {
                names.word(&format!("x{}", -1 - tail.max(-i64::from(u32::MAX))))?
            }
            &Token::Tail(tail) => {
                let position = usize::try_from(-1 - tail.clamp(-i64::from(u32::MAX), 0)).ok();
                let Some(position) = position.filter(|&k| k < edge.tails.len()) else {
                    let problem = format!(
                        "edge {number} has {} tail nodes, -1 and so on",
                        edge.tails.len()
                    );
                    return Err(refuse(line, &problem, tail.to_string()));
                };
                variable(position)
            }
        };
        draft.item(item)?;
    }
    for (name, value) in &edge.features.0 {
        let id = names.feature(name)?;
        if !draft.feature(id, *value)? {
            return Err(refuse(
                line,
                &format!("edge {number} has a feature twice"),
                quote(name),
            ));
        }
    }
    if edge.score.is_some() || draft.last_weight().is_some() {
        draft.weight(edge.score.unwrap_or(0.0))?;
    }
    draft.end_edge(edge.head)?;
    Ok(())
}
