//! What is known of the edges and nodes of a weighted hypergraph, by reference.

use super::distribution::Distribution;
use super::posteriors::Posteriors;
use super::structure::Hypergraph;

/// A distribution over derivations with its posteriors, wherever the arrays live. All by place.
#[derive(Debug, Clone, Copy)]
pub struct Marginals<'a> {
    /// The hypergraph.
    pub graph: &'a Hypergraph,
    /// The probability of each edge among those into its head.
    pub local: &'a [f64],
    /// The expected number of uses of each node.
    pub nodes: &'a [f64],
    /// The expected number of uses of each edge.
    pub edges: &'a [f64],
}

impl<'a> Marginals<'a> {
    /// Those of a distribution.
    #[must_use]
    pub fn new(
        graph: &'a Hypergraph,
        distribution: &'a Distribution,
        posteriors: &'a Posteriors,
    ) -> Self {
        Self {
            graph,
            local: &distribution.local,
            nodes: &posteriors.nodes,
            edges: &posteriors.edges,
        }
    }
}
