//! The cheapest derivation.

use super::{Commutative, Division, Idempotent, Path, Semiring, Star};

/// A value is a cost; `plus` is the minimum, `times` the sum of two costs; `zero` is infinity.
///
/// `times` rounds once, with relative error 2^-53 of the sum; the other laws are exact, distributivity too, as rounding is monotone.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tropical;

impl Semiring for Tropical {
    type Value = f64;

    fn zero(&self) -> f64 {
        f64::INFINITY
    }

    fn one(&self) -> f64 {
        0.0
    }

    fn plus(&self, &a: &f64, &b: &f64) -> f64 {
        if b < a { b } else { a }
    }

    fn times(&self, &a: &f64, &b: &f64) -> f64 {
        // No cost is -infinity, so that infinity wins by itself.
        a + b
    }

    fn is_zero(&self, &a: &f64) -> bool {
        a == f64::INFINITY
    }
}

impl Commutative for Tropical {}

impl Idempotent for Tropical {}

impl Path for Tropical {
    fn is_better(&self, a: &f64, b: &f64) -> bool {
        a < b
    }
}

impl Star for Tropical {
    /// `one`, where no power is cheaper: for costs of at least 0.
    fn star(&self, &a: &f64) -> Option<f64> {
        (a >= 0.0).then_some(0.0)
    }
}

impl Division for Tropical {
    fn divide(&self, &a: &f64, &b: &f64) -> Option<f64> {
        (b != f64::INFINITY).then_some(a - b)
    }
}
