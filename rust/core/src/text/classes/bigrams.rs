//! Which words stand beside each other, and how often.

use crate::error::{Error, Result};
use crate::ids::WordId;
use crate::numeric::{to_index, to_u64};
use crate::text::lines::reserve;

const WHAT: &str = "the counts of neighbouring words";

/// For each word the distinct words on one side of it with their counts, words rising. The boundary of a sentence is the last word.
#[derive(Debug)]
struct Neighbours {
    /// Where each word's entries start, and their number at the end.
    starts: Vec<usize>,
    entries: Vec<(u32, u32)>,
}

impl Neighbours {
    fn of(&self, word: usize) -> &[(u32, u32)] {
        &self.entries[self.starts[word]..self.starts[word + 1]]
    }
}

/// Counts of all pairs of neighbouring words of a text.
#[derive(Debug)]
pub(super) struct Bigrams {
    before: Neighbours,
    after: Neighbours,
    /// Tokens of each word; at the end the sentences that have tokens, the count of the boundary.
    frequencies: Vec<u64>,
}

impl Bigrams {
    /// Counts the pairs of a text of `types` word types.
    pub(super) fn count(tokens: &[WordId], offsets: &[u64], types: usize) -> Result<Self> {
        let boundary = WordId::new(types)?;
        let sentences = || {
            offsets
                .windows(2)
                .map(|pair| &tokens[to_index(pair[0])..to_index(pair[1])])
                .filter(|sentence| !sentence.is_empty())
        };
        let events = to_u64(tokens.len()) + to_u64(sentences().count());
        if events > u64::from(u32::MAX) {
            return Err(Error::TooLarge {
                what: "the number of tokens to cluster",
                limit: u64::from(u32::MAX),
            });
        }
        let mut frequencies = filled(types + 1, 0_u64)?;
        for &token in tokens {
            frequencies[token.index()] += 1;
        }
        frequencies[types] = to_u64(sentences().count());

        // Every word has as many successors as tokens: sort them by their left word, then each word's among themselves.
        let mut ends = running_sums(frequencies.iter().map(|&count| to_index(count)))?;
        let mut successors = filled(to_index(events), 0_u32)?;
        for sentence in sentences() {
            let mut left = boundary;
            for &right in sentence.iter().chain([&boundary]) {
                let at = &mut ends[left.index()];
                successors[*at] = right.as_u32();
                *at += 1;
                left = right;
            }
        }
        let after = distinct(&mut successors, &ends[..=types])?;
        drop(successors);
        let before = transposed(&after, types + 1)?;
        Ok(Self {
            before,
            after,
            frequencies,
        })
    }

    /// Number of word types, without the boundary.
    pub(super) fn types(&self) -> usize {
        self.frequencies.len() - 1
    }

    /// Tokens of a word; for the boundary, sentences that have tokens.
    pub(super) fn frequency(&self, word: usize) -> u64 {
        self.frequencies[word]
    }

    /// Tokens and ends of sentences: what the model predicts.
    pub(super) fn events(&self) -> u64 {
        self.frequencies.iter().sum()
    }

    /// The words before a word, with the counts of these pairs.
    pub(super) fn before(&self, word: usize) -> &[(u32, u32)] {
        self.before.of(word)
    }

    /// The words after a word, with the counts of these pairs.
    pub(super) fn after(&self, word: usize) -> &[(u32, u32)] {
        self.after.of(word)
    }
}

/// Runs of equal neighbours as one entry with a count; `ends[w]` is where the tokens of word `w` end.
fn distinct(successors: &mut [u32], ends: &[usize]) -> Result<Neighbours> {
    let mut starts = Vec::new();
    reserve(&mut starts, ends.len() + 1, WHAT)?;
    let mut entries: Vec<(u32, u32)> = Vec::new();
    let mut start = 0;
    for &end in ends {
        starts.push(entries.len());
        let own = &mut successors[start..end];
        own.sort_unstable();
        for same in own.chunk_by(|a, b| a == b) {
            // A text has fewer tokens than 2^32.
            let count = u32::try_from(same.len()).unwrap_or(u32::MAX);
            reserve(&mut entries, 1, WHAT)?;
            entries.push((same[0], count));
        }
        start = end;
    }
    starts.push(entries.len());
    Ok(Neighbours { starts, entries })
}

/// The same pairs by their right word.
fn transposed(after: &Neighbours, words: usize) -> Result<Neighbours> {
    let mut sizes = filled(words, 0_usize)?;
    for &(right, _) in &after.entries {
        sizes[WordId::from_u32(right).index()] += 1;
    }
    let mut starts = running_sums(sizes.into_iter())?;
    let mut entries = filled(after.entries.len(), (0, 0))?;
    for (left, number) in (0..words).zip(0_u32..) {
        for &(right, count) in after.of(left) {
            let at = &mut starts[WordId::from_u32(right).index()];
            entries[*at] = (number, count);
            *at += 1;
        }
    }
    // Each start has moved to its end, the next one's start.
    starts.rotate_right(1);
    starts[0] = 0;
    starts[words] = entries.len();
    Ok(Neighbours { starts, entries })
}

/// The sum of all sizes before each one, and of all at the end.
fn running_sums(sizes: impl ExactSizeIterator<Item = usize>) -> Result<Vec<usize>> {
    let mut sums = Vec::new();
    reserve(&mut sums, sizes.len() + 1, WHAT)?;
    let mut sum = 0;
    for size in sizes {
        sums.push(sum);
        sum += size;
    }
    sums.push(sum);
    Ok(sums)
}

fn filled<T: Clone>(length: usize, value: T) -> Result<Vec<T>> {
    let mut items = Vec::new();
    reserve(&mut items, length, WHAT)?;
    items.resize(length, value);
    Ok(items)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_by_hand() {
        // a b a | (empty) | b b
        let tokens: Vec<WordId> = [0, 1, 0, 1, 1].map(WordId::from_u32).to_vec();
        let bigrams = Bigrams::count(&tokens, &[0, 3, 3, 5], 3).expect("a small text");
        assert_eq!(bigrams.types(), 3);
        assert_eq!(bigrams.events(), 7);
        assert_eq!([0, 1, 2, 3].map(|w| bigrams.frequency(w)), [2, 3, 0, 2]);
        // 3 is the boundary; word 2 has no token.
        assert_eq!(bigrams.after(0), [(1, 1), (3, 1)]);
        assert_eq!(bigrams.after(1), [(0, 1), (1, 1), (3, 1)]);
        assert_eq!(bigrams.after(2), []);
        assert_eq!(bigrams.after(3), [(0, 1), (1, 1)]);
        assert_eq!(bigrams.before(0), [(1, 1), (3, 1)]);
        assert_eq!(bigrams.before(1), [(0, 1), (1, 1), (3, 1)]);
        assert_eq!(bigrams.before(2), []);
        assert_eq!(bigrams.before(3), [(0, 1), (1, 1)]);
    }

    #[test]
    fn a_text_without_tokens_has_no_pairs() {
        for offsets in [vec![], vec![0], vec![0, 0, 0]] {
            let bigrams = Bigrams::count(&[], &offsets, 0).expect("nothing");
            assert_eq!((bigrams.types(), bigrams.events()), (0, 0));
            assert_eq!(bigrams.after(0), []);
        }
    }
}
