//! The exponential function over arrays, with the same bits on every machine and for every width of vectors.

/// ln 2 in two parts, the first short enough that small multiples of it are exact (Cody and Waite 1980).
const LN2_HIGH: f64 = 6.931_471_803_691_238e-1;
const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;

/// Adding this rounds to a whole number, which then stands in the last bits.
const ROUNDER: f64 = 6_755_399_441_055_744.0;

/// Below this the result would be subnormal; it becomes 0.
const LOWEST: f64 = -708.0;

/// 1/n! for n from 13 down to 2: the remainder of the series is below 2^-54 of the result on the reduced range.
const SERIES: [f64; 12] = [
    1.0 / 6_227_020_800.0,
    1.0 / 479_001_600.0,
    1.0 / 39_916_800.0,
    1.0 / 3_628_800.0,
    1.0 / 362_880.0,
    1.0 / 40_320.0,
    1.0 / 5_040.0,
    1.0 / 720.0,
    1.0 / 120.0,
    1.0 / 24.0,
    1.0 / 6.0,
    0.5,
];

/// exp(x) for x <= 709, with a relative error below 2^-51; 0 below -708. Only sums, products and shifts, no fused ones: the compiler may
/// work on many at once, and the bits stay.
#[inline(always)]
#[expect(
    clippy::inline_always,
    reason = "it must be compiled for the instructions of its caller"
)]
pub(super) fn exp(x: f64) -> f64 {
    let rounded = x * std::f64::consts::LOG2_E + ROUNDER;
    let whole = rounded - ROUNDER;
    let rest = (x - whole * LN2_HIGH) - whole * LN2_LOW;
    let mut sum = SERIES[0];
    for &coefficient in &SERIES[1..] {
        sum = sum * rest + coefficient;
    }
    let sum = (sum * rest) * rest + rest + 1.0;
    let scaled = f64::from_bits(sum.to_bits().wrapping_add(rounded.to_bits() << 52));
    if x < LOWEST { 0.0 } else { scaled }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_exponential_function() {
        for n in -70_800..=7_090 {
            let x = f64::from(n) * 0.01 + 1e-5;
            let (found, expected) = (exp(x), libm::exp(x));
            assert!((found / expected - 1.0).abs() < 5e-16, "exp({x})");
        }
        assert!((exp(0.0) - 1.0).abs() < f64::EPSILON / 2.0);
        assert!(exp(f64::NEG_INFINITY) <= 0.0);
        assert!(exp(-1e300) <= 0.0);
    }
}
