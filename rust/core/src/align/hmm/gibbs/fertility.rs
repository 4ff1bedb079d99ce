//! How many emitted words a given word is linked to.
//!
//! Fertilities 0, 1, .. 7 of a word have a Dirichlet prior whose mean are those of all words; 8 and more are one class, in which each
//! further link halves the probability. With m the number of other tokens of the word with a fertility, a link that raises that of
//! a token from k to k + 1 changes the probability of all fertilities by
//!
//! ```text
//! (m[k + 1] + alpha g[k + 1]) / (m[k] + alpha g[k])
//! ```
//!
//! which is the ratio of two Dirichlet-categorical predictives (their denominators are the same).

use crate::numeric::{single, to_f32, to_f64};

/// Classes of fertilities.
pub const CLASSES: usize = 9;

/// What each further link of the last class multiplies.
const TAIL: f32 = 0.5;

/// Pseudo-count of each fertility in those of all words.
const FLOOR: f64 = 0.5;

/// Tokens of a word by the class of their fertility.
pub type Row = [u32; CLASSES];

/// The class of a fertility.
#[must_use]
#[inline]
pub fn class(fertility: u32) -> usize {
    (fertility as usize).min(CLASSES - 1)
}

/// The prior of the fertilities of a word: alpha g.
#[derive(Debug, Clone, PartialEq)]
pub struct Prior {
    masses: [f32; CLASSES],
}

impl Prior {
    /// The prior with these fertilities of all words and `alpha` pseudo-counts.
    #[must_use]
    pub fn new(all: &[u64; CLASSES], alpha: f64) -> Self {
        let total: f64 = all.iter().map(|&n| to_f64(n) + FLOOR).sum();
        Self {
            masses: all.map(|n| to_f32(alpha * (to_f64(n) + FLOOR) / total)),
        }
    }

    /// What one more link of a token with so many links multiplies the probability of its word's fertilities by; `row` counts all tokens of the word,
    /// this one included.
    #[must_use]
    #[inline]
    pub fn ratio(&self, row: &[u32], fertility: u32) -> f32 {
        let (now, then) = (class(fertility), class(fertility + 1));
        if now == then {
            return TAIL;
        }
        (single(row[then]) + self.masses[then]) / (single(row[now] - 1) + self.masses[now])
    }

    /// The pseudo-counts.
    #[must_use]
    pub fn masses(&self) -> &[f32; CLASSES] {
        &self.masses
    }
}
