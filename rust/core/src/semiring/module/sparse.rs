//! Vectors with few components that are not zero.

use std::cmp::Ordering;
use std::marker::PhantomData;

use super::Module;
use crate::semiring::Semiring;

/// Maps from ids to values of a semiring, as lists in rising order of ids that hold no `zero`. Pairs of ids make matrices.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sparse<P, K = u32> {
    scalars: P,
    ids: PhantomData<K>,
}

impl<P: Semiring, K: Copy + Ord> Sparse<P, K> {
    /// Sparse vectors over a semiring.
    #[must_use]
    pub fn new(scalars: P) -> Self {
        Self {
            scalars,
            ids: PhantomData,
        }
    }

    /// The vector with these components, in any order; those of one id are added up.
    #[must_use]
    pub fn vector(&self, mut components: Vec<(K, P::Value)>) -> Vec<(K, P::Value)> {
        components.sort_by_key(|component| component.0);
        let mut vector: Vec<(K, P::Value)> = Vec::with_capacity(components.len());
        for (id, value) in components {
            match vector.last_mut() {
                Some((last, sum)) if *last == id => self.scalars.accumulate(sum, &value),
                _ => vector.push((id, value)),
            }
        }
        vector.retain(|component| !self.scalars.is_zero(&component.1));
        vector
    }

    /// A vector with each component replaced by what it becomes, unless that is `zero`.
    fn mapped(
        &self,
        vector: &[(K, P::Value)],
        value: impl Fn(&P::Value) -> P::Value,
    ) -> Vec<(K, P::Value)> {
        let components = vector
            .iter()
            .map(|component| (component.0, value(&component.1)));
        components
            .filter(|component| !self.scalars.is_zero(&component.1))
            .collect()
    }
}

impl<P: Semiring, K: Copy + Ord> Module for Sparse<P, K> {
    type Scalars = P;
    type Element = Vec<(K, P::Value)>;

    fn scalars(&self) -> &P {
        &self.scalars
    }

    fn zero(&self) -> Self::Element {
        Vec::new()
    }

    /// # Complexity
    /// As many steps as the two vectors have components.
    fn plus(&self, r: &Self::Element, s: &Self::Element) -> Self::Element {
        let mut sum = Vec::with_capacity(r.len() + s.len());
        let (mut left, mut right) = (&r[..], &s[..]);
        while let ([first, left_rest @ ..], [second, right_rest @ ..]) = (left, right) {
            match first.0.cmp(&second.0) {
                Ordering::Less => {
                    sum.push(first.clone());
                    left = left_rest;
                }
                Ordering::Greater => {
                    sum.push(second.clone());
                    right = right_rest;
                }
                Ordering::Equal => {
                    let value = self.scalars.plus(&first.1, &second.1);
                    if !self.scalars.is_zero(&value) {
                        sum.push((first.0, value));
                    }
                    (left, right) = (left_rest, right_rest);
                }
            }
        }
        sum.extend_from_slice(left);
        sum.extend_from_slice(right);
        sum
    }

    fn scale(&self, p: &P::Value, r: &Self::Element) -> Self::Element {
        self.mapped(r, |value| self.scalars.times(p, value))
    }

    fn scale_right(&self, r: &Self::Element, p: &P::Value) -> Self::Element {
        self.mapped(r, |value| self.scalars.times(value, p))
    }

    fn is_zero(&self, r: &Self::Element) -> bool {
        r.is_empty()
    }

    fn accumulate(&self, sum: &mut Self::Element, term: &Self::Element) {
        if !term.is_empty() {
            *sum = self.plus(sum, term);
        }
    }
}
