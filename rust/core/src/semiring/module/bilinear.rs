//! Products of elements of two modules.

use super::{Dense, Module, Scalar, Sparse};
use crate::semiring::{Commutative, Semiring};

/// A map of two modules R, S over one commutative semiring into a third one, T, that is linear in each argument.
///
/// # Laws
/// For all scalars p and elements: (r + r') s = r s + r' s, r (s + s') = r s + r s', (p r) s = p (r s) and r (p s) = p (r s); so that a product with `zero` is
/// `zero` (Li and Eisner 2009, section 4.1).
pub trait Bilinear {
    /// The module of the first arguments, R.
    type Left: Module;
    /// The module of the second arguments, S.
    type Right: Module<Scalars = <Self::Left as Module>::Scalars>;
    /// The module of the products, T.
    type Product: Module<Scalars = <Self::Left as Module>::Scalars>;

    /// The module of the first arguments.
    fn left(&self) -> &Self::Left;

    /// The module of the second arguments.
    fn right(&self) -> &Self::Right;

    /// The module of the products.
    fn product(&self) -> &Self::Product;

    /// The product of two elements.
    fn multiply(
        &self,
        r: &<Self::Left as Module>::Element,
        s: &<Self::Right as Module>::Element,
    ) -> <Self::Product as Module>::Element;
}

/// A scalar times an element of any module: with [`Scalar`] itself, the product of two scalars; with a vector, what the gradient of an expectation needs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Multiplication<M: Module> {
    scalar: Scalar<M::Scalars>,
    module: M,
}

impl<M: Module> Multiplication<M>
where
    M::Scalars: Commutative + Clone,
{
    /// The multiplication of elements of a module by scalars.
    #[must_use]
    pub fn new(module: M) -> Self {
        Self {
            scalar: Scalar(module.scalars().clone()),
            module,
        }
    }
}

impl<M: Module> Bilinear for Multiplication<M> {
    type Left = Scalar<M::Scalars>;
    type Right = M;
    type Product = M;

    fn left(&self) -> &Self::Left {
        &self.scalar
    }

    fn right(&self) -> &M {
        &self.module
    }

    fn product(&self) -> &M {
        &self.module
    }

    fn multiply(&self, r: &<M::Scalars as Semiring>::Value, s: &M::Element) -> M::Element {
        self.module.scale(r, s)
    }
}

/// The outer product of two dense vectors: the matrix of all products of a component of the one (row) and one of the other (column), row by row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outer<P> {
    left: Dense<P>,
    right: Dense<P>,
    product: Dense<P>,
}

impl<P: Commutative + Clone> Outer<P> {
    /// The outer product of vectors of these lengths.
    #[must_use]
    pub fn new(scalars: P, rows: usize, columns: usize) -> Self {
        Self {
            left: Dense::new(scalars.clone(), rows),
            right: Dense::new(scalars.clone(), columns),
            product: Dense::new(scalars, rows * columns),
        }
    }
}

impl<P: Commutative> Bilinear for Outer<P> {
    type Left = Dense<P>;
    type Right = Dense<P>;
    type Product = Dense<P>;

    fn left(&self) -> &Dense<P> {
        &self.left
    }

    fn right(&self) -> &Dense<P> {
        &self.right
    }

    fn product(&self) -> &Dense<P> {
        &self.product
    }

    fn multiply(&self, r: &Vec<P::Value>, s: &Vec<P::Value>) -> Vec<P::Value> {
        let scalars = self.product.scalars();
        r.iter()
            .flat_map(|r| s.iter().map(move |s| scalars.times(r, s)))
            .collect()
    }
}

/// The outer product of two sparse vectors: a sparse matrix, by pairs of row and column.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SparseOuter<P> {
    vectors: Sparse<P>,
    matrices: Sparse<P, (u32, u32)>,
}

impl<P: Commutative + Clone> SparseOuter<P> {
    /// The outer product of sparse vectors over a semiring.
    #[must_use]
    pub fn new(scalars: P) -> Self {
        Self {
            vectors: Sparse::new(scalars.clone()),
            matrices: Sparse::new(scalars),
        }
    }
}

impl<P: Commutative> Bilinear for SparseOuter<P> {
    type Left = Sparse<P>;
    type Right = Sparse<P>;
    type Product = Sparse<P, (u32, u32)>;

    fn left(&self) -> &Sparse<P> {
        &self.vectors
    }

    fn right(&self) -> &Sparse<P> {
        &self.vectors
    }

    fn product(&self) -> &Self::Product {
        &self.matrices
    }

    fn multiply(
        &self,
        r: &Vec<(u32, P::Value)>,
        s: &Vec<(u32, P::Value)>,
    ) -> Vec<((u32, u32), P::Value)> {
        let scalars = self.matrices.scalars();
        let pairs = r.iter().flat_map(|r| {
            s.iter()
                .map(move |s| ((r.0, s.0), scalars.times(&r.1, &s.1)))
        });
        pairs.filter(|pair| !scalars.is_zero(&pair.1)).collect()
    }
}
