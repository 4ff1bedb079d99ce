//! Exact numbers of derivations, infinity included.

use num_bigint::BigUint;
use num_traits::{One, Zero};

use super::{Commutative, Semiring, Star};

/// A natural number without a limit, or infinity: what a cycle makes of a count.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Count {
    /// A natural number.
    Finite(BigUint),
    /// More than every natural number.
    Infinite,
}

impl From<u64> for Count {
    fn from(count: u64) -> Self {
        Self::Finite(count.into())
    }
}

impl std::fmt::Display for Count {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Finite(count) => count.fmt(formatter),
            Self::Infinite => formatter.write_str("infinity"),
        }
    }
}

/// Natural numbers with infinity: the number of derivations. `zero` times infinity is `zero`. All laws hold exactly.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counting;

impl Semiring for Counting {
    type Value = Count;

    fn zero(&self) -> Count {
        Count::Finite(BigUint::zero())
    }

    fn one(&self) -> Count {
        Count::Finite(BigUint::one())
    }

    fn plus(&self, a: &Count, b: &Count) -> Count {
        match (a, b) {
            (Count::Finite(a), Count::Finite(b)) => Count::Finite(a + b),
            _ => Count::Infinite,
        }
    }

    fn times(&self, a: &Count, b: &Count) -> Count {
        match (a, b) {
            (Count::Finite(a), Count::Finite(b)) => Count::Finite(a * b),
            _ if self.is_zero(a) || self.is_zero(b) => self.zero(),
            _ => Count::Infinite,
        }
    }

    fn is_zero(&self, a: &Count) -> bool {
        matches!(a, Count::Finite(count) if count.is_zero())
    }

    fn accumulate(&self, sum: &mut Count, term: &Count) {
        match (&mut *sum, term) {
            (Count::Finite(sum), Count::Finite(term)) => *sum += term,
            _ => *sum = Count::Infinite,
        }
    }
}

impl Commutative for Counting {}

impl Star for Counting {
    /// Infinity, but for `zero`.
    fn star(&self, a: &Count) -> Option<Count> {
        Some(if self.is_zero(a) {
            self.one()
        } else {
            Count::Infinite
        })
    }
}
