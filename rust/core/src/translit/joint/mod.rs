//! The joint source-channel model (Li, Zhang and Su 2004): an n-gram model over units.
//!
//! `P(S, T) = sum over ways to cut (S, T) into units of product of p(unit | units before)` (Yang, Dixon and Furui 2010, eq. 4, which takes the best way only).
//!
//! - [`model`]: the n-gram model as arcs for decoding; `lattice`: all ways to cut a source word, with the contexts they lead to;
//! - `search`: the best targets, exactly; `sum`: the probability of a pair; [`decode`] puts them together.
mod decode;
mod lattice;
mod model;
mod search;
mod sum;

pub(super) use decode::Decoder;
pub use decode::{DecodeOptions, Decoded};
pub use model::{COPIED, JointModel, Unknown};
