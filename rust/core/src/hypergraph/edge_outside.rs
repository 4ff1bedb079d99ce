//! Sums over what surrounds each edge.

use super::inside::POLLED;
use super::structure::{Hypergraph, index};
use crate::cancel::CancelToken;
use crate::error::Result;
use crate::semiring::Commutative;

/// The outside weight of each edge, by place: the sum, over the derivations of the root with a place for that edge left open, of the weight of the rest. It
/// is the derivative of the total weight by that of the edge, k-bar of INSIDE-OUTSIDE (Li and Eisner 2009, Figure 4).
///
/// `inside` and `outside` are the weights of the nodes, by place; those of closures too.
///
/// # Errors
/// [`crate::error::Error::Cancelled`].
///
/// # Panics
/// If there are not as many weights as nodes.
///
/// # Complexity
/// One product for each tail node.
pub fn edge_outside<S: Commutative>(
    semiring: &S,
    graph: &Hypergraph,
    inside: &[S::Value],
    outside: &[S::Value],
    cancel: &CancelToken,
) -> Result<Vec<S::Value>> {
    for values in [inside, outside] {
        assert_eq!(
            values.len(),
            graph.nodes(),
            "weights must be those of the nodes"
        );
    }
    let mut values = Vec::with_capacity(graph.edges());
    let mut polled = 0;
    for (node, weight) in outside.iter().enumerate() {
        if values.len() - polled >= POLLED || semiring.has_failed() {
            cancel.check()?;
            polled = values.len();
        }
        for edge in graph.edges_into(node) {
            let tail = graph.tail(edge).iter().map(|&node| &inside[index(node)]);
            values.push(tail.fold(weight.clone(), |product, value| {
                semiring.times(&product, value)
            }));
        }
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::super::{Hypergraph, Parts, inside, outside};
    use super::edge_outside;
    use crate::cancel::CancelToken;
    use crate::semiring::Counting;

    #[test]
    fn derivatives_by_edges() {
        // Z = (a + b)^2 c.
        let graph = Hypergraph::new(Parts {
            nodes: 2,
            heads: &[0, 1, 0],
            tail_starts: &[0, 0, 2, 2],
            tails: &[0, 0],
            root: None,
        })
        .expect("sound");
        let weights = [2_u64, 7, 3].map(Into::into);
        let (weights, cancel) = (graph.arrange_edges(&weights), CancelToken::new());
        let below = inside(&Counting, &graph, &weights, &cancel).expect("acyclic");
        let above = outside(&Counting, &graph, &weights, &below, &cancel).expect("acyclic");
        let found = edge_outside(&Counting, &graph, &below, &above, &cancel).expect("acyclic");
        let slopes = [2 * 5 * 7, 25, 2 * 5 * 7].map(Into::into);
        assert_eq!(graph.restore_edges(found), slopes);
    }
}
