//! Training of both directions side by side.

use super::em::MaximumLikelihood;
use super::emissions::{Block, Direction, Emissions};
use super::expectation::{self, Expectation, Update};
use super::gibbs::{self, Gibbs};
use super::initial::{self, Initial};
use super::lexicon::{Columns, Lexicon};
use super::placement::{JUMPS, Model, Placement};
use super::readout::{self, BlockReadout, DirectionReadout};
use super::samples::MAX_SAMPLES;
use super::strategy::Strategy;
use super::vb::VariationalBayes;
use crate::cancel::CancelToken;
use crate::error::{Error, Result};
use crate::numeric::{to_f64, to_u64};
use crate::parallel;
use crate::progress::Progress;
use crate::text::Bitext;

/// How many sweeps, and how a chain starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sampling {
    /// B: sweeps before the first sample.
    pub burn_in: u32,
    /// M: samples.
    pub samples: u32,
    /// L: sweeps from one sample to the next; B + M L sweeps in all.
    pub lag: u32,
    /// Where the chain starts.
    pub initial: Initial,
    /// Exact or several blocks side by side.
    pub sampler: Sampler,
}

/// Whether blocks of a sweep run side by side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sampler {
    /// One block a direction: every draw sees all other current links.
    Exact,
    /// So many blocks a direction; their totals are merged at the end of a sweep.
    Blocks(u32),
    /// Exact for small corpora, one block for about [`TOKENS_PER_BLOCK`] tokens in large ones.
    Auto,
}

/// Tokens for which [`Sampler::Auto`] opens one more block.
pub const TOKENS_PER_BLOCK: usize = 250_000;

/// Most blocks of [`Sampler::Auto`].
const MOST_BLOCKS: usize = 64;

/// Blocks of an E-step; their number has no influence on the result.
const EXPECTATION_BLOCKS: usize = 48;

/// Which inference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Inference {
    /// Expectation maximisation with so many iterations.
    Em(u32),
    /// Variational Bayes with so many iterations.
    Vb(u32),
    /// Collapsed Gibbs sampling.
    Gibbs(Sampling),
}

/// Everything that decides a result.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// Which model.
    pub model: Model,
    /// Which inference.
    pub inference: Inference,
    /// Iterations of Model 1 before Model 2 with EM or variational Bayes.
    pub warm_up: u32,
    /// Pseudo-count of every word pair.
    pub theta: f64,
    /// Pseudo-count of every relative distortion.
    pub phi: f64,
    /// Probability of NULL; without it 1 / (I + 1) in Model 1, 0.2 in Model 2.
    pub null_probability: Option<f64>,
    /// Seed of the random streams.
    pub seed: u64,
    /// Whether the objective of every iteration is computed.
    pub wants_objective: bool,
}

/// A trained direction.
#[derive(Debug, Clone, PartialEq)]
pub struct TrainedDirection {
    /// Links and posteriors of the training text.
    pub readout: DirectionReadout,
    /// Translation table.
    pub lexicon: Lexicon,
    /// After each iteration: the objective (EM: log-likelihood, VB: bound; natural logarithm) of the parameters it started from, or for Gibbs the share
    /// of tokens whose link changed.
    pub history: Vec<f64>,
}

/// Both directions, forward first.
#[derive(Debug, Clone, PartialEq)]
pub struct Trained {
    /// P(target | source).
    pub forward: TrainedDirection,
    /// P(source | target).
    pub reverse: TrainedDirection,
}

impl Options {
    fn check(&self) -> Result<()> {
        positive("theta", self.theta)?;
        positive("phi", self.phi)?;
        if let Some(p0) = self.null_probability
            && !(p0 > 0.0 && p0 < 1.0)
        {
            return Err(config("p0", "above 0 and below 1", p0));
        }
        match self.inference {
            Inference::Em(0) | Inference::Vb(0) => Err(config("iterations", "at least 1", 0)),
            Inference::Gibbs(sampling)
                if sampling.samples == 0 || sampling.samples > MAX_SAMPLES =>
            {
                Err(config("samples", "from 1 to 65535", sampling.samples))
            }
            Inference::Gibbs(sampling) if sampling.lag == 0 => Err(config("lag", "at least 1", 0)),
            Inference::Gibbs(sampling) if sampling.initial == Initial::Em(0) => {
                Err(config("initial", "at least one iteration of EM", 0))
            }
            _ => Ok(()),
        }
    }
}

fn positive(name: &'static str, value: f64) -> Result<()> {
    if value.is_finite() && value > 0.0 {
        Ok(())
    } else {
        Err(config(name, "a finite number above 0", value))
    }
}

fn config(name: &'static str, expected: &str, found: impl std::fmt::Display) -> Error {
    Error::Config {
        name,
        expected: expected.to_owned(),
        found: found.to_string(),
    }
}

/// Who runs, who may stop it, who hears of it.
pub struct Context<'a> {
    /// Most threads at a time.
    pub threads: usize,
    /// Request to stop.
    pub cancel: &'a CancelToken,
    /// Hears of every iteration.
    pub progress: &'a dyn Progress,
}

/// Trains both directions and reads out the links of the training text.
///
/// # Errors
/// [`Error::Config`] for an option out of range, [`Error::TooLarge`] for a corpus over the limits, [`Error::Cancelled`].
///
/// # Complexity
/// An iteration is O(sum of I J) time for each direction. Memory: 12 bytes an emitted token and direction, and for EM and variational Bayes 16 a co-occurring pair.
pub fn train(bitext: &Bitext, options: &Options, context: &Context<'_>) -> Result<Trained> {
    options.check()?;
    context.progress.report("indexing", 0, 1, &[]);
    let directions = parallel::map(
        context.threads,
        context.cancel,
        Direction::BOTH.to_vec(),
        |_, direction| Emissions::new(bitext, direction),
    )?;
    let sides: Vec<Side<'_>> = directions
        .iter()
        .map(|emissions| Side {
            emissions,
            blocks: emissions.blocks(EXPECTATION_BLOCKS),
        })
        .collect();
    let trained = match options.inference {
        Inference::Em(iterations) => {
            let runs = train_em(&sides, options, options.model, iterations, context)?;
            read_expectation(&sides, options, &runs, bitext.len(), context)?
        }
        Inference::Vb(iterations) => {
            let update = |emissions: &Emissions<'_>| VariationalBayes {
                theta: options.theta,
                phi: options.phi,
                emitted_types: to_f64(to_u64(emissions.emitted().vocabulary().len())),
            };
            let schedule = (options.model, iterations);
            let runs = train_expectation(&sides, options, schedule, "VB", update, context)?;
            read_expectation(&sides, options, &runs, bitext.len(), context)?
        }
        Inference::Gibbs(sampling) => {
            train_gibbs(&sides, options, sampling, bitext.len(), context)?
        }
    };
    let mut trained = trained.into_iter();
    match (trained.next(), trained.next()) {
        (Some(forward), Some(reverse)) => Ok(Trained { forward, reverse }),
        _ => Err(Error::Cancelled),
    }
}

/// One direction's tokens and how they are cut.
struct Side<'a> {
    emissions: &'a Emissions<'a>,
    blocks: Vec<Block>,
}

/// One direction in training.
struct Run<'a, S: Strategy> {
    emissions: &'a Emissions<'a>,
    blocks: &'a [Block],
    strategy: S,
    states: Vec<S::State>,
    parameters: Option<S::Parameters>,
    history: Vec<f64>,
}

/// One iteration of all runs: their blocks share the threads, their statistics are merged in the order of the blocks.
fn step<S: Strategy>(
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
        let statistics = strategy.accumulate(emissions, block, state, parameters)?;
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
        if let (Some(parameters), Some(sum)) = (run.parameters.take(), sum) {
            run.history
                .extend(figure(&run.strategy, &sum, run.emissions.len()));
            run.parameters = Some(run.strategy.estimate(parameters, sum)?);
        }
    }
    Ok(())
}

type ExpectationRun<'a, U> = Run<'a, Expectation<U>>;

fn train_em<'a>(
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

fn train_expectation<'a, U: Update>(
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
    let total = u64::from(warm_up + iterations);
    for iteration in 0..warm_up + iterations {
        if iteration == warm_up {
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
            .report(name, u64::from(iteration) + 1, total, &figures);
    }
    Ok(runs)
}

fn read_expectation<U: Update>(
    sides: &[Side<'_>],
    options: &Options,
    runs: &[ExpectationRun<'_, U>],
    sentences: usize,
    context: &Context<'_>,
) -> Result<Vec<TrainedDirection>> {
    let mut trained = Vec::new();
    for (side, run) in sides.iter().zip(runs) {
        let Some(parameters) = &run.parameters else {
            continue;
        };
        let readouts = parallel::map(
            context.threads,
            context.cancel,
            side.blocks.clone(),
            |_, block| run.strategy.read(side.emissions, &block, parameters),
        )?;
        let placement = run.strategy.placement(parameters);
        trained.push(finish(
            side,
            &readouts,
            options,
            placement,
            run.history.clone(),
            sentences,
        ));
    }
    Ok(trained)
}

fn finish(
    side: &Side<'_>,
    readouts: &[BlockReadout],
    options: &Options,
    placement: Placement<f64>,
    history: Vec<f64>,
    sentences: usize,
) -> TrainedDirection {
    TrainedDirection {
        readout: readout::assemble(side.emissions, &side.blocks, readouts, sentences),
        lexicon: readout::lexicon(
            side.emissions,
            &side.blocks,
            readouts,
            options.theta,
            placement,
        ),
        history,
    }
}

fn train_gibbs(
    sides: &[Side<'_>],
    options: &Options,
    sampling: Sampling,
    sentences: usize,
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
                gibbs::State::new(side.emissions, block, links[block.slots.clone()].to_vec())
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
    let mut trained = Vec::new();
    for (side, run) in sides.iter().zip(runs) {
        let readouts: Vec<BlockReadout> = run
            .states
            .iter()
            .map(|state| state.samples.read())
            .collect();
        let jumps = run.parameters.map_or([0; JUMPS], |p| p.jumps);
        let placement = sampled_placement(options, &jumps);
        trained.push(finish(
            side,
            &readouts,
            options,
            placement,
            run.history,
            sentences,
        ));
    }
    Ok(trained)
}

fn sweep(runs: &mut [Run<'_, Gibbs>], sampling: Sampling, context: &Context<'_>) -> Result<()> {
    let total = u64::from(sampling.burn_in) + u64::from(sampling.samples) * u64::from(sampling.lag);
    for number in 1..=total {
        let past_burn_in = number.checked_sub(u64::from(sampling.burn_in)).unwrap_or(0);
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
    expectation::placement(
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
                |_, block| Ok(run.strategy.read(side.emissions, &block, parameters)?.best),
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

impl Sampler {
    fn blocks(self, tokens: usize) -> usize {
        match self {
            Self::Exact => 1,
            Self::Blocks(count) => count.max(1) as usize,
            Self::Auto => (tokens / TOKENS_PER_BLOCK).clamp(1, MOST_BLOCKS),
        }
    }
}
