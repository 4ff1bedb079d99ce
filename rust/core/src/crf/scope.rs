//! Which labels sums run over, and what that may lose.

use super::dataset::Sequences;
use super::features::Features;
use super::label_sets::LabelSets;
use crate::error::{Error, Result};

/// Which labels sums run over.
#[derive(Debug, Clone, Copy)]
pub enum Scope<'s> {
    /// All of them.
    All,
    /// At each position some that hold nearly all of the probability. Of a sequence of T positions, log Z loses at most T times this number; where that cannot be
    /// shown, the sums run over all labels.
    Pruned(f64),
    /// The candidates of each position, and no others: another model.
    Candidates(&'s LabelSets),
    /// All labels, but weights of pairs of labels count between candidates only: a model that is nearer to that of all labels than one of candidates, and takes little longer.
    CandidatePairs(&'s LabelSets),
}

impl Scope<'_> {
    /// Refuses what cannot be summed over.
    ///
    /// # Errors
    /// [`Error::Config`] for what cannot be summed over.
    pub(super) fn check(&self, data: &Sequences, features: &Features) -> Result<()> {
        if matches!(self, Scope::All | Scope::Pruned(0.0)) {
            return Ok(());
        }
        if data.allowed().is_some() {
            return Err(Error::config(
                "allowed",
                "none with candidates or pruned labels",
                "positions without a label of their own",
            ));
        }
        if !features.triples().is_empty() {
            return Err(Error::config(
                "template",
                "none that begins with B and names cells, with candidates or pruned labels",
                "weights of an attribute and two labels",
            ));
        }
        match self {
            Scope::Pruned(beam) if !(beam.is_finite() && *beam >= 0.0) => Err(Error::config(
                "posterior_beam",
                "a finite number from 0",
                beam,
            )),
            Scope::Candidates(sets) | Scope::CandidatePairs(sets)
                if sets.positions() != data.positions() || sets.labels() != features.labels() =>
            {
                let expected = format!(
                    "lists of {} labels for {} positions",
                    features.labels(),
                    data.positions()
                );
                let found = format!("{} for {}", sets.labels(), sets.positions());
                Err(Error::config("candidates", &expected, found))
            }
            _ => Ok(()),
        }
    }
}

/// What sums over some labels may have lost, and what they ran over.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Pruned {
    /// The objective is too small by at most this.
    pub objective: f64,
    /// The sum of absolute errors of all derivatives is at most this.
    pub gradient: f64,
    /// Sequences whose sums ran over some labels.
    pub sequences: u64,
    /// Their positions.
    pub positions: u64,
    /// Their active labels.
    pub labels: u64,
}

impl Pruned {
    /// Both together.
    pub(super) fn add(&mut self, other: &Self) {
        self.objective += other.objective;
        self.gradient += other.gradient;
        self.sequences += other.sequences;
        self.positions += other.positions;
        self.labels += other.labels;
    }

    /// The one of two evaluations that may have lost more.
    #[must_use]
    pub(super) fn or_worse(self, other: Self) -> Self {
        if other.gradient >= self.gradient {
            other
        } else {
            self
        }
    }
}
