//! Products of the rows of a forest with weights, and their transpose.

use super::block::BlockForest;
use super::packed::Packed;
use crate::numeric::to_index;

/// Sums that are added side by side, so that loops over doubles are vectorised. Part of the results: it must not change with the machine.
const LANES: usize = 8;

/// Where the sparse features of each row start.
#[derive(Debug, Default)]
pub(super) struct RowStarts {
    ones: Vec<u32>,
    values: Vec<u32>,
}

impl RowStarts {
    pub fn fill(&mut self, forest: &BlockForest<'_>) {
        forest.one_counts.unpack_starts(&mut self.ones);
        forest.value_counts.unpack_starts(&mut self.values);
    }
}

/// The scalar product of each row with `theta`, the weights of the features of the forest.
pub(super) fn row_scores(
    forest: &BlockForest<'_>,
    starts: &RowStarts,
    theta: &[f64],
    scores: &mut Vec<f64>,
) {
    scores.clear();
    scores.resize(forest.rows, 0.0);
    for (column, &weight) in columns(forest).zip(theta) {
        for (score, value) in scores.iter_mut().zip(column) {
            *score += weight * value;
        }
    }
    match forest.ones {
        Packed::Short(ones) => add_ones(ones, &starts.ones, theta, scores),
        Packed::Word(ones) => add_ones(ones, &starts.ones, theta, scores),
    }
    match forest.valued {
        Packed::Short(ids) => add_values(ids, forest.values, &starts.values, theta, scores),
        Packed::Word(ids) => add_values(ids, forest.values, &starts.values, theta, scores),
    }
}

/// The sum of all rows, each times a factor, by place among the features of the forest.
pub(super) fn sum_of_rows(
    forest: &BlockForest<'_>,
    starts: &RowStarts,
    factors: &[f64],
    sums: &mut [f64],
) {
    for (sum, column) in sums.iter_mut().zip(columns(forest)) {
        *sum = dot(factors, column);
    }
    match forest.ones {
        Packed::Short(ones) => spread_ones(ones, &starts.ones, factors, sums),
        Packed::Word(ones) => spread_ones(ones, &starts.ones, factors, sums),
    }
    match forest.valued {
        Packed::Short(ids) => spread_values(ids, forest.values, &starts.values, factors, sums),
        Packed::Word(ids) => spread_values(ids, forest.values, &starts.values, factors, sums),
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

/// A feature by place.
trait Place: Copy {
    fn at(self) -> usize;
}

impl Place for u16 {
    #[inline]
    fn at(self) -> usize {
        usize::from(self)
    }
}

impl Place for u32 {
    #[inline]
    fn at(self) -> usize {
        to_index(u64::from(self))
    }
}

fn add_ones(ones: &[impl Place], starts: &[u32], theta: &[f64], scores: &mut [f64]) {
    for (score, bounds) in scores.iter_mut().zip(starts.windows(2)) {
        for place in &ones[bounds[0].at()..bounds[1].at()] {
            *score += theta[place.at()];
        }
    }
}

fn add_values(
    ids: &[impl Place],
    values: &[f64],
    starts: &[u32],
    theta: &[f64],
    scores: &mut [f64],
) {
    if ids.is_empty() {
        return;
    }
    for (score, bounds) in scores.iter_mut().zip(starts.windows(2)) {
        let row = bounds[0].at()..bounds[1].at();
        for (place, value) in ids[row.clone()].iter().zip(&values[row]) {
            *score += theta[place.at()] * value;
        }
    }
}

fn spread_ones(ones: &[impl Place], starts: &[u32], factors: &[f64], sums: &mut [f64]) {
    for (factor, bounds) in factors.iter().zip(starts.windows(2)) {
        for place in &ones[bounds[0].at()..bounds[1].at()] {
            sums[place.at()] += factor;
        }
    }
}

fn spread_values(
    ids: &[impl Place],
    values: &[f64],
    starts: &[u32],
    factors: &[f64],
    sums: &mut [f64],
) {
    if ids.is_empty() {
        return;
    }
    for (factor, bounds) in factors.iter().zip(starts.windows(2)) {
        let row = bounds[0].at()..bounds[1].at();
        for (place, value) in ids[row.clone()].iter().zip(&values[row]) {
            sums[place.at()] += factor * value;
        }
    }
}
