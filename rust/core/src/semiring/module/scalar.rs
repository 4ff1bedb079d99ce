//! A semiring as a module over itself.

use super::Module;
use crate::semiring::Semiring;

/// The values of a semiring, added and multiplied as there.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Scalar<P>(
    /// The semiring.
    pub P,
);

impl<P: Semiring> Module for Scalar<P> {
    type Scalars = P;
    type Element = P::Value;

    fn scalars(&self) -> &P {
        &self.0
    }

    fn zero(&self) -> P::Value {
        self.0.zero()
    }

    fn plus(&self, r: &P::Value, s: &P::Value) -> P::Value {
        self.0.plus(r, s)
    }

    fn scale(&self, p: &P::Value, r: &P::Value) -> P::Value {
        self.0.times(p, r)
    }

    fn scale_right(&self, r: &P::Value, p: &P::Value) -> P::Value {
        self.0.times(r, p)
    }

    fn is_zero(&self, r: &P::Value) -> bool {
        self.0.is_zero(r)
    }

    fn accumulate(&self, sum: &mut P::Value, term: &P::Value) {
        self.0.accumulate(sum, term);
    }
}
