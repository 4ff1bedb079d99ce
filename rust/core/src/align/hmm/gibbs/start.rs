//! Where sampling starts: the candidates and best links of the trained HMM.

use super::block::{Block, Lane, NULL, Sentence};
use crate::align::hmm::expect::{BETWEEN_LOOKS_TAKING_OUT, Buffers, State, Step};
use crate::align::hmm::kept::Cell;
use crate::align::hmm::sentence::{Inference, Workspace};
use crate::align::hmm::train::{Parameters, Training};
use crate::cancel::{CancelToken, STRIDE};
use crate::error::Result;
use crate::ids::WordId;
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

/// The block of these runs of sentence pairs; `step` is the iteration that would come next.
pub(super) fn block(training: &Training<'_>, runs: &[State], step: &Step<'_>) -> Result<Block> {
    let mut block = Block {
        range: match runs {
            [] => 0..0,
            [first, .., last] => first.looked.sentences.start..last.looked.sentences.end,
            [only] => only.looked.sentences.clone(),
        },
        ..Block::default()
    };
    for lane in &mut block.lanes {
        lane.starts.push(0);
    }
    let mut buffers = Buffers::default();
    let jumps = &step.parameters.jumps;
    let inference = Inference {
        jumps: [jumps[0].tables(), jumps[1].tables()],
        p0: training.options.null_probability,
        beam: training.options.beam,
        cancel: step.cancel,
    };
    for State { looked, own } in runs {
        let (mut start, mut turn, mut earlier) = (0, 0, &own[..]);
        for n in looked.sentences.clone().filter(|&n| training.used[n]) {
            step.cancel.check()?;
            let sides = [
                training.bitext.source().sentence(n),
                training.bitext.target().sentence(n),
            ];
            let lengths = [sides[0].len(), sides[1].len()];
            let end = looked.write(turn, start, lengths, &mut buffers.emissions.cells);
            let mine = earlier.partition_point(|entry| (entry.0 as usize) < end);
            let own = (&earlier[..mine], start);
            training.emit(sides, own, step, &mut buffers)?;
            let parameters = (step.parameters, &inference);
            add_sentence(training, sides, own, parameters, &mut buffers, &mut block)?;
            block.sentences.push(Sentence {
                number: n,
                starts: [block.words[0].len(), block.words[1].len()],
                lengths,
            });
            for (words, side) in block.words.iter_mut().zip(sides) {
                words.extend(side.iter().map(|word| word.as_u32()));
            }
            (earlier, start, turn) = (&earlier[mine..], end, turn + 1);
        }
    }
    for (lane, words) in block.lanes.iter_mut().zip(&block.words) {
        lane.masses = vec![0.0; lane.positions.len()];
        lane.fertilities = vec![0; words.len()];
    }
    add_prior(training, &mut block);
    number(&mut block, step.cancel)?;
    fill_priors(training, step.parameters, &mut block);
    Ok(block)
}

/// Adds the candidates of a sentence pair, with their posteriors as the iteration would have them, and what the shorter forms say of them.
fn add_sentence(
    training: &Training<'_>,
    sides: [&[WordId]; 2],
    (own, start): (&[(u32, f32)], usize),
    (parameters, inference): (&Parameters, &Inference<'_>),
    buffers: &mut Buffers,
    block: &mut Block,
) -> Result<()> {
    let Buffers {
        emissions,
        posteriors,
        spaces,
        words,
    } = buffers;
    let options = training.options;
    emissions.hmm([&words[0], &words[1]], inference, spaces, posteriors)?;
    let mut own_of_cell = vec![0.0_f32; emissions.cells.len()];
    for &(cell, own) in own {
        own_of_cell[cell as usize - start] = own * to_f32(options.leave_out);
    }
    let forms = [&training.forms[0], &training.forms[1]];
    let tables = &parameters.tables;
    for (direction, space) in spaces.iter().enumerate() {
        let lane = &mut block.lanes[direction];
        add_tokens(lane, space, &emissions.cells);
        for cells in space.cells.chunks(BETWEEN_LOOKS_TAKING_OUT) {
            inference.cancel.check()?;
            for &at in cells {
                let (cell, own) = (emissions.cells[at as usize], own_of_cell[at as usize]);
                let pair = cell.words(sides);
                let counts = tables.pseudo_counts(&training.ladder, forms, pair, own);
                lane.bases.push(counts[direction]);
            }
        }
    }
    Ok(())
}

/// Adds the emitted tokens of a sentence with their candidates, and the best one of each as its link.
fn add_tokens(lane: &mut Lane, space: &Workspace, cells: &[Cell]) {
    let first = lane.positions.len();
    lane.positions
        .extend_from_slice(&space.candidates.positions);
    lane.before.extend_from_slice(&space.lattice.posteriors);
    lane.pairs
        .extend(space.cells.iter().map(|&at| cells[at as usize].pair));
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
fn number(block: &mut Block, cancel: &CancelToken) -> Result<()> {
    let compact = |lists: &mut [&mut Vec<u32>]| -> Result<Vec<u32>> {
        let mut all: Vec<u32> = lists.iter().flat_map(|list| list.iter().copied()).collect();
        all.sort_unstable();
        all.dedup();
        for ids in lists.iter_mut().flat_map(|list| list.chunks_mut(STRIDE)) {
            cancel.check()?;
            for id in ids {
                // All are in the list, which is no longer than 2^32.
                *id = u32::try_from(all.partition_point(|known| known < id)).unwrap_or(NULL);
            }
        }
        Ok(all)
    };
    let [forward, reverse] = &mut block.lanes;
    block.numbering.pairs = compact(&mut [&mut forward.pairs, &mut reverse.pairs])?;
    let [sources, targets] = &mut block.words;
    block.numbering.words = [compact(&mut [sources])?, compact(&mut [targets])?];
    Ok(())
}

/// Pseudo-counts of the words of a block.
fn fill_priors(training: &Training<'_>, parameters: &Parameters, block: &mut Block) {
    let null_strengths = null_strengths(training);
    for direction in 0..2 {
        let words = &block.numbering.words;
        let relative = training.forms[1 - direction].relative_frequencies();
        let tables = &parameters.tables;
        let mut added: FxHashMap<u32, f32> = FxHashMap::default();
        if let Some(prior) = training.prior.levels.first() {
            added.extend(prior.totals[direction].iter().copied());
        }
        let strength =
            |e: &u32| tables.strength(direction, *e) + added.get(e).copied().unwrap_or(0.0);
        let lane = &mut block.lanes[direction];
        lane.strengths = words[direction].iter().map(strength).collect();
        lane.null_bases = words[1 - direction]
            .iter()
            .map(|&f| to_f32(null_strengths[direction] * relative[f as usize]))
            .collect();
    }
}
