//! Training data laid out for speed: attributes that have weights with many labels are rows of a dense table, which are added as vectors.
//!
//! Such attributes are few and frequent: a part of speech, a neighbouring unit. Of the others most have one to a few labels: the pairs of all of them stand in one
//! list for each position, so that a position is one loop whose end the processor can foresee. Those with more labels have runs of pairs.

use super::dataset::Sequences;
use super::features::Features;
use super::ragged::{Ragged, reserve};
use crate::error::{Error, Result};
use crate::numeric::id_index;

/// An attribute becomes a row when it has weights with more than one label in so many.
const SHARE: usize = 4;

/// An attribute with more labels than this, and no row, has a run.
const SHORT: usize = 8;

/// An attribute that occurs so often or more is near memory's business.
const FREQUENT: u32 = 5;

/// Labels of a row are rounded up to whole vectors.
const VECTOR: usize = 8;

/// The attributes of each position: those that have rows, those that have runs, and the pairs of the others.
#[derive(Debug)]
pub(super) struct Rows {
    /// The length of a row.
    pub width: usize,
    /// The attribute of each row.
    owners: Vec<u32>,
    /// The cell of each pair of an attribute and a label. Those of frequent attributes come first: they fit into a cache that is near. Those of rare ones follow in the order
    /// of the attributes, which is mostly that of the text; those in the table are never looked at there.
    cells: Vec<u32>,
    dense: Ragged<u32>,
    runs: Ragged<Run>,
    pairs: Ragged<Pair>,
}

/// The pairs of an attribute: the first cell, the first pair, and their number.
#[derive(Debug, Clone, Copy)]
struct Run {
    cell: u32,
    pair: u32,
    length: u32,
}

/// A pair of an attribute and a label.
#[derive(Debug, Clone, Copy)]
struct Pair {
    cell: u32,
    label: u32,
}

/// What is read and written of a pair lies together, so that a rare attribute costs one access to far memory.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Cell {
    pub weight: f64,
    /// Expected count in units.
    pub sum: i64,
}

/// How many items all positions have.
#[derive(Debug, Clone, Copy, Default)]
struct Sizes {
    dense: usize,
    runs: usize,
    pairs: usize,
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
        let mut sizes = Sizes::default();
        let mut often = vec![0_u32; features.attributes()];
        let positions = data.positions();
        for position in 0..positions {
            data.features(position, |id, _| {
                let id = id_index(id);
                let length = runs[id + 1] - runs[id];
                often[id] = often[id].saturating_add(1);
                match row_of[id] {
                    Some(_) => sizes.dense += 1,
                    None if length > SHORT => sizes.runs += 1,
                    None => sizes.pairs += length,
                }
            });
        }
        let class = |id: usize| match row_of[id] {
            Some(_) => 2,
            None if often[id] < FREQUENT => 1,
            None => 0,
        };
        let has_values = data.has_values();
        let mut made = Self {
            width: labels.next_multiple_of(VECTOR),
            owners,
            cells: order(runs, class)?,
            dense: Ragged::new(positions, sizes.dense, has_values)?,
            runs: Ragged::new(positions, sizes.runs, has_values)?,
            pairs: Ragged::new(positions, sizes.pairs, has_values)?,
        };
        let short = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        for position in 0..positions {
            data.features(position, |id, value| {
                let id = id_index(id);
                let own = runs[id]..runs[id + 1];
                if let Some(row) = row_of[id] {
                    made.dense.push(row, value);
                } else if own.len() > SHORT {
                    let run = Run {
                        cell: made.cells[own.start],
                        pair: short(own.start),
                        length: short(own.len()),
                    };
                    made.runs.push(run, value);
                } else {
                    let labels = &features.state_labels()[own.clone()];
                    for (&cell, &label) in made.cells[own].iter().zip(labels) {
                        made.pairs.push(Pair { cell, label }, value);
                    }
                }
            });
            made.dense.close();
            made.runs.close();
            made.pairs.close();
        }
        Ok(made)
    }

    /// The cell of each pair of an attribute and a label.
    pub fn cells(&self) -> &[u32] {
        &self.cells
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
            let run = starts[id_index(attribute)]..starts[id_index(attribute) + 1];
            for (pair, &label) in run.clone().zip(&labels[run]) {
                each(pair, row * self.width + id_index(label));
            }
        }
    }

    /// Writes the score of each label at a position to `scores`, of the length of a row. `labels` are those of the pairs.
    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "it must be compiled for the instructions of its caller"
    )]
    pub fn score(
        &self,
        position: usize,
        labels: &[u32],
        table: &[f64],
        cells: &[Cell],
        scores: &mut [f64],
    ) {
        scores.fill(0.0);
        match self.dense.at(position) {
            (rows, None) => {
                let mut first = self.add_rows::<32>(table, rows, scores, 0);
                first = self.add_rows::<16>(table, rows, scores, first);
                self.add_rows::<VECTOR>(table, rows, scores, first);
            }
            (rows, Some(values)) => {
                for (&row, &value) in rows.iter().zip(values) {
                    let first = id_index(row) * self.width;
                    add_times(scores, &table[first..first + self.width], value);
                }
            }
        }
        let (runs, values) = self.runs.at(position);
        for (at, run) in runs.iter().enumerate() {
            let value = values.map_or(1.0, |values| values[at]);
            for (cell, &label) in run.of(cells, labels) {
                scores[id_index(label)] += cell.weight * value;
            }
        }
        match self.pairs.at(position) {
            (pairs, None) => {
                for pair in pairs {
                    scores[id_index(pair.label)] += cells[id_index(pair.cell)].weight;
                }
            }
            (pairs, Some(values)) => {
                for (pair, &value) in pairs.iter().zip(values) {
                    scores[id_index(pair.label)] += cells[id_index(pair.cell)].weight * value;
                }
            }
        }
    }

    /// Sums rows over `B` labels at once, which stay in registers, from `first` on; returns where labels are left.
    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "it must be compiled for the instructions of its caller"
    )]
    fn add_rows<const B: usize>(
        &self,
        table: &[f64],
        rows: &[u32],
        scores: &mut [f64],
        mut first: usize,
    ) -> usize {
        while let Some(part) = scores.get_mut(first..first + B) {
            let mut sums = [0.0; B];
            for &row in rows {
                let from = id_index(row) * self.width + first;
                for (sum, weight) in sums.iter_mut().zip(&table[from..from + B]) {
                    *sum += weight;
                }
            }
            part.copy_from_slice(&sums);
            first += B;
        }
        first
    }

    /// Adds the expected counts of pairs at a position in units: to cells, and for attributes that have rows to `table`. `labels` are those of the pairs.
    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "it must be compiled for the instructions of its caller"
    )]
    pub fn count(
        &self,
        position: usize,
        labels: &[u32],
        expected: &Expected<'_>,
        table: &mut [i64],
        cells: &mut [Cell],
    ) {
        let (rows, values) = self.dense.at(position);
        for (at, &row) in rows.iter().enumerate() {
            let first = id_index(row) * self.width;
            let row = &mut table[first..first + self.width];
            match values {
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
        let (runs, values) = self.runs.at(position);
        for (at, run) in runs.iter().enumerate() {
            let factor = values.map_or(1.0, |values| values[at]) * expected.scale;
            let length = id_index(run.length);
            let own = &mut cells[id_index(run.cell)..][..length];
            for (cell, &label) in own.iter_mut().zip(&labels[id_index(run.pair)..][..length]) {
                let probability = expected.probabilities[id_index(label)];
                cell.sum = cell.sum.wrapping_add(whole(probability * factor));
            }
        }
        match self.pairs.at(position) {
            (pairs, None) => {
                for pair in pairs {
                    let cell = &mut cells[id_index(pair.cell)];
                    cell.sum = cell.sum.wrapping_add(expected.units[id_index(pair.label)]);
                }
            }
            (pairs, Some(values)) => {
                for (pair, &value) in pairs.iter().zip(values) {
                    let probability = expected.probabilities[id_index(pair.label)];
                    let units = whole(probability * (value * expected.scale));
                    let cell = &mut cells[id_index(pair.cell)];
                    cell.sum = cell.sum.wrapping_add(units);
                }
            }
        }
    }
}

impl Run {
    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "it must be compiled for the instructions of its caller"
    )]
    fn of<'c>(
        self,
        cells: &'c [Cell],
        labels: &'c [u32],
    ) -> impl Iterator<Item = (&'c Cell, &'c u32)> {
        let length = id_index(self.length);
        let own = cells[id_index(self.cell)..][..length].iter();
        own.zip(&labels[id_index(self.pair)..][..length])
    }
}

/// Numbers for the pairs of all attributes: class by class, within a class in their order.
fn order(runs: &[usize], class: impl Fn(usize) -> usize) -> Result<Vec<u32>> {
    let mut starts = [0_usize; 4];
    for (id, run) in runs.windows(2).enumerate() {
        starts[class(id) + 1] += run[1] - run[0];
    }
    starts[2] += starts[1];
    let mut cells = Vec::new();
    reserve(&mut cells, runs.last().copied().unwrap_or(0))?;
    for (id, run) in runs.windows(2).enumerate() {
        let next = &mut starts[class(id)];
        for _ in run[0]..run[1] {
            // There are at most u32::MAX pairs.
            cells.push(u32::try_from(*next).unwrap_or(u32::MAX));
            *next += 1;
        }
    }
    Ok(cells)
}

/// Probabilities of labels at a position.
pub(super) struct Expected<'a> {
    pub probabilities: &'a [f64],
    /// The same in units, with zeros up to the length of a row.
    pub units: &'a [i64],
    /// Units in 1, times the weight of the sequence.
    pub scale: f64,
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
