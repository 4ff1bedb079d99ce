//! The cells and pairs of words that training still looks at.
//!
//! Model 1 soon tells that most pairs of tokens have nothing to do with each other. From then on only those cells are kept that are likely in at least one direction, and only the pairs of
//! words that have such a cell: later iterations read an eighth of the memory.

use super::cells::Block;
use super::lexicon::{Ladder, WordPair};
use super::prior::Additions;
use crate::cancel::CancelToken;
use crate::error::Result;
use crate::ids::WordId;
use crate::parallel;
use std::ops::Range;

/// A pair of tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cell {
    /// Position of the source token.
    pub source: u16,
    /// Position of the target token.
    pub target: u16,
    /// Number of the pair of words.
    pub pair: u32,
}

impl Cell {
    /// Its pair of words, in the sentence pair that it is of.
    #[must_use]
    #[inline]
    pub fn words(self, sides: [&[WordId]; 2]) -> WordPair {
        WordPair {
            number: self.pair as usize,
            source: sides[0][usize::from(self.source)],
            target: sides[1][usize::from(self.target)],
        }
    }
}

/// The cells of the sentence pairs of a block, in the order of source and then target positions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Kept {
    /// Where the cells of each sentence pair that takes part start, and their number.
    starts: Vec<usize>,
    cells: Vec<Cell>,
}

/// The cells of a block: all of them, or those that are kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Looked {
    /// Which sentence pairs.
    pub sentences: Range<usize>,
    all: Vec<u32>,
    kept: Option<Kept>,
}

impl Kept {
    /// Adds the cells of the next sentence pair.
    pub fn push(&mut self, cells: &[Cell]) {
        if self.starts.is_empty() {
            self.starts.push(0);
        }
        self.cells.extend_from_slice(cells);
        self.starts.push(self.cells.len());
    }
}

impl From<Block> for Looked {
    fn from(block: Block) -> Self {
        Self {
            sentences: block.sentences,
            all: block.cells,
            kept: None,
        }
    }
}

impl Looked {
    /// From now on only these cells.
    pub fn keep(&mut self, kept: Kept) {
        self.all = Vec::new();
        self.kept = Some(kept);
    }

    /// Writes the cells of a sentence pair: the `turn`-th of the block that takes part, with so many source and target tokens, whose cells start at `start`.
    /// Returns where those of the next one start.
    pub fn write(
        &self,
        turn: usize,
        start: usize,
        [sources, targets]: [usize; 2],
        out: &mut Vec<Cell>,
    ) -> usize {
        out.clear();
        if let Some(kept) = &self.kept {
            out.extend_from_slice(&kept.cells[kept.starts[turn]..kept.starts[turn + 1]]);
            return kept.starts[turn + 1];
        }
        let end = start + sources * targets;
        write_all([sources, targets], &self.all[start..end], out);
        end
    }
}

/// Writes all cells of a sentence pair.
pub fn write_all([_, targets]: [usize; 2], pairs: &[u32], out: &mut Vec<Cell>) {
    for (source, row) in (0_u16..).zip(pairs.chunks_exact(targets)) {
        let cell = |(target, &pair)| Cell {
            source,
            target,
            pair,
        };
        out.extend((0_u16..).zip(row).map(cell));
    }
}

/// Forgets the pairs of words that have no cell any more and no count of a prior: the others get new numbers in the same order, in the cells, at all levels of the back-off, in the prior and in the
/// counts of `links`.
///
/// # Errors
/// [`crate::error::Error::Cancelled`].
///
/// # Complexity
/// O(cells + pairs of all levels) time, 5 bytes a pair.
pub fn forget_pairs(
    blocks: &mut [&mut Looked],
    ladder: &mut Ladder,
    prior: &mut Additions,
    links: &mut [Vec<u64>],
    (threads, cancel): (usize, &CancelToken),
) -> Result<()> {
    let levels = ladder.levels.len();
    let mut is_kept: Vec<Vec<bool>> = ladder
        .levels
        .iter()
        .map(|rung| vec![false; rung.targets.len()])
        .collect();
    for cell in blocks
        .iter()
        .filter_map(|b| b.kept.as_ref())
        .flat_map(|kept| &kept.cells)
    {
        is_kept[0][cell.pair as usize] = true;
    }
    for (marks, added) in is_kept.iter_mut().zip(&prior.levels) {
        for &(pair, _) in &added.pairs {
            marks[pair as usize] = true;
        }
    }
    for level in 1..levels {
        cancel.check()?;
        let (below, above) = is_kept.split_at_mut(level);
        for (&parent, &kept) in ladder.levels[level - 1]
            .parents
            .iter()
            .zip(&below[level - 1])
        {
            above[0][parent as usize] |= kept;
        }
    }
    let numbers: Vec<Vec<u32>> =
        parallel::map(threads, cancel, is_kept.iter().collect(), |_, marks| {
            let mut next = 0;
            let number = |&kept: &bool| {
                let number = next;
                next += u32::from(kept);
                number
            };
            Ok(marks.iter().map(number).collect())
        })?;
    for (level, rung) in ladder.levels.iter_mut().enumerate() {
        cancel.check()?;
        let marks = &is_kept[level];
        retain(&mut rung.sources, marks);
        retain(&mut rung.targets, marks);
        if let Some(above) = numbers.get(level + 1) {
            retain(&mut rung.parents, marks);
            for parent in &mut rung.parents {
                *parent = above[*parent as usize];
            }
        }
        if let Some(added) = prior.levels.get_mut(level) {
            for (pair, _) in &mut added.pairs {
                *pair = numbers[level][*pair as usize];
            }
        }
    }
    for counts in links {
        retain(counts, &is_kept[0]);
    }
    let kept: Vec<&mut Kept> = blocks.iter_mut().filter_map(|b| b.kept.as_mut()).collect();
    parallel::map(threads, cancel, kept, |_, kept| {
        for cell in &mut kept.cells {
            cell.pair = numbers[0][cell.pair as usize];
        }
        Ok(())
    })?;
    Ok(())
}

/// Keeps what is marked.
fn retain<T>(values: &mut Vec<T>, marks: &[bool]) {
    let mut marks = marks.iter();
    values.retain(|_| marks.next().copied().unwrap_or(false));
    values.shrink_to_fit();
}
