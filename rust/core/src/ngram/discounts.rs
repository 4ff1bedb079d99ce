//! Discounts of modified Kneser-Ney smoothing, from counts of counts.

use crate::numeric::to_f64;

/// What is taken from counts of 1, of 2, and of 3 and more.
pub type Discounts = [f64; 3];

/// What is taken where counts of counts say nothing, as by `lmplz --discount_fallback`.
pub const USUAL_FALLBACK: Discounts = [0.5, 1.0, 1.5];

/// Why the discounts of an order are not those of its counts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Fallback {
    /// No n-gram has this adjusted count.
    NoCount {
        /// 1, 2 or 3.
        count: u8,
    },
    /// The discount of this count, as computed, is not above 0 and at most the count.
    OutOfRange {
        /// 1, 2 or 3.
        count: u8,
        /// What was computed.
        discount: f64,
    },
}

/// How many n-grams of one order have an adjusted count of 1, 2, 3 and 4.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CountsOfCounts(pub [u64; 4]);

impl CountsOfCounts {
    /// Those of adjusted counts.
    #[must_use]
    pub fn of(counts: &[u32]) -> Self {
        let mut found = [0; 4];
        for &count in counts {
            if (1..=4).contains(&count) {
                found[count as usize - 1] += 1;
            }
        }
        Self(found)
    }

    /// `D(k) = k - (k + 1) Y t(k + 1) / t(k)` with `Y = t(1) / (t(1) + 2 t(2))` (Chen and Goodman 1998, eq. 26).
    ///
    /// # Errors
    /// The [`Fallback`] that is needed, when a count of counts is 0 or a discount leaves its range.
    ///
    /// DEVIATION: lmplz accepts a discount of exactly 0, after which a context may have nothing left for words not seen there; here it is out of range.
    pub fn discounts(self) -> Result<Discounts, Fallback> {
        let t = self.0.map(to_f64);
        for count in 1..=3_u8 {
            if self.0[usize::from(count) - 1] == 0 {
                return Err(Fallback::NoCount { count });
            }
        }
        let y = t[0] / (t[0] + 2.0 * t[1]);
        let mut discounts = [0.0; 3];
        for count in 1..=3_u8 {
            let (at, k) = (usize::from(count), f64::from(count));
            let discount = k - (k + 1.0) * y * t[at] / t[at - 1];
            if !(discount > 0.0 && discount <= k) {
                return Err(Fallback::OutOfRange { count, discount });
            }
            discounts[at - 1] = discount;
        }
        Ok(discounts)
    }
}

/// The discount of a count.
#[inline]
#[must_use]
pub fn discount(discounts: &Discounts, count: u32) -> f64 {
    match count {
        0 => 0.0,
        1 => discounts[0],
        2 => discounts[1],
        _ => discounts[2],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn discounts_are_those_of_chen_and_goodman() {
        let got = CountsOfCounts([100, 40, 20, 10]).discounts();
        let y = 100.0 / 180.0;
        assert_eq!(
            got,
            Ok([
                1.0 - 2.0 * y * 40.0 / 100.0,
                2.0 - 3.0 * y * 20.0 / 40.0,
                3.0 - 4.0 * y * 10.0 / 20.0
            ])
        );
    }

    #[test]
    fn counts_that_say_nothing_are_told() {
        assert_eq!(
            CountsOfCounts([5, 0, 1, 1]).discounts(),
            Err(Fallback::NoCount { count: 2 })
        );
        let Err(Fallback::OutOfRange { count: 2, discount }) =
            CountsOfCounts([10, 1, 9, 1]).discounts()
        else {
            panic!("9 of 3 against 1 of 2")
        };
        assert!(discount < 0.0);
    }
}
