//! Words to dense ids, in order of first occurrence.

use super::Vocabulary;
use crate::error::{Error, Result};
use crate::ids::WordId;
use rustc_hash::FxHasher;
use std::hash::Hasher;

/// A set of words that numbers its members. All words lie in one arena; the table holds ids, so a word costs its bytes, 8 for its end and
/// 11 to 22 for its slots.
///
/// The table is open-addressed with linear probing. A slot holds half of the hash beside the id, so that a probe touches the arena only
/// for a likely match.
#[derive(Debug, Clone, Default)]
pub(crate) struct Interner {
    text: String,
    /// Where each word ends in `text`.
    ends: Vec<usize>,
    /// Upper half: hash; lower half: id + 1; 0 is a free slot. The length is a power of two, or 0 before the first word.
    slots: Vec<u64>,
}

impl Interner {
    /// The words of a vocabulary with the ids they have there.
    pub(crate) fn from_vocabulary(vocabulary: &Vocabulary) -> Result<Self> {
        let mut interner = Self::default();
        for word in vocabulary.words() {
            interner.intern(word)?;
        }
        Ok(interner)
    }

    /// Number of words.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The word with this index.
    pub(crate) fn word(&self, index: usize) -> &str {
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text[start..self.ends[index]]
    }

    /// The words as a vocabulary in the order of their ids, without frequencies.
    pub(crate) fn into_vocabulary(self) -> Vocabulary {
        Vocabulary::from_arena(self.text, self.ends, Vec::new())
    }

    /// The id of a word that is here.
    pub(crate) fn get(&self, word: &str) -> Option<WordId> {
        if self.slots.is_empty() {
            return None;
        }
        let hash = hash(word);
        match self.slots[self.probe(word, hash)] {
            0 => None,
            slot => Some(WordId::from_u32(id_part(slot) - 1)),
        }
    }

    /// The id of a word, which becomes a member if it is not one yet.
    ///
    /// # Errors
    /// [`Error::TooLarge`] at 2^32 - 1 words; [`Error::Memory`].
    #[inline]
    pub(crate) fn intern(&mut self, word: &str) -> Result<WordId> {
        // At most three quarters full.
        if self.ends.len() >= self.slots.len() / 4 * 3 {
            self.grow()?;
        }
        let hash = hash(word);
        let at = self.probe(word, hash);
        match self.slots[at] {
            0 => self.insert(word, hash, at),
            slot => Ok(WordId::from_u32(id_part(slot) - 1)),
        }
    }

    /// The slot of the word, or the free slot where it belongs.
    #[inline]
    fn probe(&self, word: &str, hash: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = low_bits(hash) & mask;
        loop {
            let slot = self.slots[at];
            if slot == 0
                || (slot ^ hash) >> 32 == 0 && self.word(id_part(slot) as usize - 1) == word
            {
                return at;
            }
            at = (at + 1) & mask;
        }
    }

    #[cold]
    fn insert(&mut self, word: &str, hash: u64, at: usize) -> Result<WordId> {
        let id = WordId::new(self.ends.len())?;
        let number = id.as_u32().checked_add(1).ok_or(Error::TooLarge {
            what: "the number of word types",
            limit: u64::from(u32::MAX),
        })?;
        self.text
            .try_reserve(word.len())
            .map_err(|_| no_memory(self.text.len() + word.len()))?;
        self.text.push_str(word);
        self.ends.push(self.text.len());
        self.slots[at] = hash >> 32 << 32 | u64::from(number);
        Ok(id)
    }

    #[cold]
    fn grow(&mut self) -> Result<()> {
        let length = (self.slots.len() * 2).max(1 << 10);
        let mut slots = Vec::new();
        slots
            .try_reserve_exact(length)
            .map_err(|_| no_memory(length.saturating_mul(8)))?;
        slots.resize(length, 0);
        let mask = length - 1;
        for index in 0..self.len() {
            let hash = hash(self.word(index));
            let mut at = low_bits(hash) & mask;
            while slots[at] != 0 {
                at = (at + 1) & mask;
            }
            slots[at] = hash >> 32 << 32 | (index as u64 + 1);
        }
        self.slots = slots;
        Ok(())
    }
}

/// `FxHasher`, because it was the fastest of those measured on 21.6M French and English tokens: see `examples/hash_choice.rs`.
///
/// It has no secret, so a hostile corpus can be made whose words all collide and take quadratic time. We accept that: who can choose the
/// whole corpus can also just send a larger one; ids never depend on the hash, so nothing else can be steered.
#[inline]
fn hash(word: &str) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(word.as_bytes());
    hasher.finish()
}

#[inline]
#[expect(
    clippy::cast_possible_truncation,
    reason = "the lower half of the slot is the id"
)]
const fn id_part(slot: u64) -> u32 {
    slot as u32
}

#[inline]
#[expect(
    clippy::cast_possible_truncation,
    reason = "only the low bits choose a slot"
)]
const fn low_bits(hash: u64) -> usize {
    hash as usize
}

fn no_memory(bytes: usize) -> Error {
    Error::Memory {
        what: "a vocabulary",
        bytes: bytes as u64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_dense_and_in_order_of_first_occurrence_through_growth() {
        let mut interner = Interner::default();
        for round in 0..2 {
            for n in 0..5_000_u32 {
                let id = interner.intern(&format!("w{n}")).expect("few words");
                assert_eq!(id.as_u32(), n, "round {round}");
            }
        }
        assert_eq!(interner.len(), 5_000);
        assert_eq!(interner.word(0), "w0");
        assert_eq!(interner.word(4_999), "w4999");
        assert_eq!(interner.get("w4321"), Some(WordId::from_u32(4_321)));
        assert_eq!(interner.get("w5000"), None);
        assert_eq!(Interner::default().get("w"), None);
    }
}
