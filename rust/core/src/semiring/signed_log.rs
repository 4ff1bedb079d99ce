//! Numbers of either sign as a sign and a logarithm: nothing underflows.

use super::{Commutative, Division, Log, Semiring, Star, log::log_add};

/// A number as its sign and the natural logarithm of its magnitude.
///
/// Zero has one form: ln = -infinity and no sign. [`SignedLogValue::new`] sees to that.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SignedLogValue {
    ln: f64,
    is_negative: bool,
}

impl SignedLogValue {
    /// The number whose magnitude has the natural logarithm `ln`.
    #[must_use]
    pub fn new(ln: f64, is_negative: bool) -> Self {
        Self {
            ln,
            is_negative: is_negative && ln != f64::NEG_INFINITY,
        }
    }

    /// ln of the magnitude.
    #[must_use]
    pub fn ln(self) -> f64 {
        self.ln
    }

    /// Whether the number is below zero.
    #[must_use]
    pub fn is_negative(self) -> bool {
        self.is_negative
    }

    /// The number with the other sign.
    #[must_use]
    pub fn negated(self) -> Self {
        Self::new(self.ln, !self.is_negative)
    }

    /// The number as a double, where that can hold it.
    #[must_use]
    pub fn to_f64(self) -> f64 {
        let magnitude = libm::exp(self.ln);
        if self.is_negative {
            -magnitude
        } else {
            magnitude
        }
    }
}

impl From<f64> for SignedLogValue {
    fn from(number: f64) -> Self {
        Self::new(libm::log(number.abs()), number < 0.0)
    }
}

/// The field of real numbers as signs and logarithms (Li and Eisner 2009, Table 3), for the gradients and expectations that stand beside weights in
/// [`super::Log`].
///
/// A number and its negative sum to `zero` exactly; identities and annihilation are exact. Otherwise an operation is wrong by at most
/// 2^-52 (1 + max |ln|) times the sum of the magnitudes of its terms: after cancellation little may be left of the result, as with any floating-point sum.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SignedLog;

/// ln(1 - exp a) for a < 0 (Maechler 2012 on which of two formulas is exact where).
fn log_complement(a: f64) -> f64 {
    if a > -std::f64::consts::LN_2 {
        libm::log(-libm::expm1(a))
    } else {
        libm::log1p(-libm::exp(a))
    }
}

impl Semiring for SignedLog {
    type Value = SignedLogValue;

    fn zero(&self) -> SignedLogValue {
        SignedLogValue::new(f64::NEG_INFINITY, false)
    }

    fn one(&self) -> SignedLogValue {
        SignedLogValue::new(0.0, false)
    }

    fn plus(&self, &a: &SignedLogValue, &b: &SignedLogValue) -> SignedLogValue {
        if a.is_negative == b.is_negative {
            return SignedLogValue::new(log_add(a.ln, b.ln), a.is_negative);
        }
        let (low, high) = if a.ln < b.ln { (a, b) } else { (b, a) };
        if low.ln == f64::NEG_INFINITY {
            high
        } else if low.ln < high.ln {
            SignedLogValue::new(high.ln + log_complement(low.ln - high.ln), high.is_negative)
        } else {
            self.zero()
        }
    }

    fn times(&self, &a: &SignedLogValue, &b: &SignedLogValue) -> SignedLogValue {
        SignedLogValue::new(a.ln + b.ln, a.is_negative != b.is_negative)
    }

    fn is_zero(&self, a: &SignedLogValue) -> bool {
        a.ln == f64::NEG_INFINITY
    }
}

impl Commutative for SignedLog {}

impl Star for SignedLog {
    /// 1 / (1 - a) for -1 < a < 1, where the series converges.
    fn star(&self, &a: &SignedLogValue) -> Option<SignedLogValue> {
        (a.ln < 0.0).then(|| {
            let ln = if a.is_negative {
                -libm::log1p(libm::exp(a.ln))
            } else {
                -log_complement(a.ln)
            };
            SignedLogValue::new(ln, false)
        })
    }

    fn rounding(&self, a: &SignedLogValue) -> f64 {
        Log.rounding(&a.ln)
    }

    fn magnified(&self, a: &SignedLogValue, error: f64) -> SignedLogValue {
        SignedLogValue::new(Log.magnified(&a.ln, error), false)
    }
}

impl Division for SignedLog {
    fn divide(&self, a: &SignedLogValue, b: &SignedLogValue) -> Option<SignedLogValue> {
        (!self.is_zero(b)).then(|| SignedLogValue::new(a.ln - b.ln, a.is_negative != b.is_negative))
    }
}
