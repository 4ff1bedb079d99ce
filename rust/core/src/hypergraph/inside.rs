//! Sums over the derivations of each node.

use super::structure::{Hypergraph, index};
use crate::cancel::CancelToken;
use crate::error::{Error, Result};
use crate::semiring::Semiring;

/// How many edges are visited between two looks at the token.
pub(super) const POLLED: usize = 1 << 14;

/// The inside weight of each node, by place: the sum of the weights of its derivations (Li and Eisner 2009, Figure 2).
///
/// `weights` are those of the edges, by place. The product of a derivation is taken in prefix order: edge, then the tail from left to right.
///
/// # Errors
/// [`Error::Cycle`] on a cyclic hypergraph; [`Error::Cancelled`].
///
/// # Panics
/// If there are not as many weights as edges.
///
/// # Complexity
/// One product for each edge and tail node and one sum for each edge.
pub fn inside<S: Semiring>(
    semiring: &S,
    graph: &Hypergraph,
    weights: &[S::Value],
    cancel: &CancelToken,
) -> Result<Vec<S::Value>> {
    assert_eq!(
        weights.len(),
        graph.edges(),
        "weights must be those of the edges"
    );
    graph.refuse_cycles("only closed semirings have sums over infinitely many derivations")?;
    let mut values: Vec<S::Value> = Vec::with_capacity(graph.nodes());
    let mut polled = 0;
    for node in 0..graph.nodes() {
        let edges = graph.edges_into(node);
        if edges.end - polled >= POLLED || semiring.has_failed() {
            cancel.check()?;
            polled = edges.end;
        }
        let sum = sum_of_edges(semiring, graph, weights, &values, node);
        values.push(sum);
    }
    Ok(values)
}

/// The inside weight of a node from those of the nodes below it.
#[inline]
pub(super) fn sum_of_edges<S: Semiring>(
    semiring: &S,
    graph: &Hypergraph,
    weights: &[S::Value],
    values: &[S::Value],
    node: usize,
) -> S::Value {
    let mut sum = semiring.zero();
    for edge in graph.edges_into(node) {
        let mut product = weights[edge].clone();
        for &tail in graph.tail(edge) {
            product = semiring.times(&product, &values[index(tail)]);
        }
        semiring.accumulate(&mut sum, &product);
    }
    sum
}

impl Hypergraph {
    /// Fails on a cyclic hypergraph.
    pub(crate) fn refuse_cycles(&self, problem: &str) -> Result<()> {
        match self.cycle() {
            None => Ok(()),
            Some(cycle) => Err(Error::Cycle {
                cycle,
                problem: problem.to_owned(),
            }),
        }
    }
}
