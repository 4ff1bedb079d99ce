//! Forests of Travatar as JSON, one a line.
//!
//! `{"nodes":[{"id":0,"sym":"S","span":[0,2]},..],"edges":[{"id":0,"head":0,"tails":[1],"trg":[{"words":["a",-1]}],"features":{},"score":-1},..],"words":[..]}`.
//! The root is node 0, edges come in any order, and a node without edges is a word of the source. In `trg`, -1 is the first node of the tail; without `trg` an edge
//! yields its tail in order, so that a parse forest yields its sentence.

mod read;
mod write;

pub(super) use read::TravatarReader;
pub(super) use write::write;

/// The columns of the spans of nodes: their first word, and one more than their last.
const SPAN: &str = "span";
const TARGET_SPAN: &str = "target_span";
/// The property of the words of the source.
const WORDS: &str = "words";
