//! The best derivation through each edge and node.

use super::inside::POLLED;
use super::structure::{Hypergraph, index};
use super::viterbi::{Best, viterbi};
use crate::cancel::CancelToken;
use crate::error::Result;

/// How good the best derivation of the root through each edge and node is.
#[derive(Debug, Clone, PartialEq)]
pub struct MaxMarginals {
    /// The best derivation of each node.
    pub best: Best<f64>,
    /// ln of the weight of the best derivation of the root that has an edge, by place; -infinity where none has it.
    pub edges: Vec<f64>,
    /// The same for nodes.
    pub nodes: Vec<f64>,
}

impl MaxMarginals {
    /// The weight of the best derivation of the root; -infinity without one.
    #[must_use]
    pub fn weight(&self, graph: &Hypergraph) -> f64 {
        self.best.values[graph.root()]
    }
}

/// Max-marginals, from natural logarithms of weights by place.
///
/// The outside weights of Li and Eisner 2009, Figure 3, in the semiring of the maximum; they are products over the other *positions* of a tail, so that a node
/// that stands twice in one tail is right too. Sums in another order round differently: no value is above that of the best derivation, and those of its own edges
/// and nodes are equal to it.
///
/// # Errors
/// [`crate::error::Error::Cycle`] on a cyclic hypergraph; [`crate::error::Error::Cancelled`].
///
/// # Panics
/// If there are not as many weights as edges.
///
/// # Complexity
/// O(edges + tail nodes); 8 bytes for each edge and 28 for each node.
pub fn max_marginals(
    graph: &Hypergraph,
    weights: &[f64],
    cancel: &CancelToken,
) -> Result<MaxMarginals> {
    let best = viterbi(graph, weights, cancel)?;
    let most = best.values[graph.root()];
    let mut outside = vec![f64::NEG_INFINITY; graph.nodes()];
    outside[graph.root()] = 0.0;
    let mut edges = vec![f64::NEG_INFINITY; graph.edges()];
    let mut prefixes = Vec::new();
    let mut polled = graph.edges();
    for node in (0..graph.nodes()).rev() {
        let row = graph.edges_into(node);
        if polled - row.start >= POLLED {
            cancel.check()?;
            polled = row.start;
        }
        let above = outside[node];
        if above == f64::NEG_INFINITY {
            continue;
        }
        for edge in row {
            let tail = graph.tail(edge);
            prefixes.clear();
            let mut sum = above + weights[edge];
            for &node in tail {
                prefixes.push(sum);
                sum += best.values[index(node)];
            }
            edges[edge] = bounded(sum, most);
            let mut suffix = 0.0;
            for (&node, prefix) in tail.iter().zip(&prefixes).rev() {
                let rest = prefix + suffix;
                if rest > outside[index(node)] {
                    outside[index(node)] = rest;
                }
                suffix += best.values[index(node)];
            }
        }
    }
    let mut nodes: Vec<f64> = best
        .values
        .iter()
        .zip(outside)
        .map(|(inside, outside)| bounded(inside + outside, most))
        .collect();
    for (edge, is_best) in best.is_best(graph).into_iter().enumerate() {
        if is_best {
            edges[edge] = most;
            nodes[graph.head(edge)] = most;
        }
    }
    Ok(MaxMarginals { best, edges, nodes })
}

/// A weight that rounding may have put above the largest.
fn bounded(weight: f64, most: f64) -> f64 {
    if weight > most { most } else { weight }
}
