//! The structure: nodes, edges and tails in compact rows.

use crate::numeric::{to_index, to_u64};
use std::borrow::Cow;
use std::ops::Range;

/// An immutable hypergraph with one root.
///
/// Nodes and edges have places, from 0: the nodes of a tail stand before the head (or with it, on a cycle), and the edges into one node stand together, in the
/// order in which they were given. 8 bytes a node, 4 an edge and 4 a tail node; 4 more a node and an edge if the caller's order is another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hypergraph {
    /// Row v of the edges: the edges into node v are `incoming[v] .. incoming[v + 1]`.
    pub(super) incoming: Vec<u32>,
    /// Row e of the tails.
    pub(super) tail_starts: Vec<u32>,
    /// The nodes of all tails, edge by edge.
    pub(super) tails: Vec<u32>,
    pub(super) root: u32,
    /// The caller's number of each node; nothing if it is the place.
    pub(super) node_numbers: Option<Vec<u32>>,
    /// The caller's number of each edge; nothing if it is the place.
    pub(super) edge_numbers: Option<Vec<u32>>,
    /// Components with a cycle, as ranges of nodes, in order.
    pub(super) knots: Vec<Range<u32>>,
}

impl Hypergraph {
    /// The number of nodes.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.incoming.len() - 1
    }

    /// The number of edges.
    #[must_use]
    pub fn edges(&self) -> usize {
        self.tail_starts.len() - 1
    }

    /// The number of nodes of all tails.
    #[must_use]
    pub fn tail_nodes(&self) -> usize {
        self.tails.len()
    }

    /// The largest number of nodes of a tail.
    #[must_use]
    pub fn arity(&self) -> usize {
        let arities = self.tail_starts.windows(2).map(|row| row[1] - row[0]);
        index(arities.max().unwrap_or(0))
    }

    /// The node whose derivations are those of the hypergraph.
    #[must_use]
    pub fn root(&self) -> usize {
        index(self.root)
    }

    /// The edges into a node.
    #[must_use]
    #[inline]
    pub fn edges_into(&self, node: usize) -> Range<usize> {
        index(self.incoming[node])..index(self.incoming[node + 1])
    }

    /// The tail of an edge, in order.
    #[must_use]
    #[inline]
    pub fn tail(&self, edge: usize) -> &[u32] {
        &self.tails[index(self.tail_starts[edge])..index(self.tail_starts[edge + 1])]
    }

    /// The head of each edge. O(edges).
    #[must_use]
    pub fn heads(&self) -> Vec<u32> {
        let mut heads = Vec::with_capacity(self.edges());
        for (node, row) in (0_u32..).zip(self.incoming.windows(2)) {
            heads.resize(index(row[1]), node);
        }
        heads
    }

    /// Whether no node derives itself.
    #[must_use]
    pub fn is_acyclic(&self) -> bool {
        self.knots.is_empty()
    }

    /// The strongly connected components that have a cycle, as ranges of nodes in order.
    #[must_use]
    pub fn knots(&self) -> &[Range<u32>] {
        &self.knots
    }

    /// The caller's number of a node.
    #[must_use]
    #[inline]
    pub fn node_number(&self, place: usize) -> u32 {
        number(self.node_numbers.as_deref(), place)
    }

    /// The caller's number of an edge.
    #[must_use]
    #[inline]
    pub fn edge_number(&self, place: usize) -> u32 {
        number(self.edge_numbers.as_deref(), place)
    }

    /// The caller's numbers of the nodes by place, if the orders differ.
    #[must_use]
    pub fn node_numbers(&self) -> Option<&[u32]> {
        self.node_numbers.as_deref()
    }

    /// The caller's numbers of the edges by place, if the orders differ.
    #[must_use]
    pub fn edge_numbers(&self) -> Option<&[u32]> {
        self.edge_numbers.as_deref()
    }

    /// Values of the nodes by place, from values by number.
    #[must_use]
    pub fn arrange_nodes<'a, T: Clone>(&self, by_number: &'a [T]) -> Cow<'a, [T]> {
        arrange(self.node_numbers.as_deref(), by_number)
    }

    /// Values of the edges by place, from values by number.
    #[must_use]
    pub fn arrange_edges<'a, T: Clone>(&self, by_number: &'a [T]) -> Cow<'a, [T]> {
        arrange(self.edge_numbers.as_deref(), by_number)
    }

    /// Values of the nodes by number, from values by place.
    #[must_use]
    pub fn restore_nodes<T: Clone>(&self, by_place: Vec<T>) -> Vec<T> {
        restore(self.node_numbers.as_deref(), by_place)
    }

    /// Values of the edges by number, from values by place.
    #[must_use]
    pub fn restore_edges<T: Clone>(&self, by_place: Vec<T>) -> Vec<T> {
        restore(self.edge_numbers.as_deref(), by_place)
    }
}

/// A node or edge as an index.
#[inline]
pub(super) fn index(place: u32) -> usize {
    to_index(u64::from(place))
}

fn number(numbers: Option<&[u32]>, place: usize) -> u32 {
    match numbers {
        Some(numbers) => numbers[place],
        // A place fits 32 bits: the builder refuses more.
        None => u32::try_from(place).unwrap_or(u32::MAX),
    }
}

fn arrange<'a, T: Clone>(numbers: Option<&[u32]>, values: &'a [T]) -> Cow<'a, [T]> {
    match numbers {
        Some(numbers) => numbers.iter().map(|&n| values[index(n)].clone()).collect(),
        None => Cow::Borrowed(values),
    }
}

fn restore<T: Clone>(numbers: Option<&[u32]>, values: Vec<T>) -> Vec<T> {
    let Some(numbers) = numbers else {
        return values;
    };
    let mut by_number = values.clone();
    for (&n, value) in numbers.iter().zip(values) {
        by_number[index(n)] = value;
    }
    by_number
}

/// A hypergraph as the caller numbers it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Numbered {
    /// The head of each edge.
    pub heads: Vec<u32>,
    /// Where the tail of each edge starts; one more than there are edges.
    pub tail_starts: Vec<u64>,
    /// The nodes of all tails.
    pub tails: Vec<u32>,
    /// The root.
    pub root: u32,
}

impl Hypergraph {
    /// The arrays that it was made of. O(nodes + edges + tail nodes).
    #[must_use]
    pub fn numbered(&self) -> Numbered {
        let by_number = |place: u32| self.node_number(index(place));
        let heads = self.restore_edges(self.heads().into_iter().map(by_number).collect());
        let mut places: Vec<u32> = (0..).take(self.edges()).collect();
        places = self.restore_edges(places);
        let mut tails = Vec::with_capacity(self.tails.len());
        let mut tail_starts = Vec::with_capacity(self.edges() + 1);
        tail_starts.push(0);
        for place in places {
            tails.extend(self.tail(index(place)).iter().map(|&node| by_number(node)));
            tail_starts.push(to_u64(tails.len()));
        }
        Numbered {
            heads,
            tail_starts,
            tails,
            root: by_number(self.root),
        }
    }
}
