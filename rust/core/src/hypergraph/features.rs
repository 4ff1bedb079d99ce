//! Values beside the edges, and their sums weighted by edges.

use super::structure::index;
use crate::error::{Error, Result};
use crate::numeric::{to_index, to_u64};

/// What each edge has of some features; rows are by number.
#[derive(Debug, Clone, Copy)]
pub enum Features<'a> {
    /// A row of values for each edge.
    Dense {
        /// Row after row.
        values: &'a [f64],
        /// The length of a row.
        count: usize,
    },
    /// The features of each edge that are not 0.
    Sparse {
        /// Where the row of each edge starts; one more than there are edges.
        starts: &'a [u64],
        /// The features of all rows; one may occur more than once in a row.
        ids: &'a [u32],
        /// Their values.
        values: &'a [f64],
        /// The number of features.
        count: usize,
    },
}

impl Features<'_> {
    /// The number of features.
    #[must_use]
    pub fn count(&self) -> usize {
        match *self {
            Self::Dense { count, .. } | Self::Sparse { count, .. } => count,
        }
    }

    /// Checks shapes, ids and values. O(values).
    ///
    /// # Errors
    /// [`Error::Hypergraph`] for rows that are not those of so many edges, an id that is too large, and a value that is not finite.
    pub fn check(&self, edges: usize) -> Result<()> {
        let (rows, values) = match *self {
            Self::Dense { values, count } => {
                if values.len() != edges * count {
                    return wrong(
                        "the features",
                        &format!("must be {edges} rows of {count} values"),
                        values.len(),
                    );
                }
                return finite(values);
            }
            Self::Sparse {
                starts,
                ids,
                values,
                count,
            } => {
                if ids.len() != values.len() {
                    return wrong("the features", "must be as many ids as values", ids.len());
                }
                if let Some(&id) = ids.iter().find(|&&id| index(id) >= count) {
                    return wrong(
                        "the features",
                        &format!("there are {count}, numbered from 0"),
                        id,
                    );
                }
                (starts, values)
            }
        };
        if rows.len() != edges + 1 {
            return wrong(
                "the starts of feature rows",
                &format!("must be one more than the {edges} edges"),
                rows.len(),
            );
        }
        let is_rising = rows.windows(2).all(|pair| pair[0] <= pair[1]);
        if rows[0] != 0 || rows[edges] != to_u64(values.len()) || !is_rising {
            return wrong(
                "the starts of feature rows",
                &format!("must rise from 0 to the number of values, {}", values.len()),
                format!("{} to {}", rows[0], rows[edges]),
            );
        }
        finite(values)
    }

    /// The sum of the rows of all edges, each times a factor by number: the last line of Li and Eisner 2009, Figure 4.
    ///
    /// O(values): rows stay sparse until they are added.
    #[must_use]
    pub fn sum(&self, factors: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; self.count()];
        match *self {
            Self::Dense { count: 0, .. } => {}
            Self::Dense { values, count } => {
                for (row, &factor) in values.chunks_exact(count).zip(factors) {
                    for (sum, value) in sums.iter_mut().zip(row) {
                        *sum += factor * value;
                    }
                }
            }
            Self::Sparse {
                starts,
                ids,
                values,
                ..
            } => {
                for (bounds, &factor) in starts.windows(2).zip(factors) {
                    let row = to_index(bounds[0])..to_index(bounds[1]);
                    for (&id, value) in ids[row.clone()].iter().zip(&values[row]) {
                        sums[index(id)] += factor * value;
                    }
                }
            }
        }
        sums
    }

    /// One feature of each edge, by number. O(values).
    #[must_use]
    pub fn column(&self, feature: usize) -> Vec<f64> {
        match *self {
            Self::Dense { values, count } => {
                values.chunks_exact(count).map(|row| row[feature]).collect()
            }
            Self::Sparse {
                starts,
                ids,
                values,
                ..
            } => starts
                .windows(2)
                .map(|bounds| {
                    let row = to_index(bounds[0])..to_index(bounds[1]);
                    let here = ids[row.clone()].iter().zip(&values[row]);
                    here.filter(|(id, _)| index(**id) == feature)
                        .map(|(_, value)| value)
                        .sum()
                })
                .collect(),
        }
    }
}

fn wrong(place: &str, problem: &str, found: impl std::fmt::Display) -> Result<()> {
    Err(Error::Hypergraph {
        place: place.to_owned(),
        problem: problem.to_owned(),
        found: found.to_string(),
    })
}

fn finite(values: &[f64]) -> Result<()> {
    match values.iter().position(|value| !value.is_finite()) {
        None => Ok(()),
        Some(n) => wrong(
            &format!("value {n} of the features"),
            "must be finite",
            values[n],
        ),
    }
}
