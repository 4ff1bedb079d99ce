//! Sums of counts and weights that do not depend on their order.

use crate::numeric::to_f64;
use std::iter::Sum;
use std::ops::Add;

/// A count in units of 2^-64: whole numbers and weights down to 2^-11 are exact to the last bit of a double, and sums are exact.
///
/// A sum stops at 2^64 - 1 (never reached by counting lines).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Count(u128);

/// 2^64.
const UNITS: f64 = 18_446_744_073_709_551_616.0;

impl Count {
    /// One.
    pub const ONE: Self = Self(1 << 64);

    /// A weight that is not negative; what is not a number counts nothing.
    #[must_use]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the conversion saturates, which is what is wanted"
    )]
    pub fn from_f64(weight: f64) -> Self {
        Self((weight * UNITS).round_ties_even() as u128)
    }

    /// The count as a whole number, if it is one.
    #[must_use]
    pub const fn whole(self) -> Option<u64> {
        if self.0 & (u64::MAX as u128) == 0 {
            Some((self.0 >> 64) as u64)
        } else {
            None
        }
    }

    /// The nearest double.
    #[must_use]
    #[expect(
        clippy::cast_precision_loss,
        reason = "rounding to the nearest double is what is asked for"
    )]
    pub fn to_f64(self) -> f64 {
        self.whole().map_or_else(|| self.0 as f64 / UNITS, to_f64)
    }

    pub(in crate::phrase) const fn to_bytes(self) -> [u8; 16] {
        self.0.to_le_bytes()
    }

    pub(in crate::phrase) const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(u128::from_le_bytes(bytes))
    }
}

impl Add for Count {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Sum for Count {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), Add::add)
    }
}
