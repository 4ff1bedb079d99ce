//! Fractions of integers without a limit: exact.

use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

use super::{Commutative, Division, Semiring, Star};

/// The field of rational numbers. All laws hold exactly; the numbers of digits grow with the number of operations.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Rational;

impl Semiring for Rational {
    type Value = BigRational;

    fn zero(&self) -> BigRational {
        BigRational::zero()
    }

    fn one(&self) -> BigRational {
        BigRational::one()
    }

    fn plus(&self, a: &BigRational, b: &BigRational) -> BigRational {
        a + b
    }

    fn times(&self, a: &BigRational, b: &BigRational) -> BigRational {
        a * b
    }

    fn is_zero(&self, a: &BigRational) -> bool {
        a.is_zero()
    }

    fn accumulate(&self, sum: &mut BigRational, term: &BigRational) {
        *sum += term;
    }
}

impl Commutative for Rational {}

impl Star for Rational {
    /// 1 / (1 - a) for -1 < a < 1, where the series converges.
    fn star(&self, a: &BigRational) -> Option<BigRational> {
        (a.abs() < BigRational::one()).then(|| (BigRational::one() - a).recip())
    }

    /// Nothing rounds; but signs can hide that a sum does not converge absolutely.
    fn rounding(&self, a: &BigRational) -> f64 {
        if a.is_negative() {
            f64::MIN_POSITIVE
        } else {
            0.0
        }
    }

    fn magnified(&self, a: &BigRational, _: f64) -> BigRational {
        a.abs()
    }
}

impl Division for Rational {
    fn divide(&self, a: &BigRational, b: &BigRational) -> Option<BigRational> {
        (!b.is_zero()).then(|| a / b)
    }
}
