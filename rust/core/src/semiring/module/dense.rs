//! Vectors of a fixed length.

use super::Module;
use crate::semiring::Semiring;

/// Vectors of `len` values of a semiring, added and multiplied by component. A matrix is one with its rows end to end.
///
/// # Panics
/// Operations on vectors of another length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dense<P> {
    scalars: P,
    len: usize,
}

impl<P: Semiring> Dense<P> {
    /// Vectors of this length over a semiring.
    #[must_use]
    pub fn new(scalars: P, len: usize) -> Self {
        Self { scalars, len }
    }

    /// The number of components.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether the vectors have no components.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The components of a vector, which must be as many as all vectors have.
    fn checked<'v>(&self, vector: &'v [P::Value]) -> &'v [P::Value] {
        assert_eq!(vector.len(), self.len, "vectors must have one length");
        vector
    }
}

impl<P: Semiring> Module for Dense<P> {
    type Scalars = P;
    type Element = Vec<P::Value>;

    fn scalars(&self) -> &P {
        &self.scalars
    }

    fn zero(&self) -> Self::Element {
        vec![self.scalars.zero(); self.len]
    }

    fn plus(&self, r: &Self::Element, s: &Self::Element) -> Self::Element {
        let pairs = self.checked(r).iter().zip(self.checked(s));
        pairs.map(|(r, s)| self.scalars.plus(r, s)).collect()
    }

    fn scale(&self, p: &P::Value, r: &Self::Element) -> Self::Element {
        let components = self.checked(r).iter();
        components.map(|r| self.scalars.times(p, r)).collect()
    }

    fn scale_right(&self, r: &Self::Element, p: &P::Value) -> Self::Element {
        let components = self.checked(r).iter();
        components.map(|r| self.scalars.times(r, p)).collect()
    }

    fn is_zero(&self, r: &Self::Element) -> bool {
        self.checked(r).iter().all(|r| self.scalars.is_zero(r))
    }

    fn accumulate(&self, sum: &mut Self::Element, term: &Self::Element) {
        self.checked(sum);
        for (sum, term) in sum.iter_mut().zip(self.checked(term)) {
            self.scalars.accumulate(sum, term);
        }
    }

    fn accumulate_scaled(&self, sum: &mut Self::Element, p: &P::Value, r: &Self::Element) {
        self.checked(sum);
        for (sum, r) in sum.iter_mut().zip(self.checked(r)) {
            self.scalars.accumulate(sum, &self.scalars.times(p, r));
        }
    }
}
