//! Where a link may go: the part of Models 1 and 2 that does not look at words.
//!
//! Model 1: every candidate, NULL included, is equally likely; with a NULL probability p0 given, NULL has p0 and the rest share 1 - p0.
//! Model 2: NULL has p0; a real candidate has (1 - p0) d(delta), where delta is the distance of position i from the diagonal
//! position of j, clipped to -5 .. 5, and d is one multinomial over these 11 values (Mermer et al. 2013, eq. 7 and section IV-F).
//! As in the paper, d is not normalised again over the positions of a sentence.
//!
//! DEVIATION: the values -5 and 5 stand for all positions that far away or farther. Read literally, eq. 10 gives each of these positions the whole
//! mass of its tail, so that the many distant positions of a long sentence outweigh the near ones and Model 2 falls behind Model 1
//! (measured: docs/design/ibm.md). By default the mass of a tail is shared by the positions in it, as He (2007) does in the HMM; [`Tail::Each`] is the
//! literal reading.

use crate::numeric::{to_f64, to_u64};
use std::ops::Range;

/// Number of relative distortions that are told apart.
pub const JUMPS: usize = 11;
/// The bucket of relative distortion 0.
pub const CENTRE: usize = 5;

/// Which of the two models.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Model {
    /// IBM Model 1: position does not matter.
    One,
    /// IBM Model 2 with relative distortion.
    Two(Tail),
}

/// What the positions at a relative distortion of 5 or more have of their bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Tail {
    /// An equal share each.
    #[default]
    Shared,
    /// All of it each.
    Each,
}

/// The position of the given sentence (of `given_len` words) that lies on the diagonal at `position` of the emitted one.
///
/// The middle of the emitted word's cell is mapped to the cell that holds it; integers only, so it is exact.
#[must_use]
#[inline]
pub const fn diagonal(position: usize, emitted_len: usize, given_len: usize) -> usize {
    (2 * position + 1) * given_len / (2 * emitted_len)
}

/// Factors of the candidates of one token: one for NULL, one for each bucket of relative distortion.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Placement<R> {
    /// Factor of NULL.
    pub null: R,
    /// Factor of each bucket; all equal in Model 1.
    pub jumps: [R; JUMPS],
}

/// The positions of a sentence as three runs: a left tail in bucket 0, a core with a bucket each, a right tail in bucket 10.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Runs {
    /// Positions in bucket 0.
    pub left: Range<usize>,
    /// Positions in buckets 1 .. 9.
    pub core: Range<usize>,
    /// Positions in bucket 10.
    pub right: Range<usize>,
    /// Bucket of the first position of the core.
    pub first_bucket: usize,
    diagonal: usize,
    tail: Tail,
}

impl Runs {
    /// The runs of a given sentence of this length around this diagonal position.
    #[must_use]
    #[inline]
    pub fn new(given_len: usize, diagonal: usize, tail: Tail) -> Self {
        let core_start = (diagonal + 1).saturating_sub(CENTRE).min(given_len);
        let core_end = (diagonal + CENTRE).min(given_len);
        Self {
            left: 0..core_start,
            core: core_start..core_end,
            right: core_end..given_len,
            first_bucket: core_start + CENTRE - diagonal,
            diagonal,
            tail,
        }
    }

    /// Runs without a diagonal: every position in the left tail, whose factor each of them has whole.
    #[must_use]
    #[inline]
    pub fn flat(given_len: usize) -> Self {
        Self {
            left: 0..given_len,
            core: given_len..given_len,
            right: given_len..given_len,
            first_bucket: 0,
            diagonal: 0,
            tail: Tail::Each,
        }
    }

    /// The position on the diagonal.
    #[must_use]
    #[inline]
    pub fn diagonal(&self) -> usize {
        self.diagonal
    }

    /// What a position of the left tail has of its bucket.
    #[must_use]
    #[inline]
    pub fn left_share(&self) -> f64 {
        self.share(&self.left)
    }

    /// What a position of the right tail has of its bucket.
    #[must_use]
    #[inline]
    pub fn right_share(&self) -> f64 {
        self.share(&self.right)
    }

    #[inline]
    fn share(&self, run: &Range<usize>) -> f64 {
        match self.tail {
            Tail::Each => 1.0,
            Tail::Shared => 1.0 / to_f64(to_u64(run.len().max(1))),
        }
    }

    /// The bucket of position `i`, and what `i` has of it.
    #[must_use]
    #[inline]
    pub fn place(&self, i: usize) -> (usize, f64) {
        if i < self.core.start {
            (0, self.left_share())
        } else if i < self.core.end {
            (self.first_bucket + i - self.core.start, 1.0)
        } else {
            (JUMPS - 1, self.right_share())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn runs_agree_with_buckets(given_len in 1_usize..40, emitted_len in 1_usize..40, at in 0_usize..40) {
            let position = at % emitted_len;
            let diagonal = diagonal(position, emitted_len, given_len);
            prop_assert!(diagonal < given_len);
            let runs = Runs::new(given_len, diagonal, Tail::Shared);
            let mut mass = [0.0; JUMPS];
            for i in 0..given_len {
                let delta = (i.cast_signed() - diagonal.cast_signed()).clamp(-5, 5);
                let (bucket, share) = runs.place(i);
                prop_assert_eq!(bucket.cast_signed(), delta + 5);
                prop_assert_eq!(runs.left.contains(&i), delta == -5);
                prop_assert_eq!(runs.right.contains(&i), delta == 5);
                mass[bucket] += share;
            }
            // A bucket's mass is handed out once, or not at all where the sentence has no such position.
            prop_assert!(mass.iter().all(|&m: &f64| m == 0.0 || (m - 1.0).abs() < 1e-9));
        }
    }
}
