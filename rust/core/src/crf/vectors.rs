//! Sums and products of long vectors on many threads, in fixed pieces: the same bits for any number of threads.

use crate::cancel::CancelToken;
use crate::parallel;

/// Elements of a piece.
const PIECE: usize = 1 << 16;

/// Partial sums of a dot product within a piece.
const PARTS: usize = 8;

/// What works on vectors: how many threads it may use.
#[derive(Debug, Clone, Copy)]
pub struct Vectors<'a> {
    threads: usize,
    cancel: &'a CancelToken,
}

impl<'a> Vectors<'a> {
    /// On up to so many threads. A cancelled token leaves results undefined: the caller looks at it before it uses them.
    #[must_use]
    pub fn new(threads: usize, cancel: &'a CancelToken) -> Self {
        Self { threads, cancel }
    }

    /// Threads that pay for vectors of this length.
    fn threads(&self, length: usize) -> usize {
        self.threads.min(length / (4 * PIECE)).max(1)
    }

    /// The sum of products.
    #[must_use]
    pub fn dot(&self, left: &[f64], right: &[f64]) -> f64 {
        let pieces: Vec<_> = left.chunks(PIECE).zip(right.chunks(PIECE)).collect();
        parallel::map(
            self.threads(left.len()),
            self.cancel,
            pieces,
            |_, (a, b)| Ok(dot_piece(a, b)),
        )
        .map_or(f64::NAN, |sums| sums.into_iter().sum())
    }

    /// Adds `factor * from` to `to`.
    pub fn add(&self, factor: f64, from: &[f64], to: &mut [f64]) {
        self.each(from, to, |a, b| *b += factor * a);
    }

    /// Subtracts `to` from `from`, into `to`.
    pub fn subtract_from(&self, from: &[f64], to: &mut [f64]) {
        self.each(from, to, |a, b| *b = a - *b);
    }

    /// Multiplies by a factor.
    pub fn multiply(&self, factor: f64, to: &mut [f64]) {
        for value in to {
            *value *= factor;
        }
    }

    /// Writes `from + step * direction`.
    pub fn walk(&self, from: &[f64], step: f64, direction: &[f64], to: &mut [f64]) {
        let pieces: Vec<_> = from
            .chunks(PIECE)
            .zip(direction.chunks(PIECE))
            .zip(to.chunks_mut(PIECE))
            .collect();
        let _ = parallel::map(
            self.threads(from.len()),
            self.cancel,
            pieces,
            |_, ((a, d), b)| {
                for ((a, d), b) in a.iter().zip(d).zip(b) {
                    *b = a + step * d;
                }
                Ok(())
            },
        );
    }

    fn each(&self, from: &[f64], to: &mut [f64], change: impl Fn(f64, &mut f64) + Sync) {
        let pieces: Vec<_> = from.chunks(PIECE).zip(to.chunks_mut(PIECE)).collect();
        let _ = parallel::map(
            self.threads(from.len()),
            self.cancel,
            pieces,
            |_, (a, b)| {
                for (a, b) in a.iter().zip(b) {
                    change(*a, b);
                }
                Ok(())
            },
        );
    }
}

fn dot_piece(left: &[f64], right: &[f64]) -> f64 {
    let mut sums = [0.0; PARTS];
    let (left_rows, left_rest) = left.as_chunks::<PARTS>();
    let (right_rows, right_rest) = right.as_chunks::<PARTS>();
    for (a, b) in left_rows.iter().zip(right_rows) {
        for part in 0..PARTS {
            sums[part] += a[part] * b[part];
        }
    }
    let rest: f64 = left_rest.iter().zip(right_rest).map(|(a, b)| a * b).sum();
    sums.into_iter().sum::<f64>() + rest
}

/// The largest absolute value; `None` when one is not finite.
#[must_use]
pub fn largest_magnitude(values: &[f64]) -> Option<f64> {
    values.iter().try_fold(0.0_f64, |top, value| {
        value.is_finite().then(|| top.max(value.abs()))
    })
}
