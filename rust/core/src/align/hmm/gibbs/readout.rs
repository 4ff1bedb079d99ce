//! Links and posteriors of the samples, and the links that they expect.

use super::block::{Block, Sentence};
use super::options::Sampling;
use crate::align::hmm::kept::Cell;
use crate::align::hmm::readout::{BlockLinks, read_sentence};
use crate::align::hmm::sentence::{Emissions, Posteriors};
use crate::align::hmm::statistics::Statistics;
use crate::align::hmm::train::Training;
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
        let coupling = training.options.coupling;
        spread(
            block,
            sampling,
            sentence,
            &mut emissions.cells,
            &mut posteriors,
        );
        let [forward, reverse] = &posteriors.links;
        for (cell, (&p, &q)) in emissions.cells.iter().zip(forward.iter().zip(reverse)) {
            statistics.add_link(coupling, cell.pair as usize, p, q);
        }
        read_sentence(&emissions, &posteriors, None, cancel, &mut links)?;
    }
    Ok(links)
}

/// Cells of a sentence pair that are candidates of either direction, and their posteriors.
fn spread(
    block: &Block,
    sampling: &Sampling,
    sentence: &Sentence,
    cells: &mut Vec<Cell>,
    out: &mut Posteriors,
) {
    let share = to_f32(sampling.em_share);
    let each = (1.0 - share) / to_f32(f64::from(sampling.samples));
    let candidates = |direction: usize| {
        let lane = &block.lanes[direction];
        let start = sentence.starts[1 - direction];
        (0_u16..)
            .zip(start..start + sentence.lengths[1 - direction])
            .flat_map(move |(emitted, token)| {
                (lane.starts[token]..lane.starts[token + 1]).map(move |c| (emitted, c))
            })
            .map(move |(emitted, c)| {
                // Positions are below 2^16.
                let given = u16::try_from(lane.positions[c] - 1).unwrap_or(u16::MAX);
                let (source, target) = if direction == 0 {
                    (given, emitted)
                } else {
                    (emitted, given)
                };
                let pair = block.numbering.pairs[lane.pairs[c] as usize];
                let cell = Cell {
                    source,
                    target,
                    pair,
                };
                // Rounding may lead past 1.
                let posterior = (each * lane.masses[c] + share * lane.before[c]).min(1.0);
                (cell, posterior)
            })
    };
    let place = |cell: &Cell| (cell.source, cell.target);
    cells.clear();
    cells.extend((0..2).flat_map(candidates).map(|candidate| candidate.0));
    cells.sort_unstable_by_key(place);
    cells.dedup();
    for direction in 0..2 {
        let links = &mut out.links[direction];
        links.clear();
        links.resize(cells.len(), 0.0);
        for (cell, posterior) in candidates(direction) {
            let at = cells.partition_point(|known| place(known) < place(&cell));
            links[at] = posterior;
        }
    }
}
