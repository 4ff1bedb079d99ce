//! The best derivations for all weights along a line.
//!
//! Where the weight of each edge is a line, `slope x + intercept`, so is that of each derivation, and the best derivations of a node for all x are the upper
//! envelope of their lines: the inside weight in the semiring [`Hull`](crate::semiring::Hull) (Macherey et al. 2008; Kumar et al. 2009; Dyer 2013). Here it is computed with a
//! pointer from each line to those that it is the sum of, in arrays.

use super::derivation::unfold;
use super::inside::POLLED;
use super::structure::{Hypergraph, index};
use super::yields::{Piece, Yields, spell, tail_of};
use crate::cancel::CancelToken;
use crate::error::{Error, Result};
use crate::numeric::to_u64;
use crate::semiring::{HullBuffers, Line, upper_hull};

/// The most lines of all nodes together.
const MOST_LINES: usize = u32::MAX as usize;

/// The envelopes of all nodes.
#[derive(Debug, Clone, PartialEq)]
pub struct Envelopes {
    /// Row v: the lines of node v, by rising slope.
    starts: Vec<u32>,
    lines: Vec<Line>,
    /// Where each line crosses the next one of its node; infinity for the last one.
    ends: Vec<f64>,
    tops: Vec<Top>,
    /// The tail lines of edges with more than two tail nodes.
    tuples: Vec<u32>,
}

/// Where a line comes from: the edge at the top of its derivation, and a line of each tail node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Top {
    edge: u32,
    /// The line of the first tail node; where there are more than two, the start of a row of `tuples`.
    left: u32,
    /// The line of the second tail node.
    right: u32,
}

/// The best derivations of each node for all x, where edge e, by place, weighs `slopes[e] x + intercepts[e]`.
///
/// An edge whose intercept is -infinity is not there. Of derivations whose lines are equal, the one with the smallest edge at the top is kept, then that
/// with the flattest lines of the tail, from left to right. Of three lines that meet in a point, the one in the middle is left out: it is never best alone.
///
/// # Errors
/// [`Error::Cycle`] on a cyclic hypergraph; [`Error::TooLarge`] for 2^32 lines; [`Error::Cancelled`].
///
/// # Panics
/// If there are not as many slopes or intercepts as edges.
///
/// # Complexity
/// The lines of a product are at most those of its factors together, those of a sum at most those of its terms; so a node has at most as many lines as its
/// sub-forest has edges. O(lines of the tails) for each edge, and O(k log k) for each node with k lines that are not clearly below others. 36 bytes a line.
pub fn envelopes(
    graph: &Hypergraph,
    slopes: &[f64],
    intercepts: &[f64],
    cancel: &CancelToken,
) -> Result<Envelopes> {
    assert_eq!(slopes.len(), graph.edges(), "a slope for each edge");
    assert_eq!(
        intercepts.len(),
        graph.edges(),
        "an intercept for each edge"
    );
    graph.refuse_cycles("lines are only searched where no node derives itself; break the cycle")?;
    let mut found = Envelopes {
        starts: Vec::with_capacity(graph.nodes() + 1),
        lines: Vec::new(),
        ends: Vec::new(),
        tops: Vec::new(),
        tuples: Vec::new(),
    };
    found.starts.push(0);
    let mut scratch = Scratch::default();
    let mut work = 0;
    for node in 0..graph.nodes() {
        scratch.candidates.clear();
        for edge in graph.edges_into(node) {
            if intercepts[edge] > f64::NEG_INFINITY {
                let line = Line {
                    slope: slopes[edge],
                    intercept: intercepts[edge],
                };
                found.product(graph, edge, line, &mut scratch);
            }
        }
        let Scratch {
            candidates,
            buffers,
            kept,
            ..
        } = &mut scratch;
        work += candidates.len() + graph.edges_into(node).len();
        if work >= POLLED {
            cancel.check()?;
            work = 0;
        }
        upper_hull(candidates.len(), |n| candidates[n].line, buffers, kept);
        found.close(kept.iter().map(|&n| candidates[n]));
        if found.lines.len().max(found.tuples.len()) > MOST_LINES {
            return Err(Error::TooLarge {
                what: "the number of lines of a forest",
                limit: to_u64(MOST_LINES),
            });
        }
        found.starts.push(row(found.lines.len()));
    }
    Ok(found)
}

/// A line of an edge.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    line: Line,
    top: Top,
}

/// The lines of the edges into one node.
#[derive(Debug, Default)]
struct Scratch {
    candidates: Vec<Candidate>,
    buffers: HullBuffers,
    kept: Vec<usize>,
    /// Sums of the envelopes of more than two tail nodes, from the left, with the lines of each.
    sum: Vec<Line>,
    chosen: Vec<u32>,
    next: Vec<Line>,
    next_chosen: Vec<u32>,
}

/// A number of lines, which is checked to fit.
fn row(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

impl Envelopes {
    /// The lines of a node, by rising slope.
    #[must_use]
    pub fn lines(&self, node: usize) -> &[Line] {
        &self.lines[index(self.starts[node])..index(self.starts[node + 1])]
    }

    /// The lines of all nodes together.
    #[must_use]
    pub fn count(&self) -> usize {
        self.lines.len()
    }

    /// The edges, by place in prefix order, of the derivation of a line of a node.
    ///
    /// # Errors
    /// [`Error::TooLarge`] for a derivation of more than 2^28 edges, which repeated tail nodes can make of a small hypergraph; [`Error::Cancelled`].
    pub fn derivation(
        &self,
        graph: &Hypergraph,
        node: usize,
        line: usize,
        cancel: &CancelToken,
    ) -> Result<Vec<u32>> {
        let top = self.starts[node] + row(line);
        unfold(top, cancel, |line, waiting| {
            let edge = self.tops[index(line)].edge;
            let arity = graph.tail(index(edge)).len();
            waiting.extend((0..arity).map(|k| self.part(graph, line, k)));
            edge
        })
    }

    /// The words of the derivation of a line of a node.
    ///
    /// # Errors
    /// [`Error::TooLarge`] for more than 2^28 words; [`Error::Cancelled`].
    pub fn words(
        &self,
        graph: &Hypergraph,
        yields: &Yields,
        node: usize,
        line: usize,
        cancel: &CancelToken,
    ) -> Result<Vec<i32>> {
        let mut words = Vec::new();
        let top = self.starts[node] + row(line);
        spell(top, &mut words, cancel, |line, waiting| {
            let items = yields.items(index(self.tops[index(line)].edge));
            waiting.extend(items.iter().map(|&item| match tail_of(item) {
                None => Piece::Word(item),
                Some(k) => Piece::Part(self.part(graph, line, k)),
            }));
        })?;
        Ok(words)
    }

    /// The line of a tail node that a line is made of.
    fn part(&self, graph: &Hypergraph, line: u32, k: usize) -> u32 {
        let top = self.tops[index(line)];
        match (graph.tail(index(top.edge)).len(), k) {
            (0..=2, 0) => top.left,
            (0..=2, _) => top.right,
            _ => self.tuples[index(top.left) + k],
        }
    }

    /// Adds the envelope of the next node.
    fn close(&mut self, envelope: impl Iterator<Item = Candidate>) {
        let first = self.lines.len();
        for candidate in envelope {
            self.lines.push(candidate.line);
            self.tops.push(candidate.top);
        }
        let before = self.ends.len();
        ends_of(&self.lines[first..], &mut self.ends, before);
    }

    /// Puts the lines of an edge into `scratch`: the sum of the envelopes of its tail, moved by its own line.
    #[inline]
    fn product(&mut self, graph: &Hypergraph, edge: usize, line: Line, scratch: &mut Scratch) {
        // A place fits 32 bits: the builder refuses more.
        let edge_place = row(edge);
        let candidates = &mut scratch.candidates;
        let candidate = |line, left, right| {
            let edge = edge_place;
            Candidate {
                line,
                top: Top { edge, left, right },
            }
        };
        match *graph.tail(edge) {
            [] => candidates.push(candidate(line, 0, 0)),
            [node] => {
                let lines = (self.starts[index(node)]..).zip(self.lines(index(node)));
                candidates.extend(lines.map(|(n, &below)| candidate(line.plus(below), n, 0)));
            }
            [left, right] => {
                let [from, to] = [left, right].map(|node| self.starts[index(node)]);
                let (a, b) = (self.lines(index(left)), self.lines(index(right)));
                let ends = (self.ends(index(left)), self.ends(index(right)));
                minkowski(ends.0, ends.1, |i, j| {
                    let sum = line.plus(a[i]).plus(b[j]);
                    candidates.push(candidate(sum, from + row(i), to + row(j)));
                });
            }
            ref tail => self.long_product(edge, tail, line, scratch),
        }
    }

    /// The same for more than two tail nodes: one envelope after the other is added.
    fn long_product(&mut self, edge: usize, tail: &[u32], line: Line, scratch: &mut Scratch) {
        let Scratch {
            candidates,
            sum,
            chosen,
            next,
            next_chosen,
            ..
        } = scratch;
        sum.clear();
        sum.push(line);
        chosen.clear();
        let mut ends = vec![f64::INFINITY];
        for (width, &node) in tail.iter().enumerate() {
            next.clear();
            next_chosen.clear();
            let (first, lines) = (self.starts[index(node)], self.lines(index(node)));
            minkowski(&ends, self.ends(index(node)), |i, j| {
                next.push(sum[i].plus(lines[j]));
                next_chosen.extend_from_slice(&chosen[i * width..(i + 1) * width]);
                next_chosen.push(first + row(j));
            });
            std::mem::swap(sum, next);
            std::mem::swap(chosen, next_chosen);
            ends.clear();
            ends_of(sum, &mut ends, 0);
        }
        let start = self.tuples.len();
        self.tuples.extend_from_slice(chosen);
        for (n, &line) in sum.iter().enumerate() {
            let top = Top {
                edge: row(edge),
                left: row(start + n * tail.len()),
                right: 0,
            };
            candidates.push(Candidate { line, top });
        }
    }

    fn ends(&self, node: usize) -> &[f64] {
        &self.ends[index(self.starts[node])..index(self.starts[node + 1])]
    }
}

/// Appends where each line of an envelope crosses the next one; infinity for the last one.
fn ends_of(lines: &[Line], ends: &mut Vec<f64>, before: usize) {
    for pair in lines.windows(2) {
        let crossing = pair[0].crossing(pair[1]);
        // They rise: rounding must not turn them.
        let last = ends[before..].last().copied();
        ends.push(last.map_or(crossing, |last| crossing.max(last)));
    }
    if !lines.is_empty() {
        ends.push(f64::INFINITY);
    }
}

/// Calls `emit` with the pairs of lines whose sums are the sum of two envelopes, by rising slope, given where their lines end. Where two lines of the one
/// and two of the other cross at the same place, both are stepped over at once. Without a branch that depends on the order.
#[inline]
fn minkowski(a: &[f64], b: &[f64], mut emit: impl FnMut(usize, usize)) {
    if a.is_empty() || b.is_empty() {
        return;
    }
    let (mut i, mut j) = (0, 0);
    loop {
        emit(i, j);
        let (left, right) = (a[i], b[j]);
        if left.min(right) == f64::INFINITY {
            return;
        }
        i += usize::from(left <= right);
        j += usize::from(right <= left);
    }
}
