//! Shorter forms of the words of one side: what the lexicon backs off to.

use crate::error::Result;
use crate::ids::WordId;
use crate::numeric::{to_f32, to_f64};
use crate::text::{Side, Vocabulary};
use rustc_hash::FxHashMap;

/// Words and their prefixes, level after level. Level 0 has the words as they are, each next level the lower-cased prefixes of its length of the forms before:
/// words that differ in case or in their endings alone share what is known of them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Forms {
    levels: Vec<Level>,
    /// The form at each level of each word, word after word.
    chains: Vec<u32>,
    /// Tokens of all words.
    total: f64,
    /// Number of words with tokens.
    types: usize,
}

#[derive(Debug, Clone, Default, PartialEq)]
struct Level {
    /// For each form of the level before, its form here; the words' own level has none.
    parents: Vec<u32>,
    /// Tokens of each form.
    frequencies: Vec<f64>,
    /// For each form, its share of the tokens of its shorter form at the next level; at the last level, of all tokens.
    shares: Vec<f32>,
    /// Form by its text, for words that training never saw; the words' own level has none.
    ids: FxHashMap<Box<str>, u32>,
}

impl Forms {
    /// The forms of a vocabulary whose word `n` has `frequencies[n]` tokens. O(characters) time for each level.
    ///
    /// # Errors
    /// [`crate::error::Error::TooLarge`] for more than 2^32 forms.
    pub fn new(vocabulary: &Vocabulary, frequencies: &[u64], prefixes: &[u32]) -> Result<Self> {
        let mut texts: Vec<String> = vocabulary.words().map(str::to_lowercase).collect();
        let mut current: Vec<f64> = frequencies.iter().map(|&n| to_f64(n)).collect();
        let total = current.iter().sum();
        let mut levels = vec![Level {
            frequencies: current.clone(),
            ..Level::default()
        }];
        for &length in prefixes {
            let mut level = Level::default();
            let mut next: Vec<String> = Vec::new();
            for (text, count) in texts.iter().zip(&current) {
                let short = prefix(text, length);
                let id = if let Some(&id) = level.ids.get(short) {
                    id
                } else {
                    let id = WordId::new(next.len())?.as_u32();
                    level.ids.insert(short.into(), id);
                    next.push(short.to_owned());
                    level.frequencies.push(0.0);
                    id
                };
                level.parents.push(id);
                level.frequencies[id as usize] += count;
            }
            current.clone_from(&level.frequencies);
            texts = next;
            levels.push(level);
        }
        let types = frequencies.iter().filter(|&&n| n > 0).count();
        let mut forms = Self {
            levels,
            chains: Vec::new(),
            total,
            types,
        };
        forms.fill_shares();
        forms.fill_chains();
        Ok(forms)
    }

    fn fill_shares(&mut self) {
        for level in 0..self.levels.len() {
            let shares = (0..self.levels[level].frequencies.len())
                .map(|form| {
                    let whole = match self.levels.get(level + 1) {
                        Some(next) => next.frequencies[next.parents[form] as usize],
                        None => self.total,
                    };
                    let share = self.levels[level].frequencies[form] / whole;
                    to_f32(if share.is_finite() { share } else { 0.0 })
                })
                .collect();
            self.levels[level].shares = shares;
        }
    }

    fn fill_chains(&mut self) {
        for word in (0_u32..).take(self.len(0)) {
            let mut form = word;
            self.chains.push(form);
            for level in &self.levels[1..] {
                form = level.parents[form as usize];
                self.chains.push(form);
            }
        }
    }

    /// The form of a word at each level, itself first.
    #[must_use]
    #[inline]
    pub fn chain(&self, word: WordId) -> &[u32] {
        let levels = self.levels.len();
        &self.chains[word.index() * levels..][..levels]
    }

    /// Number of levels, words included.
    #[must_use]
    pub fn levels(&self) -> usize {
        self.levels.len()
    }

    /// Number of forms of a level.
    #[must_use]
    pub fn len(&self, level: usize) -> usize {
        self.levels[level].frequencies.len()
    }

    /// Whether there is no word.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.levels.iter().all(|level| level.frequencies.is_empty())
    }

    /// For each form of the level before, its form at this level, which is at least 1.
    #[must_use]
    pub fn parents(&self, level: usize) -> &[u32] {
        &self.levels[level].parents
    }

    /// For each form of a level, its share of the tokens of its shorter form; at the last level, of all tokens.
    #[must_use]
    pub fn shares(&self, level: usize) -> &[f32] {
        &self.levels[level].shares
    }

    /// Tokens of all words.
    #[must_use]
    pub fn total(&self) -> f64 {
        self.total
    }

    /// Tokens of a form.
    #[must_use]
    pub fn frequency(&self, level: usize, form: u32) -> f64 {
        self.levels[level].frequencies[form as usize]
    }

    /// Number of words with tokens; those of pairs that take no part have none.
    #[must_use]
    pub fn types(&self) -> usize {
        self.types
    }

    /// Relative frequency of each word.
    #[must_use]
    pub fn relative_frequencies(&self) -> Vec<f64> {
        let total = if self.total > 0.0 { self.total } else { 1.0 };
        self.levels[0]
            .frequencies
            .iter()
            .map(|n| n / total)
            .collect()
    }

    /// The form of any word at each level from 1 on, by its text; None where no word that took part in training shares it.
    #[must_use]
    pub fn lookup(&self, word: &str, prefixes: &[u32]) -> Vec<Option<u32>> {
        let folded = word.to_lowercase();
        let mut text = folded.as_str();
        self.levels[1..]
            .iter()
            .zip(prefixes)
            .map(|(level, &length)| {
                text = prefix(text, length);
                let id = level.ids.get(text).copied();
                // Words of pairs that took no part are in the vocabulary, too, and have no share in anything.
                id.filter(|&id| level.frequencies[id as usize] > 0.0)
            })
            .collect()
    }
}

/// The first characters of a word, or all of it when it is shorter.
fn prefix(word: &str, length: u32) -> &str {
    match word.char_indices().nth(length as usize) {
        Some((end, _)) => &word[..end],
        None => word,
    }
}

/// Tokens of each word of a side, in pairs for which `used` holds.
#[must_use]
pub fn frequencies(side: &Side, used: &[bool]) -> Vec<u64> {
    let mut counts = vec![0_u64; side.vocabulary().len()];
    for (n, _) in used.iter().enumerate().filter(|entry| *entry.1) {
        for word in side.sentence(n) {
            counts[word.index()] += 1;
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_share_their_prefixes() {
        let words = ["houses", "house", "hour", "a"].map(str::to_owned).to_vec();
        let forms =
            Forms::new(&Vocabulary::from_words(words), &[1, 3, 4, 2], &[5, 3]).expect("small");
        assert_eq!(forms.parents(1), [0, 0, 1, 2]);
        assert_eq!(forms.parents(2), [0, 0, 1]);
        assert_eq!(forms.shares(0), [0.25, 0.75, 1.0, 1.0]);
        assert_eq!(forms.shares(1), [0.5, 0.5, 1.0]);
        assert_eq!(forms.shares(2), [0.8, 0.2]);
        assert_eq!(forms.lookup("housing", &[5, 3]), [None, Some(0)]);
        assert_eq!(forms.lookup("houseful", &[5, 3]), [Some(0), Some(0)]);
    }

    #[test]
    fn words_without_tokens_have_no_forms() {
        let words = ["houses", "hour"].map(str::to_owned).to_vec();
        let forms = Forms::new(&Vocabulary::from_words(words), &[0, 3], &[5, 3]).expect("small");
        assert_eq!(forms.lookup("houses", &[5, 3]), [None, Some(0)]);
    }

    #[test]
    fn prefixes_count_characters() {
        assert_eq!(prefix("größe", 3), "grö");
        assert_eq!(prefix("añ", 3), "añ");
    }
}
