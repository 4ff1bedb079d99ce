//! What to do with text on the way in, and what was done.

use crate::error::{Error, Result};

/// The longest sentence that can be aligned, in tokens: links store positions in 16 bits, and one value is kept for "no link".
pub const MAX_LENGTH: u32 = 65_534;

/// What happens to a line that cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnError {
    /// The first bad line ends the work with [`Error::Text`].
    #[default]
    Strict,
    /// The pair of a bad line becomes empty, takes no part in training, and is counted.
    Skip,
    /// Bytes that are not UTF-8 become U+FFFD, and the pair is counted. A line without its separator or column is still an error: there is
    /// nothing to put in its place.
    Replace,
}

/// How text becomes ids.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextOptions {
    /// Fold words by Unicode lower-casing. Number of tokens and their positions do not change.
    pub lowercase: bool,
    /// Keep the first N characters (Unicode scalar values) of each source word; the last -N when negative; 0 keeps whole words.
    pub stem_source: i32,
    /// The same for target words.
    pub stem_target: i32,
    /// Pairs with a longer side, in tokens, take no part in training; at most [`MAX_LENGTH`].
    pub max_length: u32,
    /// What happens to a line that cannot be read.
    pub on_error: OnError,
    /// Keep the words as they were before lower-casing and stemming, for output (4 bytes a token when words are folded; nothing otherwise).
    pub keep_text: bool,
}

impl Default for TextOptions {
    fn default() -> Self {
        Self {
            lowercase: false,
            stem_source: 0,
            stem_target: 0,
            max_length: MAX_LENGTH,
            on_error: OnError::Strict,
            keep_text: false,
        }
    }
}

impl TextOptions {
    /// Fails when an option is outside its range.
    ///
    /// # Errors
    /// [`Error::Config`] when `max_length` is 0 or above [`MAX_LENGTH`].
    pub fn check(&self) -> Result<()> {
        if (1..=MAX_LENGTH).contains(&self.max_length) {
            return Ok(());
        }
        Err(Error::Config {
            name: "max_length",
            expected: format!("between 1 and {MAX_LENGTH}"),
            found: self.max_length.to_string(),
        })
    }
}

/// What was read.
///
/// A pair is in at most one of `skipped`, `empty` and `too_long`, in this order; the rest take part in training.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Sentence pairs, usable or not: one for each line.
    pub pairs: u64,
    /// Pairs with no token on one side or on both.
    pub empty: u64,
    /// Pairs with more tokens than `max_length` on one side or on both.
    pub too_long: u64,
    /// Pairs left out because a line could not be read ([`OnError::Skip`]).
    pub skipped: u64,
    /// Pairs with bytes that were replaced by U+FFFD ([`OnError::Replace`]).
    pub replaced: u64,
    /// Source tokens, of all pairs.
    pub source_tokens: u64,
    /// Target tokens, of all pairs.
    pub target_tokens: u64,
    /// Source word types after lower-casing and stemming, of all pairs.
    pub source_types: u64,
    /// Target word types after lower-casing and stemming, of all pairs.
    pub target_types: u64,
}
