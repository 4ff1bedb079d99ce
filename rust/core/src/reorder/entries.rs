//! The entries of sparse rows as somebody else holds them: nothing was checked, nothing is copied.

use super::rows::Rows;
use crate::numeric::{id_index, to_f64, to_index};

/// Where rows begin, and the features of all rows one after the other.
#[derive(Debug, Clone, Copy)]
pub enum Places<'a> {
    /// As [`Rows`] have them.
    Rows(&'a [u64], &'a [u32]),
    /// As `SciPy` has them below 2^31 entries.
    Int32(&'a [i32], &'a [i32]),
    /// As `SciPy` has them above.
    Int64(&'a [i64], &'a [i64]),
}

/// The value of each entry.
#[derive(Debug, Clone, Copy)]
pub enum Values<'a> {
    /// One for each.
    Ones,
    /// Single precision.
    Single(&'a [f32]),
    /// Double precision.
    Double(&'a [f64]),
    /// Whole numbers.
    Whole(&'a [i64]),
}

/// Unchecked rows over `columns` features. A feature may stand more than once in a row, in any order.
#[derive(Debug, Clone, Copy)]
pub struct Entries<'a> {
    /// Where rows begin, and features.
    pub places: Places<'a>,
    /// Values.
    pub values: Values<'a>,
    /// Number of features there could be.
    pub columns: usize,
}

/// A place in an array: what offsets and features are.
pub(super) trait Place: Copy {
    /// The place, or one that no array has where the number is negative.
    fn place(self) -> usize;
}

impl Place for u32 {
    #[inline]
    fn place(self) -> usize {
        id_index(self)
    }
}

impl Place for u64 {
    #[inline]
    fn place(self) -> usize {
        to_index(self)
    }
}

impl Place for i32 {
    #[inline]
    fn place(self) -> usize {
        i64::from(self).place()
    }
}

impl Place for i64 {
    #[inline]
    fn place(self) -> usize {
        // Negative numbers become the largest ones.
        to_index(self.cast_unsigned())
    }
}

/// A number that a feature can have.
pub(super) trait Value: Copy {
    /// The number.
    fn real(self) -> f64;
}

impl Value for f64 {
    #[inline]
    fn real(self) -> f64 {
        self
    }
}

impl Value for f32 {
    #[inline]
    fn real(self) -> f64 {
        f64::from(self)
    }
}

impl Value for i64 {
    #[inline]
    fn real(self) -> f64 {
        let size = to_f64(self.unsigned_abs());
        if self < 0 { -size } else { size }
    }
}

impl<'a> Rows<'a> {
    /// The entries of these rows.
    pub(super) fn entries_of_all(&self) -> Entries<'a> {
        let (offsets, features, values) = self.arrays();
        Entries {
            places: Places::Rows(offsets, features),
            values: values.map_or(Values::Ones, Values::Double),
            columns: self.columns(),
        }
    }
}
