//! Models to ARPA files.

use super::model::Model;
use super::text::{END, START, UNKNOWN};
use crate::error::{Error, Result};
use crate::ids::WordId;
use crate::text::Vocabulary;
use std::f64::consts::LOG10_E;
use std::fmt::Write;

/// Bytes of a block, about.
const BLOCK: usize = 1 << 20;

/// What programs write for the beginning of a sentence, which no word is asked to be.
const START_LOG10: f64 = -99.0;

/// Writes a model as an ARPA file, block by block.
#[derive(Debug)]
pub struct ArpaWriter<'a> {
    model: &'a Model,
    words: &'a Vocabulary,
    is_single: bool,
    /// How each context was reached: from which shorter one, with which word.
    reached: Vec<(u32, u32)>,
    /// The length of n-grams to be written next; 0 is the head of the file.
    length: usize,
    /// What comes next in that section: a unigram, or a context.
    next: usize,
}

impl<'a> ArpaWriter<'a> {
    /// A writer of a model whose words have these names; `is_single` writes numbers of single precision, about 7 digits, as other programs do.
    ///
    /// # Errors
    /// [`Error::Config`] when there are not as many names as words, or a name cannot stand in such a file.
    pub fn new(model: &'a Model, words: &'a Vocabulary, is_single: bool) -> Result<Self> {
        if words.len() != model.vocabulary() {
            return Err(Error::config(
                "words",
                &format!("the {} words of the model", model.vocabulary()),
                format!("{} names", words.len()),
            ));
        }
        let cannot_stand = |word: &&str| word.is_empty() || word.contains([' ', '\t', '\n', '\r']);
        if let Some(word) = words.words().find(cannot_stand) {
            return Err(Error::config(
                "words",
                "without spaces, tabs and line ends for an ARPA file, and not empty",
                format!("{word:?}"),
            ));
        }
        let mut reached = vec![(0, model.symbols.start); model.contexts.len()];
        for (word, unigram) in (0_u32..).zip(&model.unigrams) {
            if unigram.is_known && model.has_length(unigram.next, 1) {
                reached[unigram.next as usize] = (0, word);
            }
        }
        for length in 1..model.order {
            for context in model.lengths[length]..model.lengths[length + 1] {
                for (word, step) in model.row(context) {
                    if model.has_length(step.next, length + 1) {
                        reached[step.next as usize] = (context, word);
                    }
                }
            }
        }
        Ok(Self {
            model,
            words,
            is_single,
            reached,
            length: 0,
            next: 0,
        })
    }

    /// The next bytes of the file; nothing at its end.
    pub fn next_block(&mut self) -> Option<String> {
        if self.length > self.model.order + 1 {
            return None;
        }
        let mut block = String::new();
        while block.len() < BLOCK {
            match self.length {
                0 => self.head(&mut block),
                length if length > self.model.order => {
                    block.push_str("\n\\end\\\n");
                    self.length += 1;
                    break;
                }
                1 => self.unigram(&mut block),
                _ => self.context(&mut block),
            }
        }
        Some(block)
    }

    fn open_section(&mut self, length: usize, block: &mut String) {
        self.length = length;
        self.next = 0;
        if length <= self.model.order {
            put(block, format_args!("\n\\{length}-grams:\n"));
        }
        if length > 1 && length <= self.model.order {
            self.next = self.model.lengths[length - 1] as usize;
        }
    }

    fn head(&mut self, block: &mut String) {
        block.push_str("\\data\\\n");
        for (at, count) in self.model.counts().into_iter().enumerate() {
            put(block, format_args!("ngram {}={count}\n", at + 1));
        }
        self.open_section(1, block);
    }

    fn unigram(&mut self, block: &mut String) {
        let model = self.model;
        if self.next == model.unigrams.len() {
            self.log10(block, START_LOG10);
            put(block, format_args!("\t{START}"));
            self.backoff(block, model.start, 1);
            block.push('\n');
            self.open_section(2, block);
            return;
        }
        let at = self.next;
        self.next += 1;
        if model.is_listed(at) {
            let unigram = model.unigrams[at];
            self.log10(block, unigram.log * LOG10_E);
            block.push('\t');
            self.word(block, symbol(at));
            self.backoff(block, unigram.next, 1);
            block.push('\n');
        }
    }

    fn context(&mut self, block: &mut String) {
        let (model, length) = (self.model, self.length);
        if self.next == model.lengths[length] as usize {
            self.open_section(length + 1, block);
            return;
        }
        let number = symbol(self.next);
        self.next += 1;
        let mut before = Vec::new();
        let mut at = number;
        while at != 0 {
            let (shorter, word) = self.reached[at as usize];
            before.push(word);
            at = shorter;
        }
        let mut text = String::new();
        for &word in before.iter().rev() {
            self.word(&mut text, word);
            text.push(' ');
        }
        for (word, step) in model.row(number) {
            self.log10(block, step.log * LOG10_E);
            block.push('\t');
            block.push_str(&text);
            self.word(block, word);
            self.backoff(block, step.next, length);
            block.push('\n');
        }
    }

    fn word(&self, block: &mut String, symbol: u32) {
        let symbols = self.model.symbols;
        block.push_str(match symbol {
            symbol if symbol == symbols.start => START,
            symbol if symbol == symbols.end => END,
            symbol if symbol == symbols.unknown => UNKNOWN,
            symbol => self
                .words
                .word(WordId::from_u32(symbol))
                .unwrap_or_default(),
        });
    }

    /// The weight of an n-gram of some length as a context, if it is one.
    fn backoff(&self, block: &mut String, context: u32, length: usize) {
        if length < self.model.order && self.model.has_length(context, length) {
            block.push('\t');
            self.log10(
                block,
                self.model.contexts[context as usize].backoff * LOG10_E,
            );
        }
    }

    /// The shortest text that reads as the same number.
    fn log10(&self, block: &mut String, log: f64) {
        // No minus before zero.
        let log = log + 0.0;
        if self.is_single {
            put(block, format_args!("{}", crate::numeric::to_f32(log)));
        } else {
            put(block, format_args!("{log}"));
        }
    }
}

impl Model {
    /// How many n-grams of each length there are, `<s>` and `<unk>` among the unigrams.
    #[must_use]
    pub fn counts(&self) -> Vec<usize> {
        let unigrams = (0..self.unigrams.len())
            .filter(|&at| self.is_listed(at))
            .count();
        let mut counts = vec![unigrams + 1];
        for length in 1..self.order {
            let range = self.lengths[length] as usize..self.lengths[length + 1] as usize;
            let row = |context: usize| self.contexts[context].end - self.contexts[context].begin;
            counts.push(range.map(|context| row(context) as usize).sum());
        }
        counts
    }

    /// Whether a unigram is an n-gram of its own; `<unk>` always is.
    fn is_listed(&self, at: usize) -> bool {
        self.unigrams[at].is_known || at + 1 == self.unigrams.len()
    }

    /// Whether a context has so many words.
    fn has_length(&self, context: u32, length: usize) -> bool {
        length < self.order && (self.lengths[length]..self.lengths[length + 1]).contains(&context)
    }

    /// The words of a context.
    fn row(&self, context: u32) -> impl Iterator<Item = (u32, super::model::Step)> {
        let context = self.contexts[context as usize];
        let range = context.begin as usize..context.end as usize;
        self.words[range.clone()]
            .iter()
            .copied()
            .zip(self.steps[range].iter().copied())
    }
}

/// The symbol of a unigram or the number of a context: less than 2^32 of either.
#[expect(
    clippy::cast_possible_truncation,
    reason = "there are less than 2^32, which is checked when a model is made"
)]
const fn symbol(at: usize) -> u32 {
    at as u32
}

fn put(block: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a string does not fail.
    let _ = block.write_fmt(text);
}
