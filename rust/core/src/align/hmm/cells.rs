//! Which words occur together, and for each pair of tokens, which pair of words it is.
//!
//! Every pair of a source and a target word that share a sentence pair has a number; a cell is a pair of tokens. Numbers are interned once, so that each
//! iteration reads one array in order and gathers from one table, without hashing.

use crate::cancel::CancelToken;
use crate::error::{Error, Result};
use crate::ids::WordId;
use crate::numeric::to_u64;
use crate::parallel;
use crate::text::Bitext;
use std::ops::Range;

/// Blocks that a corpus is cut into. Their number has no influence on the result: statistics are integers.
pub const BLOCKS: usize = 48;

/// Most cells of a sentence pair; longer pairs take no part. 4 bytes a cell: 64 MiB.
pub const MOST_CELLS: usize = 1 << 24;

/// Most tokens of a side of a sentence pair that takes part: positions are 16 bits.
pub const MOST_POSITIONS: usize = 1 << 16;

/// Pairs of words that occur together: those of source word `e` are numbered `starts[e]..starts[e + 1]`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pairs {
    /// First number of each source word's pairs, and the number of pairs.
    pub starts: Vec<usize>,
    /// Source word of each pair.
    pub sources: Vec<u32>,
    /// Target word of each pair; rising for a source word.
    pub targets: Vec<u32>,
}

/// The cells of a run of sentence pairs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Block {
    /// Which sentence pairs; those that take no part have no cells.
    pub sentences: Range<usize>,
    /// Pair number of the cell of source position i and target position j of each sentence, at i J + j.
    pub cells: Vec<u32>,
}

/// Pairs and cells of a corpus.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cells {
    /// The pairs of words.
    pub pairs: Pairs,
    /// The cells, block after block.
    pub blocks: Vec<Block>,
}

/// Which sentence pairs the HMM looks at: usable ones that are short enough.
#[must_use]
pub fn used(bitext: &Bitext) -> Vec<bool> {
    (0..bitext.len())
        .map(|n| {
            let lengths = [bitext.source(), bitext.target()].map(|side| side.sentence(n).len());
            bitext.usable()[n] && is_short(lengths)
        })
        .collect()
}

/// Whether a sentence pair with so many tokens on each side has cells, and not too many.
#[must_use]
pub fn is_short(lengths: [usize; 2]) -> bool {
    lengths.iter().all(|&length| length <= MOST_POSITIONS)
        && (1..=MOST_CELLS).contains(&(lengths[0] * lengths[1]))
}

impl Cells {
    /// Numbers the pairs and cells of the sentence pairs that are `used`.
    ///
    /// # Errors
    /// [`Error::TooLarge`] for 2^32 pairs of words or more, [`Error::Cancelled`].
    ///
    /// # Complexity
    /// O(cells) time; 4 bytes a cell and 8 a pair of words.
    pub fn new(
        bitext: &Bitext,
        used: &[bool],
        threads: usize,
        cancel: &CancelToken,
    ) -> Result<Self> {
        let pairs = Pairs::new(bitext, used, threads, cancel)?;
        let ranges = balanced(bitext, used);
        let blocks = parallel::map(threads, cancel, ranges, |_, sentences| {
            number_cells(bitext, used, &pairs, sentences, cancel)
        })?;
        Ok(Self { pairs, blocks })
    }
}

/// Sentence pairs in at most [`BLOCKS`] runs of about as many cells.
fn balanced(bitext: &Bitext, used: &[bool]) -> Vec<Range<usize>> {
    let cells = |n: usize| bitext.source().sentence(n).len() * bitext.target().sentence(n).len();
    let total: usize = (0..bitext.len()).filter(|&n| used[n]).map(cells).sum();
    let share = total.div_ceil(BLOCKS).max(1);
    let (mut ranges, mut start, mut sum) = (Vec::new(), 0, 0);
    for (n, &used) in used.iter().enumerate() {
        sum += if used { cells(n) } else { 0 };
        if sum >= share {
            ranges.push(start..n + 1);
            (start, sum) = (n + 1, 0);
        }
    }
    if start < bitext.len() {
        ranges.push(start..bitext.len());
    }
    ranges
}

impl Pairs {
    /// Number of pairs.
    #[must_use]
    pub fn len(&self) -> usize {
        self.targets.len()
    }

    /// Whether no words occur together.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.targets.is_empty()
    }

    fn new(bitext: &Bitext, used: &[bool], threads: usize, cancel: &CancelToken) -> Result<Self> {
        let occurrences = Occurrences::new(bitext, used);
        let words = bitext.source().vocabulary().len();
        let targets = bitext.target().vocabulary().len();
        let rows = parallel::map(threads, cancel, occurrences.shares(), |_, words| {
            let mut last_seen = vec![u32::MAX; targets];
            let (mut found, mut sizes) = (Vec::new(), Vec::with_capacity(words.len()));
            for (e, mark) in words.zip(0_u32..) {
                cancel.check()?;
                let start = found.len();
                for &n in occurrences.of(e) {
                    for f in bitext.target().sentence(n as usize) {
                        let seen = &mut last_seen[f.index()];
                        if *seen != mark {
                            *seen = mark;
                            found.push(f.as_u32());
                        }
                    }
                }
                found[start..].sort_unstable();
                sizes.push(found.len() - start);
            }
            Ok((found, sizes))
        })?;
        let total: usize = rows.iter().map(|row| row.0.len()).sum();
        if u32::try_from(total).is_err() {
            return Err(Error::TooLarge {
                what: "the number of word pairs that occur together",
                limit: u64::from(u32::MAX),
            });
        }
        let mut pairs = Self {
            starts: Vec::with_capacity(words + 1),
            sources: Vec::with_capacity(total),
            targets: Vec::with_capacity(total),
        };
        pairs.starts.push(0);
        for (found, sizes) in rows {
            for size in sizes {
                let e = WordId::new(pairs.starts.len() - 1)?.as_u32();
                let end = pairs.sources.len() + size;
                pairs.sources.resize(end, e);
                pairs.starts.push(end);
            }
            pairs.targets.extend_from_slice(&found);
        }
        Ok(pairs)
    }
}

/// For each source word, the sentence pairs it occurs in.
struct Occurrences {
    starts: Vec<usize>,
    sentences: Vec<u32>,
}

impl Occurrences {
    fn new(bitext: &Bitext, used: &[bool]) -> Self {
        let words = bitext.source().vocabulary().len();
        let mut starts = vec![0_usize; words + 1];
        for n in (0..bitext.len()).filter(|&n| used[n]) {
            for e in bitext.source().sentence(n) {
                starts[e.index() + 1] += 1;
            }
        }
        for e in 0..words {
            starts[e + 1] += starts[e];
        }
        let mut next = starts.clone();
        let mut sentences = vec![0_u32; starts[words]];
        for (n, number) in (0..bitext.len()).zip(0_u32..).filter(|entry| used[entry.0]) {
            for e in bitext.source().sentence(n) {
                sentences[next[e.index()]] = number;
                next[e.index()] += 1;
            }
        }
        Self { starts, sentences }
    }

    fn of(&self, e: usize) -> &[u32] {
        &self.sentences[self.starts[e]..self.starts[e + 1]]
    }

    /// Words in runs of about as many tokens.
    fn shares(&self) -> Vec<Range<usize>> {
        let words = self.starts.len() - 1;
        let share = self.sentences.len().div_ceil(BLOCKS).max(1);
        let (mut ranges, mut start) = (Vec::new(), 0);
        for e in 0..words {
            if self.starts[e + 1] - self.starts[start] >= share {
                ranges.push(start..e + 1);
                start = e + 1;
            }
        }
        ranges.push(start..words);
        ranges
    }
}

/// The cells of a block: its source tokens are visited word by word, each word's pairs spread over an array by target word.
fn number_cells(
    bitext: &Bitext,
    used: &[bool],
    pairs: &Pairs,
    sentences: Range<usize>,
    cancel: &CancelToken,
) -> Result<Block> {
    let mut starts = Vec::new();
    let mut tokens: Vec<(WordId, u32, u32)> = Vec::new();
    let mut total = 0;
    for (n, local) in sentences.clone().zip(0_u32..) {
        starts.push(total);
        if used[n] {
            let source = bitext.source().sentence(n);
            tokens.extend(source.iter().zip(0_u32..).map(|(&e, i)| (e, local, i)));
            total += source.len() * bitext.target().sentence(n).len();
        }
    }
    tokens.sort_unstable();
    let mut cells = vec![0_u32; total];
    let mut number = vec![0_u32; bitext.target().vocabulary().len()];
    for run in tokens.chunk_by(|a, b| a.0 == b.0) {
        cancel.check()?;
        let row = pairs.starts[run[0].0.index()]..pairs.starts[run[0].0.index() + 1];
        for (&f, pair) in pairs.targets[row.clone()].iter().zip(to_u64(row.start)..) {
            // Fewer than 2^32 pairs.
            number[f as usize] = u32::try_from(pair).unwrap_or(u32::MAX);
        }
        for &(_, local, i) in run {
            let target = bitext.target().sentence(sentences.start + local as usize);
            let start = starts[local as usize] + i as usize * target.len();
            for (cell, f) in cells[start..start + target.len()].iter_mut().zip(target) {
                *cell = number[f.index()];
            }
        }
    }
    Ok(Block { sentences, cells })
}
