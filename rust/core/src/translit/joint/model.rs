//! The n-gram model over units, laid out for decoding.

use crate::cancel::{CancelToken, STRIDE};
use crate::error::{Error, Result};
use crate::ngram;
use crate::translit::units::Units;

/// No state, node or unit.
pub(super) const NONE: u32 = u32::MAX;

/// The number of the unit that stands for a source symbol that no unit covers alone.
pub(super) const UNCOVERED: u32 = u32::MAX - 1;

/// A target symbol with this bit is the source symbol at the position in the other bits.
pub const COPIED: u32 = 1 << 31;

/// What becomes of a source symbol that no unit covers alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unknown {
    /// Nothing.
    Skip,
    /// Itself.
    Copy,
}

/// A unit after a context.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step {
    pub unit: u32,
    pub next: u32,
    pub log: f64,
    pub probability: f64,
    /// What the shorter context gives the unit, times its weight.
    pub lower: f64,
    /// The context after the unit and the shorter context: `next` or the one shorter.
    pub lower_next: u32,
}

/// A context.
#[derive(Debug, Clone, Copy)]
pub(super) struct Context {
    pub begin: u32,
    pub end: u32,
    pub shorter: u32,
    /// How many shorter contexts there are.
    pub depth: u32,
    pub log_weight: f64,
    pub weight: f64,
    /// The logarithm of the probability that a word ends here.
    pub log_end: f64,
}

/// A joint source-channel model.
#[derive(Debug)]
pub struct JointModel {
    pub(super) units: Units,
    /// Units by source chunk.
    by_source: Vec<u32>,
    source_starts: Vec<usize>,
    /// The number of source symbols of each unit.
    pub(super) lengths: Vec<u32>,
    pub(super) longest: usize,
    pub(super) widest: usize,
    pub(super) contexts: Vec<Context>,
    pub(super) steps: Vec<Step>,
    /// Each unit without a context.
    pub(super) alone: Vec<Step>,
    pub(super) uncovered: Step,
    pub(super) start: u32,
    pub(super) depths: usize,
    order: usize,
}

impl JointModel {
    /// Lays out an n-gram model whose words are units.
    ///
    /// # Errors
    /// [`Error::Model`] when the vocabulary is not that of the units, or units consume nothing; [`Error::Cancelled`].
    pub fn new(units: Units, ngrams: &ngram::Model, cancel: &CancelToken) -> Result<Self> {
        let wrong = |problem: &str| Error::Model {
            part: "the units",
            problem: problem.to_owned(),
        };
        if units.len() != ngrams.vocabulary() {
            return Err(wrong("must be the words of the n-gram model"));
        }
        let numbers = 0..narrow(units.len());
        if numbers.clone().any(|unit| units.get(unit).0.is_empty()) {
            return Err(wrong("must consume source symbols"));
        }
        let (by_source, source_starts) = sort_by_source(&units);
        let side = |of: fn((&[u32], &[u32])) -> usize| {
            numbers.clone().map(|unit| of(units.get(unit))).max()
        };
        let mut made = Self {
            by_source,
            source_starts,
            lengths: numbers
                .clone()
                .map(|unit| narrow(units.get(unit).0.len()))
                .collect(),
            longest: side(|(source, _)| source.len()).unwrap_or(0),
            widest: side(|(_, target)| target.len()).unwrap_or(0),
            contexts: Vec::new(),
            steps: Vec::new(),
            alone: numbers.map(|unit| alone(ngrams, unit, unit)).collect(),
            // Any number beyond the vocabulary is the unknown word.
            uncovered: alone(ngrams, NONE, UNCOVERED),
            start: ngrams.start().as_u32(),
            depths: 1,
            order: ngrams.order(),
            units,
        };
        made.lay_out(ngrams, cancel)?;
        Ok(made)
    }

    fn lay_out(&mut self, ngrams: &ngram::Model, cancel: &CancelToken) -> Result<()> {
        let vocabulary = narrow(ngrams.vocabulary());
        // A shorter context has a smaller number.
        for number in 0..ngrams.states() {
            if number % STRIDE == 0 {
                cancel.check()?;
            }
            let state = ngrams.state(number);
            let begin = narrow(self.steps.len());
            let (log_weight, shorter) = match ngrams.shorter(state) {
                Some((log, shorter)) => (log, Some(shorter)),
                None => (0.0, None),
            };
            let weight = libm::exp(log_weight);
            if let Some(shorter) = shorter {
                for (unit, log, next) in ngrams.explicit(state) {
                    if unit < vocabulary {
                        let (lower, lower_next) = ngrams.step(shorter, unit);
                        self.steps.push(Step {
                            unit,
                            next: next.as_u32(),
                            log,
                            probability: libm::exp(log),
                            lower: weight * libm::exp(lower),
                            lower_next: lower_next.as_u32(),
                        });
                    }
                }
            }
            let depth = shorter.map_or(0, |state| self.contexts[state.as_u32() as usize].depth + 1);
            self.depths = self.depths.max(depth as usize + 1);
            self.contexts.push(Context {
                begin,
                end: narrow(self.steps.len()),
                shorter: shorter.map_or(NONE, ngram::State::as_u32),
                depth,
                log_weight,
                weight,
                log_end: ngrams.end(state),
            });
        }
        Ok(())
    }

    /// The units.
    #[must_use]
    pub const fn units(&self) -> &Units {
        &self.units
    }

    /// The length of the longest n-grams of units.
    #[must_use]
    pub const fn order(&self) -> usize {
        self.order
    }

    /// The number of contexts, and of units after contexts.
    #[must_use]
    pub const fn size(&self) -> (usize, usize) {
        (self.contexts.len(), self.steps.len())
    }

    /// The units of a source chunk.
    #[inline]
    pub(super) fn units_of(&self, chunk: u32) -> &[u32] {
        let at = chunk as usize;
        &self.by_source[self.source_starts[at]..self.source_starts[at + 1]]
    }

    /// The units that a context has steps of its own for, rising.
    #[inline]
    pub(super) fn steps_of(&self, context: u32) -> &[Step] {
        let context = &self.contexts[context as usize];
        &self.steps[context.begin as usize..context.end as usize]
    }

    /// Whether a context has a step of its own for a unit.
    #[inline]
    pub(super) fn is_explicit(&self, context: u32, unit: u32) -> bool {
        self.steps_of(context)
            .binary_search_by_key(&unit, |step| step.unit)
            .is_ok()
    }

    /// The probability of a unit after a context, and the next context.
    #[inline]
    pub(super) fn step(&self, mut context: u32, unit: u32) -> (f64, u32) {
        let mut weight = 1.0;
        loop {
            let steps = self.steps_of(context);
            if let Ok(found) = steps.binary_search_by_key(&unit, |step| step.unit) {
                return (weight * steps[found].probability, steps[found].next);
            }
            let here = &self.contexts[context as usize];
            if here.shorter == NONE {
                let step = self.alone.get(unit as usize).unwrap_or(&self.uncovered);
                return (weight * step.probability, step.next);
            }
            weight *= here.weight;
            context = here.shorter;
        }
    }
}

/// A unit without a context.
fn alone(ngrams: &ngram::Model, word: u32, unit: u32) -> Step {
    let (log, next) = ngrams.step(ngrams.no_context(), word);
    Step {
        unit,
        next: next.as_u32(),
        log,
        probability: libm::exp(log),
        lower: 0.0,
        lower_next: next.as_u32(),
    }
}

/// Units by source chunk, rising, and where each chunk starts.
fn sort_by_source(units: &Units) -> (Vec<u32>, Vec<usize>) {
    let mut starts = vec![0; units.sources.len() + 1];
    let numbers = 0..narrow(units.len());
    for unit in numbers.clone() {
        starts[units.chunks(unit).0 as usize + 1] += 1;
    }
    for at in 1..starts.len() {
        starts[at] += starts[at - 1];
    }
    let (mut ends, mut sorted) = (starts.clone(), vec![0; units.len()]);
    for unit in numbers {
        let end = &mut ends[units.chunks(unit).0 as usize];
        sorted[*end] = unit;
        *end += 1;
    }
    (sorted, starts)
}

/// Numbers of units, contexts and steps are 32 bits wide where they are made.
pub(super) fn narrow(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(NONE)
}
