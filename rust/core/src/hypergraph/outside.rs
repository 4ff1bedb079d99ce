//! Sums over what surrounds each node.

use super::inside::POLLED;
use super::structure::{Hypergraph, index};
use crate::cancel::CancelToken;
use crate::error::Result;
use crate::semiring::Commutative;

/// The outside weight of each node, by place: the sum, over the derivations of the root with a place for that node left open, of the weight of the rest
/// (Li and Eisner 2009, Figure 3).
///
/// `weights` are those of the edges and `inside` the inside weights, by place.
///
/// DEVIATION: the figure leaves out of the product the tail nodes that *are* the node; this takes the product over the other *positions* of the tail, which is
/// the derivative of the inside weight also where a node stands twice in one tail. Products of prefixes and suffixes: no division.
///
/// # Errors
/// [`crate::error::Error::Cycle`] on a cyclic hypergraph; [`crate::error::Error::Cancelled`].
///
/// # Panics
/// If there are not as many weights as edges and as many inside weights as nodes.
///
/// # Complexity
/// At most three products and one sum for each tail node.
pub fn outside<S: Commutative>(
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
    graph.refuse_cycles("only closed semirings have sums over infinitely many derivations")?;
    let mut values = vec![semiring.zero(); graph.nodes()];
    values[graph.root()] = semiring.one();
    let mut prefixes = Vec::new();
    let mut polled = graph.edges();
    for node in (0..graph.nodes()).rev() {
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
            each_rest(semiring, head, tail, inside, &mut prefixes, |node, rest| {
                semiring.accumulate(&mut values[node], &rest);
            });
        }
    }
    Ok(values)
}

/// Visits each position of a tail, from the right: its node, and the product of `head` and the inside weights of all other positions.
#[inline]
pub(super) fn each_rest<S: Commutative>(
    semiring: &S,
    head: S::Value,
    tail: &[u32],
    inside: &[S::Value],
    prefixes: &mut Vec<S::Value>,
    mut visit: impl FnMut(usize, S::Value),
) {
    // The product of all before a position; then, from the right, that of all after it.
    prefixes.clear();
    let mut prefix = head;
    for &node in tail {
        let next = semiring.times(&prefix, &inside[index(node)]);
        prefixes.push(std::mem::replace(&mut prefix, next));
    }
    let mut suffix = semiring.one();
    for (&node, prefix) in tail.iter().zip(&*prefixes).rev() {
        visit(index(node), semiring.times(prefix, &suffix));
        suffix = semiring.times(&inside[index(node)], &suffix);
    }
}

#[cfg(test)]
mod tests {
    use super::super::inside::inside;
    use super::super::{Hypergraph, Parts};
    use super::outside;
    use crate::cancel::CancelToken;
    use crate::error::Error;
    use crate::semiring::Real;

    /// Edges as (head, tail), in any order.
    fn graph(nodes: usize, edges: &[(u32, &[u32])]) -> Result<Hypergraph, Error> {
        let heads: Vec<u32> = edges.iter().map(|edge| edge.0).collect();
        let tails: Vec<u32> = edges.iter().flat_map(|edge| edge.1).copied().collect();
        let mut tail_starts = vec![0];
        for edge in edges {
            tail_starts.push(tail_starts[tail_starts.len() - 1] + edge.1.len() as u64);
        }
        Hypergraph::new(Parts {
            nodes,
            heads: &heads,
            tail_starts: &tail_starts,
            tails: &tails,
            root: None,
        })
    }

    fn both(graph: &Hypergraph, weights: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let (cancel, weights) = (CancelToken::new(), graph.arrange_edges(weights));
        let inside = inside(&Real, graph, &weights, &cancel).expect("acyclic");
        let outside = outside(&Real, graph, &weights, &inside, &cancel).expect("acyclic");
        (graph.restore_nodes(inside), graph.restore_nodes(outside))
    }

    #[test]
    fn a_node_that_stands_twice_in_a_tail_counts_twice() {
        let graph = graph(2, &[(0, &[]), (0, &[]), (1, &[0, 0])]).expect("sound");
        assert_eq!(
            both(&graph, &[2.0, 3.0, 1.0]),
            (vec![5.0, 25.0], vec![10.0, 1.0])
        );
    }

    #[test]
    fn the_forest_of_figure_1_in_any_order() {
        // the mat, a cat, X(a cat .. the mat), X(the mat .. a cat), goal; numbered backwards.
        let edges: [(u32, &[u32]); 8] = [
            (0, &[1]),
            (0, &[2]),
            (1, &[4, 3]),
            (1, &[4, 3]),
            (2, &[4, 3]),
            (2, &[4, 3]),
            (4, &[]),
            (3, &[]),
        ];
        let graph = graph(5, &edges).expect("sound");
        let weights = [0.5, 1.0, 3.0, 1.0, 2.0, 1.0, 0.5, 1.0 / 3.0];
        let (inside, outside) = both(&graph, &weights);
        let near = |found: &[f64], expected: &[f64]| {
            found
                .iter()
                .zip(expected)
                .all(|(a, b)| (a - b).abs() < 1e-15)
        };
        assert!(near(&inside, &[5.0 / 6.0, 2.0 / 3.0, 0.5, 1.0 / 3.0, 0.5]));
        assert!(near(&outside, &[1.0, 0.5, 1.0, 2.5, 5.0 / 3.0]));
    }

    #[test]
    fn a_cycle_is_shown() {
        let graph = graph(4, &[(0, &[1]), (1, &[2]), (2, &[3, 1]), (3, &[])]).expect("sound");
        assert_eq!(graph.cycle(), Some(vec![1, 2]));
        let found = inside(&Real, &graph, &[1.0; 4], &CancelToken::new());
        let message = found.expect_err("cyclic").to_string();
        assert!(
            message.starts_with("nodes 1 <- 2 <- 1 form a cycle"),
            "{message}"
        );
    }

    #[test]
    fn a_chain_of_a_million_edges_needs_no_stack() {
        let nodes = 1_000_001;
        let heads: Vec<u32> = (0..nodes - 1).rev().chain([nodes - 1]).collect();
        let tails: Vec<u32> = (1..nodes).rev().collect();
        let mut tail_starts: Vec<u64> = (0..u64::from(nodes)).collect();
        tail_starts.push(u64::from(nodes) - 1);
        let graph = Hypergraph::new(Parts {
            nodes: 1_000_001,
            heads: &heads,
            tail_starts: &tail_starts,
            tails: &tails,
            root: None,
        })
        .expect("sound");
        assert!(graph.is_acyclic());
        let (inside, outside) = both(&graph, &vec![1.0; heads.len()]);
        assert!(
            inside
                .iter()
                .chain(&outside)
                .all(|x| x.to_bits() == 1_f64.to_bits())
        );
    }

    #[test]
    fn what_is_wrong_is_named() {
        let message = |nodes, edges: &[(u32, &[u32])]| {
            graph(nodes, edges).map_or_else(|error| error.to_string(), |_| String::new())
        };
        let dangling = "the tail of edge 1: there are 2 nodes, numbered from 0; found 7";
        assert_eq!(message(2, &[(0, &[]), (1, &[0, 7])]), dangling);
        let roots = "the root: exactly one node may be in no tail; name the root; found 1, 2";
        assert_eq!(message(3, &[(1, &[0]), (2, &[0]), (0, &[])]), roots);
    }
}
