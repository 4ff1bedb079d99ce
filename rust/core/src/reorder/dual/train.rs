//! The loop: passes over the active set, and looks at all examples in between.
#![expect(
    clippy::inline_always,
    reason = "K is a constant where a kernel is called, which makes its loops straight code"
)]

use super::Options;
use super::active::{Active, stream};
use super::check::{Check, check};
use super::state::State;
use super::visit::{Rules, Scratch, Visit, visit};
use crate::cancel::CancelToken;
use crate::error::{Error, Result};
use crate::numeric::{to_f32, to_f64};
use crate::progress::Progress;
use crate::reorder::further::Further;
use crate::reorder::rows::Examples;
use crate::reorder::shuffle::Shuffled;
use crate::reorder::weights::Weights;

/// After so many passes the weights are computed anew from the dual variables.
const PASSES_BETWEEN_REFRESHES: u32 = 32;

/// What epsilon is, when examples come back, of the largest violation that there is.
const SHARPER: f64 = 0.1;

/// One pass over the active set.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pass {
    /// Examples in the active set before it.
    pub active: u64,
    /// By how much the dual objective fell.
    pub fall: f64,
    /// Examples for which no step was accepted.
    pub stuck: u64,
}

/// A trained model and how it came about.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The weights (10).
    pub weights: Weights,
    /// Logarithms of the dual variables: `log_alpha[example * K + class]`; nothing when they were not asked for.
    pub log_alpha: Vec<f64>,
    /// Every pass: the curve of the active set (Figure 1).
    pub passes: Vec<Pass>,
    /// Every look at all examples, the last one at the end.
    pub checks: Vec<Check>,
    /// Whether the gap is closed.
    pub has_converged: bool,
}

/// Trains on examples; with further features, if there are any, behind those of the rows.
///
/// # Errors
/// [`Error::Config`]: an option is out of range; [`Error::Examples`]: there is no example; [`Error::Memory`]; [`Error::Cancelled`].
///
/// # Complexity
/// Time of a pass: entries of active examples times K, plus K exponentials for each trial. Memory: a copy of the examples, 8 K + 4 bytes
/// an example (16 K + 4 at the end) and 8 K a feature.
pub fn train(
    examples: Examples<'_>,
    further: Option<Further<'_>>,
    options: &Options,
    cancel: &CancelToken,
    progress: &dyn Progress,
) -> Result<Outcome> {
    options.check()?;
    if examples.is_empty() {
        return Err(Error::Examples {
            example: 0,
            problem: "training needs examples".to_owned(),
            found: "none".to_owned(),
        });
    }
    progress.report("training", 0, u64::from(options.passes), &[]);
    let shuffled = Shuffled::new(examples, further, stream(options.seed, u32::MAX))?;
    let mut run = Run::new(shuffled.examples(), options, cancel)?;
    while run.goes_on() {
        run.pass()?;
        run.look()?;
        let done = run.passes.len() as u64;
        // Nobody knows before how many passes it takes; the last one is the end.
        let total = if run.goes_on() {
            u64::from(options.passes)
        } else {
            done
        };
        let share = to_f64(run.active.len() as u64) / to_f64(examples.len() as u64);
        let gap = run.checks.last().map_or(f64::NAN, Check::gap);
        let figures = [("active", share), ("gap", gap)];
        progress.report("training", done, total, &figures);
    }
    let k = examples.classes();
    let mut outcome = run.finish()?;
    outcome.log_alpha = if options.keeps_dual {
        shuffled.restored(&outcome.log_alpha, k)
    } else {
        Vec::new()
    };
    Ok(outcome)
}

struct Run<'a> {
    examples: Examples<'a>,
    options: &'a Options,
    cancel: &'a CancelToken,
    state: State,
    active: Active,
    epsilon: f64,
    passes: Vec<Pass>,
    checks: Vec<Check>,
    /// All examples are looked at after a pass that gains no more than this.
    next_look: f64,
    /// What the last look found of each example.
    violations: Vec<f32>,
    /// Whether the next pass is the first after examples have come back.
    has_just_unshrunk: bool,
    has_converged: bool,
    is_done: bool,
}

impl<'a> Run<'a> {
    fn new(examples: Examples<'a>, options: &'a Options, cancel: &'a CancelToken) -> Result<Self> {
        // `Examples` has no more than fit.
        let all = (0..u32::try_from(examples.len()).unwrap_or(u32::MAX)).collect();
        Ok(Self {
            examples,
            options,
            cancel,
            state: State::new(examples, options)?,
            active: Active::new(all),
            epsilon: options.epsilon,
            passes: Vec::new(),
            checks: Vec::new(),
            next_look: 0.0,
            violations: Vec::new(),
            has_just_unshrunk: false,
            has_converged: false,
            is_done: false,
        })
    }

    fn goes_on(&self) -> bool {
        !self.is_done && self.number() < self.options.passes
    }

    fn number(&self) -> u32 {
        u32::try_from(self.passes.len()).unwrap_or(u32::MAX)
    }

    fn pass(&mut self) -> Result<()> {
        match self.examples.classes() {
            2 => self.pass_for(2),
            3 => self.pass_for(3),
            4 => self.pass_for(4),
            k => self.pass_for(k),
        }
    }

    #[inline(always)]
    fn pass_for(&mut self, k: usize) -> Result<()> {
        let rules = Rules {
            method: self.options.method,
            epsilon: self.epsilon,
            shrink: self.options.shrink,
            trials: self.options.trials,
            sigma2: self.options.sigma2,
            bias: self.state.weights.bias(),
        };
        let stream = stream(self.options.seed, self.number());
        let mut record = Pass {
            active: self.active.len() as u64,
            fall: 0.0,
            stuck: 0,
        };
        let mut scratch = Scratch::new(k);
        let (examples, state, cancel) = (self.examples, &mut self.state, self.cancel);
        let (log_alpha, weights) = (&mut state.log_alpha, &mut state.weights.values);
        self.active.pass(
            stream,
            |i| {
                let variables = &mut log_alpha[i * k..i * k + k];
                let row = examples.rows.row(i);
                match visit(k, &rules, row, variables, weights, &mut scratch) {
                    Visit::Optimal => return false,
                    Visit::Moved(fall) => record.fall += fall,
                    Visit::Stuck => record.stuck += 1,
                }
                true
            },
            || cancel.check(),
        )?;
        self.passes.push(record);
        Ok(())
    }

    /// Looks at all examples when little is left to gain in the active set, and decides how to go on.
    fn look(&mut self) -> Result<()> {
        if self.number().is_multiple_of(PASSES_BETWEEN_REFRESHES) {
            self.state.refresh(self.examples);
        }
        let is_empty = self.active.is_empty();
        if !self.options.unshrink && self.options.shrink {
            self.is_done = is_empty;
            return Ok(());
        }
        let fall = self.passes.last().map_or(0.0, |pass| pass.fall);
        let scale = self.checks.last().map_or(0.0, |check| check.primal.abs());
        // All that is left is rounding, in the active set at least.
        let is_noise = fall <= f64::EPSILON * scale;
        // The first look comes early: it tells how far training is.
        let is_due = fall <= self.next_look || self.checks.is_empty() && self.passes.len() > 1;
        if !(is_empty || is_due || is_noise) {
            self.has_just_unshrunk = false;
            return Ok(());
        }
        let found = self.check()?;
        let gap = found.gap();
        // What a pass gains shrinks along with the gap.
        self.next_look = fall * (self.options.tolerance / gap).min(1.0);
        let has_left = found.violators > 2 * self.active.len() as u64;
        if gap <= self.options.tolerance {
            self.has_converged = true;
            self.is_done = true;
        } else if is_noise && (self.has_just_unshrunk || !self.options.shrink) {
            // Those with the largest violations gain no more.
            self.is_done = true;
        } else if self.options.shrink && (is_empty || is_noise || has_left) {
            self.unshrink(found.violation);
            return Ok(());
        }
        self.has_just_unshrunk = false;
        Ok(())
    }

    /// Brings examples back, those that violate (16) by more than a smaller epsilon. `worst` is the largest violation.
    fn unshrink(&mut self, worst: f64) {
        self.epsilon = worst.min(self.options.epsilon) * SHARPER;
        let least = to_f32(self.epsilon);
        let members = (0_u32..)
            .zip(&self.violations)
            .filter(|&(_, &violation)| violation > least)
            .map(|(i, _)| i)
            .collect();
        self.active = Active::new(members);
        self.is_done = self.active.is_empty();
        self.has_just_unshrunk = true;
    }

    fn check(&mut self) -> Result<Check> {
        let found = check(
            self.examples,
            &self.state,
            self.number(),
            self.options.epsilon,
            &mut self.violations,
            self.cancel,
        )?;
        self.checks.push(found);
        Ok(found)
    }

    /// The last look at all examples, with the epsilon that was asked for.
    fn finish(mut self) -> Result<Outcome> {
        let is_fresh = self
            .checks
            .last()
            .is_some_and(|check| check.pass == self.number());
        if !is_fresh {
            self.state.refresh(self.examples);
            let found = self.check()?;
            self.has_converged = found.gap() <= self.options.tolerance;
        }
        Ok(Outcome {
            weights: self.state.weights,
            log_alpha: self.state.log_alpha,
            passes: self.passes,
            checks: self.checks,
            has_converged: self.has_converged,
        })
    }
}
