//! The k best derivations, one after the other.
//!
//! Every node has a list of its best derivations, in order, which grows on demand (Huang and Chiang 2005, algorithm 3). A derivation is an edge and, for each
//! tail node, a rank in that node's list. The next one of a node is the best of its *candidates*: for each edge, the derivations that follow from one that was
//! taken when one rank goes up by one.
//!
//! DEVIATION: the paper puts every successor in the queue unless it is there already. Here a derivation gives rise to the successors at or after its last rank
//! that is not 0, and to no others: then each point of the grid has one predecessor, and no set of what has been seen is needed.

use super::derivation::{Derivation, unfold};
use super::inside::POLLED;
use super::structure::{Hypergraph, index};
use super::unique::Unique;
use super::viterbi::{Best, NO_EDGE, viterbi};
use super::yields::Yields;
use crate::cancel::CancelToken;
use crate::error::{Error, Result};
use std::borrow::Borrow;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Derivations of the root from the best on, without end but that of the hypergraph.
///
/// Distinct, with weights that never rise. Ties are broken in the same way on each run: between the candidates of a node, the smaller edge number comes first,
/// then the one that became a candidate first. So the first k of them do not depend on how many more are asked for.
///
/// # Complexity
/// The first costs what [`viterbi`] costs. Every further one takes at most one step at each node of the derivation before it:
/// O(depth arity log(candidates)). 16 bytes for each edge into a visited node, 16 + 4 arity for each candidate and about 100 for each visited node.
#[derive(Debug)]
pub struct KBest<G: Borrow<Hypergraph>> {
    graph: G,
    /// By place.
    weights: Vec<f64>,
    best: Best<f64>,
    /// The list of each node, or [`NO_LIST`]; empty until a second derivation is asked for.
    slots: Vec<u32>,
    lists: Vec<List>,
    /// Ranks of all candidates, row after row; the first row is all 0.
    ranks: Vec<u32>,
    /// The rank of the next derivation of the root.
    next: u32,
    unique: Option<Unique>,
}

const NO_LIST: u32 = u32::MAX;

/// A derivation of a node: an edge, and a rank for each tail node.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate {
    weight: f64,
    pub(super) edge: u32,
    /// Where its ranks start. Rises with time.
    ranks: u32,
}

/// The derivations of a node so far.
#[derive(Debug)]
struct List {
    /// In order.
    found: Vec<Candidate>,
    /// The last one that was taken, if its successors are not candidates yet.
    last: Option<Candidate>,
    candidates: BinaryHeap<Candidate>,
}

/// Whether a derivation of a rank is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Found,
    Missing,
    Unknown,
}

impl<G: Borrow<Hypergraph>> KBest<G> {
    /// Starts with the best derivation of every node.
    ///
    /// `weights` are natural logarithms by place; -infinity is the weight of an edge that is not there.
    ///
    /// # Errors
    /// [`Error::Cycle`] on a cyclic hypergraph; [`Error::Cancelled`].
    ///
    /// # Panics
    /// If there are not as many weights as edges.
    pub fn new(graph: G, weights: Vec<f64>, cancel: &CancelToken) -> Result<Self> {
        let best = viterbi(graph.borrow(), &weights, cancel)?;
        Ok(Self {
            ranks: vec![0; graph.borrow().arity()],
            graph,
            weights,
            best,
            slots: Vec::new(),
            lists: Vec::new(),
            next: 0,
            unique: None,
        })
    }

    /// The same, but only the best derivation of each yield. After `limit` derivations of nodes the search is given up.
    ///
    /// Of two derivations of a node with one yield, only the better can be part of a derivation that is the best with its yield, so that every list is kept
    /// free of repetitions, not only that of the root. Yields are compared by hash first, then word by word.
    ///
    /// # Errors
    /// As [`KBest::new`].
    ///
    /// # Panics
    /// If there are not as many weights and yields as edges.
    pub fn unique(
        graph: G,
        weights: Vec<f64>,
        yields: Yields,
        limit: u64,
        cancel: &CancelToken,
    ) -> Result<Self> {
        let plain = Self::new(graph, weights, cancel)?;
        let unique = Unique::new(plain.graph.borrow(), &plain.best, yields, limit);
        Ok(Self {
            unique: Some(unique),
            ..plain
        })
    }

    /// The hypergraph.
    #[must_use]
    pub fn graph(&self) -> &Hypergraph {
        self.graph.borrow()
    }

    /// The next best derivation of the root; nothing when there are no more.
    ///
    /// # Errors
    /// [`Error::TooLarge`] for a derivation of more than 2^28 edges, for 2^32 ranks of candidates, and past the limit of [`KBest::unique`];
    /// [`Error::Cancelled`].
    pub fn next_best(&mut self, cancel: &CancelToken) -> Result<Option<Derivation>> {
        let root = self.graph().root();
        if self.next == 0 {
            let first = self.best.derivation(self.graph(), cancel)?;
            self.next = u32::from(first.is_some());
            return Ok(first);
        }
        self.find(place(root), self.next, cancel)?;
        if self.state(place(root), self.next) != State::Found {
            return Ok(None);
        }
        let top = (place(root), self.next);
        let edges = unfold(top, cancel, |(node, rank), waiting| {
            let (edge, ranks) = self.part(node, rank);
            let tail = self.graph().tail(index(edge)).iter().copied();
            waiting.extend(tail.zip(ranks.iter().copied()));
            edge
        })?;
        let weight = self.weight(top.0, top.1);
        self.next += 1;
        Ok(Some(Derivation { edges, weight }))
    }

    /// Makes the list of a node long enough for a rank, if it can be.
    fn find(&mut self, node: u32, rank: u32, cancel: &CancelToken) -> Result<()> {
        let mut waiting = vec![(node, rank)];
        let mut steps = 0;
        'next: while let Some(&(node, rank)) = waiting.last() {
            steps += 1;
            if steps % POLLED == 0 {
                cancel.check()?;
            }
            if self.state(node, rank) != State::Unknown {
                waiting.pop();
                continue;
            }
            let slot = self.open(node);
            if let Some(last) = self.lists[slot].last {
                let steps = self.steps(last);
                for &(node, rank) in &steps {
                    if self.state(node, rank) == State::Unknown {
                        waiting.push((node, rank));
                        continue 'next;
                    }
                }
                self.add_successors(slot, last, &steps)?;
                self.lists[slot].last = None;
            }
            if let Some(&taken) = self.lists[slot].candidates.peek() {
                let is_new = self.admit(node, slot, taken, cancel)?;
                let list = &mut self.lists[slot];
                list.last = list.candidates.pop();
                if is_new {
                    list.found.push(taken);
                }
            }
        }
        Ok(())
    }

    /// The ranks of tail nodes that successors of a derivation need, from its last rank that is not 0.
    fn steps(&self, last: Candidate) -> Vec<(u32, u32)> {
        let tail = self.graph().tail(index(last.edge));
        let ranks = self.row(last);
        let first = ranks.iter().rposition(|&rank| rank > 0).unwrap_or(0);
        let steps = tail[first..].iter().zip(&ranks[first..]);
        steps.map(|(&node, &rank)| (node, rank + 1)).collect()
    }

    /// Adds the successors of a derivation that exist to the candidates.
    fn add_successors(&mut self, slot: usize, last: Candidate, steps: &[(u32, u32)]) -> Result<()> {
        let arity = self.graph().tail(index(last.edge)).len();
        let from = index(last.ranks);
        for (position, &(node, rank)) in (arity - steps.len()..).zip(steps) {
            if self.state(node, rank) != State::Found {
                continue;
            }
            let start = self.ranks.len();
            let ranks = u32::try_from(start + arity).map_err(|_| Error::TooLarge {
                what: "the number of ranks of candidate derivations",
                limit: u64::from(u32::MAX),
            })?;
            self.ranks.extend_from_within(from..from + arity);
            self.ranks[start + position] = rank;
            let mut candidate = Candidate {
                weight: self.weights[index(last.edge)],
                edge: last.edge,
                ranks: ranks - place(arity),
            };
            let tail = self.graph().tail(index(last.edge));
            for (&node, &rank) in tail.iter().zip(self.row(candidate)) {
                candidate.weight += self.weight(node, rank);
            }
            if candidate.weight > f64::NEG_INFINITY {
                self.lists[slot].candidates.push(candidate);
            }
        }
        Ok(())
    }

    /// Whether a derivation is one that its node's list should have.
    fn admit(
        &mut self,
        node: u32,
        slot: usize,
        taken: Candidate,
        cancel: &CancelToken,
    ) -> Result<bool> {
        let Some(mut unique) = self.unique.take() else {
            return Ok(true);
        };
        let admitted = unique.admit(self, node, slot, taken, cancel);
        self.unique = Some(unique);
        admitted
    }

    /// The list of a node; it starts with the best derivation, and the best by each other edge as candidates.
    fn open(&mut self, node: u32) -> usize {
        if self.slots.is_empty() {
            self.slots = vec![NO_LIST; self.graph().nodes()];
        }
        if self.slots[index(node)] != NO_LIST {
            return index(self.slots[index(node)]);
        }
        let graph = self.graph.borrow();
        let first = Candidate {
            weight: self.best.values[index(node)],
            edge: self.best.edges[index(node)],
            ranks: 0,
        };
        let mut candidates = Vec::new();
        for edge in graph.edges_into(index(node)) {
            let tail = graph.tail(edge).iter();
            let weight = tail.fold(self.weights[edge], |sum, &node| {
                sum + self.best.values[index(node)]
            });
            let edge = place(edge);
            if edge != first.edge && weight > f64::NEG_INFINITY {
                candidates.push(Candidate {
                    weight,
                    edge,
                    ranks: 0,
                });
            }
        }
        let slot = self.lists.len();
        self.slots[index(node)] = place(slot);
        self.lists.push(List {
            found: vec![first],
            last: Some(first),
            candidates: BinaryHeap::from(candidates),
        });
        slot
    }

    fn state(&self, node: u32, rank: u32) -> State {
        if self.best.edges[index(node)] == NO_EDGE {
            return State::Missing;
        }
        if rank == 0 {
            return State::Found;
        }
        match self.list(node) {
            Some(list) if list.found.len() > index(rank) => State::Found,
            Some(list) if list.last.is_none() && list.candidates.is_empty() => State::Missing,
            _ => State::Unknown,
        }
    }

    /// Which list is that of a node.
    pub(super) fn slot(&self, node: u32) -> Option<usize> {
        let slot = self.slots.get(index(node)).copied()?;
        (slot != NO_LIST).then(|| index(slot))
    }

    fn list(&self, node: u32) -> Option<&List> {
        Some(&self.lists[self.slot(node)?])
    }

    fn row(&self, candidate: Candidate) -> &[u32] {
        let arity = self.graph().tail(index(candidate.edge)).len();
        &self.ranks[index(candidate.ranks)..][..arity]
    }

    /// The edge and the ranks of a derivation that was found.
    pub(super) fn part(&self, node: u32, rank: u32) -> (u32, &[u32]) {
        if rank == 0 {
            let edge = self.best.edges[index(node)];
            return (edge, &self.ranks[..self.graph().tail(index(edge)).len()]);
        }
        let list = self.list(node).expect("a rank above 0 is in a list");
        self.top(list.found[index(rank)])
    }

    /// The edge and the ranks of a candidate.
    pub(super) fn top(&self, candidate: Candidate) -> (u32, &[u32]) {
        (candidate.edge, self.row(candidate))
    }

    fn weight(&self, node: u32, rank: u32) -> f64 {
        match self.list(node) {
            Some(list) if rank > 0 => list.found[index(rank)].weight,
            _ => self.best.values[index(node)],
        }
    }
}

/// An index that was checked to fit: of nodes, edges, or lists of nodes.
fn place(index: usize) -> u32 {
    u32::try_from(index).expect("numbers of nodes and edges fit 32 bits")
}

impl Ord for Candidate {
    /// Better is greater: the weight, then the smaller edge, then who came first.
    fn cmp(&self, other: &Self) -> Ordering {
        let ties = || (other.edge, other.ranks).cmp(&(self.edge, self.ranks));
        self.weight.total_cmp(&other.weight).then_with(ties)
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Candidate {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Candidate {}
