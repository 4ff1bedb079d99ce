//! Discounts of the counts of phrase pairs.

use super::sort::Count;
use super::table::Smoothing;
use crate::error::{Error, Result};
use crate::numeric::to_f64;

/// Counts from one to this have a discount of their own.
const MOST: usize = 10;

/// How many distinct phrase pairs there are, and how many of each small count.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CountsOfCounts {
    distinct: u64,
    of: [u64; MOST + 1],
}

impl CountsOfCounts {
    /// From the number of distinct phrase pairs and how many are counted once, twice, .. ten times: the lines of Moses' `.coc` files.
    #[must_use]
    pub fn from_lines(lines: [u64; MOST + 1]) -> Self {
        let mut of = lines;
        of[0] = 0;
        Self {
            distinct: lines[0],
            of,
        }
    }

    /// The same numbers.
    #[must_use]
    pub const fn to_lines(&self) -> [u64; MOST + 1] {
        let mut lines = self.of;
        lines[0] = self.distinct;
        lines
    }

    /// Adds a distinct phrase pair; its count is rounded up.
    pub(in crate::phrase) fn add(&mut self, count: Count) {
        self.distinct += 1;
        if let Some(n) = whole(count.to_f64() + 0.99999) {
            self.of[n] += 1;
        }
    }

    fn of(&self, count: usize) -> f64 {
        to_f64(self.of[count])
    }
}

/// The whole part of a number, if it is one of the small counts.
fn whole(value: f64) -> Option<usize> {
    (0..=MOST).find(|&n| value < to_f64(crate::numeric::to_u64(n + 1)))
}

/// How many different partners a phrase has, and how many of them it is counted with below 2, and from 2 to below 3.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::phrase) struct PartnerCounts {
    pub(in crate::phrase) all: u64,
    /// Once and twice; tables of Moses do not say.
    pub(in crate::phrase) few: Option<[u64; 2]>,
}

impl PartnerCounts {
    /// Of a phrase with these counts.
    pub(in crate::phrase) fn of(counts: impl Iterator<Item = Count>) -> Self {
        let (mut all, mut few) = (0, [0; 2]);
        for count in counts {
            all += 1;
            if let Some(number) = few.get_mut(class(count.to_f64())) {
                *number += 1;
            }
        }
        Self {
            all,
            few: Some(few),
        }
    }

    pub(in crate::phrase) fn to_bytes(self) -> [u8; 24] {
        let [once, twice] = self.few.unwrap_or_default();
        let mut bytes = [0; 24];
        for (place, number) in bytes.chunks_exact_mut(8).zip([self.all, once, twice]) {
            place.copy_from_slice(&number.to_be_bytes());
        }
        bytes
    }

    pub(in crate::phrase) fn from_bytes(bytes: &[u8]) -> Self {
        let number = |n: usize| {
            let at = 8 * n;
            u64::from_be_bytes(bytes[at..at + 8].try_into().unwrap_or_default())
        };
        Self {
            all: number(0),
            few: Some([number(1), number(2)]),
        }
    }
}

/// Which of the three discounts of Kneser-Ney a count has.
fn class(count: f64) -> usize {
    if count < 2.0 {
        0
    } else if count < 3.0 {
        1
    } else {
        2
    }
}

/// Turns the count of a phrase pair into what is divided by the count of its source, and of its target.
#[derive(Debug)]
pub(in crate::phrase) enum Discount {
    None,
    /// Factors of the counts below the last.
    GoodTuring(Vec<f64>),
    KneserNey {
        /// For counts below 2, below 3, and others.
        discounts: [f64; 3],
        distinct: f64,
        is_moses: bool,
    },
}

impl Discount {
    pub(in crate::phrase) fn new(
        smoothing: Smoothing,
        counts: &CountsOfCounts,
        is_moses: bool,
    ) -> Result<Self> {
        match smoothing {
            Smoothing::None => Ok(Self::None),
            Smoothing::GoodTuring => {
                let mut factors = vec![0.01];
                for n in 1..MOST {
                    let r = to_f64(crate::numeric::to_u64(n));
                    let factor = (r + 1.0) / r * (counts.of(n + 1) + 0.1) / (counts.of(n) + 0.1);
                    factors.push(factor.min(1.0).max(factors[n - 1]));
                }
                Ok(Self::GoodTuring(factors))
            }
            Smoothing::KneserNey => {
                if (1..=3).any(|n| counts.of[n] == 0) {
                    return Err(Error::config(
                        "smoothing",
                        "none or good-turing where no phrase pair is counted once, twice or three times: kneser-ney needs some of each",
                        "kneser-ney",
                    ));
                }
                let y = counts.of(1) / (counts.of(1) + 2.0 * counts.of(2));
                let raw = |n: usize| {
                    let r = to_f64(crate::numeric::to_u64(n));
                    // DEVIATION from Moses, which has the lower bound only by way of NaN: a discount is not negative.
                    (r - (r + 1.0) * y * counts.of(n + 1) / counts.of(n)).clamp(0.0, r - 0.1)
                };
                Ok(Self::KneserNey {
                    discounts: [raw(1), raw(2), raw(3)],
                    distinct: to_f64(counts.distinct),
                    is_moses,
                })
            }
        }
    }

    /// The counts for p(target | source) and p(source | target); `source` and `target` are their counts and the numbers of their partners.
    pub(in crate::phrase) fn adjusted(
        &self,
        joint: Count,
        source: (Count, PartnerCounts),
        target: (Count, PartnerCounts),
    ) -> (f64, f64) {
        let count = joint.to_f64();
        match self {
            Self::None => (count, count),
            Self::GoodTuring(factors) => {
                // Large counts are as they are; Moses spares the last of the small ones too.
                let factor = whole(count + 0.99998)
                    .filter(|n| n + 1 < factors.len())
                    .map_or(1.0, |n| factors[n]);
                (count * factor, count * factor)
            }
            Self::KneserNey {
                discounts,
                distinct,
                is_moses,
            } => {
                let mut discount = discounts[class(count)];
                if discount > count {
                    discount = if *is_moses { count - 0.01 } else { count };
                }
                // What all partners of a phrase give up: by the discount of each or, DEVIATION as in Moses, by that of this pair for all.
                let mass = |partners: PartnerCounts| match partners.few {
                    Some([once, twice]) if !is_moses => {
                        let more = partners.all - once - twice;
                        let numbers = [once, twice, more].map(to_f64);
                        numbers.iter().zip(discounts).map(|(n, d)| n * d).sum()
                    }
                    _ => discount * to_f64(partners.all),
                };
                // It is shared in proportion to the number of partners of the other side.
                let share = |partners: PartnerCounts| to_f64(partners.all) / distinct;
                let kept = count - discount;
                (
                    kept + mass(source.1) * share(target.1),
                    kept + mass(target.1) * share(source.1),
                )
            }
        }
    }
}
