//! Forests whose edges know the n-grams that they complete.
//!
//! A node becomes one node for each pair of first and last words that its yields have (Chiang 2007, section 5.3): as many words on either side as an n-gram can
//! reach over. Then every n-gram of a yield belongs to one edge: the lowest one whose yield has all of it. Quantities that are sums over n-grams, such as linear
//! BLEU (Tromble et al. 2008) or the score of an n-gram model, become sums over edges.

use super::node_split::{Reading, split};
use super::structure::{Hypergraph, index};
use super::yields::{Yields, tail_of};
use crate::cancel::CancelToken;
use crate::error::{Error, Result};
use crate::numeric::to_u64;
use rustc_hash::FxHashMap;

/// Which n-grams are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NgramOptions {
    /// The most words of an n-gram, at least 1.
    pub order: usize,
    /// The word that stands before every yield, if any.
    pub begin: Option<i32>,
    /// The word that stands after every yield, if any.
    pub end: Option<i32>,
    /// The most edges of the result.
    pub limit: u64,
}

/// A hypergraph with the same derivations as another, in which each edge completes the same n-grams in all of them.
#[derive(Debug, Clone, PartialEq)]
pub struct NgramForest {
    /// The new hypergraph.
    pub graph: Hypergraph,
    /// The old number of each node, by its new number.
    pub nodes: Vec<u32>,
    /// The old number of each edge, by its new number.
    pub edges: Vec<u32>,
    /// Row e of `ngrams`, by new number; one more than there are edges.
    pub starts: Vec<u64>,
    /// The n-grams that each edge completes, as often as it does.
    pub ngrams: Vec<u32>,
    /// The words of each n-gram.
    pub table: Rows,
    /// The first and last words of the yields of each node, by its new number. Yields that are shorter than order - 1 stand whole; otherwise the row
    /// is the first order - 1 words, then the last order - 1. The row of the root is empty.
    pub boundaries: Rows,
}

/// Sequences of words, one after the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rows {
    /// Where each row starts in `words`; one more than there are rows.
    pub starts: Vec<u64>,
    /// The words of all rows.
    pub words: Vec<i32>,
}

impl Default for Rows {
    fn default() -> Self {
        Self {
            starts: vec![0],
            words: Vec::new(),
        }
    }
}

impl Rows {
    /// The number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// One row.
    #[must_use]
    pub fn row(&self, n: u32) -> &[i32] {
        let bound = |n: usize| crate::numeric::to_index(self.starts[n]);
        &self.words[bound(index(n))..bound(index(n) + 1)]
    }

    fn push(&mut self, row: &[i32]) {
        self.words.extend_from_slice(row);
        self.starts.push(to_u64(self.words.len()));
    }
}

/// Splits the nodes of a hypergraph by the first and last words of their yields.
///
/// # Errors
/// [`Error::Config`] for an order of 0; [`Error::Cycle`] on a cyclic hypergraph; [`Error::Hypergraph`] for a yield that does not have each tail node exactly
/// once; [`Error::TooLarge`] for more than the limit of edges; [`Error::Cancelled`].
///
/// # Panics
/// If there are not as many yields as edges.
///
/// # Complexity
/// O(order^2 (items + order arity)) for each new edge. New edges can be as many as old ones times words^(2 (order - 1) arity): prune first.
pub fn with_ngrams(
    graph: &Hypergraph,
    yields: &Yields,
    options: NgramOptions,
    cancel: &CancelToken,
) -> Result<NgramForest> {
    if options.order == 0 {
        return Err(Error::config("order", "at least 1", options.order));
    }
    let mut reader = Reader::new(options);
    let made = split(graph, yields, &mut reader, options.limit, cancel)?;
    let mut boundaries = Rows::default();
    for state in &made.states {
        boundaries.push(state);
    }
    Ok(NgramForest {
        graph: made.graph,
        nodes: made.nodes,
        edges: made.edges,
        starts: reader.starts,
        ngrams: reader.found,
        table: reader.table,
        boundaries,
    })
}

/// The source of words that an edge adds itself.
const OWN: usize = usize::MAX;

/// Reads the yields of edges, word by word, and finds the n-grams that no part of them has.
struct Reader {
    begin: Option<i32>,
    end: Option<i32>,
    /// One less than the most words of an n-gram.
    reach: usize,
    /// The first words of the yield, up to the reach.
    left: Vec<i32>,
    /// The last words since the last gap, up to the reach, and the part that each is from.
    window: Vec<(i32, usize)>,
    /// Whether some words in the middle of a part are not known.
    has_gap: bool,
    starts: Vec<u64>,
    found: Vec<u32>,
    table: Rows,
    numbers: FxHashMap<Vec<i32>, u32>,
}

impl Reader {
    fn new(options: NgramOptions) -> Self {
        Self {
            begin: options.begin,
            end: options.end,
            reach: options.order - 1,
            left: Vec::new(),
            window: Vec::new(),
            has_gap: false,
            starts: vec![0],
            found: Vec::new(),
            table: Rows::default(),
            numbers: FxHashMap::default(),
        }
    }

    fn start(&mut self) {
        self.left.clear();
        self.window.clear();
        self.has_gap = false;
    }

    fn items(&mut self, items: &[i32], tail: &[u32], states: &[Vec<i32>]) {
        for &item in items {
            match tail_of(item) {
                None => self.word(item, OWN),
                Some(k) => self.part(&states[index(tail[k])], k),
            }
        }
    }

    fn finish(&mut self) {
        self.starts.push(to_u64(self.found.len()));
    }

    /// Reads a part of which the first and last words are known.
    fn part(&mut self, boundary: &[i32], source: usize) {
        let (left, right) = if boundary.len() < self.reach {
            (boundary, None)
        } else {
            let (left, right) = boundary.split_at(self.reach);
            (left, Some(right))
        };
        for &word in left {
            self.word(word, source);
        }
        if let Some(right) = right {
            self.window.clear();
            self.has_gap = true;
            let right = right.iter().map(|&word| (word, source));
            self.window.extend(right);
        }
    }

    fn word(&mut self, word: i32, source: usize) {
        let mut is_new = source == OWN;
        for n in 0..=self.window.len() {
            let from = self.window.len() - n;
            is_new |= self.window[from..].first().is_some_and(|w| w.1 != source);
            if is_new {
                let words = self.window[from..].iter().map(|w| w.0).chain([word]);
                let number = self.number(words.collect());
                self.found.push(number);
            }
        }
        if self.left.len() < self.reach && !self.has_gap {
            self.left.push(word);
        }
        self.window.push((word, source));
        if self.window.len() > self.reach {
            self.window.remove(0);
        }
    }

    /// What of the yield other words can form n-grams with.
    fn boundary(&self) -> Vec<i32> {
        let mut boundary = self.left.clone();
        if self.has_gap || self.left.len() == self.reach {
            boundary.extend(self.window.iter().map(|w| w.0));
        }
        boundary
    }

    fn number(&mut self, words: Vec<i32>) -> u32 {
        if let Some(&number) = self.numbers.get(&words) {
            return number;
        }
        // Each n-gram is found once at least, and what was found fits memory and the limit of edges.
        let number = u32::try_from(self.table.len()).unwrap_or(u32::MAX);
        self.table.push(&words);
        self.numbers.insert(words, number);
        number
    }
}

impl Reading for Reader {
    /// What of the yield other words can form n-grams with.
    type State = Vec<i32>;

    fn read(&mut self, items: &[i32], tail: &[u32], states: &[Vec<i32>]) -> Vec<i32> {
        self.start();
        self.items(items, tail, states);
        self.finish();
        self.boundary()
    }

    fn read_whole(&mut self, items: &[i32], tail: &[u32], states: &[Vec<i32>]) {
        self.start();
        if let Some(word) = self.begin {
            self.word(word, OWN);
        }
        self.items(items, tail, states);
        if let Some(word) = self.end {
            self.word(word, OWN);
        }
        self.finish();
    }
}
