//! A set of n-grams as a tree of their prefixes.

use rustc_hash::FxHashMap;
use std::hash::Hash;

/// A node of an [`NgramTrie`]; a prefix of some n-gram of the set.
pub type Prefix = u32;

/// The empty prefix.
pub const EMPTY: Prefix = 0;

/// A set of n-grams of any lengths as a tree of their prefixes. Prefixes have dense numbers in order of insertion, so that values stand beside them in arrays.
///
/// One hash table serves all nodes: a lookup of the next word is one probe, wherever it is in the tree.
#[derive(Debug, Clone)]
pub struct NgramTrie<W> {
    children: FxHashMap<(Prefix, W), Prefix>,
    prefixes: u32,
}

impl<W: Copy + Eq + Hash> Default for NgramTrie<W> {
    fn default() -> Self {
        Self {
            children: FxHashMap::default(),
            prefixes: 1,
        }
    }
}

impl<W: Copy + Eq + Hash> NgramTrie<W> {
    /// The number of prefixes, the empty one among them.
    #[must_use]
    pub fn len(&self) -> usize {
        crate::numeric::to_index(u64::from(self.prefixes))
    }

    /// Whether the only prefix is the empty one.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.prefixes == 1
    }

    /// The prefix that is one word longer, if there is one.
    #[inline]
    #[must_use]
    pub fn child(&self, prefix: Prefix, word: W) -> Option<Prefix> {
        self.children.get(&(prefix, word)).copied()
    }

    /// The prefix that is one word longer, which is added if it is not here; nothing at 2^32 - 1 prefixes.
    #[inline]
    pub fn grow(&mut self, prefix: Prefix, word: W) -> Option<Prefix> {
        let next = self.prefixes;
        let found = *self.children.entry((prefix, word)).or_insert(next);
        if found == next {
            self.prefixes = next.checked_add(1)?;
        }
        Some(found)
    }

    /// The prefix that consists of these words, if it is one.
    #[must_use]
    pub fn find(&self, words: &[W]) -> Option<Prefix> {
        words
            .iter()
            .try_fold(EMPTY, |prefix, &word| self.child(prefix, word))
    }
}
