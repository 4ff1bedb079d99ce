//! Hypergraphs in which a node becomes one node for each kind of yield that it has.

use super::build::Parts;
use super::inside::POLLED;
use super::intersect::beyond;
use super::structure::{Hypergraph, index};
use super::yields::Yields;
use crate::cancel::CancelToken;
use crate::error::Result;
use crate::numeric::to_u64;
use rustc_hash::FxHashMap;
use std::hash::Hash;
use std::ops::Range;

/// Tells kinds of yields apart. The kind of an edge's yield follows from the kinds of its parts.
pub(super) trait Reading {
    /// A kind of yields.
    type State: Clone + Default + Eq + Hash;

    /// The kind of the yield of an edge. `states` are the kinds of all new nodes, `tail` the new nodes of the tail, one for each part of the yield.
    fn read(&mut self, items: &[i32], tail: &[u32], states: &[Self::State]) -> Self::State;

    /// Reads the yield of an edge into the root. Its kind matters to nobody.
    fn read_whole(&mut self, items: &[i32], tail: &[u32], states: &[Self::State]);
}

/// What became of a hypergraph.
pub(super) struct Split<S> {
    /// The new hypergraph, with numbers that are places: edges in the order in which they were read.
    pub(super) graph: Hypergraph,
    /// The old number of each new node.
    pub(super) nodes: Vec<u32>,
    /// The old number of each new edge.
    pub(super) edges: Vec<u32>,
    /// The kind of each new node; the default for the root.
    pub(super) states: Vec<S>,
}

/// Splits the nodes of a hypergraph by the kinds of their yields; reads each new edge once, in order.
///
/// # Errors
/// [`Error::Cycle`](crate::error::Error::Cycle) on a cyclic hypergraph; [`Error::Hypergraph`](crate::error::Error::Hypergraph) for a yield that does not have
/// each tail node exactly once; [`Error::TooLarge`](crate::error::Error::TooLarge) for more than the limit of edges;
/// [`Error::Cancelled`](crate::error::Error::Cancelled).
pub(super) fn split<R: Reading>(
    graph: &Hypergraph,
    yields: &Yields,
    reading: &mut R,
    limit: u64,
    cancel: &CancelToken,
) -> Result<Split<R::State>> {
    graph.refuse_cycles("n-grams are only told apart where no node derives itself")?;
    yields.check_linear(graph)?;
    let mut work = Work {
        graph,
        yields,
        reading,
        limit,
        numbers: vec![0..0; graph.nodes()],
        heads: Vec::new(),
        tail_starts: vec![0],
        tails: Vec::new(),
        nodes: Vec::new(),
        edges: Vec::new(),
        states: Vec::new(),
        found: FxHashMap::default(),
    };
    let is_useful = graph.useful_nodes();
    for node in (0..graph.nodes()).filter(|&node| is_useful[node]) {
        work.split(node, cancel)?;
    }
    work.finish()
}

struct Work<'a, R: Reading> {
    graph: &'a Hypergraph,
    yields: &'a Yields,
    reading: &'a mut R,
    limit: u64,
    /// Node by node: the new numbers that an old node has.
    numbers: Vec<Range<u32>>,
    heads: Vec<u32>,
    tail_starts: Vec<u64>,
    tails: Vec<u32>,
    nodes: Vec<u32>,
    edges: Vec<u32>,
    states: Vec<R::State>,
    /// The new nodes of the old node at work.
    found: FxHashMap<R::State, u32>,
}

impl<R: Reading> Work<'_, R> {
    /// Makes the new nodes of an old one, and the edges into them.
    fn split(&mut self, node: usize, cancel: &CancelToken) -> Result<()> {
        let first = self.next_node()?;
        let is_root = node == self.graph.root();
        self.found.clear();
        let (mut tail, mut ranges) = (Vec::new(), Vec::new());
        for edge in self.graph.edges_into(node) {
            cancel.check()?;
            let old = self.graph.tail(edge);
            ranges.clear();
            ranges.extend(old.iter().map(|&node| self.numbers[index(node)].clone()));
            if ranges.iter().any(Range::is_empty) {
                continue;
            }
            tail.clear();
            tail.extend(ranges.iter().map(|range| range.start));
            loop {
                if self.heads.len().is_multiple_of(POLLED) {
                    cancel.check()?;
                }
                self.add(node, edge, &tail, is_root)?;
                if !advance(&mut tail, &ranges) {
                    break;
                }
            }
        }
        self.numbers[node] = first..self.next_node()?;
        Ok(())
    }

    /// Reads a new edge and gives it a head.
    fn add(&mut self, node: usize, edge: usize, tail: &[u32], is_root: bool) -> Result<()> {
        let items = self.yields.items(edge);
        let state = if is_root {
            self.reading.read_whole(items, tail, &self.states);
            R::State::default()
        } else {
            self.reading.read(items, tail, &self.states)
        };
        let head = if let Some(&head) = self.found.get(&state) {
            head
        } else {
            let head = self.next_node()?;
            self.nodes.push(self.graph.node_number(node));
            self.states.push(state.clone());
            self.found.insert(state, head);
            head
        };
        self.heads.push(head);
        self.tails.extend_from_slice(tail);
        self.tail_starts.push(to_u64(self.tails.len()));
        self.edges.push(self.graph.edge_number(edge));
        if to_u64(self.heads.len()) > self.limit {
            return Err(beyond(self.limit));
        }
        Ok(())
    }

    fn next_node(&self) -> Result<u32> {
        u32::try_from(self.nodes.len()).map_err(|_| beyond(u64::from(u32::MAX)))
    }

    fn finish(mut self) -> Result<Split<R::State>> {
        // Without derivations there is no root yet.
        let range = &self.numbers[self.graph.root()];
        let root = range.start;
        if range.is_empty() {
            self.nodes.push(self.graph.node_number(self.graph.root()));
            self.states.push(R::State::default());
        }
        Ok(Split {
            graph: Hypergraph::new(Parts {
                nodes: self.nodes.len(),
                heads: &self.heads,
                tail_starts: &self.tail_starts,
                tails: &self.tails,
                root: Some(root),
            })?,
            nodes: self.nodes,
            edges: self.edges,
            states: self.states,
        })
    }
}

/// The next choice from all ranges, the last one fastest; false after the last.
fn advance(choice: &mut [u32], ranges: &[Range<u32>]) -> bool {
    for (number, range) in choice.iter_mut().zip(ranges).rev() {
        *number += 1;
        if *number < range.end {
            return true;
        }
        *number = range.start;
    }
    false
}
