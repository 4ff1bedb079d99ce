//! Training by EM or variational Bayes, and its read-out.

use super::em::MaximumLikelihood;
use super::emissions::Emissions;
use super::expectation::{Expectation, Update};
use super::lexicon::Columns;
use super::options::Options;
use super::placement::Model;
use super::readout;
use super::run::{Run, Side, step};
use super::train::{Context, TrainedDirection};
use crate::error::Result;
use crate::parallel;

pub(super) type ExpectationRun<'a, U> = Run<'a, Expectation<U>>;

pub(super) fn train_em<'a>(
    sides: &'a [Side<'a>],
    options: &Options,
    model: Model,
    iterations: u32,
    context: &Context<'_>,
) -> Result<Vec<ExpectationRun<'a, MaximumLikelihood>>> {
    train_expectation(
        sides,
        options,
        (model, iterations),
        "EM",
        |_| MaximumLikelihood,
        context,
    )
}

pub(super) fn train_expectation<'a, U: Update>(
    sides: &'a [Side<'a>],
    options: &Options,
    (model, iterations): (Model, u32),
    name: &str,
    update: impl Fn(&Emissions<'_>) -> U,
    context: &Context<'_>,
) -> Result<Vec<ExpectationRun<'a, U>>> {
    let mut runs = Vec::new();
    for side in sides {
        let emissions = side.emissions;
        let columns = parallel::map(
            context.threads,
            context.cancel,
            side.blocks.clone(),
            |_, block| Ok(Columns::new(emissions, &block)),
        )?;
        let strategy = Expectation {
            update: update(emissions),
            model: Model::One,
            // Model 1 prepares Model 2 with its own uniform NULL.
            null_probability: options.null_probability.filter(|_| model == Model::One),
            columns,
            emitted_types: emissions.emitted().vocabulary().len(),
            wants_objective: options.wants_objective,
        };
        runs.push(Run {
            emissions,
            blocks: &side.blocks,
            states: vec![(); side.blocks.len()],
            parameters: Some(strategy.uniform(emissions.null())),
            strategy,
            history: Vec::new(),
        });
    }
    let warm_up = if matches!(model, Model::Two(_)) {
        options.warm_up
    } else {
        0
    };
    let total = u64::from(warm_up) + u64::from(iterations);
    context.progress.report(name, 0, total, &[]);
    for iteration in 0..total {
        if iteration == u64::from(warm_up) {
            for run in &mut runs {
                run.strategy.model = model;
                run.strategy.null_probability = options.null_probability;
            }
        }
        step(&mut runs, context, |_, _, _| None)?;
        let mut sum = None;
        for run in &mut runs {
            if let Some(objective) = run.parameters.as_ref().and_then(|p| p.objective) {
                run.history.push(objective);
                sum = Some(sum.unwrap_or(0.0) + objective);
            }
        }
        let figures: Vec<(&str, f64)> = sum.iter().map(|&value| ("objective", value)).collect();
        context
            .progress
            .report(name, iteration + 1, total, &figures);
    }
    Ok(runs)
}

pub(super) fn read_expectation<U: Update>(
    sides: &[Side<'_>],
    options: &Options,
    runs: Vec<ExpectationRun<'_, U>>,
    sentences: usize,
    context: &Context<'_>,
) -> Result<Vec<TrainedDirection>> {
    context.progress.report("reading out", 0, 1, &[]);
    let mut trained = Vec::new();
    for (side, run) in sides.iter().zip(runs) {
        let Some(parameters) = &run.parameters else {
            continue;
        };
        let readouts = parallel::map(
            context.threads,
            context.cancel,
            side.blocks.clone(),
            |_, block| {
                let wants = options.wants_posteriors;
                run.strategy
                    .read(side.emissions, &block, parameters, wants, context.cancel)
            },
        )?;
        trained.push(TrainedDirection {
            readout: readout::assemble(
                side.emissions,
                &side.blocks,
                readouts,
                sentences,
                options.wants_posteriors,
                context.cancel,
            )?,
            lexicon: run.strategy.lexicon(parameters, options.theta),
            history: run.history,
        });
    }
    Ok(trained)
}
