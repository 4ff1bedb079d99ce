//! What a sampler remembers of its samples: per token, how often each candidate was drawn, and its mean conditional probability.
//!
//! Only candidates that were drawn or were likely are stored: a few a token, 8 bytes each, however many samples there are.

use super::readout::{BlockReadout, POSTERIOR_FLOOR};
use super::rows::CHUNK;
use crate::numeric::to_f32;

/// Largest number of samples that can be counted.
pub const MAX_SAMPLES: u32 = 65_535;

/// A conditional probability in fixed point: 16 bits, so that [`MAX_SAMPLES`] of them fit 32.
const UNIT: f32 = 65_536.0;

/// Below this conditional probability a candidate that was not drawn is not stored.
const SMALLEST: f32 = 1.0 / 256.0;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Entry {
    candidate: u16,
    hits: u16,
    mass: u32,
}

/// The samples of a block's tokens, slot after slot.
#[derive(Debug, Clone, Default)]
pub struct Samples {
    taken: u32,
    starts: Vec<u32>,
    entries: Vec<Entry>,
}

/// Adds one more sample to [`Samples`], token after token.
pub struct Recorder {
    old: Samples,
    new: Samples,
    slot: usize,
}

impl Samples {
    /// Starts to add a sample of `slots` tokens.
    pub fn record(&mut self, slots: usize) -> Recorder {
        let old = std::mem::take(self);
        let mut new = Self {
            taken: old.taken + 1,
            starts: Vec::with_capacity(slots + 1),
            entries: Vec::with_capacity(old.entries.len() + slots / 4),
        };
        new.starts.push(0);
        Recorder { old, new, slot: 0 }
    }

    /// Number of samples.
    #[must_use]
    pub fn taken(&self) -> u32 {
        self.taken
    }

    /// The most frequent candidate of each token (ties: NULL, then the smallest position) and the mean conditional probabilities.
    #[must_use]
    pub fn read(&self) -> BlockReadout {
        let slots = self.starts.len().saturating_sub(1);
        let mut readout = BlockReadout::with_capacity(slots);
        readout.reserve(self.entries.len());
        let scale = 1.0 / (f64::from(self.taken.max(1)) * f64::from(UNIT));
        for run in self.starts.windows(2) {
            let entries = &self.entries[run[0] as usize..run[1] as usize];
            let mut best = Entry {
                candidate: 0,
                hits: 0,
                mass: 0,
            };
            for entry in entries {
                if entry.hits > best.hits {
                    best = *entry;
                }
            }
            for entry in entries {
                let posterior = f64::from(entry.mass) * scale;
                if posterior >= POSTERIOR_FLOOR || entry.candidate == best.candidate {
                    readout.candidates.push(entry.candidate);
                    readout.posteriors.push(to_f32(posterior));
                }
            }
            readout.best.push(best.candidate);
            readout.close();
        }
        readout.shrink();
        readout
    }
}

impl Recorder {
    /// The next token: the candidate that was drawn, the weights of all candidates by chunks (NULL first, padding weighs 0), and their sum.
    #[inline]
    pub fn token(&mut self, drawn: usize, chunks: impl Iterator<Item = [f32; CHUNK]>, total: f32) {
        let run = match self.old.starts.get(self.slot..self.slot + 2) {
            Some(bounds) => bounds[0] as usize..bounds[1] as usize,
            None => 0..0,
        };
        let mut old = self.old.entries[run].iter().copied().peekable();
        let (unit, floor) = (UNIT / total, SMALLEST * total);
        for (number, weights) in chunks.enumerate() {
            let first = number * CHUNK;
            // One bit for each candidate that is likely, drawn, or known.
            let mut bits =
                (0..CHUNK).fold(0_u32, |bits, n| bits | u32::from(weights[n] >= floor) << n);
            bits |= u32::from(drawn / CHUNK == number) << (drawn % CHUNK);
            while bits != 0
                || old
                    .peek()
                    .is_some_and(|entry| usize::from(entry.candidate) < first + CHUNK)
            {
                let next = first + bits.trailing_zeros() as usize;
                let known = old.next_if(|entry| usize::from(entry.candidate) <= next);
                let known = known.unwrap_or(Entry {
                    candidate: u16::try_from(next).unwrap_or(u16::MAX),
                    hits: 0,
                    mass: 0,
                });
                let candidate = usize::from(known.candidate);
                bits &= !(1 << (candidate - first));
                self.new.entries.push(Entry {
                    candidate: known.candidate,
                    hits: known.hits + u16::from(candidate == drawn),
                    mass: known.mass + fixed(weights[candidate - first] * unit),
                });
            }
        }
        // A block has fewer than 2^32 entries: it is cut to a share of the corpus.
        let end = u32::try_from(self.new.entries.len()).unwrap_or(u32::MAX);
        self.new.starts.push(end);
        self.slot += 1;
    }

    /// The samples with the new one in.
    #[must_use]
    pub fn finish(mut self) -> Samples {
        // The list outlives many others like it: spare room would add up.
        self.new.entries.shrink_to_fit();
        self.new
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a probability times 2^16 lies in 0 ..= 2^16"
)]
fn fixed(units: f32) -> u32 {
    (units.min(UNIT) + 0.5) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunks(weights: &[f32]) -> impl Iterator<Item = [f32; CHUNK]> + '_ {
        weights
            .chunks(CHUNK)
            .map(|chunk| std::array::from_fn(|n| chunk.get(n).copied().unwrap_or(0.0)))
    }

    #[test]
    fn candidates_of_all_chunks_are_merged_in_order() {
        let mut samples = Samples::default();
        for (drawn, likely) in [(9, 17), (3, 9), (20, 0), (9, 9)] {
            let mut weights = [0.001_f32; 21];
            weights[likely] = 0.5;
            let mut recorder = samples.record(1);
            recorder.token(drawn, chunks(&weights), 1.0);
            samples = recorder.finish();
        }
        let readout = samples.read();
        assert_eq!(readout.best, vec![9]);
        let kept: Vec<(u16, f32)> = readout.entries(0).collect();
        let expected = [(0, 0.125), (9, 0.25), (17, 0.125)];
        assert_eq!(kept.len(), expected.len(), "{kept:?}");
        for ((candidate, posterior), (at, mean)) in kept.into_iter().zip(expected) {
            assert_eq!(candidate, at);
            assert!((posterior - mean).abs() < 2e-3, "{candidate}: {posterior}");
        }
    }

    #[test]
    fn hits_and_means_are_kept_per_token() {
        let mut samples = Samples::default();
        for (drawn, conditional) in [
            (1, [0.2, 0.7, 0.1]),
            (2, [0.1, 0.4, 0.5]),
            (1, [0.3, 0.6, 0.1]),
        ] {
            let mut recorder = samples.record(2);
            recorder.token(drawn, chunks(&conditional), 1.0);
            recorder.token(0, chunks(&[1.0, 0.0]), 1.0);
            samples = recorder.finish();
        }
        let readout = samples.read();
        assert_eq!(readout.best, vec![1, 0]);
        assert_eq!(readout.candidates, vec![0, 1, 2, 0]);
        for (got, expected) in readout
            .posteriors
            .iter()
            .zip([0.2, 1.7 / 3.0, 0.7 / 3.0, 1.0])
        {
            assert!((f64::from(*got) - expected).abs() < 1e-4);
        }
    }

    #[test]
    fn ties_go_to_null_then_to_the_smallest_position() {
        let mut samples = Samples::default();
        for drawn in [2, 1, 0] {
            let mut recorder = samples.record(1);
            recorder.token(drawn, chunks(&[0.3, 0.3, 0.4]), 1.0);
            samples = recorder.finish();
        }
        assert_eq!(samples.read().best, vec![0]);
    }
}
