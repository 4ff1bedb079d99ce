//! N-gram models: modified Kneser-Ney smoothing, interpolated (Chen and Goodman 1998; Heafield et al. 2013).
//!
//! A model gives `p(w | h)`, the probability of a word after the words before it. An n-gram that was seen gets its count less a discount, as a
//! share of its context; what the discounts save goes to the context that is one word shorter:
//!
//! `p(w | h) = max(a(h w) - D(a(h w)), 0) / sum over x of a(h x)  +  gamma(h) p(w | h without its first word)`.
//!
//! Counts `a` are those of the corpus at the highest order and for n-grams at the start of a sequence; elsewhere they are the number of
//! different words that stand before the n-gram.
//!
//! On the way: [`corpus`] holds sequences of word ids, `counts` sorts them into a tree of n-grams, `suffixes` links each n-gram to the one
//! without its first word, [`discounts`] come from counts of counts, [`estimate`](Estimate) puts them together. [`Model`] is an automaton: its
//! states are contexts, a step costs one search a context. [`text`] reads sentences, [`arpa_reader`] and [`arpa_writer`] the text form of models that
//! other programs use; [`parts`] has a model as arrays.
pub mod arpa_reader;
mod arpa_tree;
pub mod arpa_writer;
mod automaton;
pub mod corpus;
mod counts;
pub mod discounts;
mod estimate;
mod lookup;
mod model;
pub mod parts;
mod score;
mod smoothing;
mod suffixes;
pub mod text;

pub use arpa_reader::ArpaReader;
pub use arpa_writer::ArpaWriter;
pub use corpus::Sequences;
pub use discounts::{Discounts, Fallback};
pub use estimate::{Estimate, OrderReport, Unseen};
pub use model::{Model, State};
pub use parts::Parts;
pub use score::Scores;
pub use text::{Corpus, CorpusReader};

#[cfg(test)]
mod arpa_tests;
#[cfg(test)]
mod tests;
