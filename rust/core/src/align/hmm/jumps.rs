//! Jumps from one aligned word to the next: He 2007, eq. 1 to 11.
//!
//! Positions are 1..I; 0 stands before the sentence and I + 1 after it. Jumps d = i - i' have 15 buckets: at most -7, -6 .. 6, at least 7; the positions of
//! a sentence that fall into an end bucket share its mass. p(i | i', I) is normalised over 1..I. First jumps (from 0) and last ones (to I + 1) have counts
//! of their own; the last jump is a distribution over the last aligned position. Without any count all positions are equally likely. Smoothing with the
//! uniform distribution comes last.

mod tables;

pub use tables::JumpTables;

use crate::ids::WordId;
use crate::numeric::{from_fixed, to_f32, to_f64, to_fixed, to_u64};

/// The shortest jump that shares a bucket with all longer ones; a jump d that is shorter has bucket `FAR + d`.
pub const FAR: u32 = 7;
/// Number of buckets.
pub const BUCKETS: usize = 15;
/// Room for a row of buckets, a power of two.
pub const ROW: usize = 16;

/// The bucket of the jump from `from` to `to`.
#[must_use]
#[inline]
pub fn bucket(from: usize, to: usize) -> usize {
    // One of the two differences is 0.
    (7 + to.saturating_sub(from).min(7)) - from.saturating_sub(to).min(7)
}

/// Expected numbers of jumps, in units of 2^-32: values that add.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JumpCounts {
    /// Jumps from before the sentence.
    pub first: [u64; BUCKETS],
    /// Jumps out of the sentence.
    pub last: [u64; BUCKETS],
    /// Jumps from each word, [`BUCKETS`] numbers a word.
    pub words: Vec<u64>,
}

impl JumpCounts {
    /// No jumps from any of so many words.
    #[must_use]
    pub fn new(words: usize) -> Self {
        Self {
            first: [0; BUCKETS],
            last: [0; BUCKETS],
            words: vec![0; words * BUCKETS],
        }
    }

    /// Adds other counts.
    pub fn merge(&mut self, other: &Self) {
        let sums = self
            .first
            .iter_mut()
            .chain(&mut self.last)
            .chain(&mut self.words);
        let terms = other.first.iter().chain(&other.last).chain(&other.words);
        sums.zip(terms).for_each(|(sum, term)| *sum += term);
    }

    /// Adds the expected jumps of a sentence: rows of [`ROW`] for positions 0..=I.
    pub fn add_rows(&mut self, words: &[WordId], rows: &[f32]) {
        for (position, row) in rows.chunks_exact(ROW).take(words.len() + 1).enumerate() {
            let counts = match position.checked_sub(1) {
                None => &mut self.first[..],
                Some(i) => &mut self.words[words[i].index() * BUCKETS..][..BUCKETS],
            };
            for (count, &expected) in counts.iter_mut().zip(row) {
                if expected > 0.0 {
                    *count += to_fixed(f64::from(expected));
                }
            }
        }
    }

    /// Adds the expectation that a sentence of I words is left from position i.
    #[inline]
    pub fn add_last(&mut self, position: usize, length: usize, expected: f32) {
        self.last[bucket(position, length + 1)] += to_fixed(f64::from(expected));
    }
}

/// Parameters of the jumps of one direction.
#[derive(Debug, Clone, PartialEq)]
pub struct Jumps {
    /// Counts of all jumps between words, first jumps and last jumps.
    pub between: [f64; BUCKETS],
    /// See [`Self::between`].
    pub first: [f64; BUCKETS],
    /// See [`Self::between`].
    pub last: [f64; BUCKETS],
    /// Counts of the jumps from each word, [`BUCKETS`] a word; empty for the plain HMM.
    pub words: Vec<f32>,
    /// Classes of words, where these have jumps of their own between those of a word and those of all words (Och and Ney 2000).
    pub classes: Option<ClassJumps>,
    /// Weight of the prior of word-dependent jumps.
    pub tau: f64,
    /// Share of the uniform distribution.
    pub smoothing: f64,
}

/// Jumps from the words of each class.
#[derive(Debug, Clone, PartialEq)]
pub struct ClassJumps {
    /// Class of each word; [`u16::MAX`] for none.
    pub of_word: Vec<u16>,
    /// Counts of each class.
    pub counts: Vec<[f64; BUCKETS]>,
    /// Weight of the jumps of all words in those of each class, as a pseudo-count; 0 in Och and Ney 2000.
    pub tau: f64,
}

/// The probabilities of the jumps of one sentence.
#[derive(Debug, Clone, Default)]
pub struct Transitions {
    /// For positions 0..=I, [`ROW`] numbers: the probability of *each* position in a bucket, times what a real position has, 1 - p0.
    pub rows: Vec<f32>,
    /// For positions 0..=I, the factor of an alignment whose last real position this is.
    pub last: Vec<f32>,
}

impl Jumps {
    /// Jumps whose probability falls by a factor exp(-`decay`) for each position away from +1, before training.
    #[must_use]
    pub fn peaked(decay: f64, tau: f64, smoothing: f64, classes: Option<ClassJumps>) -> Self {
        let counts = std::array::from_fn(|b| {
            let distance = b.abs_diff(bucket(0, 1));
            libm::exp(-decay * to_f64(to_u64(distance)))
        });
        Self {
            between: counts,
            first: counts,
            last: counts,
            ..Self::uniform(tau, smoothing, classes)
        }
    }

    /// Uniform jumps, as before training.
    #[must_use]
    pub fn uniform(tau: f64, smoothing: f64, classes: Option<ClassJumps>) -> Self {
        Self {
            between: [0.0; BUCKETS],
            first: [0.0; BUCKETS],
            last: [0.0; BUCKETS],
            words: Vec::new(),
            classes,
            tau,
            smoothing,
        }
    }

    /// New parameters from expected counts.
    #[must_use]
    pub fn estimate(self, counts: &JumpCounts) -> Self {
        let real = |fixed: &[u64; BUCKETS]| fixed.map(from_fixed);
        let mut between = [0_u64; BUCKETS];
        for row in counts.words.chunks_exact(BUCKETS) {
            between
                .iter_mut()
                .zip(row)
                .for_each(|(sum, term)| *sum += term);
        }
        let classes = self.classes.map(|classes| classes.estimate(&counts.words));
        let words = if self.tau.is_infinite() && classes.is_none() {
            Vec::new()
        } else {
            counts
                .words
                .iter()
                .map(|&n| to_f32(from_fixed(n)))
                .collect()
        };
        Self {
            between: real(&between),
            first: real(&counts.first),
            last: real(&counts.last),
            words,
            classes,
            ..self
        }
    }

    /// What sentences of any length need, computed once.
    #[must_use]
    pub fn tables(&self) -> JumpTables<'_> {
        JumpTables::new(self)
    }
}

impl ClassJumps {
    /// Classes without counts.
    #[must_use]
    pub const fn new(of_word: Vec<u16>, tau: f64) -> Self {
        Self {
            of_word,
            counts: Vec::new(),
            tau,
        }
    }

    /// What the jumps from a word are smoothed by: eq. 11 with its class for the word, and the jumps of all words for a word of no class.
    fn mass(
        &self,
        word: WordId,
        fitting: std::ops::Range<usize>,
        independent: Option<[f32; BUCKETS]>,
        (before, after): (usize, usize),
    ) -> Option<[f32; BUCKETS]> {
        let Some(counts) = self.of(word) else {
            return independent;
        };
        let count: f64 = counts[fitting.clone()].iter().sum();
        if count + self.tau == 0.0 || self.tau.is_infinite() {
            return independent;
        }
        let independent = independent.unwrap_or_else(|| tables::uniform_mass(before, after));
        let scale = 1.0 / (count + self.tau);
        let mut mass = [0.0; BUCKETS];
        for b in fitting {
            mass[b] = to_f32((counts[b] + self.tau * f64::from(independent[b])) * scale);
        }
        Some(mass)
    }

    fn of(&self, word: WordId) -> Option<&[f64; BUCKETS]> {
        self.counts
            .get(usize::from(*self.of_word.get(word.index())?))
    }

    fn estimate(self, words: &[u64]) -> Self {
        let most = self
            .of_word
            .iter()
            .filter(|&&class| class != u16::MAX)
            .max();
        let mut sums = vec![[0_u64; BUCKETS]; most.map_or(0, |&class| usize::from(class) + 1)];
        for (row, &class) in words.chunks_exact(BUCKETS).zip(&self.of_word) {
            if let Some(sum) = sums.get_mut(usize::from(class)) {
                sum.iter_mut().zip(row).for_each(|(sum, term)| *sum += term);
            }
        }
        Self {
            counts: sums.iter().map(|sum| sum.map(from_fixed)).collect(),
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_those_of_the_paper() {
        assert_eq!(bucket(9, 1), 0);
        assert_eq!(bucket(8, 1), 0);
        assert_eq!(bucket(7, 1), 1);
        assert_eq!(bucket(3, 3), 7);
        assert_eq!(bucket(0, 1), 8);
        assert_eq!(bucket(0, 7), 14);
        assert_eq!(bucket(0, 90), 14);
    }

    #[test]
    fn probabilities_of_all_positions_sum_to_one() {
        let mut jumps = Jumps::uniform(10.0, 0.1, None);
        jumps.between = std::array::from_fn(|b| to_f64(to_u64(b * b)));
        jumps.first[9] = 3.0;
        jumps.last[8] = 2.0;
        jumps.words = (0_u16..30).map(f32::from).collect();
        let mut out = Transitions::default();
        for length in [1, 2, 6, 7, 8, 15, 40] {
            let words: Vec<_> = (0..length).map(|i| Some(WordId::from_u32(i % 2))).collect();
            jumps.tables().fill(&words, 1.0, &mut out);
            for from in 0..=words.len() {
                let sum: f32 = (1..=words.len())
                    .map(|to| out.rows[from * ROW + bucket(from, to)])
                    .sum();
                assert!((sum - 1.0).abs() < 1e-5, "{length} {from}: {sum}");
            }
            let sum: f32 = out.last[1..].iter().sum();
            assert!((sum - 1.0).abs() < 1e-5);
        }
    }

    #[test]
    fn classes_stand_between_a_word_and_all_words() {
        let word = |id| Some(WordId::from_u32(id));
        let rows = |classes, tau| {
            let mut jumps = Jumps::uniform(tau, 0.0, classes);
            jumps.between = [1.0; BUCKETS];
            let mut out = Transitions::default();
            jumps
                .tables()
                .fill(&[word(0), word(1), word(2)], 1.0, &mut out);
            // From the first word: to itself, the second and the third, and the same from the third, which has no class.
            [
                &out.rows[ROW + 7..ROW + 10],
                &out.rows[3 * ROW + 5..3 * ROW + 8],
            ]
            .concat()
        };
        let with = |class_tau| {
            let mut classes = ClassJumps::new(vec![0, 0, u16::MAX], class_tau);
            classes.counts = vec![[0.0; BUCKETS]];
            classes.counts[0][8] = 3.0;
            rows(Some(classes), f64::INFINITY)
        };
        let close = |found: Vec<f32>, expected: [f32; 6]| {
            let is_close = |(a, b): (&f32, &f32)| (a - b).abs() < 1e-6;
            assert!(
                found.iter().zip(&expected).all(is_close),
                "{found:?} {expected:?}"
            );
        };
        let third = 1.0 / 3.0;
        close(rows(None, f64::INFINITY), [third; 6]);
        close(with(0.0), [0.0, 1.0, 0.0, third, third, third]);
        // (0 + 3 / 3) / (3 + 3) and (3 + 3 / 3) / (3 + 3).
        close(
            with(3.0),
            [1.0 / 6.0, 2.0 * third, 1.0 / 6.0, third, third, third],
        );
        close(with(f64::INFINITY), [third; 6]);
    }

    #[test]
    fn counts_of_a_class_are_those_of_its_words() {
        let mut counts = JumpCounts::new(3);
        counts.words[8] = to_fixed(1.0);
        counts.words[BUCKETS + 8] = to_fixed(2.0);
        counts.words[2 * BUCKETS + 8] = to_fixed(4.0);
        let classes = ClassJumps::new(vec![1, 1, u16::MAX], 0.0);
        let jumps = Jumps::uniform(f64::INFINITY, 0.0, Some(classes)).estimate(&counts);
        let sums: Vec<f64> = jumps
            .classes
            .expect("classes stay")
            .counts
            .iter()
            .map(|row| row[8])
            .collect();
        assert_eq!(sums, [0.0, 3.0]);
    }
}
