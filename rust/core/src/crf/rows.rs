//! Training data laid out for speed: attributes that have weights with many labels are rows of a dense table, which are added as vectors.
//!
//! Such attributes are few and frequent: a part of speech, a neighbouring unit. The others are many, rare, and have runs of a few labels.

use super::dataset::Sequences;
use super::features::Features;
use crate::error::{Error, Result};

/// An attribute becomes a row when it has weights with more than one label in so many.
const SHARE: usize = 4;

/// Labels of a row are rounded up to whole vectors.
const VECTOR: usize = 8;

/// The attributes of each position: those that have rows, and the runs of pairs of the others.
#[derive(Debug)]
pub(super) struct Rows {
    /// The length of a row.
    pub width: usize,
    /// The attribute of each row.
    owners: Vec<u32>,
    dense: Ragged<u32>,
    runs: Ragged<Run>,
}

/// Items of each position with their values; none when all values are 1.
#[derive(Debug)]
struct Ragged<T> {
    starts: Vec<usize>,
    items: Vec<T>,
    values: Option<Vec<f64>>,
}

/// The pairs of an attribute.
#[derive(Debug, Clone, Copy)]
struct Run {
    start: u32,
    end: u32,
}

/// A pair of an attribute and a label: what is read and written together lies together, so that a rare attribute costs one access to far memory.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Cell {
    pub weight: f64,
    /// Expected count in units.
    pub sum: i64,
    pub label: u32,
}

impl<T> Ragged<T> {
    fn new(positions: usize, items: usize, has_values: bool) -> Result<Self> {
        let mut made = Self {
            starts: Vec::new(),
            items: Vec::new(),
            values: has_values.then(Vec::new),
        };
        reserve(&mut made.starts, positions + 1)?;
        reserve(&mut made.items, items)?;
        if let Some(values) = &mut made.values {
            reserve(values, items)?;
        }
        made.starts.push(0);
        Ok(made)
    }

    fn push(&mut self, item: T, value: f64) {
        self.items.push(item);
        if let Some(values) = &mut self.values {
            values.push(value);
        }
    }
}

fn reserve<T>(items: &mut Vec<T>, count: usize) -> Result<()> {
    items.try_reserve_exact(count).map_err(|_| Error::Memory {
        what: "the attributes of training data",
        bytes: (count as u64).saturating_mul(size_of::<T>() as u64),
    })
}

impl Rows {
    pub fn new(data: &Sequences, features: &Features) -> Result<Self> {
        let labels = features.labels();
        let runs = features.state_starts();
        if u32::try_from(features.len()).is_err() {
            return Err(Error::TooLarge {
                what: "the number of weights of a random field",
                limit: u64::from(u32::MAX),
            });
        }
        let mut row_of = vec![None; features.attributes()];
        let mut owners = Vec::new();
        for (attribute, (run, row)) in (0..).zip(runs.windows(2).zip(&mut row_of)) {
            let length = run[1] - run[0];
            if length * SHARE > labels && length > 2 {
                *row = u32::try_from(owners.len()).ok();
                owners.push(attribute);
            }
        }
        let mut in_rows = 0;
        for position in 0..data.positions() {
            data.features(position, |id, _| {
                in_rows += usize::from(row_of[id as usize].is_some());
            });
        }
        let (positions, has_values) = (data.positions(), data.has_values());
        let mut made = Self {
            width: labels.next_multiple_of(VECTOR),
            owners,
            dense: Ragged::new(positions, in_rows, has_values)?,
            runs: Ragged::new(positions, data.occurrences() - in_rows, has_values)?,
        };
        let short = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        for position in 0..positions {
            data.features(position, |id, value| {
                let id = id as usize;
                if let Some(row) = row_of[id] {
                    made.dense.push(row, value);
                } else if runs[id] < runs[id + 1] {
                    let (start, end) = (short(runs[id]), short(runs[id + 1]));
                    made.runs.push(Run { start, end }, value);
                }
            });
            made.dense.starts.push(made.dense.items.len());
            made.runs.starts.push(made.runs.items.len());
        }
        Ok(made)
    }

    /// Elements of the table.
    pub fn size(&self) -> usize {
        self.owners.len() * self.width
    }

    /// The weights of attributes that have rows, as a table; 0 for pairs without a weight.
    pub fn table(&self, features: &Features, weights: &[f64]) -> Vec<f64> {
        let mut table = vec![0.0; self.size()];
        self.each_pair(features, |pair, cell| table[cell] = weights[pair]);
        table
    }

    /// Calls `each` with the number of each pair that lies in the table, and its place there.
    pub fn each_pair(&self, features: &Features, mut each: impl FnMut(usize, usize)) {
        let (starts, labels) = (features.state_starts(), features.state_labels());
        for (row, &attribute) in self.owners.iter().enumerate() {
            let run = starts[attribute as usize]..starts[attribute as usize + 1];
            for (pair, &label) in run.clone().zip(&labels[run]) {
                each(pair, row * self.width + label as usize);
            }
        }
    }

    /// Writes the score of each label at a position to `scores`, of the length of a row.
    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "it must be compiled for the instructions of its caller"
    )]
    pub fn score(&self, position: usize, table: &[f64], cells: &[Cell], scores: &mut [f64]) {
        scores.fill(0.0);
        for at in self.dense.starts[position]..self.dense.starts[position + 1] {
            let first = self.dense.items[at] as usize * self.width;
            let row = &table[first..first + self.width];
            match &self.dense.values {
                None => add(scores, row),
                Some(values) => add_times(scores, row, values[at]),
            }
        }
        for at in self.runs.starts[position]..self.runs.starts[position + 1] {
            let run = self.runs.items[at];
            let cells = &cells[run.start as usize..run.end as usize];
            match &self.runs.values {
                None => {
                    for cell in cells {
                        scores[cell.label as usize] += cell.weight;
                    }
                }
                Some(values) => {
                    for cell in cells {
                        scores[cell.label as usize] += cell.weight * values[at];
                    }
                }
            }
        }
    }

    /// Adds the expected counts of pairs at a position in units: to cells, and for attributes that have rows to `table`.
    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "it must be compiled for the instructions of its caller"
    )]
    pub fn count(
        &self,
        position: usize,
        expected: &Expected<'_>,
        table: &mut [i64],
        cells: &mut [Cell],
    ) {
        for at in self.dense.starts[position]..self.dense.starts[position + 1] {
            let first = self.dense.items[at] as usize * self.width;
            let row = &mut table[first..first + self.width];
            match &self.dense.values {
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
        for at in self.runs.starts[position]..self.runs.starts[position + 1] {
            let run = self.runs.items[at];
            let cells = &mut cells[run.start as usize..run.end as usize];
            match &self.runs.values {
                None => {
                    for cell in cells {
                        cell.sum = cell.sum.wrapping_add(expected.units[cell.label as usize]);
                    }
                }
                Some(values) => {
                    let factor = values[at] * expected.scale;
                    for cell in cells {
                        let probability = expected.probabilities[cell.label as usize];
                        cell.sum = cell.sum.wrapping_add(whole(probability * factor));
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
