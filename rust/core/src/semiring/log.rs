//! Non-negative numbers as their natural logarithms: nothing underflows.

use super::{Commutative, Division, Semiring, Star};

/// A value is ln of a weight; `zero` is -infinity. `plus` is the logarithm of the sum of two weights, `times` the sum of two logarithms.
///
/// Identities and annihilation are exact. Otherwise the error is absolute and grows with the size of the logarithms: one operation is
/// wrong by at most 2^-52 (1 + max |ln|).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Log;

/// ln(exp a + exp b).
#[must_use]
pub fn log_add(a: f64, b: f64) -> f64 {
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    // -inf - -inf is no number.
    if low == f64::NEG_INFINITY {
        high
    } else {
        high + libm::log1p(libm::exp(low - high))
    }
}

impl Semiring for Log {
    type Value = f64;

    fn zero(&self) -> f64 {
        f64::NEG_INFINITY
    }

    fn one(&self) -> f64 {
        0.0
    }

    fn plus(&self, &a: &f64, &b: &f64) -> f64 {
        log_add(a, b)
    }

    fn times(&self, &a: &f64, &b: &f64) -> f64 {
        // No weight is +infinity, so that -infinity wins by itself.
        a + b
    }

    fn is_zero(&self, &a: &f64) -> bool {
        a == f64::NEG_INFINITY
    }
}

impl Commutative for Log {}

impl Star for Log {
    /// -ln(1 - exp a) for a < 0 (Maechler 2012 on which of two formulas is exact where).
    fn star(&self, &a: &f64) -> Option<f64> {
        if a >= 0.0 {
            None
        } else if a > -std::f64::consts::LN_2 {
            Some(-libm::log(-libm::expm1(a)))
        } else {
            Some(-libm::log1p(-libm::exp(a)))
        }
    }

    fn rounding(&self, &a: &f64) -> f64 {
        if a == f64::NEG_INFINITY {
            0.0
        } else {
            f64::EPSILON * (1.0 + a.abs())
        }
    }

    fn magnified(&self, &a: &f64, error: f64) -> f64 {
        a + error
    }
}

impl Division for Log {
    fn divide(&self, &a: &f64, &b: &f64) -> Option<f64> {
        (b != f64::NEG_INFINITY).then_some(a - b)
    }
}
