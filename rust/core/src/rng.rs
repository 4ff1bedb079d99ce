//! Random numbers keyed by what is drawn, not by who draws it.
//!
//! Every draw of a sampler is a pure function of a key (seed, chain, sweep, direction) and a counter (the token's position in the corpus).
//! So a draw does not depend on the order in which tokens are visited, on blocks, or on threads.
//! The generator is `SplitMix64` (Steele, Lea and Flood 2014) read at an arbitrary index of its stream: state `key + (n + 1) * GAMMA`, then the
//! 64-bit finaliser of variant 13.

const GAMMA: u64 = 0x9E37_79B9_7F4A_7C15;

/// A stream of random numbers with random access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stream(u64);

impl Stream {
    /// The stream of this key; every part of the key changes the whole stream.
    #[must_use]
    pub fn new(key: &[u64]) -> Self {
        // Each part passes through the finaliser twice, so that keys that differ in one bit share no structure.
        Self(key.iter().fold(0x706C_6169_7400_0001, |state, &part| {
            mix(mix(state.wrapping_add(GAMMA)).wrapping_add(part))
        }))
    }

    /// The `n`-th number of the stream: 64 uniform bits.
    #[must_use]
    #[inline]
    pub fn bits(&self, n: u64) -> u64 {
        mix(self.0.wrapping_add(n.wrapping_add(1).wrapping_mul(GAMMA)))
    }

    /// The `n`-th number as a uniform real in [0, 1) with 24 bits, exact in single precision.
    #[must_use]
    #[inline]
    #[expect(
        clippy::cast_precision_loss,
        reason = "24 bits fit the significand of f32"
    )]
    pub fn unit_f32(&self, n: u64) -> f32 {
        (self.bits(n) >> 40) as f32 * (1.0 / 16_777_216.0)
    }

    /// The `n`-th number as a uniform integer below `bound` (multiply-shift; bias below 2^-32 for bounds below 2^32).
    #[must_use]
    #[inline]
    pub fn below(&self, n: u64, bound: u32) -> u32 {
        let product = u128::from(self.bits(n)) * u128::from(bound);
        // The product is below 2^64 * bound, so the shifted value is below `bound`.
        u32::try_from(product >> 64).unwrap_or(0)
    }
}

#[inline]
fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_of_the_key_matters() {
        let base = Stream::new(&[1, 2, 3]).bits(0);
        for key in [[2, 2, 3], [1, 3, 3], [1, 2, 4]] {
            assert_ne!(base, Stream::new(&key).bits(0));
        }
        assert_ne!(base, Stream::new(&[1, 2]).bits(0));
    }

    #[test]
    fn draws_are_uniform() {
        let stream = Stream::new(&[7]);
        let mut bins = [0u32; 16];
        for n in 0..160_000 {
            bins[stream.below(n, 16) as usize] += 1;
        }
        // Chi-squared with 15 degrees of freedom: 99.9999% quantile is 56.5.
        let chi2: f64 = bins
            .iter()
            .map(|&b| (f64::from(b) - 10_000.0).powi(2) / 10_000.0)
            .sum();
        assert!(chi2 < 56.5, "chi-squared {chi2}");
        let mean: f64 = (0..100_000)
            .map(|n| f64::from(stream.unit_f32(n)))
            .sum::<f64>()
            / 100_000.0;
        assert!((mean - 0.5).abs() < 0.005, "mean {mean}");
    }
}
