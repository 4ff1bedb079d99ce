//! The model as an automaton: contexts are its states, words its steps.

use super::corpus::Symbols;
use super::estimate::OrderReport;
use super::lookup::Lookup;

/// A state: the longest context that later words can depend on. States of one model only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct State(pub(super) u32);

impl State {
    /// The state as a number below [`Model::states`].
    #[must_use]
    pub const fn as_u32(self) -> u32 {
        self.0
    }
}

/// A word after no context.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Unigram {
    pub(super) log: f64,
    pub(super) next: u32,
    pub(super) is_known: bool,
}

/// A context.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Context {
    /// Where its words are among [`Model::words`].
    pub(super) begin: u32,
    pub(super) end: u32,
    /// The longest context that ends it.
    pub(super) shorter: u32,
    /// The logarithm of the weight of the shorter context.
    pub(super) backoff: f64,
}

/// A word after a context.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Step {
    pub(super) log: f64,
    pub(super) next: u32,
}

/// An n-gram model with backoff weights: estimated here, or read from a file.
///
/// Words are numbers below [`Model::vocabulary`]; the beginning and the end of a sequence have none. All probabilities are natural logarithms.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    pub(super) order: usize,
    pub(super) symbols: Symbols,
    pub(super) start: u32,
    /// Words, `</s>` and `<unk>`.
    pub(super) unigrams: Vec<Unigram>,
    /// By length, then by the symbols from the first on; the empty one first.
    pub(super) contexts: Vec<Context>,
    /// Where the contexts of each length begin: of length 0, 1 .. order - 1, and their number.
    pub(super) lengths: Vec<u32>,
    /// The words of each context, rising.
    pub(super) words: Vec<u32>,
    pub(super) steps: Vec<Step>,
    /// The steps again, by context and word.
    pub(super) lookup: Lookup,
    pub(super) reports: Vec<OrderReport>,
}

impl Model {
    pub(super) fn empty(order: usize, symbols: Symbols) -> Self {
        Self {
            order,
            symbols,
            start: 0,
            unigrams: Vec::new(),
            contexts: Vec::new(),
            lengths: Vec::new(),
            words: Vec::new(),
            steps: Vec::new(),
            lookup: Lookup::default(),
            reports: Vec::new(),
        }
    }

    pub(super) fn with_reports(mut self, reports: Vec<OrderReport>) -> Self {
        self.reports = reports;
        self
    }

    /// The length of the longest n-grams.
    #[must_use]
    pub fn order(&self) -> usize {
        self.order
    }

    /// The number of words; words are below it.
    #[must_use]
    pub fn vocabulary(&self) -> usize {
        self.symbols.end as usize
    }

    /// The number of states.
    #[must_use]
    pub fn states(&self) -> usize {
        self.contexts.len()
    }

    /// What was counted for each order, when the model was estimated here.
    #[must_use]
    pub fn reports(&self) -> &[OrderReport] {
        &self.reports
    }

    /// Whether a word has a probability of its own rather than that of `<unk>`.
    #[must_use]
    #[inline]
    pub fn knows(&self, word: u32) -> bool {
        word < self.symbols.end && self.unigrams[word as usize].is_known
    }

    /// The state at the beginning of a sequence.
    #[must_use]
    pub fn start(&self) -> State {
        State(self.start)
    }

    /// The state with a number below [`Model::states`]; a shorter context has a smaller number.
    ///
    /// # Panics
    /// There are not so many states.
    #[must_use]
    pub fn state(&self, number: usize) -> State {
        assert!(number < self.contexts.len(), "a state of the model");
        State(u32::try_from(number).unwrap_or(u32::MAX))
    }

    /// The state without a context.
    #[must_use]
    pub fn no_context(&self) -> State {
        State(0)
    }

    /// The logarithm of `p(word | state)`, and the state after the word. A word that the model does not know is `<unk>`.
    ///
    /// # Complexity
    /// One or two looks into a table for each context from the state's own to the one that has the word.
    #[must_use]
    #[inline]
    pub fn step(&self, state: State, word: u32) -> (f64, State) {
        let symbol = if self.knows(word) {
            word
        } else {
            self.symbols.unknown
        };
        let (log, next) = self.follow(state.0, symbol);
        (log, State(next))
    }

    /// The logarithm of the probability that the sequence ends in a state.
    #[must_use]
    #[inline]
    pub fn end(&self, state: State) -> f64 {
        self.follow(state.0, self.symbols.end).0
    }

    /// The words that a state has steps of its own for, rising, with logarithms and next states; `</s>` is the number [`Model::vocabulary`], `<unk>` the
    /// one after it. All other words are those of [`Model::shorter`].
    #[must_use]
    pub fn explicit(&self, state: State) -> impl ExactSizeIterator<Item = (u32, f64, State)> {
        let context = self.contexts[state.0 as usize];
        let range = context.begin as usize..context.end as usize;
        self.words[range.clone()]
            .iter()
            .zip(&self.steps[range])
            .map(|(&word, step)| (word, step.log, State(step.next)))
    }

    /// The logarithm of the weight of the next shorter context, and its state; nothing without a context.
    #[must_use]
    pub fn shorter(&self, state: State) -> Option<(f64, State)> {
        let context = self.contexts[state.0 as usize];
        (state.0 != 0).then_some((context.backoff, State(context.shorter)))
    }

    /// A step with a word or a symbol below `<s>`.
    #[inline]
    pub(super) fn follow(&self, mut state: u32, symbol: u32) -> (f64, u32) {
        let mut weight = 0.0;
        while state != 0 {
            if let Some(step) = self.lookup.get(state, symbol) {
                return (weight + step.log, step.next);
            }
            let context = &self.contexts[state as usize];
            weight += context.backoff;
            state = context.shorter;
        }
        let unigram = self.unigrams[symbol as usize];
        (weight + unigram.log, unigram.next)
    }
}
