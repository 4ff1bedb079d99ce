//! Training in phases: over candidates, over pruned labels, then over all labels, each from where the one before ended.
//!
//! The phases before the last one only choose where that begins. The last one is exact, unless the model itself is one of candidates.

use super::active_pass::{Pruned, Scope};
use super::dataset::Sequences;
use super::features::Features;
use super::label_sets::LabelSets;
use super::lbfgs::minimize;
use super::likelihood::Likelihood;
use super::phase_observer::PhaseObserver;
use super::snapshot::Snapshot;
use super::train::{Work, train, warmed};
use super::vectors::Vectors;
use super::{Algorithm, Minimum, Observer, Reason, Stopping, TrainOptions};
use crate::error::{Error, Result};
use crate::numeric::{to_f64, to_index, to_u64};
use std::cell::Cell;

/// What sums run over fewer labels than all.
#[derive(Debug, Clone, Copy, Default)]
pub struct Restriction<'a> {
    /// Candidates of each position. Without `warm_iterations` the model is one of candidates: probabilities are those among them.
    pub candidates: Option<&'a LabelSets>,
    /// Iterations over candidates before training over all labels; 0 to train over candidates to the end.
    pub warm_iterations: usize,
    /// Labels are pruned, until that converges, such that log Z of a sequence loses at most so much for each position; 0 for no such phase.
    pub beam: f64,
}

/// A phase that is done.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Phase {
    /// What its sums ran over.
    pub reach: Reach,
    /// Its iterations.
    pub iterations: usize,
    /// How often its objective was evaluated.
    pub evaluations: usize,
    /// Its objective at its end.
    pub objective: f64,
    /// The largest of what the evaluations of its last iteration may have lost; nothing over all labels and candidates.
    pub pruned: Pruned,
}

/// What sums of a phase run over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Candidates.
    Candidates,
    /// Labels that are not pruned.
    Pruned,
    /// All labels.
    All,
}

impl Reach {
    /// All of them.
    const EACH: [Self; 3] = [Self::Candidates, Self::Pruned, Self::All];

    /// One word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Candidates => "candidates",
            Self::Pruned => "pruned",
            Self::All => "all",
        }
    }

    /// What progress calls the phase.
    pub(super) const fn stage(self) -> &'static str {
        match self {
            Self::Candidates => "training over candidates",
            Self::Pruned => "training over pruned labels",
            Self::All => "training",
        }
    }
}

impl Restriction<'_> {
    fn is_none(&self) -> bool {
        self.candidates.is_none() && self.beam == 0.0
    }

    /// # Errors
    /// [`Error::Config`] for what makes no sense, or not with this algorithm or these sequences.
    fn check(&self, data: &Sequences, options: &TrainOptions) -> Result<()> {
        if !(self.beam.is_finite() && self.beam >= 0.0) {
            return Err(Error::config(
                "posterior_beam",
                "a finite number from 0",
                self.beam,
            ));
        }
        if self.candidates.is_none() && self.warm_iterations > 0 {
            return Err(Error::config(
                "warm_start_candidates",
                "0 without candidates",
                self.warm_iterations,
            ));
        }
        if self.is_none() {
            return Ok(());
        }
        let (name, value) = match self.candidates {
            Some(_) => ("candidates", "candidates".to_owned()),
            None => ("posterior_beam", self.beam.to_string()),
        };
        if options.algorithm != Algorithm::Lbfgs {
            let expected = "none with other algorithms than 'lbfgs'";
            return Err(Error::config(name, expected, value));
        }
        if data.allowed().is_some() {
            let expected = "none with positions without a label of their own";
            return Err(Error::config(name, expected, value));
        }
        if self.candidates.is_some() && self.warm_iterations == 0 && self.beam > 0.0 {
            let expected = "0 for a model of candidates, whose sums are short";
            return Err(Error::config("posterior_beam", expected, self.beam));
        }
        Ok(())
    }

    /// What the phases run over, in order.
    fn phases(&self) -> Vec<Reach> {
        let mut made = Vec::new();
        if self.candidates.is_some() {
            made.push(Reach::Candidates);
        }
        if self.beam > 0.0 {
            made.push(Reach::Pruned);
        }
        if self.candidates.is_none() || self.warm_iterations > 0 {
            made.push(Reach::All);
        }
        made
    }

    fn scope(&self, reach: Reach) -> Scope<'_> {
        match (reach, self.candidates) {
            (Reach::Candidates, Some(sets)) => Scope::Candidates(sets),
            (Reach::Pruned, _) => Scope::Pruned(self.beam),
            _ => Scope::All,
        }
    }
}

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

/// What a snapshot calls the phases that are done.
pub(super) const PHASES: &str = "phases";

/// Numbers of a phase.
const NUMBERS: usize = 9;

/// Phases as numbers.
fn numbers(phases: &[Phase]) -> Vec<f64> {
    let of = |phase: &Phase| {
        let reach = Reach::EACH.iter().position(|&reach| reach == phase.reach);
        let Pruned {
            objective,
            gradient,
            sequences,
            positions,
            labels,
        } = phase.pruned;
        [
            to_f64(to_u64(reach.unwrap_or_default())),
            to_f64(to_u64(phase.iterations)),
            to_f64(to_u64(phase.evaluations)),
            phase.objective,
            objective,
            gradient,
            to_f64(sequences),
            to_f64(positions),
            to_f64(labels),
        ]
    };
    phases.iter().flat_map(of).collect()
}

impl Phase {
    fn from_numbers(row: &[f64]) -> Option<Self> {
        let &[
            reach,
            iterations,
            evaluations,
            objective,
            lost,
            gradient,
            ..,
        ] = row
        else {
            return None;
        };
        let count = |at: usize| whole(*row.get(at)?);
        Some(Self {
            reach: *Reach::EACH.get(to_index(whole(reach)?))?,
            iterations: to_index(whole(iterations)?),
            evaluations: to_index(whole(evaluations)?),
            objective,
            pruned: Pruned {
                objective: lost,
                gradient,
                sequences: count(6)?,
                positions: count(7)?,
                labels: count(8)?,
            },
        })
    }
}

/// A count that was stored as a number.
fn whole(number: f64) -> Option<u64> {
    let is_count = (0.0..=9_007_199_254_740_992.0).contains(&number) && number.fract() == 0.0;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a whole number from 0 to 2^53"
    )]
    is_count.then_some(number as u64)
}
