//! From forests to JSON.

use super::super::super::forest::{Forest, Forests, Item, NO_INTEGER, NO_TEXT};
use super::super::super::structure::index;
use super::super::output::{
    Axioms, Order, is_token, number, refuse, refuse_weights, spaceless, text, word,
};
use super::super::rule::{BAR, position};
use super::{CATEGORY, HASH, RULE, SPANS};
use crate::error::Result;
use rustc_hash::FxHashMap;
use std::fmt::Write as _;
use std::io::Write as _;

/// Appends a forest as one line.
///
/// # Errors
/// [`crate::error::Error::Hypergraph`] for a forest with a cycle, with weights, with its root in a tail, or with a node that has no derivation.
pub fn write(forests: &Forests, forest: &Forest, out: &mut Vec<u8>) -> Result<()> {
    refuse_weights(forest, "cdec's JSON")?;
    let order = Order::tails_first(forest, Axioms::Implied)?;
    Order::refuse_dead_nodes(forest)?;
    let rules = Rules::of(forests, forest, &order)?;
    out.extend_from_slice(b"{\"rules\":[");
    for (n, rule) in rules.texts.iter().enumerate() {
        if n > 0 {
            out.push(b',');
        }
        number(out, n + 1);
        out.push(b',');
        json(out, rule);
    }
    out.extend_from_slice(b"],\"features\":[");
    for (n, name) in forests.features.words().enumerate() {
        if n > 0 {
            out.push(b',');
        }
        json(out, name);
    }
    out.push(b']');
    let mut written = 0;
    let mut rule_numbers = rules.numbers.iter();
    for &node in &order.nodes {
        out.extend_from_slice(b",\"edges\":[");
        let first = written;
        for &edge in order.edges_into(node) {
            if written > first {
                out.push(b',');
            }
            written += 1;
            write_edge(forest, index(edge), &order, rule_numbers.next(), out);
        }
        out.extend_from_slice(b"],\"node\":{\"in_edges\":[");
        for edge in first..written {
            if edge > first {
                out.push(b',');
            }
            number(out, edge);
        }
        out.push(b']');
        for (key, column) in [("cat", CATEGORY), ("node_hash", HASH)] {
            if let Some(value) = text(forests, forest.node_texts(column), index(node)) {
                out.extend_from_slice(b",\"");
                out.extend_from_slice(key.as_bytes());
                out.extend_from_slice(b"\":");
                json(out, value);
            }
        }
        out.push(b'}');
    }
    out.extend_from_slice(b"}\n");
    Ok(())
}

fn write_edge(
    forest: &Forest,
    edge: usize,
    order: &Order,
    rule: Option<&usize>,
    out: &mut Vec<u8>,
) {
    out.extend_from_slice(b"{\"tail\":[");
    for (n, &node) in forest.tail(edge).iter().enumerate() {
        if n > 0 {
            out.push(b',');
        }
        number(out, order.place(node));
    }
    out.push(b']');
    let spans = forest
        .edge_integers(SPANS, 4)
        .map(|all| &all[4 * edge..4 * edge + 4]);
    if let Some(spans) = spans.filter(|spans| !spans.contains(&NO_INTEGER)) {
        let [a, b, c, d] = [spans[0], spans[1], spans[2], spans[3]];
        // Writing to a vector does not fail.
        let _ = write!(out, ",\"spans\":[{a},{b},{c},{d}]");
    }
    out.extend_from_slice(b",\"feats\":[");
    for (n, (id, value)) in forest.features(edge).enumerate() {
        if n > 0 {
            out.push(b',');
        }
        let _ = write!(out, "{id},");
        super::super::output::real(out, value);
    }
    out.push(b']');
    if let Some(rule) = rule.filter(|&&rule| rule > 0) {
        let _ = write!(out, ",\"rule\":{rule}");
    }
    out.push(b'}');
}

/// The rules of the edges, in the order of writing.
struct Rules {
    texts: Vec<String>,
    /// One more than the index of the rule of each edge; 0 for none.
    numbers: Vec<usize>,
}

impl Rules {
    fn of(forests: &Forests, forest: &Forest, order: &Order) -> Result<Self> {
        let column = forest.edge_texts(RULE);
        let mut known: FxHashMap<String, usize> = FxHashMap::default();
        let mut by_id: FxHashMap<u32, usize> = FxHashMap::default();
        let mut rules = Self {
            texts: Vec::new(),
            numbers: Vec::with_capacity(forest.edges()),
        };
        for &node in &order.nodes {
            for &edge in order.edges_into(node) {
                let edge = index(edge);
                let id = column.map_or(NO_TEXT, |ids| ids[edge]);
                if let Some(&number) = by_id.get(&id) {
                    rules.numbers.push(number);
                    continue;
                }
                let rule = match text(forests, column, edge) {
                    Some(rule) => Some(rule.to_owned()),
                    None if forest.items(edge).len() > 0 => Some(made_rule(forests, forest, edge)?),
                    None => None,
                };
                let number = rule.map_or(0, |rule| {
                    *known.entry(rule).or_insert_with_key(|rule| {
                        rules.texts.push(rule.clone());
                        rules.texts.len()
                    })
                });
                if id != NO_TEXT {
                    by_id.insert(id, number);
                }
                rules.numbers.push(number);
            }
        }
        Ok(rules)
    }
}

/// A rule that yields what the edge yields; its source side is the tail in order, and so is the target side where the edge has no items.
///
/// # Errors
/// [`crate::error::Error::Hypergraph`] for a word that would be read as something else.
pub(in super::super) fn made_rule(
    forests: &Forests,
    forest: &Forest,
    edge: usize,
) -> Result<String> {
    let category = |node: u32| {
        let category = text(forests, forest.node_texts(CATEGORY), index(node));
        category
            .filter(|category| is_token(category))
            .unwrap_or("X")
    };
    let mut rule = format!("[{}] {BAR}", category(forest.heads[edge]));
    let tail = forest.tail(edge);
    // Writing to a string does not fail.
    for (n, &node) in (1..).zip(tail) {
        let _ = write!(rule, " [{},{n}]", category(node));
    }
    let _ = write!(rule, " {BAR}");
    for item in forest.items(edge) {
        match item {
            Item::Tail(k) => {
                let _ = write!(rule, " [{}]", k + 1);
            }
            Item::Word(id) => {
                let word = spaceless(word(forests, id), edge, "a word")?;
                if position(word).is_some() {
                    let problem = "a word in brackets is a node of the tail in this format; rename it or choose plait";
                    return Err(refuse(
                        format!("edge {edge}"),
                        problem,
                        &format!("{word:?}"),
                    ));
                }
                let _ = write!(rule, " {word}");
            }
        }
    }
    if forest.items(edge).len() == 0 {
        for n in 1..=tail.len() {
            let _ = write!(rule, " [{n}]");
        }
    }
    Ok(rule)
}

/// A text as JSON.
pub(in super::super) fn json(out: &mut Vec<u8>, text: &str) {
    // A text is always JSON, and writing to a vector does not fail.
    let _ = serde_json::to_writer(out, text);
}
