//! The likelihood of the converter's labels where each chunk has only those labels that it had somewhere in the training data.
//!
//! Decoding looks at no others, and they are few: some tens of hundreds. A sum over a position costs the product of two neighbouring lists instead of the square of the number of
//! labels. Expected counts are summed as whole numbers in units of a power of two, whose sums do not depend on their order: the same bits for any number of threads.

use super::Candidates;
use super::seen_word::Worker;
use crate::cancel::CancelToken;
use crate::crf::{Features, Sequences};
use crate::error::{Error, Result};
use crate::numeric::to_f64;
use crate::parallel;
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// Words that a thread takes at a time.
const BLOCK: usize = 256;

/// Pairs that a thread takes at a time when counts are put together.
const PIECE: usize = 1 << 16;

/// Up to so many labels the number of each pair of labels stands in a table.
const DENSE: usize = 2048;

/// Units of expected counts are at least 2^-FINEST.
const FINEST: i32 = 44;

/// No factor of a pair of labels is smaller than this logarithm below the largest one: then no sum is 0.
const LOWEST: f64 = -600.0;

/// -log p of labelled chunks as a function of the weights.
#[derive(Debug)]
pub(super) struct Seen<'a> {
    pub data: &'a Sequences,
    pub features: &'a Features,
    /// What the training chunks have of each pair.
    counts: &'a [f64],
    candidates: &'a Candidates,
    /// For each position the list of its chunk; one more than there are for all labels.
    pub lists: Vec<u32>,
    all: Vec<u32>,
    /// For each occurrence of an attribute, its run in what follows.
    runs: Vec<u32>,
    run_starts: Vec<usize>,
    run_parts: Vec<Part>,
    /// The number of each pair of labels by the second, then the first; empty when there are many labels.
    pub table: Vec<u32>,
    pub scale: f64,
    workers: Mutex<Vec<Worker>>,
    evaluations: AtomicU64,
}

/// A pair of an attribute and a label of a list: where the label stands in the list, and the number of the pair.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part {
    pub slot: u32,
    pub pair: u32,
}

/// The factors of one vector of weights.
pub(super) struct At<'a> {
    pub weights: &'a [f64],
    /// exp(weight - shift) by pair of labels, and of those without a weight at the end.
    pub factors: Vec<f64>,
    pub shift: f64,
    evaluation: u64,
}

impl<'a> Seen<'a> {
    /// The function for positions whose chunks are `chunks`, with the labels of `candidates`; all labels for a chunk that is not there.
    ///
    /// # Errors
    /// [`Error::TooLarge`].
    pub fn new(
        data: &'a Sequences,
        features: &'a Features,
        counts: &'a [f64],
        candidates: &'a Candidates,
        chunks: &[u32],
    ) -> Result<Self> {
        let labels = features.labels();
        let too_large = |what| Error::TooLarge {
            what,
            limit: u64::from(u32::MAX),
        };
        let short = |number: usize, what| u32::try_from(number).map_err(|_| too_large(what));
        short(
            features.len() + 1,
            "the number of weights of a random field",
        )?;
        let every = short(candidates.chunks.len(), "the number of chunks")?;
        let by_chunk: FxHashMap<u32, u32> = candidates.chunks.iter().copied().zip(0..).collect();
        let list = |chunk| by_chunk.get(chunk).copied().unwrap_or(every);
        let mut made = Self {
            data,
            features,
            counts,
            candidates,
            lists: chunks.iter().map(list).collect(),
            all: (0..).take(labels).collect(),
            runs: Vec::with_capacity(data.occurrences()),
            run_starts: vec![0],
            run_parts: Vec::new(),
            table: Vec::new(),
            scale: unit_scale(data.positions()),
            workers: Mutex::new(Vec::new()),
            evaluations: AtomicU64::new(0),
        };
        let mut numbers: FxHashMap<(u32, u32), u32> = FxHashMap::default();
        for position in 0..data.positions() {
            let list = made.lists[position];
            for at in data.rows()[position]..data.rows()[position + 1] {
                let attribute = data.attributes()[at];
                let next = made.run_starts.len() - 1;
                let run = *numbers
                    .entry((attribute, list))
                    .or_insert(short(next, "the number of runs of weights")?);
                if run as usize == next {
                    made.add_run(attribute, list);
                }
                made.runs.push(run);
            }
        }
        made.lay_out_pairs();
        Ok(made)
    }

    /// The pairs of an attribute whose labels are in a list: both rise.
    fn add_run(&mut self, attribute: u32, list: u32) {
        let starts = self.features.state_starts();
        let run = starts[attribute as usize]..starts[attribute as usize + 1];
        let labels = &self.features.state_labels()[run.clone()];
        let mut parts = std::mem::take(&mut self.run_parts);
        let listed = self.labels(list);
        let mut slot = 0;
        for (pair, label) in (0..).skip(run.start).zip(labels) {
            while slot < listed.len() && listed[slot] < *label {
                slot += 1;
            }
            if listed.get(slot) == Some(label) {
                // Both were checked to be below 2^32.
                let slot = u32::try_from(slot).unwrap_or(u32::MAX);
                parts.push(Part { slot, pair });
            }
        }
        self.run_parts = parts;
        self.run_starts.push(self.run_parts.len());
    }

    fn lay_out_pairs(&mut self) {
        let labels = self.features.labels();
        if labels > DENSE {
            return;
        }
        let none = self.features.next_labels().len();
        let none = u32::try_from(none).unwrap_or(u32::MAX);
        self.table = vec![none; labels * labels];
        for (number, (from, to, _)) in (0..).zip(self.features.label_pairs()) {
            self.table[to * labels + from] = number;
        }
    }

    pub fn labels(&self, list: u32) -> &[u32] {
        let starts = &self.candidates.starts;
        match starts.get(list as usize + 1) {
            Some(&end) => &self.candidates.labels[starts[list as usize]..end],
            None => &self.all,
        }
    }

    /// -log p of all chunks at these weights; its gradient is written to `gradient`.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    ///
    /// # Complexity
    /// For each position the pairs of its attributes with labels of its list, twice, and 8 floating-point operations for each pair of labels of its list and the one before.
    pub fn evaluate(
        &self,
        weights: &[f64],
        gradient: &mut [f64],
        threads: usize,
        cancel: &CancelToken,
    ) -> Result<f64> {
        let pairs = &weights[self.features.state_count()..];
        let shift = pairs.iter().copied().fold(0.0, f64::max);
        let factor = |weight: f64| libm::exp((weight - shift).max(LOWEST));
        let at = At {
            weights,
            factors: pairs
                .iter()
                .map(|&weight| factor(weight))
                .chain([factor(0.0)])
                .collect(),
            shift,
            evaluation: self.evaluations.fetch_add(1, Ordering::Relaxed) + 1,
        };
        let words = self.data.len();
        let blocks: Vec<Range<usize>> = (0..words)
            .step_by(BLOCK)
            .map(|start| start..(start + BLOCK).min(words))
            .collect();
        let logs = parallel::map(threads, cancel, blocks, |_, block| {
            let mut worker = self.take(&at);
            let mut sum = 0.0;
            for word in block {
                if word % 32 == 0 {
                    cancel.check()?;
                }
                sum += worker.add(self, &at, word);
            }
            if let Ok(mut workers) = self.workers.lock() {
                workers.push(worker);
            }
            Ok(sum)
        })?;
        let gold = self.merge(&at, gradient, threads, cancel)?;
        Ok(logs.iter().sum::<f64>() - gold)
    }

    /// An idle worker, or a new one, whose sums are those of this evaluation.
    fn take(&self, at: &At<'_>) -> Worker {
        let idle = self
            .workers
            .lock()
            .ok()
            .and_then(|mut workers| workers.pop());
        let mut worker = idle.unwrap_or_default();
        if worker.evaluation != at.evaluation {
            worker.evaluation = at.evaluation;
            worker.sums.clear();
            worker.sums.resize(self.features.len() + 1, 0);
        }
        worker
    }

    /// Expected less observed counts; returns the score of what was observed.
    fn merge(
        &self,
        at: &At<'_>,
        gradient: &mut [f64],
        threads: usize,
        cancel: &CancelToken,
    ) -> Result<f64> {
        let Ok(workers) = self.workers.lock() else {
            return Err(Error::Cancelled);
        };
        let used: Vec<&[i64]> = workers
            .iter()
            .filter(|worker| worker.evaluation == at.evaluation)
            .map(|worker| worker.sums.as_slice())
            .collect();
        let pieces: Vec<_> = gradient.chunks_mut(PIECE).enumerate().collect();
        let gold = parallel::map(threads, cancel, pieces, |_, (number, piece)| {
            let first = number * PIECE;
            let mut score = 0.0;
            for (pair, derivative) in (first..).zip(piece) {
                let sum: i64 = used.iter().map(|sums| sums[pair]).sum();
                *derivative = real(sum) / self.scale - self.counts[pair];
                score += at.weights[pair] * self.counts[pair];
            }
            Ok(score)
        })?;
        Ok(gold.into_iter().sum())
    }

    pub fn runs(&self, position: usize) -> impl Iterator<Item = &[Part]> {
        let occurrences = self.data.rows()[position]..self.data.rows()[position + 1];
        self.runs[occurrences].iter().map(|&run| {
            let run = run as usize;
            &self.run_parts[self.run_starts[run]..self.run_starts[run + 1]]
        })
    }
}

/// Units in 1: a power of 2, so that no sum leaves 2^61.
fn unit_scale(positions: usize) -> f64 {
    let mut scale = 2_f64.powi(FINEST);
    while to_f64(positions as u64) * scale > 2_f64.powi(61) {
        scale *= 0.5;
    }
    scale
}

#[inline]
#[expect(
    clippy::cast_precision_loss,
    reason = "the nearest double is asked for"
)]
fn real(sum: i64) -> f64 {
    sum as f64
}
