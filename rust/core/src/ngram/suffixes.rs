//! From each n-gram to the one without its first word, and how many words stand before each.

use super::corpus::Symbols;
use super::counts::Level;
use crate::cancel::{CancelToken, STRIDE};
use crate::error::Result;
use crate::parallel;

/// N-grams whose children are linked in one piece of work.
const BLOCK: usize = 1 << 14;

/// For each n-gram of at least two words, the n-gram without its first word, as its number in the level before; level 0 has none.
///
/// # Complexity
/// O(n-grams x log of the children of one).
pub(super) fn link(
    levels: &[Level],
    symbols: Symbols,
    threads: usize,
    cancel: &CancelToken,
) -> Result<Vec<Vec<u32>>> {
    let mut links: Vec<Vec<u32>> = vec![Vec::new()];
    let first: Vec<u32> = first_level(&levels[0], symbols);
    for depth in 1..levels.len() {
        let (parents, here) = (&levels[depth - 1], &levels[depth]);
        let before = &links[depth - 1];
        let first = &first;
        let blocks: Vec<usize> = (0..parents.len()).step_by(BLOCK).collect();
        let parts = parallel::map(threads, cancel, blocks, |_, begin| {
            let end = (begin + BLOCK).min(parents.len());
            let mut found =
                Vec::with_capacity(parents.range(end - 1).end - parents.range(begin).start);
            let links = before.get(begin..end).unwrap_or_default();
            for parent in begin..end {
                let children = &here.symbols[parents.range(parent)];
                if depth == 1 {
                    found.extend(children.iter().map(|&symbol| first[symbol as usize]));
                } else {
                    let range = levels[depth - 2].range(links[parent - begin] as usize);
                    find(children, range.start, &parents.symbols[range], &mut found);
                }
            }
            Ok(found)
        })?;
        links.push(parts.concat());
    }
    Ok(links)
}

/// The number of each symbol in the first level.
fn first_level(level: &Level, symbols: Symbols) -> Vec<u32> {
    let mut numbers = vec![0; symbols.start as usize + 1];
    for (number, &symbol) in (0..).zip(&level.symbols) {
        numbers[symbol as usize] = number;
    }
    numbers
}

/// Appends where each of some rising symbols stands among others, which rise and hold them all.
fn find(wanted: &[u32], offset: usize, others: &[u32], found: &mut Vec<u32>) {
    let mut from = 0;
    for &symbol in wanted {
        from += others[from..].partition_point(|&other| other < symbol);
        #[expect(
            clippy::cast_possible_truncation,
            reason = "numbers of n-grams were checked when they were counted"
        )]
        found.push((offset + from) as u32);
    }
}

/// The adjusted counts of all levels: at the highest order and after `<s>` those of the text; elsewhere how many different symbols stand before.
pub(super) fn adjusted(
    levels: &[Level],
    links: &[Vec<u32>],
    symbols: Symbols,
    cancel: &CancelToken,
) -> Result<Vec<Vec<u32>>> {
    let mut all = Vec::with_capacity(levels.len());
    // N-grams that begin with <s>, the largest symbol, come last in each level.
    let mut from_start = levels[0].symbols.partition_point(|&s| s < symbols.start);
    for (depth, level) in levels.iter().enumerate() {
        let mut counts = level.counts.clone();
        if let Some(longer) = links.get(depth + 1) {
            counts[..from_start].fill(0);
            for block in longer.chunks(STRIDE) {
                cancel.check()?;
                for &link in block {
                    let link = link as usize;
                    if link < from_start {
                        counts[link] += 1;
                    }
                }
            }
        }
        from_start = level.children[from_start] as usize;
        all.push(counts);
    }
    Ok(all)
}
