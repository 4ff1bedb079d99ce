//! Word types of one side of a corpus.

use crate::ids::WordId;

/// The word types of one side, by id. Ids are dense and sorted by falling token frequency (ties: first occurrence), so that the
/// rows of frequent words lie close together in memory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Vocabulary {
    words: Vec<String>,
}

impl Vocabulary {
    /// A vocabulary of these words, in the order of their ids.
    #[must_use]
    pub fn from_words(words: Vec<String>) -> Self {
        Self { words }
    }

    /// Number of word types.
    #[must_use]
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Whether there is no word.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The word with this id.
    #[must_use]
    pub fn word(&self, id: WordId) -> Option<&str> {
        self.words.get(id.index()).map(String::as_str)
    }
}
