//! Jumps from one aligned word to the next: He 2007, eq. 1 to 11.
//!
//! Positions are 1..I; 0 stands before the sentence and I + 1 after it. Jumps d = i - i' have 15 buckets: at most -7, -6 .. 6, at least 7; the positions of
//! a sentence that fall into an end bucket share its mass. p(i | i', I) is normalised over 1..I. First jumps (from 0) and last ones (to I + 1) have counts
//! of their own; the last jump is a distribution over the last aligned position. Without any count all positions are equally likely. Smoothing with the
//! uniform distribution comes last.

use crate::ids::WordId;
use crate::numeric::{from_fixed, to_f32, to_f64, to_fixed, to_u64};

/// The longest jump with a bucket of its own, plus one.
pub const MAX_JUMP: i64 = 7;
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
    /// Uniform jumps, as before training.
    #[must_use]
    pub fn uniform(tau: f64, smoothing: f64, classes: Option<Vec<u16>>) -> Self {
        let classes = classes.map(|of_word| ClassJumps {
            of_word,
            counts: Vec::new(),
        });
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

    /// The probabilities of a sentence with these given words; `weight` is 1 - p0.
    pub fn fill(&self, words: &[Option<WordId>], weight: f64, out: &mut Transitions) {
        let length = words.len();
        out.rows.clear();
        out.rows.resize((length + 1) * ROW, 0.0);
        out.last.clear();
        out.last.resize(length + 1, 0.0);
        let uniform = 1.0 / to_f64(to_u64(length));
        for position in 0..=length {
            let sizes = sizes_from(position, length);
            let mut mass = match position.checked_sub(1) {
                None => normalised(&self.first, &sizes, length),
                Some(i) => self.from_word(words[i], &sizes, length),
            };
            for (p, &size) in mass.iter_mut().zip(&sizes) {
                let each = if size > 0.0 { *p / size } else { 0.0 };
                *p = weight * ((1.0 - self.smoothing) * each + self.smoothing * uniform);
            }
            let row = &mut out.rows[position * ROW..][..BUCKETS];
            row.iter_mut()
                .zip(mass)
                .for_each(|(out, p)| *out = to_f32(p));
        }
        self.fill_last(length, uniform, &mut out.last);
    }

    fn fill_last(&self, length: usize, uniform: f64, last: &mut [f32]) {
        let mut sizes = [0.0; BUCKETS];
        for i in 1..=length {
            sizes[bucket(i, length + 1)] += 1.0;
        }
        let mass = normalised(&self.last, &sizes, length);
        last[0] = to_f32(uniform);
        for (i, factor) in last.iter_mut().enumerate().skip(1) {
            let b = bucket(i, length + 1);
            *factor =
                to_f32((1.0 - self.smoothing) * mass[b] / sizes[b] + self.smoothing * uniform);
        }
    }

    /// Eq. 11: the mass of each bucket from a word's position, before sharing and smoothing.
    fn from_word(
        &self,
        word: Option<WordId>,
        sizes: &[f64; BUCKETS],
        length: usize,
    ) -> [f64; BUCKETS] {
        let independent = normalised(&self.between, sizes, length);
        let Some(word) = word else { return independent };
        let class = self.classes.as_ref().and_then(|classes| classes.of(word));
        let prior = match class {
            Some(counts) if fitting(counts, sizes) > 0.0 => normalised(counts, sizes, length),
            _ => independent,
        };
        let Some(own) = self
            .words
            .get(word.index() * BUCKETS..(word.index() + 1) * BUCKETS)
        else {
            return prior;
        };
        let fits = |b: usize| {
            if sizes[b] > 0.0 {
                f64::from(own[b])
            } else {
                0.0
            }
        };
        let total = (0..BUCKETS).map(fits).sum::<f64>() + self.tau;
        if total == 0.0 || self.tau.is_infinite() {
            return prior;
        }
        std::array::from_fn(|b| (fits(b) + self.tau * prior[b]) / total)
    }
}

impl ClassJumps {
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

/// How many positions 1..=I a jump from `position` reaches in each bucket.
fn sizes_from(position: usize, length: usize) -> [f64; BUCKETS] {
    let mut sizes = [0.0; BUCKETS];
    sizes[0] = to_f64(to_u64(position.saturating_sub(7)));
    sizes[BUCKETS - 1] = to_f64(to_u64((length + 1).saturating_sub(position + 7)));
    for (b, size) in sizes.iter_mut().enumerate().take(BUCKETS - 1).skip(1) {
        let there = position + b;
        *size = f64::from(u8::from(there > 7 && there - 7 <= length));
    }
    sizes
}

fn fitting(counts: &[f64; BUCKETS], sizes: &[f64; BUCKETS]) -> f64 {
    counts
        .iter()
        .zip(sizes)
        .filter(|entry| *entry.1 > 0.0)
        .map(|entry| entry.0)
        .sum()
}

/// Eq. 2: the mass of each bucket that has positions; in proportion to these without counts.
fn normalised(counts: &[f64; BUCKETS], sizes: &[f64; BUCKETS], length: usize) -> [f64; BUCKETS] {
    let total = fitting(counts, sizes);
    let positions = to_f64(to_u64(length));
    std::array::from_fn(|b| match sizes[b] {
        0.0 => 0.0,
        size if total <= 0.0 => size / positions,
        _ => counts[b] / total,
    })
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
            jumps.fill(&words, 1.0, &mut out);
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
}
