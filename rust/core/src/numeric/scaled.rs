//! Non-negative numbers with a wide exponent: products of any number of probabilities, without logarithms.

use std::f64::consts::LOG2_E;
use std::ops::Range;

/// The exponent of zero. Finite, so that differences of exponents are numbers, and below that of every product of weights.
pub const DEAD: f64 = -1e18;

/// Logarithms beyond this cannot be split exactly.
pub const LARGEST_LOG: f64 = 1.4e9;

/// Numbers from 2^-256 to 2^256 are ordinary: the product of three of them, and sums of such products, are numbers without a wide exponent.
pub const ORDINARY: Range<f64> =
    f64::from_bits((1023 - 256) << 52)..f64::from_bits((1023 + 256) << 52);

/// Logarithms of up to this size are those of ordinary numbers: a little less than 256 ln 2.
pub const ORDINARY_LOG: f64 = 177.4;

/// 1.5 2^52: added and subtracted again, it leaves the nearest integer.
const ROUNDER: f64 = 6_755_399_441_055_744.0;

/// The bits of a double below its exponent.
const MANTISSA_BITS: u64 = (1 << 52) - 1;

/// ln 2 in two parts; the first has zeros at its end, so that its product with an integer of 21 bits is exact.
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

    /// The same number as an ordinary mantissa and an exponent that is a multiple of 512, so that most numbers have the same one, 0.
    #[must_use]
    pub fn wide(self) -> Self {
        let normal = self.normal();
        if normal.mantissa == 0.0 {
            return Self::raw(0.0, 0.0);
        }
        let exponent = ((normal.exponent + 256.0) / 512.0).floor() * 512.0;
        // From -256 to 255.
        let shift = normal.exponent - exponent;
        let half = power_of_two(-shift.abs());
        let mantissa = if shift < 0.0 {
            normal.mantissa * half
        } else {
            normal.mantissa / half
        };
        Self::raw(mantissa, exponent)
    }

    /// The natural logarithm; -infinity of zero. The mantissa must not be subnormal.
    ///
    /// Relative error below 2^-51. As [`exp_split`], it is vectorised, and the same on every platform.
    #[must_use]
    #[inline]
    pub fn ln(self) -> f64 {
        const SQRT_HALF: u64 = std::f64::consts::FRAC_1_SQRT_2.to_bits();
        const TWO_POW_52: f64 = 4_503_599_627_370_496.0;
        // A mantissa between the roots of 1/2 and of 2, so that its logarithm and that of the exponent do not cancel.
        let bits = self
            .mantissa
            .to_bits()
            .wrapping_add(1_f64.to_bits() - SQRT_HALF);
        let shift = f64::from_bits((bits >> 52) | TWO_POW_52.to_bits()) - (TWO_POW_52 + 1023.0);
        let mantissa = f64::from_bits((bits & MANTISSA_BITS) + SQRT_HALF);
        let exponent = self.exponent + shift;
        // With s = f / (2 + f): ln(1 + f) = 2 artanh s = 2 s + s^3 p(s^2), where p goes through the quotient at seven Chebyshev points; the error is below 2^-57.
        let f = mantissa - 1.0;
        let s = f / (2.0 + f);
        let square = s * s;
        let mut sum = 0.146_167_211_798_618_16;
        for coefficient in [
            0.153_316_996_335_438_46,
            0.181_828_897_861_910_42,
            0.222_222_111_257_228_1,
            0.285_714_286_260_310_65,
            0.399_999_999_998_993_8,
            0.666_666_666_666_667,
        ] {
            sum = sum * square + coefficient;
        }
        // 2 s = f - s f.
        let rest = f - s * (f - square * sum);
        let log = exponent * LN_2_HIGH + (rest + exponent * LN_2_LOW);
        if self.mantissa > 0.0 {
            log
        } else {
            f64::NEG_INFINITY
        }
    }
}

/// exp of a number of at most [`LARGEST_LOG`] in size, or of -infinity, as a mantissa between 0.7 and 1.42 and a whole exponent of two.
///
/// Relative error below 2^-51 for logarithms of up to a million in size; beyond that, below that of the last digit of the logarithm. Nothing but additions and
/// multiplications: a loop over it is vectorised, and the bits are the same on every platform.
#[must_use]
#[inline]
pub fn exp_split(log: f64) -> (f64, f64) {
    let bounded = if log < -LARGEST_LOG {
        -LARGEST_LOG
    } else {
        log
    };
    let (mantissa, rounded) = reduced_exp(bounded);
    if log < -LARGEST_LOG {
        (0.0, DEAD)
    } else {
        (mantissa, rounded - ROUNDER)
    }
}

/// exp of a number of at most [`ORDINARY_LOG`] in size, in one number: what [`exp_split`] says, without a wide exponent.
///
/// Of others it is any number.
#[must_use]
#[inline]
pub fn exp_ordinary(log: f64) -> f64 {
    let (mantissa, rounded) = reduced_exp(log);
    // The last bits of the rounded number are those of the exponent.
    f64::from_bits(mantissa.to_bits().wrapping_add(rounded.to_bits() << 52))
}

/// exp as a mantissa and [`ROUNDER`] plus an exponent of two.
#[inline]
fn reduced_exp(log: f64) -> (f64, f64) {
    let rounded = log * LOG2_E + ROUNDER;
    let exponent = rounded - ROUNDER;
    let x = (log - exponent * LN_2_HIGH) - exponent * LN_2_LOW;
    // |x| <= 0.35: exp(x) = 1 + x + x^2 p(x), where p goes through (exp(x) - 1 - x) / x^2 at the ten Chebyshev points; the error is below 2^-55. Even and odd powers
    // are summed apart, which halves the time until the result is there.
    let square = x * x;
    let even = ((((2.762_007_600_563_138e-7 * square + 2.480_152_132_210_459e-5) * square
        + 1.388_888_891_719_689e-3)
        * square
        + 4.166_666_666_662_416_4e-2)
        * square)
        + 0.500_000_000_000_000_1;
    let odd = ((((2.510_037_592_918_592_5e-8 * square + 2.755_726_848_010_692_6e-6) * square
        + 1.984_126_986_304_067_5e-4)
        * square
        + 8.333_333_333_330_065e-3)
        * square)
        + 1.666_666_666_666_666_9e-1;
    (1.0 + (x + square * (even + x * odd)), rounded)
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
        fn an_ordinary_exponential_is_that_of_the_parts(log in -ORDINARY_LOG..ORDINARY_LOG) {
            let (mantissa, exponent) = exp_split(log);
            let found = exp_ordinary(log);
            prop_assert!(ORDINARY.contains(&found));
            prop_assert_eq!(found.to_bits(), (mantissa * libm::exp2(exponent)).to_bits());
        }

        #[test]
        fn a_logarithm_is_the_logarithm(mantissa in 1e-300..1e300_f64, near_one in 0.5..2.0_f64) {
            for value in [mantissa, near_one] {
                let (found, expected) = (Scaled::raw(value, 0.0).ln(), libm::log(value));
                prop_assert!((found - expected).abs() <= 2.0_f64.powi(-51) * expected.abs(), "{value}: {found} {expected}");
            }
        }

        #[test]
        fn wide_exponents_are_multiples_of_512(mantissa in 1e-300..1e300_f64, exponent in -100_000_i32..100_000) {
            let number = Scaled::raw(mantissa, f64::from(exponent));
            let wide = number.wide();
            prop_assert!(ORDINARY.contains(&wide.mantissa), "{wide:?}");
            prop_assert_eq!((wide.exponent / 512.0).fract().to_bits(), 0);
            prop_assert_eq!(wide.normal(), number.normal());
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
        assert_eq!(Scaled::ZERO.wide(), Scaled::raw(0.0, 0.0));
        assert!(Scaled::ZERO.ln() == f64::NEG_INFINITY);
        assert_eq!(Scaled::raw(1.0, 0.0).ln().to_bits(), 0);
        // Halved step by step, which is exact; `powi` need not be, and Miri makes use of that.
        let mut expected = 1.0;
        for n in 0..1100 {
            assert_eq!(
                power_of_two(-f64::from(n)).to_bits(),
                f64::to_bits(expected)
            );
            expected = if n < 1022 { expected / 2.0 } else { 0.0 };
        }
    }
}
