//! Second-order expectations as first-order ones over first-order weights.

use super::module::{Bilinear, Module, ScalarOf};
use super::second_order::{ProductOf, RightOf};
use super::{Commutative, FirstOrder, FirstOrderValue, SecondOrderValue};

/// The module S x T over the semiring `FirstOrder<R>` of a bilinear map R x S -> T: <p, r> <s, t> = <p s, p t + r s> (Li and Eisner 2009, section 4.3).
///
/// `FirstOrder<Lifted<B>>` is `SecondOrder<B>` in other words: [`lift`] and [`lower`] go between them and keep all operations. It splits a second-order weight so that
/// inside and outside weights are needed only in `FirstOrder<R>`, and what stands in S and T enters linearly (section 4.4).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Lifted<B: Bilinear> {
    map: B,
    scalars: FirstOrder<B::Left>,
}

impl<B: Bilinear> Lifted<B>
where
    B::Left: Clone,
{
    /// The module of a bilinear map.
    #[must_use]
    pub fn new(map: B) -> Self {
        let scalars = FirstOrder::new(map.left().clone());
        Self { map, scalars }
    }
}

impl<B: Bilinear> Module for Lifted<B>
where
    <B::Left as Module>::Scalars: Commutative,
{
    type Scalars = FirstOrder<B::Left>;
    type Element = (RightOf<B>, ProductOf<B>);

    fn scalars(&self) -> &Self::Scalars {
        &self.scalars
    }

    fn zero(&self) -> Self::Element {
        (self.map.right().zero(), self.map.product().zero())
    }

    fn plus(&self, x: &Self::Element, y: &Self::Element) -> Self::Element {
        (
            self.map.right().plus(&x.0, &y.0),
            self.map.product().plus(&x.1, &y.1),
        )
    }

    fn scale(&self, k: &ScalarOf<Self>, x: &Self::Element) -> Self::Element {
        let mut t = self.map.product().scale(&k.p, &x.1);
        self.map
            .product()
            .accumulate(&mut t, &self.map.multiply(&k.r, &x.0));
        (self.map.right().scale(&k.p, &x.0), t)
    }

    fn scale_right(&self, x: &Self::Element, k: &ScalarOf<Self>) -> Self::Element {
        self.scale(k, x)
    }

    fn is_zero(&self, x: &Self::Element) -> bool {
        self.map.right().is_zero(&x.0) && self.map.product().is_zero(&x.1)
    }

    fn accumulate(&self, sum: &mut Self::Element, term: &Self::Element) {
        self.map.right().accumulate(&mut sum.0, &term.0);
        self.map.product().accumulate(&mut sum.1, &term.1);
    }
}

/// A second-order value as a first-order one over a first-order weight: <<p, r>, <s, t>>.
#[must_use]
pub fn lift<P, R, S, T>(
    SecondOrderValue { p, r, s, t }: SecondOrderValue<P, R, S, T>,
) -> FirstOrderValue<FirstOrderValue<P, R>, (S, T)> {
    FirstOrderValue {
        p: FirstOrderValue { p, r },
        r: (s, t),
    }
}

/// The inverse of [`lift`].
#[must_use]
pub fn lower<P, R, S, T>(
    value: FirstOrderValue<FirstOrderValue<P, R>, (S, T)>,
) -> SecondOrderValue<P, R, S, T> {
    let FirstOrderValue { p, r } = value.p;
    let (s, t) = value.r;
    SecondOrderValue { p, r, s, t }
}
