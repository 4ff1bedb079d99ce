//! Names of reordering tables.

use crate::error::{Error, Result};
use crate::phrase::model::{Basis, Classes};
use std::str::FromStr;

/// What a table is about, such as `hier-msd-bidirectional-fe`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableSpec {
    /// How it was written.
    pub name: String,
    /// Whose orientations.
    pub basis: Basis,
    /// In which classes.
    pub classes: Classes,
    /// Columns of "previous" (backward), of "next" (forward), or of both (bidirectional).
    pub sides: Sides,
    /// Whether rows are phrase pairs (fe) or source phrases (f).
    pub by_pair: bool,
}

/// Which neighbours a table is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sides {
    /// The previous phrase: "backward".
    Previous,
    /// The next phrase: "forward".
    Next,
    /// Previous, then next: "bidirectional".
    Both,
}

impl Sides {
    pub(super) const fn indices(self) -> &'static [usize] {
        match self {
            Self::Previous => &[0],
            Self::Next => &[1],
            Self::Both => &[0, 1],
        }
    }
}

impl FromStr for TableSpec {
    type Err = Error;

    /// `[wbe|phrase|hier-](msd|mslr|monotonicity|leftright)[-backward|forward|bidirectional][-fe|f][-allff|collapseff]`; by default words, backward, both
    /// languages.
    fn from_str(text: &str) -> Result<Self> {
        let bad = || {
            Error::config(
                "model",
                "[wbe|phrase|hier-](msd|mslr|monotonicity|leftright)[-backward|forward|bidirectional][-fe|f], such as hier-msd-bidirectional-fe",
                text,
            )
        };
        let (mut basis, mut classes, mut sides, mut by_pair) = (None, None, None, None);
        for part in text.split('-') {
            let is_new = match part {
                "wbe" | "phrase" | "hier" => basis.replace(part.parse()?).is_none(),
                "msd" | "mslr" | "monotonicity" | "leftright" => {
                    classes.replace(part.parse()?).is_none()
                }
                "backward" | "unidirectional" => sides.replace(Sides::Previous).is_none(),
                "forward" => sides.replace(Sides::Next).is_none(),
                "bidirectional" => sides.replace(Sides::Both).is_none(),
                "fe" => by_pair.replace(true).is_none(),
                "f" => by_pair.replace(false).is_none(),
                // How many weights a decoder gives the columns; the table is the same.
                "allff" | "collapseff" => true,
                _ => false,
            };
            if !is_new {
                return Err(bad());
            }
        }
        Ok(Self {
            name: text.to_owned(),
            basis: basis.unwrap_or(Basis::Word),
            classes: classes.ok_or_else(bad)?,
            sides: sides.unwrap_or(Sides::Previous),
            by_pair: by_pair.unwrap_or(true),
        })
    }
}
