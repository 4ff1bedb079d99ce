//! Maximum likelihood: t(f | e) = c(e, f) / c(e), d(delta) = c(delta) / c (Brown et al. 1993).

use super::expectation::Update;
use super::placement::JUMPS;

/// The M-step of EM.
#[derive(Debug, Clone, Copy, Default)]
pub struct MaximumLikelihood;

impl Update for MaximumLikelihood {
    fn scale(&self, total: f64) -> f64 {
        if total > 0.0 { 1.0 / total } else { 0.0 }
    }

    #[inline]
    fn weight(&self, count: f64, scale: f64) -> f64 {
        count * scale
    }

    fn log_weight(&self, count: f64, scale: f64) -> f64 {
        libm::log(count) + libm::log(scale)
    }

    fn jumps(&self, counts: &[f64; JUMPS]) -> [f64; JUMPS] {
        let total: f64 = counts.iter().sum();
        if total > 0.0 {
            counts.map(|count| count / total)
        } else {
            super::token::uniform_jumps()
        }
    }
}
