//! Training in phases: over candidates, over pruned labels, then over all labels, each from where the one before ended.
//!
//! The phases before the last one only choose where that begins. The last one is exact, unless the model itself is one of candidates.

use super::dataset::Sequences;
use super::label_sets::LabelSets;
use super::scope::{Pruned, Scope};
use super::{Algorithm, TrainOptions};
use crate::error::{Error, Result};
use crate::numeric::{to_f64, to_index, to_u64};

/// What sums run over fewer labels than all.
#[derive(Debug, Clone, Copy, Default)]
pub struct Restriction<'a> {
    /// Candidates of each position. Without `warm_iterations` the model is one of candidates: probabilities are those among them.
    pub candidates: Option<&'a LabelSets>,
    /// Iterations in which weights of pairs of labels count between candidates only, before training over all labels; 0 to train over candidates to the end.
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
    pub(super) fn is_none(&self) -> bool {
        self.candidates.is_none() && self.beam == 0.0
    }

    /// # Errors
    /// [`Error::Config`] for what makes no sense, or not with this algorithm or these sequences.
    pub(super) fn check(&self, data: &Sequences, options: &TrainOptions) -> Result<()> {
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
    pub(super) fn phases(&self) -> Vec<Reach> {
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

    pub(super) fn scope(&self, reach: Reach) -> Scope<'_> {
        match (reach, self.candidates) {
            (Reach::Candidates, Some(sets)) if self.warm_iterations > 0 => {
                Scope::CandidatePairs(sets)
            }
            (Reach::Candidates, Some(sets)) => Scope::Candidates(sets),
            (Reach::Pruned, _) => Scope::Pruned(self.beam),
            _ => Scope::All,
        }
    }
}

/// What a snapshot calls the phases that are done.
pub(super) const PHASES: &str = "phases";

/// Numbers of a phase.
pub(super) const NUMBERS: usize = 9;

/// Phases as numbers.
pub(super) fn numbers(phases: &[Phase]) -> Vec<f64> {
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
    pub(super) fn from_numbers(row: &[f64]) -> Option<Self> {
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
