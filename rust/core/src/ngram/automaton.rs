//! N-grams with probabilities to an automaton over contexts.

use super::corpus::Symbols;
use super::counts::narrow;
use super::lookup::Lookup;
use super::model::{Context, Model, Step, Unigram};
use crate::cancel::{CancelToken, STRIDE};
use crate::error::Result;

/// The n-grams of one length as a level of the tree of prefixes, sorted by their symbols.
#[derive(Debug, Default, Clone)]
pub(super) struct Grams {
    /// The last symbol of each.
    pub(super) symbols: Vec<u32>,
    /// The logarithm of its probability after the symbols before it; NaN for that of the shorter contexts.
    pub(super) logs: Vec<f64>,
    /// The logarithm of the weight of shorter contexts after it; empty at the highest order.
    pub(super) backoffs: Vec<f64>,
    /// Where the n-grams that are one longer begin in the next level, and how many there are.
    pub(super) children: Vec<u32>,
}

impl Grams {
    pub(super) fn len(&self) -> usize {
        self.symbols.len()
    }

    fn range(&self, parent: usize) -> std::ops::Range<usize> {
        self.children[parent] as usize..self.children[parent + 1] as usize
    }

    /// Whether an n-gram differs as a context from the one without its first word.
    fn is_context(&self, n: usize) -> bool {
        self.backoffs.get(n).is_some_and(|&backoff| backoff != 0.0) || !self.range(n).is_empty()
    }
}

/// What symbols get that are no unigram, as logarithms.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rest {
    /// A word of the vocabulary; nothing where that is `<unk>`.
    pub(super) word: Option<f64>,
    pub(super) unknown: f64,
}

/// Builds the automaton.
pub(super) fn build(
    levels: &[Grams],
    symbols: Symbols,
    rest: Rest,
    cancel: &CancelToken,
) -> Result<Model> {
    let vocabulary = symbols.end as usize;
    let mut model = Model::empty(levels.len(), symbols);
    let mut unigrams = vec![
        Unigram {
            log: rest.word.unwrap_or(rest.unknown),
            next: 0,
            is_known: rest.word.is_some(),
        };
        vocabulary + 2
    ];
    unigrams[vocabulary] = Unigram {
        log: f64::NEG_INFINITY,
        next: 0,
        is_known: true,
    };
    unigrams[vocabulary + 1] = Unigram {
        log: rest.unknown,
        next: 0,
        is_known: false,
    };
    let longer: usize = levels.iter().skip(1).map(Grams::len).sum();
    model.lookup = Lookup::new(longer)?;
    model.contexts.push(Context::default());
    model.lengths.push(0);
    model.lengths.push(1);

    // For each n-gram of the level, its context if it is one.
    let mut own: Vec<Option<u32>> = Vec::with_capacity(levels[0].len());
    for n in 0..levels[0].len() {
        let symbol = levels[0].symbols[n];
        let context = add_context(&mut model, &levels[0], n, 0)?;
        own.push(context);
        if symbol == symbols.start {
            model.start = context.unwrap_or(0);
        } else {
            unigrams[symbol as usize] = Unigram {
                log: levels[0].logs[n],
                next: context.unwrap_or(0),
                is_known: true,
            };
        }
    }
    // Words that are no unigram go on as <unk> does.
    let unknown = unigrams[vocabulary + 1];
    for unigram in unigrams.iter_mut().filter(|unigram| !unigram.is_known) {
        unigram.next = unknown.next;
        if unknown.is_known {
            unigram.log = unknown.log;
        }
    }
    model.unigrams = unigrams;

    for depth in 1..levels.len() {
        model.lengths.push(narrow(model.contexts.len())?);
        let (parents, here) = (&levels[depth - 1], &levels[depth]);
        let mut next_own = Vec::with_capacity(here.len());
        for (parent, &context) in own.iter().enumerate() {
            let Some(context) = context else { continue };
            if parent % STRIDE == 0 {
                cancel.check()?;
            }
            let begin = model.words.len();
            let shorter = model.contexts[context as usize].shorter;
            for n in parents.range(parent) {
                let symbol = here.symbols[n];
                let (lower, suffix) = model.follow(shorter, symbol);
                let own = add_context(&mut model, here, n, suffix)?;
                next_own.push(own);
                let log = here.logs[n];
                let step = Step {
                    log: if log.is_nan() {
                        model.contexts[context as usize].backoff + lower
                    } else {
                        log
                    },
                    next: own.unwrap_or(suffix),
                };
                model.words.push(symbol);
                model.steps.push(step);
                model.lookup.insert(context, symbol, step);
            }
            let end = narrow(model.words.len())?;
            let context = &mut model.contexts[context as usize];
            (context.begin, context.end) = (narrow(begin)?, end);
        }
        own = next_own;
    }
    Ok(model)
}

/// Makes an n-gram a context of the automaton if it differs from the longest one that ends it.
fn add_context(model: &mut Model, level: &Grams, n: usize, suffix: u32) -> Result<Option<u32>> {
    if !level.is_context(n) {
        return Ok(None);
    }
    let number = narrow(model.contexts.len())?;
    model.contexts.push(Context {
        begin: 0,
        end: 0,
        shorter: suffix,
        backoff: level.backoffs.get(n).copied().unwrap_or(0.0),
    });
    Ok(Some(number))
}
