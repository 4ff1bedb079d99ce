//! Training: the weights that minimise -log p + c2 |w|^2 + c1 |w|_1, found exactly or on the way through the data, or those of a perceptron.

use super::dataset::Sequences;
use super::descent::{Descent, Rule};
use super::epochs::{Learner, learn};
use super::features::Features;
use super::lbfgs::minimize;
use super::likelihood::Likelihood;
use super::observer::{Minimum, Observer, State};
use super::options::{Algorithm, TrainOptions};
use super::perceptron::Perceptron;
use super::pseudo_gradient::descent_norm;
use super::snapshot::Snapshot;
use super::vectors::Vectors;
use crate::cancel::CancelToken;
use crate::error::{Error, Result};
use crate::numeric::to_u64;
use crate::progress::Progress;

/// The three things of long work.
#[derive(Clone, Copy)]
pub struct Work<'a> {
    /// Threads of L-BFGS, and of the objective at the end.
    pub threads: usize,
    /// Whether to go on.
    pub cancel: &'a CancelToken,
    /// Who is told.
    pub progress: &'a dyn Progress,
}

/// Fits weights to labelled sequences, from `start` on, or from where a snapshot was taken with the same data and options. `counts` are those of [`Features::collect`].
///
/// # Errors
/// [`Error::Config`] for options out of range and values too large; [`Error::Cancelled`]; [`Error::Memory`]; [`Error::Model`] for the snapshot of another run; those of
/// the observer.
///
/// # Complexity
/// L-BFGS: an evaluation of the likelihood ([`Likelihood::evaluate`]) for each iteration and a few more; memory is 2 m + 7 vectors of weights with m remembered pairs
/// and one for each thread. The others: a pass costs about as much as an evaluation on one thread, a perceptron's as much as labelling; memory is 5 vectors.
#[expect(
    clippy::too_many_arguments,
    reason = "what is fitted, how, from where, and who watches"
)]
pub fn train(
    data: &Sequences,
    features: &Features,
    counts: &[f64],
    start: Vec<f64>,
    options: &TrainOptions,
    resume: Option<&Snapshot>,
    work: Work<'_>,
    observer: &mut dyn Observer,
) -> Result<Minimum> {
    options.check()?;
    if data.allowed().is_some() && options.algorithm != Algorithm::Lbfgs {
        return Err(Error::config(
            "algorithm",
            "'lbfgs' for positions without a label of their own",
            format!("'{}'", options.algorithm.name()),
        ));
    }
    let is_exact = options.algorithm == Algorithm::Lbfgs && options.warm_passes == 0;
    if !(features.triples().is_empty() || is_exact) {
        return Err(Error::config(
            "algorithm",
            "'lbfgs' without warm passes for templates B with cells, whose weights are for pairs of labels",
            format!(
                "'{}', {} warm passes",
                options.algorithm.name(),
                options.warm_passes
            ),
        ));
    }
    let total = to_u64(options.stopping.max_iterations);
    work.progress.report("training", 0, total, &[]);
    let objective = Objective {
        likelihood: Likelihood::new(data, features, counts)?,
        vectors: Vectors::new(work.threads),
        l2: options.l2,
        work,
    };
    let mut observer = Reporting {
        inner: observer,
        options,
        work,
    };
    let learned = match options.algorithm {
        Algorithm::Lbfgs => {
            let start = match resume {
                None => warmed(data, features, start, options, work)?,
                Some(_) => start,
            };
            return minimize(
                start,
                options.l1,
                &options.stopping,
                resume,
                objective.vectors.clone(),
                |weights, gradient| objective.evaluate(weights, gradient),
                &mut observer,
            );
        }
        Algorithm::Perceptron => {
            let mut learner = Perceptron::new(data, features, &start, options.seed, work.cancel)?;
            return learn(&mut learner, &options.stopping, resume, &mut observer);
        }
        Algorithm::Sgd | Algorithm::AdaGrad => {
            let rule = if options.algorithm == Algorithm::Sgd {
                Rule::Sgd
            } else {
                Rule::AdaGrad
            };
            let is_resumed = resume.is_some();
            let mut learner = Descent::new(
                data,
                features,
                &start,
                rule,
                options,
                is_resumed,
                work.cancel,
            )?;
            learn(&mut learner, &options.stopping, resume, &mut observer)?
        }
    };
    // What was seen in passing is not the objective of the weights at the end.
    let mut gradient = vec![0.0; features.len()];
    let smooth = objective.evaluate(&learned.weights, &mut gradient)?;
    let absolute: f64 = learned.weights.iter().map(|weight| weight.abs()).sum();
    Ok(Minimum {
        objective: Some(smooth + options.l1 * absolute),
        gradient_norm: Some(descent_norm(&learned.weights, &gradient, options.l1)),
        ..learned
    })
}

/// Weights after some passes of descent.
pub(super) fn warmed(
    data: &Sequences,
    features: &Features,
    start: Vec<f64>,
    options: &TrainOptions,
    work: Work<'_>,
) -> Result<Vec<f64>> {
    if options.warm_passes == 0 || data.allowed().is_some() {
        return Ok(start);
    }
    let rule = if options.l1 > 0.0 || options.l2 == 0.0 {
        Rule::AdaGrad
    } else {
        Rule::Sgd
    };
    let mut learner = Descent::new(data, features, &start, rule, options, false, work.cancel)?;
    for pass in 1..=options.warm_passes {
        let total = to_u64(options.warm_passes);
        work.progress
            .report("first passes", to_u64(pass - 1), total, &[]);
        learner.pass(pass)?;
    }
    Ok(learner.weights())
}

/// The smooth part of the objective.
struct Objective<'a> {
    likelihood: Likelihood<'a>,
    vectors: Vectors,
    l2: f64,
    work: Work<'a>,
}

impl Objective<'_> {
    fn evaluate(&self, weights: &[f64], gradient: &mut [f64]) -> Result<f64> {
        let Work {
            threads, cancel, ..
        } = self.work;
        let value = self
            .likelihood
            .evaluate(weights, gradient, threads, cancel)?;
        if self.l2 == 0.0 {
            return Ok(value);
        }
        let squares = self
            .vectors
            .add_and_square(2.0 * self.l2, weights, gradient);
        Ok(value + self.l2 * squares)
    }
}

/// Tells progress, and then the observer.
struct Reporting<'a> {
    inner: &'a mut dyn Observer,
    options: &'a TrainOptions,
    work: Work<'a>,
}

impl Observer for Reporting<'_> {
    fn see(&mut self, state: &State<'_>) -> Result<bool> {
        let value = match self.options.algorithm {
            Algorithm::Perceptron => "mistakes",
            _ => "objective",
        };
        let mut figures = vec![(value, state.objective)];
        figures.extend(state.gradient_norm.map(|norm| ("gradient", norm)));
        let goes_on = self.inner.see(state)?;
        figures.extend(self.inner.score().map(|score| ("dev", score)));
        self.work.progress.report(
            "training",
            to_u64(state.iteration),
            to_u64(self.options.stopping.max_iterations),
            &figures,
        );
        Ok(goes_on)
    }

    fn stop(&mut self, state: &State<'_>) -> Result<()> {
        self.inner.stop(state)
    }

    fn hears_stop(&self) -> bool {
        self.inner.hears_stop()
    }

    fn is_over(&self, iteration: usize) -> bool {
        self.inner.is_over(iteration)
    }
}

#[cfg(test)]
mod tests;
