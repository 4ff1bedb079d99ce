//! Text as the models see it: bytes to lines, lines to tokens, tokens to ids, ids in compact ragged arrays.
//!
//! # The rules
//! - A line ends at `\n` and nowhere else. One `\r` before it is dropped, so that a CRLF file reads like its LF copy. The last line may lack its `\n`.
//! - Tokens are what stands between ASCII spaces and tabs. U+0085, U+00A0, U+2028, form feed, a `\r` inside a line and NUL are
//!   ordinary characters of a token.
//! - A byte order mark at the start of a stream is dropped.
//! - Text is UTF-8. What to do with a line that is not, or that lacks its separator, is [`OnError`].
//! - A pair takes part in training when both sides have tokens and neither has more than [`TextOptions::max_length`].
//!
//! [`BitextBuilder`] reads byte blocks, [`Bitext`] is the result. On the way: [`lines`] cuts lines, [`decode`] checks them, [`layout`] finds
//! the two sides in a line that holds both, [`interner`] numbers the words, [`fold`] lower-cases and truncates word types.
//! [`classes`] groups the words of a side by their neighbours; [`co_occurrence`] counts pairs of words; [`ngram_trie`] holds sets of n-grams.

pub mod bitext;
mod builder;
pub mod classes;
pub mod co_occurrence;
pub(crate) mod decode;
mod fold;
pub(crate) mod interner;
mod layout;
pub(crate) mod lines;
pub mod ngram_trie;
pub mod options;
mod ranking;
mod side_builder;
pub mod table;
pub mod vocabulary;

pub use bitext::{Bitext, Side};
pub use builder::BitextBuilder;
pub use fold::Fold;
pub use options::{Counts, MAX_LENGTH, OnError, TextOptions};
pub use vocabulary::{Vocabulary, WordIndex};
