//! How probable it is that a derivation has an edge of a set.
//!
//! The sum of the posteriors of edges is the *expected number* of them in a derivation. Where a derivation may have several edges of the set, such as those that
//! complete one n-gram, that is more than the probability that it has any; this is the latter, exactly. Minimum Bayes risk decoding with linear BLEU asks for it
//! (Tromble et al. 2008, section 3.1: the posterior probability of an n-gram).

use super::structure::{Hypergraph, index};
use crate::cancel::CancelToken;
use crate::error::Result;
use crate::numeric::to_index;
use crate::parallel;
use std::ops::Range;

/// Sets that one thread takes at a time.
const PIECE: usize = 64;

/// For each set of edges, the probability that a derivation of the root has at least one of them.
///
/// `local` are the local probabilities of a [`super::Distribution`], by place; set `s` is `edges[starts[s]..starts[s + 1]]`, by place.
///
/// With p(u) for the derivations of a node u, an edge e outside the set has one with probability 1 - prod over its tail of (1 - p(u)), an edge of the set with
/// probability 1, and p(v) is the sum over the edges into v, weighted by `local`. Terms are not negative, so that small probabilities are as exact as large ones.
///
/// # Errors
/// [`crate::error::Error::Cycle`] on a cyclic hypergraph; [`crate::error::Error::Cancelled`].
///
/// # Panics
/// If there are not as many local probabilities as edges, the starts do not rise from 0 to the length of `edges`, or one is no edge.
///
/// # Complexity
/// For each set O(edges + tail nodes) from its first node to the root; 8 bytes a node and 5 an edge for each thread.
pub fn presence(
    graph: &Hypergraph,
    local: &[f64],
    starts: &[u64],
    edges: &[u32],
    threads: usize,
    cancel: &CancelToken,
) -> Result<Vec<f64>> {
    assert!(
        local.len() == graph.edges(),
        "a local probability for each edge"
    );
    graph.refuse_cycles("probabilities are only summed where no node derives itself")?;
    let count = starts.len().saturating_sub(1);
    let heads = graph.heads();
    let pieces: Vec<Range<usize>> = (0..count)
        .step_by(PIECE)
        .map(|first| first..(first + PIECE).min(count))
        .collect();
    let found = parallel::map(threads, cancel, pieces, |_, sets| {
        let mut work = Work {
            graph,
            local,
            heads: &heads,
            is_member: vec![false; graph.edges()],
            present: vec![0.0; graph.nodes()],
        };
        let mut values = Vec::with_capacity(sets.len());
        for set in sets {
            cancel.check()?;
            values.push(work.of(&edges[to_index(starts[set])..to_index(starts[set + 1])]));
        }
        Ok(values)
    })?;
    Ok(found.concat())
}

struct Work<'a> {
    graph: &'a Hypergraph,
    local: &'a [f64],
    heads: &'a [u32],
    is_member: Vec<bool>,
    /// p(v), right for the nodes from the first head of the set on.
    present: Vec<f64>,
}

impl Work<'_> {
    fn of(&mut self, members: &[u32]) -> f64 {
        let heads = members.iter().map(|&edge| index(self.heads[index(edge)]));
        let Some(first) = heads.min() else {
            return 0.0;
        };
        self.mark(members, true);
        let root = self.graph.root();
        for node in first..=root {
            let sum: f64 = self
                .graph
                .edges_into(node)
                .map(|edge| self.local[edge] * self.of_edge(edge, first))
                .sum();
            self.present[node] = sum.min(1.0);
        }
        self.mark(members, false);
        if first <= root {
            self.present[root]
        } else {
            0.0
        }
    }

    fn of_edge(&self, edge: usize, first: usize) -> f64 {
        if self.is_member[edge] {
            return 1.0;
        }
        let tail = self.graph.tail(edge).iter().map(|&node| index(node));
        tail.filter(|&node| node >= first)
            .map(|node| self.present[node])
            .fold(0.0, |any, one| any + (1.0 - any) * one)
    }

    fn mark(&mut self, members: &[u32], claim: bool) {
        for &edge in members {
            self.is_member[index(edge)] = claim;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hypergraph::Parts;

    #[test]
    fn a_derivation_with_two_edges_of_a_set_counts_once() {
        // Node 0 in two ways, and the root has it twice.
        let graph = Hypergraph::new(Parts {
            nodes: 2,
            heads: &[0, 0, 1],
            tail_starts: &[0, 0, 0, 2],
            tails: &[0, 0],
            root: Some(1),
        })
        .expect("a sound hypergraph");
        let starts = [0, 1, 2, 4, 4];
        let sets = [0, 1, 0, 1];
        for threads in [1, 3] {
            let found = presence(
                &graph,
                &[0.25, 0.75, 1.0],
                &starts,
                &sets,
                threads,
                &CancelToken::new(),
            )
            .expect("acyclic");
            assert_eq!(found, [0.4375, 0.9375, 1.0, 0.0]);
        }
    }
}
