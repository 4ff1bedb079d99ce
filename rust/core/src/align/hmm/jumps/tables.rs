//! The probabilities of a sentence's jumps, from parameters: He 2007, eq. 2 and 11.

use super::{BUCKETS, Jumps, ROW, Transitions, bucket};
use crate::ids::WordId;
use crate::numeric::{to_f32, to_f64, to_u64};

/// More room than this, in positions, before or after a position lets all jumps fit.
const ROOMS: usize = 9;

/// Parameters of jumps with the masses of word-independent jumps, by how many positions there are before and after.
#[derive(Debug)]
pub struct JumpTables<'a> {
    jumps: &'a Jumps,
    independent: Vec<Option<[f32; BUCKETS]>>,
}

/// The first and one past the last bucket of jumps that fit, with so many positions before and after this one.
fn fits(before: usize, after: usize) -> std::ops::Range<usize> {
    // A jump of -7 or less needs seven positions before.
    7 - before.min(7)..8 + after.min(7)
}

/// Eq. 2: the mass of each bucket that fits; None without counts, where all positions are equally likely.
fn mass_of(counts: &[f64; BUCKETS], fitting: std::ops::Range<usize>) -> Option<[f32; BUCKETS]> {
    let total: f64 = counts[fitting.clone()].iter().sum();
    let mass = |b| {
        if fitting.contains(&b) {
            to_f32(counts[b] / total)
        } else {
            0.0
        }
    };
    (total > 0.0).then(|| std::array::from_fn(mass))
}

impl<'a> JumpTables<'a> {
    pub(super) fn new(jumps: &'a Jumps) -> Self {
        let mut independent = Vec::with_capacity(ROOMS * ROOMS);
        for before in 0..ROOMS {
            for after in 0..ROOMS {
                independent.push(mass_of(&jumps.between, fits(before, after)));
            }
        }
        Self { jumps, independent }
    }

    /// The probabilities of a sentence with these given words; `weight` is 1 - p0.
    pub fn fill(&self, words: &[Option<WordId>], weight: f64, out: &mut Transitions) {
        let (jumps, length) = (self.jumps, words.len());
        out.rows.clear();
        out.rows.resize((length + 1) * ROW, 0.0);
        let uniform = to_f32(1.0 / to_f64(to_u64(length)));
        let (own, even) = (
            to_f32(weight * (1.0 - jumps.smoothing)),
            to_f32(weight * jumps.smoothing) * uniform,
        );
        for (position, row) in out.rows.chunks_exact_mut(ROW).enumerate() {
            // Position 0 stands before the sentence, and jumps from it lead to 1 and on.
            let (before, after) = (position.saturating_sub(1), length - position);
            let fitting = if position == 0 {
                8..8 + length.min(7)
            } else {
                fits(before, after)
            };
            let mass = match position.checked_sub(1) {
                None => mass_of(&jumps.first, fitting.clone()),
                Some(i) => {
                    let prior =
                        self.independent[before.min(ROOMS - 1) * ROOMS + after.min(ROOMS - 1)];
                    self.leaving(words[i], fitting.clone(), prior, (before, after))
                }
            };
            let sizes = (
                to_f32(to_f64(to_u64(before.saturating_sub(6)))),
                to_f32(to_f64(to_u64(after.saturating_sub(6)))),
            );
            match mass {
                None => row[fitting].fill(own * uniform + even),
                Some(mut mass) => {
                    mass[0] /= sizes.0.max(1.0);
                    mass[BUCKETS - 1] /= sizes.1.max(1.0);
                    for b in fitting {
                        row[b] = own * mass[b] + even;
                    }
                }
            }
        }
        self.fill_last(length, uniform, &mut out.last);
    }

    fn fill_last(&self, length: usize, uniform: f32, last: &mut Vec<f32>) {
        // The last position is reached by jumps of I, I - 1, .., 1.
        let fitting = 8..8 + length.min(7);
        let smoothing = to_f32(self.jumps.smoothing);
        let far = to_f32(to_f64(to_u64(length.saturating_sub(6).max(1))));
        last.clear();
        last.push(uniform);
        let Some(mut mass) = mass_of(&self.jumps.last, fitting) else {
            last.resize(length + 1, uniform);
            return;
        };
        mass[BUCKETS - 1] /= far;
        last.extend(
            (1..=length)
                .map(|i| (1.0 - smoothing) * mass[bucket(i, length + 1)] + smoothing * uniform),
        );
    }

    /// Eq. 11: the mass of each bucket from a word's position, before sharing and smoothing; None for all positions equally likely.
    fn leaving(
        &self,
        word: Option<WordId>,
        fitting: std::ops::Range<usize>,
        independent: Option<[f32; BUCKETS]>,
        (before, after): (usize, usize),
    ) -> Option<[f32; BUCKETS]> {
        let Some(word) = word else { return independent };
        let prior = match &self.jumps.classes {
            None => independent,
            Some(classes) => classes.mass(word, fitting.clone(), independent, (before, after)),
        };
        let Some(own) = self
            .jumps
            .words
            .get(word.index() * BUCKETS..(word.index() + 1) * BUCKETS)
        else {
            return prior;
        };
        let tau = to_f32(self.jumps.tau);
        let count: f32 = own[fitting.clone()].iter().sum();
        if count + tau == 0.0 || tau.is_infinite() {
            return prior;
        }
        // Without counts of all words, positions are equally likely: an end bucket has as much mass as positions.
        let prior = prior.unwrap_or_else(|| uniform_mass(before, after));
        let scale = 1.0 / (count + tau);
        let mut mass = [0.0; BUCKETS];
        for b in fitting {
            mass[b] = (own[b] + tau * prior[b]) * scale;
        }
        Some(mass)
    }
}

/// The mass of each bucket when all positions are equally likely.
pub(super) fn uniform_mass(before: usize, after: usize) -> [f32; BUCKETS] {
    let each = to_f32(1.0 / to_f64(to_u64(before + after + 1)));
    let mut mass = [0.0; BUCKETS];
    mass[fits(before, after)].fill(each);
    let size = |room: usize| to_f32(to_f64(to_u64(room.saturating_sub(6))));
    mass[0] = each * size(before);
    mass[BUCKETS - 1] = each * size(after);
    mass
}
