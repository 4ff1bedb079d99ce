//! Where a search stands, as named vectors: enough to go on with the same bits.

use crate::error::{Error, Result};
use std::collections::BTreeMap;

/// Named vectors of numbers. Counts are stored as numbers too; they are exact below 2^53.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Snapshot(BTreeMap<String, Vec<f64>>);

impl Snapshot {
    /// A snapshot of its parts.
    #[must_use]
    pub fn from_parts(parts: BTreeMap<String, Vec<f64>>) -> Self {
        Self(parts)
    }

    /// Its parts.
    #[must_use]
    pub fn into_parts(self) -> BTreeMap<String, Vec<f64>> {
        self.0
    }

    /// Adds a vector, or replaces it.
    pub fn put(&mut self, name: impl Into<String>, numbers: Vec<f64>) {
        self.0.insert(name.into(), numbers);
    }

    /// Whether there is a vector of this name.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// A vector.
    ///
    /// # Errors
    /// [`Error::Model`] when it is not there, or has a number that is not finite.
    pub fn vector(&self, name: &str) -> Result<&[f64]> {
        match self.0.get(name) {
            Some(numbers) if numbers.iter().all(|number| number.is_finite()) => Ok(numbers),
            Some(_) => Err(wrong(format!(
                "has a number in {name:?} that is not finite"
            ))),
            None => Err(wrong(format!("lacks {name:?}"))),
        }
    }

    /// A vector of this length.
    ///
    /// # Errors
    /// [`Error::Model`] when it is not there, has another length, or a number that is not finite.
    pub fn sized(&self, name: &str, length: usize) -> Result<&[f64]> {
        let found = self.vector(name)?;
        if found.len() == length {
            Ok(found)
        } else {
            let found = found.len();
            Err(wrong(format!(
                "has {found} numbers in {name:?}, not {length}"
            )))
        }
    }

    /// A single number.
    ///
    /// # Errors
    /// [`Error::Model`] when it is not there.
    pub fn number(&self, name: &str) -> Result<f64> {
        self.sized(name, 1).map(|numbers| numbers[0])
    }

    /// A count.
    ///
    /// # Errors
    /// [`Error::Model`] when it is not there, or no whole number from 0 to 2^53.
    pub fn count(&self, name: &str) -> Result<u64> {
        let number = self.number(name)?;
        if (0.0..=9_007_199_254_740_992.0).contains(&number) && number.fract() == 0.0 {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a whole number from 0 to 2^53"
            )]
            let count = number as u64;
            Ok(count)
        } else {
            Err(wrong(format!("has {number} in {name:?}, no count")))
        }
    }
}

fn wrong(problem: String) -> Error {
    Error::Model {
        part: "the checkpoint",
        problem,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_or_wrong_is_named() {
        let mut snapshot = Snapshot::default();
        snapshot.put("n", vec![3.0]);
        snapshot.put("half", vec![0.5]);
        snapshot.put("bad", vec![f64::NAN]);
        assert_eq!(snapshot.count("n"), Ok(3));
        assert_eq!(snapshot.sized("n", 1), Ok([3.0].as_slice()));
        for problem in [
            snapshot.count("half").map(|_| ()),
            snapshot.vector("bad").map(|_| ()),
            snapshot.vector("absent").map(|_| ()),
            snapshot.sized("n", 2).map(|_| ()),
        ] {
            assert!(matches!(problem, Err(Error::Model { .. })), "{problem:?}");
        }
    }
}
