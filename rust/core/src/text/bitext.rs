//! A sentence-aligned corpus in compact ragged arrays.

use super::Vocabulary;
use crate::ids::WordId;

/// One side of a corpus: `offsets` has one more entry than there are sentences; sentence `n` is `tokens[offsets[n]..offsets[n + 1]]`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Side {
    vocabulary: Vocabulary,
    tokens: Vec<WordId>,
    offsets: Vec<u64>,
}

impl Side {
    /// A side from its parts; `offsets` must start with 0, rise, and end with the number of tokens.
    #[must_use]
    pub fn new(vocabulary: Vocabulary, tokens: Vec<WordId>, offsets: Vec<u64>) -> Self {
        Self {
            vocabulary,
            tokens,
            offsets,
        }
    }

    /// The word types.
    #[must_use]
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// All tokens, sentence after sentence.
    #[must_use]
    pub fn tokens(&self) -> &[WordId] {
        &self.tokens
    }

    /// Where each sentence starts, and the number of tokens at the end.
    #[must_use]
    pub fn offsets(&self) -> &[u64] {
        &self.offsets
    }

    /// Number of sentences.
    #[must_use]
    pub fn len(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// Whether there is no sentence.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The tokens of sentence `n`.
    ///
    /// # Panics
    /// When there is no such sentence.
    #[must_use]
    #[inline]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "offsets index a vector that is in memory"
    )]
    pub fn sentence(&self, n: usize) -> &[WordId] {
        &self.tokens[self.offsets[n] as usize..self.offsets[n + 1] as usize]
    }
}

/// A corpus of sentence pairs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bitext {
    source: Side,
    target: Side,
    usable: Vec<bool>,
}

impl Bitext {
    /// A corpus from two sides with the same number of sentences; `usable[n]` says whether pair `n` takes part in training.
    #[must_use]
    pub fn new(source: Side, target: Side, usable: Vec<bool>) -> Self {
        Self {
            source,
            target,
            usable,
        }
    }

    /// The source side.
    #[must_use]
    pub fn source(&self) -> &Side {
        &self.source
    }

    /// The target side.
    #[must_use]
    pub fn target(&self) -> &Side {
        &self.target
    }

    /// Number of sentence pairs.
    #[must_use]
    pub fn len(&self) -> usize {
        self.source.len()
    }

    /// Whether there is no pair.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.source.is_empty()
    }

    /// For each pair, whether it takes part in training: both sides have tokens and neither is over the length limit.
    #[must_use]
    pub fn usable(&self) -> &[bool] {
        &self.usable
    }
}
