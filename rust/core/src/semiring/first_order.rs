//! Weights with what is expected under them: first-order expectations and gradients.

use super::module::{Module, ScalarOf};
use super::{Commutative, Idempotent, Semiring, Star};

/// A weight and an element of a module over the weights, <p, r>.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct FirstOrderValue<P, R> {
    /// The weight.
    pub p: P,
    /// The weight times a quantity that adds up along derivations, or the gradient of the weight.
    pub r: R,
}

/// The first-order expectation semiring over the scalars P of a module R (Eisner 2002; Li and Eisner 2009, Table 1 and section 4.1).
///
/// With weights <p, p r> on the edges, the sum over all derivations is <Z, sum of p r>; with <p, grad p> it is <Z, grad Z>. Sums are by component,
///
/// - <p, r> <q, s> = <p q, p s + r q>, `one` = <1, 0>,
/// - <p, r>* = <p*, p* r p*>,
///
/// in this order of factors, so that P need not be commutative. The laws hold as those of P and R do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FirstOrder<R> {
    /// The module of the second components; its scalars are the first.
    pub module: R,
}

impl<R: Module> FirstOrder<R> {
    /// The semiring over a module and its scalars.
    #[must_use]
    pub fn new(module: R) -> Self {
        Self { module }
    }
}

impl<R: Module> Semiring for FirstOrder<R> {
    type Value = FirstOrderValue<ScalarOf<R>, R::Element>;

    fn zero(&self) -> Self::Value {
        FirstOrderValue {
            p: self.module.scalars().zero(),
            r: self.module.zero(),
        }
    }

    fn one(&self) -> Self::Value {
        FirstOrderValue {
            p: self.module.scalars().one(),
            r: self.module.zero(),
        }
    }

    fn plus(&self, a: &Self::Value, b: &Self::Value) -> Self::Value {
        FirstOrderValue {
            p: self.module.scalars().plus(&a.p, &b.p),
            r: self.module.plus(&a.r, &b.r),
        }
    }

    fn times(&self, a: &Self::Value, b: &Self::Value) -> Self::Value {
        let mut r = self.module.scale(&a.p, &b.r);
        self.module
            .accumulate(&mut r, &self.module.scale_right(&a.r, &b.p));
        FirstOrderValue {
            p: self.module.scalars().times(&a.p, &b.p),
            r,
        }
    }

    fn is_zero(&self, a: &Self::Value) -> bool {
        self.module.scalars().is_zero(&a.p) && self.module.is_zero(&a.r)
    }

    fn accumulate(&self, sum: &mut Self::Value, term: &Self::Value) {
        self.module.scalars().accumulate(&mut sum.p, &term.p);
        self.module.accumulate(&mut sum.r, &term.r);
    }

    fn has_failed(&self) -> bool {
        self.module.scalars().has_failed()
    }
}

impl<R: Module> Commutative for FirstOrder<R> where R::Scalars: Commutative {}

/// r + r = (1 + 1) r.
impl<R: Module> Idempotent for FirstOrder<R> where R::Scalars: Idempotent {}

impl<R: Module> Star for FirstOrder<R>
where
    R::Scalars: Star,
{
    /// Where it is defined for the weight.
    fn star(&self, a: &Self::Value) -> Option<Self::Value> {
        let p = self.module.scalars().star(&a.p)?;
        let r = self.module.scale_right(&self.module.scale(&p, &a.r), &p);
        Some(FirstOrderValue { p, r })
    }

    fn rounding(&self, a: &Self::Value) -> f64 {
        self.module.scalars().rounding(&a.p)
    }

    fn magnified(&self, a: &Self::Value, error: f64) -> Self::Value {
        FirstOrderValue {
            p: self.module.scalars().magnified(&a.p, error),
            r: a.r.clone(),
        }
    }
}
