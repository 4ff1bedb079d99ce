//! How many different pairs of words occur together: what the memory of an aligner depends on.

use super::Bitext;
use crate::cancel::CancelToken;
use crate::error::Result;
use crate::numeric::to_u64;
use crate::parallel;
use crate::rng::Stream;

/// Cells to look at; below, the count is exact. A million different pairs among them leave an error of a tenth of a percent.
const ENOUGH: usize = 1 << 22;

/// Sentence pairs whose cells one thread visits at a time.
const PIECE: usize = 1 << 12;

/// Cells, and an estimate of the different pairs of words among them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Cooccurrence {
    /// Pairs of tokens that share a usable sentence pair.
    pub cells: u64,
    /// Different pairs of words among them, estimated.
    pub pairs: u64,
}

/// Counts cells, and estimates how many different pairs of words they hold.
///
/// Those pairs of words are counted whose hash falls into a share of 2^-k of all, with the smallest k that leaves about 2^22 cells or fewer; each different
/// pair is in that share or not, however often it occurs, so that 2^k times their number is unbiased.
///
/// # Errors
/// [`crate::error::Error::Cancelled`].
///
/// # Complexity
/// O(cells) time, a hash each; memory for some 2^22 pairs.
pub fn co_occurrence(
    bitext: &Bitext,
    threads: usize,
    cancel: &CancelToken,
) -> Result<Cooccurrence> {
    let lengths =
        |n: usize| [bitext.source(), bitext.target()].map(|side| to_u64(side.sentence(n).len()));
    let used = |n: &usize| bitext.usable()[*n];
    let cells = (0..bitext.len())
        .filter(used)
        .map(|n| lengths(n)[0] * lengths(n)[1])
        .sum::<u64>();
    let shift = cells.div_ceil(to_u64(ENOUGH)).next_power_of_two().ilog2();
    let mask = (1_u64 << shift) - 1;
    let hash = Stream::new(&[0]);
    let pieces = (0..bitext.len()).step_by(PIECE).collect();
    let parts = parallel::map(threads, cancel, pieces, |_, start: usize| {
        let mut found = Vec::new();
        for n in (start..bitext.len().min(start + PIECE)).filter(used) {
            cancel.check()?;
            for e in bitext.source().sentence(n) {
                for f in bitext.target().sentence(n) {
                    let pair = u64::from(e.as_u32()) << 32 | u64::from(f.as_u32());
                    if hash.bits(pair) & mask == 0 {
                        found.push(pair);
                    }
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        Ok(found)
    })?;
    let mut found = parts.concat();
    found.sort_unstable();
    found.dedup();
    let pairs = to_u64(found.len()) << shift;
    Ok(Cooccurrence { cells, pairs })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::WordId;
    use crate::text::{Side, Vocabulary};
    use std::collections::BTreeSet;

    /// A corpus of `pairs` sentence pairs of eight tokens a side, drawn from `words` words by a fixed rule.
    fn corpus(pairs: usize, words: u64) -> Bitext {
        let side = |seed: u64| {
            let names = (0..words).map(|word| format!("w{word}")).collect();
            let stream = Stream::new(&[seed]);
            let tokens = (0..to_u64(pairs) * 8)
                .map(|n| usize::try_from(stream.bits(n) % words).expect("small"))
                .map(|word| WordId::new(word).expect("small"))
                .collect();
            let offsets = (0..=to_u64(pairs)).map(|n| n * 8).collect();
            Side::new(Vocabulary::from_words(names), tokens, offsets)
        };
        Bitext::new(side(1), side(2), vec![true; pairs])
    }

    fn exact(bitext: &Bitext) -> u64 {
        let mut seen = BTreeSet::new();
        for n in 0..bitext.len() {
            for e in bitext.source().sentence(n) {
                for f in bitext.target().sentence(n) {
                    seen.insert((e.as_u32(), f.as_u32()));
                }
            }
        }
        to_u64(seen.len())
    }

    #[test]
    fn a_small_corpus_is_counted_exactly() {
        let bitext = corpus(200, 30);
        let found = co_occurrence(&bitext, 2, &CancelToken::new()).expect("not cancelled");
        assert_eq!((found.cells, found.pairs), (200 * 64, exact(&bitext)));
    }

    #[test]
    fn a_large_corpus_is_estimated_within_a_percent_for_any_number_of_threads() {
        let bitext = corpus(150_000, 1_000);
        let found = co_occurrence(&bitext, 1, &CancelToken::new()).expect("not cancelled");
        assert_eq!(found.cells, 150_000 * 64);
        // Nearly all of the million pairs occur: 9.6 million draws.
        assert!(found.pairs.abs_diff(1_000_000) < 10_000, "{found:?}");
        assert_eq!(
            found,
            co_occurrence(&bitext, 3, &CancelToken::new()).expect("not cancelled")
        );
    }
}
