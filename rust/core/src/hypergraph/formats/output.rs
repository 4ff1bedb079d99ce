//! What all writers need: the order of nodes, numbers, texts.

use super::super::forest::{Forest, Forests, NO_TEXT};
use super::super::structure::index;
use crate::error::{Error, Result};
use crate::ids::WordId;
use crate::numeric::to_u64;
use crate::text::table::NumberFormat;
use std::io::Write;

/// The nodes and edges of a forest in the order of a file that lists tails before heads and ends with the root.
///
/// Axioms that say nothing but that their node is given are left out.
pub(super) struct Order {
    /// Numbers of nodes.
    pub nodes: Vec<u32>,
    places: Vec<usize>,
    starts: Vec<usize>,
    edges: Vec<u32>,
}

/// What becomes of axioms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Axioms {
    /// The format takes a node without edges as given.
    Implied,
    /// The format has edges without tail.
    Written,
}

impl Order {
    /// The order of the graph, with the root moved to the end.
    pub fn tails_first(forest: &Forest, axioms: Axioms) -> Result<Self> {
        let graph = forest.graph()?;
        graph.refuse_cycles("the format has no cycles; choose openfst, or remove an edge")?;
        let root = graph.root();
        if root + 1 < graph.nodes() && forest.tails.contains(&forest.root) {
            return Err(refuse(
                format!("node {}", forest.root),
                "the format ends with the root, which must be in no tail; keep what the root derives only",
                "the root in a tail",
            ));
        }
        let mut order = Self {
            nodes: Vec::with_capacity(graph.nodes()),
            places: vec![0; graph.nodes()],
            starts: vec![0],
            edges: Vec::with_capacity(graph.edges()),
        };
        for place in (0..graph.nodes())
            .filter(|&place| place != root)
            .chain([root])
        {
            let node = graph.node_number(place);
            order.places[index(node)] = order.nodes.len();
            order.nodes.push(node);
            let row = graph.edges_into(place);
            let is_only = row.len() == 1;
            for edge in row {
                let edge = graph.edge_number(edge);
                if axioms == Axioms::Written || !is_only || !is_bare_axiom(forest, index(edge)) {
                    order.edges.push(edge);
                }
            }
            order.starts.push(order.edges.len());
        }
        Ok(order)
    }

    /// The numbers of the edges into a node that are to be written.
    pub fn edges_into(&self, node: u32) -> &[u32] {
        let place = self.place(node);
        &self.edges[self.starts[place]..self.starts[place + 1]]
    }

    /// Where the node stands in the file, from 0.
    pub fn place(&self, node: u32) -> usize {
        self.places[index(node)]
    }

    /// How many edges are written.
    pub fn edges(&self) -> usize {
        self.edges.len()
    }

    /// Refuses nodes without edges, which the format takes as given. A root alone is a forest without derivations.
    pub fn refuse_dead_nodes(forest: &Forest) -> Result<()> {
        let mut has_edges = vec![false; forest.nodes];
        for &head in &forest.heads {
            has_edges[index(head)] = true;
        }
        match has_edges.iter().position(|has_edges| !has_edges) {
            Some(node) => Err(refuse(
                format!("node {node}"),
                "the format takes a node without edges as given; remove nodes without derivations first",
                "a node without edges",
            )),
            None => Ok(()),
        }
    }
}

/// Whether an edge is an axiom without features, words or weight.
pub(super) fn is_bare_axiom(forest: &Forest, edge: usize) -> bool {
    let weight = forest.weights.as_ref().map_or(0.0, |weights| weights[edge]);
    forest.is_axiom(edge)
        && forest.features(edge).len() == 0
        && forest.items(edge).len() == 0
        && weight == 0.0
}

/// The error of a writer.
pub(super) fn refuse(place: String, problem: &str, found: &str) -> Error {
    Error::Hypergraph {
        place,
        problem: problem.to_owned(),
        found: found.to_owned(),
    }
}

/// Formats of features alone do not take weights.
pub(super) fn refuse_weights(forest: &Forest, format: &str) -> Result<()> {
    if forest.weights.is_none() {
        return Ok(());
    }
    let problem = format!(
        "{format} has features and no weights; make them a feature (with_weights_as), or leave them out"
    );
    Err(refuse(
        "the weights".to_owned(),
        &problem,
        "weights of edges",
    ))
}

/// The text of a row of a column.
pub(super) fn text<'a>(
    forests: &'a Forests,
    column: Option<&[u32]>,
    row: usize,
) -> Option<&'a str> {
    match column?[row] {
        NO_TEXT => None,
        id => forests.texts.word(WordId::from_u32(id)),
    }
}

/// A word of a yield. Ids were checked.
pub(super) fn word(forests: &Forests, id: u32) -> &str {
    forests.words.word(WordId::from_u32(id)).unwrap_or_default()
}

/// The name of a feature. Ids were checked.
pub(super) fn feature(forests: &Forests, id: u32) -> &str {
    forests
        .features
        .word(WordId::from_u32(id))
        .unwrap_or_default()
}

/// Whether a text can stand between spaces and bars.
pub(super) fn is_token(text: &str) -> bool {
    !text.is_empty() && !text.contains([' ', '\t', '\n', '\r']) && !text.contains(super::rule::BAR)
}

/// A text of an edge that can stand between spaces and bars, or the error.
pub(super) fn spaceless<'a>(text: &'a str, edge: usize, what: &str) -> Result<&'a str> {
    if is_token(text) {
        return Ok(text);
    }
    let problem = format!(
        "{what} must not be empty or have white space or a bar ||| in it, in this format; rename it or choose plait"
    );
    Err(refuse(
        format!("edge {edge}"),
        &problem,
        &format!("{text:?}"),
    ))
}

/// A text that can stand in a line, or the error.
pub(super) fn one_line<'a>(text: &'a str, place: &str) -> Result<&'a str> {
    if !text.contains(['\n', '\r']) {
        return Ok(text);
    }
    let problem = "a text must not have line ends in it, in this format; rename it or choose plait";
    Err(refuse(place.to_owned(), problem, &format!("{text:?}")))
}

/// A whole number.
pub(super) fn number(out: &mut Vec<u8>, value: usize) {
    // Writing to a vector does not fail.
    let _ = write!(out, "{}", to_u64(value));
}

/// A finite number that reads back as the same double.
pub(super) fn real(out: &mut Vec<u8>, value: f64) {
    crate::text::table::number::push(out, value, NumberFormat::Shortest);
}
