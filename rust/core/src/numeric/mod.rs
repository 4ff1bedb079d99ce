//! Special functions, fixed-point counts and checked narrowing.
//!
//! Expected counts are summed as integers in units of 2^-32: integer addition is associative, so a sum has the same bits however its terms are
//! grouped over blocks, threads or machines. The largest sum is 2^32 (over four billion tokens of one word pair); it is checked, not wrapped.

pub mod scaled;

/// One unit of an expected count, as a fixed-point number.
pub const FIXED_ONE: f64 = 4_294_967_296.0;

/// A probability (at most 1, not negative) as fixed-point, rounded to nearest.
#[must_use]
#[inline]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a probability times 2^32 lies in 0 ..= 2^32"
)]
pub fn to_fixed(probability: f64) -> u64 {
    (probability * FIXED_ONE + 0.5) as u64
}

/// A fixed-point count as a real number.
#[must_use]
#[inline]
pub fn from_fixed(count: u64) -> f64 {
    to_f64(count) / FIXED_ONE
}

/// An integer as the nearest double.
#[must_use]
#[inline]
#[expect(
    clippy::cast_precision_loss,
    reason = "rounding to the nearest double is what is asked for"
)]
pub const fn to_f64(number: u64) -> f64 {
    number as f64
}

/// A double as the nearest single-precision number.
#[must_use]
#[inline]
#[expect(
    clippy::cast_possible_truncation,
    reason = "rounding to the nearest single is what is asked for"
)]
pub const fn to_f32(number: f64) -> f32 {
    number as f32
}

/// A count as a single: exact up to 2^24, rounded above.
#[must_use]
#[inline]
#[expect(
    clippy::cast_precision_loss,
    reason = "a weight needs no more than 24 bits"
)]
pub const fn single(count: u32) -> f32 {
    count as f32
}

/// An index of something that is in memory: offsets are stored as 64 bits and always fit the machine that holds them.
#[must_use]
#[inline]
#[expect(
    clippy::cast_possible_truncation,
    reason = "the thing that is indexed is in memory"
)]
pub const fn to_index(offset: u64) -> usize {
    offset as usize
}

/// An id of 32 bits as an index.
#[must_use]
#[inline]
pub const fn id_index(id: u32) -> usize {
    id as usize
}

/// A length or index as 64 bits.
#[must_use]
#[inline]
pub const fn to_u64(index: usize) -> u64 {
    index as u64
}

/// The digamma function psi(x) for x > 0, in natural units; relative error below 1e-13 away from its root.
///
/// Recurrence up to 10, then the asymptotic series (Abramowitz and Stegun 6.3.18).
#[must_use]
pub fn digamma(mut x: f64) -> f64 {
    let mut shift = 0.0;
    while x < 10.0 {
        shift -= 1.0 / x;
        x += 1.0;
    }
    let inverse = 1.0 / x;
    let square = inverse * inverse;
    let series = square
        * (1.0 / 12.0
            - square
                * (1.0 / 120.0
                    - square
                        * (1.0 / 252.0
                            - square
                                * (1.0 / 240.0
                                    - square * (1.0 / 132.0 - square * (691.0 / 32_760.0))))));
    shift + libm::log(x) - 0.5 * inverse - series
}

/// The logarithm of the gamma function for x > 0.
#[must_use]
pub fn ln_gamma(x: f64) -> f64 {
    libm::lgamma(x)
}

/// A sum of logarithms of many factors that takes few logarithms: factors are multiplied until the product leaves the safe range.
#[derive(Debug, Clone, Copy)]
pub struct LogProduct {
    sum: f64,
    product: f64,
}

impl Default for LogProduct {
    fn default() -> Self {
        Self {
            sum: 0.0,
            product: 1.0,
        }
    }
}

impl LogProduct {
    /// Multiplies by a factor > 0.
    #[inline]
    pub fn multiply(&mut self, factor: f64) {
        let product = self.product * factor;
        if (1e-200..1e200).contains(&product) {
            self.product = product;
        } else {
            self.sum += libm::log(self.product) + libm::log(factor);
            self.product = 1.0;
        }
    }

    /// Adds a term that is a logarithm already.
    #[inline]
    pub fn add_log(&mut self, term: f64) {
        self.sum += term;
    }

    /// The natural logarithm of the product of all factors.
    #[must_use]
    pub fn ln(self) -> f64 {
        self.sum + libm::log(self.product)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digamma_satisfies_its_recurrence_and_known_values() {
        assert!((digamma(1.0) + 0.577_215_664_901_532_9).abs() < 1e-13);
        assert!((digamma(0.5) + 1.963_510_026_021_423_5).abs() < 1e-12);
        for x in [1e-4, 0.01, 0.3, 2.5, 9.99, 10.01, 1e3, 1e7] {
            let step = digamma(x + 1.0) - digamma(x) - 1.0 / x;
            assert!(step.abs() <= 1e-12 * (1.0 / x).max(1.0), "x = {x}: {step}");
        }
    }

    #[test]
    fn log_product_equals_the_sum_of_logarithms() {
        let factors: Vec<f64> = (1..5000).map(|n| 1e-3 * f64::from(n % 97 + 1)).collect();
        let mut product = LogProduct::default();
        for &f in &factors {
            product.multiply(f);
        }
        let expected: f64 = factors.iter().map(|f| f.ln()).sum();
        assert!((product.ln() - expected).abs() < 1e-9 * expected.abs());
    }

    #[test]
    fn fixed_point_rounds_to_nearest() {
        assert_eq!(to_fixed(1.0), 1 << 32);
        assert_eq!(to_fixed(0.0), 0);
        assert!((from_fixed(to_fixed(1.0 / 3.0)) - 1.0 / 3.0).abs() < 2.0_f64.powi(-33));
    }
}
