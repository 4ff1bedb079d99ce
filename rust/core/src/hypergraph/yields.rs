//! What derivations say: the sequence of words at the end of each.

use super::derivation::Shape;
use super::inside::POLLED;
use super::structure::{Hypergraph, index};
use crate::cancel::CancelToken;
use crate::error::{Error, Result};
use crate::numeric::{to_index, to_u64};

/// The most words of a yield that is written out, 1 GiB of them.
const LARGEST: usize = 1 << 28;

/// The most pieces on the way there: items that repeat a tail node can double without a word.
const MOST_STEPS: usize = 1 << 30;

/// The yield of each edge, by place: words, and the yields of its tail nodes.
///
/// An item that is not negative is a word; the item -(k+1) is the yield of tail node k, counted from 0. An edge that was given without items has those of its
/// tail in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Yields {
    starts: Vec<u64>,
    items: Vec<i32>,
}

impl Yields {
    /// Checks the yields of all edges, ragged and by number, and arranges them by place. O(edges + items).
    ///
    /// # Errors
    /// [`Error::Hypergraph`] for starts that do not rise from 0 to the number of items, and items that name no tail node.
    pub fn new(graph: &Hypergraph, starts: &[u64], items: &[i32]) -> Result<Self> {
        check_starts(graph, starts, items)?;
        let mut arranged = Self {
            starts: Vec::with_capacity(starts.len()),
            items: Vec::with_capacity(items.len()),
        };
        arranged.starts.push(0);
        for edge in 0..graph.edges() {
            let number = index(graph.edge_number(edge));
            let row = &items[to_index(starts[number])..to_index(starts[number + 1])];
            let tail = i64::try_from(graph.tail(edge).len()).unwrap_or(i64::MAX);
            if let Some(item) = row.iter().find(|&&item| i64::from(item) < -tail) {
                return Err(Error::Hypergraph {
                    place: format!("the yield of edge {number}"),
                    problem: format!("the item -1 is the first of {tail} tail nodes"),
                    found: item.to_string(),
                });
            }
            if row.is_empty() {
                let tail = (0_i32..).take(graph.tail(edge).len());
                arranged.items.extend(tail.map(|k| -1 - k));
            } else {
                arranged.items.extend_from_slice(row);
            }
            arranged.starts.push(to_u64(arranged.items.len()));
        }
        Ok(arranged)
    }

    /// The items of an edge.
    #[must_use]
    pub fn items(&self, edge: usize) -> &[i32] {
        &self.items[to_index(self.starts[edge])..to_index(self.starts[edge + 1])]
    }

    /// The number of edges.
    #[must_use]
    pub fn edges(&self) -> usize {
        self.starts.len() - 1
    }

    /// Fails unless every edge has each of its tail nodes exactly once. O(items).
    ///
    /// # Errors
    /// [`Error::Hypergraph`] with the edge.
    ///
    /// # Panics
    /// If there are not as many yields as edges.
    pub fn check_linear(&self, graph: &Hypergraph) -> Result<()> {
        assert_eq!(
            self.edges(),
            graph.edges(),
            "yields must be those of the edges"
        );
        let mut is_used = Vec::new();
        for edge in 0..graph.edges() {
            is_used.clear();
            is_used.resize(graph.tail(edge).len(), false);
            let mut tails = self.items(edge).iter().filter_map(|&item| tail_of(item));
            let is_twice = tails.any(|k| std::mem::replace(&mut is_used[k], true));
            if is_twice || is_used.contains(&false) {
                return Err(Error::Hypergraph {
                    place: format!("the yield of edge {}", graph.edge_number(edge)),
                    problem: "must have each tail node exactly once".to_owned(),
                    found: format!("{:?}", self.items(edge)),
                });
            }
        }
        Ok(())
    }

    /// The words of a derivation, given as edges by place in prefix order. O(edges log nodes + items), without recursion.
    ///
    /// # Errors
    /// [`Error::Hypergraph`] where the edges are no derivation; [`Error::TooLarge`] for more than 2^28 words; [`Error::Cancelled`].
    pub fn of(&self, graph: &Hypergraph, edges: &[u32], cancel: &CancelToken) -> Result<Vec<i32>> {
        let shape = Shape::new(graph, edges)?;
        let mut words = Vec::new();
        spell(0, &mut words, cancel, |position, waiting| {
            let items = self.items(index(edges[index(position)]));
            waiting.extend(items.iter().map(|&item| match tail_of(item) {
                None => Piece::Word(item),
                Some(k) => Piece::Part(shape.child(position, k)),
            }));
        })?;
        Ok(words)
    }
}

/// The tail node, from 0, that an item stands for; nothing for a word.
#[inline]
pub(super) fn tail_of(item: i32) -> Option<usize> {
    // -1 - item, without overflow.
    (item < 0).then(|| to_index(u64::from((!item).unsigned_abs())))
}

/// A word, or something that is spelled out in words.
#[derive(Debug, Clone, Copy)]
pub(super) enum Piece<T> {
    Word(i32),
    Part(T),
}

/// Spells a part in words, without recursion. `expand` puts the pieces of a part, from left to right, on the stack.
pub(super) fn spell<T: Copy>(
    top: T,
    words: &mut Vec<i32>,
    cancel: &CancelToken,
    mut expand: impl FnMut(T, &mut Vec<Piece<T>>),
) -> Result<()> {
    let mut waiting = vec![Piece::Part(top)];
    let mut steps = 0;
    while let Some(piece) = waiting.pop() {
        match piece {
            Piece::Word(word) => words.push(word),
            Piece::Part(part) => {
                let row = waiting.len();
                expand(part, &mut waiting);
                waiting[row..].reverse();
            }
        }
        steps += 1;
        if steps % POLLED == 0 {
            cancel.check()?;
        }
        if words.len() > LARGEST || waiting.len() > LARGEST || steps > MOST_STEPS {
            return Err(Error::TooLarge {
                what: "the number of words of a yield",
                limit: to_u64(LARGEST),
            });
        }
    }
    Ok(())
}

fn check_starts(graph: &Hypergraph, starts: &[u64], items: &[i32]) -> Result<()> {
    let is_sound = starts.len() == graph.edges() + 1
        && starts[0] == 0
        && starts.is_sorted()
        && starts[graph.edges()] == to_u64(items.len());
    if is_sound {
        return Ok(());
    }
    Err(Error::Hypergraph {
        place: "the starts of the yields".to_owned(),
        problem: format!(
            "must be {} numbers that rise from 0 to the number of items, {}",
            graph.edges() + 1,
            items.len()
        ),
        found: format!("{} numbers", starts.len()),
    })
}
