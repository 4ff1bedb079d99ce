//! # plait-core: statistics of parallel text
//!
//! The algorithms behind plait, without Python, printing, clocks, environment variables or global state.
//!
//! - [`text`]: vocabularies and compact sentence-aligned corpora;
//! - [`align`]: word alignment models, read-out of links, symmetrisation;
//! - [`reorder`]: classifiers of phrase orientations;
//! - [`phrase`]: phrase pairs of aligned sentences and their orientations;
//! - [`semiring`]: what weights can be: probabilities, logarithms, counts, costs, expectations;
//! - [`hypergraph`]: packed forests and lattices, and dynamic programming over them;
//! - [`minrisk`]: minimum-risk training on forests;
//! - [`crf`]: linear-chain conditional random fields;
//! - [`ngram`]: n-gram models with modified Kneser-Ney smoothing;
//! - [`translit`]: transliteration: chunks of words and what they become.
//!
//! Ground floor: [`error`], [`ids`], [`numeric`], `best_first`, [`rng`], [`parallel`], [`cancel`], [`progress`].
#![forbid(unsafe_code)]

pub mod align;
mod best_first;
pub mod cancel;
pub mod crf;
pub mod error;
pub mod hypergraph;
pub mod ids;
pub mod minrisk;
pub mod ngram;
pub mod numeric;
pub mod parallel;
pub mod phrase;
pub mod progress;
pub mod reorder;
pub mod rng;
pub mod semiring;
pub mod text;
pub mod translit;
