//! # Hypergraphs and dynamic programming over them
//!
//! A hypergraph packs many derivations: parses of a sentence, translations, paths of a lattice. An edge has one head and an ordered tail of nodes, possibly
//! empty, possibly with the same node twice. A derivation of a node is an edge into it with a derivation of each node of its tail; its weight is the
//! product of the weights of its edges in prefix order. Lattices are hypergraphs whose tails have at most one node.
//!
//! - [`Hypergraph`]: the structure alone, immutable. Weights, features and labels are arrays beside it, so that one forest serves many weightings.
//! - [`inside()`], [`outside()`]: sums over derivations in any [semiring](crate::semiring) (Li and Eisner 2009, Figures 2 and 3).
//! - [`closed_inside()`], [`closed_outside()`]: the same where there are cycles, in closed semirings.
//! - [`Distribution`], [`Posteriors`], [`Deviations`]: the fast path for weights that are not negative, and what follows from it: expectations of [`Features`],
//!   entropies, covariances.
//! - [`viterbi()`], [`KBest`], [`Sampler`]: the best derivation, the k best (also of distinct [`Yields`]), derivations at random.
//! - [`Forest`], [`formats`]: a hypergraph with features, yields and labels, as files hold it; [`derivations`]: how many there are, exactly.
//! - [`presence()`]: the probability that a derivation has an edge of a set.
//! - [`envelopes()`]: the best derivations for all weights along a line.
//! - [`max_marginals()`], [`prune`]: how good the best derivation through each edge is; hypergraphs without edges that are not good enough.
//! - [`intersect()`], [`with_ngrams()`]: hypergraphs whose yields an automaton reads, and those whose edges know their n-grams;
//!   [`match_ngrams()`] does so for a given [`NgramSet`], with fewer nodes.
//! - [`Hypergraph::chain`], [`Hypergraph::cky`]: lattices of linear-chain models, charts of binary grammars.
//!
//! Arrays beside a hypergraph come in two orders. *Numbers* are those of the caller. *Places* are those of the algorithms: tails before heads, the edges into
//! one node side by side. [`Hypergraph::arrange_edges`] and its relatives go from one to the other; algorithms take and give arrays by place.

pub mod automaton;
mod build;
mod chain;
mod cky;
mod closure;
mod count;
mod derivation;
pub mod distribution;
mod edge_outside;
pub mod entropy;
#[cfg(test)]
mod enumeration;
mod envelope;
pub mod features;
mod forest;
pub mod formats;
mod inside;
mod inside_pass;
pub mod intersect;
#[cfg(test)]
mod intersect_tests;
mod kbest;
mod levels;
pub mod marginals;
mod max_marginals;
pub mod moments;
mod ngram_matches;
pub mod ngram_set;
mod ngrams;
mod node_split;
mod order;
mod outside;
mod outside_logs;
pub mod posteriors;
mod presence;
pub mod prune;
mod refill;
mod sample;
#[cfg(test)]
mod search_tests;
mod structure;
mod unique;
mod viterbi;
mod yields;

pub use automaton::{Automaton, TableAutomaton};
pub use build::Parts;
pub use closure::{closed_inside, closed_outside};
pub use count::derivations;
pub use derivation::Derivation;
pub use distribution::{Distribution, Weights};
pub use edge_outside::edge_outside;
pub use envelope::{Envelopes, envelopes};
pub use features::Features;
pub use forest::{Column, Forest, Forests, Item, NO_INTEGER, NO_TEXT, Values};
pub use inside::inside;
pub(crate) use inside_pass::{aligned, exponentials, share};
pub use intersect::{Intersection, intersect};
pub use kbest::KBest;
pub use marginals::Marginals;
pub use max_marginals::{MaxMarginals, max_marginals};
pub use moments::Deviations;
pub use ngram_matches::{MatchOptions, NgramMatches, match_ngrams};
pub use ngram_set::NgramSet;
pub use ngrams::{NgramForest, NgramOptions, Rows, with_ngrams};
pub use outside::outside;
pub use outside_logs::{outside_from_uses, outside_logs};
pub use posteriors::Posteriors;
pub use presence::presence;
pub use prune::Pruned;
pub use sample::{Sampler, Samples};
pub use structure::{Hypergraph, Numbered};
pub use viterbi::{Best, NO_EDGE, best, viterbi};
pub use yields::Yields;
