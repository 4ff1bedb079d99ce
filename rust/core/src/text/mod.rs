//! Text as the models see it: bytes to lines, lines to tokens, tokens to ids, ids in compact ragged arrays.

pub mod bitext;
pub mod vocabulary;

pub use bitext::{Bitext, Side};
pub use vocabulary::Vocabulary;
