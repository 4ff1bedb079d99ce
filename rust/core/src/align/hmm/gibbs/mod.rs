//! Collapsed Gibbs sampling of the HMM (Östling and Tiedemann 2016 for the HMM with fertilities; Mermer, Saraçlar and Sarikaya 2013 for the sampler).

pub mod block;
pub mod counts;
pub mod fertility;
pub mod jumps;
pub mod options;
mod readout;
mod start;
pub mod sweep;
#[cfg(test)]
mod tests;

use super::cells;
use super::lexicon::Tables;
use super::options::Coupling;
use super::statistics::Statistics;
use super::train::{Own, Parameters, Training};
use crate::align::ibm::readout::DirectionReadout;
use crate::align::ibm::train::Context;
use crate::error::Result;
use crate::numeric::{to_f32, to_f64};
use crate::parallel;
use block::Block;
use counts::Counts;
use options::Sampling;
use sweep::Sweep;

/// What sampling leaves.
pub(super) struct Sampled {
    /// Links and posteriors, forward and reverse.
    pub(super) readouts: [DirectionReadout; 2],
    /// Share of the tokens whose link is a new one, for each sweep, forward and reverse.
    pub(super) histories: [Vec<f64>; 2],
    /// The lexicon of the expected links.
    pub(super) tables: Tables,
}

/// Samples the links of both directions, from those of training on.
pub(super) fn sample(
    training: &Training<'_>,
    sampling: &Sampling,
    blocks: &[cells::Block],
    own: Vec<Own>,
    parameters: &Parameters,
    context: &Context<'_>,
) -> Result<Sampled> {
    let (bitext, options) = (training.bitext, training.options);
    let tokens = bitext
        .source()
        .tokens()
        .len()
        .max(bitext.target().tokens().len());
    let total = sampling.sweeps().unwrap_or(u32::MAX);
    context
        .progress
        .report("sampling", 0, u64::from(total), &[]);
    let groups = start::groups(blocks.len(), sampling.sampler.blocks(tokens));
    let mut blocks = parallel::map(context.threads, context.cancel, groups, |_, group| {
        start::block(
            training,
            &blocks[group.clone()],
            &own[group],
            parameters,
            context.cancel,
        )
    })?;
    drop(own);
    let words = [
        bitext.source().vocabulary().len(),
        bitext.target().vocabulary().len(),
    ];
    let pairs = training.ladder.levels[0].targets.len();
    let mut counts = Counts::new(pairs, words, options.coupling);
    for block in &mut blocks {
        let mut mine = counts.gather(&block.numbering);
        block.count_all(&mut mine, options.coupling);
        mine.subtract(&counts, &block.numbering);
        counts.add(&mine, &block.numbering);
    }
    let sides = [1, 0].map(|side: usize| training.forms[side].total().max(1.0));
    let null_strengths = start::null_strengths(training);
    let mut histories = [Vec::new(), Vec::new()];
    for number in 0..total {
        let is_sample = number >= sampling.burn_in
            && (number - sampling.burn_in + 1).is_multiple_of(sampling.lag);
        let prior =
            |d: usize| jumps::Priors::new(&counts.directions[d], options.tau, options.smoothing);
        let fertilities = (sampling.fertility > 0.0).then(|| {
            [0, 1].map(|d: usize| {
                fertility::Prior::new(&counts.directions[d].all_fertilities(), sampling.fertility)
            })
        });
        let sweep = Sweep {
            sampling,
            coupling: options.coupling,
            null_probability: to_f32(options.null_probability),
            null_strengths: null_strengths.map(to_f32),
            jumps: [prior(0), prior(1)],
            fertilities,
            number: u64::from(number),
            is_sample,
        };
        let before = &counts;
        let parts = parallel::map(
            context.threads,
            context.cancel,
            blocks,
            |_, mut block: Block| {
                let mut mine = before.gather(&block.numbering);
                let moved = sweep.run(&mut block, &mut mine);
                mine.subtract(before, &block.numbering);
                Ok((block, mine, moved))
            },
        )?;
        blocks = Vec::with_capacity(parts.len());
        let mut moved = [0, 0];
        for (block, mine, more) in parts {
            counts.add(&mine, &block.numbering);
            moved = [moved[0] + more[0], moved[1] + more[1]];
            blocks.push(block);
        }
        for d in 0..2 {
            histories[d].push(to_f64(moved[d]) / sides[d]);
        }
        let last = |d: usize| histories[d][number as usize];
        let figures = [("forward", last(0)), ("reverse", last(1))];
        context.progress.report(
            "sampling",
            u64::from(number) + 1,
            u64::from(total),
            &figures,
        );
    }
    let agrees = options.coupling == Coupling::Agreement;
    let statistics = Statistics::new(pairs, words[0], words[1], agrees);
    let read = parallel::map(context.threads, context.cancel, blocks, |_, block| {
        readout::read(training, sampling, &block, &statistics, context.cancel)
    })?;
    let tables = Tables::estimate(
        &training.ladder,
        [&training.forms[0], &training.forms[1]],
        statistics.finish().0,
        &training.prior,
        &options.lexicon_strength(),
        context.threads,
        context.cancel,
    )?;
    Ok(Sampled {
        readouts: super::readout::assemble(read, options.wants_posteriors)?,
        histories,
        tables,
    })
}
