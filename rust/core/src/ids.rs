//! Ids are types, never bare integers; a constructor that may overflow can fail.

use crate::error::{Error, Result};

/// A word type of one side's vocabulary: a dense index from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[repr(transparent)]
pub struct WordId(u32);

impl WordId {
    /// The id of the `index`-th word.
    ///
    /// # Errors
    /// [`Error::TooLarge`] when `index` does not fit 32 bits.
    pub fn new(index: usize) -> Result<Self> {
        u32::try_from(index).map(Self).map_err(|_| Error::TooLarge {
            what: "the number of word types",
            limit: u64::from(u32::MAX),
        })
    }

    /// The id with this number.
    #[must_use]
    pub const fn from_u32(number: u32) -> Self {
        Self(number)
    }

    /// The id as a number.
    #[must_use]
    pub const fn as_u32(self) -> u32 {
        self.0
    }

    /// The id as an index into per-word arrays.
    #[must_use]
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}
