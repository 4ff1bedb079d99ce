//! A run of the Gibbs sampler from its first links to its lexicon (Mermer et al. 2013, Table I).

use super::gibbs::{self, Gibbs};
use super::initial::{self, Initial};
use super::maximize::train_em;
use super::options::{Options, Sampling};
use super::placement::{JUMPS, Model, Placement};
use super::readout::{self, BlockReadout};
use super::rows::Rows;
use super::run::{Run, Side, step};
use super::token;
use super::train::{Context, TrainedDirection};
use crate::error::Result;
use crate::numeric::{to_f64, to_u64};
use crate::parallel;

/// Samples the links of both directions and reads them out.
pub(super) fn train_gibbs(
    sides: &[Side<'_>],
    options: &Options,
    sampling: Sampling,
    usable: &[bool],
    context: &Context<'_>,
) -> Result<Vec<TrainedDirection>> {
    let first = first_links(sides, options, sampling.initial, context)?;
    let sides: Vec<Side<'_>> = sides
        .iter()
        .map(|side| Side {
            emissions: side.emissions,
            blocks: side
                .emissions
                .blocks(sampling.sampler.blocks(side.emissions.len())),
        })
        .collect();
    let mut runs = Vec::new();
    for (side, links) in sides.iter().zip(first) {
        let strategy = Gibbs {
            rows: Rows::new(side.emissions, usable, context.cancel)?,
            model: options.model,
            null_probability: options.null_probability,
            theta: options.theta,
            phi: options.phi,
            seed: options.seed,
            chain: 0,
        };
        let states: Vec<gibbs::State> = side
            .blocks
            .iter()
            .map(|block| {
                gibbs::State::new(
                    side.emissions,
                    &strategy.rows,
                    block,
                    links[block.slots.clone()].to_vec(),
                )
            })
            .collect();
        runs.push(Run {
            emissions: side.emissions,
            blocks: &side.blocks,
            parameters: Some(strategy.count(side.emissions, &side.blocks, &states)),
            strategy,
            states,
            history: Vec::new(),
        });
    }
    sweep(&mut runs, sampling, context)?;
    context.progress.report("reading out", 0, 1, &[]);
    let mut trained = Vec::new();
    for (side, run) in sides.iter().zip(runs) {
        let Run {
            strategy,
            states,
            parameters,
            history,
            ..
        } = run;
        // The rows are as large as the text; nobody needs them any more.
        drop(strategy);
        let jumps = parameters.map_or([0; JUMPS], |p| p.jumps);
        let placement = sampled_placement(options, &jumps);
        let states = parallel::map(context.threads, context.cancel, states, |_, state| {
            Ok(state.samples.read())
        });
        let readouts: Vec<BlockReadout> = states?;
        let (emissions, blocks) = (side.emissions, &side.blocks);
        let lexicon = readout::lexicon(emissions, blocks, &readouts, options.theta, placement);
        let wants = options.wants_posteriors;
        let readout = readout::assemble(
            emissions,
            blocks,
            readouts,
            usable.len(),
            wants,
            context.cancel,
        )?;
        trained.push(TrainedDirection {
            readout,
            lexicon,
            history,
        });
    }
    Ok(trained)
}

fn sweep(runs: &mut [Run<'_, Gibbs>], sampling: Sampling, context: &Context<'_>) -> Result<()> {
    let total = u64::from(sampling.burn_in) + u64::from(sampling.samples) * u64::from(sampling.lag);
    context.progress.report("Gibbs", 0, total, &[]);
    for number in 1..=total {
        let past_burn_in = number.saturating_sub(u64::from(sampling.burn_in));
        let is_sample = past_burn_in > 0 && past_burn_in % u64::from(sampling.lag) == 0;
        for run in &mut *runs {
            if let Some(parameters) = &mut run.parameters {
                parameters.is_sample = is_sample;
            }
        }
        let mut moved = 0.0_f64;
        step(runs, context, |_, statistics, tokens| {
            let share = to_f64(statistics.moved) / to_f64(to_u64(tokens.max(1)));
            moved += share / 2.0;
            Some(share)
        })?;
        context
            .progress
            .report("Gibbs", number, total, &[("moved", moved)]);
    }
    Ok(())
}

/// The distortion factors that sampled counts stand for (posterior mean).
fn sampled_placement(options: &Options, jumps: &[u64; JUMPS]) -> Placement<f64> {
    let counts = jumps.map(|count| to_f64(count) + options.phi);
    let total: f64 = counts.iter().sum();
    token::placement(
        options.model,
        options.null_probability,
        &counts.map(|count| count / total),
    )
}

/// The first links of every slot of each direction.
fn first_links(
    sides: &[Side<'_>],
    options: &Options,
    initial: Initial,
    context: &Context<'_>,
) -> Result<Vec<Vec<u16>>> {
    if let Initial::Em(iterations) = initial {
        let runs = train_em(sides, options, Model::One, iterations, context)?;
        let mut first = Vec::new();
        for (side, run) in sides.iter().zip(&runs) {
            let Some(parameters) = &run.parameters else {
                continue;
            };
            let blocks = parallel::map(
                context.threads,
                context.cancel,
                side.blocks.clone(),
                |_, block| {
                    Ok(run
                        .strategy
                        .read(side.emissions, &block, parameters, false, context.cancel)?
                        .best)
                },
            )?;
            first.push(blocks.concat());
        }
        return Ok(first);
    }
    let mut first = Vec::new();
    for side in sides {
        let blocks = parallel::map(
            context.threads,
            context.cancel,
            side.blocks.clone(),
            |_, block| {
                Ok(match initial {
                    Initial::CoOccurrence => initial::co_occurrence(side.emissions, &block),
                    _ => initial::uniform(side.emissions, &block, options.seed, 0),
                })
            },
        )?;
        first.push(blocks.concat());
    }
    Ok(first)
}
