//! Features that come to those of rows: equally many for each example.

use super::rows::Examples;
use crate::error::{Error, Result};
use crate::numeric::to_u64;

/// More features of examples, as many of each, behind those that their rows have. With them it takes no second set of rows to train on both.
#[derive(Debug, Clone, Copy)]
pub struct Further<'a> {
    features: &'a [u32],
    of_each: usize,
    columns: usize,
}

impl<'a> Further<'a> {
    /// `features[i * of_each..][..of_each]` are those of example `i`: numbers below `columns`, rising, counted from the last feature of the rows on.
    ///
    /// # Errors
    /// [`Error::Examples`]: there are not as many for each example, or one is out of range or does not rise.
    pub fn new(
        examples: Examples<'_>,
        features: &'a [u32],
        of_each: usize,
        columns: usize,
    ) -> Result<Self> {
        let wrong = |example: usize, problem: &str, found: String| Error::Examples {
            example: to_u64(example),
            problem: problem.to_owned(),
            found,
        };
        if examples.len().checked_mul(of_each) != Some(features.len()) {
            return Err(wrong(
                0,
                "each example needs equally many further features",
                features.len().to_string(),
            ));
        }
        let all = examples.rows.columns().checked_add(columns);
        if all.is_none_or(|all| u32::try_from(all).is_err()) {
            return Err(wrong(
                0,
                "there must be fewer than 2^32 features",
                columns.to_string(),
            ));
        }
        for (i, own) in features.chunks(of_each.max(1)).enumerate() {
            let is_in_range = own.iter().all(|&feature| (feature as usize) < columns);
            if !is_in_range || !own.is_sorted() {
                return Err(wrong(
                    i + 1,
                    "further features must rise and be those there are",
                    format!("{own:?}"),
                ));
            }
        }
        Ok(Self {
            features,
            of_each,
            columns,
        })
    }

    /// Number of different features.
    pub(super) fn columns(&self) -> usize {
        self.columns
    }

    /// Number of entries.
    pub(super) fn len(&self) -> usize {
        self.features.len()
    }

    /// Those of an example.
    pub(super) fn of(&self, i: usize) -> &'a [u32] {
        &self.features[i * self.of_each..(i + 1) * self.of_each]
    }
}
