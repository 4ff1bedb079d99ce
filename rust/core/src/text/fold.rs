//! Lower-casing and stemming of word types.

use super::TextOptions;
use std::borrow::Cow;

/// What makes two words of one side the same type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fold {
    lowercase: bool,
    /// First N characters, last -N when negative, all when 0.
    stem: i32,
}

impl Fold {
    /// Lower-casing, or not, and then the first `stem` characters of a word; the last when negative, all when 0.
    #[must_use]
    pub const fn new(lowercase: bool, stem: i32) -> Self {
        Self { lowercase, stem }
    }

    /// The folding of source words.
    pub(super) fn source(options: &TextOptions) -> Self {
        Self {
            lowercase: options.lowercase,
            stem: options.stem_source,
        }
    }

    /// The folding of target words.
    pub(super) fn target(options: &TextOptions) -> Self {
        Self {
            lowercase: options.lowercase,
            stem: options.stem_target,
        }
    }

    /// Whether every word stays as it is.
    pub(super) fn is_identity(self) -> bool {
        !self.lowercase && self.stem == 0
    }

    /// The type of a word: lower-cased first, then cut, both by Unicode scalar values.
    #[must_use]
    pub fn apply(self, word: &str) -> String {
        let word = if self.lowercase {
            Cow::Owned(word.to_lowercase())
        } else {
            Cow::Borrowed(word)
        };
        // A count of characters fits usize on every platform we build for; a huge N keeps the whole word.
        let kept = usize::try_from(self.stem.unsigned_abs()).unwrap_or(usize::MAX);
        match self.stem {
            0 => word.into_owned(),
            1.. => word.chars().take(kept).collect(),
            _ => {
                let dropped = word.chars().count().saturating_sub(kept);
                word.chars().skip(dropped).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fold(lowercase: bool, stem: i32, word: &str) -> String {
        Fold { lowercase, stem }.apply(word)
    }

    #[test]
    fn words_are_lower_cased_then_cut_by_characters() {
        assert_eq!(fold(true, 0, "ÉTÉ"), "été");
        assert_eq!(fold(false, 2, "été"), "ét");
        assert_eq!(fold(false, -2, "été"), "té");
        assert_eq!(fold(false, 9, "été"), "été");
        assert_eq!(fold(false, i32::MIN, "été"), "été");
        // U+0130 becomes two characters; the cut comes after.
        assert_eq!(fold(true, 1, "\u{130}x"), "i");
        // Capital sigma at the end of a word becomes the final form.
        assert_eq!(fold(true, 0, "ΟΔΟΣ"), "οδος");
    }
}
