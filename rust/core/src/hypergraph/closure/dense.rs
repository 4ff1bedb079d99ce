//! Linear systems x = A x + b over a semiring as full matrices.

use crate::cancel::CancelToken;
use crate::error::Error;
use crate::semiring::{Commutative, Star};

pub(super) enum Failure {
    /// The loop of this unknown through those before it has no sum.
    Diverges(usize),
    /// Anything else.
    Failed(Error),
}

/// The least solution of a system with a square matrix, row by row; `rounding` is raised to the worst of an operation. O(n^3).
pub(super) fn solve<S: Commutative + Star>(
    semiring: &S,
    mut matrix: Vec<S::Value>,
    mut constants: Vec<S::Value>,
    rounding: &mut f64,
    cancel: &CancelToken,
) -> Result<Vec<S::Value>, Failure> {
    let size = constants.len();
    for pivot in 0..size {
        cancel.check().map_err(Failure::Failed)?;
        let (above, below) = matrix.split_at_mut((pivot + 1) * size);
        let row = &mut above[pivot * size..];
        let star = semiring.star(&row[pivot]).ok_or(Failure::Diverges(pivot))?;
        *rounding = rounding.max(semiring.rounding(&star));
        for value in &mut row[pivot + 1..] {
            *value = semiring.times(&star, value);
        }
        constants[pivot] = semiring.times(&star, &constants[pivot]);
        let (known, rest) = constants.split_at_mut(pivot + 1);
        for (other, constant) in below.chunks_exact_mut(size).zip(rest) {
            if semiring.is_zero(&other[pivot]) {
                continue;
            }
            let (factor, values) = other[pivot..].split_at_mut(1);
            for (sum, value) in values.iter_mut().zip(&row[pivot + 1..]) {
                semiring.accumulate(sum, &semiring.times(&factor[0], value));
                *rounding = rounding.max(semiring.rounding(sum));
            }
            let term = semiring.times(&factor[0], &known[pivot]);
            semiring.accumulate(constant, &term);
        }
    }
    for unknown in (0..size).rev() {
        let (open, solved) = constants.split_at_mut(unknown + 1);
        let row = &matrix[unknown * size..][unknown + 1..size];
        for (coefficient, value) in row.iter().zip(solved) {
            let term = semiring.times(coefficient, value);
            semiring.accumulate(&mut open[unknown], &term);
        }
    }
    Ok(constants)
}
