//! Given sentences as rows of candidates, ready to be weighed in chunks.

use super::emissions::Emissions;
use crate::cancel::CancelToken;
use crate::error::{Error, Result};
use crate::numeric::to_u64;

/// Candidates that are weighed together.
pub const CHUNK: usize = 8;

/// For each given sentence a row: NULL, its words, and padding up to a whole number of chunks.
///
/// So candidate 0 is NULL and candidate `i + 1` is position `i`, and the row of a token is weighed without a special case. Padding is an id of its own,
/// one past NULL, whose weight stays 0. Memory: 4 bytes a candidate and 8 a sentence.
#[derive(Debug)]
pub struct Rows {
    ids: Vec<[u32; CHUNK]>,
    sentences: Vec<Sentence>,
    padding: u32,
}

#[derive(Debug, Clone, Copy, Default)]
struct Sentence {
    start: u32,
    len: u16,
}

/// The candidates of one token.
#[derive(Debug, Clone, Copy)]
pub struct Row<'a> {
    /// Given types: NULL, the words, padding.
    pub ids: &'a [[u32; CHUNK]],
    /// Number of words.
    pub len: usize,
}

impl Rows {
    /// Lays out the given side of a direction.
    ///
    /// # Errors
    /// [`Error::TooLarge`] for more than 2^32 chunks, [`Error::Cancelled`].
    pub fn new(emissions: &Emissions<'_>, usable: &[bool], cancel: &CancelToken) -> Result<Self> {
        let given = emissions.given();
        let null = u32::try_from(emissions.null()).unwrap_or(u32::MAX);
        let mut rows = Self {
            ids: Vec::new(),
            sentences: vec![Sentence::default(); given.len()],
            padding: null + 1,
        };
        for (n, &is_usable) in usable.iter().enumerate() {
            if n % 4096 == 0 {
                cancel.check()?;
            }
            if is_usable {
                let words = given.sentence(n);
                rows.sentences[n] = Sentence {
                    start: u32::try_from(rows.ids.len()).map_err(|_| Error::TooLarge {
                        what: "the number of tokens of one side",
                        limit: to_u64(CHUNK) * u64::from(u32::MAX),
                    })?,
                    len: u16::try_from(words.len()).unwrap_or(u16::MAX),
                };
                let ids = words.iter().map(|e| e.as_u32());
                let mut row = std::iter::once(null).chain(ids).peekable();
                while row.peek().is_some() {
                    rows.ids
                        .push(std::array::from_fn(|_| row.next().unwrap_or(rows.padding)));
                }
            }
        }
        Ok(rows)
    }

    /// The row of a usable sentence.
    #[must_use]
    #[inline]
    pub fn row(&self, sentence: usize) -> Row<'_> {
        self.at(self.sentences[sentence])
    }

    #[inline]
    fn at(&self, sentence: Sentence) -> Row<'_> {
        let Sentence { start, len } = sentence;
        let (start, len) = (start as usize, usize::from(len));
        Row {
            ids: &self.ids[start..=start + len / CHUNK],
            len,
        }
    }
}

/// Rows that will be needed soon, brought near.
///
/// Tokens of one type are scattered over the corpus, so each row is a cache miss that the work on one token cannot hide. Here the misses of many tokens
/// are taken at once, in loops without branches, so that they overlap (measured: docs/design/ibm.md).
#[derive(Debug, Default)]
pub struct Batch {
    sentences: Vec<Sentence>,
}

/// Tokens whose rows are brought near at a time: about 12 KB of rows, a quarter of a first-level cache.
pub const BATCH: usize = 64;

impl Batch {
    /// Looks up the rows of these sentences and touches their first cache lines.
    pub fn fetch(&mut self, rows: &Rows, sentences: &[u32]) {
        self.sentences.clear();
        self.sentences
            .extend(sentences.iter().map(|&n| rows.sentences[n as usize]));
        let mut touched = 0;
        for sentence in &self.sentences {
            let start = sentence.start as usize;
            let end = start + usize::from(sentence.len) / CHUNK;
            touched ^= rows.ids[start][0]
                ^ rows.ids[(start + 2).min(end)][0]
                ^ rows.ids[(start + 4).min(end)][0];
        }
        std::hint::black_box(touched);
    }

    /// The row of the `n`-th sentence of the batch.
    #[must_use]
    #[inline]
    pub fn row<'a>(&self, rows: &'a Rows, n: usize) -> Row<'a> {
        rows.at(self.sentences[n])
    }
}

impl Row<'_> {
    /// The given type of a candidate.
    #[must_use]
    #[inline]
    pub fn id(&self, candidate: usize) -> u32 {
        self.ids[candidate / CHUNK][candidate % CHUNK]
    }
}
