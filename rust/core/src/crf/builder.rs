//! Sequences from names of attributes and labels, which get dense ids in the order of first occurrence.

use super::dataset::{NO_LABEL, Sequences};
use crate::error::{Error, Result};
use crate::text::interner::Interner;
use std::sync::Arc;

/// Names with dense ids.
#[derive(Debug, Clone, Default)]
pub struct Names(Arc<Interner>);

impl Names {
    /// Names in the order of their ids.
    ///
    /// # Errors
    /// [`Error::Config`] when a name is there twice; [`Error::TooLarge`]; [`Error::Memory`].
    pub fn new<'a>(what: &'static str, names: impl IntoIterator<Item = &'a str>) -> Result<Self> {
        let mut interner = Interner::default();
        for (number, name) in names.into_iter().enumerate() {
            if interner.intern(name)?.index() != number {
                return Err(Error::config(
                    what,
                    "different names",
                    format!("{name:?} twice"),
                ));
            }
        }
        Ok(Self(Arc::new(interner)))
    }

    /// Number of names.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no name.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.len() == 0
    }

    /// The name with this id.
    ///
    /// # Panics
    /// When there is none.
    #[must_use]
    pub fn name(&self, id: usize) -> &str {
        self.0.word(id)
    }

    /// The id of a name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<u32> {
        self.0.get(name).map(crate::ids::WordId::as_u32)
    }

    /// Whether the first names here are all of `other`, with the same ids.
    #[must_use]
    pub fn starts_with(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
            || (self.len() >= other.len() && self.iter().zip(other.iter()).all(|(a, b)| a == b))
    }

    /// All names by id.
    #[must_use]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.len()).map(|id| self.name(id))
    }
}

/// Attribute names while sequences are made.
#[derive(Debug)]
enum Attributes {
    /// New names get new ids.
    Growing(Interner),
    /// Features with unknown names are left out: no weight belongs to them.
    Fixed(Names),
}

/// What was built.
#[derive(Debug, Clone)]
pub struct Built {
    /// The sequences.
    pub sequences: Sequences,
    /// The names of attributes.
    pub attributes: Names,
    /// The names of labels.
    pub labels: Names,
    /// Features that were left out because their attribute is not among the fixed ones.
    pub unknown: u64,
}

/// Makes sequences, feature by feature.
#[derive(Debug)]
pub struct DatasetBuilder {
    sequences: Sequences,
    attributes: Attributes,
    labels: Interner,
    unknown: u64,
}

impl Default for DatasetBuilder {
    fn default() -> Self {
        Self {
            sequences: Sequences::default(),
            attributes: Attributes::Growing(Interner::default()),
            labels: Interner::default(),
            unknown: 0,
        }
    }
}

impl DatasetBuilder {
    /// A builder that knows names already. New labels get ids after the known ones; new attributes do too, unless `is_fixed`: then they are left out.
    #[must_use]
    pub fn with_names(attributes: Names, labels: &Names, is_fixed: bool) -> Self {
        Self {
            attributes: if is_fixed {
                Attributes::Fixed(attributes)
            } else {
                Attributes::Growing(attributes.0.as_ref().clone())
            },
            labels: labels.0.as_ref().clone(),
            ..Self::default()
        }
    }

    /// Adds an attribute to the position that is open. An attribute that is added twice counts with the sum of its values, as everywhere in this module.
    ///
    /// # Errors
    /// [`Error::Config`] for a value that is not finite; [`Error::TooLarge`]; [`Error::Memory`].
    #[inline]
    pub fn feature(&mut self, attribute: &str, value: f64) -> Result<()> {
        self.add(attribute, value).map(drop)
    }

    /// Adds an attribute that has weights with pairs of labels: those of the position that is open and of the one before, which must be there.
    ///
    /// # Errors
    /// Those of [`feature`](Self::feature).
    pub fn pair_feature(&mut self, attribute: &str, value: f64) -> Result<()> {
        if let Some(id) = self.add(attribute, value)? {
            self.sequences.set_pairing(id);
        }
        Ok(())
    }

    /// Returns the number of the attribute, unless it was left out.
    #[inline]
    fn add(&mut self, attribute: &str, value: f64) -> Result<Option<u32>> {
        if !value.is_finite() {
            return Err(Error::config(
                "the value of an attribute",
                "finite",
                format!("{value} for {attribute:?}"),
            ));
        }
        let id = match &mut self.attributes {
            Attributes::Growing(names) => names.intern(attribute)?.as_u32(),
            Attributes::Fixed(names) => {
                let Some(id) = names.get(attribute) else {
                    self.unknown += 1;
                    return Ok(None);
                };
                id
            }
        };
        self.sequences.push_feature(id, value)?;
        Ok(Some(id))
    }

    /// Closes the position that is open.
    ///
    /// # Errors
    /// [`Error::TooLarge`]; [`Error::Memory`].
    pub fn end_position(&mut self, label: Option<&str>) -> Result<()> {
        let label = match label {
            Some(name) => self.labels.intern(name)?.as_u32(),
            None => NO_LABEL,
        };
        self.sequences.end_position(label);
        Ok(())
    }

    /// Closes the sequence that is open, which may be empty.
    pub fn end_sequence(&mut self) {
        self.sequences.end_sequence();
    }

    /// Number of positions of the sequence that is open.
    #[must_use]
    pub fn open_positions(&self) -> usize {
        self.sequences.open_positions()
    }

    /// The sequences and the names, after closing a sequence with positions that is still open.
    #[must_use]
    pub fn finish(mut self) -> Built {
        if self.open_positions() > 0 {
            self.end_sequence();
        }
        Built {
            sequences: self.sequences,
            attributes: match self.attributes {
                Attributes::Growing(names) => Names(Arc::new(names)),
                Attributes::Fixed(names) => names,
            },
            labels: Names(Arc::new(self.labels)),
            unknown: self.unknown,
        }
    }
}
