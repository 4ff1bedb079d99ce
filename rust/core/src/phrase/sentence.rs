//! Sentence pairs with their links, from the same lines of parallel files.

use super::orientation::Definition;
use super::tokens::{Tokens, lines};
use crate::align::links::Link;
use crate::align::notation::{links_of_line, show};
use crate::error::{Error, Result};
use crate::numeric::{to_index, to_u64};
use std::ops::Range;

/// The same lines of the parallel files.
#[derive(Debug, Clone, Copy)]
pub struct Block<'a> {
    /// Target text.
    pub target: &'a [u8],
    /// Source text.
    pub source: &'a [u8],
    /// Links `i-j`, source-target.
    pub alignment: &'a [u8],
    /// A number for each sentence pair, if they have weights.
    pub weights: Option<&'a [u8]>,
    /// Number of the first line, from 1.
    pub first_line: u64,
}

/// One of the parallel files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Input {
    /// Target text.
    Target,
    /// Source text.
    Source,
    /// Links.
    Alignment,
    /// Weights of sentence pairs.
    Weights,
}

/// An error and the file it was found in.
pub type Misfit = (Input, Error);

/// The lines of one sentence pair.
pub(super) struct Item<'a> {
    target: &'a [u8],
    source: &'a [u8],
    alignment: &'a [u8],
    weight: Option<&'a [u8]>,
    /// Number of the line, from 1.
    pub(super) number: u64,
}

impl<'a> Block<'a> {
    /// The sentence pairs, some in each piece.
    pub(super) fn pieces(self, size: usize) -> Vec<Vec<Item<'a>>> {
        let mut weights = self.weights.map(lines);
        let mut pieces: Vec<Vec<Item<'_>>> = Vec::new();
        let texts = lines(self.target).zip(lines(self.source));
        for (n, ((target, source), alignment)) in texts.zip(lines(self.alignment)).enumerate() {
            if n % size == 0 {
                pieces.push(Vec::with_capacity(size));
            }
            let weight = weights.as_mut().and_then(Iterator::next);
            if let Some(last) = pieces.last_mut() {
                last.push(Item {
                    target,
                    source,
                    alignment,
                    weight,
                    number: self.first_line + to_u64(n),
                });
            }
        }
        pieces
    }
}

/// The words and links of a sentence pair; its buffers are used again for the next.
#[derive(Debug, Default)]
pub(super) struct SentencePair {
    pub(super) source: Tokens,
    pub(super) target: Tokens,
    /// In the order of the input, repeats included.
    pub(super) links: Vec<Link>,
    /// In the order of target words: those of word `j` are `by_target[starts[j]..starts[j + 1]]`.
    pub(super) by_target: Vec<Link>,
    starts: Vec<usize>,
}

impl SentencePair {
    /// Reads a sentence pair; returns its weight as it is written.
    ///
    /// The links of each target word are in the order of the input, repeats included, as Moses has them, or sorted and distinct.
    ///
    /// # Errors
    /// With the file that has it, [`Error::Text`]: a token is no link, a word is the separator of tables, or the weight is no number. Whether links lie
    /// inside of the sentence pair is for the caller to check.
    pub(super) fn read<'a>(
        &mut self,
        item: &Item<'a>,
        definition: Definition,
    ) -> std::result::Result<Option<&'a [u8]>, Misfit> {
        let number = item.number;
        self.target
            .read(item.target, number)
            .map_err(|e| (Input::Target, e))?;
        self.source
            .read(item.source, number)
            .map_err(|e| (Input::Source, e))?;
        links_of_line(item.alignment, number, &mut self.links)
            .map_err(|e| (Input::Alignment, e))?;
        let weight = item.weight.map(|text| trimmed_weight(text, number));
        let weight = weight.transpose().map_err(|e| (Input::Weights, e))?;
        self.order_links(definition);
        Ok(weight)
    }

    /// The links of the target words of a span.
    pub(super) fn links_of(&self, target: &Range<usize>) -> &[Link] {
        &self.by_target[self.starts[target.start]..self.starts[target.end]]
    }

    fn order_links(&mut self, definition: Definition) {
        self.by_target.clear();
        self.by_target.extend_from_slice(&self.links);
        match definition {
            Definition::Moses => self.by_target.sort_by_key(|link| link.target),
            Definition::Strict => {
                self.by_target
                    .sort_unstable_by_key(|link| (link.target, link.source));
                self.by_target.dedup();
            }
        }
        self.starts.clear();
        let mut at = 0;
        for word in 0..self.target.len() {
            self.starts.push(at);
            while at < self.by_target.len() && to_index(self.by_target[at].target.into()) == word {
                at += 1;
            }
        }
        self.starts.push(at);
    }
}

/// The weight of a line as it is written; checked.
fn trimmed_weight(text: &[u8], number: u64) -> Result<&[u8]> {
    let weight = text.trim_ascii();
    std::str::from_utf8(weight)
        .ok()
        .and_then(|t| t.parse::<f64>().ok())
        .filter(|w| w.is_finite() && *w >= 0.0)
        .map(|_| weight)
        .ok_or_else(|| Error::Text {
            line: number,
            column: 1,
            problem:
                "the weight of a sentence pair must be one number that is not negative, such as 0.5"
                    .into(),
            found: show(weight),
        })
}

/// An error about links as one about a line.
pub(super) fn at_line(error: Error, number: u64) -> Error {
    match error {
        Error::Links { problem, found, .. } => Error::Text {
            line: number,
            column: 1,
            problem,
            found,
        },
        other => other,
    }
}
