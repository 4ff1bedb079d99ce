//! Second-order quantities without second-order arithmetic: means given that an edge is used.
//!
//! With r(d) the sum of `r_e` over the edges of a derivation, the covariance with another such sum s(d) is the sum over all edges of (posterior of e) times
//! (mean of r given e, less the mean of r) times `s_e`. The means are what the pairs <p, r> of the lifted semiring of Li and Eisner 2009, section 4.4, are after division
//! by p: the inside pair of a node gives the mean below it, the outside pair the mean around it. In this form nothing cancels and nothing overflows.

use super::features::Features;
use super::inside::POLLED;
use super::marginals::Marginals;
use super::structure::{Hypergraph, index};
use crate::cancel::CancelToken;
use crate::error::Result;

/// How a sum over the edges of a derivation depends on single edges.
#[derive(Debug, Clone, PartialEq)]
pub struct Deviations {
    /// The mean of r over all derivations.
    pub mean: f64,
    /// The mean over the derivations that use the edge, each as often as it does, less `mean`; by place. 0 for edges that are never used.
    pub edges: Vec<f64>,
}

impl Marginals<'_> {
    /// The deviations of the sum of `values`, by place.
    ///
    /// # Errors
    /// [`crate::error::Error::Cancelled`].
    ///
    /// # Complexity
    /// O(edges + tail nodes).
    pub fn deviations(&self, values: &[f64], cancel: &CancelToken) -> Result<Deviations> {
        let graph = self.graph;
        let below = means_below(graph, self.local, values, cancel)?;
        let mean = below[graph.root()];
        // Sums of (mean around) times (uses), until the node is visited; deviations from the mean from then on.
        let mut around = vec![0.0; graph.nodes()];
        let mut edges = vec![0.0; graph.edges()];
        let mut polled = graph.edges();
        for node in (0..graph.nodes()).rev() {
            let row = graph.edges_into(node);
            if polled - row.start >= POLLED {
                cancel.check()?;
                polled = row.start;
            }
            let uses = self.nodes[node];
            if uses == 0.0 {
                continue;
            }
            // The root's own use has nothing around it.
            let above = around[node] / uses;
            for edge in row.rev() {
                let uses = self.edges[edge];
                if uses == 0.0 {
                    continue;
                }
                let tail = graph.tail(edge);
                let whole = above + values[edge] + sum_of(tail, &below);
                edges[edge] = whole - mean;
                for &tail_node in tail {
                    around[index(tail_node)] += uses * (whole - below[index(tail_node)]);
                }
            }
        }
        Ok(Deviations { mean, edges })
    }

    /// The covariance of each feature with the sum of `values`, by place (Li and Eisner 2009, section 4.4). Features are by number.
    ///
    /// # Errors
    /// [`crate::error::Error::Cancelled`].
    ///
    /// # Complexity
    /// O(edges + tail nodes + values of features).
    pub fn covariance_with(
        &self,
        values: &[f64],
        features: Features<'_>,
        cancel: &CancelToken,
    ) -> Result<Vec<f64>> {
        let mut factors = self.deviations(values, cancel)?.edges;
        for (factor, posterior) in factors.iter_mut().zip(self.edges) {
            *factor *= posterior;
        }
        Ok(features.sum(&self.graph.restore_edges(factors)))
    }
}

fn sum_of(tail: &[u32], below: &[f64]) -> f64 {
    tail.iter().map(|&node| below[index(node)]).sum()
}

/// The mean of the sum of `values` over the derivations of each node, by place; 0 where there are none.
fn means_below(
    graph: &Hypergraph,
    local: &[f64],
    values: &[f64],
    cancel: &CancelToken,
) -> Result<Vec<f64>> {
    let mut means: Vec<f64> = Vec::with_capacity(graph.nodes());
    let mut polled = 0;
    for node in 0..graph.nodes() {
        let row = graph.edges_into(node);
        if row.end - polled >= POLLED {
            cancel.check()?;
            polled = row.end;
        }
        let mean = row
            .filter(|&edge| local[edge] > 0.0)
            .map(|edge| local[edge] * (values[edge] + sum_of(graph.tail(edge), &means)))
            .sum();
        means.push(mean);
    }
    Ok(means)
}
