//! What a sampler remembers of its samples: per token, how often each candidate was drawn, and its mean conditional probability.
//!
//! Only candidates that were drawn or were likely are stored: a few a token, 8 bytes each, however many samples there are.

use super::readout::{BlockReadout, POSTERIOR_FLOOR};
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
            entries: Vec::with_capacity(old.entries.len() + old.entries.len() / 4 + slots),
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
        readout
    }
}

impl Recorder {
    /// The next token: the candidate that was drawn, the weight of every candidate, NULL first, and their sum.
    pub fn token(&mut self, drawn: usize, weights: impl Iterator<Item = f32>, total: f32) {
        let run = match self.old.starts.get(self.slot..self.slot + 2) {
            Some(bounds) => bounds[0] as usize..bounds[1] as usize,
            None => 0..0,
        };
        let mut old = self.old.entries[run].iter().copied().peekable();
        let (unit, floor) = (UNIT / total, SMALLEST * total);
        for (candidate, weight) in weights.enumerate() {
            let known = old.next_if(|entry| usize::from(entry.candidate) == candidate);
            if known.is_some() || weight >= floor || candidate == drawn {
                let known = known.unwrap_or(Entry {
                    candidate: u16::try_from(candidate).unwrap_or(u16::MAX),
                    hits: 0,
                    mass: 0,
                });
                self.new.entries.push(Entry {
                    candidate: known.candidate,
                    hits: known.hits + u16::from(candidate == drawn),
                    mass: known.mass + fixed(weight * unit),
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
    pub fn finish(self) -> Samples {
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

    #[test]
    fn hits_and_means_are_kept_per_token() {
        let mut samples = Samples::default();
        for (drawn, conditional) in [
            (1, [0.2, 0.7, 0.1]),
            (2, [0.1, 0.4, 0.5]),
            (1, [0.3, 0.6, 0.1]),
        ] {
            let mut recorder = samples.record(2);
            recorder.token(drawn, conditional.into_iter(), 1.0);
            recorder.token(0, [1.0, 0.0].into_iter(), 1.0);
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
            recorder.token(drawn, [0.3, 0.3, 0.4].into_iter(), 1.0);
            samples = recorder.finish();
        }
        assert_eq!(samples.read().best, vec![0]);
    }
}
