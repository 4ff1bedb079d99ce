//! Products of the rows of a forest with weights, and their transpose.

use super::block::BlockForest;
use super::packed::Packed;
use super::tails::Place;
use crate::numeric::to_index;

/// Sums that are added side by side, so that loops over doubles are vectorised. Part of the results: it must not change with the machine.
const LANES: usize = 8;

/// As many for sums over chosen places.
const CHOSEN_LANES: usize = 4;

/// So many scores stay in the first cache while one column after the other is added to them.
const CHUNK: usize = 1 << 10;

/// The scalar product of each row with `theta`, the weights of the features of the forest.
pub(super) fn row_scores(forest: &BlockForest<'_>, theta: &[f64], scores: &mut Vec<f64>) {
    scores.clear();
    scores.resize(forest.rows, 0.0);
    for (n, chunk) in scores.chunks_mut(CHUNK).enumerate() {
        for (column, &weight) in columns(forest).zip(theta) {
            let column = &column[n * CHUNK..][..chunk.len()];
            for (score, value) in chunk.iter_mut().zip(column) {
                *score += weight * value;
            }
        }
    }
    let theta = &theta[forest.dense..];
    let mut rest = forest.ones;
    for (&weight, count) in theta.iter().zip(Counts(forest.one_counts, 0)) {
        match rest.split_off(count) {
            Packed::Short(rows) => add_to(rows, weight, scores),
            Packed::Word(rows) => add_to(rows, weight, scores),
        }
    }
    let (mut rest, mut values) = (forest.valued, forest.values);
    for (&weight, count) in theta.iter().zip(Counts(forest.value_counts, 0)) {
        let (here, others) = values.split_at(count);
        values = others;
        match rest.split_off(count) {
            Packed::Short(rows) => add_products_to(rows, here, weight, scores),
            Packed::Word(rows) => add_products_to(rows, here, weight, scores),
        }
    }
}

/// The sum of all rows, each times a factor, by place among the features of the forest.
pub(super) fn sum_of_rows(forest: &BlockForest<'_>, factors: &[f64], sums: &mut [f64]) {
    let (dense, sparse) = sums.split_at_mut(forest.dense);
    for (sum, column) in dense.iter_mut().zip(columns(forest)) {
        *sum = dot(factors, column);
    }
    let mut rest = forest.ones;
    for (sum, count) in sparse.iter_mut().zip(Counts(forest.one_counts, 0)) {
        *sum = match rest.split_off(count) {
            Packed::Short(rows) => sum_of(rows, factors),
            Packed::Word(rows) => sum_of(rows, factors),
        };
    }
    let (mut rest, mut values) = (forest.valued, forest.values);
    for (sum, count) in sparse.iter_mut().zip(Counts(forest.value_counts, 0)) {
        let (here, others) = values.split_at(count);
        values = others;
        *sum += match rest.split_off(count) {
            Packed::Short(rows) => sum_of_products(rows, here, factors),
            Packed::Word(rows) => sum_of_products(rows, here, factors),
        };
    }
}

/// A scalar product, in so many sums side by side.
pub(super) fn dot(left: &[f64], right: &[f64]) -> f64 {
    let (lefts, rights) = (left.chunks_exact(LANES), right.chunks_exact(LANES));
    let mut rest = 0.0;
    for (a, b) in lefts.remainder().iter().zip(rights.remainder()) {
        rest += a * b;
    }
    let mut sums = [0.0; LANES];
    for (a, b) in lefts.zip(rights) {
        for (sum, (a, b)) in sums.iter_mut().zip(a.iter().zip(b)) {
            *sum += a * b;
        }
    }
    sums.iter().sum::<f64>() + rest
}

fn columns<'a>(forest: &BlockForest<'a>) -> impl Iterator<Item = &'a [f64]> {
    // Without rows there are no dense features.
    forest.columns.chunks_exact(forest.rows.max(1))
}

/// Numbers one after the other.
struct Counts<'a>(Packed<'a>, usize);

impl Iterator for Counts<'_> {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        if self.1 >= self.0.len() {
            return None;
        }
        self.1 += 1;
        Some(to_index(u64::from(self.0.get(self.1 - 1))))
    }
}

#[inline]
fn add_to(rows: &[impl Place], weight: f64, scores: &mut [f64]) {
    for row in rows {
        scores[row.at()] += weight;
    }
}

#[inline]
fn add_products_to(rows: &[impl Place], values: &[f64], weight: f64, scores: &mut [f64]) {
    for (row, value) in rows.iter().zip(values) {
        scores[row.at()] += weight * value;
    }
}

#[inline]
fn sum_of(rows: &[impl Place], factors: &[f64]) -> f64 {
    let mut sums = [0.0; CHOSEN_LANES];
    let parts = rows.chunks_exact(CHOSEN_LANES);
    let rest = parts
        .remainder()
        .iter()
        .map(|row| factors[row.at()])
        .sum::<f64>();
    for part in parts {
        for (sum, row) in sums.iter_mut().zip(part) {
            *sum += factors[row.at()];
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

#[inline]
fn sum_of_products(rows: &[impl Place], values: &[f64], factors: &[f64]) -> f64 {
    let products = rows.iter().zip(values);
    products.map(|(row, value)| factors[row.at()] * value).sum()
}
