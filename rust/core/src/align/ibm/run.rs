//! The loop of training: iterations over the blocks of both directions.

use super::emissions::{Block, Emissions};
use super::strategy::Strategy;
use super::train::Context;
use crate::error::Result;
use crate::parallel;

/// One direction's tokens and how they are cut.
pub(super) struct Side<'a> {
    pub emissions: &'a Emissions<'a>,
    pub blocks: Vec<Block>,
}

/// One direction in training.
pub(super) struct Run<'a, S: Strategy> {
    pub emissions: &'a Emissions<'a>,
    pub blocks: &'a [Block],
    pub strategy: S,
    pub states: Vec<S::State>,
    pub parameters: Option<S::Parameters>,
    pub history: Vec<f64>,
}

/// One iteration of all runs: their blocks share the threads, their statistics are merged in the order of the blocks.
pub(super) fn step<S: Strategy>(
    runs: &mut [Run<'_, S>],
    context: &Context<'_>,
    mut figure: impl FnMut(&S, &S::Statistics, usize) -> Option<f64>,
) -> Result<()> {
    let mut items = Vec::new();
    for (number, run) in runs.iter_mut().enumerate() {
        let Some(parameters) = run.parameters.as_ref() else {
            continue;
        };
        for (block, state) in run.blocks.iter().zip(run.states.iter_mut()) {
            items.push((
                number,
                run.emissions,
                block,
                &run.strategy,
                state,
                parameters,
            ));
        }
    }
    // Both directions advance together: their blocks alternate.
    items.sort_by_key(|item| (item.2.index, item.0));
    let parts = parallel::map(context.threads, context.cancel, items, |_, item| {
        let (number, emissions, block, strategy, state, parameters) = item;
        let statistics =
            strategy.accumulate(emissions, block, state, parameters, context.cancel)?;
        Ok((number, statistics))
    })?;
    let mut sums: Vec<Option<S::Statistics>> = runs.iter().map(|_| None).collect();
    for (number, part) in parts {
        match &mut sums[number] {
            Some(sum) => runs[number].strategy.merge(sum, part)?,
            empty => *empty = Some(part),
        }
    }
    for (run, sum) in runs.iter_mut().zip(sums) {
        // A direction without any word has no block and no sum, and keeps its parameters.
        let Some(sum) = sum else { continue };
        run.history
            .extend(figure(&run.strategy, &sum, run.emissions.len()));
        if let Some(parameters) = run.parameters.take() {
            run.parameters = Some(run.strategy.estimate(parameters, sum)?);
        }
    }
    Ok(())
}
