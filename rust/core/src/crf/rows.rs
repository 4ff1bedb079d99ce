//! Training data laid out for speed: attributes that have weights with many labels are rows of a dense table, which are added as vectors.
//!
//! Such attributes are few and frequent: a part of speech, a neighbouring unit. The others are many, rare, and have runs of a few labels.

use super::dataset::Sequences;
use super::features::Features;
use crate::error::{Error, Result};
use std::ops::Range;

/// An attribute becomes a row when it has weights with more than one label in so many.
const SHARE: usize = 4;

/// Labels of a row are rounded up to whole vectors.
const VECTOR: usize = 8;

/// The attributes of each position, those with rows first.
#[derive(Debug)]
pub(super) struct Rows {
    /// The length of a row.
    pub width: usize,
    /// The attribute of each row.
    owners: Vec<u32>,
    /// Where the attributes of each position start, and those of them without a row.
    starts: Vec<usize>,
    middles: Vec<usize>,
    /// Numbers of rows, then attributes.
    ids: Vec<u32>,
    values: Option<Vec<f64>>,
}

impl Rows {
    pub fn new(data: &Sequences, features: &Features) -> Result<Self> {
        let labels = features.labels();
        let runs = features.state_starts();
        let mut row_of = vec![u32::MAX; features.attributes()];
        let mut owners = Vec::new();
        for (attribute, (run, row)) in (0..).zip(runs.windows(2).zip(&mut row_of)) {
            if (run[1] - run[0]) * SHARE > labels && run[1] - run[0] > 2 {
                *row = u32::try_from(owners.len()).unwrap_or(u32::MAX);
                owners.push(attribute);
            }
        }
        let no_memory = || Error::Memory {
            what: "the attributes of training data",
            bytes: (data.occurrences() as u64).saturating_mul(12),
        };
        let mut made = Self {
            width: labels.next_multiple_of(VECTOR),
            owners,
            starts: vec![0],
            middles: Vec::new(),
            ids: Vec::new(),
            values: None,
        };
        made.ids
            .try_reserve_exact(data.occurrences())
            .map_err(|_| no_memory())?;
        if data.has_values() {
            let mut values = Vec::new();
            values
                .try_reserve_exact(data.occurrences())
                .map_err(|_| no_memory())?;
            made.values = Some(values);
        }
        for position in 0..data.positions() {
            made.push(data, position, |attribute| {
                Some(row_of[attribute as usize]).filter(|&row| row != u32::MAX)
            });
            made.middles.push(made.ids.len());
            made.push(data, position, |attribute| {
                Some(attribute).filter(|&id| row_of[id as usize] == u32::MAX)
            });
            made.starts.push(made.ids.len());
        }
        Ok(made)
    }

    /// Adds the features of a position for whose attribute there is an id.
    fn push(&mut self, data: &Sequences, position: usize, id: impl Fn(u32) -> Option<u32>) {
        data.features(position, |attribute, value| {
            if let Some(id) = id(attribute) {
                self.ids.push(id);
                if let Some(values) = &mut self.values {
                    values.push(value);
                }
            }
        });
    }

    /// Elements of the table.
    pub fn size(&self) -> usize {
        self.owners.len() * self.width
    }

    /// The weights of attributes that have rows, as a table; 0 for pairs without a weight.
    pub fn table(&self, features: &Features, weights: &[f64], table: &mut Vec<f64>) {
        table.clear();
        table.resize(self.size(), 0.0);
        self.each_pair(features, |pair, cell| table[cell] = weights[pair]);
    }

    /// Calls `each` with the number of each pair that lies in the table, and its cell.
    pub fn each_pair(&self, features: &Features, mut each: impl FnMut(usize, usize)) {
        let (starts, labels) = (features.state_starts(), features.state_labels());
        for (row, &attribute) in self.owners.iter().enumerate() {
            for pair in starts[attribute as usize]..starts[attribute as usize + 1] {
                each(pair, row * self.width + labels[pair] as usize);
            }
        }
    }

    /// The rows of a position, and its other attributes.
    #[inline]
    fn parts(&self, position: usize) -> (Range<usize>, Range<usize>) {
        let (start, middle) = (self.starts[position], self.middles[position]);
        (start..middle, middle..self.starts[position + 1])
    }

    /// Writes the score of each label at a position to `scores`, of the length of a row.
    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "it must be compiled for the instructions of its caller"
    )]
    pub fn score(
        &self,
        position: usize,
        features: &Features,
        weights: &[f64],
        table: &[f64],
        scores: &mut [f64],
    ) {
        scores.fill(0.0);
        let (starts, labels) = (features.state_starts(), features.state_labels());
        let (rows, others) = self.parts(position);
        for at in rows {
            let first = self.ids[at] as usize * self.width;
            let row = &table[first..first + self.width];
            match &self.values {
                None => add(scores, row),
                Some(values) => add_times(scores, row, values[at]),
            }
        }
        for at in others {
            let attribute = self.ids[at] as usize;
            let run = starts[attribute]..starts[attribute + 1];
            let value = self.values.as_ref().map_or(1.0, |values| values[at]);
            for (&label, &weight) in labels[run.clone()].iter().zip(&weights[run]) {
                scores[label as usize] += weight * value;
            }
        }
    }

    /// Adds the expected counts of pairs at a position in units: `units` has the probabilities of labels, `probabilities` times `scale`, as whole numbers.
    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "it must be compiled for the instructions of its caller"
    )]
    pub fn count(
        &self,
        position: usize,
        features: &Features,
        expected: &Expected<'_>,
        table: &mut [i64],
        sums: &mut [i64],
    ) {
        let (starts, labels) = (features.state_starts(), features.state_labels());
        let (rows, others) = self.parts(position);
        for at in rows {
            let first = self.ids[at] as usize * self.width;
            let row = &mut table[first..first + self.width];
            match &self.values {
                None => {
                    for (sum, &unit) in row.iter_mut().zip(expected.units) {
                        *sum = sum.wrapping_add(unit);
                    }
                }
                Some(values) => {
                    let factor = values[at] * expected.scale;
                    for (sum, &probability) in row.iter_mut().zip(expected.probabilities) {
                        *sum = sum.wrapping_add(whole(probability * factor));
                    }
                }
            }
        }
        for at in others {
            let attribute = self.ids[at] as usize;
            let run = starts[attribute]..starts[attribute + 1];
            let pairs = labels[run.clone()].iter().zip(&mut sums[run]);
            match &self.values {
                None => {
                    for (&label, sum) in pairs {
                        *sum = sum.wrapping_add(expected.units[label as usize]);
                    }
                }
                Some(values) => {
                    let factor = values[at] * expected.scale;
                    for (&label, sum) in pairs {
                        *sum = sum
                            .wrapping_add(whole(expected.probabilities[label as usize] * factor));
                    }
                }
            }
        }
    }
}

/// Probabilities of labels at a position.
pub(super) struct Expected<'a> {
    pub probabilities: &'a [f64],
    /// The same in units, with zeros up to the length of a row.
    pub units: &'a [i64],
    /// Units in 1.
    pub scale: f64,
}

#[inline(always)]
#[expect(
    clippy::inline_always,
    reason = "it must be compiled for the instructions of its caller"
)]
fn add(scores: &mut [f64], row: &[f64]) {
    for (score, &weight) in scores.iter_mut().zip(row) {
        *score += weight;
    }
}

#[inline(always)]
#[expect(
    clippy::inline_always,
    reason = "it must be compiled for the instructions of its caller"
)]
fn add_times(scores: &mut [f64], row: &[f64], value: f64) {
    for (score, &weight) in scores.iter_mut().zip(row) {
        *score += weight * value;
    }
}

/// Adding this to a number below 2^51 in size leaves its nearest whole number in the last bits.
const ROUNDER: f64 = 6_755_399_441_055_744.0;

/// The nearest whole number of one below 2^51 in size.
#[inline(always)]
#[expect(
    clippy::inline_always,
    reason = "it must be compiled for the instructions of its caller"
)]
pub(super) fn whole(number: f64) -> i64 {
    (number + ROUNDER)
        .to_bits()
        .wrapping_sub(ROUNDER.to_bits())
        .cast_signed()
}
