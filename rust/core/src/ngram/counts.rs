//! All n-grams of a text as a tree of their prefixes, with counts: made by sorting, so that equal n-grams come together.

use super::corpus::{Text, unpack};
use crate::cancel::CancelToken;
use crate::error::{Error, Result};
use crate::parallel;

/// Positions whose first symbols share a block; a symbol that is more frequent has a block of its own.
const BLOCK: usize = 1 << 16;

/// The n-grams of one length, sorted by their symbols.
#[derive(Debug, Default, Clone)]
pub(super) struct Level {
    /// The last symbol of each.
    pub(super) symbols: Vec<u32>,
    /// How often each stands in the text.
    pub(super) counts: Vec<u32>,
    /// Where the n-grams that are one longer begin in the next level; once the tree is whole, their number comes last.
    pub(super) children: Vec<u32>,
}

impl Level {
    pub(super) fn len(&self) -> usize {
        self.symbols.len()
    }

    /// Where the children of an n-gram stand in the next level.
    pub(super) fn range(&self, parent: usize) -> std::ops::Range<usize> {
        self.children[parent] as usize..self.children[parent + 1] as usize
    }
}

/// Counts all n-grams up to a length; level n - 1 of the result has those of length n. The empty n-gram is not there: its children are the first level.
///
/// # Complexity
/// O(T (N + log T)) time for T symbols and length N; 20 bytes a symbol beside the result.
pub(super) fn count(
    text: &Text,
    order: usize,
    threads: usize,
    cancel: &CancelToken,
) -> Result<Vec<Level>> {
    let (starts, positions) = by_first_symbol(text)?;
    let mut blocks = Vec::new();
    let mut rest = positions.as_slice();
    let mut first = 0;
    while first + 1 < starts.len() {
        let mut last = first + 1;
        while last + 1 < starts.len() && starts[last + 1] - starts[first] <= BLOCK {
            last += 1;
        }
        let (block, others) = rest.split_at(starts[last] - starts[first]);
        if !block.is_empty() {
            blocks.push(block);
        }
        rest = others;
        first = last;
    }
    let parts = parallel::map(threads, cancel, blocks, |_, block| {
        count_block(text, order, block, cancel)
    })?;
    concatenate(parts, order)
}

/// Positions by the symbol that stands there: where those of each symbol begin, and all of them.
fn by_first_symbol(text: &Text) -> Result<(Vec<usize>, Vec<u32>)> {
    let symbols = text.as_slice();
    let mut starts = vec![0_usize; text.symbols.start as usize + 2];
    for &symbol in symbols {
        starts[symbol as usize + 1] += 1;
    }
    for symbol in 1..starts.len() {
        starts[symbol] += starts[symbol - 1];
    }
    let mut positions = Vec::new();
    positions
        .try_reserve_exact(symbols.len())
        .map_err(|_| no_memory(symbols.len()))?;
    positions.resize(symbols.len(), 0);
    let mut next = starts.clone();
    for (position, &symbol) in (0_u32..).zip(symbols) {
        let slot = &mut next[symbol as usize];
        positions[*slot] = position;
        *slot += 1;
    }
    Ok((starts, positions))
}

/// The part of the tree below some first symbols, whose positions are given symbol by symbol.
fn count_block(
    text: &Text,
    order: usize,
    positions: &[u32],
    cancel: &CancelToken,
) -> Result<Vec<Level>> {
    let mut tree = Tree {
        levels: vec![Level::default(); order],
        text,
        cancel,
    };
    let symbols = text.as_slice();
    let mut items = Vec::new();
    for group in positions.chunk_by(|&a, &b| symbols[a as usize] == symbols[b as usize]) {
        cancel.check()?;
        tree.add(0, symbols[group[0] as usize], group.len())?;
        if order > 1 {
            items.clear();
            items
                .try_reserve(group.len())
                .map_err(|_| no_memory(group.len()))?;
            items.extend(group.iter().map(|&position| (0, position)));
            tree.grow(&mut items, 1)?;
        }
    }
    Ok(tree.levels)
}

/// A tree while it grows, in the order of its n-grams.
struct Tree<'a> {
    levels: Vec<Level>,
    text: &'a Text,
    cancel: &'a CancelToken,
}

impl Tree<'_> {
    /// Adds what follows `depth` symbols that all positions share.
    fn grow(&mut self, items: &mut [(u64, u32)], depth: usize) -> Result<()> {
        if items.len() > BLOCK {
            self.cancel.check()?;
        }
        for (key, position) in items.iter_mut() {
            *key = self.text.pair(*position, depth);
        }
        items.sort_unstable();
        let order = self.levels.len();
        for firsts in items.chunk_by_mut(|a, b| a.0 >> 32 == b.0 >> 32) {
            let [Some(first), _] = unpack(firsts[0].0) else {
                continue;
            };
            self.add(depth, first, firsts.len())?;
            if depth + 1 == order {
                continue;
            }
            for pairs in firsts.chunk_by_mut(|a, b| a.0 == b.0) {
                let [_, Some(second)] = unpack(pairs[0].0) else {
                    continue;
                };
                self.add(depth + 1, second, pairs.len())?;
                if depth + 2 < order {
                    self.grow(pairs, depth + 2)?;
                }
            }
        }
        Ok(())
    }

    /// Adds an n-gram of `depth + 1` symbols, the last of which is given.
    fn add(&mut self, depth: usize, symbol: u32, count: usize) -> Result<()> {
        let children = self.levels.get(depth + 1).map_or(0, Level::len);
        let level = &mut self.levels[depth];
        level.symbols.push(symbol);
        level.counts.push(narrow(count)?);
        level.children.push(narrow(children)?);
        Ok(())
    }
}

/// The parts of a tree as one.
fn concatenate(parts: Vec<Vec<Level>>, order: usize) -> Result<Vec<Level>> {
    let mut whole = vec![Level::default(); order];
    for part in parts {
        let offsets: Vec<usize> = whole.iter().map(Level::len).collect();
        for (depth, level) in part.into_iter().enumerate() {
            let offset = narrow(offsets.get(depth + 1).copied().unwrap_or(0))?;
            let target = &mut whole[depth];
            target.symbols.extend(level.symbols);
            target.counts.extend(level.counts);
            for child in level.children {
                target
                    .children
                    .push(narrow(child as usize + offset as usize)?);
            }
        }
    }
    for depth in 0..order {
        let end = narrow(whole.get(depth + 1).map_or(0, Level::len))?;
        whole[depth].children.push(end);
    }
    Ok(whole)
}

/// A count of n-grams or of positions; there are less than 2^32 of either.
pub(super) fn narrow(count: usize) -> Result<u32> {
    u32::try_from(count).map_err(|_| Error::TooLarge {
        what: "the number of n-grams of one length",
        limit: u64::from(u32::MAX),
    })
}

fn no_memory(positions: usize) -> Error {
    Error::Memory {
        what: "the positions of n-grams",
        bytes: 16 * positions as u64,
    }
}
