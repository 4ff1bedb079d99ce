//! Links and posteriors of a sentence pair, and of all blocks.

use super::kept::Cell;
use super::sentence::{Emissions, Posteriors, Workspace};
use crate::align::ibm::readout::{DirectionReadout, POSTERIOR_FLOOR};
use crate::align::{Link, Links, LinksBuilder};
use crate::cancel::{CancelToken, STRIDE};
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

impl Cell {
    fn link(self) -> Link {
        Link {
            source: u32::from(self.source),
            target: u32::from(self.target),
        }
    }
}

/// Adds the links of a sentence pair: those of the most probable chain where there are `lattices`, which still have its candidates and jumps, else each word's best.
pub(super) fn read_sentence(
    emissions: &Emissions,
    posteriors: &Posteriors,
    mut lattices: Option<&mut [Workspace; 2]>,
    cancel: &CancelToken,
    out: &mut BlockLinks,
) -> Result<()> {
    for direction in 0..2 {
        let links = &posteriors.links[direction];
        let best = &mut out.best[direction];
        if let Some(spaces) = &mut lattices {
            let Workspace {
                cells,
                candidates,
                transitions,
                lattice,
                ..
            } = &mut spaces[direction];
            lattice.viterbi(candidates, transitions, cancel)?;
            for candidate in lattice.best.iter().flatten() {
                let at = cells[*candidate as usize] as usize;
                best.push(emissions.cells[at].link(), links[at]);
            }
            let [forward, reverse] = &mut **spaces;
            forward.lattice.swap_states(&mut reverse.lattice);
        } else {
            for token in best_cells(emissions, links, direction) {
                // NULL has the rest; ties go to it.
                if token.most > 1.0 - token.sum {
                    best.push(emissions.cells[token.at].link(), token.most);
                }
            }
        }
        best.finish_sentence();
        if let Some(all) = &mut out.all {
            let floor = to_f32(POSTERIOR_FLOOR);
            for (cells, links) in emissions.cells.chunks(STRIDE).zip(links.chunks(STRIDE)) {
                cancel.check()?;
                for (cell, &p) in cells.iter().zip(links) {
                    if p >= floor {
                        all[direction].push(cell.link(), p);
                    }
                }
            }
            all[direction].finish_sentence();
        }
    }
    Ok(())
}

/// The posteriors of the real links of an emitted token: their sum, the largest one, and its cell.
#[derive(Clone, Copy, Default)]
struct Token {
    sum: f32,
    most: f32,
    at: usize,
}

fn best_cells(emissions: &Emissions, links: &[f32], direction: usize) -> Vec<Token> {
    let mut tokens = vec![Token::default(); emissions.lengths[1 - direction]];
    for (at, (cell, &p)) in emissions.cells.iter().zip(links).enumerate() {
        let emitted = [cell.target, cell.source][direction];
        let token = &mut tokens[usize::from(emitted)];
        token.sum += p;
        if p > token.most {
            (token.most, token.at) = (p, at);
        }
    }
    tokens
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
