//! Forests of cdec as JSON, as its decoder wrote them until October 2014.
//!
//! One object a forest. Its keys `edges` and `node` *repeat*: the edges of a node, then the node; so it is read as a stream of pairs, in order, never as a
//! map. The last node is the root; a node without edges counts as given. Features of an edge are numbers of the list `features`, or names.

mod parts;
mod read;
mod state;
mod write;

pub(super) use read::{CdecReader, offset, text_error};
pub(super) use write::{json, made_rule, write};

/// The column of the category of a node.
pub(super) const CATEGORY: &str = "category";
/// The column of the rule of an edge.
pub(super) const RULE: &str = "rule";
/// The column of the spans of an edge: source start and end, the same in the previous pass. Undefined numbers in files of some programs.
pub(super) const SPANS: &str = "spans";
/// The column of the hash of a node.
pub(super) const HASH: &str = "node_hash";
