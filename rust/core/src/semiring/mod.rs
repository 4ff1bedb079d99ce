//! # Semirings: what the weights of a hypergraph can be
//!
//! A semiring has values, a sum `plus` with the identity `zero`, and a product `times` with the identity `one`:
//!
//! - `plus` is associative and commutative, and `zero` changes nothing;
//! - `times` is associative, `one` changes nothing on either side, and `zero` makes everything `zero`;
//! - `times` distributes over `plus`, from the left and from the right.
//!
//! So the sum of the products along all derivations of a hypergraph can be computed node by node (Li and Eisner 2009, section 2). Which semiring is
//! chosen decides what comes out: the number of derivations ([`Counting`]), their total weight ([`Real`], [`Log`]), the best one ([`Viterbi`]),
//! expectations and their gradients ([`FirstOrder`], [`SecondOrder`] over the elements of a [`module`]).
//!
//! A semiring is an object, not only a type: the dimension of its vectors or the k of its k best belong to it, and its values carry no copy of them.
//! What more is true of some semirings is said by sub-traits: [`Commutative`], [`Idempotent`], [`Path`], [`Star`], [`Division`].

mod boolean;
mod checked_counting;
mod counting;
mod first_order;
mod free;
mod hull;
mod kbest;
mod lexicographic;
mod lifted;
mod log;
pub mod module;
mod product;
mod rational;
mod real;
mod scaled;
mod second_order;
mod signed_log;
mod tropical;
mod upper_hull;
mod viterbi;

pub use boolean::Boolean;
pub use checked_counting::CheckedCounting;
pub use counting::{Count, Counting};
pub use first_order::{FirstOrder, FirstOrderValue};
pub use free::{Free, Polynomial};
pub use hull::{Hull, Line};
pub use kbest::KBest;
pub use lexicographic::Lexicographic;
pub use lifted::{Lifted, lift, lower};
pub use log::{Log, log_add};
pub use product::Product;
pub use rational::Rational;
pub use real::Real;
pub use scaled::{Scaled, ScaledValue};
pub use second_order::{SecondOrder, SecondOrderValue};
pub use signed_log::{SignedLog, SignedLogValue};
pub use tropical::Tropical;
pub use upper_hull::{HullBuffers, upper_hull};
pub use viterbi::Viterbi;

/// Values with a sum and a product (Li and Eisner 2009, section 2).
///
/// # Laws
/// For all values: `plus` is associative and commutative with identity `zero`; `times` is associative with the two-sided identity `one`; `times`
/// distributes over `plus` on both sides; `times` with `zero` is `zero`. Floating-point semirings keep identities and annihilation to the bit, the other
/// laws within rounding, as each of them says.
pub trait Semiring {
    /// A value.
    type Value: Clone;

    /// The identity of `plus`, which annihilates under `times`: the weight of no derivation.
    fn zero(&self) -> Self::Value;

    /// The identity of `times`: the weight of the empty product.
    fn one(&self) -> Self::Value;

    /// The sum: the weight of alternatives.
    fn plus(&self, a: &Self::Value, b: &Self::Value) -> Self::Value;

    /// The product, in this order: the weight of parts of one derivation.
    fn times(&self, a: &Self::Value, b: &Self::Value) -> Self::Value;

    /// Whether a value is `zero`, exactly.
    fn is_zero(&self, a: &Self::Value) -> bool;

    /// Adds a term to a sum in place.
    fn accumulate(&self, sum: &mut Self::Value, term: &Self::Value) {
        *sum = self.plus(sum, term);
    }

    /// Whether an operation failed, so that nothing computed since means anything: code of a user can fail, that of this crate does not.
    fn has_failed(&self) -> bool {
        false
    }
}

/// `times` is commutative. Outside values and closures need it.
pub trait Commutative: Semiring {}

/// `plus(a, a)` is `a`. Then `a <= b` where `plus(a, b) = b` is a partial order.
pub trait Idempotent: Semiring {}

/// `plus` selects one of its arguments, so that every sum is the weight of one derivation.
pub trait Path: Idempotent {
    /// Whether `plus(a, b)` is `a` and not `b`. A strict order.
    fn is_better(&self, a: &Self::Value, b: &Self::Value) -> bool;
}

/// Sums of all powers exist for some values: `star(a) = 1 + a + a a + ...`.
///
/// # Laws
/// Where it is defined: `star(a) = 1 + a star(a) = 1 + star(a) a`, and `star(zero) = one`.
pub trait Star: Semiring {
    /// `1 + a + a a + ...`; nothing where the sum diverges.
    fn star(&self, a: &Self::Value) -> Option<Self::Value>;

    /// A bound on the relative error of the weight that the operation which gave this value may have made; 0 where operations are exact and weights have no
    /// sign.
    fn rounding(&self, _: &Self::Value) -> f64 {
        0.0
    }

    /// The magnitude of a weight, more by the relative error. Sums that converge for it converge for every weight that is no larger in magnitude.
    ///
    /// A closure near its limit is given only if it exists for all that the weights may have been before rounding.
    fn magnified(&self, a: &Self::Value, _: f64) -> Self::Value {
        a.clone()
    }
}

/// `times` can be undone.
///
/// # Laws
/// `divide(times(a, b), b) = a` for every `b` that is not `zero`.
pub trait Division: Semiring {
    /// The quotient; nothing where the divisor is `zero`.
    fn divide(&self, a: &Self::Value, b: &Self::Value) -> Option<Self::Value>;
}
