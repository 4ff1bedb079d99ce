//! Lists of derivations without repeated yields.

use super::kbest::{Candidate, KBest};
use super::structure::{Hypergraph, index};
use super::viterbi::{Best, NO_EDGE};
use super::yields::{Piece, Yields, spell, tail_of};
use crate::cancel::CancelToken;
use crate::error::{Error, Result};
use rustc_hash::FxHashMap;
use std::borrow::Borrow;

/// What is known of the yields of the derivations in the lists of [`KBest`].
#[derive(Debug)]
pub(super) struct Unique {
    yields: Yields,
    /// The hash of the yield of the best derivation of each node, by place.
    best: Vec<Print>,
    lists: Vec<Known>,
    /// How many more derivations may be looked at.
    left: u64,
    limit: u64,
}

/// The yields of one list.
#[derive(Debug, Default)]
struct Known {
    /// The hash of each derivation, by rank.
    prints: Vec<Print>,
    /// The ranks that have a hash.
    ranks: FxHashMap<u64, Vec<u32>>,
}

/// A polynomial hash of a sequence, which that of a concatenation follows from: `hash = sum of (w_i + 1) BASE^(n - i)`, modulo a Mersenne prime.
#[derive(Debug, Clone, Copy)]
struct Print {
    hash: u64,
    /// BASE^n for n words.
    power: u64,
}

const PRIME: u64 = (1 << 61) - 1;
const BASE: u64 = 0x0B5E_25D2_C3A1_4C67;

impl Print {
    const EMPTY: Self = Self { hash: 0, power: 1 };

    fn word(word: i32) -> Self {
        Self {
            hash: u64::from(word.unsigned_abs()) + 1,
            power: BASE,
        }
    }

    fn then(self, next: Self) -> Self {
        Self {
            hash: (times(self.hash, next.power) + next.hash) % PRIME,
            power: times(self.power, next.power),
        }
    }
}

/// A product modulo the prime.
fn times(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b) % u128::from(PRIME);
    u64::try_from(product).expect("below the prime")
}

impl Unique {
    pub(super) fn new(graph: &Hypergraph, best: &Best<f64>, yields: Yields, limit: u64) -> Self {
        assert_eq!(
            yields.edges(),
            graph.edges(),
            "yields must be those of the edges"
        );
        let mut prints: Vec<Print> = Vec::with_capacity(graph.nodes());
        for &edge in &best.edges {
            let print = if edge == NO_EDGE {
                Print::EMPTY
            } else {
                let tail = graph.tail(index(edge));
                concatenate(yields.items(index(edge)), |k| prints[index(tail[k])])
            };
            prints.push(print);
        }
        Self {
            yields,
            best: prints,
            lists: Vec::new(),
            left: limit,
            limit,
        }
    }

    /// Whether the yield of a candidate of a node is new to its list; then it is noted as that of the next rank.
    pub(super) fn admit<G: Borrow<Hypergraph>>(
        &mut self,
        search: &KBest<G>,
        node: u32,
        slot: usize,
        candidate: Candidate,
        cancel: &CancelToken,
    ) -> Result<bool> {
        self.left = self.left.checked_sub(1).ok_or(Error::TooLarge {
            what: "the number of derivations that were looked at for new yields",
            limit: self.limit,
        })?;
        if self.lists.len() <= slot {
            self.lists.resize_with(slot + 1, Default::default);
        }
        let first = self.best[index(node)];
        let known = &mut self.lists[slot];
        if known.prints.is_empty() {
            known.prints.push(first);
            known.ranks.insert(first.hash, vec![0]);
        }
        let print = self.print(search, candidate);
        if let Some(same) = self.lists[slot].ranks.get(&print.hash) {
            let words = self.spell(search, Part::Candidate(candidate), cancel)?;
            for &rank in same {
                if words == self.spell(search, Part::Found(node, rank), cancel)? {
                    return Ok(false);
                }
            }
        }
        let known = &mut self.lists[slot];
        let rank = u32::try_from(known.prints.len()).map_err(|_| Error::TooLarge {
            what: "the number of derivations of a node",
            limit: u64::from(u32::MAX),
        })?;
        known.prints.push(print);
        known.ranks.entry(print.hash).or_default().push(rank);
        Ok(true)
    }

    fn print<G: Borrow<Hypergraph>>(&self, search: &KBest<G>, candidate: Candidate) -> Print {
        let (edge, ranks) = search.top(candidate);
        let tail = search.graph().tail(index(edge));
        concatenate(self.yields.items(index(edge)), |k| {
            let node = tail[k];
            match search.slot(node) {
                Some(slot) if ranks[k] > 0 => self.lists[slot].prints[index(ranks[k])],
                _ => self.best[index(node)],
            }
        })
    }

    /// The words of a derivation.
    fn spell<G: Borrow<Hypergraph>>(
        &self,
        search: &KBest<G>,
        part: Part,
        cancel: &CancelToken,
    ) -> Result<Vec<i32>> {
        let mut words = Vec::new();
        spell(part, &mut words, cancel, |part, waiting| {
            let (edge, ranks) = match part {
                Part::Candidate(candidate) => search.top(candidate),
                Part::Found(node, rank) => search.part(node, rank),
            };
            let tail = search.graph().tail(index(edge));
            let items = self.yields.items(index(edge)).iter();
            waiting.extend(items.map(|&item| match tail_of(item) {
                None => Piece::Word(item),
                Some(k) => Piece::Part(Part::Found(tail[k], ranks[k])),
            }));
        })?;
        Ok(words)
    }
}

#[derive(Debug, Clone, Copy)]
enum Part {
    Candidate(Candidate),
    Found(u32, u32),
}

fn concatenate(items: &[i32], tail: impl Fn(usize) -> Print) -> Print {
    items.iter().fold(Print::EMPTY, |print, &item| {
        print.then(tail_of(item).map_or_else(|| Print::word(item), &tail))
    })
}
