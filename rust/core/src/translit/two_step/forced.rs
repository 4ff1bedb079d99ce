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
        let (mut positions, mut segmenter) = (Positions::default(), Lattice::default());
        positions.read(self, symbols);
        positions.segmenter(self, &mut segmenter);
        let factors = self.segmenter.factors();
        let chain = segmenter.chain();
        let mut segmentation = segmenter.first(chain[0], 0);
        let mut before = 0;
        for (at, &column) in chain.iter().enumerate().skip(1) {
            let label = u32::from(!chunk_ends.contains(&at));
            segmentation *= segmenter.next(column, label as usize, before, factors);
            before = label;
        }
        let factors = self.converter.factors();
        positions.convert(self, chunk_ends, all_labels);
        let converter = &positions.converter;
        let mut conversion = 1.0;
        for (position, (label, &column)) in labels.iter().zip(converter.chain()).enumerate() {
            let Ok(at) = converter.labels_of(column).binary_search(label) else {
                return Ok((segmentation, 0.0));
            };
            conversion *= match position {
                0 => converter.first(column, at),
                _ => converter.next(column, at, labels[position - 1], factors),
            };
        }
        Ok((segmentation, conversion))
    }
}

/// Segmentations whose targets are summed together: those that begin alike share work.
const TOGETHER: usize = 16;

#[derive(Debug, Default)]
struct Work {
    positions: Positions,
    segmenter: Lattice,
    segmentations: Paths,
    path: Vec<usize>,
    ends: Vec<usize>,
    kept: Kept,
    forced: Forced,
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
        self.segmentations.start(&self.segmenter, factors);
        let (mut mass, mut is_complete, mut count) = (0.0, false, 0);
        while !is_complete && count < limits.segmentations && 1.0 - mass >= limits.tolerance {
            self.kept.clear();
            self.positions.forget();
            while self.kept.len() < TOGETHER && count < limits.segmentations {
                cancel.check()?;
                let next = self
                    .segmentations
                    .next(&self.segmenter, factors, &mut self.path);
                let Some(probability) = next else {
                    is_complete = true;
                    break;
                };
                count += 1;
                ends(&self.path, &mut self.ends);
                mass += probability;
                self.positions.convert(model, &self.ends, limits.all_labels);
                self.kept
                    .push(probability, self.positions.converter.chain());
                if 1.0 - mass < limits.tolerance {
                    break;
                }
            }
            for (sum, target) in made[first..].iter_mut().zip(targets) {
                let converter = &self.positions.converter;
                self.forced
                    .add(model, converter, &self.kept, target, &mut sum.0);
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
}

/// Segmentations of a word: their probabilities and the converter's columns.
#[derive(Debug, Default)]
pub(super) struct Kept {
    probabilities: Vec<f64>,
    starts: Vec<usize>,
    columns: Vec<u32>,
}

impl Kept {
    pub fn clear(&mut self) {
        self.probabilities.clear();
        self.starts.clear();
        self.columns.clear();
    }

    fn len(&self) -> usize {
        self.probabilities.len()
    }

    pub fn push(&mut self, probability: f64, chain: &[u32]) {
        self.starts.push(self.columns.len());
        self.probabilities.push(probability);
        self.columns.extend_from_slice(chain);
    }

    fn all(&self) -> impl Iterator<Item = (f64, &[u32])> {
        let ends = self.starts.iter().skip(1).copied();
        let ends = ends.chain(std::iter::once(self.columns.len()));
        let runs = self.starts.iter().zip(ends);
        let chains = runs.map(|(&start, end)| &self.columns[start..end]);
        self.probabilities.iter().copied().zip(chains)
    }
}

/// A place in the target that has been reached, the label before it, and the probability of all ways there.
type Way = (usize, u32, f64);

/// Sums over all labels that give a target.
#[derive(Debug, Default)]
pub(super) struct Forced {
    ways: Vec<Way>,
    /// The ways to each column, once they are known.
    of_column: Vec<Option<(usize, usize)>>,
}

impl Forced {
    /// Adds P(A | S) P(T | S, A) of all segmentations to `sum`, one by one.
    pub fn add(
        &mut self,
        model: &TwoStep,
        converter: &Lattice,
        kept: &Kept,
        target: &[u32],
        sum: &mut f64,
    ) {
        self.ways.clear();
        self.of_column.clear();
        for (probability, chain) in kept.all() {
            *sum += probability * self.conversion(model, converter, chain, target);
        }
    }

    /// P(T | S, A) of a chain.
    fn conversion(
        &mut self,
        model: &TwoStep,
        converter: &Lattice,
        chain: &[u32],
        target: &[u32],
    ) -> f64 {
        let mut before = None;
        for &column in chain {
            let at = column as usize;
            if self.of_column.len() <= at {
                self.of_column.resize(at + 1, None);
            }
            let found = match self.of_column[at] {
                Some(known) => known,
                None => self.step(model, converter, column, before, target),
            };
            self.of_column[at] = Some(found);
            if found.0 == found.1 {
                return 0.0;
            }
            before = Some(found);
        }
        let (start, end) = before.unwrap_or((0, 0));
        self.ways[start..end]
            .iter()
            .filter(|way| way.0 == target.len())
            .map(|way| way.2)
            .sum()
    }

    /// The ways to a column, from those to the one before it.
    fn step(
        &mut self,
        model: &TwoStep,
        converter: &Lattice,
        column: u32,
        before: Option<(usize, usize)>,
        target: &[u32],
    ) -> (usize, usize) {
        let factors = model.converter.factors();
        let first = self.ways.len();
        for (at, &label) in converter.labels_of(column).iter().enumerate() {
            let symbols = model.labels.get(label);
            let Some((start, end)) = before else {
                if target.starts_with(symbols) {
                    let share = converter.first(column, at);
                    self.ways.push((symbols.len(), label, share));
                }
                continue;
            };
            for way in start..end {
                let (place, from, probability) = self.ways[way];
                if !target[place..].starts_with(symbols) {
                    continue;
                }
                let end = place + symbols.len();
                let share = probability * converter.next(column, at, from, factors);
                // Ways to the same place with the same label come one after another or nearly so.
                let same = self.ways[first..]
                    .iter_mut()
                    .rev()
                    .find(|way| way.0 == end && way.1 == label);
                match same {
                    Some(way) => way.2 += share,
                    None => self.ways.push((end, label, share)),
                }
            }
        }
        (first, self.ways.len())
    }
}
