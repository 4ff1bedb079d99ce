//! Words as runs of symbols.

use crate::error::{Error, Result};

/// Many words end to end: word `n` is `symbols[starts[n]..starts[n + 1]]`.
#[derive(Debug, Clone, Copy)]
pub struct Words<'a> {
    starts: &'a [usize],
    symbols: &'a [u32],
}

impl<'a> Words<'a> {
    /// Checks that the starts rise from 0 to the number of symbols.
    ///
    /// # Errors
    /// [`Error::Model`] when they do not.
    pub fn new(starts: &'a [usize], symbols: &'a [u32]) -> Result<Self> {
        let is_good = starts.first() == Some(&0)
            && starts.last() == Some(&symbols.len())
            && starts.windows(2).all(|pair| pair[0] <= pair[1]);
        if is_good {
            Ok(Self { starts, symbols })
        } else {
            Err(Error::Model {
                part: "the array of starts of words",
                problem: format!("must rise from 0 to {}", symbols.len()),
            })
        }
    }

    /// The number of words.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether there are no words.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The symbols of a word.
    #[must_use]
    #[inline]
    pub fn get(&self, number: usize) -> &'a [u32] {
        &self.symbols[self.starts[number]..self.starts[number + 1]]
    }
}
