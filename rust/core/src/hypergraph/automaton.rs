//! Deterministic weighted automata over words.

use super::structure::index;
use crate::error::{Error, Result};
use crate::numeric::to_index;
use rustc_hash::FxHashMap;

/// A deterministic automaton that reads words and weighs what it reads.
///
/// It may make its states as it meets them.
pub trait Automaton {
    /// The state before the first word.
    fn start(&mut self) -> u32;

    /// The state after a word and ln of the weight of reading it there; nothing if it cannot be read.
    fn step(&mut self, state: u32, word: i32) -> Option<(u32, f64)>;

    /// ln of the weight of ending in a state; nothing if that is no end.
    fn end(&mut self, state: u32) -> Option<f64>;
}

/// Instead of a word on an arc: every word that the state has no arc for.
pub const OTHER_WORDS: i32 = -1;

/// An automaton as arcs in a table.
#[derive(Debug, Clone, PartialEq)]
pub struct TableAutomaton {
    start: u32,
    /// Row q of the arcs.
    starts: Vec<u32>,
    /// Word, next state, weight; by word within a row.
    arcs: Vec<(i32, u32, f64)>,
    /// ln of the weight of ending in each state; -infinity for no end.
    ends: Vec<f64>,
}

/// Arcs in any order, as parallel slices.
#[derive(Debug, Clone, Copy)]
pub struct Arcs<'a> {
    /// The states that arcs leave.
    pub from: &'a [u32],
    /// Their words, or [`OTHER_WORDS`].
    pub words: &'a [i32],
    /// The states that arcs enter.
    pub to: &'a [u32],
    /// ln of their weights; -infinity for an arc that is not there.
    pub weights: &'a [f64],
}

impl TableAutomaton {
    /// Checks the arcs of an automaton with as many states as there are `ends`. O(arcs log arcs).
    ///
    /// # Errors
    /// [`Error::Hypergraph`] for states that are out of range, words below -1, weights that are no logarithms, slices of unequal length, and two arcs
    /// of a state with one word.
    pub fn new(start: u32, arcs: Arcs<'_>, ends: &[f64]) -> Result<Self> {
        let count = arcs.from.len();
        for (what, length) in [
            ("the words of the arcs", arcs.words.len()),
            ("the next states of the arcs", arcs.to.len()),
            ("the weights of the arcs", arcs.weights.len()),
        ] {
            if length != count {
                let expected = format!("must be one for each of the {count} arcs");
                return Err(problem(what, &expected, length));
            }
        }
        check_state(start, ends.len(), || "the start".to_owned())?;
        for (state, &weight) in ends.iter().enumerate() {
            check_weight(weight, || format!("the end weight of state {state}"))?;
        }
        let mut sorted = Vec::with_capacity(count);
        for arc in 0..count {
            for state in [arcs.from[arc], arcs.to[arc]] {
                check_state(state, ends.len(), || format!("arc {arc}"))?;
            }
            check_weight(arcs.weights[arc], || format!("the weight of arc {arc}"))?;
            if arcs.words[arc] < OTHER_WORDS {
                let expected = "a word is at least 0; -1 stands for all other words";
                return Err(problem(
                    &format!("the word of arc {arc}"),
                    expected,
                    arcs.words[arc],
                ));
            }
            sorted.push((arcs.from[arc], arcs.words[arc], arc));
        }
        sorted.sort_unstable();
        if let Some(pair) = sorted
            .windows(2)
            .find(|pair| (pair[0].0, pair[0].1) == (pair[1].0, pair[1].1))
        {
            let place = format!("arcs {} and {}", pair[0].2, pair[1].2);
            let expected = "a state may have one arc for a word; make the automaton deterministic";
            return Err(problem(&place, expected, format!("word {}", pair[0].1)));
        }
        let mut starts = vec![0; ends.len() + 1];
        for &state in arcs.from {
            starts[index(state) + 1] += 1;
        }
        for state in 0..ends.len() {
            starts[state + 1] += starts[state];
        }
        Ok(Self {
            start,
            starts,
            arcs: sorted
                .into_iter()
                .map(|(_, word, arc)| (word, arcs.to[arc], arcs.weights[arc]))
                .collect(),
            ends: ends.to_vec(),
        })
    }
}

impl Automaton for TableAutomaton {
    fn start(&mut self) -> u32 {
        self.start
    }

    fn step(&mut self, state: u32, word: i32) -> Option<(u32, f64)> {
        let row = index(self.starts[index(state)])..index(self.starts[index(state) + 1]);
        let arcs = &self.arcs[row];
        let found = match arcs.binary_search_by_key(&word, |arc| arc.0) {
            Ok(place) => arcs[place],
            // The arc for all other words comes first.
            Err(_) => arcs.first().copied().filter(|arc| arc.0 == OTHER_WORDS)?,
        };
        (found.2 > f64::NEG_INFINITY).then_some((found.1, found.2))
    }

    fn end(&mut self, state: u32) -> Option<f64> {
        let weight = self.ends[index(state)];
        (weight > f64::NEG_INFINITY).then_some(weight)
    }
}

/// The automaton that remembers the last words, as many as an n-gram has before its last; it reads everything with weight 1.
#[derive(Debug, Clone, Default)]
pub struct History {
    length: usize,
    states: Vec<Vec<i32>>,
    numbers: FxHashMap<Vec<i32>, u32>,
}

impl History {
    /// Remembers so many words.
    #[must_use]
    pub fn new(length: usize) -> Self {
        Self {
            length,
            ..Self::default()
        }
    }

    /// The words of a state.
    #[must_use]
    pub fn words(&self, state: u32) -> &[i32] {
        &self.states[index(state)]
    }

    fn number(&mut self, words: Vec<i32>) -> u32 {
        if let Some(&number) = self.numbers.get(&words) {
            return number;
        }
        let number = u32::try_from(self.states.len()).unwrap_or(u32::MAX);
        self.states.push(words.clone());
        self.numbers.insert(words, number);
        number
    }
}

impl Automaton for History {
    fn start(&mut self) -> u32 {
        self.number(Vec::new())
    }

    fn step(&mut self, state: u32, word: i32) -> Option<(u32, f64)> {
        let words = &self.states[index(state)];
        let from = (words.len() + 1).saturating_sub(self.length);
        let mut next = [words, &[word][..]].concat();
        next.drain(..from);
        Some((self.number(next), 0.0))
    }

    fn end(&mut self, _: u32) -> Option<f64> {
        Some(0.0)
    }
}

fn check_state(state: u32, states: usize, place: impl Fn() -> String) -> Result<()> {
    if to_index(u64::from(state)) < states {
        return Ok(());
    }
    let expected = format!("there are {states} states, numbered from 0");
    Err(problem(&place(), &expected, state))
}

fn check_weight(weight: f64, place: impl Fn() -> String) -> Result<()> {
    if weight < f64::INFINITY {
        return Ok(());
    }
    let expected = "must be a natural logarithm below infinity";
    Err(problem(&place(), expected, weight))
}

fn problem(place: &str, problem: &str, found: impl std::fmt::Display) -> Error {
    Error::Hypergraph {
        place: format!("{place} of the automaton"),
        problem: problem.to_owned(),
        found: found.to_string(),
    }
}
