//! Forests whose tails have one node at most, as arcs between states.

use super::super::forest::{Forest, Forests, Item};
use super::super::structure::index;
use super::output::{is_bare_axiom, refuse};
use crate::error::Result;
use crate::numeric::to_index;

/// An arc. Features and weight of an edge go with its first arc.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Arc {
    pub from: usize,
    pub to: usize,
    pub word: Option<u32>,
    pub edge: Option<usize>,
}

/// States are the nodes by number, and further ones inside edges of several words.
#[derive(Debug)]
pub(super) struct Lattice {
    pub states: usize,
    pub start: usize,
    pub arcs: Vec<Arc>,
    /// States where a path may end, with the edge that says so.
    pub ends: Vec<(usize, Option<usize>)>,
}

/// Where the tail stands in the yields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Left,
    Right,
}

impl Lattice {
    /// The lattice that a forest is.
    ///
    /// # Errors
    /// [`crate::error::Error::Hypergraph`] for tails of more than one node, words on both sides of the tail, and tails on the left in some edges and on the right in others.
    pub fn of(forest: &Forest) -> Result<Self> {
        let mut side = None;
        for edge in 0..forest.edges() {
            let here = side_of(forest, edge)?;
            if side.is_some() && here.is_some() && side != here {
                return Err(not_a_lattice(
                    edge,
                    "the tail on another side of the words than before",
                ));
            }
            side = side.or(here);
        }
        let mut lattice = Self {
            states: forest.nodes,
            start: index(forest.root),
            arcs: Vec::with_capacity(forest.edges()),
            ends: Vec::new(),
        };
        if side == Some(Side::Left) {
            lattice.follow_left(forest);
        } else {
            lattice.follow_right(forest);
        }
        Ok(lattice)
    }

    /// Derivations of a node are the paths that begin there.
    fn follow_right(&mut self, forest: &Forest) {
        let mut is_end = vec![false; forest.nodes];
        let mut end = None;
        for edge in 0..forest.edges() {
            let head = index(forest.heads[edge]);
            let words = words(forest, edge);
            if let Some(&tail) = forest.tail(edge).first() {
                self.path(head, index(tail), &words, edge);
            } else if words.is_empty() && !std::mem::replace(&mut is_end[head], true) {
                self.ends.push((head, Some(edge)));
            } else {
                // Words at the end, or a second way to end.
                let end = *end.get_or_insert_with(|| {
                    self.states += 1;
                    self.states - 1
                });
                self.path(head, end, &words, edge);
            }
        }
        self.ends.extend(end.map(|state| (state, None)));
    }

    /// Derivations of a node are the paths that end there.
    fn follow_left(&mut self, forest: &Forest) {
        self.ends.push((index(forest.root), None));
        let without_tail: Vec<usize> = (0..forest.edges())
            .filter(|&e| forest.tail(e).is_empty())
            .collect();
        self.start = match without_tail[..] {
            [edge] if is_bare_axiom(forest, edge) && is_only_edge(forest, edge) => {
                index(forest.heads[edge])
            }
            _ => {
                self.states += 1;
                self.states - 1
            }
        };
        let start = self.start;
        for edge in 0..forest.edges() {
            let head = index(forest.heads[edge]);
            let tail = forest.tail(edge).first().map_or(start, |&tail| index(tail));
            if tail != head || !forest.tail(edge).is_empty() {
                self.path(tail, head, &words(forest, edge), edge);
            }
        }
    }

    /// Arcs for the words of an edge, one after the other.
    fn path(&mut self, from: usize, to: usize, words: &[u32], edge: usize) {
        let mut at = from;
        for (n, &word) in words.iter().enumerate() {
            let is_last = n + 1 == words.len();
            let next = if is_last { to } else { self.states };
            self.states += usize::from(!is_last);
            self.arcs.push(Arc {
                from: at,
                to: next,
                word: Some(word),
                edge: (n == 0).then_some(edge),
            });
            at = next;
        }
        if words.is_empty() {
            self.arcs.push(Arc {
                from,
                to,
                word: None,
                edge: Some(edge),
            });
        }
    }

    /// One state where every path ends, without features or weight: a new one if need be. None if no path ends.
    pub fn only_end(&mut self, forest: &Forest) -> Option<usize> {
        let is_bare = |edge: Option<usize>| edge.is_none_or(|edge| is_bare_axiom(forest, edge));
        if let [(state, edge)] = self.ends[..]
            && is_bare(edge)
            && !self.arcs.iter().any(|arc| arc.from == state)
        {
            return Some(state);
        }
        let end = self.states;
        for (from, edge) in std::mem::take(&mut self.ends) {
            self.arcs.push(Arc {
                from,
                to: end,
                word: None,
                edge,
            });
        }
        self.ends.push((end, None));
        self.states += 1;
        (self.arcs.iter().any(|arc| arc.to == end)).then_some(end)
    }
}

/// Where the tail of an edge stands, if it matters.
fn side_of(forest: &Forest, edge: usize) -> Result<Option<Side>> {
    let tail = forest.tail(edge);
    if tail.len() > 1 {
        return Err(not_a_lattice(
            edge,
            &format!("a tail of {} nodes", tail.len()),
        ));
    }
    let items = forest.items(edge);
    let count = items.len();
    if count == 0 || tail.is_empty() {
        return Ok(None);
    }
    let mut places = forest
        .items(edge)
        .enumerate()
        .filter(|(_, item)| matches!(item, Item::Tail(_)));
    match (places.next(), places.next()) {
        (Some(_), None) if count == 1 => Ok(None),
        (Some((0, _)), None) => Ok(Some(Side::Left)),
        (Some((last, _)), None) if last + 1 == count => Ok(Some(Side::Right)),
        _ => Err(not_a_lattice(
            edge,
            "words on both sides of the tail, or a tail that is not yielded once",
        )),
    }
}

fn words(forest: &Forest, edge: usize) -> Vec<u32> {
    let words = forest.items(edge).filter_map(|item| match item {
        Item::Word(id) => Some(id),
        Item::Tail(_) => None,
    });
    words.collect()
}

fn is_only_edge(forest: &Forest, edge: usize) -> bool {
    let head = forest.heads[edge];
    forest.heads.iter().filter(|&&other| other == head).count() == 1
}

fn not_a_lattice(edge: usize, found: &str) -> crate::error::Error {
    let problem = "the format holds lattices, in which an edge has one node and words on one side of it; choose cdec, moses or plait";
    refuse(format!("edge {edge}"), problem, found)
}

/// The text of the label of an arc.
pub(super) fn label<'a>(forests: &'a Forests, arc: Arc, epsilon: &'a str) -> &'a str {
    arc.word
        .map_or(epsilon, |id| super::output::word(forests, id))
}

/// An order of the states in which arcs go forward, from the start to this end; nothing if there is a cycle or an arc to the start. States in order keep it.
pub(super) fn forward(lattice: &Lattice, end: usize) -> Option<Vec<usize>> {
    let is_forward = |arc: &Arc| arc.from < arc.to;
    if lattice.start == 0 && end + 1 == lattice.states && lattice.arcs.iter().all(is_forward) {
        return Some((0..lattice.states).collect());
    }
    let mut missing = vec![0_u64; lattice.states];
    let mut starts = vec![0_u64; lattice.states + 1];
    for arc in &lattice.arcs {
        missing[arc.to] += 1;
        starts[arc.from + 1] += 1;
    }
    for state in 0..lattice.states {
        starts[state + 1] += starts[state];
    }
    let mut next = starts.clone();
    let mut targets = vec![0; lattice.arcs.len()];
    for arc in &lattice.arcs {
        targets[to_index(next[arc.from])] = arc.to;
        next[arc.from] += 1;
    }
    if missing[lattice.start] > 0 {
        return None;
    }
    // The start first, the end last; what else has no arcs in, anywhere.
    let mut ready: Vec<usize> = (0..lattice.states)
        .filter(|&s| missing[s] == 0 && s != lattice.start)
        .collect();
    ready.push(lattice.start);
    let mut order = Vec::with_capacity(lattice.states);
    let mut place = vec![usize::MAX; lattice.states];
    while let Some(state) = ready.pop() {
        if state != end {
            place[state] = order.len();
            order.push(state);
        }
        for &to in &targets[to_index(starts[state])..to_index(starts[state + 1])] {
            missing[to] -= 1;
            if missing[to] == 0 {
                ready.push(to);
            }
        }
    }
    place[end] = order.len();
    (place[lattice.start] == 0 && order.len() + 1 == lattice.states).then_some(place)
}
