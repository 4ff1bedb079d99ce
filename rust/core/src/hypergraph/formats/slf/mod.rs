//! Lattices in HTK's standard lattice format (SLF).
//!
//! Fields `name=value`: a header, nodes `I=number`, links `J=number S=from E=to`. Words stand on links, or on nodes and then belong to the links into them.
//! Values are log-likelihoods; other bases than e are changed to it, and 0 means that values are no logarithms.

mod fields;
mod read;
mod write;

pub(super) use read::SlfReader;
pub(super) use write::write;

/// The word of links without word.
const NULL: &str = "!NULL";
/// Fields of links that are values; their names are those of the features.
const VALUES: [(&str, &str); 5] = [
    ("a", "acoustic"),
    ("l", "language"),
    ("n", "ngram"),
    ("r", "pronunciation"),
    ("p", "posterior"),
];
/// Columns that keep fields as they are: the time of a node, the pronunciation of a link.
const TIME: &str = "time";
const VARIANT: &str = "pronunciation_variant";
/// What the properties of the header are called.
const PROPERTY: &str = "slf:";
