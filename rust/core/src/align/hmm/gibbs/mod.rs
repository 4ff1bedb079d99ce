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

use super::expect::{Pool, State, Step};
use super::lexicon::Tables;
use super::statistics::Statistics;
use super::train::{Parameters, Training};
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

/// Samples the links of both directions, from those of training on; `states` are the blocks after its last iteration.
pub(super) fn sample(
    training: &Training<'_>,
    sampling: &Sampling,
    states: Vec<State>,
    parameters: &Parameters,
    context: &Context<'_>,
) -> Result<Sampled> {
    let (bitext, options) = (training.bitext, training.options);
    let words = [bitext.source(), bitext.target()].map(|side| side.vocabulary().len());
    let tokens = [1, 0].map(|side: usize| training.forms[side].total().max(1.0));
    let pairs = training.ladder.levels[0].targets.len();
    let total = sampling.sweeps().unwrap_or(u32::MAX);
    let report = |done: u32, figures: &[(&'static str, f64)]| {
        let (done, total) = (u64::from(done), u64::from(total));
        context.progress.report("sampling", done, total, figures);
    };
    report(0, &[]);
    let statistics = training.statistics(Vec::new());
    let mut blocks = start_blocks(
        training,
        sampling,
        &states,
        parameters,
        &statistics,
        context,
    )?;
    drop(states);
    let mut counts = Counts::new(pairs, words, options.coupling);
    for block in &mut blocks {
        let mut mine = counts.gather(&block.numbering);
        block.count_all(&mut mine, options.coupling);
        mine.subtract(&counts, &block.numbering);
        counts.add(&mine, &block.numbering);
    }
    let null_strengths = start::null_strengths(training).map(to_f32);
    let mut histories = [Vec::new(), Vec::new()];
    for number in 0..total {
        let sweep = Sweep::new(training, sampling, &counts, null_strengths, number);
        let before = &counts;
        let parts = parallel::map(context.threads, context.cancel, blocks, |_, block| {
            let mut block: Block = block;
            let mut mine = before.gather(&block.numbering);
            let moved = sweep.run(&mut block, &mut mine, context.cancel)?;
            mine.subtract(before, &block.numbering);
            Ok((block, mine, moved))
        })?;
        blocks = Vec::with_capacity(parts.len());
        let mut shares = [0.0, 0.0];
        for (block, mine, moved) in parts {
            counts.add(&mine, &block.numbering);
            for d in 0..2 {
                shares[d] += to_f64(moved[d]) / tokens[d];
            }
            blocks.push(block);
        }
        for (history, share) in histories.iter_mut().zip(shares) {
            history.push(share);
        }
        report(
            number + 1,
            &[("forward", shares[0]), ("reverse", shares[1])],
        );
    }
    let read = parallel::map(context.threads, context.cancel, blocks, |_, block| {
        readout::read(training, sampling, &block, &statistics, context.cancel)
    })?;
    let tables = Tables::estimate(
        &training.ladder,
        [&training.forms[0], &training.forms[1]],
        &statistics.finish().0,
        &training.prior,
        &options.lexicon_strength(),
        Tables::default(),
        (context.threads, context.cancel),
    )?;
    Ok(Sampled {
        readouts: super::readout::assemble(read, options.wants_posteriors)?,
        histories,
        tables,
    })
}

/// The blocks of the sampler with their first links.
fn start_blocks(
    training: &Training<'_>,
    sampling: &Sampling,
    states: &[State],
    parameters: &Parameters,
    statistics: &Statistics,
    context: &Context<'_>,
) -> Result<Vec<Block>> {
    let options = training.options;
    let step = Step {
        iteration: options.warm_up + options.iterations,
        beam: options.beam,
        is_hmm: true,
        is_last: false,
        least: None,
        parameters,
        statistics,
        pool: &Pool::default(),
        cancel: context.cancel,
    };
    let (source, target) = (training.bitext.source(), training.bitext.target());
    let tokens = source.tokens().len().max(target.tokens().len());
    let groups = start::groups(states.len(), sampling.sampler.blocks(tokens));
    parallel::map(context.threads, context.cancel, groups, |_, group| {
        start::block(training, &states[group], &step)
    })
}
