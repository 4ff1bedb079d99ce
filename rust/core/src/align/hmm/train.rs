//! Training of both directions: Model 1, then the HMM.

use super::cells::{Block, Cells, used};
use super::expect::{Pool, State, Step};
use super::forms::{Forms, frequencies};
use super::gibbs;
use super::jumps::{ClassJumps, Jumps};
use super::kept::{Looked, forget_pairs};
use super::lexicon::{Ladder, MOST_LEVELS, Tables};
use super::model::Model;
use super::options::{Beam, Coupling, Options};
use super::prior::{Additions, Prior};
use super::readout::assemble;
use super::statistics::{Rest, Statistics};
use crate::align::ibm::readout::DirectionReadout;
use crate::align::ibm::train::Context;
use crate::error::{Error, Result};
use crate::numeric::{from_fixed, to_f32, to_f64, to_u64};
use crate::parallel;
use crate::text::Bitext;

/// Cells are dropped from this iteration on, counted from 0: before, the lexicon says too little.
const FIRST_THINNED: u32 = 2;

/// What training leaves.
#[derive(Debug, Clone, PartialEq)]
pub struct Trained {
    /// Links and posteriors of the training text, forward and reverse.
    pub readouts: [DirectionReadout; 2],
    /// ln P(F | E) and ln P(E | F) of the parameters that each iteration started from, nats; for the HMM with the last jump. With sampling, the share of
    /// tokens whose link each sweep changed.
    pub histories: [Vec<f64>; 2],
    /// Lexicon, jumps and NULL.
    pub model: Model,
    /// Usable sentence pairs that are too long for the HMM, and those that no alignment can explain.
    pub left_out: [u64; 2],
}

/// What one iteration estimates and the next one uses.
pub(super) struct Parameters {
    pub(super) tables: Tables,
    /// t(f | NULL) and t(e | NULL).
    pub(super) nulls: [Vec<f32>; 2],
    pub(super) jumps: [Jumps; 2],
}

/// What all iterations share.
pub(super) struct Training<'a> {
    pub(super) bitext: &'a Bitext,
    pub(super) options: &'a Options,
    pub(super) used: Vec<bool>,
    /// Tokens of each word.
    frequencies: [Vec<u64>; 2],
    pub(super) forms: [Forms; 2],
    pub(super) ladder: Ladder,
    pub(super) prior: Additions,
    /// Model 1's first posteriors depend on these alone.
    pub(super) initial_nulls: [Vec<f32>; 2],
}

/// Trains both directions and reads out the links of the training text; `classes` has the class of each source and target word, [`u16::MAX`] for none, and
/// the counts of `prior` are added to the expected links from the first estimate on.
///
/// # Errors
/// [`Error::Config`] for an option out of range, [`Error::TooLarge`], [`Error::Cancelled`].
///
/// # Complexity
/// O(sum of I J) time an iteration, for Model 1 and the HMM. Memory: 4 bytes a cell, 20 a pair of words that
/// occur together, 12 a pair of shorter forms, 8 for each likely link of a token.
pub fn train(
    bitext: &Bitext,
    classes: [Option<Vec<u16>>; 2],
    prior: Option<&Prior>,
    options: &Options,
    context: &Context<'_>,
) -> Result<Trained> {
    options.check()?;
    if options.prefixes.len() >= MOST_LEVELS {
        return Err(Error::Config {
            name: "prefixes",
            expected: format!("fewer than {MOST_LEVELS}"),
            found: options.prefixes.len().to_string(),
        });
    }
    if options.sampling.is_some() && classes.iter().any(Option::is_some) {
        return Err(Error::Config {
            name: "classes",
            expected: "none for the sampler".to_owned(),
            found: "classes of words".to_owned(),
        });
    }
    context.progress.report("counting word pairs", 0, 1, &[]);
    let (mut training, blocks) = Training::new(bitext, prior, options, context)?;
    context.progress.report("counting word pairs", 1, 1, &[]);
    let mut parameters = training.start(classes);
    let mut states: Vec<State> = blocks.into_iter().map(State::new).collect();
    let mut histories = [Vec::new(), Vec::new()];
    let total = options.warm_up + options.iterations;
    let mut readouts = None;
    let mut links = Vec::new();
    let pool = Pool::default();
    let mut impossible = 0;
    for iteration in 0..total {
        let done = u64::from(iteration);
        let report = |done, figures: &[(&'static str, f64)]| {
            context
                .progress
                .report("aligning", done, u64::from(total), figures);
        };
        report(done, &[]);
        let statistics = training.statistics(std::mem::take(&mut links));
        let step = Step {
            iteration,
            is_hmm: iteration >= options.warm_up,
            beam: training.beam(iteration),
            is_last: iteration + 1 == total,
            least: training.least(iteration),
            parameters: &parameters,
            statistics: &statistics,
            pool: &pool,
            cancel: context.cancel,
        };
        let parts = parallel::map(context.threads, context.cancel, states, |_, state| {
            training.expect(state, &step)
        })?;
        states = Vec::with_capacity(parts.len());
        let mut read = Vec::new();
        let mut sums = [0.0; 2];
        for part in parts {
            states.push(part.state);
            read.push(part.links);
            for (sum, ln) in sums.iter_mut().zip(part.ln_likelihoods) {
                *sum += ln;
            }
        }
        for (history, sum) in histories.iter_mut().zip(sums) {
            history.push(sum);
        }
        let (is_hmm, is_last, thinned) = (step.is_hmm, step.is_last, step.least.is_some());
        let rest;
        (links, rest) = statistics.finish();
        impossible = rest.impossible.into_iter().max().unwrap_or(0);
        if is_last {
            pool.clear();
            if options.sampling.is_none() {
                states = Vec::new();
            }
            readouts = Some(assemble(read, options.wants_posteriors)?);
        } else if thinned {
            training.forget_pairs(&mut states, &mut links, context)?;
        }
        parameters = training.estimate(parameters, &links, &rest, is_hmm, context)?;
        report(done + 1, &[("forward", sums[0]), ("reverse", sums[1])]);
    }
    if let Some(sampling) = &options.sampling {
        let sampled = gibbs::sample(&training, sampling, states, &parameters, context)?;
        readouts = Some(sampled.readouts);
        histories = sampled.histories;
        parameters.tables = sampled.tables;
    }
    drop(links);
    let usable = bitext.usable().iter().filter(|&&usable| usable).count();
    let too_long = usable - training.used.iter().filter(|&&used| used).count();
    Ok(Trained {
        readouts: readouts.unwrap_or_default(),
        histories,
        model: training.model(parameters),
        left_out: [to_u64(too_long), impossible],
    })
}

impl<'a> Training<'a> {
    /// Numbers all pairs of words and of their forms.
    fn new(
        bitext: &'a Bitext,
        prior: Option<&Prior>,
        options: &'a Options,
        context: &Context<'_>,
    ) -> Result<(Self, Vec<Block>)> {
        let used = used(bitext);
        let Cells { pairs, blocks } = Cells::new(bitext, &used, context.threads, context.cancel)?;
        let sides = [bitext.source(), bitext.target()];
        let counts = sides.map(|side| frequencies(side, &used));
        let form =
            |side: usize| Forms::new(sides[side].vocabulary(), &counts[side], &options.prefixes);
        let forms = [form(0)?, form(1)?];
        let ladder = Ladder::new(pairs, [&forms[0], &forms[1]], context.cancel)?;
        let prior = match prior {
            Some(prior) => {
                prior.check()?;
                prior.additions(bitext, [&forms[0], &forms[1]], &options.prefixes, &ladder)?
            }
            None => Additions::default(),
        };
        // NULL starts from relative frequencies where these have a share in its lexicon, else uniform.
        let relative = |side: usize| -> Vec<f32> {
            let frequencies = forms[side].relative_frequencies();
            let uniform = 1.0 / to_f64(to_u64(forms[side].types().max(1)));
            let is_relative = options.null_mixture > 0.0;
            let start = |p: f64| to_f32(if is_relative { p } else { uniform });
            frequencies.into_iter().map(start).collect()
        };
        let training = Self {
            bitext,
            options,
            initial_nulls: [relative(1), relative(0)],
            used,
            frequencies: counts,
            forms,
            ladder,
            prior,
        };
        Ok((training, blocks))
    }

    /// Where training starts.
    fn start(&self, [source_classes, target_classes]: [Option<Vec<u16>>; 2]) -> Parameters {
        let Options {
            initial_decay: decay,
            tau,
            class_tau,
            smoothing,
            ..
        } = *self.options;
        let jumps = |classes: Option<Vec<u16>>| {
            let classes = classes.map(|of_word| ClassJumps::new(of_word, class_tau));
            if decay > 0.0 {
                Jumps::peaked(decay, tau, smoothing, classes)
            } else {
                Jumps::uniform(tau, smoothing, classes)
            }
        };
        Parameters {
            tables: Tables::uniform(self.forms[0].types(), self.forms[1].types()),
            nulls: self.initial_nulls.clone(),
            jumps: [jumps(source_classes), jumps(target_classes)],
        }
    }

    /// Nothing counted yet; `old` counts of links leave their memory.
    pub(super) fn statistics(&self, old: Vec<Vec<u64>>) -> Statistics {
        let pairs = self.ladder.levels[0].targets.len();
        let words = [self.frequencies[0].len(), self.frequencies[1].len()];
        Statistics::new(pairs, words, self.options.coupling, old)
    }

    /// What forward-backward leaves out in an iteration.
    fn beam(&self, iteration: u32) -> Beam {
        // The paper's model, with directions for themselves, is left alone; so is an only iteration, which is read out.
        let is_wide = self.options.coupling == Coupling::Agreement && self.options.iterations > 1;
        if is_wide && iteration == self.options.warm_up {
            self.options.beam.widened()
        } else {
            self.options.beam
        }
    }

    /// What share of the best translation probability a cell must have to be kept in an iteration; None where all are.
    fn least(&self, iteration: u32) -> Option<f32> {
        let beam = self.options.beam.emission;
        let is_late = iteration >= FIRST_THINNED.min(self.options.warm_up + 1);
        (is_late && beam > 0.0).then_some(beam)
    }

    /// Forgets what no cell needs any more.
    fn forget_pairs(
        &mut self,
        states: &mut [State],
        links: &mut [Vec<u64>],
        context: &Context<'_>,
    ) -> Result<()> {
        let mut looked: Vec<&mut Looked> = states.iter_mut().map(|s| &mut s.looked).collect();
        let how = (context.threads, context.cancel);
        forget_pairs(&mut looked, &mut self.ladder, &mut self.prior, links, how)
    }

    fn model(&self, parameters: Parameters) -> Model {
        let Parameters {
            tables,
            nulls,
            jumps,
        } = parameters;
        let rung = &self.ladder.levels[0];
        let frequencies = self.frequencies.clone();
        let pairs = (&rung.sources[..], &rung.targets[..]);
        Model::new(
            self.options,
            frequencies,
            pairs,
            tables.links(),
            nulls,
            jumps,
        )
        .with_pairs(&self.prior.apart)
    }

    /// The M-step.
    fn estimate(
        &self,
        before: Parameters,
        links: &[Vec<u64>],
        rest: &Rest,
        is_hmm: bool,
        context: &Context<'_>,
    ) -> Result<Parameters> {
        let strength = self.options.lexicon_strength();
        let forms = [&self.forms[0], &self.forms[1]];
        let tables = Tables::estimate(
            &self.ladder,
            forms,
            links,
            &self.prior,
            &strength,
            before.tables,
            (context.threads, context.cancel),
        )?;
        let mixture = self.options.null_mixture;
        let null = |direction: usize| -> Vec<f32> {
            let counts = &rest.nulls[direction];
            let total = from_fixed(counts.iter().sum());
            let relative = self.initial_nulls[direction].iter().map(|&p| f64::from(p));
            counts
                .iter()
                .zip(relative)
                .map(|(&n, p)| {
                    let own = if total > 0.0 {
                        from_fixed(n) / total
                    } else {
                        0.0
                    };
                    to_f32((1.0 - mixture) * own + mixture * p)
                })
                .collect()
        };
        let nulls = [null(0), null(1)];
        let [forward, reverse] = before.jumps;
        let jumps = if is_hmm {
            [
                forward.estimate(&rest.jumps[0]),
                reverse.estimate(&rest.jumps[1]),
            ]
        } else {
            [forward, reverse]
        };
        Ok(Parameters {
            tables,
            nulls,
            jumps,
        })
    }
}
