//! Phrase pairs of aligned sentences, and how each stands to its neighbours.
//!
//! A phrase pair is a span of source words and a span of target words such that at least one link lies inside and none has one end inside and one
//! outside (Koehn, Och and Marcu 2003). Unlinked words at the border of a span may belong to it or not: each choice is a phrase pair of its own.
//!
//! Read left to right in the target, each phrase pair continues what comes before it in order ([`Orientation::Mono`]), stands on its other side
//! ([`Orientation::Swap`]) or is away from it. [`extract::for_each`] finds the phrase pairs of a sentence pair with the orientations of the three usual
//! models: of words, of phrases (Koehn et al. 2005) and hierarchical (Galley and Manning 2008). [`rules`] makes rules with gaps of them (Chiang 2007).

mod columns;
mod corners;
pub mod corpus;
mod discount;
mod entries;
pub mod extract;
mod general;
mod hull;
pub mod lexical;
pub mod lines;
pub mod model;
pub mod orientation;
mod pairs;
pub mod reordering;
mod room;
pub mod rules;
mod sentence;
pub mod sort;
pub mod table;
mod tokens;

pub use extract::{Extractor, Options, PhrasePair};
pub use orientation::{Definition, Orientation, Orientations};
