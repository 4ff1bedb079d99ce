//! The best derivation of each node.

use super::derivation::{Derivation, LARGEST, too_large, unfold};
use super::inside::POLLED;
use super::structure::{Hypergraph, index};
use crate::cancel::CancelToken;
use crate::error::{Error, Result};
use crate::numeric::to_u64;
use crate::semiring::Path;
use std::borrow::Cow;

/// Instead of an edge: the node has no derivation.
pub const NO_EDGE: u32 = u32::MAX;

/// The best derivation of each node, as its last edge: those of the tail follow from their nodes.
#[derive(Debug, Clone, PartialEq)]
pub struct Best<V> {
    /// The weight of the best derivation of each node, by place; `zero` where there is none.
    pub values: Vec<V>,
    /// The edge at the top of that derivation, or [`NO_EDGE`].
    pub edges: Vec<u32>,
}

impl<V> Best<V> {
    /// The best derivation of a node, edges by place in prefix order; nothing if the node has none. O(nodes + its edges).
    ///
    /// # Errors
    /// [`Error::TooLarge`] for a derivation of more than 2^28 edges, which repeated tail nodes can make of a small hypergraph;
    /// [`Error::Cancelled`].
    pub fn edges_of(
        &self,
        graph: &Hypergraph,
        node: usize,
        cancel: &CancelToken,
    ) -> Result<Option<Vec<u32>>> {
        if self.edges[node] == NO_EDGE {
            return Ok(None);
        }
        if self.size(graph, node) > to_u64(LARGEST) {
            return Err(too_large());
        }
        let edges = unfold(node, cancel, |node, waiting| {
            let edge = self.edges[node];
            waiting.extend(graph.tail(index(edge)).iter().map(|&node| index(node)));
            edge
        })?;
        Ok(Some(edges))
    }

    /// How many edges the best derivation of a node has when written out, at most 2^64 - 1. O(nodes).
    fn size(&self, graph: &Hypergraph, node: usize) -> u64 {
        let mut sizes: Vec<u64> = Vec::with_capacity(node + 1);
        for &edge in &self.edges[..=node] {
            let tail: &[u32] = if edge == NO_EDGE {
                &[]
            } else {
                graph.tail(index(edge))
            };
            let sizes_of_tail = tail.iter().map(|&node| sizes[index(node)]);
            sizes.push(sizes_of_tail.fold(1, u64::saturating_add));
        }
        sizes[node]
    }

    /// Which edges are in the best derivation of the root, by place. O(edges), however large the derivation is when written out.
    #[must_use]
    pub fn is_best(&self, graph: &Hypergraph) -> Vec<bool> {
        let mut is_best = vec![false; graph.edges()];
        let mut waiting = vec![graph.root()];
        while let Some(node) = waiting.pop() {
            let edge = self.edges[node];
            if edge != NO_EDGE && !std::mem::replace(&mut is_best[index(edge)], true) {
                waiting.extend(graph.tail(index(edge)).iter().map(|&node| index(node)));
            }
        }
        is_best
    }
}

impl Best<f64> {
    /// The best derivation of the root; nothing if there is none.
    ///
    /// # Errors
    /// As [`Best::edges_of`].
    pub fn derivation(
        &self,
        graph: &Hypergraph,
        cancel: &CancelToken,
    ) -> Result<Option<Derivation>> {
        let root = graph.root();
        let edges = self.edges_of(graph, root, cancel)?;
        let weight = self.values[root];
        Ok(edges.map(|edges| Derivation { edges, weight }))
    }
}

/// The best derivation of each node by natural logarithms of weights.
///
/// `weights` are by place; -infinity is the weight of an edge that is not there. Of derivations with equal weights, the one with the smallest edge number at
/// the top is the best, and so on down its tail. Sums are taken in prefix order, so that they are those of [`best`] to the bit.
///
/// # Errors
/// [`Error::Cycle`] on a cyclic hypergraph; [`Error::Cancelled`].
///
/// # Panics
/// If there are not as many weights as edges.
///
/// # Complexity
/// O(edges + tail nodes) time; 12 bytes for each node.
pub fn viterbi(graph: &Hypergraph, weights: &[f64], cancel: &CancelToken) -> Result<Best<f64>> {
    assert_eq!(
        weights.len(),
        graph.edges(),
        "weights must be those of the edges"
    );
    graph.refuse_cycles(CYCLIC)?;
    let mut values = Vec::with_capacity(graph.nodes());
    let mut edges = Vec::with_capacity(graph.nodes());
    let mut polled = 0;
    for row in graph.incoming.windows(2) {
        let range = index(row[0])..index(row[1]);
        if range.end - polled >= POLLED {
            cancel.check()?;
            polled = range.end;
        }
        let (mut best, mut best_edge) = (f64::NEG_INFINITY, NO_EDGE);
        let starts = &graph.tail_starts[range.start..=range.end];
        let weights = &weights[range];
        for ((edge, &weight), bounds) in (row[0]..).zip(weights).zip(starts.windows(2)) {
            let mut sum = weight;
            for &node in &graph.tails[index(bounds[0])..index(bounds[1])] {
                sum += values[index(node)];
            }
            if sum > best {
                (best, best_edge) = (sum, edge);
            }
        }
        values.push(best);
        edges.push(best_edge);
    }
    Ok(Best { values, edges })
}

impl Hypergraph {
    /// Natural logarithms of the weights of the edges, checked and arranged by place.
    ///
    /// # Errors
    /// [`Error::Hypergraph`] for a weight that is no number or +infinity, and where there are not as many as edges.
    pub fn arrange_weights<'a>(&self, by_number: &'a [f64]) -> Result<Cow<'a, [f64]>> {
        let wrong = |place: String, problem: String, found: String| Error::Hypergraph {
            place,
            problem,
            found,
        };
        if by_number.len() != self.edges() {
            return Err(wrong(
                "the weights".to_owned(),
                format!("must be one for each of the {} edges", self.edges()),
                by_number.len().to_string(),
            ));
        }
        match by_number
            .iter()
            .position(|&w| w.is_nan() || w == f64::INFINITY)
        {
            None => Ok(self.arrange_edges(by_number)),
            Some(edge) => Err(wrong(
                format!("the weight of edge {edge}"),
                "must be a natural logarithm below infinity".to_owned(),
                by_number[edge].to_string(),
            )),
        }
    }
}

/// What is said of a cyclic hypergraph.
pub(super) const CYCLIC: &str =
    "the best derivations are only searched where no node derives itself; break the cycle";

/// The best derivation of each node in any semiring whose sum selects, by the rules of [`viterbi`].
///
/// # Errors
/// [`Error::Cycle`] on a cyclic hypergraph; [`Error::Cancelled`].
///
/// # Panics
/// If there are not as many weights as edges.
///
/// # Complexity
/// One product for each tail node and one comparison for each edge.
pub fn best<S: Path>(
    semiring: &S,
    graph: &Hypergraph,
    weights: &[S::Value],
    cancel: &CancelToken,
) -> Result<Best<S::Value>> {
    assert_eq!(
        weights.len(),
        graph.edges(),
        "weights must be those of the edges"
    );
    graph.refuse_cycles(CYCLIC)?;
    let mut values: Vec<S::Value> = Vec::with_capacity(graph.nodes());
    let mut edges = Vec::with_capacity(graph.nodes());
    let mut polled = 0;
    for row in graph.incoming.windows(2) {
        if index(row[1]) - polled >= POLLED || semiring.has_failed() {
            cancel.check()?;
            polled = index(row[1]);
        }
        let (mut best, mut best_edge) = (semiring.zero(), NO_EDGE);
        for edge in row[0]..row[1] {
            let mut product = weights[index(edge)].clone();
            for &node in graph.tail(index(edge)) {
                product = semiring.times(&product, &values[index(node)]);
            }
            let is_first = best_edge == NO_EDGE && !semiring.is_zero(&product);
            if is_first || semiring.is_better(&product, &best) {
                (best, best_edge) = (product, edge);
            }
        }
        values.push(best);
        edges.push(best_edge);
    }
    Ok(Best { values, edges })
}
