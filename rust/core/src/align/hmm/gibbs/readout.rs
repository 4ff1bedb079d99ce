//! Links and posteriors of the samples, and the links that they expect.

use super::block::{Block, Sentence};
use super::options::Sampling;
use crate::align::hmm::options::{Coupling, Decoding};
use crate::align::hmm::readout::{BlockLinks, read_sentence};
use crate::align::hmm::sentence::{Emissions, Posteriors, Workspace};
use crate::align::hmm::statistics::Statistics;
use crate::align::hmm::train::{SMALLEST_LINK, Training};
use crate::cancel::CancelToken;
use crate::error::Result;
use crate::numeric::to_f32;

/// Reads the links of a block: the posterior of a link is the mean of its conditional probabilities, with a share of what training had. The expected links are added
/// to `statistics`, as in an iteration of training.
pub(super) fn read(
    training: &Training<'_>,
    sampling: &Sampling,
    block: &Block,
    statistics: &Statistics,
    cancel: &CancelToken,
) -> Result<BlockLinks> {
    let mut links = BlockLinks::new(training.options.wants_posteriors);
    let mut emissions = Emissions::default();
    let mut posteriors = Posteriors::default();
    let mut spaces: [Workspace; 2] = Default::default();
    let mut pairs = Vec::new();
    let mut sentences = block.sentences.iter();
    for n in block.range.clone() {
        cancel.check()?;
        let sentence = match sentences.as_slice().first() {
            Some(sentence) if sentence.number == n => sentence,
            _ => {
                links.skip();
                continue;
            }
        };
        sentences.next();
        emissions.lengths = sentence.lengths;
        spread(block, sampling, sentence, &mut posteriors, &mut pairs);
        count(training.options.coupling, &pairs, &posteriors, statistics);
        read_sentence(
            &emissions,
            &posteriors,
            &mut spaces,
            Decoding::Posterior,
            true,
            &mut links,
        );
    }
    Ok(links)
}

/// The posteriors of all cells of a sentence pair, and for each cell that is a candidate, its pair of words in the corpus.
fn spread(
    block: &Block,
    sampling: &Sampling,
    sentence: &Sentence,
    out: &mut Posteriors,
    pairs: &mut Vec<(usize, u32)>,
) {
    let share = to_f32(sampling.em_share);
    let each = (1.0 - share) / to_f32(f64::from(sampling.samples));
    let [sources, targets] = sentence.lengths;
    pairs.clear();
    for direction in 0..2 {
        let (lane, cells) = (&block.lanes[direction], &mut out.links[direction]);
        cells.clear();
        cells.resize(sources * targets, 0.0);
        for j in 0..sentence.lengths[1 - direction] {
            let token = sentence.starts[1 - direction] + j;
            for c in lane.starts[token]..lane.starts[token + 1] {
                let i = lane.positions[c] as usize - 1;
                let cell = if direction == 0 {
                    i * targets + j
                } else {
                    j * targets + i
                };
                // Rounding may lead past 1.
                cells[cell] = (each * lane.masses[c] + share * lane.before[c]).min(1.0);
                pairs.push((cell, block.numbering.pairs[lane.pairs[c] as usize]));
            }
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
}

/// Adds the expected links of a sentence pair.
fn count(
    coupling: Coupling,
    pairs: &[(usize, u32)],
    posteriors: &Posteriors,
    statistics: &Statistics,
) {
    let [forward, reverse] = &posteriors.links;
    for &(cell, pair) in pairs {
        let (p, q) = (forward[cell], reverse[cell]);
        match coupling {
            Coupling::Agreement if p * q >= SMALLEST_LINK => {
                statistics.add_link(0, pair as usize, p * q);
            }
            Coupling::Independent if 0.5 * (p + q) >= SMALLEST_LINK => {
                statistics.add_link(0, pair as usize, p);
                statistics.add_link(1, pair as usize, q);
            }
            _ => {}
        }
    }
}
