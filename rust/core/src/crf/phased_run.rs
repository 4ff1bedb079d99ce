//! A training in phases as a run: what each begins with, how long it may be, where it stood in a snapshot.

use super::dataset::Sequences;
use super::features::Features;
use super::lbfgs::minimize;
use super::likelihood::Likelihood;
use super::phase_observer::PhaseObserver;
use super::phases::{NUMBERS, PHASES, Phase, Reach, Restriction, numbers};
use super::scope::{Pruned, Scope};
use super::snapshot::Snapshot;
use super::train::{Work, train, warmed};
use super::vectors::Vectors;
use super::{Minimum, Observer, Reason, Stopping, TrainOptions};
use crate::error::{Error, Result};
use crate::numeric::to_u64;
use std::cell::Cell;

/// Fits weights as [`train`] does, in phases; what comes back is the minimum of the last one, and all phases.
///
/// Phases over pruned labels and over all labels share the most iterations; iterations over candidates before them do not count.
///
/// # Errors
/// Those of [`train`]; [`Error::Config`] for a restriction that makes no sense.
///
/// # Complexity
/// An iteration costs about as much as [`Likelihood::evaluate_over`] says. Each phase begins without memory of the one before.
#[expect(
    clippy::too_many_arguments,
    reason = "what is fitted, how, from where, and who watches"
)]
pub fn train_in_phases(
    data: &Sequences,
    features: &Features,
    counts: &[f64],
    start: Vec<f64>,
    options: &TrainOptions,
    restriction: &Restriction<'_>,
    resume: Option<&Snapshot>,
    work: Work<'_>,
    observer: &mut dyn Observer,
) -> Result<(Minimum, Vec<Phase>)> {
    restriction.check(data, options)?;
    if restriction.is_none() {
        let found = train(
            data, features, counts, start, options, resume, work, observer,
        )?;
        return Ok((found, Vec::new()));
    }
    options.check()?;
    let likelihood = Likelihood::new(data, features, counts)?;
    let mut run = PhasedRun {
        vectors: Vectors::new(work.threads),
        likelihood,
        options,
        restriction,
        work,
        done: Vec::new(),
    };
    let start = match resume {
        None => warmed(data, features, start, options, work)?,
        Some(snapshot) => {
            run.restore(snapshot)?;
            start
        }
    };
    let found = run.all(start, resume, observer)?;
    Ok((found, run.done))
}

struct PhasedRun<'a> {
    likelihood: Likelihood<'a>,
    vectors: Vectors,
    options: &'a TrainOptions,
    restriction: &'a Restriction<'a>,
    work: Work<'a>,
    /// Phases that are done.
    done: Vec<Phase>,
}

impl PhasedRun<'_> {
    fn all(
        &mut self,
        mut weights: Vec<f64>,
        mut resume: Option<&Snapshot>,
        observer: &mut dyn Observer,
    ) -> Result<Minimum> {
        let phases = self.restriction.phases();
        let mut is_over = false;
        loop {
            let reach = phases[self.done.len()];
            let is_last = self.done.len() + 1 == phases.len();
            let (mut found, pruned) =
                self.one(reach, weights, is_over, resume.take(), &mut *observer)?;
            self.done.push(Phase {
                reach,
                iterations: found.history.len() - 1,
                evaluations: found.evaluations,
                objective: found.objective.unwrap_or(f64::NAN),
                pruned,
            });
            is_over |= found.reason == Reason::Caller;
            if is_last {
                if is_over {
                    found.reason = Reason::Caller;
                }
                return Ok(found);
            }
            weights = found.weights;
        }
    }

    fn one(
        &self,
        reach: Reach,
        start: Vec<f64>,
        is_over: bool,
        resume: Option<&Snapshot>,
        observer: &mut dyn Observer,
    ) -> Result<(Minimum, Pruned)> {
        let most = if is_over { 0 } else { self.most(reach) };
        let total = self.options.stopping.max_iterations + self.restriction.warm_iterations;
        let earlier = self.done.iter().map(|phase| phase.iterations).sum();
        self.work
            .progress
            .report(reach.stage(), to_u64(earlier), to_u64(total), &[]);
        // The largest of what the evaluations of an iteration may have lost.
        let lost = Cell::new(Pruned::default());
        let mut observer = PhaseObserver {
            inner: observer,
            stage: reach.stage(),
            earlier,
            total,
            done: numbers(&self.done),
            lost: (reach == Reach::Pruned).then_some(&lost),
            last: Pruned::default(),
            progress: self.work.progress,
        };
        let scope = self.restriction.scope(reach);
        let found = minimize(
            start,
            self.options.l1,
            &Stopping {
                max_iterations: most,
                ..self.options.stopping
            },
            resume,
            self.vectors.clone(),
            |weights, gradient| {
                let (value, pruned) = self.evaluate(&scope, weights, gradient)?;
                lost.set(lost.get().or_worse(pruned));
                Ok(value)
            },
            &mut observer,
        )?;
        Ok((found, observer.last))
    }

    /// The most iterations of a phase.
    fn most(&self, reach: Reach) -> usize {
        let used: usize = self
            .done
            .iter()
            .filter(|phase| phase.reach != Reach::Candidates)
            .map(|phase| phase.iterations)
            .sum();
        match (reach, self.restriction.warm_iterations) {
            (Reach::Candidates, 1..) => self.restriction.warm_iterations,
            _ => self.options.stopping.max_iterations.saturating_sub(used),
        }
    }

    fn evaluate(
        &self,
        scope: &Scope<'_>,
        weights: &[f64],
        gradient: &mut [f64],
    ) -> Result<(f64, Pruned)> {
        let Work {
            threads, cancel, ..
        } = self.work;
        let (value, pruned) = self
            .likelihood
            .evaluate_over(scope, weights, gradient, threads, cancel)?;
        let l2 = self.options.l2;
        if l2 == 0.0 {
            return Ok((value, pruned));
        }
        let squares = self.vectors.add_and_square(2.0 * l2, weights, gradient);
        Ok((value + l2 * squares, pruned))
    }

    /// Phases that were done when a snapshot was taken.
    fn restore(&mut self, from: &Snapshot) -> Result<()> {
        let wrong = || Error::Model {
            part: "the checkpoint",
            problem: "has no phases of this training".to_owned(),
        };
        let rows = from.vector(PHASES)?.chunks(NUMBERS);
        let phases = self.restriction.phases();
        for (row, &reach) in rows.zip(&phases) {
            let phase = Phase::from_numbers(row).filter(|phase| phase.reach == reach);
            self.done.push(phase.ok_or_else(wrong)?);
        }
        if self.done.len() < phases.len() {
            Ok(())
        } else {
            Err(wrong())
        }
    }
}
