//! Hypergraphs that Joshua kept on disk: `.items`, with the structure, and `.rules`.
//!
//! Items: `#SENT: id length nodes edges`; for each node `#I id i j [LHS] edges ST state`, numbered from 1, tails before heads, the root last; for each edge
//! `best arity tail.. rule`, and a line of model values if they were kept. Rules: `id owner -LZF- [LHS] ||| source ||| target ||| scores`.
//!
//! `best` is the best weight of the edge with everything below it. Early data holds costs there, later data log-probabilities, and no file says which; so
//! weights are made only when the sign is given: the weight of an edge is its best less those of the nodes of its tail.

mod read;
mod rules;
mod stored_best;
mod write;

pub(super) use read::JoshuaReader;
pub(super) use write::{Rules, write};

/// The columns of the owner and the number of a rule, of the state and the source span of a node.
const OWNER: &str = "owner";
const RULE_NUMBER: &str = "rule_number";
const STATE: &str = "state";
const SPAN: &str = "span";
/// The column of the best weight as it stands in the file.
const BEST: &str = "best";
/// The numbers of the edge into the root and of a word that no rule knows.
const GOAL: i64 = -1;
const UNKNOWN: i64 = 0;
