//! P(T | S) of given targets, by forced conversion.
//!
//! The sum over segmentations does not fold into one dynamic program: the converter is normalised for each segmentation by itself. So segmentations are taken one by one, and for each
//! the sum over all sequences of labels that give the target is computed exactly, by a dynamic program over chunks and places in the target.

use super::TwoStep;
use super::decode::ends;
use super::lattice::Lattice;
use super::paths::Paths;
use super::positions::Positions;
use crate::cancel::CancelToken;
use crate::error::{Error, Result};
use crate::parallel;

const BLOCK: usize = 64;

/// How far to sum.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// Stop when the segmentations that are left have less than this probability.
    pub tolerance: f64,
    /// The most segmentations.
    pub segmentations: usize,
    /// All labels for every chunk, not only those it had in training.
    pub all_labels: bool,
}

/// Pairs of a word and a target, flat: pair n has source symbols `sources[source_starts[n]..source_starts[n + 1]]`, and likewise target symbols.
#[derive(Debug, Clone, Copy)]
pub struct Targets<'a> {
    /// Where words start.
    pub source_starts: &'a [usize],
    /// Source symbols.
    pub sources: &'a [u32],
    /// Where targets start.
    pub target_starts: &'a [usize],
    /// Target symbols; those that training did not have may have any other number.
    pub targets: &'a [u32],
}

impl<'a> Targets<'a> {
    fn source(&self, n: usize) -> &'a [u32] {
        &self.sources[self.source_starts[n]..self.source_starts[n + 1]]
    }

    fn target(&self, n: usize) -> &'a [u32] {
        &self.targets[self.target_starts[n]..self.target_starts[n + 1]]
    }
}

impl TwoStep {
    /// P(T | S) of each pair, and the probability of the segmentations that were not looked at: the exact value lies between the first and the sum of both.
    ///
    /// # Errors
    /// [`Error::Config`]; [`Error::Cancelled`].
    pub fn probabilities(
        &self,
        pairs: &Targets<'_>,
        limits: &Limits,
        threads: usize,
        cancel: &CancelToken,
    ) -> Result<(Vec<f64>, Vec<f64>)> {
        if limits.segmentations == 0 {
            return Err(Error::config("segmentations", "at least 1", 0));
        }
        if !(0.0..1.0).contains(&limits.tolerance) {
            return Err(Error::config(
                "tolerance",
                "from 0 to below 1",
                limits.tolerance,
            ));
        }
        let count = pairs.source_starts.len().saturating_sub(1);
        if pairs.target_starts.len() != pairs.source_starts.len() {
            let expected = format!("one for each of the {count} words");
            return Err(Error::config(
                "targets",
                &expected,
                pairs.target_starts.len().saturating_sub(1),
            ));
        }
        let blocks: Vec<_> = (0..count)
            .step_by(BLOCK)
            .map(|start| start..(start + BLOCK).min(count))
            .collect();
        let parts = parallel::map(threads, cancel, blocks, |_, block| {
            let (mut work, mut made) = (Work::default(), Vec::with_capacity(block.len()));
            let mut first = block.start;
            while first < block.end {
                // Neighbours of the same word share its segmentations.
                let source = pairs.source(first);
                let last = (first + 1..block.end)
                    .find(|&n| pairs.source(n) != source)
                    .unwrap_or(block.end);
                let targets: Vec<_> = (first..last).map(|n| pairs.target(n)).collect();
                work.word(self, source, &targets, limits, &mut made, cancel)?;
                first = last;
            }
            Ok(made)
        })?;
        Ok(parts.into_iter().flatten().unzip())
    }

    /// P(A | S) of chunks that end at `ends`, and P(labels | S, A); 0 for labels that a chunk cannot have.
    ///
    /// # Errors
    /// [`Error::Config`] when ends do not rise to the end of the word, or there is not one label for each chunk.
    pub fn analysis(
        &self,
        symbols: &[u32],
        chunk_ends: &[usize],
        labels: &[u32],
        all_labels: bool,
    ) -> Result<(f64, f64)> {
        let is_rising = chunk_ends.first().is_some_and(|&end| end > 0)
            && chunk_ends.windows(2).all(|two| two[0] < two[1])
            && chunk_ends.last() == Some(&symbols.len());
        if !is_rising || labels.len() != chunk_ends.len() {
            return Err(Error::config(
                "ends",
                "rising ends of chunks up to that of the word, with a label for each",
                format!("{chunk_ends:?} with {} labels", labels.len()),
            ));
        }
        let mut work = Work::default();
        work.positions.read(self, symbols);
        work.positions.segmenter(self, &mut work.segmenter);
        let factors = self.segmenter.factors();
        work.segmenter.run(factors);
        let mut segmentation = work.segmenter.first(0);
        let mut before = 0;
        for at in 1..symbols.len() {
            let label = u32::from(!chunk_ends.contains(&at));
            segmentation *= work.segmenter.next(at, label as usize, before, factors);
            before = label;
        }
        let factors = self.converter.factors();
        work.positions
            .converter(self, chunk_ends, all_labels, &mut work.converter);
        work.converter.run(factors);
        let mut conversion = 1.0;
        for (position, label) in labels.iter().enumerate() {
            let Ok(at) = work.converter.labels(position).binary_search(label) else {
                return Ok((segmentation, 0.0));
            };
            conversion *= match position {
                0 => work.converter.first(at),
                _ => work
                    .converter
                    .next(position, at, labels[position - 1], factors),
            };
        }
        Ok((segmentation, conversion))
    }
}

#[derive(Debug, Default)]
struct Work {
    positions: Positions,
    segmenter: Lattice,
    converter: Lattice,
    segmentations: Paths,
    path: Vec<usize>,
    ends: Vec<usize>,
    /// Place in the target, label, probability of all ways there.
    open: Vec<(usize, u32, f64)>,
    next: Vec<(usize, u32, f64)>,
}

impl Work {
    /// Adds the results of all targets of a word to `made`.
    fn word(
        &mut self,
        model: &TwoStep,
        source: &[u32],
        targets: &[&[u32]],
        limits: &Limits,
        made: &mut Vec<(f64, f64)>,
        cancel: &CancelToken,
    ) -> Result<()> {
        let first = made.len();
        made.resize(first + targets.len(), (0.0, 0.0));
        if source.is_empty() {
            return Ok(());
        }
        self.positions.read(model, source);
        self.positions.segmenter(model, &mut self.segmenter);
        let factors = model.segmenter.factors();
        self.segmenter.run(factors);
        self.segmentations.start(&self.segmenter, factors);
        let (mut mass, mut is_complete) = (0.0, false);
        for _ in 0..limits.segmentations {
            cancel.check()?;
            let next = self
                .segmentations
                .next(&self.segmenter, factors, &mut self.path);
            let Some(probability) = next else {
                is_complete = true;
                break;
            };
            ends(&self.path, &mut self.ends);
            mass += probability;
            self.positions
                .converter(model, &self.ends, limits.all_labels, &mut self.converter);
            self.converter.run(model.converter.factors());
            for (sum, target) in made[first..].iter_mut().zip(targets) {
                sum.0 += probability * self.conversion(model, target);
            }
            if 1.0 - mass < limits.tolerance {
                break;
            }
        }
        let rest = if is_complete {
            0.0
        } else {
            (1.0 - mass).max(0.0)
        };
        made[first..].iter_mut().for_each(|sum| sum.1 = rest);
        Ok(())
    }

    /// P(T | S, A) of the segmentation whose converter has been run.
    fn conversion(&mut self, model: &TwoStep, target: &[u32]) -> f64 {
        let factors = model.converter.factors();
        self.open.clear();
        for position in 0..self.converter.len() {
            self.next.clear();
            let labels = self.converter.labels(position);
            for (at, &label) in labels.iter().enumerate() {
                let symbols = model.labels.get(label);
                if position == 0 {
                    if target.starts_with(symbols) {
                        self.next
                            .push((symbols.len(), label, self.converter.first(at)));
                    }
                    continue;
                }
                for &(place, from, probability) in &self.open {
                    if !target[place..].starts_with(symbols) {
                        continue;
                    }
                    let end = place + symbols.len();
                    let share = probability * self.converter.next(position, at, from, factors);
                    // Ways to the same place with the same label come one after another or nearly so.
                    match self
                        .next
                        .iter_mut()
                        .rev()
                        .find(|way| way.0 == end && way.1 == label)
                    {
                        Some(way) => way.2 += share,
                        None => self.next.push((end, label, share)),
                    }
                }
            }
            std::mem::swap(&mut self.open, &mut self.next);
            if self.open.is_empty() {
                return 0.0;
            }
        }
        self.open
            .iter()
            .filter(|way| way.0 == target.len())
            .map(|way| way.2)
            .sum()
    }
}
