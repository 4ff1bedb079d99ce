//! Hypergraphs of Moses' search graphs, and the target graphs of lazy and cdec, which are the same without the third field.
//!
//! `V E`, then for each vertex the number of its edges, and a line for each: `word [vertex] word ||| Name=value ... ||| covered`. A vertex in brackets
//! stands before; the k-th one is the k-th tail, in the order of the *target*. The last vertex is the root.

use super::super::forest::{Forest, Forests, Item, NO_INTEGER};
use super::super::structure::index;
use super::draft::{Draft, Names, variable};
use super::line::{Line, cut_short, words};
use super::output::{
    Axioms, Order, feature, number, real, refuse, refuse_weights, spaceless, word,
};
use super::rule::BAR;
use super::{LineParser, Part};
use crate::error::Result;
use std::io::Write;

const HEADER: &str = "# target ||| features ||| source-covered";
const REMEDY: &str =
    "check that it is a hypergraph of Moses or lazy, and make or copy the file again";
/// The column of how many source words are covered.
const COVERED: &str = "source_covered";

#[derive(Debug, Default)]
pub(super) struct MosesReader {
    names: Names,
    draft: Draft,
    /// Vertices and edges that the file announces.
    announced: Option<(u64, u64)>,
    nodes: u32,
    /// Edges of the vertex at hand that are to come.
    open: u64,
}

impl LineParser for MosesReader {
    fn line(&mut self, _: Part, number: u64, bytes: &[u8]) -> Result<()> {
        let line = Line::new(number, bytes, REMEDY)?;
        if self.open > 0 {
            self.open -= 1;
            return self.edge(line);
        }
        if line.text.starts_with('#') || line.fields().next().is_none() {
            return Ok(());
        }
        let mut fields = line.fields();
        let first = line.next(&mut fields, "a number")?;
        let Some((vertices, _)) = self.announced else {
            let vertices = line.whole(first, "the number of vertices")?;
            let edges = line.next(&mut fields, "the number of edges")?;
            let edges = line.whole(edges, "the number of edges")?;
            line.end(&mut fields)?;
            self.announced = Some((vertices, edges));
            return Ok(());
        };
        if u64::from(self.nodes) >= vertices || self.nodes >= u32::MAX - 1 {
            let problem = format!("there should be {vertices} vertices and no more");
            return Err(line.error(first, &problem));
        }
        self.open = line.whole(first, "the number of edges of a vertex")?;
        line.end(&mut fields)?;
        self.nodes += 1;
        Ok(())
    }

    fn finish(&mut self, lines: u64) -> Result<Forests> {
        let edges = u64::try_from(self.draft.edges()).unwrap_or(u64::MAX);
        let Some((vertices, announced)) = self.announced else {
            return Err(cut_short(
                lines,
                "expected the numbers of vertices and edges",
                REMEDY,
            ));
        };
        if self.open > 0 || u64::from(self.nodes) < vertices || edges != announced {
            let problem = format!(
                "the file announces {vertices} vertices and {announced} edges; it has {} and {edges}",
                self.nodes
            );
            return Err(cut_short(lines, &problem, REMEDY));
        }
        let nodes = index(self.nodes).max(1);
        let forest = std::mem::take(&mut self.draft).finish(nodes, self.nodes.saturating_sub(1));
        Ok(std::mem::take(&mut self.names).into_forests(vec![forest]))
    }
}

impl MosesReader {
    fn edge(&mut self, line: Line<'_>) -> Result<()> {
        let head = self.nodes - 1;
        let mut parts = line.text.split(BAR);
        let target = parts.next().unwrap_or_default();
        for token in words(target) {
            match vertex(token) {
                None => {
                    let item = self.names.word(token)?;
                    self.draft.item(item)?;
                }
                Some(digits) => {
                    let node = digits.parse().ok().filter(|&node: &u32| node < head);
                    let Some(node) = node else {
                        let problem = format!("an edge of vertex {head} needs vertices below it");
                        return Err(line.error(token, &problem));
                    };
                    let item = variable(self.draft.arity());
                    self.draft.tail(node)?;
                    self.draft.item(item)?;
                }
            }
        }
        let features = line.next(&mut parts, "the field of the features")?;
        for token in words(features) {
            let pair = token.rsplit_once('=').filter(|pair| !pair.0.is_empty());
            let Some((name, value)) = pair else {
                return Err(line.error(token, "a feature is written Name=value"));
            };
            let value = line.number(value, "the value of a feature")?;
            let id = self.names.feature(name)?;
            if !self.draft.feature(id, value)? {
                return Err(line.error(token, "an edge has a feature twice"));
            }
        }
        let covered = parts.next().map(|field| field.trim_matches([' ', '\t']));
        line.end(&mut parts)?;
        let edge = self.draft.end_edge(head)?;
        if let Some(covered) = covered.filter(|covered| !covered.is_empty()) {
            let covered = line.whole(covered, "the number of covered words")?;
            self.draft.edge_integers(COVERED, edge, &[covered])?;
        }
        Ok(())
    }
}

/// The digits of `[12]`.
fn vertex(token: &str) -> Option<&str> {
    let digits = token.strip_prefix('[')?.strip_suffix(']')?;
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then_some(digits)
}

/// Appends a forest; `has_covered` for the third field, which is Moses'.
///
/// # Errors
/// [`crate::error::Error::Hypergraph`] for a forest with a cycle, with weights, with its root in a tail, with a yield that leaves out or reorders parts of the
/// tail in a way the format cannot say, and for words and names that the format cannot hold.
pub(super) fn write(
    forests: &Forests,
    forest: &Forest,
    has_covered: bool,
    out: &mut Vec<u8>,
) -> Result<()> {
    refuse_weights(forest, "this format")?;
    let order = Order::tails_first(forest, Axioms::Written)?;
    if has_covered {
        out.extend_from_slice(HEADER.as_bytes());
        out.push(b'\n');
    }
    // Writing to a vector does not fail.
    let _ = writeln!(out, "{} {}", forest.nodes, order.edges());
    let covered = forest.edge_integers(COVERED, 1);
    for (place, &node) in order.nodes.iter().enumerate() {
        let edges = order.edges_into(node);
        if has_covered {
            let _ = writeln!(out, "# node {place}");
        }
        let _ = writeln!(out, "{}", edges.len());
        for &edge in edges {
            let edge = index(edge);
            target(forests, forest, edge, &order, out)?;
            out.extend_from_slice(b"|||");
            for (id, value) in forest.features(edge) {
                let name = spaceless(feature(forests, id), edge, "the name of a feature")?;
                let _ = write!(out, " {name}=");
                real(out, value);
            }
            if has_covered {
                let count = covered.map_or(0, |all| all[edge]);
                let _ = write!(out, " ||| {}", if count == NO_INTEGER { 0 } else { count });
            }
            out.push(b'\n');
        }
    }
    Ok(())
}

fn target(
    forests: &Forests,
    forest: &Forest,
    edge: usize,
    order: &Order,
    out: &mut Vec<u8>,
) -> Result<()> {
    let tail = forest.tail(edge);
    if forest.items(edge).len() == 0 {
        for &node in tail {
            push_vertex(order.place(node), out);
        }
        return Ok(());
    }
    let mut used = vec![false; tail.len()];
    for item in forest.items(edge) {
        match item {
            Item::Tail(k) if !std::mem::replace(&mut used[k], true) => {
                push_vertex(order.place(tail[k]), out);
            }
            Item::Tail(k) => return Err(not_once(edge, k)),
            Item::Word(id) => {
                let token = spaceless(word(forests, id), edge, "a word")?;
                if vertex(token).is_some() {
                    let problem =
                        "a word in brackets is a vertex in this format; rename it or choose plait";
                    return Err(refuse(
                        format!("edge {edge}"),
                        problem,
                        &format!("{token:?}"),
                    ));
                }
                out.extend_from_slice(token.as_bytes());
                out.push(b' ');
            }
        }
    }
    match used.iter().position(|used| !used) {
        Some(k) => Err(not_once(edge, k)),
        None => Ok(()),
    }
}

fn push_vertex(place: usize, out: &mut Vec<u8>) {
    out.push(b'[');
    number(out, place);
    out.extend_from_slice(b"] ");
}

fn not_once(edge: usize, position: usize) -> crate::error::Error {
    let problem = "the yield has each node of the tail once, in this format; choose cdec or plait";
    refuse(
        format!("edge {edge}"),
        problem,
        &format!("another number of times tail node {}", position + 1),
    )
}
