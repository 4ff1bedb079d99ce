//! The best derivation, by logarithms of probabilities.

use super::{Commutative, Division, Idempotent, Path, Semiring, Star};

/// A value is ln of a weight; `plus` is the maximum, `times` the sum of two logarithms; `zero` is -infinity.
///
/// `times` rounds once, with relative error 2^-53 of the sum; the other laws are exact, distributivity too, as rounding is monotone.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Viterbi;

impl Semiring for Viterbi {
    type Value = f64;

    fn zero(&self) -> f64 {
        f64::NEG_INFINITY
    }

    fn one(&self) -> f64 {
        0.0
    }

    fn plus(&self, &a: &f64, &b: &f64) -> f64 {
        if b > a { b } else { a }
    }

    fn times(&self, &a: &f64, &b: &f64) -> f64 {
        // No weight is +infinity, so that -infinity wins by itself.
        a + b
    }

    fn is_zero(&self, &a: &f64) -> bool {
        a == f64::NEG_INFINITY
    }
}

impl Commutative for Viterbi {}

impl Idempotent for Viterbi {}

impl Path for Viterbi {
    fn is_better(&self, a: &f64, b: &f64) -> bool {
        a > b
    }
}

impl Star for Viterbi {
    /// `one`, where no power is better: for weights of at most 1.
    fn star(&self, &a: &f64) -> Option<f64> {
        (a <= 0.0).then_some(0.0)
    }
}

impl Division for Viterbi {
    fn divide(&self, &a: &f64, &b: &f64) -> Option<f64> {
        (b != f64::NEG_INFINITY).then_some(a - b)
    }
}
