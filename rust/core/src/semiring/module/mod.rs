//! # Modules: what stands beside a weight
//!
//! A module over a semiring P has elements that can be added to each other and multiplied by values of P: P itself ([`Scalar`]), vectors of values of P
//! ([`Dense`], [`Sparse`]), matrices of them. The elements of expectation semirings are pairs of a weight and an element of a module (Li and Eisner 2009,
//! section 4.1). A [`Bilinear`] map multiplies elements of two modules into a third, as the outer product does.

mod bilinear;
mod dense;
mod scalar;
mod sparse;

pub use bilinear::{Bilinear, Multiplication, Outer, SparseOuter};
pub use dense::Dense;
pub use scalar::Scalar;
pub use sparse::Sparse;

use super::Semiring;

/// The values of the semiring that a module is over.
pub type ScalarOf<M> = <<M as Module>::Scalars as Semiring>::Value;

/// Elements with a sum and products with the values of a semiring.
///
/// # Laws
/// `plus` is associative and commutative with the identity `zero`. For all scalars p, q and elements r, s:
///
/// - p (r + s) = p r + p s, (p + q) r = p r + q r, (p q) r = p (q r), 1 r = r;
/// - 0 r = 0 and p 0 = 0;
/// - the same from the right, and (p r) q = p (r q).
///
/// Over a commutative semiring both sides are the same. Floating-point modules keep them as the operations of the scalars do.
pub trait Module {
    /// The semiring of the scalars.
    type Scalars: Semiring;
    /// An element.
    type Element: Clone;

    /// The semiring of the scalars.
    fn scalars(&self) -> &Self::Scalars;

    /// The identity of `plus`.
    fn zero(&self) -> Self::Element;

    /// The sum.
    fn plus(&self, r: &Self::Element, s: &Self::Element) -> Self::Element;

    /// A scalar times an element.
    fn scale(&self, p: &ScalarOf<Self>, r: &Self::Element) -> Self::Element;

    /// An element times a scalar: in general not the same as from the left.
    fn scale_right(&self, r: &Self::Element, p: &ScalarOf<Self>) -> Self::Element;

    /// Whether an element is `zero`, exactly.
    fn is_zero(&self, r: &Self::Element) -> bool;

    /// Adds a term to a sum in place.
    fn accumulate(&self, sum: &mut Self::Element, term: &Self::Element) {
        *sum = self.plus(sum, term);
    }

    /// Adds a scalar times an element to a sum in place: one step of a linear combination.
    fn accumulate_scaled(&self, sum: &mut Self::Element, p: &ScalarOf<Self>, r: &Self::Element) {
        self.accumulate(sum, &self.scale(p, r));
    }
}
