//! The best targets of words: one-best (eq. 1) and joint (eq. 2) decoding.

use super::TwoStep;
use super::early_stop::{Lists, Standing, Stop, missing};
use super::forced::{Forced, Kept};
use super::lattice::Lattice;
use super::paths::Paths;
use super::positions::Positions;
use crate::cancel::CancelToken;
use crate::error::{Error, Result};
use crate::parallel;
use crate::progress::Progress;
use rustc_hash::FxHashMap;
use std::sync::atomic::{AtomicU64, Ordering};

/// Words that one thread takes at a time.
const BLOCK: usize = 256;

/// How to decode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// n1: the most segmentations that are taken; 1 is the baseline.
    pub segmentations: usize,
    /// n2: the most conversions of each.
    pub conversions: usize,
    /// When to take no more segmentations.
    pub stop: Stop,
    /// All labels for every chunk, not only those it had in training.
    pub all_labels: bool,
    /// The most candidates of a word.
    pub first: usize,
}

/// Candidates of many words.
#[derive(Debug, Clone, PartialEq)]
pub struct Batch {
    /// Where the candidates of each word start, and their number.
    pub words: Vec<usize>,
    /// Where the target symbols of each candidate start, and their number.
    pub starts: Vec<usize>,
    /// Target symbols.
    pub symbols: Vec<u32>,
    /// P(T | S) as far as it was summed: what decoding would add to it is at most 1 - mass of the word.
    pub probabilities: Vec<f64>,
    /// Segmentations of each word that were converted.
    pub conversions: Vec<u32>,
    /// The probability of these segmentations.
    pub masses: Vec<f64>,
    /// Whether the rule held: the first candidate (or list) is certain. With [`Stop::Never`]: whether there was no other segmentation.
    pub certain: Vec<bool>,
}

impl Default for Batch {
    fn default() -> Self {
        Self {
            words: vec![0],
            starts: vec![0],
            symbols: Vec::new(),
            probabilities: Vec::new(),
            conversions: Vec::new(),
            masses: Vec::new(),
            certain: Vec::new(),
        }
    }
}

impl Batch {
    fn append(&mut self, other: &Self) {
        let shifted = |offsets: &[usize], by: usize| -> Vec<usize> {
            offsets[1..].iter().map(|offset| offset + by).collect()
        };
        let (candidates, symbols) = (self.probabilities.len(), self.symbols.len());
        self.words.extend(shifted(&other.words, candidates));
        self.starts.extend(shifted(&other.starts, symbols));
        self.symbols.extend(&other.symbols);
        self.probabilities.extend(&other.probabilities);
        self.conversions.extend(&other.conversions);
        self.masses.extend(&other.masses);
        self.certain.extend(&other.certain);
    }
}

impl Options {
    /// # Errors
    /// [`Error::Config`] for what is out of range.
    pub fn check(&self) -> Result<()> {
        let counts = [
            ("segmentations", self.segmentations),
            ("conversions", self.conversions),
            ("n", self.first),
        ];
        for (name, value) in counts {
            if value == 0 {
                return Err(Error::config(name, "at least 1", 0));
            }
        }
        Ok(())
    }
}

impl TwoStep {
    /// The best targets of words: word n is `symbols[starts[n]..starts[n + 1]]`; symbols that training did not have may have any other number. Results do not depend on the number of threads.
    ///
    /// # Errors
    /// [`Error::Config`] for options out of range; [`Error::Cancelled`].
    ///
    /// # Complexity
    /// For each segmentation that is taken, the products of the numbers of candidates of neighbouring chunks, and n2 paths.
    pub fn decode(
        &self,
        starts: &[usize],
        symbols: &[u32],
        options: &Options,
        threads: usize,
        cancel: &CancelToken,
        progress: &dyn Progress,
    ) -> Result<Batch> {
        options.check()?;
        let count = starts.len().saturating_sub(1);
        let blocks: Vec<_> = (0..count)
            .step_by(BLOCK)
            .map(|start| start..(start + BLOCK).min(count))
            .collect();
        let done = AtomicU64::new(0);
        progress.report("decoding", 0, count as u64, &[]);
        let parts = parallel::map(threads, cancel, blocks, |_, block| {
            let mut work = Work::default();
            let mut found = Batch::default();
            let size = block.len() as u64;
            for word in block {
                cancel.check()?;
                work.word(
                    self,
                    &symbols[starts[word]..starts[word + 1]],
                    options,
                    cancel,
                )?;
                work.write(options.first, &mut found);
            }
            let done = done.fetch_add(size, Ordering::Relaxed) + size;
            progress.report("decoding", done, count as u64, &[]);
            Ok(found)
        })?;
        let mut all = Batch::default();
        for part in &parts {
            all.append(part);
        }
        Ok(all)
    }
}

/// What one thread needs for a word.
#[derive(Debug, Default)]
pub(in crate::translit) struct Work {
    positions: Positions,
    segmenter: Lattice,
    segmentations: Paths,
    conversions: Paths,
    path: Vec<usize>,
    ends: Vec<usize>,
    target: Vec<u32>,
    /// Candidates by target.
    numbers: FxHashMap<Vec<u32>, usize>,
    targets: Vec<Vec<u32>>,
    standings: Vec<Standing>,
    /// The last list that a candidate was in, counted from 1.
    seen: Vec<usize>,
    lists: Lists,
    is_certain: bool,
    /// The segmentations that were taken, for questions about other targets.
    kept: Option<Kept>,
    forced: Forced,
}

impl Work {
    /// Room for words whose candidates are not all that will be asked for ([`Self::ask`]).
    pub fn keeping() -> Self {
        Self {
            kept: Some(Kept::default()),
            ..Self::default()
        }
    }

    /// P(T | S) of any target of the word at hand, over the segmentations that were taken.
    pub fn ask(&mut self, model: &TwoStep, target: &[u32]) -> f64 {
        let mut sum = 0.0;
        if let Some(kept) = &self.kept {
            let converter = &self.positions.converter;
            self.forced.add(model, converter, kept, target, &mut sum);
        }
        sum
    }

    /// Finds the candidates of a word.
    pub fn word(
        &mut self,
        model: &TwoStep,
        symbols: &[u32],
        options: &Options,
        cancel: &CancelToken,
    ) -> Result<()> {
        self.numbers.clear();
        self.targets.clear();
        self.standings.clear();
        self.seen.clear();
        self.lists = Lists::default();
        self.is_certain = true;
        if let Some(kept) = &mut self.kept {
            kept.clear();
        }
        if symbols.is_empty() {
            return Ok(());
        }
        self.positions.read(model, symbols);
        self.positions.segmenter(model, &mut self.segmenter);
        let factors = model.segmenter.factors();
        self.segmentations.start(&self.segmenter, factors);
        self.is_certain = false;
        while self.lists.count < options.segmentations {
            cancel.check()?;
            let next = self
                .segmentations
                .next(&self.segmenter, factors, &mut self.path);
            let Some(mass) = next else {
                // There is no other one, and what lists leave out does not change by going on.
                self.lists.mass = 1.0;
                self.is_certain = match options.stop {
                    Stop::Exact => {
                        options
                            .stop
                            .is_certain(&self.standings, &self.lists, options.segmentations)
                    }
                    Stop::Never | Stop::Truncated(_) => true,
                };
                return Ok(());
            };
            ends(&self.path, &mut self.ends);
            self.list(model, mass, options);
            if options
                .stop
                .is_certain(&self.standings, &self.lists, options.segmentations)
            {
                self.is_certain = true;
                return Ok(());
            }
        }
        // The truncated system has no more than these.
        self.is_certain = matches!(options.stop, Stop::Truncated(_));
        Ok(())
    }

    /// Converts the segmentation at hand.
    fn list(&mut self, model: &TwoStep, mass: f64, options: &Options) {
        let factors = model.converter.factors();
        if self.kept.is_none() && self.positions.is_full() {
            self.positions.forget();
        }
        self.positions
            .convert(model, &self.ends, options.all_labels);
        let converter = &self.positions.converter;
        // As in `probabilities` with a tolerance of 0: none after a sum that rounding has made larger than 1.
        if let Some(kept) = &mut self.kept
            && self.lists.mass <= 1.0
        {
            kept.push(mass, converter.chain());
        }
        self.conversions.start(converter, factors);
        let lists = &mut self.lists;
        lists.count += 1;
        lists.mass += mass;
        lists.last = mass;
        let mut touched = Vec::with_capacity(options.conversions);
        let (mut listed, mut smallest, mut found) = (0.0, 0.0, 0);
        while found < options.conversions
            && let Some(probability) = self.conversions.next(converter, factors, &mut self.path)
        {
            found += 1;
            listed += probability;
            smallest = probability;
            self.target.clear();
            for (position, &at) in self.path.iter().enumerate() {
                let label = converter.labels(position)[at];
                self.target.extend_from_slice(model.labels.get(label));
            }
            let number = if let Some(&number) = self.numbers.get(self.target.as_slice()) {
                number
            } else {
                let number = self.targets.len();
                self.numbers.insert(self.target.clone(), number);
                self.targets.push(self.target.clone());
                self.seen.push(0);
                self.standings.push(Standing {
                    collected: 0.0,
                    excused: 0.0,
                });
                number
            };
            self.standings[number].collected += mass * probability;
            if self.seen[number] != lists.count {
                self.seen[number] = lists.count;
                touched.push(number);
            }
        }
        let is_complete = found < options.conversions;
        let left_out = missing(mass, listed, smallest, is_complete, model.is_ambiguous);
        lists.missing += left_out;
        if !model.is_ambiguous {
            for number in touched {
                self.standings[number].excused += left_out;
            }
        }
    }

    /// The first candidates with their probabilities; of equal ones the one that was found first.
    pub fn first(&self, count: usize) -> impl Iterator<Item = (&[u32], f64)> {
        let mut order: Vec<usize> = (0..self.targets.len()).collect();
        order.sort_by(|&a, &b| {
            let (a, b) = (self.standings[a].collected, self.standings[b].collected);
            b.total_cmp(&a)
        });
        order.into_iter().take(count).map(|number| {
            // Rounding must not make a probability above 1.
            let probability = self.standings[number].collected.min(1.0);
            (self.targets[number].as_slice(), probability)
        })
    }

    /// Appends the first candidates.
    fn write(&self, first: usize, batch: &mut Batch) {
        for (target, probability) in self.first(first) {
            batch.symbols.extend_from_slice(target);
            batch.starts.push(batch.symbols.len());
            batch.probabilities.push(probability);
        }
        batch.words.push(batch.probabilities.len());
        batch
            .conversions
            .push(u32::try_from(self.lists.count).unwrap_or(u32::MAX));
        batch.masses.push(self.lists.mass.min(1.0));
        batch.certain.push(self.is_certain);
    }
}

/// Where the chunks of a segmentation end. The first label of a list is that of a beginning.
pub(super) fn ends(path: &[usize], ends: &mut Vec<usize>) {
    ends.clear();
    ends.extend((1..path.len()).filter(|&at| path[at] == 0));
    ends.push(path.len());
}
