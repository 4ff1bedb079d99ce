//! # Hypergraphs and dynamic programming over them
//!
//! A hypergraph packs many derivations: parses of a sentence, translations, paths of a lattice. An edge has one head and an ordered tail of nodes, possibly
//! empty, possibly with the same node twice. A derivation of a node is an edge into it with a derivation of each node of its tail; its weight is the
//! product of the weights of its edges in prefix order. Lattices are hypergraphs whose tails have at most one node.
//!
//! - [`Hypergraph`]: the structure alone, immutable. Weights, features and labels are arrays beside it, so that one forest serves many weightings.
//! - [`inside()`], [`outside()`]: sums over derivations in any [semiring](crate::semiring) (Li and Eisner 2009, Figures 2 and 3).
//! - [`Distribution`], [`Posteriors`], [`Deviations`]: the fast path for weights that are not negative, and what follows from it: expectations of [`Features`],
//!   entropies, covariances.
//!
//! Arrays beside a hypergraph come in two orders. *Numbers* are those of the caller. *Places* are those of the algorithms: tails before heads, the edges into
//! one node side by side. [`Hypergraph::arrange_edges`] and its relatives go from one to the other; algorithms take and give arrays by place.

mod build;
pub mod distribution;
mod entropy;
pub mod features;
mod inside;
pub mod moments;
mod order;
mod outside;
mod outside_logs;
pub mod posteriors;
mod structure;

pub use build::Parts;
pub use distribution::{Distribution, Weights};
pub use features::Features;
pub use inside::inside;
pub use moments::Deviations;
pub use outside::outside;
pub use posteriors::Posteriors;
pub use structure::{Hypergraph, Numbered};
