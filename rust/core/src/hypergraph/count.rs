//! Exact numbers of derivations.

use super::inside::POLLED;
use super::prune::restrict;
use super::structure::{Hypergraph, index};
use crate::cancel::CancelToken;
use crate::error::Result;
use crate::semiring::Count;
use num_bigint::BigUint;
use num_traits::{One, Zero};

/// The number of derivations of the root: what [`super::inside()`] gives in [`crate::semiring::Counting`], with the number of a node dropped after its last use.
///
/// A cycle makes it infinite where a whole derivation can go around it.
///
/// # Errors
/// [`crate::error::Error::Cancelled`].
///
/// # Complexity
/// A sum for each edge and a product for each tail node beyond its first, of numbers of up to as many digits as the result; memory for the numbers of the
/// nodes that are still needed: of a lattice, as many as it is wide.
pub fn derivations(graph: &Hypergraph, cancel: &CancelToken) -> Result<Count> {
    if graph.is_acyclic() {
        return count(graph, cancel).map(Count::Finite);
    }
    let useful = restrict(graph, &vec![true; graph.edges()])?.graph;
    if useful.is_acyclic() {
        return count(&useful, cancel).map(Count::Finite);
    }
    Ok(Count::Infinite)
}

fn count(graph: &Hypergraph, cancel: &CancelToken) -> Result<BigUint> {
    // Tails come before heads, so that the last edge with a node in its tail is the last to need it.
    let mut last_use = vec![None; graph.nodes()];
    for edge in 0..graph.edges() {
        for &node in graph.tail(edge) {
            last_use[index(node)] = Some(edge);
        }
    }
    let mut counts = vec![BigUint::zero(); graph.nodes()];
    let mut polled = 0;
    for node in 0..=graph.root() {
        let edges = graph.edges_into(node);
        let mut sum = BigUint::zero();
        for edge in edges {
            if edge >= polled {
                cancel.check()?;
                polled = edge + POLLED / 16;
            }
            match graph.tail(edge) {
                [] => sum += BigUint::one(),
                [only] => sum += &counts[index(*only)],
                [first, rest @ ..] => {
                    let first = counts[index(*first)].clone();
                    sum += rest
                        .iter()
                        .fold(first, |product, &node| product * &counts[index(node)]);
                }
            }
            for &tail in graph.tail(edge) {
                if last_use[index(tail)] == Some(edge) {
                    counts[index(tail)] = BigUint::zero();
                }
            }
        }
        counts[node] = sum;
    }
    Ok(counts.swap_remove(graph.root()))
}

#[cfg(test)]
mod tests {
    use super::super::enumeration::{self, cases, graph};
    use super::*;
    use crate::hypergraph::inside;
    use crate::semiring::Counting;
    use proptest::prelude::*;

    fn count(graph: &Hypergraph) -> Count {
        derivations(graph, &CancelToken::new()).expect("not cancelled")
    }

    proptest! {
        #[test]
        fn as_many_as_there_are(case in cases(false)) {
            let all = enumeration::derivations(&case.graph, case.graph.root()).expect("few");
            prop_assert_eq!(count(&case.graph), Count::from(u64::try_from(all.len()).expect("few")));
            let ones = vec![Count::from(1); case.graph.edges()];
            let values = inside(&Counting, &case.graph, &ones, &CancelToken::new()).expect("acyclic");
            prop_assert_eq!(count(&case.graph), values[case.graph.root()].clone());
        }
    }

    #[test]
    fn a_cycle_counts_if_a_derivation_can_go_around_it() {
        let around = graph(3, &[(2, vec![1]), (1, vec![1]), (1, vec![])], 2);
        assert_eq!(count(&around), Count::Infinite);
        // Node 1 has no derivation, and node 3 is in none.
        let apart = graph(
            4,
            &[
                (2, vec![0]),
                (2, vec![1]),
                (1, vec![1]),
                (0, vec![]),
                (3, vec![3]),
                (3, vec![]),
            ],
            2,
        );
        assert_eq!(count(&apart), Count::from(1));
        assert_eq!(count(&graph(1, &[], 0)), Count::from(0));
    }

    #[test]
    fn digits_without_end() {
        // A node that stands twice in the tail of the next: 2^(2^12) derivations.
        let doubled: Vec<(u32, Vec<u32>)> =
            (1..=12).map(|node| (node, vec![node - 1; 2])).collect();
        let edges = [vec![(0, vec![]), (0, vec![])], doubled].concat();
        let Count::Finite(found) = count(&graph(13, &edges, 12)) else {
            panic!("no cycle");
        };
        assert_eq!(found, BigUint::one() << 4_096_u32);
    }
}
