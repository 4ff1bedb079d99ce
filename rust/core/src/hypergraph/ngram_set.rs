//! Sets of n-grams that are looked for in yields.
//!
//! Two views of one set. The *prefixes* are the states of the automaton of Aho and Corasick (1975): the state after some words is the longest suffix of theirs
//! that is a prefix of an n-gram. The *infixes* are what n-grams have at a place other than their first: how a yield can go on an n-gram that began before it.

use super::structure::index;
use crate::error::{Error, Result};
use crate::numeric::{to_index, to_u64};
use crate::text::ngram_trie::{EMPTY, NgramTrie, Prefix};

/// No n-gram.
const NONE: u32 = u32::MAX;

/// A set of n-grams over words that are not negative; frozen. Numbers are those of the caller's rows.
///
/// It takes time and memory for the words of all n-grams, times the length of the longest.
#[derive(Debug, Clone)]
pub struct NgramSet {
    len: usize,
    prefixes: NgramTrie<i32>,
    states: Vec<State>,
    infixes: NgramTrie<i32>,
    parts: Vec<Infix>,
    /// The words of all infixes.
    words: Vec<i32>,
}

/// What is known of a prefix.
#[derive(Debug, Clone, Copy)]
struct State {
    /// The n-gram that it is, if it is one.
    ngram: u32,
    /// The number of its words.
    length: u32,
    /// Its longest proper suffix that is a prefix.
    shorter: Prefix,
    /// Its longest proper suffix that is an n-gram; the empty prefix if there is none.
    next: Prefix,
    /// Its longest suffix, perhaps itself, that some n-gram goes on after.
    open: Prefix,
}

/// What is known of an infix.
#[derive(Debug, Clone, Copy)]
struct Infix {
    /// Where its words start in `words`.
    start: usize,
    length: usize,
    /// Whether an n-gram ends with it.
    is_end: bool,
    /// Whether an n-gram goes on after it.
    is_open: bool,
}

impl NgramSet {
    /// The set of the n-grams `words[starts[n]..starts[n + 1]]`.
    ///
    /// # Errors
    /// [`Error::Hypergraph`] for starts that do not rise to the number of words, an n-gram without words, a negative word, and an n-gram that is there twice;
    /// [`Error::TooLarge`] for 2^32 - 1 prefixes or infixes.
    pub fn new(starts: &[u64], words: &[i32]) -> Result<Self> {
        check(starts, words)?;
        let mut set = Self {
            len: starts.len() - 1,
            prefixes: NgramTrie::default(),
            states: vec![State {
                ngram: NONE,
                length: 0,
                shorter: EMPTY,
                next: EMPTY,
                open: EMPTY,
            }],
            infixes: NgramTrie::default(),
            parts: vec![Infix {
                start: 0,
                length: 0,
                is_end: false,
                is_open: false,
            }],
            words: Vec::new(),
        };
        // The parent and the last word of each prefix.
        let mut origins = vec![(EMPTY, 0)];
        for n in 0..set.len {
            let row = &words[to_index(starts[n])..to_index(starts[n + 1])];
            set.add_prefixes(n, row, &mut origins)?;
            for first in 1..row.len() {
                set.add_infixes(&row[first..])?;
            }
        }
        set.link(&origins);
        Ok(set)
    }

    /// The number of n-grams.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no n-grams.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The state after one more word. Amortised O(1) over the words of a sequence.
    #[inline]
    #[must_use]
    pub fn after(&self, mut state: Prefix, word: i32) -> Prefix {
        loop {
            if let Some(found) = self.prefixes.child(state, word) {
                return found;
            }
            if state == EMPTY {
                return EMPTY;
            }
            state = self.states[index(state)].shorter;
        }
    }

    /// The n-grams that end in a state and have more than `least` words, with the longest first.
    #[inline]
    pub fn ending(&self, state: Prefix, least: u32) -> impl Iterator<Item = u32> {
        let first = if self.states[index(state)].ngram == NONE {
            self.states[index(state)].next
        } else {
            state
        };
        let chain =
            std::iter::successors(Some(first), |&state| Some(self.states[index(state)].next));
        let states = chain.map(|state| self.states[index(state)]);
        // The empty prefix ends every chain.
        states
            .take_while(move |state| state.length > least)
            .map(|state| state.ngram)
    }

    /// The longest suffix of a state that an n-gram can still go on after: all that later words can ask for.
    #[inline]
    #[must_use]
    pub fn open(&self, state: Prefix) -> Prefix {
        self.states[index(state)].open
    }

    /// The infix that is one word longer, if there is one.
    #[inline]
    #[must_use]
    pub fn longer_infix(&self, infix: Prefix, word: i32) -> Option<Prefix> {
        self.infixes.child(infix, word)
    }

    /// Whether an n-gram that began before it ends with this infix.
    #[inline]
    #[must_use]
    pub fn is_end(&self, infix: Prefix) -> bool {
        self.parts[index(infix)].is_end
    }

    /// Whether an n-gram that began before this infix goes on after it.
    #[inline]
    #[must_use]
    pub fn is_open(&self, infix: Prefix) -> bool {
        self.parts[index(infix)].is_open
    }

    /// The words of an infix.
    #[inline]
    #[must_use]
    pub fn infix(&self, infix: Prefix) -> &[i32] {
        let Infix { start, length, .. } = self.parts[index(infix)];
        &self.words[start..start + length]
    }

    fn add_prefixes(
        &mut self,
        n: usize,
        row: &[i32],
        origins: &mut Vec<(Prefix, i32)>,
    ) -> Result<()> {
        let mut prefix = EMPTY;
        for (length, &word) in (1_u32..).zip(row) {
            let parent = prefix;
            prefix = self.prefixes.grow(parent, word).ok_or(too_many())?;
            if self.prefixes.len() > self.states.len() {
                origins.push((parent, word));
                self.states.push(State {
                    ngram: NONE,
                    length,
                    shorter: EMPTY,
                    next: EMPTY,
                    open: EMPTY,
                });
            }
        }
        let state = &mut self.states[index(prefix)];
        if state.ngram != NONE {
            return Err(Error::Hypergraph {
                place: format!("n-gram {n}"),
                problem: "must not be there twice; leave one out".to_owned(),
                found: format!("{row:?}, which is n-gram {}", state.ngram),
            });
        }
        // There are no more n-grams than prefixes.
        state.ngram = u32::try_from(n).map_err(|_| too_many())?;
        Ok(())
    }

    /// Adds the end of an n-gram, and what it begins with.
    fn add_infixes(&mut self, end: &[i32]) -> Result<()> {
        // The empty infix is open as soon as an n-gram has two words.
        let mut infix = EMPTY;
        for (n, &word) in end.iter().enumerate() {
            self.parts[index(infix)].is_open = true;
            infix = self.infixes.grow(infix, word).ok_or(too_many())?;
            if self.infixes.len() > self.parts.len() {
                self.parts.push(Infix {
                    start: self.words.len(),
                    length: n + 1,
                    is_end: false,
                    is_open: false,
                });
                self.words.extend_from_slice(&end[..=n]);
            }
        }
        self.parts[index(infix)].is_end = true;
        Ok(())
    }

    /// Finds the suffixes of the prefixes, shorter prefixes first.
    fn link(&mut self, origins: &[(Prefix, i32)]) {
        let mut has_longer = vec![false; self.states.len()];
        for &(parent, _) in &origins[1..] {
            has_longer[index(parent)] = true;
        }
        // Not empty ones, by length.
        let mut order: Vec<Prefix> = (0..).take(self.states.len()).skip(1).collect();
        order.sort_by_key(|&prefix| self.states[index(prefix)].length);
        for prefix in order {
            let (parent, word) = origins[index(prefix)];
            let shorter = if parent == EMPTY {
                EMPTY
            } else {
                self.after(self.states[index(parent)].shorter, word)
            };
            let below = self.states[index(shorter)];
            let state = &mut self.states[index(prefix)];
            state.shorter = shorter;
            state.next = if below.ngram == NONE {
                below.next
            } else {
                shorter
            };
            state.open = if has_longer[index(prefix)] {
                prefix
            } else {
                below.open
            };
        }
    }
}

fn too_many() -> Error {
    Error::TooLarge {
        what: "the number of parts of n-grams",
        limit: u64::from(u32::MAX),
    }
}

fn check(starts: &[u64], words: &[i32]) -> Result<()> {
    let problem = |place: String, problem: &str, found: String| Error::Hypergraph {
        place,
        problem: problem.to_owned(),
        found,
    };
    let is_sound = starts.first() == Some(&0)
        && starts.is_sorted()
        && starts.last() == Some(&to_u64(words.len()));
    if !is_sound {
        let found = format!("{} numbers for {} words", starts.len(), words.len());
        return Err(problem(
            "the starts of the n-grams".to_owned(),
            "must rise from 0 to the number of words",
            found,
        ));
    }
    if let Some(n) = starts.windows(2).position(|row| row[0] == row[1]) {
        let place = format!("n-gram {n}");
        return Err(problem(
            place,
            "must have at least one word",
            "none".to_owned(),
        ));
    }
    if let Some(place) = words.iter().position(|&word| word < 0) {
        let n = starts.partition_point(|&start| to_index(start) <= place) - 1;
        return Err(problem(
            format!("n-gram {n}"),
            "must be of words, which are not negative",
            words[place].to_string(),
        ));
    }
    Ok(())
}
