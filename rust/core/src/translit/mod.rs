//! Transliteration: from the letters of one language to the symbols of another, or to phones.
//!
//! A training pair is a word and what it becomes, each a run of symbols. A *unit* is a chunk of source symbols with the chunk of target symbols that it becomes.
//!
//! - [`words`]: runs of symbols; [`units`]: chunks and units by number;
//! - [`align`]: which chunks of a pair belong together, by expectation maximisation over all ways to cut a pair ([`lattice`]);
//! - [`joint`]: the joint source-channel model, an n-gram model over units;
//! - [`two_step`]: two random fields, one that cuts words and one that converts chunks;
//! - [`pooled`]: candidates of both, with the probabilities that each gives all of them.

pub mod align;
mod expect;
pub mod joint;
pub mod lattice;
pub mod pooled;
pub mod two_step;
pub mod units;
pub mod words;

pub use align::{AlignOptions, Alignment, Method, align};
pub use joint::{DecodeOptions, Decoded, JointModel, Unknown};
pub use lattice::{Limits, Unalignable};
pub use units::Units;
pub use words::Words;
