//! Word types of one side of a corpus.

use super::interner::Interner;
use crate::error::Result;
use crate::ids::WordId;

/// The word types of one side, by id. Ids are dense and sorted by falling token frequency (ties: first occurrence), so that the
/// rows of frequent words lie close together in memory.
///
/// Frequency and first occurrence are those in pairs that take part in training; so these pairs have the same ids whatever other
/// pairs stand between them. Words of other pairs only come last, with frequency 0.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Vocabulary {
    /// All words, end to end.
    text: String,
    /// Where each word ends in `text`.
    ends: Vec<usize>,
    /// Tokens of each word in pairs that take part in training; empty when unknown.
    frequencies: Vec<u64>,
}

impl Vocabulary {
    /// A vocabulary of these words, in the order of their ids; frequencies are unknown.
    #[must_use]
    #[expect(
        clippy::needless_pass_by_value,
        reason = "callers hand their words over"
    )]
    pub fn from_words(words: Vec<String>) -> Self {
        let mut text = String::with_capacity(words.iter().map(String::len).sum());
        let ends = words
            .iter()
            .map(|word| {
                text.push_str(word);
                text.len()
            })
            .collect();
        Self::from_arena(text, ends, Vec::new())
    }

    /// A vocabulary from its parts: word `n` ends at `ends[n]` in `text`.
    pub(super) fn from_arena(text: String, ends: Vec<usize>, frequencies: Vec<u64>) -> Self {
        Self {
            text,
            ends,
            frequencies,
        }
    }

    /// Number of word types.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no word.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The word with this id.
    #[must_use]
    pub fn word(&self, id: WordId) -> Option<&str> {
        let index = id.index();
        let end = *self.ends.get(index)?;
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        self.text.get(start..end)
    }

    /// All words in the order of their ids.
    #[must_use]
    pub fn words(&self) -> impl ExactSizeIterator<Item = &str> {
        let mut start = 0;
        self.ends.iter().map(move |&end| {
            let word = &self.text[start..end];
            start = end;
            word
        })
    }

    /// Number of tokens of this word in pairs that take part in training; 0 when unknown.
    #[must_use]
    pub fn frequency(&self, id: WordId) -> u64 {
        self.frequencies.get(id.index()).copied().unwrap_or(0)
    }

    /// Number of word types that occur in pairs that take part in training: the ids below it.
    #[must_use]
    pub fn trained_len(&self) -> usize {
        // Sorted by falling frequency.
        self.frequencies.partition_point(|&frequency| frequency > 0)
    }

    /// Where to look words up by their text.
    ///
    /// # Errors
    /// [`crate::error::Error::Memory`].
    ///
    /// # Complexity
    /// Time and memory linear in the vocabulary.
    pub fn index(&self) -> Result<WordIndex> {
        Interner::from_vocabulary(self).map(WordIndex)
    }

    /// For each word of `other`, its id here.
    ///
    /// # Errors
    /// [`crate::error::Error::Memory`].
    ///
    /// # Complexity
    /// Time and memory linear in both vocabularies.
    pub fn translate(&self, other: &Self) -> Result<Vec<Option<WordId>>> {
        let index = self.index()?;
        Ok(other.words().map(|word| index.get(word)).collect())
    }
}

/// The words of a vocabulary by their text.
#[derive(Debug, Clone, Default)]
pub struct WordIndex(Interner);

impl WordIndex {
    /// The id of a word; None when it is not there. O(length of the word) time.
    #[must_use]
    pub fn get(&self, word: &str) -> Option<WordId> {
        self.0.get(word)
    }

    /// Number of different words.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no word.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_back_by_id_and_in_order() {
        let words: Vec<String> = ["é", "", "house", "|||"].map(str::to_owned).to_vec();
        let vocabulary = Vocabulary::from_words(words.clone());
        assert_eq!(vocabulary.len(), 4);
        assert!(vocabulary.words().eq(words.iter().map(String::as_str)));
        for (n, word) in (0..).zip(&words) {
            assert_eq!(vocabulary.word(WordId::from_u32(n)), Some(word.as_str()));
        }
        assert_eq!(vocabulary.word(WordId::from_u32(4)), None);
        assert_eq!(vocabulary.trained_len(), 0);
    }

    #[test]
    fn translation_finds_the_ids_of_shared_words() {
        let here = Vocabulary::from_words(vec!["a".into(), "b".into()]);
        let there = Vocabulary::from_words(vec!["b".into(), "c".into()]);
        let got = here.translate(&there).expect("few words");
        assert_eq!(got, [Some(WordId::from_u32(1)), None]);
    }
}
