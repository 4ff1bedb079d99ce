//! An order in which tails come before heads, and the components where that cannot be.

use super::inside::POLLED;
use super::structure::{Hypergraph, index};
use crate::cancel::CancelToken;
use crate::error::Result;
use std::ops::Range;

/// Nodes in order, and the components that have a cycle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Order {
    /// The nodes, tails first.
    pub nodes: Vec<u32>,
    /// Ranges of `nodes` that are strongly connected, by more than one node or by an edge of a node to itself.
    pub knots: Vec<Range<u32>>,
}

const UNSEEN: u32 = u32::MAX;

/// Strongly connected components (Tarjan 1972), tails first. An explicit stack: lattices are as deep as they are long.
///
/// The edges into node v are row v of `incoming`, their tails rows of `tail_starts`.
///
/// # Errors
/// [`crate::error::Error::Cancelled`].
pub(super) fn components(
    incoming: &[u32],
    tail_starts: &[u32],
    tails: &[u32],
    cancel: &CancelToken,
) -> Result<Order> {
    let count = incoming.len() - 1;
    // The tails of all edges into a node stand together.
    let row = |node: u32| {
        let edges = (incoming[index(node)], incoming[index(node) + 1]);
        (tail_starts[index(edges.0)], tail_starts[index(edges.1)])
    };
    let mut order = Order {
        nodes: Vec::with_capacity(count),
        knots: Vec::new(),
    };
    // When a node was first seen, and the earliest node of its component that is known to be reached from it.
    let (mut seen, mut lowest) = (vec![UNSEEN; count], vec![UNSEEN; count]);
    let mut is_open = vec![false; count];
    let mut open: Vec<u32> = Vec::new();
    // The way to the node at hand, with the next tail of each.
    let mut way: Vec<(u32, u32)> = Vec::new();
    let mut clock = 0;
    for start in (0..).take(count) {
        if seen[index(start)] != UNSEEN {
            continue;
        }
        way.push((start, row(start).0));
        while let Some(&mut (node, ref mut next)) = way.last_mut() {
            let at = index(node);
            if seen[at] == UNSEEN {
                (seen[at], lowest[at], is_open[at]) = (clock, clock, true);
                clock += 1;
                open.push(node);
                if index(clock).is_multiple_of(POLLED) {
                    cancel.check()?;
                }
            }
            if *next < row(node).1 {
                let tail = tails[index(*next)];
                *next += 1;
                if seen[index(tail)] == UNSEEN {
                    way.push((tail, row(tail).0));
                } else if is_open[index(tail)] {
                    lowest[at] = lowest[at].min(seen[index(tail)]);
                }
                continue;
            }
            way.pop();
            if let Some(&(parent, _)) = way.last() {
                lowest[index(parent)] = lowest[index(parent)].min(lowest[at]);
            }
            if lowest[at] == seen[at] {
                close(node, &mut open, &mut is_open, &mut order, |node| {
                    let (from, to) = row(node);
                    tails[index(from)..index(to)].contains(&node)
                });
            }
        }
    }
    Ok(order)
}

/// Moves a whole component from the open nodes to the order.
fn close(
    first: u32,
    open: &mut Vec<u32>,
    is_open: &mut [bool],
    order: &mut Order,
    has_loop: impl Fn(u32) -> bool,
) {
    let from = order.nodes.len();
    while let Some(node) = open.pop() {
        is_open[index(node)] = false;
        order.nodes.push(node);
        if node == first {
            break;
        }
    }
    let component = &mut order.nodes[from..];
    component.sort_unstable();
    if component.len() > 1 || has_loop(first) {
        let bound = |n: usize| u32::try_from(n).unwrap_or(UNSEEN);
        order.knots.push(bound(from)..bound(order.nodes.len()));
    }
}

impl Hypergraph {
    /// The nodes of a shortest cycle through the first node that is on one, by number, heads first; nothing if there is none. O(edges).
    #[must_use]
    pub fn cycle(&self) -> Option<Vec<u32>> {
        let knot = self.knots.first()?;
        let (from, count) = (index(knot.start), knot.len());
        // Breadth first from the first node of the component, down the tails, until it is met again.
        let mut parent = vec![UNSEEN; count];
        let mut queue = vec![knot.start];
        let mut at = 0;
        while let Some(&node) = queue.get(at) {
            at += 1;
            for edge in self.edges_into(index(node)) {
                for &tail in self.tail(edge).iter().filter(|tail| knot.contains(tail)) {
                    if tail == knot.start {
                        return Some(self.way_back(node, from, &parent));
                    }
                    let place = &mut parent[index(tail) - from];
                    if *place == UNSEEN {
                        *place = node;
                        queue.push(tail);
                    }
                }
            }
        }
        None
    }

    /// The nodes from the first of a component down to one, by number.
    fn way_back(&self, last: u32, from: usize, parent: &[u32]) -> Vec<u32> {
        let mut nodes = vec![last];
        let mut node = last;
        while index(node) != from {
            node = parent[index(node) - from];
            nodes.push(node);
        }
        nodes.reverse();
        nodes
            .into_iter()
            .map(|node| self.node_number(index(node)))
            .collect()
    }

    /// Which nodes are part of a whole derivation, by place: the root reaches them, and they have derivations. O(edges).
    #[must_use]
    pub fn useful_nodes(&self) -> Vec<bool> {
        let productive = self.productive_nodes();
        let mut is_useful = vec![false; self.nodes()];
        if !productive[self.root()] {
            return is_useful;
        }
        let mut waiting = vec![self.root];
        is_useful[self.root()] = true;
        while let Some(node) = waiting.pop() {
            for edge in self.edges_into(index(node)) {
                let tail = self.tail(edge);
                if tail.iter().all(|&node| productive[index(node)]) {
                    for &node in tail {
                        if !std::mem::replace(&mut is_useful[index(node)], true) {
                            waiting.push(node);
                        }
                    }
                }
            }
        }
        is_useful
    }

    /// Which nodes have a derivation, by place. O(edges), once more for each round that a cycle takes.
    #[must_use]
    pub fn productive_nodes(&self) -> Vec<bool> {
        let mut productive = vec![false; self.nodes()];
        let derives = |node: usize, productive: &[bool]| {
            self.edges_into(node)
                .any(|edge| self.tail(edge).iter().all(|&t| productive[index(t)]))
        };
        let mut knots = self.knots.iter().peekable();
        let mut node = 0;
        while node < self.nodes() {
            let Some(knot) = knots.next_if(|knot| index(knot.start) == node) else {
                productive[node] = derives(node, &productive);
                node += 1;
                continue;
            };
            let range = index(knot.start)..index(knot.end);
            loop {
                let mut has_changed = false;
                for node in range.clone() {
                    if !productive[node] && derives(node, &productive) {
                        productive[node] = true;
                        has_changed = true;
                    }
                }
                if !has_changed {
                    break;
                }
            }
            node = range.end;
        }
        productive
    }
}
