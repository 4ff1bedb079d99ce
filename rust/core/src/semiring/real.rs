//! Real numbers as they are, with the range of doubles.

use super::{Commutative, Division, Semiring, Star};

/// The field of real numbers in double precision. Products of many probabilities underflow: use [`super::Log`] for those.
///
/// Identities and annihilation are exact (weights are finite); each operation rounds once, with relative error 2^-53.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Real;

impl Semiring for Real {
    type Value = f64;

    fn zero(&self) -> f64 {
        0.0
    }

    fn one(&self) -> f64 {
        1.0
    }

    fn plus(&self, &a: &f64, &b: &f64) -> f64 {
        a + b
    }

    fn times(&self, &a: &f64, &b: &f64) -> f64 {
        // Also where the other factor has overflowed.
        if a == 0.0 || b == 0.0 { 0.0 } else { a * b }
    }

    fn is_zero(&self, &a: &f64) -> bool {
        a == 0.0
    }
}

impl Commutative for Real {}

impl Star for Real {
    /// 1 / (1 - a) for -1 < a < 1, where the series converges.
    fn star(&self, &a: &f64) -> Option<f64> {
        (a.abs() < 1.0).then(|| 1.0 / (1.0 - a))
    }

    fn rounding(&self, _: &f64) -> f64 {
        f64::EPSILON
    }

    fn magnified(&self, &a: &f64, error: f64) -> f64 {
        a.abs() * (1.0 + error)
    }
}

impl Division for Real {
    fn divide(&self, &a: &f64, &b: &f64) -> Option<f64> {
        (b != 0.0).then(|| a / b)
    }
}
