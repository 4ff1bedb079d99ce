//! Derivations as sequences of edges.

use super::inside::POLLED;
use super::structure::{Hypergraph, index};
use crate::cancel::CancelToken;
use crate::error::{Error, Result};

/// The most edges of a derivation that is written out, 1 GiB of them. Where tails have the same node twice, a small forest can have derivations of any size.
pub(super) const LARGEST: usize = 1 << 28;

/// One derivation and its weight.
#[derive(Debug, Clone, PartialEq)]
pub struct Derivation {
    /// Its edges, by place, in prefix order: an edge, then the derivations of its tail from left to right.
    pub edges: Vec<u32>,
    /// The natural logarithm of its weight, the sum over the edges.
    pub weight: f64,
}

impl Derivation {
    /// The caller's numbers of the edges, in prefix order.
    #[must_use]
    pub fn edge_numbers(&self, graph: &Hypergraph) -> Vec<u32> {
        let edges = self.edges.iter();
        edges.map(|&e| graph.edge_number(index(e))).collect()
    }
}

/// Writes a derivation out in prefix order, without recursion.
///
/// `expand` gives the edge of an item and puts the items of its tail, from left to right, on the stack.
pub(super) fn unfold<T>(
    top: T,
    cancel: &CancelToken,
    mut expand: impl FnMut(T, &mut Vec<T>) -> u32,
) -> Result<Vec<u32>> {
    let mut edges = Vec::new();
    let mut waiting = vec![top];
    while let Some(item) = waiting.pop() {
        if edges.len() % POLLED == 0 {
            cancel.check()?;
            if edges.len() >= LARGEST {
                return Err(too_large());
            }
        }
        let tail = waiting.len();
        edges.push(expand(item, &mut waiting));
        waiting[tail..].reverse();
    }
    Ok(edges)
}

pub(super) fn too_large() -> Error {
    Error::TooLarge {
        what: "the number of edges of a derivation",
        limit: LARGEST as u64,
    }
}

/// Where the derivations of the tails of a derivation's edges begin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Shape {
    /// Row p of `positions`.
    starts: Vec<u32>,
    /// The position of the derivation of each tail node.
    positions: Vec<u32>,
}

impl Shape {
    /// Checks that edges, by place, are a derivation in prefix order. O(edges log nodes).
    pub(super) fn new(graph: &Hypergraph, edges: &[u32]) -> Result<Self> {
        if edges.len() > LARGEST {
            return Err(too_large());
        }
        let wrong = |position: usize, problem: &str| Error::Hypergraph {
            place: format!("edge {position} of the derivation"),
            problem: problem.to_owned(),
            found: edges
                .get(position)
                .map_or_else(|| "the end".to_owned(), |&edge| name(graph, edge)),
        };
        let mut starts = vec![0_u32];
        let mut tails = 0;
        for (position, &edge) in edges.iter().enumerate() {
            if index(edge) >= graph.edges() {
                return Err(wrong(position, "is no edge of the hypergraph"));
            }
            tails += graph.tail(index(edge)).len();
            // One edge derives each tail node.
            if tails >= edges.len() {
                return Err(wrong(edges.len(), "derivations of tail nodes are missing"));
            }
            starts.push(u32::try_from(tails).expect("fewer than 2^28"));
        }
        let mut positions = vec![0; tails];
        // From the right: the derivations that no edge has claimed yet, the leftmost on top.
        let mut free: Vec<u32> = Vec::new();
        let count = u32::try_from(edges.len()).expect("at most 2^28");
        for position in (0..count).rev() {
            let edge = edges[index(position)];
            let row = index(starts[index(position)])..index(starts[index(position) + 1]);
            let tail = graph.tail(index(edge));
            for (place, &node) in positions[row].iter_mut().zip(tail) {
                let Some(child) = free.pop() else {
                    return Err(wrong(edges.len(), "derivations of tail nodes are missing"));
                };
                if graph.head(index(edges[index(child)])) != index(node) {
                    return Err(wrong(
                        index(child),
                        "must be an edge into the tail node whose turn it is, in prefix order",
                    ));
                }
                *place = child;
            }
            free.push(position);
        }
        match free[..] {
            [_] => Ok(Self { starts, positions }),
            [] => Err(wrong(0, "a derivation has at least one edge")),
            [.., extra, _] => Err(wrong(index(extra), "is beyond the end of the derivation")),
        }
    }

    /// The position of the derivation of a tail node of the edge at a position.
    pub(super) fn child(&self, position: u32, tail: usize) -> u32 {
        self.positions[index(self.starts[index(position)]) + tail]
    }
}

/// How a caller knows an edge.
fn name(graph: &Hypergraph, edge: u32) -> String {
    if index(edge) < graph.edges() {
        format!("edge {}", graph.edge_number(index(edge)))
    } else {
        "a number that no edge has".to_owned()
    }
}

impl Hypergraph {
    /// The head of an edge. O(log nodes).
    #[must_use]
    pub fn head(&self, edge: usize) -> usize {
        // Rows before that of the edge, and rows without edges, start at or before it.
        self.incoming
            .partition_point(|&start| index(start) <= edge)
            .saturating_sub(1)
    }
}
