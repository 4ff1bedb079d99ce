//! Two semirings at once.

use super::{Commutative, Idempotent, Semiring, Star};

/// Pairs of a value of each of two semirings, with all operations by component. The laws hold as those of the components do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Product<A, B> {
    /// The semiring of the first components.
    pub first: A,
    /// The semiring of the second components.
    pub second: B,
}

impl<A: Semiring, B: Semiring> Semiring for Product<A, B> {
    type Value = (A::Value, B::Value);

    fn zero(&self) -> Self::Value {
        (self.first.zero(), self.second.zero())
    }

    fn one(&self) -> Self::Value {
        (self.first.one(), self.second.one())
    }

    fn plus(&self, a: &Self::Value, b: &Self::Value) -> Self::Value {
        (self.first.plus(&a.0, &b.0), self.second.plus(&a.1, &b.1))
    }

    fn times(&self, a: &Self::Value, b: &Self::Value) -> Self::Value {
        (self.first.times(&a.0, &b.0), self.second.times(&a.1, &b.1))
    }

    fn is_zero(&self, a: &Self::Value) -> bool {
        self.first.is_zero(&a.0) && self.second.is_zero(&a.1)
    }

    fn accumulate(&self, sum: &mut Self::Value, term: &Self::Value) {
        self.first.accumulate(&mut sum.0, &term.0);
        self.second.accumulate(&mut sum.1, &term.1);
    }

    fn has_failed(&self) -> bool {
        self.first.has_failed() || self.second.has_failed()
    }
}

impl<A: Commutative, B: Commutative> Commutative for Product<A, B> {}

impl<A: Idempotent, B: Idempotent> Idempotent for Product<A, B> {}

impl<A: Star, B: Star> Star for Product<A, B> {
    /// By component, where both are defined.
    fn star(&self, a: &Self::Value) -> Option<Self::Value> {
        Some((self.first.star(&a.0)?, self.second.star(&a.1)?))
    }

    fn rounding(&self, a: &Self::Value) -> f64 {
        self.first.rounding(&a.0).max(self.second.rounding(&a.1))
    }

    fn magnified(&self, a: &Self::Value, error: f64) -> Self::Value {
        (
            self.first.magnified(&a.0, error),
            self.second.magnified(&a.1, error),
        )
    }
}
