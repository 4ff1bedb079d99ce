//! Names of orientation models: whose orientations, and in which classes.

use super::orientation::{Orientation, Orientations};
use crate::error::{Error, Result};
use std::str::FromStr;

/// Whose orientations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Basis {
    /// Word-based.
    Word,
    /// Phrase-based.
    Phrase,
    /// Hierarchical.
    Hier,
}

impl Basis {
    /// All bases, in the order of the columns of a file of orientations.
    pub const ALL: [Self; 3] = [Self::Word, Self::Phrase, Self::Hier];

    /// The place of its column.
    #[must_use]
    pub const fn column(self) -> usize {
        match self {
            Self::Word => 0,
            Self::Phrase => 1,
            Self::Hier => 2,
        }
    }

    /// The orientation by this basis.
    #[must_use]
    pub const fn of(self, orientations: Orientations) -> Orientation {
        match self {
            Self::Word => orientations.word,
            Self::Phrase => orientations.phrase,
            Self::Hier => orientations.hier,
        }
    }

    /// The name of the basis.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Word => "wbe",
            Self::Phrase => "phrase",
            Self::Hier => "hier",
        }
    }
}

impl FromStr for Basis {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text {
            "wbe" => Ok(Self::Word),
            "phrase" => Ok(Self::Phrase),
            "hier" => Ok(Self::Hier),
            _ => Err(Error::config(
                "model",
                "based on wbe, phrase or hier, such as hier-msd",
                text,
            )),
        }
    }
}

/// Which classes are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Classes {
    /// Monotone, swap, other.
    Msd,
    /// Monotone, swap, discontinuous left, discontinuous right.
    Mslr,
    /// Monotone or not.
    Monotonicity,
    /// Monotone or discontinuous right; swap or discontinuous left.
    LeftRight,
}

impl Classes {
    /// Number of classes.
    #[must_use]
    pub const fn len(self) -> usize {
        match self {
            Self::Msd => 3,
            Self::Mslr => 4,
            Self::Monotonicity | Self::LeftRight => 2,
        }
    }

    /// Never: every set has classes.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        false
    }

    /// The class of an orientation, below [`Classes::len`].
    #[must_use]
    pub const fn class(self, orientation: Orientation) -> usize {
        match (self, orientation) {
            (_, Orientation::Mono) | (Self::LeftRight, Orientation::DiscontinuousRight) => 0,
            (Self::Mslr, Orientation::DiscontinuousRight) => 3,
            (Self::Msd | Self::Mslr, Orientation::DiscontinuousLeft)
            | (Self::Msd, Orientation::DiscontinuousRight) => 2,
            (_, Orientation::Swap)
            | (Self::Monotonicity, _)
            | (Self::LeftRight, Orientation::DiscontinuousLeft) => 1,
        }
    }

    /// How a class is written in a file of orientations.
    #[must_use]
    pub const fn label(self, orientation: Orientation) -> &'static str {
        match (self, orientation) {
            (_, Orientation::Mono) => "mono",
            (Self::Monotonicity, _) => "nomono",
            (_, Orientation::Swap) => "swap",
            (Self::Msd, _) => "other",
            (_, Orientation::DiscontinuousLeft) => "dleft",
            (_, Orientation::DiscontinuousRight) => "dright",
        }
    }

    /// The name of the set.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Msd => "msd",
            Self::Mslr => "mslr",
            Self::Monotonicity => "monotonicity",
            Self::LeftRight => "leftright",
        }
    }
}

impl FromStr for Classes {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text {
            "msd" => Ok(Self::Msd),
            "mslr" => Ok(Self::Mslr),
            "mono" | "monotonicity" => Ok(Self::Monotonicity),
            "leftright" => Ok(Self::LeftRight),
            _ => Err(Error::config(
                "orientation classes",
                "msd, mslr, monotonicity or leftright",
                text,
            )),
        }
    }
}

/// What a file of orientations holds in one of its columns, such as `hier-msd`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Column {
    /// Whose orientations.
    pub basis: Basis,
    /// In which classes. Those of left and right are written as the four they are made from.
    pub classes: Classes,
}

impl FromStr for Column {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let (basis, classes) = text.split_once('-').ok_or_else(|| {
            Error::config(
                "model",
                "(wbe|phrase|hier)-(msd|mslr|mono), such as hier-msd",
                text,
            )
        })?;
        Ok(Self {
            basis: basis.parse()?,
            classes: classes.parse()?,
        })
    }
}
