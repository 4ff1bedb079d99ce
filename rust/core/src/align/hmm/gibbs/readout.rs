//! Links and posteriors of the samples.

use super::block::Block;
use super::options::Sampling;
use crate::align::hmm::options::Decoding;
use crate::align::hmm::readout::{BlockLinks, read_sentence};
use crate::align::hmm::sentence::{Emissions, Posteriors, Workspace};
use crate::align::hmm::train::Training;
use crate::numeric::to_f32;

/// The links of a block: the mean of the conditional probabilities of each link, and its share of what training had.
pub(super) fn read(training: &Training<'_>, sampling: &Sampling, block: &Block) -> BlockLinks {
    let mut links = BlockLinks::new(training.options.wants_posteriors);
    let mut emissions = Emissions::default();
    let mut posteriors = Posteriors::default();
    let mut spaces: [Workspace; 2] = Default::default();
    let share = to_f32(sampling.em_share);
    let each = (1.0 - share) / to_f32(f64::from(sampling.samples));
    let mut sentences = block.sentences.iter();
    for n in block.range.clone() {
        if !training.used[n] {
            links.skip();
            continue;
        }
        let Some(sentence) = sentences.next() else { break };
        emissions.lengths = sentence.lengths;
        let targets = sentence.lengths[1];
        for direction in 0..2 {
            let (lane, cells) = (&block.lanes[direction], &mut posteriors.links[direction]);
            cells.clear();
            cells.resize(sentence.lengths[0] * targets, 0.0);
            for j in 0..sentence.lengths[1 - direction] {
                let token = sentence.starts[1 - direction] + j;
                for c in lane.starts[token]..lane.starts[token + 1] {
                    let i = lane.positions[c] as usize - 1;
                    let cell = if direction == 0 { i * targets + j } else { j * targets + i };
                    // Rounding may lead past 1.
                    cells[cell] = (each * lane.masses[c] + share * lane.before[c]).min(1.0);
                }
            }
        }
        read_sentence(
            &emissions,
            &posteriors,
            &mut spaces,
            Decoding::Posterior,
            true,
            &mut links,
        );
    }
    links
}
