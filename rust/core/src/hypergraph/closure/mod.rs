//! Sums over infinitely many derivations: hypergraphs with linear cycles.
//!
//! A strongly connected component with a cycle, a *knot*, is linear if no derivation uses two of its nodes in one tail. The inside weights of a linear knot
//! solve a linear system, x = A x + b: a coefficient for each edge within the knot, a constant for each edge that leaves it. Its least solution A* b exists
//! where the sums of all powers of the loops exist, and is found by eliminating one node after the other (Lehmann 1977); outside weights solve the transposed
//! system. Knots are closed one after the other, in order.
//!
//! Nodes without derivations take no part: the sum over no derivation is zero, whatever cycle they are on. What diverges is refused, and so is, in floating
//! point, what cannot be told from it for rounding.

mod dense;
mod knot;
mod sparse;

use super::inside::{POLLED, sum_of_edges};
use super::outside::each_rest;
use super::structure::{Hypergraph, index};
use crate::cancel::CancelToken;
use crate::error::Result;
use crate::semiring::{Commutative, Star};
use std::ops::Range;

/// The inside weight of each node, by place, also on and above linear cycles: the sum of the weights of its derivations, of which there may be infinitely
/// many. Without cycles, this is [`inside()`](super::inside()).
///
/// `weights` are those of the edges, by place.
///
/// # Errors
/// [`Error::Cycle`](crate::error::Error::Cycle) names a cycle that is not linear or whose sum does not converge.
/// [`Error::TooLarge`](crate::error::Error::TooLarge) for a knot whose system fills up beyond 2^26 coefficients;
/// [`Error::Cancelled`](crate::error::Error::Cancelled).
///
/// # Panics
/// If there are not as many weights as edges.
///
/// # Complexity
/// As [`inside()`](super::inside()), and for each knot a sparse elimination, the node with the fewest neighbours first: near-linear where the knot is a ring,
/// O(nodes^3) time and O(nodes^2) memory if its nodes are all connected. Twice, where rounding must be judged.
pub fn closed_inside<S: Commutative + Star>(
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
    let mut values = vec![semiring.zero(); graph.nodes()];
    let mut polled = 0;
    for stretch in stretches(graph) {
        match stretch {
            Stretch::Knot(nodes) => {
                knot::inside_of(semiring, graph, weights, &nodes, &mut values, cancel)?;
            }
            Stretch::Plain(nodes) => {
                for node in nodes {
                    let end = graph.edges_into(node).end;
                    if end - polled >= POLLED || semiring.has_failed() {
                        cancel.check()?;
                        polled = end;
                    }
                    values[node] = sum_of_edges(semiring, graph, weights, &values, node);
                }
            }
        }
    }
    Ok(values)
}

/// The outside weight of each node, by place, also on and below linear cycles: the derivative of the inside weight of the root by that of the node.
///
/// With [`closed_inside`], the expected number of uses of an edge is, as ever, the product of the outside weight of its head, its own weight and the inside
/// weights of its tail, over the inside weight of the root. Without cycles, this is [`outside()`](super::outside()).
///
/// # Errors
/// As [`closed_inside`]. A cycle that the root reaches but that has no derivation can diverge here and not there; leave it out if it is not wanted.
///
/// # Panics
/// If there are not as many weights as edges and as many inside weights as nodes.
///
/// # Complexity
/// As [`closed_inside`].
pub fn closed_outside<S: Commutative + Star>(
    semiring: &S,
    graph: &Hypergraph,
    weights: &[S::Value],
    inside: &[S::Value],
    cancel: &CancelToken,
) -> Result<Vec<S::Value>> {
    assert_eq!(
        weights.len(),
        graph.edges(),
        "weights must be those of the edges"
    );
    assert_eq!(
        inside.len(),
        graph.nodes(),
        "inside weights must be those of the nodes"
    );
    let mut values = vec![semiring.zero(); graph.nodes()];
    values[graph.root()] = semiring.one();
    let mut prefixes = Vec::new();
    let mut polled = graph.edges();
    for stretch in stretches(graph).into_iter().rev() {
        let (Stretch::Plain(nodes) | Stretch::Knot(nodes)) = &stretch;
        if let Stretch::Knot(nodes) = &stretch {
            knot::outside_of(semiring, graph, weights, inside, nodes, &mut values, cancel)?;
        }
        let is_knot = matches!(stretch, Stretch::Knot(_));
        for node in nodes.clone().rev() {
            let edges = graph.edges_into(node);
            if polled - edges.start >= POLLED || semiring.has_failed() {
                cancel.check()?;
                polled = edges.start;
            }
            if semiring.is_zero(&values[node]) {
                continue;
            }
            for edge in edges {
                let head = semiring.times(&values[node], &weights[edge]);
                let tail = graph.tail(edge);
                each_rest(
                    semiring,
                    head,
                    tail,
                    inside,
                    &mut prefixes,
                    |below, rest| {
                        // What goes round within a knot is in its solution.
                        if !(is_knot && nodes.contains(&below)) {
                            semiring.accumulate(&mut values[below], &rest);
                        }
                    },
                );
            }
        }
    }
    Ok(values)
}

/// Nodes in order.
enum Stretch {
    /// None of them is on a cycle.
    Plain(Range<usize>),
    /// A strongly connected component with a cycle.
    Knot(Range<usize>),
}

fn stretches(graph: &Hypergraph) -> Vec<Stretch> {
    let mut found = Vec::with_capacity(2 * graph.knots().len() + 1);
    let mut from = 0;
    for knot in graph.knots() {
        let knot = index(knot.start)..index(knot.end);
        found.push(Stretch::Plain(from..knot.start));
        from = knot.end;
        found.push(Stretch::Knot(knot));
    }
    found.push(Stretch::Plain(from..graph.nodes()));
    found
}

#[cfg(test)]
mod tests;
