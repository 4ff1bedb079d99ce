//! BLEU (Papineni et al. 2002): its statistics, which add over segments, and its value.
//!
//! The statistics of a segment are the numbers `[match 1, total 1, ..., match N, total N, reference length]`: for each order n, how many n-grams of the
//! hypothesis are in a reference, and how many it has. An n-gram counts as a match at most as often as it stands in the one reference that has it most often.

use crate::cancel::CancelToken;
use crate::error::{Error, Result};
use crate::numeric::{to_f64, to_index, to_u64};
use crate::parallel;
use crate::text::ngram_trie::{EMPTY, NgramTrie};
use rustc_hash::FxHashMap;

/// Segments that one thread takes at a time.
const BLOCK: usize = 64;

/// The most words of an n-gram that may be asked for.
pub const MAX_ORDER: usize = 64;

/// What the length of a hypothesis is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ReferenceLength {
    /// The length of the reference whose length is closest; the shorter of two that are as close.
    #[default]
    Closest,
    /// The length of the shortest reference.
    Shortest,
    /// The mean of the lengths, rounded down.
    Average,
}

/// The references of one segment, ready to be compared with many hypotheses.
#[derive(Debug, Clone)]
pub struct References {
    order: usize,
    ngrams: NgramTrie<u32>,
    /// How often each n-gram stands in the reference that has it most often, by number in `ngrams`.
    most: Vec<u32>,
    /// Rising.
    lengths: Vec<usize>,
}

impl References {
    /// Counts the n-grams of the references, given as numbers of words. O(order words).
    ///
    /// # Errors
    /// [`Error::Config`] for an order outside 1 to 64 and for no references; [`Error::TooLarge`] for 2^32 n-grams.
    pub fn new(references: &[&[u32]], order: usize) -> Result<Self> {
        if !(1..=MAX_ORDER).contains(&order) {
            return Err(Error::config("order", "from 1 to 64", order));
        }
        if references.is_empty() {
            return Err(Error::config("references", "at least one", 0));
        }
        let mut lengths: Vec<usize> = references.iter().map(|words| words.len()).collect();
        lengths.sort_unstable();
        let mut made = Self {
            order,
            ngrams: NgramTrie::default(),
            most: vec![0],
            lengths,
        };
        let mut counts = vec![0];
        for words in references {
            counts.fill(0);
            for start in 0..words.len() {
                let mut ngram = EMPTY;
                for &word in words[start..].iter().take(order) {
                    ngram = made.ngrams.grow(ngram, word).ok_or(Error::TooLarge {
                        what: "the number of n-grams of references",
                        limit: u64::from(u32::MAX),
                    })?;
                    counts.resize(made.ngrams.len(), 0);
                    counts[place(ngram)] += 1;
                }
            }
            made.most.resize(made.ngrams.len(), 0);
            for (most, &count) in made.most.iter_mut().zip(&counts) {
                *most = count.max(*most);
            }
        }
        Ok(made)
    }

    /// The statistics of a hypothesis, 2 order + 1 numbers. O(order words + n-grams of the references).
    #[must_use]
    pub fn statistics(&self, hypothesis: &[u32], length: ReferenceLength) -> Vec<i64> {
        let mut statistics = vec![0; 2 * self.order + 1];
        let mut left = self.most.clone();
        for start in 0..hypothesis.len() {
            let mut ngram = EMPTY;
            for (n, &word) in hypothesis[start..].iter().take(self.order).enumerate() {
                // An n-gram that no reference has is the prefix of none that one has.
                let Some(longer) = self.ngrams.child(ngram, word) else {
                    break;
                };
                ngram = longer;
                if let Some(rest) = left[place(ngram)].checked_sub(1) {
                    left[place(ngram)] = rest;
                    statistics[2 * n] += 1;
                }
            }
        }
        for n in 0..self.order {
            statistics[2 * n + 1] = signed(hypothesis.len().saturating_sub(n));
        }
        statistics[2 * self.order] = signed(self.length(hypothesis.len(), length));
        statistics
    }

    /// The length that a hypothesis of `words` words is compared with.
    #[must_use]
    pub fn length(&self, words: usize, which: ReferenceLength) -> usize {
        match which {
            ReferenceLength::Shortest => self.lengths[0],
            ReferenceLength::Average => self.lengths.iter().sum::<usize>() / self.lengths.len(),
            ReferenceLength::Closest => {
                // Lengths rise, and the first of the least is taken: the shorter one of two that are as close.
                let closest = self.lengths.iter().min_by_key(|l| l.abs_diff(words));
                closest.copied().unwrap_or(0)
            }
        }
    }
}

fn place(ngram: u32) -> usize {
    to_index(u64::from(ngram))
}

fn signed(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// How statistics are made.
#[derive(Debug, Clone, Copy)]
pub struct BleuOptions {
    /// The most words of an n-gram, from 1 to 64.
    pub order: usize,
    /// What the length of a hypothesis is compared with.
    pub length: ReferenceLength,
    /// How many threads work.
    pub threads: usize,
}

/// The statistics of lines of text, 2 order + 1 numbers for each hypothesis. Words are what stands between ASCII spaces and tabs.
///
/// `references` holds the references of each segment; `segments` is the segment of each hypothesis. Hypotheses of one segment are best side by side: its
/// n-grams are then counted once.
///
/// # Errors
/// [`Error::Config`] for an order outside 1 to 64, a segment without references, and one that there is not; [`Error::Cancelled`].
///
/// # Panics
/// If there are not as many segments as hypotheses.
///
/// # Complexity
/// O(order words) time, on all threads.
pub fn text_statistics(
    hypotheses: &[&str],
    references: &[Vec<&str>],
    segments: &[usize],
    options: BleuOptions,
    cancel: &CancelToken,
) -> Result<Vec<i64>> {
    assert_eq!(hypotheses.len(), segments.len(), "a segment for each");
    if let Some(&segment) = segments.iter().find(|&&s| s >= references.len()) {
        let expected = format!("below {}, the number of references", references.len());
        return Err(Error::config("segments", &expected, segment));
    }
    // Cut where the segment changes, so that all of a list that stands together is one run.
    let mut runs: Vec<std::ops::Range<usize>> = Vec::new();
    for (n, segment) in segments.iter().enumerate() {
        match runs.last_mut() {
            Some(run) if segments[run.start] == *segment => run.end = n + 1,
            _ => runs.push(n..n + 1),
        }
    }
    let blocks: Vec<_> = runs.chunks(BLOCK).collect();
    let rows = parallel::map(options.threads, cancel, blocks, |_, runs| {
        let mut rows = Vec::new();
        for run in runs {
            cancel.check()?;
            let mut words = Words::default();
            let lines = &references[segments[run.start]];
            let ids: Vec<Vec<u32>> = lines.iter().map(|line| words.ids(line)).collect();
            let ids: Vec<&[u32]> = ids.iter().map(Vec::as_slice).collect();
            let references = References::new(&ids, options.order)?;
            for hypothesis in &hypotheses[run.clone()] {
                rows.extend(references.statistics(&words.ids(hypothesis), options.length));
            }
        }
        Ok(rows)
    })?;
    Ok(rows.concat())
}

/// Numbers of the words of one segment.
#[derive(Default)]
struct Words<'a>(FxHashMap<&'a str, u32>);

impl<'a> Words<'a> {
    fn ids(&mut self, line: &'a str) -> Vec<u32> {
        let words = line.split([' ', '\t']).filter(|word| !word.is_empty());
        let number = |word| {
            // More words than numbers do not fit a line of text in memory; the last number would be shared.
            let next = u32::try_from(self.0.len()).unwrap_or(u32::MAX);
            *self.0.entry(word).or_insert(next)
        };
        words.map(number).collect()
    }
}

/// What is done about orders of which no n-gram matches (Chen and Cherry 2014).
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Smoothing {
    /// Nothing: BLEU is 0.
    None,
    /// The number of matches is this instead of 0 (their method 1).
    Floor(f64),
    /// This is added to matches and totals of orders from 2 (method 2; Lin and Och 2004 with 1).
    AddK(f64),
    /// The matches of the k-th such order are 2^-k (method 3; NIST's mteval).
    Exp,
}

/// BLEU of statistics, from 0 to 1.
///
/// The geometric mean of the precisions of all orders times the brevity penalty, min(1, exp(1 - reference length / hypothesis length)) (Papineni et al. 2002,
/// section 2.3). 0 if nothing matches, whatever the smoothing. With `is_effective`, the mean is over the orders that the hypotheses have n-grams of; otherwise
/// BLEU is 0 where they lack one.
///
/// # Panics
/// If the statistics are not an odd number of numbers, at least 3.
#[must_use]
pub fn score(statistics: &[f64], smoothing: Smoothing, is_effective: bool) -> f64 {
    let (&length, pairs) = statistics.split_last().expect("a reference length");
    let (pairs, rest) = pairs.as_chunks::<2>();
    assert!(rest.is_empty() && !pairs.is_empty(), "matches and totals");
    if pairs.iter().all(|pair| pair[0] <= 0.0) {
        return 0.0;
    }
    let mut orders = pairs.len();
    let mut sum = 0.0;
    let mut halves = 1.0;
    for (n, &[mut matches, mut total]) in pairs.iter().enumerate() {
        if let Smoothing::AddK(k) = smoothing
            && n > 0
        {
            matches += k;
            total += k;
        }
        if total <= 0.0 {
            if is_effective {
                orders = n;
                break;
            }
            return 0.0;
        }
        if matches <= 0.0 {
            matches = match smoothing {
                Smoothing::Floor(value) => value,
                Smoothing::Exp => {
                    halves /= 2.0;
                    halves
                }
                Smoothing::None | Smoothing::AddK(_) => return 0.0,
            };
        }
        sum += (matches / total).ln();
    }
    let words = pairs[0][1];
    // Something matches, so there are words.
    let penalty = if words < length {
        1.0 - length / words
    } else {
        0.0
    };
    (penalty + sum / to_f64(to_u64(orders))).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(hypothesis: &str, references: &[&str]) -> Vec<i64> {
        let options = BleuOptions {
            order: 2,
            length: ReferenceLength::Closest,
            threads: 2,
        };
        let found = text_statistics(
            &[hypothesis],
            &[references.to_vec()],
            &[0],
            options,
            &CancelToken::new(),
        );
        found.expect("sound")
    }

    #[test]
    fn matches_are_clipped_by_the_reference_that_has_most() {
        // The example of Papineni et al.: "the" matches twice, by the first reference.
        let references = ["the cat is on the mat", "there is a cat on the mat"];
        let found = of("the the the the the the the", &references);
        assert_eq!(found, [2, 7, 0, 6, 7]);
        assert_eq!(of("", &references), [0, 0, 0, 0, 6]);
        assert_eq!(of("a", &[""]), [0, 1, 0, 0, 0]);
    }

    #[test]
    fn the_closest_length_is_the_shorter_of_two() {
        let lines: [&[u32]; 3] = [&[1; 9], &[1; 5], &[1; 7]];
        let references = References::new(&lines, 1).expect("sound");
        let lengths = [0, 6, 7, 8, 20].map(|n| references.length(n, ReferenceLength::Closest));
        assert_eq!(lengths, [5, 5, 7, 7, 9]);
        assert_eq!(references.length(6, ReferenceLength::Shortest), 5);
        assert_eq!(references.length(6, ReferenceLength::Average), 7);
    }

    #[test]
    fn an_order_without_matches_makes_bleu_zero_unless_smoothed() {
        let statistics = [3.0, 4.0, 0.0, 3.0, 4.0];
        assert!(score(&statistics, Smoothing::None, false) <= 0.0);
        let exp = score(&statistics, Smoothing::Exp, false);
        assert!((exp - (0.75_f64 * 0.5 / 3.0).sqrt()).abs() < 1e-15);
        let add = score(&statistics, Smoothing::AddK(1.0), false);
        assert!((add - (0.75_f64 * 0.25).sqrt()).abs() < 1e-15);
        let one_word = [1.0, 1.0, 0.0, 0.0, 2.0];
        assert!(score(&one_word, Smoothing::None, false) <= 0.0);
        let effective = score(&one_word, Smoothing::None, true);
        assert!((effective - (-1.0_f64).exp()).abs() < 1e-15);
    }
}
