//! Tails as the passes want them: places of nodes, from 1, so that 0 can stand for what is not there.

use super::packed::Packed;
use crate::hypergraph::Hypergraph;
use crate::numeric::to_index;

/// A small number of an array.
pub(super) trait Place: Copy {
    /// As an index.
    fn at(self) -> usize;
}

impl Place for u16 {
    #[inline]
    fn at(self) -> usize {
        usize::from(self)
    }
}

impl Place for u32 {
    #[inline]
    fn at(self) -> usize {
        to_index(u64::from(self))
    }
}

/// The tail of each edge.
pub(super) trait Tails: Copy {
    /// The nodes, from 1; among them there may be 0, which stands for none.
    fn of(&self, edge: usize) -> impl Iterator<Item = usize>;
}

/// Tails of up to two nodes, two places for each edge: loops have no end to be guessed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pairs<'a, P>(pub &'a [P]);

impl<P: Place> Tails for Pairs<'_, P> {
    #[inline]
    fn of(&self, edge: usize) -> impl Iterator<Item = usize> {
        let pair = &self.0[2 * edge..2 * edge + 2];
        [pair[0].at(), pair[1].at()].into_iter()
    }
}

impl Tails for &Hypergraph {
    #[inline]
    fn of(&self, edge: usize) -> impl Iterator<Item = usize> {
        self.tail(edge).iter().map(|&node| node.at() + 1)
    }
}

/// The tails of a hypergraph in pairs, if none has more than two nodes and so many nodes have numbers.
pub(super) fn paired(graph: &Hypergraph) -> Option<Vec<u32>> {
    if graph.arity() > 2 {
        return None;
    }
    let place = |tail: &[u32], n: usize| tail.get(n).map_or(0, |node| node + 1);
    let tails = (0..graph.edges()).map(|edge| graph.tail(edge));
    Some(
        tails
            .flat_map(|tail| [place(tail, 0), place(tail, 1)])
            .collect(),
    )
}

/// Puts pairs back into rows: where each tail starts, and the nodes of all.
pub(super) fn unpaired(pairs: Packed<'_>, starts: &mut Vec<u32>, tails: &mut Vec<u32>) {
    starts.clear();
    tails.clear();
    starts.push(0);
    let mut count = 0;
    for place in 0..pairs.len() {
        // 0 is none.
        if let Some(node) = pairs.get(place).checked_sub(1) {
            tails.push(node);
            count += 1;
        }
        if place % 2 == 1 {
            starts.push(count);
        }
    }
}
