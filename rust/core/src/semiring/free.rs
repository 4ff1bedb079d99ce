//! Formal sums of strings: derivations themselves, for tests.

use std::collections::BTreeMap;

use super::{Commutative, Counting, Idempotent, Semiring, Star};

/// Polynomials in letters that do not commute: finite maps from strings of letters to coefficients of a semiring.
///
/// `plus` adds coefficients, `times` concatenates strings. With [`Counting`] the values are multisets of strings, with [`super::Boolean`] sets. With one letter to an
/// edge, a sum holds each derivation as its string in prefix order, so that equal sums mean equal derivations. No coefficient is `zero`.
/// All laws hold exactly where those of the coefficients do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Free<P = Counting> {
    /// The semiring of the coefficients, which commute with letters.
    pub coefficients: P,
}

/// Strings with their coefficients, in order of the strings.
pub type Polynomial<C> = BTreeMap<Vec<u32>, C>;

impl<P: Commutative> Free<P> {
    /// A letter, once.
    #[must_use]
    pub fn letter(&self, letter: u32) -> Polynomial<P::Value> {
        BTreeMap::from([(vec![letter], self.coefficients.one())])
    }

    /// Adds a coefficient to that of a string.
    fn add(&self, sum: &mut Polynomial<P::Value>, string: Vec<u32>, coefficient: P::Value) {
        if self.coefficients.is_zero(&coefficient) {
            return;
        }
        let total = match sum.get(&string) {
            Some(before) => self.coefficients.plus(before, &coefficient),
            None => coefficient,
        };
        if self.coefficients.is_zero(&total) {
            sum.remove(&string);
        } else {
            sum.insert(string, total);
        }
    }
}

impl<P: Commutative> Semiring for Free<P> {
    type Value = Polynomial<P::Value>;

    fn zero(&self) -> Self::Value {
        BTreeMap::new()
    }

    fn one(&self) -> Self::Value {
        BTreeMap::from([(Vec::new(), self.coefficients.one())])
    }

    fn plus(&self, a: &Self::Value, b: &Self::Value) -> Self::Value {
        let mut sum = a.clone();
        self.accumulate(&mut sum, b);
        sum
    }

    fn times(&self, a: &Self::Value, b: &Self::Value) -> Self::Value {
        let mut sum = self.zero();
        for (left, first) in a {
            for (right, second) in b {
                let product = self.coefficients.times(first, second);
                self.add(&mut sum, [&left[..], right].concat(), product);
            }
        }
        sum
    }

    fn is_zero(&self, a: &Self::Value) -> bool {
        a.is_empty()
    }

    fn accumulate(&self, sum: &mut Self::Value, term: &Self::Value) {
        for (string, coefficient) in term {
            self.add(sum, string.clone(), coefficient.clone());
        }
    }
}

impl<P: Commutative + Idempotent> Idempotent for Free<P> {}

impl<P: Commutative + Star> Star for Free<P> {
    /// That of the coefficient where the empty string is the only one; any other has infinitely many powers.
    fn star(&self, a: &Self::Value) -> Option<Self::Value> {
        match (a.len(), a.get([].as_slice())) {
            (0, _) => Some(self.one()),
            (1, Some(constant)) => {
                let star = self.coefficients.star(constant)?;
                Some(BTreeMap::from([(Vec::new(), star)]))
            }
            _ => None,
        }
    }
}
