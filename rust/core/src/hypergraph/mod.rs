//! # Hypergraphs and dynamic programming over them
//!
//! A hypergraph packs many derivations: parses of a sentence, translations, paths of a lattice. An edge has one head and an ordered tail of nodes, possibly
//! empty, possibly with the same node twice. A derivation of a node is an edge into it with a derivation of each node of its tail; its weight is the
//! product of the weights of its edges in prefix order. Lattices are hypergraphs whose tails have at most one node.
//!
//! - [`Hypergraph`]: the structure alone, immutable. Weights, features and labels are arrays beside it, so that one forest serves many weightings.
//! - [`inside()`], [`outside()`]: sums over derivations in any [semiring](crate::semiring) (Li and Eisner 2009, Figures 2 and 3).
//! - [`closed_inside()`], [`closed_outside()`]: the same where there are cycles, in closed semirings.
//!
//! Arrays beside a hypergraph come in two orders. *Numbers* are those of the caller. *Places* are those of the algorithms: tails before heads, the edges into
//! one node side by side. [`Hypergraph::arrange_edges`] and its relatives go from one to the other; algorithms take and give arrays by place.

mod build;
mod closure;
mod inside;
mod order;
mod outside;
mod structure;

pub use build::Parts;
pub use closure::{closed_inside, closed_outside};
pub use inside::inside;
pub use outside::outside;
pub use structure::Hypergraph;
