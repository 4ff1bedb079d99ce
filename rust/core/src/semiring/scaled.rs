//! Numbers of either sign with a wide exponent: nothing underflows, and no logarithm is taken.

use super::{Commutative, Division, Semiring, Star};

/// m 2^e with 1/2 <= |m| < 1 and an exponent of 64 bits; zero has one form, m = +0 and e = 0.
///
/// Past the range of the exponent a number is infinite (m) or zero, as a double would be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScaledValue {
    mantissa: f64,
    exponent: i64,
}

/// ln 2 as a double that ends in zeros, so that its products with exponents of up to 20 bits are exact, and the rest.
const LN_2_HIGH: f64 = 6.931_471_803_691_238e-1;
const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;

impl ScaledValue {
    /// A number m 2^e of any m.
    #[must_use]
    pub fn new(mantissa: f64, exponent: i64) -> Self {
        let (fraction, shift) = libm::frexp(mantissa);
        if fraction == 0.0 {
            return Self::ZERO;
        }
        if !fraction.is_finite() {
            return Self {
                mantissa: fraction,
                exponent: 0,
            };
        }
        match exponent.checked_add(shift.into()) {
            Some(exponent) => Self {
                mantissa: fraction,
                exponent,
            },
            None if exponent < 0 => Self::ZERO,
            None => Self {
                mantissa: fraction * f64::INFINITY,
                exponent: 0,
            },
        }
    }

    const ZERO: Self = Self {
        mantissa: 0.0,
        exponent: 0,
    };

    /// The number whose natural logarithm is `ln`: the relative error is that of ln, about |ln| 2^-53, and 2^-52.
    #[must_use]
    pub fn from_ln(ln: f64) -> Self {
        if ln == f64::NEG_INFINITY {
            return Self::ZERO;
        }
        let power = libm::round(ln / std::f64::consts::LN_2);
        let rest = (ln - power * LN_2_HIGH) - power * LN_2_LOW;
        Self::new(libm::exp(rest), to_exponent(power))
    }

    /// The natural logarithm of the magnitude.
    #[must_use]
    pub fn ln(self) -> f64 {
        let power = from_exponent(self.exponent);
        power * LN_2_HIGH + (libm::log(self.mantissa.abs()) + power * LN_2_LOW)
    }

    /// m, whose sign is that of the number.
    #[must_use]
    pub fn mantissa(self) -> f64 {
        self.mantissa
    }

    /// e.
    #[must_use]
    pub fn exponent(self) -> i64 {
        self.exponent
    }

    /// The number with the other sign.
    #[must_use]
    pub fn negated(self) -> Self {
        Self::new(-self.mantissa, self.exponent)
    }

    /// The number as a double: 0 or infinite where that cannot hold it.
    #[must_use]
    pub fn to_f64(self) -> f64 {
        // Beyond these bounds the result is 0 or infinite already.
        let exponent = i32::try_from(self.exponent.clamp(-4000, 4000)).unwrap_or_default();
        libm::ldexp(self.mantissa, exponent)
    }
}

impl From<f64> for ScaledValue {
    fn from(number: f64) -> Self {
        Self::new(number, 0)
    }
}

/// An integer in a double as an exponent, the nearest one there is.
#[expect(
    clippy::cast_possible_truncation,
    reason = "saturates, which is what is asked for"
)]
fn to_exponent(power: f64) -> i64 {
    power as i64
}

/// An exponent as the nearest double.
#[expect(
    clippy::cast_precision_loss,
    reason = "rounding to the nearest double is what is asked for"
)]
fn from_exponent(exponent: i64) -> f64 {
    exponent as f64
}

/// The field of real numbers as mantissas with wide exponents (Li and Eisner 2009, footnote 6).
///
/// Each operation rounds once, with relative error 2^-53; a number and its negative sum to `zero` exactly; identities and annihilation are exact.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Scaled;

/// Beyond this difference of exponents a term changes no bit of a sum.
const NEGLIGIBLE: i64 = 64;

impl Semiring for Scaled {
    type Value = ScaledValue;

    fn zero(&self) -> ScaledValue {
        ScaledValue::ZERO
    }

    fn one(&self) -> ScaledValue {
        ScaledValue::new(1.0, 0)
    }

    fn plus(&self, &a: &ScaledValue, &b: &ScaledValue) -> ScaledValue {
        if self.is_zero(&a) {
            return b;
        }
        if self.is_zero(&b) {
            return a;
        }
        if !(a.mantissa.is_finite() && b.mantissa.is_finite()) {
            // An infinite one has a small exponent, and a finite one is nothing to it.
            let finite_is_nothing = |x: f64| if x.is_finite() { 0.0 } else { x };
            return ScaledValue::new(
                finite_is_nothing(a.mantissa) + finite_is_nothing(b.mantissa),
                0,
            );
        }
        let (low, high) = if a.exponent < b.exponent {
            (a, b)
        } else {
            (b, a)
        };
        match high.exponent.checked_sub(low.exponent) {
            Some(shift @ 0..=NEGLIGIBLE) => {
                let aligned = libm::ldexp(low.mantissa, -i32::try_from(shift).unwrap_or_default());
                ScaledValue::new(high.mantissa + aligned, high.exponent)
            }
            _ => high,
        }
    }

    fn times(&self, a: &ScaledValue, b: &ScaledValue) -> ScaledValue {
        // Also where the other factor has overflowed.
        if self.is_zero(a) || self.is_zero(b) {
            return ScaledValue::ZERO;
        }
        let mantissa = a.mantissa * b.mantissa;
        match a.exponent.checked_add(b.exponent) {
            Some(exponent) => ScaledValue::new(mantissa, exponent),
            None if a.exponent < 0 => ScaledValue::ZERO,
            None => ScaledValue::new(mantissa * f64::INFINITY, 0),
        }
    }

    fn is_zero(&self, a: &ScaledValue) -> bool {
        a.mantissa == 0.0
    }
}

impl Commutative for Scaled {}

impl Star for Scaled {
    /// 1 / (1 - a) for -1 < a < 1, where the series converges.
    fn star(&self, a: &ScaledValue) -> Option<ScaledValue> {
        let number = a.to_f64();
        (number.abs() < 1.0).then(|| ScaledValue::from(1.0 / (1.0 - number)))
    }

    fn rounding(&self, _: &ScaledValue) -> f64 {
        f64::EPSILON
    }

    fn magnified(&self, a: &ScaledValue, error: f64) -> ScaledValue {
        ScaledValue::new(a.mantissa.abs() * (1.0 + error), a.exponent)
    }
}

impl Division for Scaled {
    fn divide(&self, a: &ScaledValue, b: &ScaledValue) -> Option<ScaledValue> {
        if self.is_zero(b) {
            return None;
        }
        if self.is_zero(a) {
            return Some(*a);
        }
        let mantissa = a.mantissa / b.mantissa;
        Some(match a.exponent.checked_sub(b.exponent) {
            Some(exponent) => ScaledValue::new(mantissa, exponent),
            None if a.exponent < 0 => ScaledValue::ZERO,
            None => ScaledValue::new(mantissa * f64::INFINITY, 0),
        })
    }
}
