//! A hypergraph and an automaton that reads its yields, as one hypergraph.
//!
//! A node becomes one node for each pair of states between which the automaton can read a yield of it (Bar-Hillel, Perles and Shamir 1961). Only the states in
//! which a node can be reached from the left are looked at: the search asks, from the root down, what a node can do from a state, and goes through the items of
//! each edge from left to right.

use super::automaton::Automaton;
use super::build::Parts;
use super::prune::restrict;
use super::structure::{Hypergraph, index};
use super::yields::{Yields, tail_of};
use crate::cancel::CancelToken;
use crate::error::{Error, Result};
use crate::numeric::to_u64;
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;

/// Instead of the last state of the root, which has no one state.
pub const NO_STATE: u32 = u32::MAX;

/// The derivations whose yields an automaton accepts. They are in one-to-one correspondence with those of the whole that it accepts.
#[derive(Debug, Clone, PartialEq)]
pub struct Intersection {
    /// The new hypergraph.
    pub graph: Hypergraph,
    /// The old number of each node, by its new number.
    pub nodes: Vec<u32>,
    /// The old number of each edge, by its new number.
    pub edges: Vec<u32>,
    /// ln of the weight with which the automaton reads the words of each edge, and ends after edges into the root; by new number.
    pub weights: Vec<f64>,
    /// The states before and after each node, by its new number; [`NO_STATE`] after the root.
    pub states: Vec<[u32; 2]>,
}

/// Intersects a hypergraph with an automaton.
///
/// # Errors
/// [`Error::Cycle`] on a cyclic hypergraph; [`Error::Hypergraph`] for a yield that does not have each tail node exactly once; [`Error::TooLarge`] for more than
/// `limit` edges; [`Error::Cancelled`].
///
/// # Panics
/// If there are not as many yields as edges.
///
/// # Complexity
/// One step for each word or tail node of an edge and each sequence of states that can be met there: at most states^(arity + 2) for each edge.
pub fn intersect<A: Automaton>(
    graph: &Hypergraph,
    yields: &Yields,
    automaton: &mut A,
    limit: u64,
    cancel: &CancelToken,
) -> Result<Intersection> {
    graph.refuse_cycles("yields are only intersected where no node derives itself")?;
    yields.check_linear(graph)?;
    let root = u32::try_from(graph.root()).expect("numbers of nodes fit 32 bits");
    let start = automaton.start();
    let mut search = Search {
        graph,
        yields,
        automaton,
        limit,
        rows: FxHashMap::default(),
        answers: Vec::new(),
        new: Builder::default(),
    };
    search
        .new
        .node(graph.node_number(graph.root()), [start, NO_STATE])?;
    search.solve(
        Goal {
            node: root,
            state: start,
        },
        cancel,
    )?;
    search.new.finish()
}

/// What can a node do from a state?
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Goal {
    node: u32,
    state: u32,
}

/// The state after a node, and its new number.
type Answer = (u32, u32);

/// A goal at work: an edge, the item whose turn it is, and all ways to get there.
struct Frame {
    goal: Goal,
    edge: usize,
    item: usize,
    ways: Ways,
    /// The new number of the node by the state after it.
    found: FxHashMap<u32, u32>,
    answers: Vec<Answer>,
}

/// Ways through the first items of an edge.
#[derive(Debug, Default)]
struct Ways {
    /// The state that was reached, and the weight of the words so far.
    ends: Vec<(u32, f64)>,
    /// The new numbers of the tail nodes so far, a row of the arity for each way.
    tails: Vec<u32>,
}

struct Search<'a, A> {
    graph: &'a Hypergraph,
    yields: &'a Yields,
    automaton: &'a mut A,
    limit: u64,
    /// Rows of `answers`.
    rows: FxHashMap<Goal, Range<usize>>,
    answers: Vec<Answer>,
    new: Builder,
}

impl<A: Automaton> Search<'_, A> {
    /// Answers a goal, and first all that it needs. Goals at work are those of nodes above or beside: none of them can be asked for again.
    fn solve(&mut self, goal: Goal, cancel: &CancelToken) -> Result<()> {
        let mut frames = vec![self.begin(goal)];
        while let Some(mut frame) = frames.pop() {
            cancel.check()?;
            if self.rows.contains_key(&frame.goal) {
                continue;
            }
            let row = self.graph.edges_into(index(frame.goal.node));
            if frame.edge == row.end {
                let from = self.answers.len();
                self.answers.append(&mut frame.answers);
                self.rows.insert(frame.goal, from..self.answers.len());
                continue;
            }
            let waits = self.advance(&mut frame)?;
            frames.push(frame);
            frames.extend(waits.into_iter().map(|goal| self.begin(goal)));
        }
        Ok(())
    }

    fn begin(&self, goal: Goal) -> Frame {
        Frame {
            goal,
            edge: self.graph.edges_into(index(goal.node)).start,
            item: 0,
            ways: Ways::default(),
            found: FxHashMap::default(),
            answers: Vec::new(),
        }
    }

    /// Goes on with an edge until its end, or until goals must be answered first.
    fn advance(&mut self, frame: &mut Frame) -> Result<Vec<Goal>> {
        let tail = self.graph.tail(frame.edge);
        if frame.item == 0 {
            frame.ways = Ways {
                ends: vec![(frame.goal.state, 0.0)],
                tails: vec![0; tail.len()],
            };
        }
        while let Some(&item) = self.yields.items(frame.edge).get(frame.item) {
            match tail_of(item) {
                None => self.read(&mut frame.ways, item, tail.len()),
                Some(k) => {
                    let waits = self.unanswered(tail[k], &frame.ways);
                    if !waits.is_empty() {
                        return Ok(waits);
                    }
                    frame.ways = self.pass(&frame.ways, k, tail)?;
                }
            }
            frame.item += 1;
        }
        self.emit(frame)?;
        frame.edge += 1;
        frame.item = 0;
        Ok(Vec::new())
    }

    /// All ways go on by a word.
    fn read(&mut self, ways: &mut Ways, word: i32, arity: usize) {
        let mut kept = 0;
        for way in 0..ways.ends.len() {
            let (state, weight) = ways.ends[way];
            if let Some((next, more)) = self.automaton.step(state, word) {
                ways.ends[kept] = (next, weight + more);
                let row = way * arity..(way + 1) * arity;
                ways.tails.copy_within(row, kept * arity);
                kept += 1;
            }
        }
        ways.ends.truncate(kept);
        ways.tails.truncate(kept * arity);
    }

    fn unanswered(&self, node: u32, ways: &Ways) -> Vec<Goal> {
        let goals = ways.ends.iter().map(|&(state, _)| Goal { node, state });
        let mut waits: Vec<Goal> = goals.filter(|goal| !self.rows.contains_key(goal)).collect();
        // Who was met first is answered first: the last frame is the next.
        let mut seen = FxHashSet::default();
        waits.retain(|&goal| seen.insert(goal));
        waits.reverse();
        waits
    }

    /// All ways go on by all answers for a tail node.
    fn pass(&self, ways: &Ways, k: usize, tail: &[u32]) -> Result<Ways> {
        let mut next = Ways::default();
        for (way, &(state, weight)) in ways.ends.iter().enumerate() {
            let goal = Goal {
                node: tail[k],
                state,
            };
            for &(end, number) in &self.answers[self.rows[&goal].clone()] {
                let start = next.tails.len();
                next.tails
                    .extend_from_slice(&ways.tails[way * tail.len()..][..tail.len()]);
                next.tails[start + k] = number;
                next.ends.push((end, weight));
            }
            self.check_limit(next.ends.len())?;
        }
        Ok(next)
    }

    /// Every way through a whole edge is a new edge.
    fn emit(&mut self, frame: &mut Frame) -> Result<()> {
        let Goal { node, state } = frame.goal;
        let is_root = index(node) == self.graph.root();
        let arity = self.graph.tail(frame.edge).len();
        let number = self.graph.edge_number(frame.edge);
        for (way, &(end, weight)) in frame.ways.ends.iter().enumerate() {
            let (head, weight) = if is_root {
                match self.automaton.end(end) {
                    None => continue,
                    Some(more) => (0, weight + more),
                }
            } else if let Some(&head) = frame.found.get(&end) {
                (head, weight)
            } else {
                let old = self.graph.node_number(index(node));
                let head = self.new.node(old, [state, end])?;
                frame.found.insert(end, head);
                frame.answers.push((end, head));
                (head, weight)
            };
            let tail = &frame.ways.tails[way * arity..][..arity];
            self.new.edge(head, tail, number, weight);
        }
        self.check_limit(self.new.heads.len())
    }

    fn check_limit(&self, count: usize) -> Result<()> {
        if to_u64(count) <= self.limit {
            return Ok(());
        }
        Err(beyond(self.limit))
    }
}

/// What is said where the result would be too large.
pub(super) fn beyond(limit: u64) -> Error {
    Error::TooLarge {
        what: "the number of edges of the intersection",
        limit,
    }
}

/// The new hypergraph as far as it is made, with the way back to the old one.
#[derive(Debug, Default)]
struct Builder {
    heads: Vec<u32>,
    tail_starts: Vec<u64>,
    tails: Vec<u32>,
    edges: Vec<u32>,
    weights: Vec<f64>,
    nodes: Vec<u32>,
    states: Vec<[u32; 2]>,
}

impl Builder {
    fn node(&mut self, old: u32, states: [u32; 2]) -> Result<u32> {
        let number = u32::try_from(self.nodes.len()).map_err(|_| beyond(u64::from(u32::MAX)))?;
        self.nodes.push(old);
        self.states.push(states);
        Ok(number)
    }

    fn edge(&mut self, head: u32, tail: &[u32], old: u32, weight: f64) {
        self.heads.push(head);
        self.tail_starts.push(to_u64(self.tails.len()));
        self.tails.extend_from_slice(tail);
        self.edges.push(old);
        self.weights.push(weight);
    }

    /// Without the nodes that were looked at in vain. The root is node 0.
    fn finish(mut self) -> Result<Intersection> {
        self.tail_starts.push(to_u64(self.tails.len()));
        let graph = Hypergraph::new(Parts {
            nodes: self.nodes.len(),
            heads: &self.heads,
            tail_starts: &self.tail_starts,
            tails: &self.tails,
            root: Some(0),
        })?;
        let useful = restrict(&graph, &vec![true; graph.edges()])?;
        let nodes = useful.nodes.iter().map(|&node| index(node));
        let edges = useful.edges.iter().map(|&edge| index(edge));
        Ok(Intersection {
            nodes: nodes.clone().map(|node| self.nodes[node]).collect(),
            states: nodes.map(|node| self.states[node]).collect(),
            edges: edges.clone().map(|edge| self.edges[edge]).collect(),
            weights: edges.map(|edge| self.weights[edge]).collect(),
            graph: useful.graph,
        })
    }
}
