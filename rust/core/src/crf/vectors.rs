//! Sums and products of long vectors on many threads, in fixed pieces: the same bits for any number of threads.

use crate::cancel::CancelToken;
use crate::parallel;

/// Elements of a piece.
const PIECE: usize = 1 << 16;

/// Elements that stay in the nearest cache between two operations.
const BLOCK: usize = 1 << 10;

/// Partial sums of a dot product within a piece.
const PARTS: usize = 8;

/// What works on vectors: how many threads it may use. Each operation takes milliseconds, and ends before an interrupt is looked at: half of one would leave wrong numbers.
#[derive(Debug, Clone)]
pub struct Vectors {
    threads: usize,
    never: CancelToken,
}

impl Vectors {
    /// On up to so many threads.
    #[must_use]
    pub fn new(threads: usize) -> Self {
        Self {
            threads,
            never: CancelToken::new(),
        }
    }

    /// Threads that pay for vectors of this length.
    fn threads(&self, length: usize) -> usize {
        self.threads.min(length / (2 * PIECE)).max(1)
    }

    /// The sum of products.
    #[must_use]
    pub fn dot(&self, left: &[f64], right: &[f64]) -> f64 {
        let pieces: Vec<_> = left.chunks(PIECE).zip(right.chunks(PIECE)).collect();
        parallel::map(
            self.threads(left.len()),
            &self.never,
            pieces,
            |_, (a, b)| Ok(dot_piece(a, b)),
        )
        .map_or(f64::NAN, |sums| sums.into_iter().sum())
    }

    /// Adds `factor * from` to `to`; returns the sum of products of the result and `other`. One way through memory where two would be needed.
    #[must_use]
    pub fn add_then_dot(&self, factor: f64, from: &[f64], to: &mut [f64], other: &[f64]) -> f64 {
        let pieces: Vec<_> = from
            .chunks(PIECE)
            .zip(to.chunks_mut(PIECE))
            .zip(other.chunks(PIECE))
            .collect();
        parallel::map(
            self.threads(from.len()),
            &self.never,
            pieces,
            |_, ((a, b), c)| {
                let mut sum = 0.0;
                for ((a, b), c) in a
                    .chunks(BLOCK)
                    .zip(b.chunks_mut(BLOCK))
                    .zip(c.chunks(BLOCK))
                {
                    for (a, b) in a.iter().zip(&mut *b) {
                        *b += factor * a;
                    }
                    sum += dot_piece(b, c);
                }
                Ok(sum)
            },
        )
        .map_or(f64::NAN, |sums| sums.into_iter().sum())
    }

    /// Adds `factor * from` to `to`; returns the sum of squares of `from`.
    #[must_use]
    pub fn add_and_square(&self, factor: f64, from: &[f64], to: &mut [f64]) -> f64 {
        self.each(from, to, |a, b| *b += factor * a);
        self.dot(from, from)
    }

    /// Subtracts `to` from `from`, into `to`.
    pub fn subtract_from(&self, from: &[f64], to: &mut [f64]) {
        self.each(from, to, |a, b| *b = a - *b);
    }

    /// Multiplies by a factor.
    pub fn multiply(&self, factor: f64, to: &mut [f64]) {
        let threads = self.threads(to.len());
        let pieces: Vec<_> = to.chunks_mut(PIECE).collect();
        let _ = parallel::map(threads, &self.never, pieces, |_, b| {
            for value in b {
                *value *= factor;
            }
            Ok(())
        });
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
            &self.never,
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
            &self.never,
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
