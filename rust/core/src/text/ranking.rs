//! Ids by falling frequency.

use super::Vocabulary;
use super::interner::Interner;
use super::lines::reserve;
use crate::error::Result;
use crate::ids::WordId;
use std::cmp::Reverse;

const UNSEEN: u32 = u32::MAX;
const WHAT: &str = "the ranking of words";

/// Renumbers `tokens`, which hold the ids of `interner`, by falling frequency, and returns the vocabulary in this order.
///
/// Only pairs that take part in training count, for frequency and for first occurrence, which breaks ties; words of other
/// pairs come last by first occurrence; words without a token are dropped.
///
/// # Complexity
/// Time O(tokens + types log types); memory 24 bytes a type beside the result.
pub(super) fn rank_by_frequency(
    interner: &Interner,
    tokens: &mut [WordId],
    offsets: &[u64],
    usable: &[bool],
) -> Result<Vocabulary> {
    let types = interner.len();
    let mut frequencies: Vec<u64> = Vec::new();
    reserve(&mut frequencies, types, WHAT)?;
    frequencies.resize(types, 0);
    // Words in order of first occurrence: `first` gives the rank of a word, `order` the word of a rank.
    let mut first: Vec<u32> = Vec::new();
    reserve(&mut first, types, WHAT)?;
    first.resize(types, UNSEEN);
    let mut order: Vec<WordId> = Vec::new();
    reserve(&mut order, types, WHAT)?;
    for training in [true, false] {
        for (sentence, _) in sentences(offsets)
            .zip(usable)
            .filter(|&(_, &u)| u == training)
        {
            for &word in &tokens[sentence] {
                if first[word.index()] == UNSEEN {
                    first[word.index()] = WordId::new(order.len())?.as_u32();
                    order.push(word);
                }
                frequencies[word.index()] += u64::from(training);
            }
        }
    }
    order.sort_unstable_by_key(|word| (Reverse(frequencies[word.index()]), first[word.index()]));

    let mut new_id = first;
    let mut text = String::new();
    let mut ends = Vec::with_capacity(order.len());
    for (n, word) in order.iter().enumerate() {
        new_id[word.index()] = WordId::new(n)?.as_u32();
        text.push_str(interner.word(word.index()));
        ends.push(text.len());
    }
    for token in tokens {
        *token = WordId::from_u32(new_id[token.index()]);
    }
    let sorted = order.iter().map(|word| frequencies[word.index()]).collect();
    Ok(Vocabulary::from_arena(text, ends, sorted))
}

/// The range of tokens of each sentence.
fn sentences(offsets: &[u64]) -> impl Iterator<Item = std::ops::Range<usize>> {
    offsets
        .windows(2)
        .map(|pair| index(pair[0])..index(pair[1]))
}

/// An offset as an index into tokens.
#[expect(
    clippy::cast_possible_truncation,
    reason = "offsets index a vector that is in memory"
)]
pub(super) const fn index(offset: u64) -> usize {
    offset as usize
}
