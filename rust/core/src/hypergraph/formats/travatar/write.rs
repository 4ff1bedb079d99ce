//! From forests to JSON.

use super::super::super::forest::{Forest, Forests, Item, NO_INTEGER};
use super::super::super::structure::index;
use super::super::cdec::{CATEGORY, json};
use super::super::output::{Order, feature, number, real, refuse, text, word};
use super::{SPAN, TARGET_SPAN, WORDS};
use crate::error::Result;
use std::io::Write;

/// Appends a forest as a line. The root becomes node 0; the other nodes keep their order.
///
/// # Errors
/// [`crate::error::Error::Hypergraph`] for a node without edges, which the format takes as a word, and for a weight of zero.
pub fn write(forests: &Forests, forest: &Forest, out: &mut Vec<u8>) -> Result<()> {
    Order::refuse_dead_nodes(forest)?;
    let root = forest.root;
    // Places of nodes in the file.
    let place = |node: u32| match node {
        node if node == root => 0,
        node if node < root => node + 1,
        node => node,
    };
    let terminals = terminals(forest);
    let last = u32::try_from(forest.nodes).unwrap_or(u32::MAX);
    let others = (0..last).filter(|&node| node != root);
    out.extend_from_slice(b"{\"nodes\": [");
    for node in [root].into_iter().chain(others) {
        let at = index(node);
        separate(out, place(node) > 0);
        // Writing to a vector does not fail.
        let _ = write!(out, "{{\"id\": {}, \"sym\": ", place(node));
        let category = text(forests, forest.node_texts(CATEGORY), at).unwrap_or("X");
        json(out, terminals[at].map_or(category, |id| word(forests, id)));
        for (key, column) in [("span", SPAN), ("trg_span", TARGET_SPAN)] {
            let span = forest
                .node_integers(column, 2)
                .map(|all| [all[2 * at], all[2 * at + 1]]);
            if let Some([from, to]) = span.filter(|span| !span.contains(&NO_INTEGER)) {
                let _ = write!(out, ", \"{key}\": [{from}, {to}]");
            }
        }
        out.push(b'}');
    }
    out.extend_from_slice(b"], \"edges\": [");
    let mut written = 0;
    for edge in 0..forest.edges() {
        if terminals[index(forest.heads[edge])].is_some() {
            continue;
        }
        separate(out, written > 0);
        let _ = write!(
            out,
            "{{\"id\": {written}, \"head\": {}, \"tails\": [",
            place(forest.heads[edge])
        );
        written += 1;
        for (n, &node) in forest.tail(edge).iter().enumerate() {
            separate(out, n > 0);
            let _ = write!(out, "{}", place(node));
        }
        out.push(b']');
        rest_of_edge(forests, forest, edge, out)?;
        out.push(b'}');
    }
    out.extend_from_slice(b"], \"words\": [");
    for (n, word) in
        super::super::line::words(forest.property(WORDS).unwrap_or_default()).enumerate()
    {
        separate(out, n > 0);
        json(out, word);
    }
    out.extend_from_slice(b"]}\n");
    Ok(())
}

/// For each node that is nothing but a word, that word.
fn terminals(forest: &Forest) -> Vec<Option<u32>> {
    let mut counts = vec![0_u32; forest.nodes];
    for &head in &forest.heads {
        counts[index(head)] = counts[index(head)].saturating_add(1);
    }
    let mut terminals = vec![None; forest.nodes];
    for &edge in &forest.axioms {
        let edge = index(edge);
        let mut items = forest.items(edge);
        let head = index(forest.heads[edge]);
        let weight = forest.weights.as_ref().map_or(0.0, |weights| weights[edge]);
        let is_bare = counts[head] == 1 && forest.features(edge).len() == 0 && weight == 0.0;
        if let (true, 1, Some(Item::Word(id))) = (is_bare, items.len(), items.next()) {
            terminals[head] = Some(id);
        }
    }
    terminals
}

fn rest_of_edge(forests: &Forests, forest: &Forest, edge: usize, out: &mut Vec<u8>) -> Result<()> {
    if forest.items(edge).len() > 0 {
        out.extend_from_slice(b", \"trg\": [{\"label\": -1, \"words\": [");
        for (n, item) in forest.items(edge).enumerate() {
            separate(out, n > 0);
            match item {
                Item::Word(id) => json(out, word(forests, id)),
                Item::Tail(k) => {
                    out.push(b'-');
                    number(out, k + 1);
                }
            }
        }
        out.extend_from_slice(b"]}]");
    }
    if forest.features(edge).len() > 0 {
        out.extend_from_slice(b", \"features\": {");
        for (n, (id, value)) in forest.features(edge).enumerate() {
            separate(out, n > 0);
            json(out, feature(forests, id));
            out.extend_from_slice(b": ");
            real(out, value);
        }
        out.push(b'}');
    }
    let weight = forest.weights.as_ref().map_or(0.0, |weights| weights[edge]);
    if !weight.is_finite() {
        return Err(refuse(
            format!("edge {edge}"),
            "JSON has no weight of zero; remove the edge",
            "the weight 0",
        ));
    }
    if weight != 0.0 {
        out.extend_from_slice(b", \"score\": ");
        real(out, weight);
    }
    Ok(())
}

fn separate(out: &mut Vec<u8>, is_next: bool) {
    if is_next {
        out.extend_from_slice(b", ");
    }
}
