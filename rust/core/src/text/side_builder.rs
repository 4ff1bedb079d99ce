//! One side of a corpus while it is read.

use super::OnError;
use super::bitext::{Side, Surface};
use super::decode::{Decoded, decode};
use super::fold::Fold;
use super::interner::Interner;
use super::lines::reserve;
use super::ranking::{index, rank_by_frequency};
use crate::error::Result;
use crate::ids::WordId;

/// Sentences of one side: tokens are words as written, numbered by first occurrence.
#[derive(Debug)]
pub(super) struct SideBuilder {
    interner: Interner,
    tokens: Vec<WordId>,
    offsets: Vec<u64>,
    /// 0-based numbers of sentences left out, rising.
    skipped: Vec<usize>,
    /// 0-based numbers of sentences with replaced bytes, rising.
    replaced: Vec<usize>,
}

impl Default for SideBuilder {
    fn default() -> Self {
        Self {
            interner: Interner::default(),
            tokens: Vec::new(),
            offsets: vec![0],
            skipped: Vec::new(),
            replaced: Vec::new(),
        }
    }
}

impl SideBuilder {
    /// Number of sentences so far.
    pub(super) fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Number of tokens of each sentence.
    pub(super) fn lengths(&self) -> impl Iterator<Item = u64> {
        self.offsets.windows(2).map(|pair| pair[1] - pair[0])
    }

    /// Sentences left out, rising.
    pub(super) fn skipped(&self) -> &[usize] {
        &self.skipped
    }

    /// Sentences with replaced bytes, rising.
    pub(super) fn replaced(&self) -> &[usize] {
        &self.replaced
    }

    /// Reads a line of a stream that holds this side alone.
    pub(super) fn read(&mut self, line: u64, bytes: &[u8], on_error: OnError) -> Result<()> {
        match decode(line, bytes, on_error)? {
            Decoded::Clean(text) => self.push(text),
            Decoded::Replaced(text) => self.push_replaced(&text),
            Decoded::Skipped => self.push_skipped(),
        }
    }

    /// Adds a sentence.
    pub(super) fn push(&mut self, text: &str) -> Result<()> {
        let mut start = 0;
        for (at, byte) in text.bytes().enumerate() {
            if byte == b' ' || byte == b'\t' {
                self.push_word(&text[start..at])?;
                start = at + 1;
            }
        }
        self.push_word(&text[start..])?;
        reserve(&mut self.offsets, 1, "the offsets of sentences")?;
        self.offsets.push(self.tokens.len() as u64);
        Ok(())
    }

    /// Adds a sentence some of whose bytes were replaced.
    pub(super) fn push_replaced(&mut self, text: &str) -> Result<()> {
        self.replaced.push(self.len());
        self.push(text)
    }

    /// Adds an empty sentence in place of a line that is left out.
    pub(super) fn push_skipped(&mut self) -> Result<()> {
        self.skipped.push(self.len());
        self.push("")
    }

    #[inline]
    fn push_word(&mut self, word: &str) -> Result<()> {
        if word.is_empty() {
            return Ok(());
        }
        let id = self.interner.intern(word)?;
        reserve(&mut self.tokens, 1, "the tokens of a corpus")?;
        self.tokens.push(id);
        Ok(())
    }

    /// Empties these sentences (rising numbers): their other side was left out.
    pub(super) fn clear(&mut self, gone: &[usize]) {
        let Some(&first) = gone.first() else { return };
        let mut gone = gone.iter().copied().peekable();
        let mut start = index(self.offsets[first]);
        let mut kept = start;
        for n in first..self.len() {
            let end = index(self.offsets[n + 1]);
            if gone.next_if_eq(&n).is_none() {
                self.tokens.copy_within(start..end, kept);
                kept += end - start;
            }
            start = end;
            self.offsets[n + 1] = kept as u64;
        }
        self.tokens.truncate(kept);
    }

    /// The side with its words folded and numbered by frequency.
    pub(super) fn finish(self, usable: &[bool], fold: Fold, keep_text: bool) -> Result<Side> {
        let Self {
            mut interner,
            mut tokens,
            offsets,
            ..
        } = self;
        let mut surface = None;
        if !fold.is_identity() {
            let mut folded = Interner::default();
            let mut new_id = Vec::new();
            reserve(&mut new_id, interner.len(), "the folding of words")?;
            for index in 0..interner.len() {
                new_id.push(folded.intern(&fold.apply(interner.word(index)))?);
            }
            if keep_text {
                let mut written = Vec::new();
                reserve(&mut written, tokens.len(), "the words as written")?;
                written.extend_from_slice(&tokens);
                surface = Some(Surface::new(interner.into_vocabulary(), written));
            }
            for token in &mut tokens {
                *token = new_id[token.index()];
            }
            interner = folded;
        }
        let vocabulary = rank_by_frequency(&interner, &mut tokens, &offsets, usable)?;
        tokens.shrink_to_fit();
        Ok(Side::with_surface(vocabulary, tokens, offsets, surface))
    }
}
