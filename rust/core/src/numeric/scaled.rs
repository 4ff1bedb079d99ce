//! Non-negative numbers with a wide exponent: products of any number of probabilities, without logarithms.

use std::f64::consts::{LN_2, LOG2_E};

/// The exponent of zero. Finite, so that differences of exponents are numbers, and below that of every product of weights.
pub const DEAD: f64 = -1e18;

/// Logarithms beyond this cannot be split exactly.
pub const LARGEST_LOG: f64 = 1.4e9;

/// 1.5 2^52: added and subtracted again, it leaves the nearest integer.
const ROUNDER: f64 = 6_755_399_441_055_744.0;

/// ln 2 in two parts; the first has zeros at its end, so that its product with a 31-bit integer is exact.
const LN_2_HIGH: f64 = 6.931_471_803_691_238e-1;
const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;

/// A number `mantissa 2^exponent`; the exponent is a whole number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scaled {
    /// From 1 to 2 in normal form, or 0.
    pub mantissa: f64,
    /// A whole number.
    pub exponent: f64,
}

impl Scaled {
    /// Zero, in normal form.
    pub const ZERO: Self = Self {
        mantissa: 0.0,
        exponent: DEAD,
    };

    /// A finite number that is not negative.
    #[must_use]
    #[inline]
    pub fn new(value: f64) -> Self {
        Self::raw(value, 0.0).normal()
    }

    /// These very parts.
    #[must_use]
    #[inline]
    pub const fn raw(mantissa: f64, exponent: f64) -> Self {
        Self { mantissa, exponent }
    }

    /// The same number with a mantissa from 1 to 2.
    #[must_use]
    #[inline]
    pub fn normal(self) -> Self {
        const SUBNORMAL: f64 = 18_014_398_509_481_984.0; // 2^54
        const MANTISSA_BITS: u64 = (1 << 52) - 1;
        if self.mantissa < f64::MIN_POSITIVE {
            if self.mantissa == 0.0 {
                return Self::ZERO;
            }
            return Self::raw(self.mantissa * SUBNORMAL, self.exponent - 54.0).normal();
        }
        let bits = self.mantissa.to_bits();
        // Eleven bits fit 32.
        let exponent = u32::try_from(bits >> 52).unwrap_or(0);
        Self {
            mantissa: f64::from_bits((bits & MANTISSA_BITS) | 1_f64.to_bits()),
            exponent: self.exponent + f64::from(exponent) - 1023.0,
        }
    }

    /// The natural logarithm; -infinity of zero.
    #[must_use]
    pub fn ln(self) -> f64 {
        libm::log(self.mantissa) + self.exponent * LN_2
    }
}

/// exp of a number of at most [`LARGEST_LOG`] in size, or of -infinity, as a mantissa between 0.7 and 1.42 and a whole exponent of two.
///
/// Relative error below 2^-51. Nothing but additions and multiplications: a loop over it is vectorised, and the bits are the same on every platform.
#[must_use]
#[inline]
pub fn exp_split(log: f64) -> (f64, f64) {
    let bounded = if log < -LARGEST_LOG {
        -LARGEST_LOG
    } else {
        log
    };
    let exponent = (bounded * LOG2_E + ROUNDER) - ROUNDER;
    let x = (bounded - exponent * LN_2_HIGH) - exponent * LN_2_LOW;
    // |x| <= 0.35: the first term left out, x^14 / 14!, is below 2^-57.
    let mut sum = 1.0 / 6_227_020_800.0;
    for factorial in [
        479_001_600.0,
        39_916_800.0,
        3_628_800.0,
        362_880.0,
        40_320.0,
        5_040.0,
        720.0,
        120.0,
        24.0,
        6.0,
        2.0,
        1.0,
        1.0,
    ] {
        sum = sum * x + 1.0 / factorial;
    }
    if log < -LARGEST_LOG {
        (0.0, DEAD)
    } else {
        (sum, exponent)
    }
}

/// 2 to a whole number that is not positive; 0 below -1022.
#[must_use]
#[inline]
pub fn power_of_two(exponent: f64) -> f64 {
    // 2^52 + n has n as its last bits.
    const SHIFTER: f64 = 4_503_599_627_370_496.0;
    let bounded = if exponent < -1023.0 {
        -1023.0
    } else {
        exponent
    };
    f64::from_bits((bounded + 1023.0 + SHIFTER).to_bits() << 52)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_split_exponential_is_the_exponential(log in -700.0..700.0_f64) {
            let (mantissa, exponent) = exp_split(log);
            prop_assert!((0.7..1.42).contains(&mantissa));
            let found = mantissa * libm::exp2(exponent);
            let expected = libm::exp(log);
            prop_assert!((found / expected - 1.0).abs() < 2.0_f64.powi(-51), "{found} {expected}");
        }

        #[test]
        fn the_logarithm_of_a_split_exponential_is_its_argument(log in -1.4e9..1.4e9_f64) {
            let (mantissa, exponent) = exp_split(log);
            let back = Scaled::raw(mantissa, exponent).normal().ln();
            prop_assert!((back - log).abs() <= 1e-15 * (1.0 + log.abs()), "{back}");
        }

        #[test]
        fn normal_form_is_the_same_number(value in prop::num::f64::POSITIVE | prop::num::f64::SUBNORMAL) {
            let value = value.abs();
            let normal = Scaled::new(value);
            prop_assert!((1.0..2.0).contains(&normal.mantissa));
            // In two steps: subnormal numbers need 2 to the -1074.
            let half = libm::exp2(libm::floor(normal.exponent / 2.0));
            let back = normal.mantissa * half * libm::exp2(normal.exponent - libm::floor(normal.exponent / 2.0));
            prop_assert_eq!(back.to_bits(), value.to_bits());
        }
    }

    #[test]
    fn zero_and_powers() {
        assert_eq!(exp_split(f64::NEG_INFINITY), (0.0, DEAD));
        assert_eq!(Scaled::new(0.0), Scaled::ZERO);
        assert!(Scaled::ZERO.ln().is_infinite());
        for n in 0..1100 {
            let expected = if n > 1022 { 0.0 } else { 2.0_f64.powi(-n) };
            assert_eq!(power_of_two(-f64::from(n)).to_bits(), expected.to_bits());
        }
    }
}
