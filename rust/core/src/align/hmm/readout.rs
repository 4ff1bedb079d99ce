//! Links and posteriors of a sentence pair, and of all blocks.

use super::options::Decoding;
use super::sentence::{Emissions, Posteriors, Workspace};
use crate::align::ibm::readout::{DirectionReadout, POSTERIOR_FLOOR};
use crate::align::{Link, Links, LinksBuilder};
use crate::error::Result;
use crate::numeric::to_f32;

/// Links of a block, forward and reverse: the best ones, and all likely ones where they are wanted.
pub(super) struct BlockLinks {
    best: [LinksBuilder; 2],
    all: Option<[LinksBuilder; 2]>,
}

impl BlockLinks {
    pub(super) fn new(wants_posteriors: bool) -> Self {
        let pair = || [LinksBuilder::new(true), LinksBuilder::new(true)];
        Self {
            best: pair(),
            all: wants_posteriors.then(pair),
        }
    }

    /// A sentence pair without links.
    pub(super) fn skip(&mut self) {
        let all = self.all.iter_mut().flatten();
        self.best
            .iter_mut()
            .chain(all)
            .for_each(LinksBuilder::finish_sentence);
    }
}

fn link(direction: usize, given: usize, emitted: usize) -> Link {
    let narrow = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let (source, target) = if direction == 0 {
        (given, emitted)
    } else {
        (emitted, given)
    };
    Link {
        source: narrow(source),
        target: narrow(target),
    }
}

/// Adds the links of a sentence pair. With [`Decoding::Viterbi`] the workspaces still have its candidates and jumps.
pub(super) fn read_sentence(
    emissions: &Emissions,
    posteriors: &Posteriors,
    spaces: &mut [Workspace; 2],
    decoding: Decoding,
    is_hmm: bool,
    out: &mut BlockLinks,
) {
    let [sources, targets] = emissions.lengths;
    for direction in 0..2 {
        let links = &posteriors.links[direction];
        let (given, emitted) = (
            emissions.lengths[direction],
            emissions.lengths[1 - direction],
        );
        let cell = |i: usize, j: usize| {
            if direction == 0 {
                i * targets + j
            } else {
                j * targets + i
            }
        };
        let best = &mut out.best[direction];
        if decoding == Decoding::Viterbi && is_hmm {
            let Workspace {
                candidates,
                transitions,
                lattice,
                ..
            } = &mut spaces[direction];
            lattice.viterbi(candidates, transitions);
            for (j, position) in lattice.best.iter().enumerate() {
                if let Some(i) = position.and_then(|position| position.checked_sub(1)) {
                    let i = i as usize;
                    best.push(link(direction, i, j), links[cell(i, j)]);
                }
            }
        } else {
            for j in 0..emitted {
                let (mut most, mut sum, mut at) = (0.0_f32, 0.0_f32, 0);
                for i in 0..given {
                    let p = links[cell(i, j)];
                    sum += p;
                    if p > most {
                        (most, at) = (p, i);
                    }
                }
                // NULL has the rest; ties go to it.
                if most > 1.0 - sum {
                    best.push(link(direction, at, j), most);
                }
            }
        }
        best.finish_sentence();
        if let Some(all) = &mut out.all {
            let floor = to_f32(POSTERIOR_FLOOR);
            for i in 0..sources {
                for j in 0..targets {
                    let p = links[i * targets + j];
                    if p >= floor {
                        let (given, emitted) = if direction == 0 { (i, j) } else { (j, i) };
                        all[direction].push(link(direction, given, emitted), p);
                    }
                }
            }
            all[direction].finish_sentence();
        }
    }
}

/// The links of all blocks, forward and reverse.
pub(super) fn assemble(
    blocks: Vec<BlockLinks>,
    wants_posteriors: bool,
) -> Result<[DirectionReadout; 2]> {
    let mut best: [Vec<Links>; 2] = Default::default();
    let mut all: [Vec<Links>; 2] = Default::default();
    for block in blocks {
        for (parts, builder) in best.iter_mut().zip(block.best) {
            parts.push(builder.finish());
        }
        for (parts, builder) in all.iter_mut().zip(block.all.into_iter().flatten()) {
            parts.push(builder.finish());
        }
    }
    let join = |parts: &[Links]| match parts {
        [] => Ok(LinksBuilder::new(true).finish()),
        parts => Links::concatenate(parts),
    };
    let read = |direction: usize| -> Result<DirectionReadout> {
        Ok(DirectionReadout {
            links: join(&best[direction])?,
            posteriors: if wants_posteriors {
                Some(join(&all[direction])?)
            } else {
                None
            },
        })
    };
    Ok([read(0)?, read(1)?])
}
