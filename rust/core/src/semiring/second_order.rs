//! Weights with two quantities and their product: covariances, Hessians and gradients of expectations.

use super::module::{Bilinear, Module, ScalarOf};
use super::{Commutative, Idempotent, Semiring, Star};

/// A weight, two elements of modules, and one of the module of their products, <p, r, s, t>.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct SecondOrderValue<P, R, S, T> {
    /// The weight.
    pub p: P,
    /// The weight times a first quantity that adds up along derivations, or its derivative.
    pub r: R,
    /// The weight times a second quantity, or another derivative.
    pub s: S,
    /// The weight times the product of both, or the second derivative.
    pub t: T,
}

/// The elements of the modules R, S and T of a bilinear map.
pub type LeftOf<B> = <<B as Bilinear>::Left as Module>::Element;
/// The elements of the module S of a bilinear map.
pub type RightOf<B> = <<B as Bilinear>::Right as Module>::Element;
/// The elements of the module T of a bilinear map.
pub type ProductOf<B> = <<B as Bilinear>::Product as Module>::Element;

/// The second-order expectation semiring of a bilinear map R x S -> T over a commutative semiring P (Li and Eisner 2009, Table 2 and section 4.1).
///
/// With weights <p, p r, p s, p r s> on the edges, the sum over all derivations has the sums of p r, p s and p r s; with
/// <p, grad p, grad p, Hessian of p> the last is the Hessian of Z. Sums are by component,
///
/// - <p1, r1, s1, t1> <p2, r2, s2, t2> = <p1 p2, p1 r2 + p2 r1, p1 s2 + p2 s1, p1 t2 + p2 t1 + r1 s2 + r2 s1>, `one` = <1, 0, 0, 0>,
/// - <p, r, s, t>* = <p*, p* p* r, p* p* s, p* p* (2 p* r s + t)>.
///
/// The laws hold as those of P and the modules do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SecondOrder<B> {
    /// The map; its modules hold the components, their scalars are the weights.
    pub map: B,
}

impl<B: Bilinear> SecondOrder<B> {
    /// The semiring over a bilinear map.
    #[must_use]
    pub fn new(map: B) -> Self {
        Self { map }
    }

    fn scalars(&self) -> &<B::Left as Module>::Scalars {
        self.map.left().scalars()
    }
}

/// p1 r2 + p2 r1.
fn crossed<M: Module>(
    module: &M,
    (p1, r1): (&ScalarOf<M>, &M::Element),
    (p2, r2): (&ScalarOf<M>, &M::Element),
) -> M::Element {
    let mut sum = module.scale(p1, r2);
    module.accumulate_scaled(&mut sum, p2, r1);
    sum
}

impl<B: Bilinear> Semiring for SecondOrder<B>
where
    <B::Left as Module>::Scalars: Commutative,
{
    type Value = SecondOrderValue<ScalarOf<B::Left>, LeftOf<B>, RightOf<B>, ProductOf<B>>;

    fn zero(&self) -> Self::Value {
        SecondOrderValue {
            p: self.scalars().zero(),
            r: self.map.left().zero(),
            s: self.map.right().zero(),
            t: self.map.product().zero(),
        }
    }

    fn one(&self) -> Self::Value {
        SecondOrderValue {
            p: self.scalars().one(),
            ..self.zero()
        }
    }

    fn plus(&self, a: &Self::Value, b: &Self::Value) -> Self::Value {
        SecondOrderValue {
            p: self.scalars().plus(&a.p, &b.p),
            r: self.map.left().plus(&a.r, &b.r),
            s: self.map.right().plus(&a.s, &b.s),
            t: self.map.product().plus(&a.t, &b.t),
        }
    }

    fn times(&self, a: &Self::Value, b: &Self::Value) -> Self::Value {
        let products = self.map.product();
        let mut t = crossed(products, (&a.p, &a.t), (&b.p, &b.t));
        products.accumulate(&mut t, &self.map.multiply(&a.r, &b.s));
        products.accumulate(&mut t, &self.map.multiply(&b.r, &a.s));
        SecondOrderValue {
            p: self.scalars().times(&a.p, &b.p),
            r: crossed(self.map.left(), (&a.p, &a.r), (&b.p, &b.r)),
            s: crossed(self.map.right(), (&a.p, &a.s), (&b.p, &b.s)),
            t,
        }
    }

    fn is_zero(&self, a: &Self::Value) -> bool {
        self.scalars().is_zero(&a.p)
            && self.map.left().is_zero(&a.r)
            && self.map.right().is_zero(&a.s)
            && self.map.product().is_zero(&a.t)
    }

    fn accumulate(&self, sum: &mut Self::Value, term: &Self::Value) {
        self.scalars().accumulate(&mut sum.p, &term.p);
        self.map.left().accumulate(&mut sum.r, &term.r);
        self.map.right().accumulate(&mut sum.s, &term.s);
        self.map.product().accumulate(&mut sum.t, &term.t);
    }

    fn has_failed(&self) -> bool {
        self.scalars().has_failed()
    }
}

impl<B: Bilinear> Commutative for SecondOrder<B> where <B::Left as Module>::Scalars: Commutative {}

/// r + r = (1 + 1) r.
impl<B: Bilinear> Idempotent for SecondOrder<B> where
    <B::Left as Module>::Scalars: Commutative + Idempotent
{
}

impl<B: Bilinear> Star for SecondOrder<B>
where
    <B::Left as Module>::Scalars: Commutative + Star,
{
    /// Where it is defined for the weight.
    fn star(&self, a: &Self::Value) -> Option<Self::Value> {
        let p = self.scalars().star(&a.p)?;
        let square = self.scalars().times(&p, &p);
        let products = self.map.product();
        let mut t = a.t.clone();
        let both = self.map.multiply(&a.r, &a.s);
        products.accumulate_scaled(&mut t, &p, &both);
        products.accumulate_scaled(&mut t, &p, &both);
        Some(SecondOrderValue {
            p,
            r: self.map.left().scale(&square, &a.r),
            s: self.map.right().scale(&square, &a.s),
            t: products.scale(&square, &t),
        })
    }

    fn rounding(&self, a: &Self::Value) -> f64 {
        self.scalars().rounding(&a.p)
    }

    fn magnified(&self, a: &Self::Value, error: f64) -> Self::Value {
        SecondOrderValue {
            p: self.scalars().magnified(&a.p, error),
            ..a.clone()
        }
    }
}
