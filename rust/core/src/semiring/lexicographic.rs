//! What is true of the best derivations only.

use super::{Commutative, Division, Idempotent, Path, Semiring, Star};

/// Pairs of a weight and a value: `plus` keeps the pair with the better weight, and adds up the values of equal ones; `times` is by component.
///
/// With counts for values it says how many derivations are best; with a second semiring whose sums select, it breaks ties. The weights must cancel, as
/// those of a semiring with division do: the better of two stays better when both are multiplied. Pairs with the weight `zero` are the one `zero`.
/// In floating point, weights that differ by less than rounding can become equal.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Lexicographic<A, B> {
    /// The semiring of the weights.
    pub weights: A,
    /// The semiring of the values.
    pub values: B,
}

impl<A: Path + Division, B: Semiring> Semiring for Lexicographic<A, B> {
    type Value = (A::Value, B::Value);

    fn zero(&self) -> Self::Value {
        (self.weights.zero(), self.values.zero())
    }

    fn one(&self) -> Self::Value {
        (self.weights.one(), self.values.one())
    }

    fn plus(&self, a: &Self::Value, b: &Self::Value) -> Self::Value {
        if self.weights.is_better(&a.0, &b.0) {
            a.clone()
        } else if self.weights.is_better(&b.0, &a.0) {
            b.clone()
        } else {
            (a.0.clone(), self.values.plus(&a.1, &b.1))
        }
    }

    fn times(&self, a: &Self::Value, b: &Self::Value) -> Self::Value {
        let weight = self.weights.times(&a.0, &b.0);
        if self.weights.is_zero(&weight) {
            self.zero()
        } else {
            (weight, self.values.times(&a.1, &b.1))
        }
    }

    fn is_zero(&self, a: &Self::Value) -> bool {
        self.weights.is_zero(&a.0)
    }

    fn has_failed(&self) -> bool {
        self.weights.has_failed() || self.values.has_failed()
    }
}

impl<A: Path + Division + Commutative, B: Commutative> Commutative for Lexicographic<A, B> {}

impl<A: Path + Division, B: Idempotent> Idempotent for Lexicographic<A, B> {}

impl<A: Path + Division, B: Path> Path for Lexicographic<A, B> {
    fn is_better(&self, a: &Self::Value, b: &Self::Value) -> bool {
        self.weights.is_better(&a.0, &b.0)
            || (!self.weights.is_better(&b.0, &a.0) && self.values.is_better(&a.1, &b.1))
    }
}

impl<A: Path + Division, B: Star> Star for Lexicographic<A, B> {
    /// `one` for weights below `one`; for the weight `one`, with the closure of the value.
    fn star(&self, a: &Self::Value) -> Option<Self::Value> {
        let one = self.one();
        if self.weights.is_better(&one.0, &a.0) {
            Some(one)
        } else if self.weights.is_better(&a.0, &one.0) {
            None
        } else {
            Some((one.0, self.values.star(&a.1)?))
        }
    }
}
