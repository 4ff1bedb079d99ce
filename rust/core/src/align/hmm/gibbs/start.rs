//! Where sampling starts: the candidates and best links of the trained HMM.

use super::block::{Block, Lane, NULL, Sentence};
use crate::align::hmm::cells;
use crate::align::hmm::jumps::JumpTables;
use crate::align::hmm::sentence::Workspace;
use crate::align::hmm::train::{Buffers, Own, Parameters, Training};
use crate::cancel::CancelToken;
use crate::error::Result;
use crate::numeric::to_f32;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// Consecutive blocks of cells in at most so many groups of about the same size.
pub(super) fn groups(blocks: usize, most: usize) -> Vec<Range<usize>> {
    let most = most.clamp(1, blocks.max(1));
    (0..most)
        .map(|n| n * blocks / most..(n + 1) * blocks / most)
        .collect()
}

/// Pseudo-counts of the lexicon of NULL, forward and reverse: relative frequencies have their share (`null_mixture`) when NULL has p0 of all tokens.
pub(super) fn null_strengths(training: &Training<'_>) -> [f64; 2] {
    let options = training.options;
    // Neither share may be nothing: counts and prior both need mass.
    let mixture = options.null_mixture.clamp(1e-6, 1.0 - 1e-6);
    [1, 0].map(|side: usize| {
        mixture / (1.0 - mixture) * options.null_probability * training.forms[side].total().max(1.0)
    })
}

/// The block of these runs of sentence pairs.
pub(super) fn block(
    training: &Training<'_>,
    runs: &[cells::Block],
    own: &[Own],
    parameters: &Parameters,
    cancel: &CancelToken,
) -> Result<Block> {
    let mut block = Block::default();
    block.range = match runs {
        [] => 0..0,
        [first, .., last] => first.sentences.start..last.sentences.end,
        [only] => only.sentences.clone(),
    };
    for lane in &mut block.lanes {
        lane.starts.push(0);
    }
    let mut buffers = Buffers::default();
    let mut own_of_cell = Vec::new();
    let jumps = [parameters.jumps[0].tables(), parameters.jumps[1].tables()];
    for (run, own) in runs.iter().zip(own) {
        let (mut start, mut entries) = (0, &own.entries[..]);
        for n in run.sentences.clone() {
            cancel.check()?;
            if !training.used[n] {
                continue;
            }
            let sides = [
                training.bitext.source().sentence(n),
                training.bitext.target().sentence(n),
            ];
            let size = sides[0].len() * sides[1].len();
            let cells = &run.cells[start..start + size];
            let mine = entries.partition_point(|entry| (entry.0 as usize) < start + size);
            emit(
                training,
                n,
                cells,
                (&entries[..mine], start),
                (parameters, &jumps),
                &mut buffers,
            );
            own_of_cell.clear();
            own_of_cell.resize(size, 0.0_f32);
            for &(cell, own) in &entries[..mine] {
                own_of_cell[cell as usize - start] = own * to_f32(training.options.leave_out);
            }
            for direction in 0..2 {
                let lane = &mut block.lanes[direction];
                add_tokens(lane, &buffers.spaces[direction], cells);
                let forms = [&training.forms[0], &training.forms[1]];
                for &cell in &buffers.spaces[direction].cells {
                    let (pair, own) = (cells[cell as usize] as usize, own_of_cell[cell as usize]);
                    let masses =
                        parameters
                            .tables
                            .pseudo_counts(&training.ladder, forms, pair, own);
                    lane.bases.push(masses[direction]);
                }
            }
            block.sentences.push(Sentence {
                number: n,
                starts: [block.words[0].len(), block.words[1].len()],
                lengths: [sides[0].len(), sides[1].len()],
            });
            for side in 0..2 {
                block.words[side].extend(sides[side].iter().map(|word| word.as_u32()));
            }
            start += size;
            entries = &entries[mine..];
        }
    }
    for direction in 0..2 {
        let lane = &mut block.lanes[direction];
        lane.masses = vec![0.0; lane.positions.len()];
        lane.fertilities = vec![0; block.words[direction].len()];
    }
    add_prior(training, &mut block);
    number(&mut block);
    fill_priors(training, parameters, &mut block);
    Ok(block)
}

/// Posteriors of a sentence pair, as the last iteration of training would have them.
fn emit(
    training: &Training<'_>,
    n: usize,
    cells: &[u32],
    own: (&[(u32, f32)], usize),
    (parameters, jumps): (&Parameters, &[JumpTables<'_>; 2]),
    buffers: &mut Buffers,
) {
    let options = training.options;
    let after = options.warm_up + options.iterations;
    training.emit(n, cells, own, after, parameters, buffers);
    let Buffers {
        emissions,
        posteriors,
        spaces,
        words,
        ..
    } = buffers;
    emissions.hmm(
        [&words[0], &words[1]],
        [&jumps[0], &jumps[1]],
        options.null_probability,
        options.beam,
        spaces,
        posteriors,
    );
}

/// Adds the emitted tokens of a sentence with their candidates, and the best one of each as its link.
fn add_tokens(lane: &mut Lane, space: &Workspace, cells: &[u32]) {
    let first = lane.positions.len();
    lane.positions
        .extend_from_slice(&space.candidates.positions);
    lane.before.extend_from_slice(&space.lattice.posteriors);
    lane.pairs
        .extend(space.cells.iter().map(|&cell| cells[cell as usize]));
    for span in space.candidates.starts.windows(2) {
        let span = first + span[0]..first + span[1];
        lane.starts.push(span.end);
        let posteriors = &lane.before[span.clone()];
        let null = 1.0 - posteriors.iter().sum::<f32>();
        let mut best = (null, NULL);
        for (&p, c) in posteriors.iter().zip(span) {
            if p > best.0 {
                best = (p, u32::try_from(c).unwrap_or(NULL));
            }
        }
        lane.chosen.push(best.1);
        let position = lane.positions.get(best.1 as usize);
        lane.links.push(position.copied().unwrap_or(0));
    }
}

/// Adds what a prior from elsewhere counts for the candidates' pairs; they still have the numbers of the corpus.
fn add_prior(training: &Training<'_>, block: &mut Block) {
    let Some(added) = training.prior.levels.first() else {
        return;
    };
    let counts: FxHashMap<u32, f32> = added.pairs.iter().copied().collect();
    for lane in &mut block.lanes {
        for (base, pair) in lane.bases.iter_mut().zip(&lane.pairs) {
            *base += counts.get(pair).copied().unwrap_or(0.0);
        }
    }
}

/// Numbers pairs and words anew.
fn number(block: &mut Block) {
    let compact = |lists: &mut [&mut Vec<u32>]| -> Vec<u32> {
        let mut all: Vec<u32> = lists.iter().flat_map(|list| list.iter().copied()).collect();
        all.sort_unstable();
        all.dedup();
        for id in lists.iter_mut().flat_map(|list| list.iter_mut()) {
            // All are in the list, which is no longer than 2^32.
            *id = u32::try_from(all.partition_point(|known| known < id)).unwrap_or(NULL);
        }
        all
    };
    let [forward, reverse] = &mut block.lanes;
    block.numbering.pairs = compact(&mut [&mut forward.pairs, &mut reverse.pairs]);
    let [sources, targets] = &mut block.words;
    block.numbering.words = [compact(&mut [sources]), compact(&mut [targets])];
}

/// Pseudo-counts of the words of a block.
fn fill_priors(training: &Training<'_>, parameters: &Parameters, block: &mut Block) {
    let null_strengths = null_strengths(training);
    for direction in 0..2 {
        let words = &block.numbering.words;
        let relative = training.forms[1 - direction].relative_frequencies();
        let mut known = parameters.tables.strengths()[direction].clone();
        for added in training.prior.levels.iter().take(1) {
            for &(e, count) in &added.totals[direction] {
                known[e as usize] += count;
            }
        }
        let lane = &mut block.lanes[direction];
        lane.strengths = words[direction]
            .iter()
            .map(|&e| known[e as usize])
            .collect();
        lane.null_bases = words[1 - direction]
            .iter()
            .map(|&f| to_f32(null_strengths[direction] * relative[f as usize]))
            .collect();
    }
}
