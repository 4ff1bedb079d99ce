//! Smaller hypergraphs: what is left when bad edges go.

use super::build::Parts;
use super::max_marginals::MaxMarginals;
use super::structure::{Hypergraph, index};
use crate::error::{Error, Result};
use crate::numeric::{to_f64, to_u64};

/// A part of a hypergraph as a hypergraph of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pruned {
    /// Nodes and edges that were kept, numbered anew in the order of their old numbers.
    pub graph: Hypergraph,
    /// The old number of each node, by its new number; rising.
    pub nodes: Vec<u32>,
    /// The old number of each edge, by its new number; rising.
    pub edges: Vec<u32>,
}

/// Which edges, by place, have a max-marginal at most `beam` nats below the best derivation, those of the best derivation always.
///
/// So an edge is kept if a derivation with it is good enough, and then all edges of that derivation are.
///
/// # Errors
/// [`Error::Config`] for a beam that is negative or no number.
pub fn within_beam(graph: &Hypergraph, marginals: &MaxMarginals, beam: f64) -> Result<Vec<bool>> {
    if beam.is_nan() || beam < 0.0 {
        return Err(Error::config("beam", "at least 0", beam));
    }
    Ok(above(marginals, marginals.weight(graph) - beam))
}

/// Which edges, by place, have a posterior of at least `threshold`; those of the best derivation always.
///
/// An edge of which every derivation has an edge that is not kept is dropped by [`restrict`].
///
/// # Errors
/// [`Error::Config`] for a threshold that is negative or no number.
///
/// # Panics
/// If there are not as many posteriors as edges.
pub fn above_posterior(
    graph: &Hypergraph,
    marginals: &MaxMarginals,
    posteriors: &[f64],
    threshold: f64,
) -> Result<Vec<bool>> {
    assert_eq!(
        posteriors.len(),
        graph.edges(),
        "posteriors must be those of the edges"
    );
    if threshold.is_nan() || threshold < 0.0 {
        return Err(Error::config("posterior", "at least 0", threshold));
    }
    let is_best = marginals.best.is_best(graph);
    let is_kept = posteriors.iter().zip(is_best);
    Ok(is_kept
        .map(|(&posterior, is_best)| is_best || posterior >= threshold)
        .collect())
}

/// Which edges, by place, are within the widest beam that keeps at most `count` of them; those of the best derivation always, also if they are more.
///
/// Edges with equal max-marginals go together.
#[must_use]
pub fn at_most(graph: &Hypergraph, marginals: &MaxMarginals, count: usize) -> Vec<bool> {
    let mut sorted: Vec<f64> = marginals.edges.clone();
    sorted.sort_unstable_by(|a, b| b.total_cmp(a));
    let Some(&gone) = sorted.get(count) else {
        return above(marginals, f64::NEG_INFINITY);
    };
    // The first value that must go takes all that are equal to it along.
    let edges = marginals.edges.iter().zip(marginals.best.is_best(graph));
    edges
        .map(|(&weight, is_best)| is_best || weight > gone)
        .collect()
}

/// Which edges, by place, are within the widest beam that keeps at most `density` times as many of them as the best derivation has.
///
/// # Errors
/// [`Error::Config`] for a density that is negative or no number.
pub fn within_density(
    graph: &Hypergraph,
    marginals: &MaxMarginals,
    density: f64,
) -> Result<Vec<bool>> {
    if density.is_nan() || density < 0.0 {
        return Err(Error::config("density", "at least 0", density));
    }
    let count = to_f64(to_u64(best_edges(graph, marginals))) * density;
    Ok(at_most(graph, marginals, floor(count)))
}

/// The largest index at or below a number that is not negative.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "more than any index becomes the largest one, which is what is meant"
)]
fn floor(number: f64) -> usize {
    number as usize
}

/// How many edges the best derivation has, an edge that it has more than once counted once.
#[must_use]
pub fn best_edges(graph: &Hypergraph, marginals: &MaxMarginals) -> usize {
    let is_best = marginals.best.is_best(graph);
    is_best.into_iter().filter(|&is_best| is_best).count()
}

/// Those that some derivation has and that are good enough.
fn above(marginals: &MaxMarginals, least: f64) -> Vec<bool> {
    let edges = marginals.edges.iter();
    edges
        .map(|&weight| weight >= least && weight > f64::NEG_INFINITY)
        .collect()
}

/// The hypergraph of the derivations whose edges, by place, are all kept: nodes and edges that no such derivation has are dropped.
///
/// Without such a derivation, the root alone is left.
///
/// # Errors
/// [`Error::TooLarge`] never for a part of a hypergraph that there is.
///
/// # Panics
/// If there are not as many claims as edges.
///
/// # Complexity
/// O(edges + tail nodes); two more passes for each round that a cycle takes.
pub fn restrict(graph: &Hypergraph, is_kept: &[bool]) -> Result<Pruned> {
    assert_eq!(
        is_kept.len(),
        graph.edges(),
        "claims must be those of the edges"
    );
    let all = vec![true; graph.nodes()];
    let bare = part(graph, is_kept, &all)?.graph;
    let is_useful = bare.restore_nodes(bare.useful_nodes());
    let mut is_useful = graph.arrange_nodes(&is_useful).into_owned();
    let is_whole: Vec<bool> = (0_usize..)
        .zip(graph.heads())
        .map(|(edge, head)| {
            let nodes = graph.tail(edge).iter().chain([&head]);
            is_kept[edge] && nodes.into_iter().all(|&node| is_useful[index(node)])
        })
        .collect();
    is_useful[graph.root()] = true;
    part(graph, &is_whole, &is_useful)
}

/// Some of the edges, with nodes among which are all of theirs and the root; both by place.
fn part(graph: &Hypergraph, edges: &[bool], nodes: &[bool]) -> Result<Pruned> {
    let heads = graph.heads();
    let mut kept_nodes: Vec<(u32, usize)> = (0..graph.nodes())
        .filter(|&node| nodes[node])
        .map(|node| (graph.node_number(node), node))
        .collect();
    let mut kept_edges: Vec<(u32, usize)> = (0..graph.edges())
        .filter(|&edge| edges[edge])
        .map(|edge| (graph.edge_number(edge), edge))
        .collect();
    kept_nodes.sort_unstable();
    kept_edges.sort_unstable();
    let mut new = vec![0; graph.nodes()];
    for (number, &(_, node)) in (0..).zip(&kept_nodes) {
        new[node] = number;
    }
    let mut new_heads = Vec::with_capacity(kept_edges.len());
    let mut tail_starts = vec![0];
    let mut tails = Vec::new();
    for &(_, edge) in &kept_edges {
        new_heads.push(new[index(heads[edge])]);
        tails.extend(graph.tail(edge).iter().map(|&node| new[index(node)]));
        tail_starts.push(to_u64(tails.len()));
    }
    Ok(Pruned {
        graph: Hypergraph::new(Parts {
            nodes: kept_nodes.len(),
            heads: &new_heads,
            tail_starts: &tail_starts,
            tails: &tails,
            root: Some(new[graph.root()]),
        })?,
        nodes: kept_nodes.into_iter().map(|(number, _)| number).collect(),
        edges: kept_edges.into_iter().map(|(number, _)| number).collect(),
    })
}
