//! The negative log-likelihood of labelled sequences and its gradient, on many threads.
//!
//! Expected counts are summed as whole numbers in units of a power of two: such sums do not depend on their order, so each thread has one vector of sums, takes
//! whatever block comes next, and the result has the same bits for any number of threads.

mod by_text;

use super::dataset::Sequences;
use super::features::Features;
use super::groups::Groups;
use super::pair_factors::{PairFactors, PairNumbers};
use super::pair_scores::TextScores;
use super::rows::Rows;
use super::scope::{Pruned, Scope};
use super::transitions::Transitions;
use super::units::{real, unit_scale};
use super::worker::{Scratch, Worker};
use crate::cancel::CancelToken;
use crate::error::{Error, Result};
use crate::numeric::id_index;
use crate::parallel;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock};

/// Pairs that one thread takes at a time when counts are put together.
const PIECE: usize = 1 << 15;

/// -log p of labelled sequences as a function of the weights, each times the weight of its sequence.
///
/// Where sequences have allowed labels ([`Sequences::allowed`]), p is the probability of all labellings that are allowed, log Z of these less log Z of all: not convex in
/// general.
#[derive(Debug)]
pub struct Likelihood<'a> {
    pub(super) data: &'a Sequences,
    pub(super) features: &'a Features,
    /// What the training sequences have of each pair; not used where there are allowed labels.
    counts: &'a [f64],
    pub(super) groups: Groups,
    pub(super) rows: Rows,
    /// Units of expected counts in 1: a power of 2.
    pub(super) scale: f64,
    pub(super) workers: Mutex<Vec<Worker>>,
    evaluations: AtomicU64,
    /// Numbers of pairs of labels, made when an evaluation is first restricted to some labels.
    numbers: OnceLock<PairNumbers>,
}

/// One vector of weights, laid out.
pub(super) struct At<'a> {
    pub weights: &'a [f64],
    pub table: Vec<f64>,
    pub transitions: Transitions,
    pub evaluation: u64,
    /// What a chain over some labels multiplies; only where there are such.
    pub factors: Option<PairFactors<'a>>,
    /// Scores of pairs of labels by the text; only where there are weights of triples.
    pub text: Option<TextScores<'a>>,
}

impl<'a> Likelihood<'a> {
    /// The function for sequences whose pairs were counted by [`Features::collect`].
    ///
    /// # Errors
    /// [`Error::Config`] when values are too large to be added up, an attribute is not among those of the pairs, or there are not as many counts or allowed labels as there must
    /// be; [`Error::Memory`].
    pub fn new(data: &'a Sequences, features: &'a Features, counts: &'a [f64]) -> Result<Self> {
        if counts.len() != features.len() {
            let expected = format!("one for each of the {} pairs", features.len());
            return Err(Error::config("counts", &expected, counts.len()));
        }
        if let Some(claims) = data.allowed() {
            // Claims were made for as many labels as the pairs have.
            let count = data.positions() * features.labels();
            if claims.len() != count {
                let expected = format!("{count} claims, for each position and label");
                return Err(Error::config("allowed", &expected, claims.len()));
            }
        }
        if data.attribute_bound() > features.attributes() {
            let expected = format!("ids below {}", features.attributes());
            let found = data.attribute_bound() - 1;
            return Err(Error::config("attributes", &expected, found));
        }
        Ok(Self {
            data,
            features,
            counts,
            groups: Groups::new(data, features.labels()),
            rows: Rows::new(data, features)?,
            scale: unit_scale(data, features.attributes())?,
            workers: Mutex::new(Vec::new()),
            evaluations: AtomicU64::new(0),
            numbers: OnceLock::new(),
        })
    }

    /// -log p of all sequences at these weights; its gradient is written to `gradient`.
    ///
    /// # Errors
    /// [`Error::Cancelled`]; [`Error::Memory`].
    ///
    /// # Complexity
    /// For each position the pairs of its attributes, twice, L exponentials, and 6 floating-point operations for each pair of labels with a weight (each of L^2 when
    /// more than half have one). With triples 3 L^2 exponentials instead.
    pub fn evaluate(
        &self,
        weights: &[f64],
        gradient: &mut [f64],
        threads: usize,
        cancel: &CancelToken,
    ) -> Result<f64> {
        let (value, _) = self.evaluate_over(&Scope::All, weights, gradient, threads, cancel)?;
        Ok(value)
    }

    /// The same with sums over some labels at each position only, and what that may have lost.
    ///
    /// With [`Scope::Candidates`] the value is -log of the probability among labellings of candidates and the given one: another function, exact in itself. With
    /// [`Scope::Pruned`] it is too small by what [`Pruned`] bounds.
    ///
    /// # Errors
    /// [`Error::Config`] where sequences have allowed labels; [`Error::Cancelled`]; [`Error::Memory`].
    ///
    /// # Complexity
    /// For each position the pairs of its attributes, twice, L exponentials where labels are pruned, and for each two neighbours the product of their numbers of labels.
    pub fn evaluate_over(
        &self,
        scope: &Scope<'_>,
        weights: &[f64],
        gradient: &mut [f64],
        threads: usize,
        cancel: &CancelToken,
    ) -> Result<(f64, Pruned)> {
        scope.check(self.data, self.features)?;
        let scope = match scope {
            Scope::Pruned(beam) if *beam <= 0.0 => &Scope::All,
            other => other,
        };
        let transitions = Transitions::new(self.features, weights);
        let factors = (!matches!(scope, Scope::All)).then(|| {
            let numbers = self.numbers.get_or_init(|| PairNumbers::new(self.features));
            PairFactors::new(self.features, numbers, weights, &transitions)
        });
        let text = if self.features.triples().is_empty() {
            None
        } else {
            Some(TextScores::new(self.features, weights)?)
        };
        let at = At {
            weights,
            table: self.rows.table(self.features, weights),
            transitions,
            evaluation: self.evaluations.fetch_add(1, Ordering::Relaxed) + 1,
            factors,
            text,
        };
        let blocks = self.groups.blocks.clone();
        let parts = parallel::map(threads, cancel, blocks, |_, block| {
            let mut worker = self.take(&at)?;
            let part =
                self.add_block(&at, scope, &mut worker, &self.groups.groups[block], cancel)?;
            self.give_back(worker);
            Ok(part)
        })?;
        let gold = self.merge(&at, gradient, threads, cancel)?;
        let log_z = parts.iter().map(|(log_z, _)| log_z).sum::<f64>();
        let mut pruned = Pruned::default();
        for (_, part) in &parts {
            pruned.add(part);
        }
        Ok((log_z - gold, pruned))
    }

    /// Expected less observed counts; returns the score of what was observed, if that is known.
    fn merge(
        &self,
        at: &At<'_>,
        gradient: &mut [f64],
        threads: usize,
        cancel: &CancelToken,
    ) -> Result<f64> {
        let Ok(mut workers) = self.workers.lock() else {
            return Err(Error::Cancelled);
        };
        let used: Vec<&mut Scratch> = workers
            .iter_mut()
            .map(|worker| &mut worker.scratch)
            .filter(|scratch| scratch.evaluation == at.evaluation)
            .collect();
        let used = parallel::map(threads, cancel, used, |_, scratch| {
            let Scratch { cells, table, .. } = &mut *scratch;
            let numbers = self.rows.cells();
            self.rows.each_pair(self.features, |pair, place| {
                cells[id_index(numbers[pair])].sum = table[place];
            });
            Ok(&*scratch)
        })?;
        let (states, pairs) = gradient.split_at_mut(self.features.state_count());
        let pieces: Vec<_> = states.chunks_mut(PIECE).enumerate().collect();
        let gold = parallel::map(threads, cancel, pieces, |_, (number, piece)| {
            let first = number * PIECE;
            for (derivative, &cell) in piece.iter_mut().zip(&self.rows.cells()[first..]) {
                let cells = used.iter().map(|scratch| scratch.cells[id_index(cell)]);
                let sum: i64 = cells.map(|cell| cell.sum).sum();
                *derivative = real(sum) / self.scale;
            }
            Ok(self.subtract_counts(first, at.weights, piece))
        })?;
        for (at, derivative) in pairs.iter_mut().enumerate() {
            let sum: i64 = used.iter().map(|scratch| scratch.pairs[at]).sum();
            *derivative = real(sum) / self.scale;
        }
        let last = self.subtract_counts(self.features.state_count(), at.weights, pairs);
        Ok(gold.into_iter().sum::<f64>() + last)
    }

    /// Subtracts the counts of pairs from `first` on; returns their sum times the weights. Nothing where expected counts are less what is expected of allowed labels already.
    fn subtract_counts(&self, first: usize, weights: &[f64], derivatives: &mut [f64]) -> f64 {
        if self.data.allowed().is_some() {
            return 0.0;
        }
        let mut score = 0.0;
        for ((derivative, count), weight) in derivatives
            .iter_mut()
            .zip(&self.counts[first..])
            .zip(&weights[first..])
        {
            *derivative -= count;
            score += weight * count;
        }
        score
    }
}
