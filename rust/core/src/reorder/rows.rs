//! Sparse rows: the features of examples, borrowed from whoever holds them.
#![expect(
    clippy::inline_always,
    reason = "K is a constant where a kernel is called, which makes its loops straight code"
)]

use crate::error::{Error, Result};
use crate::numeric::{to_index, to_u64};

/// The features of examples in compressed rows.
///
/// Row `i` has the features `features[offsets[i] .. offsets[i + 1]]`, in rising order. Without values each stands for a count of one, and a feature
/// that is there `n` times has the value `n`: bags of words take four bytes an entry. With values each feature stands once.
#[derive(Debug, Clone, Copy)]
pub struct Rows<'a> {
    offsets: &'a [u64],
    features: &'a [u32],
    values: Option<&'a [f64]>,
    columns: usize,
}

/// The features of one example.
#[derive(Debug, Clone, Copy)]
pub struct Row<'a> {
    features: &'a [u32],
    values: Option<&'a [f64]>,
}

impl<'a> Rows<'a> {
    /// Rows over `columns` features.
    ///
    /// # Errors
    /// [`Error::Examples`]: offsets that do not rise from 0 to the number of entries, features out of range or order, a feature that is there
    /// twice with a value, values that are not finite.
    ///
    /// # Complexity
    /// One pass over the entries; nothing is copied.
    pub fn new(
        offsets: &'a [u64],
        features: &'a [u32],
        values: Option<&'a [f64]>,
        columns: usize,
    ) -> Result<Self> {
        let rows = Self {
            offsets,
            features,
            values,
            columns,
        };
        rows.check_shape()?;
        for i in 0..rows.len() {
            rows.check_row(i)?;
        }
        Ok(rows)
    }

    /// Rows that were checked before.
    pub(super) fn trusted(
        offsets: &'a [u64],
        features: &'a [u32],
        values: Option<&'a [f64]>,
        columns: usize,
    ) -> Self {
        Self {
            offsets,
            features,
            values,
            columns,
        }
    }

    /// Offsets, features, and values if there are any.
    pub(super) fn arrays(&self) -> (&'a [u64], &'a [u32], Option<&'a [f64]>) {
        (self.offsets, self.features, self.values)
    }

    /// Number of features in all rows together.
    pub(super) fn entries(&self) -> u64 {
        to_u64(self.features.len())
    }

    /// Whether features have values.
    pub(super) fn has_values(&self) -> bool {
        self.values.is_some()
    }

    /// Number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Whether there is no row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of features there could be.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The features of example `i`.
    ///
    /// # Panics
    /// There is no such row.
    #[must_use]
    #[inline]
    pub fn row(&self, i: usize) -> Row<'a> {
        let (start, stop) = (to_index(self.offsets[i]), to_index(self.offsets[i + 1]));
        Row {
            features: &self.features[start..stop],
            values: self.values.map(|values| &values[start..stop]),
        }
    }

    fn check_shape(&self) -> Result<()> {
        let rises = self.offsets.windows(2).all(|pair| pair[0] <= pair[1]);
        let ends = self.offsets.first() == Some(&0)
            && self.offsets.last() == Some(&to_u64(self.features.len()));
        if !rises || !ends {
            return Err(Error::Examples {
                example: 0,
                problem: format!(
                    "the offsets of rows must rise from 0 to their {} entries",
                    self.features.len()
                ),
                found: "others".to_owned(),
            });
        }
        if self
            .values
            .is_some_and(|values| values.len() != self.features.len())
        {
            return Err(Error::Examples {
                example: 0,
                problem: "there must be a value for each entry".to_owned(),
                found: "another number of values".to_owned(),
            });
        }
        Ok(())
    }

    fn check_row(&self, i: usize) -> Result<()> {
        let row = self.row(i);
        let wrong = |problem: String, found: String| Error::Examples {
            example: to_u64(i) + 1,
            problem,
            found,
        };
        if let Some(&feature) = row
            .features
            .last()
            .filter(|&&last| last as usize >= self.columns)
        {
            let problem = format!("features have numbers below {}", self.columns);
            return Err(wrong(problem, feature.to_string()));
        }
        let has_values = row.values.is_some();
        let out_of_order = |pair: &&[u32]| pair[0] > pair[1] || has_values && pair[0] == pair[1];
        if let Some(pair) = row.features.windows(2).find(out_of_order) {
            let (problem, found) = if pair[0] == pair[1] {
                (
                    "a feature with a value may be there once; add its values up",
                    format!("feature {} twice", pair[0]),
                )
            } else {
                (
                    "features must be in rising order; sort each row",
                    format!("feature {} before {}", pair[0], pair[1]),
                )
            };
            return Err(wrong(problem.to_owned(), found));
        }
        let odd = row
            .values
            .and_then(|values| values.iter().find(|value| !value.is_finite()));
        odd.map_or(Ok(()), |value| {
            Err(wrong("values must be finite".to_owned(), value.to_string()))
        })
    }
}

impl<'a> Row<'a> {
    /// Features, and values if there are any.
    pub(super) fn parts(self) -> (&'a [u32], Option<&'a [f64]>) {
        (self.features, self.values)
    }

    /// Calls `each` with every entry: a feature and its value. Without values a feature comes as often as it is there, with 1.
    #[inline(always)]
    pub(crate) fn for_each(self, mut each: impl FnMut(usize, f64)) {
        match self.values {
            None => {
                for &feature in self.features {
                    each(feature as usize, 1.0);
                }
            }
            Some(values) => {
                for (&feature, &value) in self.features.iter().zip(values) {
                    each(feature as usize, value);
                }
            }
        }
    }

    /// Calls `each` with every feature that is there and its value, each feature once.
    #[inline]
    pub(crate) fn for_each_value(self, mut each: impl FnMut(u32, f64)) {
        if let Some(values) = self.values {
            for (&feature, &value) in self.features.iter().zip(values) {
                each(feature, value);
            }
            return;
        }
        let mut entries = self.features.iter().copied().peekable();
        while let Some(feature) = entries.next() {
            let mut count = 1.0;
            while entries.next_if_eq(&feature).is_some() {
                count += 1.0;
            }
            each(feature, count);
        }
    }

    /// The sum of the squares of the values.
    #[inline]
    pub(crate) fn squared_norm(self) -> f64 {
        let mut sum = 0.0;
        self.for_each_value(|_, value| sum += value * value);
        sum
    }
}

/// Examples: rows with the class of each.
#[derive(Debug, Clone, Copy)]
pub struct Examples<'a> {
    /// The features.
    pub rows: Rows<'a>,
    labels: &'a [u32],
    classes: usize,
}

impl<'a> Examples<'a> {
    /// Rows with their classes, numbers below `classes`.
    ///
    /// # Errors
    /// [`Error::Examples`]: not one label for each row, or one out of range; [`Error::Config`]: fewer than two classes;
    /// [`Error::TooLarge`]: 2^32 rows or more.
    pub fn new(rows: Rows<'a>, labels: &'a [u32], classes: usize) -> Result<Self> {
        if classes < 2 {
            return Err(Error::config(
                "classes",
                "2 or more: with one class there is nothing to tell apart",
                classes,
            ));
        }
        if labels.len() != rows.len() {
            return Err(Error::Examples {
                example: to_u64(labels.len().min(rows.len())) + 1,
                problem: format!("each of the {} rows needs a class", rows.len()),
                found: format!("{} classes", labels.len()),
            });
        }
        if u32::try_from(rows.len()).is_err() {
            return Err(Error::TooLarge {
                what: "the number of examples",
                limit: u64::from(u32::MAX),
            });
        }
        let odd = labels.iter().position(|&label| label as usize >= classes);
        if let Some(i) = odd {
            return Err(Error::Examples {
                example: to_u64(i) + 1,
                problem: format!("classes have numbers below {classes}"),
                found: labels[i].to_string(),
            });
        }
        Ok(Self {
            rows,
            labels,
            classes,
        })
    }

    /// Examples that were checked before.
    pub(super) fn trusted(rows: Rows<'a>, labels: &'a [u32], classes: usize) -> Self {
        Self {
            rows,
            labels,
            classes,
        }
    }

    /// Number of examples.
    #[must_use]
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// Whether there is no example.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// Number of classes, K.
    #[must_use]
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// The class of each example.
    pub(super) fn labels(&self) -> &'a [u32] {
        self.labels
    }

    /// The class of example `i`.
    ///
    /// # Panics
    /// There is no such example.
    #[must_use]
    #[inline]
    pub fn label(&self, i: usize) -> usize {
        self.labels[i] as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(offsets: &[u64], features: &[u32], values: Option<&[f64]>) -> String {
        Rows::new(offsets, features, values, 3)
            .expect_err("the rows are wrong")
            .to_string()
    }

    #[test]
    fn a_repeated_feature_counts_without_values_and_is_refused_with_them() {
        let rows = Rows::new(&[0, 3, 3], &[0, 0, 2], None, 3).expect("sorted");
        let mut seen = Vec::new();
        rows.row(0)
            .for_each_value(|feature, value| seen.push((feature, value)));
        assert_eq!(seen, [(0, 2.0), (2, 1.0)]);
        assert!((rows.row(0).squared_norm() - 5.0).abs() < 1e-15);
        assert!(rows.row(1).squared_norm().abs() < 1e-15);
        let got = problem(&[0, 2], &[1, 1], Some(&[1.0, 2.0]));
        assert_eq!(
            got,
            "example 1: a feature with a value may be there once; add its values up; found feature 1 twice"
        );
    }

    #[test]
    fn rows_that_cannot_be_are_refused() {
        assert!(problem(&[0, 2], &[2, 1], None).contains("feature 2 before 1"));
        assert!(problem(&[0, 1, 2], &[0, 3], None).starts_with("example 2: features have numbers"));
        assert!(problem(&[0, 1], &[0], Some(&[f64::NAN])).contains("found NaN"));
        assert!(problem(&[0, 1], &[0], Some(&[])).contains("a value for each"));
        assert!(problem(&[1, 1], &[0], None).contains("from 0 to their 1"));
        assert!(problem(&[0, 1, 0, 1], &[0], None).contains("from 0 to their 1"));
    }

    #[test]
    fn examples_need_two_classes_and_a_class_for_each_row() {
        let rows = Rows::new(&[0, 0, 0], &[], None, 0).expect("empty rows");
        assert!(Examples::new(rows, &[0, 0], 1).is_err());
        assert!(Examples::new(rows, &[0], 2).is_err());
        assert!(Examples::new(rows, &[0, 2], 2).is_err());
        assert!(Examples::new(rows, &[0, 1], 2).is_ok());
    }
}
