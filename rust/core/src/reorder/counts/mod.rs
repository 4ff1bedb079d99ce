//! Counts of features by class, which naive Bayes and mutual information learn from.

use super::entries::Entries;
use super::rows::Examples;
use crate::cancel::CancelToken;
use crate::error::{Error, Result};
use crate::numeric::to_u64;
use rustc_hash::FxHashMap;

mod pass;

/// Sums of whole numbers are exact up to here.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// How often each feature occurred with each class: all that naive Bayes and mutual information learn from. Counts of parts of a corpus add up
/// to those of the whole, in any order when values are whole numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Counts {
    /// Examples of each class, `N_k`.
    pub examples: Vec<u64>,
    /// The sum of the values of each feature in each class, at `feature * classes + class`: `sum_n x_nm` of (10).
    pub sums: Vec<f64>,
    /// Examples of each class in which a feature has the value 1, in the same order.
    pub ones: Vec<u64>,
    /// The same for other values than 0 and 1, by feature and the bits of the value. Empty when values are not counted.
    pub others: FxHashMap<(u64, u64), Vec<u64>>,
    has_values: bool,
}

impl Counts {
    /// Counts of nothing. With `has_values`, how often a feature had which value is counted too, for mutual information.
    #[must_use]
    pub fn new(columns: usize, classes: usize, has_values: bool) -> Self {
        Self {
            examples: vec![0; classes],
            sums: vec![0.0; columns * classes],
            ones: vec![0; columns * classes * usize::from(has_values)],
            others: FxHashMap::default(),
            has_values,
        }
    }

    /// Counts from a saved model, without those of values.
    ///
    /// # Errors
    /// [`Error::Model`]: the table has no whole number of rows, or numbers that are no counts.
    pub fn from_sums(examples: Vec<u64>, sums: Vec<f64>) -> Result<Self> {
        let is_table = !examples.is_empty() && sums.len().is_multiple_of(examples.len());
        if !is_table || sums.iter().any(|sum| !(0.0..=EXACT).contains(sum)) {
            return Err(Error::Model {
                part: "the table of counts",
                problem: "must have a count for each feature and class".to_owned(),
            });
        }
        Ok(Self {
            examples,
            sums,
            ones: Vec::new(),
            others: FxHashMap::default(),
            has_values: false,
        })
    }

    /// Number of classes.
    #[must_use]
    pub fn classes(&self) -> usize {
        self.examples.len()
    }

    /// Number of features.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.sums.len() / self.classes().max(1)
    }

    /// Whether the values of features are counted.
    #[must_use]
    pub fn has_values(&self) -> bool {
        self.has_values
    }

    /// Counts more examples.
    ///
    /// # Errors
    /// As [`Counts::add_entries`].
    ///
    /// # Complexity
    /// One pass over the entries.
    pub fn add(&mut self, examples: Examples<'_>, cancel: &CancelToken) -> Result<()> {
        if self.classes() != examples.classes() {
            return Err(Self::other_shape());
        }
        self.add_entries(examples.rows.entries_of_all(), examples.labels(), cancel)
    }

    /// Counts more examples that nobody looked at before: one pass checks and counts. Entries of a row that name one feature add up. After an
    /// error these counts are good for nothing.
    ///
    /// # Errors
    /// [`Error::Examples`]: a value is negative or not finite, a feature or class is out of range, offsets do not rise from 0 to the number of
    /// entries, or, where values are counted, a row is not in order; [`Error::Model`]: other features; [`Error::TooLarge`]: a sum above 2^53,
    /// where it would no longer be exact; [`Error::Cancelled`].
    ///
    /// # Complexity
    /// One pass over the entries; nothing is copied.
    pub fn add_entries(
        &mut self,
        entries: Entries<'_>,
        labels: &[u32],
        cancel: &CancelToken,
    ) -> Result<()> {
        if self.columns() != entries.columns {
            return Err(Self::other_shape());
        }
        pass::add(self, entries, labels, cancel)?;
        self.check_exact()
    }

    /// Adds the counts of another part of the corpus.
    ///
    /// # Errors
    /// [`Error::Model`]: other features or classes; [`Error::TooLarge`]: a sum above 2^53.
    pub fn merge(&mut self, other: &Self) -> Result<()> {
        if self.classes() != other.classes()
            || self.sums.len() != other.sums.len()
            || self.has_values != other.has_values
        {
            return Err(Self::other_shape());
        }
        add_all(&mut self.examples, &other.examples);
        add_all(&mut self.ones, &other.ones);
        for (sum, more) in self.sums.iter_mut().zip(&other.sums) {
            *sum += more;
        }
        for (key, counts) in &other.others {
            let here = self
                .others
                .entry(*key)
                .or_insert_with(|| vec![0; counts.len()]);
            add_all(here, counts);
        }
        self.check_exact()
    }

    /// The counts of these features, in this order; with those of values if they are here and wanted.
    ///
    /// # Panics
    /// There is no such feature.
    #[must_use]
    pub fn selected(&self, kept: &[usize], has_values: bool) -> Self {
        let classes: Vec<usize> = (0..self.classes()).collect();
        self.arranged(kept, &classes, has_values)
    }

    /// The same with class `classes[k]` for class `k`.
    pub(super) fn arranged(&self, kept: &[usize], classes: &[usize], has_values: bool) -> Self {
        let k = self.classes();
        let has_values = has_values && self.has_values;
        let places = kept
            .iter()
            .flat_map(|m| classes.iter().map(move |c| m * k + c));
        let mut others = FxHashMap::default();
        if has_values {
            let moved: FxHashMap<u64, u64> = kept.iter().map(|&m| to_u64(m)).zip(0..).collect();
            for (&(feature, value), counts) in &self.others {
                if let Some(&new) = moved.get(&feature) {
                    let counts = classes.iter().map(|&c| counts[c]).collect();
                    others.insert((new, value), counts);
                }
            }
        }
        Self {
            examples: classes.iter().map(|&c| self.examples[c]).collect(),
            sums: places.clone().map(|at| self.sums[at]).collect(),
            ones: if has_values {
                places.map(|at| self.ones[at]).collect()
            } else {
                Vec::new()
            },
            others,
            has_values,
        }
    }

    /// Makes room for more features, and for more classes behind those that are here.
    pub(super) fn grow(&mut self, columns: usize, classes: usize) {
        let before = self.classes();
        widen(&mut self.sums, before, classes, columns);
        if self.has_values {
            widen(&mut self.ones, before, classes, columns);
        }
        if classes > before {
            self.examples.resize(classes, 0);
            for counts in self.others.values_mut() {
                counts.resize(classes, 0);
            }
        }
    }

    fn check_exact(&self) -> Result<()> {
        if self.sums.iter().any(|&sum| sum > EXACT) {
            return Err(Error::TooLarge {
                what: "the sum of the values of a feature",
                limit: 1 << 53,
            });
        }
        Ok(())
    }

    pub(super) fn other_shape() -> Error {
        Error::Model {
            part: "the table of counts",
            problem: "is for other features or classes than the examples have".to_owned(),
        }
    }
}

/// Gives a table of `before` cells a row `after` cells a row, and `rows` rows.
pub(super) fn widen<T: Copy + Default>(
    cells: &mut Vec<T>,
    before: usize,
    after: usize,
    rows: usize,
) {
    if before != after && before > 0 {
        let mut wide = vec![T::default(); cells.len() / before * after];
        for (new, old) in wide.chunks_mut(after).zip(cells.chunks(before)) {
            new[..before].copy_from_slice(old);
        }
        *cells = wide;
    }
    cells.resize(rows * after, T::default());
}

fn add_all(sums: &mut [u64], more: &[u64]) {
    for (sum, more) in sums.iter_mut().zip(more) {
        *sum += more;
    }
}

#[cfg(test)]
mod tests;
