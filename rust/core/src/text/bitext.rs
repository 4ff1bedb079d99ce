//! A sentence-aligned corpus in compact ragged arrays.

use super::interner::Interner;
use super::lines::reserve;
use super::ranking::rank_by_frequency;
use super::{Counts, Vocabulary};
use crate::error::Result;
use crate::ids::WordId;

/// One side of a corpus: `offsets` has one more entry than there are sentences; sentence `n` is `tokens[offsets[n]..offsets[n + 1]]`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Side {
    vocabulary: Vocabulary,
    tokens: Vec<WordId>,
    offsets: Vec<u64>,
    surface: Option<Surface>,
}

/// The words as they were written, before lower-casing and stemming; `tokens` runs in parallel with the tokens of the side.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Surface {
    vocabulary: Vocabulary,
    tokens: Vec<WordId>,
}

impl Surface {
    pub(super) fn new(vocabulary: Vocabulary, tokens: Vec<WordId>) -> Self {
        Self { vocabulary, tokens }
    }
}

impl Side {
    /// A side from its parts; `offsets` must start with 0, rise, and end with the number of tokens.
    #[must_use]
    pub fn new(vocabulary: Vocabulary, tokens: Vec<WordId>, offsets: Vec<u64>) -> Self {
        Self::with_surface(vocabulary, tokens, offsets, None)
    }

    pub(super) fn with_surface(
        vocabulary: Vocabulary,
        tokens: Vec<WordId>,
        offsets: Vec<u64>,
        surface: Option<Surface>,
    ) -> Self {
        Self {
            vocabulary,
            tokens,
            offsets,
            surface,
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

    /// The words of sentence `n`, as written where the side keeps that, folded otherwise.
    ///
    /// # Panics
    /// When there is no such sentence.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "offsets index a vector that is in memory"
    )]
    #[must_use]
    pub fn words(&self, n: usize) -> impl ExactSizeIterator<Item = &str> {
        let (vocabulary, tokens) = self.written();
        tokens[self.offsets[n] as usize..self.offsets[n + 1] as usize]
            .iter()
            .map(|&id| vocabulary.word(id).unwrap_or_default())
    }

    /// The vocabulary and tokens to show.
    fn written(&self) -> (&Vocabulary, &[WordId]) {
        self.surface
            .as_ref()
            .map_or((&self.vocabulary, &self.tokens), |surface| {
                (&surface.vocabulary, &surface.tokens)
            })
    }

    fn concatenate(a: &Self, b: &Self, usable: &[bool]) -> Result<Self> {
        let end = a.offsets.last().copied().unwrap_or(0);
        let mut offsets = Vec::new();
        reserve(
            &mut offsets,
            a.len() + b.len() + 1,
            "the offsets of sentences",
        )?;
        offsets.push(0);
        offsets.extend(a.offsets.iter().skip(1));
        offsets.extend(b.offsets.iter().skip(1).map(|offset| end + offset));
        let (words, mut tokens) = join((&a.vocabulary, &a.tokens), (&b.vocabulary, &b.tokens))?;
        let surface = if a.surface.is_some() || b.surface.is_some() {
            let (words, tokens) = join(a.written(), b.written())?;
            Some(Surface::new(words.into_vocabulary(), tokens))
        } else {
            None
        };
        let vocabulary = rank_by_frequency(&words, &mut tokens, &offsets, usable)?;
        Ok(Self::with_surface(vocabulary, tokens, offsets, surface))
    }
}

/// The tokens of `a` and then those of `b` as ids of one set of words.
fn join(
    a: (&Vocabulary, &[WordId]),
    b: (&Vocabulary, &[WordId]),
) -> Result<(Interner, Vec<WordId>)> {
    let mut words = Interner::from_vocabulary(a.0)?;
    let mut new_id = Vec::with_capacity(b.0.len());
    for word in b.0.words() {
        new_id.push(words.intern(word)?);
    }
    let mut tokens = Vec::new();
    reserve(&mut tokens, a.1.len() + b.1.len(), "the tokens of a corpus")?;
    tokens.extend_from_slice(a.1);
    tokens.extend(b.1.iter().map(|id| new_id[id.index()]));
    Ok((words, tokens))
}

/// A corpus of sentence pairs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bitext {
    source: Side,
    target: Side,
    usable: Vec<bool>,
    counts: Counts,
}

impl Bitext {
    /// A corpus from two sides with the same number of sentences; `usable[n]` says whether pair `n` takes part in training.
    #[must_use]
    pub fn new(source: Side, target: Side, usable: Vec<bool>) -> Self {
        let empty = (0..source.len().min(target.len()))
            .filter(|&n| source.sentence(n).is_empty() || target.sentence(n).is_empty())
            .count() as u64;
        let counts = Counts {
            empty,
            ..Counts::default()
        };
        Self::with_counts(source, target, usable, counts)
    }

    /// A corpus with what is known of its reading: `counts` has the numbers of pairs that are empty, too long, skipped and replaced.
    pub(super) fn with_counts(
        source: Side,
        target: Side,
        usable: Vec<bool>,
        counts: Counts,
    ) -> Self {
        let counts = Counts {
            pairs: source.len() as u64,
            source_tokens: source.tokens.len() as u64,
            target_tokens: target.tokens.len() as u64,
            source_types: source.vocabulary.len() as u64,
            target_types: target.vocabulary.len() as u64,
            ..counts
        };
        Self {
            source,
            target,
            usable,
            counts,
        }
    }

    /// The pairs of `a`, then those of `b`, with the words numbered anew; each pair stays usable or not.
    ///
    /// # Errors
    /// [`crate::error::Error::Memory`], [`crate::error::Error::TooLarge`].
    ///
    /// # Complexity
    /// Time and memory linear in tokens and vocabularies.
    pub fn concatenate(a: &Self, b: &Self) -> Result<Self> {
        let usable = [a.usable.as_slice(), &b.usable].concat();
        let counts = Counts {
            empty: a.counts.empty + b.counts.empty,
            too_long: a.counts.too_long + b.counts.too_long,
            skipped: a.counts.skipped + b.counts.skipped,
            replaced: a.counts.replaced + b.counts.replaced,
            ..Counts::default()
        };
        let source = Side::concatenate(&a.source, &b.source, &usable)?;
        let target = Side::concatenate(&a.target, &b.target, &usable)?;
        Ok(Self::with_counts(source, target, usable, counts))
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
    /// What was read, and what was left out.
    #[must_use]
    pub fn counts(&self) -> &Counts {
        &self.counts
    }
}
