//! The tokens of one direction, grouped by emitted word type.

use super::placement;
use crate::error::{Error, Result};
use crate::ids::WordId;
use crate::numeric::to_u64;
use crate::text::{Bitext, Side};
use std::ops::Range;

/// Which side generates which.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    /// P(target | source): each target token is linked to at most one source token ("forward").
    TargetGivenSource,
    /// P(source | target): each source token is linked to at most one target token ("reverse").
    SourceGivenTarget,
}

impl Direction {
    /// Both directions, forward first.
    pub const BOTH: [Self; 2] = [Self::TargetGivenSource, Self::SourceGivenTarget];

    /// A number for keys of random streams.
    #[must_use]
    pub const fn key(self) -> u64 {
        match self {
            Self::TargetGivenSource => 0,
            Self::SourceGivenTarget => 1,
        }
    }
}

/// Longest sentence that can take part: positions are stored in 16 bits and 0 means NULL.
pub const MAX_SENTENCE: usize = 65_534;

/// The emitted tokens of all usable sentence pairs, ordered by emitted type, then by place in the corpus.
///
/// A place in this order is a *slot*. Memory: 8 bytes a token.
#[derive(Debug)]
pub struct Emissions<'a> {
    direction: Direction,
    given: &'a Side,
    emitted: &'a Side,
    sentence: Vec<u32>,
    position: Vec<u16>,
    diagonal: Vec<u16>,
    type_offsets: Vec<usize>,
}

/// A run of whole emitted types, cut so that blocks hold about the same work. Blocks depend on the corpus alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// Its number, from 0.
    pub index: usize,
    /// Emitted types `types.start .. types.end`.
    pub types: Range<usize>,
    /// Their slots.
    pub slots: Range<usize>,
}

impl<'a> Emissions<'a> {
    /// Groups the tokens of the emitted side: two counting passes, O(tokens) time.
    ///
    /// # Errors
    /// [`Error::TooLarge`] for more than 2^32 sentence pairs or a usable sentence of more than [`MAX_SENTENCE`] tokens.
    pub fn new(bitext: &'a Bitext, direction: Direction) -> Result<Self> {
        let (given, emitted) = match direction {
            Direction::TargetGivenSource => (bitext.source(), bitext.target()),
            Direction::SourceGivenTarget => (bitext.target(), bitext.source()),
        };
        if u32::try_from(bitext.len()).is_err() {
            return Err(Error::TooLarge {
                what: "the number of sentence pairs",
                limit: u64::from(u32::MAX),
            });
        }
        let usable = || (0..bitext.len()).filter(|&n| bitext.usable()[n]);
        let mut type_offsets = vec![0_usize; emitted.vocabulary().len() + 1];
        for n in usable() {
            if emitted.sentence(n).len().max(given.sentence(n).len()) > MAX_SENTENCE {
                return Err(Error::TooLarge {
                    what: "the length of a sentence in training",
                    limit: to_u64(MAX_SENTENCE),
                });
            }
            for word in emitted.sentence(n) {
                type_offsets[word.index() + 1] += 1;
            }
        }
        for word in 1..type_offsets.len() {
            type_offsets[word] += type_offsets[word - 1];
        }
        let count = type_offsets.last().copied().unwrap_or(0);
        if u32::try_from(count).is_err() {
            // Fixed-point counts hold 2^32 tokens.
            return Err(Error::TooLarge {
                what: "the number of tokens of one side",
                limit: u64::from(u32::MAX),
            });
        }
        let mut sentence = vec![0_u32; count];
        let mut position = vec![0_u16; count];
        let mut diagonal = vec![0_u16; count];
        let mut next = type_offsets.clone();
        for n in usable() {
            let number = u32::try_from(n).unwrap_or(u32::MAX);
            let (words, given_len) = (emitted.sentence(n), given.sentence(n).len());
            for (j, word) in words.iter().enumerate() {
                let slot = &mut next[word.index()];
                sentence[*slot] = number;
                position[*slot] = narrow(j);
                diagonal[*slot] = narrow(placement::diagonal(j, words.len(), given_len));
                *slot += 1;
            }
        }
        Ok(Self {
            direction,
            given,
            emitted,
            sentence,
            position,
            diagonal,
            type_offsets,
        })
    }

    /// Which side generates which.
    #[must_use]
    pub const fn direction(&self) -> Direction {
        self.direction
    }

    /// The generating side.
    #[must_use]
    pub const fn given(&self) -> &'a Side {
        self.given
    }

    /// The generated side.
    #[must_use]
    pub const fn emitted(&self) -> &'a Side {
        self.emitted
    }

    /// Number of emitted tokens that take part.
    #[must_use]
    pub fn len(&self) -> usize {
        self.sentence.len()
    }

    /// Whether no token takes part.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sentence.is_empty()
    }

    /// The index of the NULL word in arrays over given types: one past the last word.
    #[must_use]
    pub fn null(&self) -> usize {
        self.given.vocabulary().len()
    }

    /// The slots of the emitted type `word`.
    #[must_use]
    #[inline]
    pub fn slots(&self, word: usize) -> Range<usize> {
        self.type_offsets[word]..self.type_offsets[word + 1]
    }

    /// The sentence pair of a slot.
    #[must_use]
    #[inline]
    pub fn sentence_of(&self, slot: usize) -> usize {
        self.sentence[slot] as usize
    }

    /// The sentence pairs of a run of slots.
    #[must_use]
    #[inline]
    pub fn sentences_of(&self, slots: Range<usize>) -> &[u32] {
        &self.sentence[slots]
    }

    /// The place of a slot's token in its emitted sentence.
    #[must_use]
    #[inline]
    pub fn position_of(&self, slot: usize) -> u16 {
        self.position[slot]
    }

    /// The given sentence of a slot.
    #[must_use]
    #[inline]
    pub fn given_sentence(&self, slot: usize) -> &'a [WordId] {
        self.given.sentence(self.sentence_of(slot))
    }

    /// The position of the given sentence that lies on the diagonal at a slot's token.
    #[must_use]
    #[inline]
    pub fn diagonal_of(&self, slot: usize) -> usize {
        self.diagonal[slot].into()
    }

    /// A number that no other token of the corpus has: sentence and position.
    #[must_use]
    #[inline]
    pub fn token(&self, slot: usize) -> u64 {
        u64::from(self.sentence[slot]) << 16 | u64::from(self.position[slot])
    }

    /// Cuts the slots into about `count` blocks of equal numbers of tokens, at the borders of types; a frequent type may fill a block alone.
    #[must_use]
    pub fn blocks(&self, count: usize) -> Vec<Block> {
        let goal = self.len().div_ceil(count.max(1)).max(1);
        let types = self.type_offsets.len() - 1;
        let mut blocks = Vec::new();
        let mut start = 0;
        for word in 0..types {
            let size = self.type_offsets[word + 1] - self.type_offsets[start];
            // Close before a type that would overshoot by more than stopping here falls short.
            let before = self.type_offsets[word] - self.type_offsets[start];
            if before > 0 && size > goal && size - goal > goal.saturating_sub(before) {
                blocks.push(self.block(blocks.len(), start..word));
                start = word;
            }
        }
        if start < types {
            blocks.push(self.block(blocks.len(), start..types));
        }
        blocks
    }

    /// The block of these emitted types, which must not be empty.
    #[must_use]
    pub fn block(&self, index: usize, types: Range<usize>) -> Block {
        let slots = self.type_offsets[types.start]..self.type_offsets[types.end];
        Block {
            index,
            types,
            slots,
        }
    }
}

fn narrow(position: usize) -> u16 {
    // Sentences are at most MAX_SENTENCE long.
    u16::try_from(position).unwrap_or(u16::MAX)
}
