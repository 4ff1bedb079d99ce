//! The function h(x) = x ln x of counts.

use crate::error::Result;
use crate::numeric::{to_f64, to_index, to_u64};
use crate::text::lines::reserve;

/// Counts below this come from a table of 512 KiB, which stays in the second-level cache.
const TABLE: usize = 1 << 16;

/// h(x) = x ln x with h(0) = 0, the same bits on every platform.
#[derive(Debug)]
pub(super) struct Entropy(Vec<f64>);

impl Entropy {
    pub(super) fn new() -> Result<Self> {
        let mut table = Vec::new();
        reserve(&mut table, TABLE, "a table of logarithms")?;
        table.extend((0..TABLE).map(|x| compute(to_u64(x))));
        Ok(Self(table))
    }

    #[inline]
    pub(super) fn of(&self, count: u64) -> f64 {
        match self.0.get(to_index(count)) {
            Some(&known) => known,
            None => compute(count),
        }
    }
}

fn compute(count: u64) -> f64 {
    if count == 0 {
        0.0
    } else {
        let x = to_f64(count);
        x * libm::log(x)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_and_the_rest_agree_where_they_meet() {
        let entropy = Entropy::new().expect("half a megabyte");
        assert_eq!(entropy.of(0).to_bits(), 0.0_f64.to_bits());
        assert_eq!(entropy.of(1).to_bits(), 0.0_f64.to_bits());
        for x in [2_u64, 3, 1000, 65_535, 65_536, 65_537, 1 << 40] {
            let expected = to_f64(x) * to_f64(x).ln();
            assert!((entropy.of(x) / expected - 1.0).abs() < 1e-14, "{x}");
        }
    }
}
