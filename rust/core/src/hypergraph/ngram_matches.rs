//! Forests whose edges know which n-grams of a given set they complete.
//!
//! A node becomes one node for each way in which its yields can take part in n-grams of the set that are not all inside (ours: `docs/design/linear_bleu.md`). A
//! yield y takes part in an n-gram w in three ways.
//!
//! - w begins before y and ends in it: a prefix of y is a proper suffix of w. All such prefixes follow from the longest one, the *left state*.
//! - w begins in y and ends after it: a suffix of y is a proper prefix of w. All follow from the longest one, the *right state*.
//! - w begins before y and ends after it: y stands inside w. Then y is known *whole*, and both states follow.
//!
//! Yields of which these agree are told apart by no context, and those of which they differ are, by the n-gram that the longer of two states belongs to: these
//! states are the fewest that there can be for the set.

use super::ngram_set::NgramSet;
use super::node_split::{Reading, split};
use super::structure::{Hypergraph, index};
use super::yields::{Yields, tail_of};
use crate::cancel::CancelToken;
use crate::error::Result;
use crate::numeric::to_u64;
use crate::text::ngram_trie::{EMPTY, Prefix};

/// How n-grams are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MatchOptions {
    /// The word that stands before every yield, if any.
    pub begin: Option<i32>,
    /// The word that stands after every yield, if any.
    pub end: Option<i32>,
    /// The most edges of the result.
    pub limit: u64,
}

/// A hypergraph with the same derivations as another, in which each edge completes the same n-grams of a set in all of them.
#[derive(Debug, Clone, PartialEq)]
pub struct NgramMatches {
    /// The new hypergraph.
    pub graph: Hypergraph,
    /// The old number of each node, by its new number.
    pub nodes: Vec<u32>,
    /// The old number of each edge, by its new number.
    pub edges: Vec<u32>,
    /// Row e of `ngrams`, by new number; one more than there are edges.
    pub starts: Vec<u64>,
    /// The n-grams that each edge completes, as often as it does; numbers of the set.
    pub ngrams: Vec<u32>,
}

/// Splits the nodes of a hypergraph so that each n-gram of a set that stands in the yield of a derivation is completed on exactly one of its edges, the lowest
/// that has all of it, as often as it stands there.
///
/// # Errors
/// [`Error::Cycle`](crate::error::Error::Cycle) on a cyclic hypergraph; [`Error::Hypergraph`](crate::error::Error::Hypergraph) for a yield that does not have
/// each tail node exactly once; [`Error::TooLarge`](crate::error::Error::TooLarge) for more than the limit of edges;
/// [`Error::Cancelled`](crate::error::Error::Cancelled).
///
/// # Panics
/// If there are not as many yields as edges.
///
/// # Complexity
/// O(items + order arity + matches) for each new edge. Never more nodes or edges than of [`with_ngrams`](super::with_ngrams) of the longest n-gram's order.
pub fn match_ngrams(
    graph: &Hypergraph,
    yields: &Yields,
    set: &NgramSet,
    options: MatchOptions,
    cancel: &CancelToken,
) -> Result<NgramMatches> {
    let mut matcher = Matcher {
        set,
        options,
        state: EMPTY,
        infix: Some(EMPTY),
        left: EMPTY,
        starts: vec![0],
        found: Vec::new(),
    };
    let made = split(graph, yields, &mut matcher, options.limit, cancel)?;
    Ok(NgramMatches {
        graph: made.graph,
        nodes: made.nodes,
        edges: made.edges,
        starts: matcher.starts,
        ngrams: matcher.found,
    })
}

/// How a yield can take part in n-grams.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    /// It is this infix, and an n-gram goes on at both sides.
    Whole(Prefix),
    /// Its longest prefix that an n-gram ends with, an infix; its longest suffix that an n-gram goes on after, a prefix.
    Ends(Prefix, Prefix),
}

impl Default for Kind {
    fn default() -> Self {
        Self::Ends(EMPTY, EMPTY)
    }
}

/// Reads the yields of edges, word by word.
struct Matcher<'a> {
    set: &'a NgramSet,
    options: MatchOptions,
    /// The longest suffix of what was read that is a prefix of an n-gram.
    state: Prefix,
    /// All that was read, while it is an infix.
    infix: Option<Prefix>,
    /// The longest prefix of what was read that an n-gram ends with.
    left: Prefix,
    starts: Vec<u64>,
    found: Vec<u32>,
}

impl Matcher<'_> {
    fn start(&mut self) {
        self.state = EMPTY;
        self.infix = Some(EMPTY);
        self.left = EMPTY;
    }

    fn items(&mut self, items: &[i32], tail: &[u32], states: &[Kind]) {
        for &item in items {
            match tail_of(item) {
                None => self.word(item, 0),
                Some(k) => self.part(states[index(tail[k])]),
            }
        }
    }

    /// Reads a part: what of it n-grams from before can end with, then all that later ones can begin with.
    fn part(&mut self, kind: Kind) {
        let set = self.set;
        let (Kind::Whole(words) | Kind::Ends(words, _)) = kind;
        // An n-gram that has no more words than were read of the part is inside it, and belongs to an edge below.
        for (inside, &word) in (1_u32..).zip(set.infix(words)) {
            self.word(word, inside);
        }
        if let Kind::Ends(_, right) = kind {
            // No n-gram spans the part, so what stood before it is of no more use.
            self.state = right;
            self.infix = None;
        }
    }

    fn word(&mut self, word: i32, inside: u32) {
        self.state = self.set.after(self.state, word);
        self.found.extend(self.set.ending(self.state, inside));
        self.infix = self
            .infix
            .and_then(|infix| self.set.longer_infix(infix, word));
        if let Some(infix) = self.infix
            && self.set.is_end(infix)
        {
            self.left = infix;
        }
    }

    fn finish(&mut self) {
        self.starts.push(to_u64(self.found.len()));
    }
}

impl Reading for Matcher<'_> {
    type State = Kind;

    fn read(&mut self, items: &[i32], tail: &[u32], states: &[Kind]) -> Kind {
        self.start();
        self.items(items, tail, states);
        self.finish();
        match self.infix {
            Some(infix) if self.set.is_open(infix) => Kind::Whole(infix),
            _ => Kind::Ends(self.left, self.set.open(self.state)),
        }
    }

    fn read_whole(&mut self, items: &[i32], tail: &[u32], states: &[Kind]) {
        self.start();
        if let Some(word) = self.options.begin {
            self.word(word, 0);
        }
        self.items(items, tail, states);
        if let Some(word) = self.options.end {
            self.word(word, 0);
        }
        self.finish();
    }
}

#[cfg(test)]
mod tests {
    use super::super::enumeration::{cases, derivations};
    use super::super::{NgramOptions, with_ngrams};
    use super::*;
    use crate::error::Error;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    fn set_of(ngrams: &[Vec<i32>]) -> Result<NgramSet> {
        let mut starts = vec![0];
        for ngram in ngrams {
            starts.push(starts[starts.len() - 1] + to_u64(ngram.len()));
        }
        NgramSet::new(&starts, &ngrams.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        #[test]
        fn every_ngram_of_the_set_as_often_as_it_stands_in_the_yield(
            case in cases(true),
            ngrams in prop::collection::btree_set(prop::collection::vec(0..5_i32, 1..5), 0..9),
            begin in prop::option::of(Just(4)),
            end in prop::option::of(Just(4)),
        ) {
            let cancel = CancelToken::new();
            let yields = Yields::new(&case.graph, &case.item_starts, &case.items).expect("sound");
            let ngrams: Vec<Vec<i32>> = ngrams.into_iter().collect();
            let set = set_of(&ngrams).expect("distinct");
            let options = MatchOptions { begin, end, limit: 100_000 };
            let found = match_ngrams(&case.graph, &yields, &set, options, &cancel).expect("small");
            let order = ngrams.iter().map(Vec::len).max().unwrap_or(1);
            let options = NgramOptions { order, begin, end, limit: 100_000 };
            let every = with_ngrams(&case.graph, &yields, options, &cancel).expect("small");
            prop_assert!(found.graph.nodes() <= every.graph.nodes());
            prop_assert!(found.graph.edges() <= every.graph.edges());
            let all = derivations(&case.graph, case.graph.root()).expect("few");
            let number = |&edge: &u32| case.graph.edge_number(index(edge));
            let words: BTreeMap<Vec<u32>, Vec<i32>> = all
                .iter()
                .map(|d| (d.iter().map(number).collect(), case.words(d)))
                .collect();
            let new = derivations(&found.graph, found.graph.root()).expect("few");
            prop_assert_eq!(new.len(), all.len());
            let mut seen = BTreeSet::new();
            for derivation in new {
                let edges = derivation.iter().map(|&edge| index(found.graph.edge_number(index(edge))));
                let mut counts = vec![0; ngrams.len()];
                for edge in edges.clone() {
                    let bound = |n: usize| usize::try_from(found.starts[n]).expect("few");
                    for &ngram in &found.ngrams[bound(edge)..bound(edge + 1)] {
                        counts[index(ngram)] += 1;
                    }
                }
                let old: Vec<u32> = edges.map(|edge| found.edges[edge]).collect();
                let mut text = words[&old].clone();
                text.splice(0..0, begin);
                text.extend(end);
                for (ngram, count) in ngrams.iter().zip(counts) {
                    prop_assert_eq!(text.windows(ngram.len()).filter(|w| w == ngram).count(), count);
                }
                prop_assert!(seen.insert(old));
            }
        }
    }

    #[test]
    fn sets_that_are_none_are_refused() {
        let problem = |ngrams: &[Vec<i32>]| match set_of(ngrams) {
            Err(Error::Hypergraph { place, problem, .. }) => format!("{place} {problem}"),
            other => format!("{other:?}"),
        };
        assert!(problem(&[vec![1], vec![]]).starts_with("n-gram 1 must have"));
        assert!(problem(&[vec![1], vec![2], vec![1]]).starts_with("n-gram 2 must not"));
        assert!(problem(&[vec![1, 2], vec![2, -1]]).starts_with("n-gram 1 must be of words"));
        assert!(NgramSet::new(&[0, 2], &[1]).is_err());
        assert!(NgramSet::new(&[], &[]).is_err());
        let set = set_of(&[vec![3]]).expect("sound");
        assert_eq!((set.len(), set.is_empty()), (1, false));
    }
}
