//! A model as arrays, and back.

use super::corpus::Symbols;
use super::estimate::MAX_ORDER;
use super::lookup::Lookup;
use super::model::{Context, Model, Step, Unigram};
use crate::error::{Error, Result};

/// The arrays of a model. Unigrams are those of the words, `</s>` and `<unk>`; contexts go by length, the empty one first.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Parts {
    /// The logarithm of each unigram's probability.
    pub unigram_logs: Vec<f64>,
    /// The context after each.
    pub unigram_next: Vec<u32>,
    /// Whether each has a probability of its own rather than that of `<unk>`.
    pub unigram_known: Vec<bool>,
    /// The context at the beginning of a sequence.
    pub start: u32,
    /// Where contexts of each length begin: length 0 to order - 1, and their number.
    pub lengths: Vec<u32>,
    /// Where the words of each context begin, and their number.
    pub context_starts: Vec<u32>,
    /// The longest context that ends each.
    pub context_shorter: Vec<u32>,
    /// The logarithm of the weight of the shorter context.
    pub context_backoffs: Vec<f64>,
    /// The words of each context, rising.
    pub words: Vec<u32>,
    /// The logarithm of their probabilities.
    pub logs: Vec<f64>,
    /// The contexts after them.
    pub next: Vec<u32>,
}

impl Model {
    /// The model as arrays.
    #[must_use]
    pub fn to_parts(&self) -> Parts {
        let mut context_starts: Vec<u32> = self.contexts.iter().map(|c| c.begin).collect();
        context_starts.push(self.contexts.last().map_or(0, |context| context.end));
        Parts {
            unigram_logs: self.unigrams.iter().map(|unigram| unigram.log).collect(),
            unigram_next: self.unigrams.iter().map(|unigram| unigram.next).collect(),
            unigram_known: self
                .unigrams
                .iter()
                .map(|unigram| unigram.is_known)
                .collect(),
            start: self.start,
            lengths: self.lengths.clone(),
            context_starts,
            context_shorter: self.contexts.iter().map(|c| c.shorter).collect(),
            context_backoffs: self.contexts.iter().map(|c| c.backoff).collect(),
            words: self.words.clone(),
            logs: self.steps.iter().map(|step| step.log).collect(),
            next: self.steps.iter().map(|step| step.next).collect(),
        }
    }

    /// The model of arrays, which may come from anywhere.
    ///
    /// # Errors
    /// [`Error::Model`] for arrays that no model has.
    pub fn from_parts(parts: Parts) -> Result<Self> {
        parts.check()?;
        let symbols = Symbols::new(parts.unigram_logs.len() - 2)?;
        let mut model = Self::empty(parts.lengths.len() - 1, symbols);
        model.start = parts.start;
        model.unigrams = parts
            .unigram_logs
            .iter()
            .zip(&parts.unigram_next)
            .zip(&parts.unigram_known)
            .map(|((&log, &next), &is_known)| Unigram {
                log,
                next,
                is_known,
            })
            .collect();
        model.contexts = parts
            .context_starts
            .windows(2)
            .zip(&parts.context_shorter)
            .zip(&parts.context_backoffs)
            .map(|((range, &shorter), &backoff)| Context {
                begin: range[0],
                end: range[1],
                shorter,
                backoff,
            })
            .collect();
        model.steps = parts
            .logs
            .iter()
            .zip(&parts.next)
            .map(|(&log, &next)| Step { log, next })
            .collect();
        model.lookup = Lookup::new(parts.words.len())?;
        for (context, row) in (0_u32..).zip(&model.contexts) {
            for at in row.begin as usize..row.end as usize {
                model
                    .lookup
                    .insert(context, parts.words[at], model.steps[at]);
            }
        }
        model.lengths = parts.lengths;
        model.words = parts.words;
        Ok(model)
    }
}

/// The most that the logarithm of a probability may be: 0, and what weights that were rounded in a file can add.
pub(super) const LARGEST_LOG: f64 = 1e-3;

impl Parts {
    fn check(&self) -> Result<()> {
        let (unigrams, contexts, words) = (
            self.unigram_logs.len(),
            self.context_shorter.len(),
            self.words.len(),
        );
        claim(unigrams >= 2, "unigrams", "lack </s> or <unk>")?;
        let is_whole = self.unigram_next.len() == unigrams
            && self.unigram_known.len() == unigrams
            && self.context_starts.len() == contexts + 1
            && self.context_backoffs.len() == contexts
            && self.logs.len() == words
            && self.next.len() == words;
        claim(is_whole, "arrays", "do not fit each other in length")?;
        let orders = 2..=MAX_ORDER + 1;
        let is_sound = orders.contains(&self.lengths.len())
            && self.lengths.is_sorted()
            && self.lengths.starts_with(&[0, 1])
            && self.lengths.last().map(|&end| end as usize) == Some(contexts);
        claim(
            is_sound,
            "lengths",
            "do not rise from 0 and 1 to the number of contexts",
        )?;
        let is_sound = self.context_starts.is_sorted()
            && self.context_starts.starts_with(&[0, 0])
            && self.context_starts.last().map(|&end| end as usize) == Some(words);
        claim(
            is_sound,
            "context_starts",
            "does not rise from 0 and 0 to the number of words",
        )?;
        let is_context = |&next: &u32| (next as usize) < contexts;
        let is_inside = is_context(&self.start)
            && self.unigram_next.iter().all(is_context)
            && self.next.iter().all(is_context);
        claim(is_inside, "next", "names contexts that are not there")?;
        // Contexts get shorter until the empty one is reached: steps end.
        for range in self.lengths.windows(2).skip(1) {
            let shorter = &self.context_shorter[range[0] as usize..range[1] as usize];
            claim(
                shorter.iter().all(|&context| context < range[0]),
                "context_shorter",
                "has a context that is not shorter",
            )?;
        }
        let rows = self.context_starts.windows(2);
        let is_rising = rows
            .map(|range| &self.words[range[0] as usize..range[1] as usize])
            .all(|row| row.is_sorted_by(|a, b| a < b));
        let bound = unigrams as u64;
        let is_inside = self.words.iter().all(|&word| u64::from(word) < bound);
        claim(
            is_rising && is_inside,
            "words",
            "do not rise within a context, or are none of the vocabulary",
        )?;
        let logs = self.unigram_logs.iter().chain(&self.logs);
        claim(
            logs.copied().all(|log| log <= LARGEST_LOG),
            "logs",
            "has a probability above 1, or none",
        )?;
        let are_weights = self
            .context_backoffs
            .iter()
            .all(|weight| *weight < f64::INFINITY);
        claim(
            are_weights,
            "context_backoffs",
            "has a weight that is infinite or none",
        )
    }
}

fn claim(holds: bool, part: &'static str, problem: &str) -> Result<()> {
    if holds {
        Ok(())
    } else {
        Err(Error::Model {
            part,
            problem: problem.to_owned(),
        })
    }
}
