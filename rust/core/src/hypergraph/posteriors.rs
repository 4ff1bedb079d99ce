//! Posteriors: how often each node and edge is used by a derivation that is drawn from the distribution.

use super::inside::POLLED;
use super::structure::{Hypergraph, index};
use crate::cancel::CancelToken;
use crate::error::{Error, Result};

/// More expected uses than this are refused: a node that stands twice in a tail is used twice as often as the head, and so on downwards.
const MOST_USES: f64 = 18_446_744_073_709_551_615.0;

/// Expected numbers of uses. Where no derivation uses a node twice they are probabilities.
#[derive(Debug, Clone, PartialEq)]
pub struct Posteriors {
    /// Of each node, by place: alpha(v) beta(v) / Z.
    pub nodes: Vec<f64>,
    /// Of each edge, by place: alpha(v) `k_e` prod beta(u) / Z.
    pub edges: Vec<f64>,
    /// The smallest number of uses of an edge into a node that is used at all; infinity if there is no such edge.
    pub least: f64,
}

impl Posteriors {
    /// Posteriors of all edges and nodes (Li and Eisner 2009, Figure 4 without its last sum).
    ///
    /// `local` are those of a [`super::Distribution`], by place; `has_any` says whether the root has a derivation. A node that is used n times by a derivation counts n times. All are 0 where the root has no derivation. Sums of products of numbers that are not negative: relative
    /// errors stay small, but for what is below 1e-308.
    ///
    /// # Errors
    /// [`Error::TooLarge`] for a node with more than 2^64 expected uses; [`Error::Cancelled`].
    ///
    /// # Complexity
    /// O(edges + tail nodes): one product and as many sums as tail nodes for each edge. No exponential, no logarithm.
    pub fn new(
        graph: &Hypergraph,
        local: &[f64],
        has_any: bool,
        cancel: &CancelToken,
    ) -> Result<Self> {
        let mut made = Self {
            nodes: vec![0.0; graph.nodes()],
            edges: vec![0.0; graph.edges()],
            least: 0.0,
        };
        made.least = Self::fill(
            graph,
            local,
            has_any,
            &mut made.nodes,
            &mut made.edges,
            cancel,
        )?;
        Ok(made)
    }

    /// The same into arrays that are there, whatever they hold; returns the smallest number.
    ///
    /// # Errors
    /// Those of `new`; the arrays then hold nothing of use.
    ///
    /// # Panics
    /// If the arrays are not as long as there are nodes and edges.
    pub fn fill(
        graph: &Hypergraph,
        local: &[f64],
        has_any: bool,
        nodes: &mut [f64],
        edges: &mut [f64],
        cancel: &CancelToken,
    ) -> Result<f64> {
        assert!(nodes.len() == graph.nodes() && edges.len() == graph.edges());
        nodes.fill(0.0);
        if has_any {
            nodes[graph.root()] = 1.0;
        }
        let mut least = f64::INFINITY;
        let mut polled = graph.edges();
        for node in (0..graph.nodes()).rev() {
            let row = graph.edges_into(node);
            if polled - row.start >= POLLED {
                cancel.check()?;
                polled = row.start;
            }
            let uses = nodes[node];
            if uses > MOST_USES {
                return Err(Error::TooLarge {
                    what: "the expected number of uses of a node",
                    limit: u64::MAX,
                });
            }
            if uses == 0.0 {
                edges[row].fill(0.0);
                continue;
            }
            let starts = &graph.tail_starts[row.start..=row.end];
            let here = edges[row.clone()].iter_mut().zip(&local[row]);
            // The uses of the tail node that was met last, which is often met again: a sum in a register need not wait for memory.
            let (mut last, mut sum) = (node, uses);
            // Backwards, as the nodes go: memory is read as one stream.
            for ((edge, &q), bounds) in here.zip(starts.windows(2)).rev() {
                let used = uses * q;
                *edge = used;
                least = if used < least { used } else { least };
                for &tail in &graph.tails[index(bounds[0])..index(bounds[1])] {
                    let tail = index(tail);
                    if tail == last {
                        sum += used;
                    } else {
                        nodes[last] = sum;
                        (last, sum) = (tail, nodes[tail] + used);
                    }
                }
            }
            nodes[last] = sum;
        }
        Ok(least)
    }
}
