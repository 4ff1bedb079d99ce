//! The weights of the k best derivations.

use std::cmp::Ordering;

use super::{Commutative, Path, Semiring, Star, Viterbi};
use crate::error::{Error, Result};

/// Lists of at most k weights, best first, of a semiring whose sums select; equal weights stand in a list as often as there are derivations.
///
/// `plus` merges two lists, `times` has the best products of a weight of one list and a weight of the other; both keep k. No weight is the `zero` of
/// the base, so that the list of no derivation is empty. As products are monotone, cutting early loses nothing: the list for k is the start of that for k + 1.
/// The laws hold as those of the base do; for k = 1 it is the base.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KBest<P = Viterbi> {
    base: P,
    k: usize,
}

impl<P: Path> KBest<P> {
    /// The semiring of lists of at most k weights of a base.
    ///
    /// # Errors
    /// [`Error::Config`] if k is 0.
    pub fn new(base: P, k: usize) -> Result<Self> {
        if k == 0 {
            return Err(Error::config("k", "at least 1", k));
        }
        Ok(Self { base, k })
    }

    /// The longest a list can be.
    #[must_use]
    pub fn k(&self) -> usize {
        self.k
    }

    /// Weights in any order as a value.
    #[must_use]
    pub fn value(&self, mut weights: Vec<P::Value>) -> Vec<P::Value> {
        weights.retain(|weight| !self.base.is_zero(weight));
        weights.sort_by(|a, b| self.compare(a, b));
        weights.truncate(self.k);
        weights
    }

    /// The better of two weights first.
    fn compare(&self, a: &P::Value, b: &P::Value) -> Ordering {
        if self.base.is_better(a, b) {
            Ordering::Less
        } else if self.base.is_better(b, a) {
            Ordering::Greater
        } else {
            Ordering::Equal
        }
    }
}

impl<P: Path> Semiring for KBest<P> {
    type Value = Vec<P::Value>;

    fn zero(&self) -> Self::Value {
        Vec::new()
    }

    fn one(&self) -> Self::Value {
        vec![self.base.one()]
    }

    fn plus(&self, a: &Self::Value, b: &Self::Value) -> Self::Value {
        let mut merged = Vec::with_capacity(self.k.min(a.len() + b.len()));
        let (mut left, mut right) = (a.iter().peekable(), b.iter().peekable());
        while merged.len() < self.k {
            let next = match (left.peek(), right.peek()) {
                (Some(a), Some(b)) if self.base.is_better(b, a) => right.next(),
                (Some(_), _) => left.next(),
                (None, _) => right.next(),
            };
            match next {
                Some(weight) => merged.push(weight.clone()),
                None => break,
            }
        }
        merged
    }

    /// # Complexity
    /// k ln k products: the i-th weight of one list times the j-th of the other has i j - 1 others before it, so that it counts only where i j is at most k.
    fn times(&self, a: &Self::Value, b: &Self::Value) -> Self::Value {
        let mut products = Vec::new();
        for (above, left) in a.iter().enumerate() {
            let most = self.k / (above + 1);
            products.extend(
                b.iter()
                    .take(most)
                    .map(|right| self.base.times(left, right)),
            );
        }
        self.value(products)
    }

    fn is_zero(&self, a: &Self::Value) -> bool {
        a.is_empty()
    }
}

impl<P: Path + Commutative> Commutative for KBest<P> {}

impl<P: Path> Star for KBest<P> {
    /// The sum of the powers below k, where no weight is better than `one`: each product of k factors has k shorter ones that are at least as good.
    fn star(&self, a: &Self::Value) -> Option<Self::Value> {
        let one = self.one();
        if a.first()
            .is_some_and(|best| self.base.is_better(best, &one[0]))
        {
            return None;
        }
        let mut sum = one.clone();
        for _ in 1..self.k {
            let next = self.plus(&one, &self.times(a, &sum));
            // No zero is in a list, so that a list that grew is another one.
            let is_closed = next.len() == sum.len()
                && (next.iter().zip(&sum)).all(|(a, b)| self.compare(a, b) == Ordering::Equal);
            if is_closed {
                break;
            }
            sum = next;
        }
        Some(sum)
    }
}
