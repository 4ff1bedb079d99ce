//! Discounts of the counts of phrase pairs.

use super::sort::Count;
use super::table::Smoothing;
use crate::error::{Error, Result};
use crate::numeric::to_f64;

/// Counts from one to this have a discount of their own.
const MOST: usize = 10;

/// How many distinct phrase pairs there are, and how many of each small count.
#[derive(Debug, Default)]
pub(in crate::phrase) struct CountsOfCounts {
    distinct: u64,
    of: [u64; MOST + 1],
}

impl CountsOfCounts {
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
    },
}

impl Discount {
    pub(in crate::phrase) fn new(smoothing: Smoothing, counts: &CountsOfCounts) -> Result<Self> {
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
                })
            }
        }
    }

    /// The counts for p(target | source) and p(source | target); `source` and `target` are their counts and the numbers of their partners.
    pub(in crate::phrase) fn adjusted(
        &self,
        joint: Count,
        source: (Count, u64),
        target: (Count, u64),
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
            } => {
                let discount = if count < 2.0 {
                    discounts[0]
                } else if count < 3.0 {
                    discounts[1]
                } else {
                    discounts[2]
                };
                let discount = discount.min(count);
                let (of_source, of_target) = (to_f64(source.1), to_f64(target.1));
                // The mass that all partners give up, shared in proportion to the number of partners of the other side.
                (
                    count - discount + discount * of_source * of_target / distinct,
                    count - discount + discount * of_target * of_source / distinct,
                )
            }
        }
    }
}
