//! Sequences of word ids, and the text that n-grams are counted in.

use crate::error::{Error, Result};

/// Sequences of words: word t belongs to sequence n when `starts[n] <= t < starts[n + 1]`.
#[derive(Debug, Clone, Copy)]
pub struct Sequences<'a> {
    starts: &'a [usize],
    words: &'a [u32],
}

impl<'a> Sequences<'a> {
    /// Sequences from arrays.
    ///
    /// # Errors
    /// [`Error::Config`] when offsets do not rise from 0 to the number of words.
    pub fn new(starts: &'a [usize], words: &'a [u32]) -> Result<Self> {
        let is_sound =
            starts.first() == Some(&0) && starts.last() == Some(&words.len()) && starts.is_sorted();
        if is_sound {
            Ok(Self { starts, words })
        } else {
            let expected = format!("offsets that rise from 0 to {}", words.len());
            Err(Error::config("starts", &expected, "others"))
        }
    }

    /// Number of sequences.
    #[must_use]
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether there is no sequence.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The words of all sequences.
    #[must_use]
    pub fn words(&self) -> &'a [u32] {
        self.words
    }

    /// The words of one sequence.
    #[must_use]
    pub fn get(&self, number: usize) -> &'a [u32] {
        &self.words[self.starts[number]..self.starts[number + 1]]
    }

    /// All sequences in order.
    #[must_use]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &'a [u32]> + use<'a, '_> {
        (0..self.len()).map(|number| self.get(number))
    }
}

/// The numbers of the symbols that are no words: they follow the words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Symbols {
    /// `</s>`, which is the number of words, too.
    pub(super) end: u32,
    /// `<unk>`.
    pub(super) unknown: u32,
    /// `<s>`, the largest.
    pub(super) start: u32,
}

impl Symbols {
    /// The symbols after this number of words.
    pub(super) fn new(vocabulary: usize) -> Result<Self> {
        let end = u32::try_from(vocabulary)
            .ok()
            .filter(|&end| end < u32::MAX - 4);
        let end = end.ok_or(Error::TooLarge {
            what: "the number of word types",
            limit: u64::from(u32::MAX - 5),
        })?;
        Ok(Self {
            end,
            unknown: end + 1,
            start: end + 2,
        })
    }
}

/// All sequences end to end, each between `<s>` and `</s>`.
#[derive(Debug)]
pub(super) struct Text {
    pub(super) symbols: Symbols,
    symbols_in_order: Vec<u32>,
}

/// What stands past the end of a sequence: less than every symbol, each of which counts from 1 here.
const PAST: u64 = 0;

impl Text {
    /// The text of sequences whose words are below `vocabulary`.
    pub(super) fn new(sequences: &Sequences<'_>, vocabulary: usize) -> Result<Self> {
        let symbols = Symbols::new(vocabulary)?;
        if let Some(word) = sequences.words().iter().find(|&&word| word >= symbols.end) {
            return Err(Error::config(
                "words",
                &format!("numbers below the size of the vocabulary, {vocabulary}"),
                word,
            ));
        }
        let length = sequences.words().len() + 2 * sequences.len();
        // Positions are 32 bits wide.
        if u32::try_from(length).is_err() {
            return Err(Error::TooLarge {
                what: "the words of all sequences with their ends",
                limit: u64::from(u32::MAX),
            });
        }
        let mut text = Vec::new();
        text.try_reserve_exact(length).map_err(|_| Error::Memory {
            what: "the text of an n-gram model",
            bytes: 4 * length as u64,
        })?;
        for sequence in sequences.iter() {
            text.push(symbols.start);
            text.extend_from_slice(sequence);
            text.push(symbols.end);
        }
        Ok(Self {
            symbols,
            symbols_in_order: text,
        })
    }

    /// The symbols in order.
    pub(super) fn as_slice(&self) -> &[u32] {
        &self.symbols_in_order
    }

    /// Two symbols of the sequence of `position`, `depth` and `depth + 1` after it, as one number whose order is theirs. No symbol before them may be
    /// past the end of the sequence.
    #[inline]
    pub(super) fn pair(&self, position: u32, depth: usize) -> u64 {
        let at = position as usize + depth;
        match self.key(at) {
            PAST => PAST,
            first => first << 32 | self.key(at + 1),
        }
    }

    /// The symbol at a place as a key; [`PAST`] where the next sequence begins.
    #[inline]
    fn key(&self, at: usize) -> u64 {
        match self.symbols_in_order.get(at) {
            Some(&symbol) if symbol != self.symbols.start => u64::from(symbol) + 1,
            _ => PAST,
        }
    }
}

/// The symbols of a key of [`Text::pair`], where there are some.
#[inline]
#[expect(
    clippy::cast_possible_truncation,
    reason = "each half of a key is a symbol plus 1"
)]
pub(super) const fn unpack(key: u64) -> [Option<u32>; 2] {
    let (first, second) = ((key >> 32) as u32, key as u32);
    [first.checked_sub(1), second.checked_sub(1)]
}
