//! Numbers of derivations in one machine word, with an element for those that do not fit.

use super::{Commutative, Semiring, Star};

/// Natural numbers below 2^64 - 1, and [`CheckedCounting::MORE`] for all others and infinity.
///
/// It is the quotient of [`super::Counting`] that takes all counts from 2^64 - 1 on for one: min(n, 2^64 - 1) keeps sums and products. So a count that is not
/// `MORE` is exact, however it came about, and all laws hold exactly.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CheckedCounting;

impl CheckedCounting {
    /// At least 2^64 - 1.
    pub const MORE: u64 = u64::MAX;
}

impl Semiring for CheckedCounting {
    type Value = u64;

    fn zero(&self) -> u64 {
        0
    }

    fn one(&self) -> u64 {
        1
    }

    fn plus(&self, &a: &u64, &b: &u64) -> u64 {
        a.saturating_add(b)
    }

    fn times(&self, &a: &u64, &b: &u64) -> u64 {
        a.saturating_mul(b)
    }

    fn is_zero(&self, &a: &u64) -> bool {
        a == 0
    }
}

impl Commutative for CheckedCounting {}

impl Star for CheckedCounting {
    /// [`CheckedCounting::MORE`], but for `zero`.
    fn star(&self, &a: &u64) -> Option<u64> {
        Some(if a == 0 { 1 } else { Self::MORE })
    }
}
