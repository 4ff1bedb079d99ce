//! Where a sampler starts.

use super::emissions::{Block, Emissions};
use crate::rng::Stream;

/// The links that a chain starts from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Initial {
    /// Every candidate, NULL included, is equally likely.
    Uniform,
    /// Each token is linked to the given word of its sentence that its type occurs with in the most sentence pairs (the paper's GS-N).
    CoOccurrence,
    /// The best links after so many iterations of EM for Model 1 (GS-5, GS-20, GS-80).
    Em(u32),
}

/// A label that keeps the stream of first links apart from the streams of sweeps.
const FIRST_LINKS: u64 = 0xF125_7111;

/// Uniformly random candidates of a block's tokens.
#[must_use]
pub fn uniform(emissions: &Emissions<'_>, block: &Block, seed: u64, chain: u64) -> Vec<u16> {
    let draws = Stream::new(&[seed, chain, FIRST_LINKS, emissions.direction().key()]);
    let draw = |slot| {
        let candidates = emissions.given_sentence(slot).len() + 1;
        let bound = u32::try_from(candidates).unwrap_or(u32::MAX);
        u16::try_from(draws.below(emissions.token(slot), bound)).unwrap_or(0)
    };
    block.slots.clone().map(draw).collect()
}

/// The most frequent companion of each token's type in its sentence; ties go to the smallest position. NULL, which occurs in every sentence, is left out.
#[must_use]
pub fn co_occurrence(emissions: &Emissions<'_>, block: &Block) -> Vec<u16> {
    let mut together = vec![0_u32; emissions.null()];
    let mut counted_in = vec![usize::MAX; emissions.null()];
    let mut links = Vec::with_capacity(block.slots.len());
    for word in block.types.clone() {
        let mut previous = usize::MAX;
        for slot in emissions.slots(word) {
            // A sentence in which a type stands twice is counted once. Its first slot marks the pair of type and sentence.
            let sentence = emissions.sentence_of(slot);
            if sentence == previous {
                continue;
            }
            previous = sentence;
            for e in emissions.given_sentence(slot) {
                if counted_in[e.index()] != slot {
                    counted_in[e.index()] = slot;
                    together[e.index()] += 1;
                }
            }
        }
        for slot in emissions.slots(word) {
            let given = emissions.given_sentence(slot);
            let mut best = 0;
            for (i, e) in given.iter().enumerate() {
                if together[e.index()] > together[given[best].index()] {
                    best = i;
                }
            }
            links.push(u16::try_from(best + 1).unwrap_or(u16::MAX));
        }
        for slot in emissions.slots(word) {
            for e in emissions.given_sentence(slot) {
                together[e.index()] = 0;
            }
        }
    }
    links
}
