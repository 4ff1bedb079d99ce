//! Some labels at each position, as lists: the candidates that training, or decoding, chooses among.

use super::builder::Names;
use super::dataset::{NO_LABEL, Sequences};
use super::features::Features;
use crate::error::{Error, Result};
use crate::numeric::{to_index, to_u64};

/// The labels of each position among all, as lists that rise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelSets {
    starts: Vec<usize>,
    labels: Vec<u32>,
    /// How many labels there are.
    count: usize,
}

/// Which attributes have a name that begins with this.
///
/// # Errors
/// [`Error::Config`] when none has.
pub fn keys(attributes: &Names, prefix: &str) -> Result<Vec<bool>> {
    let is_key: Vec<bool> = attributes
        .iter()
        .map(|name| name.starts_with(prefix))
        .collect();
    if is_key.contains(&true) {
        Ok(is_key)
    } else {
        Err(Error::config(
            "candidates",
            "what the name of an attribute begins with",
            format!("'{prefix}', with which none begins"),
        ))
    }
}

impl LabelSets {
    /// The labels that have a weight with a key attribute of the position: where pairs are the observed ones, those that were seen with it. Of several key attributes a position
    /// has the labels of all together; without one that has a pair it has all labels.
    ///
    /// # Errors
    /// [`Error::Memory`].
    ///
    /// # Complexity
    /// Time and memory are linear in the occurrences of attributes and the labels of all lists.
    pub fn of_keys(data: &Sequences, features: &Features, is_key: &[bool]) -> Result<Self> {
        let (starts, labels) = (features.state_starts(), features.state_labels());
        Self::collect(data.positions(), features.labels(), |position, own| {
            data.features(position, |attribute, _| {
                let at = to_index(attribute.into());
                if is_key.get(at) == Some(&true) && at + 1 < starts.len() {
                    own.extend_from_slice(&labels[starts[at]..starts[at + 1]]);
                }
            });
        })
    }

    /// The labels that `list` gives for the number of each position; all where it gives none.
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub fn of_lists<'l>(
        data: &Sequences,
        labels: usize,
        list: impl Fn(usize) -> &'l [u32],
    ) -> Result<Self> {
        Self::collect(data.positions(), labels, |position, own| {
            own.extend_from_slice(list(position));
        })
    }

    /// The labels of claims, by position, then label; all where there is no claim.
    ///
    /// # Errors
    /// [`Error::Config`] when there are not as many claims as positions times labels; [`Error::Memory`].
    pub fn of_claims(data: &Sequences, labels: usize, claims: &[bool]) -> Result<Self> {
        let expected = data.positions() * labels;
        if claims.len() != expected {
            let expected = format!("{expected} claims, for each position and label");
            return Err(Error::config("candidates", &expected, claims.len()));
        }
        Self::collect(data.positions(), labels, |position, own| {
            let row = &claims[position * labels..][..labels];
            own.extend(
                (0..)
                    .zip(row)
                    .filter(|(_, is)| **is)
                    .map(|(label, _)| label),
            );
        })
    }

    /// The same lists, each with the label that its position has.
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub fn with_labels_of(self, data: &Sequences) -> Result<Self> {
        Self::collect(self.positions(), self.count, |position, own| {
            own.extend_from_slice(self.at(position));
            let label = data.labels()[position];
            if label != NO_LABEL && to_index(label.into()) < self.count {
                own.push(label);
            }
        })
    }

    fn collect(
        positions: usize,
        count: usize,
        mut list: impl FnMut(usize, &mut Vec<u32>),
    ) -> Result<Self> {
        let mut made = Self {
            starts: vec![0],
            labels: Vec::new(),
            count,
        };
        let mut own = Vec::new();
        for position in 0..positions {
            own.clear();
            list(position, &mut own);
            if own.is_empty() {
                own.extend((0..).take(count));
            }
            own.sort_unstable();
            own.dedup();
            let bytes = to_u64(made.labels.len() + own.len()).saturating_mul(4);
            made.labels
                .try_reserve(own.len())
                .map_err(|_| Error::Memory {
                    what: "candidate labels",
                    bytes,
                })?;
            made.labels.extend_from_slice(&own);
            made.starts.push(made.labels.len());
        }
        Ok(made)
    }

    /// The labels of the position with this number among all.
    #[inline]
    #[must_use]
    pub fn at(&self, position: usize) -> &[u32] {
        &self.labels[self.starts[position]..self.starts[position + 1]]
    }

    /// Number of positions.
    #[must_use]
    pub fn positions(&self) -> usize {
        self.starts.len() - 1
    }

    /// How many labels there are.
    #[must_use]
    pub fn labels(&self) -> usize {
        self.count
    }

    /// Number of labels of all lists.
    #[must_use]
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// Whether no list has a label.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// Whether each label is in the list of each position, by position, then label.
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub fn claims(&self) -> Result<Vec<bool>> {
        let size = self.positions() * self.count;
        let mut claims: Vec<bool> = Vec::new();
        claims.try_reserve_exact(size).map_err(|_| Error::Memory {
            what: "claims of labels",
            bytes: to_u64(size),
        })?;
        claims.resize(size, false);
        for position in 0..self.positions() {
            for &label in self.at(position) {
                claims[position * self.count + to_index(label.into())] = true;
            }
        }
        Ok(claims)
    }
}
