//! Items of each position, one behind the other.

use crate::error::{Error, Result};

/// Items of each position with their values; none when all values are 1.
#[derive(Debug)]
pub(super) struct Ragged<T> {
    starts: Vec<usize>,
    items: Vec<T>,
    values: Option<Vec<f64>>,
}

impl<T> Ragged<T> {
    pub fn new(positions: usize, items: usize, has_values: bool) -> Result<Self> {
        let mut made = Self {
            starts: Vec::new(),
            items: Vec::new(),
            values: has_values.then(Vec::new),
        };
        reserve(&mut made.starts, positions + 1)?;
        reserve(&mut made.items, items)?;
        if let Some(values) = &mut made.values {
            reserve(values, items)?;
        }
        made.starts.push(0);
        Ok(made)
    }

    #[inline]
    pub fn push(&mut self, item: T, value: f64) {
        self.items.push(item);
        if let Some(values) = &mut self.values {
            values.push(value);
        }
    }

    pub fn close(&mut self) {
        self.starts.push(self.items.len());
    }

    /// The items of a position, and their values if any is not 1.
    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "it must be compiled for the instructions of its caller"
    )]
    pub fn at(&self, position: usize) -> (&[T], Option<&[f64]>) {
        let own = self.starts[position]..self.starts[position + 1];
        let values = self.values.as_ref().map(|values| &values[own.clone()]);
        (&self.items[own], values)
    }
}

pub(super) fn reserve<T>(items: &mut Vec<T>, count: usize) -> Result<()> {
    items.try_reserve_exact(count).map_err(|_| Error::Memory {
        what: "the attributes of training data",
        bytes: (count as u64).saturating_mul(size_of::<T>() as u64),
    })
}
