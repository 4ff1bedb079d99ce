//! One draw from the weights of a token's candidates.

use super::rows::CHUNK;

/// Running totals of the weights of one token's candidates, chunk by chunk.
///
/// A draw has no branch that depends on chance: the chunk and the place in it are counted, not searched, so that the processor can work on the next
/// tokens meanwhile. The weights themselves are not stored: those of the drawn chunk are made again.
#[derive(Debug, Default)]
pub struct Wheel {
    /// Total up to and with each chunk of the row at hand.
    ends: Vec<f32>,
    total: f32,
}

impl Wheel {
    /// Adds up a row: `weigh(number, ids)` gives the weights of one chunk.
    #[inline]
    pub fn fill(
        &mut self,
        row: &[[u32; CHUNK]],
        weigh: impl Fn(usize, &[u32; CHUNK]) -> [f32; CHUNK],
    ) {
        self.ends.clear();
        self.ends.reserve(row.len());
        let mut total = 0.0;
        self.ends
            .extend(row.iter().enumerate().map(|(number, ids)| {
                let [a, b, c, d, e, f, g, h] = weigh(number, ids);
                total += ((a + b) + (c + d)) + ((e + f) + (g + h));
                total
            }));
        self.total = total;
    }

    /// Sum of all weights.
    #[must_use]
    #[inline]
    pub fn total(&self) -> f32 {
        self.total
    }

    /// The candidate at `share` (in [0, 1)) of the total of the row that was added up, among the first `count`.
    ///
    /// Rounding may point past the last candidate; then it is the last.
    #[must_use]
    #[inline]
    pub fn at(
        &self,
        share: f32,
        count: usize,
        row: &[[u32; CHUNK]],
        weigh: impl Fn(usize, &[u32; CHUNK]) -> [f32; CHUNK],
    ) -> usize {
        let goal = share * self.total;
        let (mut chunk, mut sum) = (0, 0.0);
        for &end in &self.ends[..row.len() - 1] {
            let is_past = end <= goal;
            chunk += usize::from(is_past);
            // Weights are positive, so the last end that is past is the largest of them.
            sum = if is_past { end } else { sum };
        }
        let mut place = 0;
        for weight in weigh(chunk, &row[chunk]) {
            sum += weight;
            place += usize::from(sum <= goal);
        }
        (chunk * CHUNK + place).min(count - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_draw_equals_a_search_in_the_running_totals(
            weights in prop::collection::vec(1_u16..1000, 1..60),
            share in 0.0_f32..1.0,
        ) {
            let mut wheel = Wheel::default();
            let row = vec![[0; CHUNK]; weights.len().div_ceil(CHUNK)];
            let weight = |at: usize| weights.get(at).map_or(0.0, |&w| f32::from(w));
            let weigh = |number, _: &[u32; CHUNK]| std::array::from_fn(|n| weight(number * CHUNK + n));
            // What was there before must not matter.
            wheel.fill(&[[0; CHUNK]; 9], |_, _| [1.0; CHUNK]);
            wheel.fill(&row, weigh);
            // Small whole numbers add without rounding, in any order.
            let total: f32 = weights.iter().map(|&w| f32::from(w)).sum();
            prop_assert!((wheel.total() - total).abs() < 0.5);
            let goal = share * total;
            let mut sum = 0.0;
            let expected = weights.iter().position(|&w| { sum += f32::from(w); sum > goal });
            prop_assert_eq!(wheel.at(share, weights.len(), &row, weigh), expected.unwrap_or(weights.len() - 1));
        }
    }
}
