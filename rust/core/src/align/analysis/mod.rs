//! Figures about the phrase pairs that an alignment allows, without building a phrase table.
//!
//! A phrase pair is a span of source words and a span of target words such that at least one link lies inside, and no link has one end inside
//! and one outside (Koehn, Och and Marcu 2003). Unlinked words at the border of a span may belong to it or not: each choice is a phrase pair
//! of its own, as in Moses.

mod spans;

use super::blocks::blocks;
use super::links::{Links, check_same_length};
use crate::cancel::CancelToken;
use crate::error::{Error, Result};
use crate::numeric::{to_index, to_u64};
use crate::parallel;
use spans::for_each_phrase;

/// Fingerprints that are held in memory at a time, 16 bytes each; few enough to sort them well within a second, for a request to stop waits for that.
const FINGERPRINTS: u64 = 1 << 23;

/// One side of a corpus as ragged arrays of word ids.
#[derive(Debug, Clone, Copy)]
pub struct Tokens<'a> {
    ids: &'a [u32],
    offsets: &'a [u64],
}

impl<'a> Tokens<'a> {
    /// Sentence `n` is `ids[offsets[n]..offsets[n + 1]]`.
    ///
    /// # Errors
    /// [`Error::Config`] when the offsets do not start with 0, fall, or do not end at the number of ids.
    pub fn new(ids: &'a [u32], offsets: &'a [u64]) -> Result<Self> {
        let rises = offsets.first() == Some(&0)
            && offsets.is_sorted()
            && offsets.last() == Some(&to_u64(ids.len()));
        if rises {
            return Ok(Self { ids, offsets });
        }
        Err(Error::Config {
            name: "offsets",
            expected: "rising numbers from 0 to the number of tokens".into(),
            found: format!(
                "{:?} .. {:?} for {} tokens",
                offsets.first(),
                offsets.last(),
                ids.len()
            ),
        })
    }

    fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    fn sentence(&self, n: usize) -> &'a [u32] {
        &self.ids[to_index(self.offsets[n])..to_index(self.offsets[n + 1])]
    }

    fn lengths(&self) -> Result<Vec<u32>> {
        self.offsets
            .windows(2)
            .map(|pair| {
                u32::try_from(pair[1] - pair[0]).map_err(|_| Error::TooLarge {
                    what: "the length of a sentence",
                    limit: u64::from(u32::MAX),
                })
            })
            .collect()
    }
}

/// What [`phrase_figures`] counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PhraseFigures {
    /// Phrase pairs with repeats: each pair of spans of each sentence.
    pub occurrences: u64,
    /// Distinct phrase pairs, by their words: the size of a phrase table.
    pub distinct: u64,
    /// Source types that are the whole source side of a phrase pair.
    pub covered_source_types: u64,
    /// Target types that are the whole target side of a phrase pair.
    pub covered_target_types: u64,
}

/// Counts phrase pairs of up to `max_length` words on each side.
///
/// Distinct pairs are told apart by a fingerprint of 128 bits: among a billion of them, two share one with a probability below 10^-20.
///
/// # Errors
/// [`Error::Config`] when `max_length` is 0; [`Error::UnequalLength`] and [`Error::Links`] when the links do not fit the text;
/// [`Error::Cancelled`].
///
/// # Complexity
/// `O(n L^3)` time for `n` target tokens and `L = max_length` when most words are unlinked, `O(n L^2)` when few are, and once more for each
/// 8.4 million occurrences. At most about 300 MB of memory on top of the arguments.
pub fn phrase_figures(
    source: Tokens<'_>,
    target: Tokens<'_>,
    links: &Links,
    max_length: usize,
    threads: usize,
    cancel: &CancelToken,
) -> Result<PhraseFigures> {
    count(
        source,
        target,
        links,
        max_length,
        threads,
        cancel,
        FINGERPRINTS,
    )
}

fn count(
    source: Tokens<'_>,
    target: Tokens<'_>,
    links: &Links,
    max_length: usize,
    threads: usize,
    cancel: &CancelToken,
    at_a_time: u64,
) -> Result<PhraseFigures> {
    if max_length == 0 {
        return Err(Error::Config {
            name: "max_length",
            expected: "at least 1".into(),
            found: "0".into(),
        });
    }
    check_same_length(
        ("the source text", source.len()),
        ("the target text", target.len()),
    )?;
    links.check_within(&source.lengths()?, &target.lengths()?)?;
    let each_pair = |n: usize, found: &mut dyn FnMut(&[u32], &[u32])| {
        let (e, f) = (source.sentence(n), target.sentence(n));
        for_each_phrase(links.sentence(n), e.len(), f.len(), max_length, |s, t| {
            found(&e[s], &f[t]);
        });
    };
    let surveys = parallel::map(threads, cancel, blocks(links.len()), |_, block| {
        let mut survey = Survey::default();
        for n in block {
            each_pair(n, &mut |e, f| survey.add(e, f));
        }
        survey.shrink();
        Ok(survey)
    })?;
    let mut total = Survey::default();
    for survey in surveys {
        total.occurrences += survey.occurrences;
        total.source_types.extend(survey.source_types);
        total.target_types.extend(survey.target_types);
    }
    total.shrink();
    // Each pass keeps the fingerprints of its own share of all values, so that memory has a bound.
    let passes = total.occurrences.div_ceil(at_a_time);
    let mut distinct = 0;
    for pass in 0..passes {
        let parts = parallel::map(threads, cancel, blocks(links.len()), |_, block| {
            let mut kept = Vec::new();
            for n in block {
                each_pair(n, &mut |e, f| {
                    let print = fingerprint(e, f);
                    if share(print, passes) == pass {
                        kept.push(print);
                    }
                });
            }
            Ok(kept)
        })?;
        let mut prints = parts.concat();
        prints.sort_unstable();
        prints.dedup();
        distinct += to_u64(prints.len());
    }
    Ok(PhraseFigures {
        occurrences: total.occurrences,
        distinct,
        covered_source_types: to_u64(total.source_types.len()),
        covered_target_types: to_u64(total.target_types.len()),
    })
}

#[derive(Debug, Default)]
struct Survey {
    occurrences: u64,
    source_types: Vec<u32>,
    target_types: Vec<u32>,
}

impl Survey {
    fn add(&mut self, source: &[u32], target: &[u32]) {
        self.occurrences += 1;
        if let [word] = source {
            self.source_types.push(*word);
        }
        if let [word] = target {
            self.target_types.push(*word);
        }
    }

    fn shrink(&mut self) {
        for types in [&mut self.source_types, &mut self.target_types] {
            types.sort_unstable();
            types.dedup();
        }
    }
}

/// 128 bits that tell phrase pairs apart, from two chains of the finaliser of `SplitMix64` with different constants.
fn fingerprint(source: &[u32], target: &[u32]) -> u128 {
    let (mut a, mut b) = (0x706C_6169_7400_0002_u64, 0x9E37_79B9_7F4A_7C15_u64);
    // The number of source words marks the border between the sides.
    let words = source.iter().chain(target).map(|&id| u64::from(id));
    for value in std::iter::once(to_u64(source.len())).chain(words) {
        a = mix(a ^ value.wrapping_mul(0xD6E8_FEB8_6659_FD93));
        b = mix(b.wrapping_add(value).wrapping_mul(0xA076_1D64_78BD_642F));
    }
    u128::from(a) << 64 | u128::from(b)
}

const fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// Which of `count` equal shares of all fingerprints this one falls in.
fn share(print: u128, count: u64) -> u64 {
    // Below `count`, because the upper half of the print is below 2^64.
    u64::try_from(((print >> 64) * u128::from(count)) >> 64).unwrap_or(0)
}

#[cfg(test)]
mod tests;
