//! Variational Bayes with symmetric Dirichlet priors (Mermer et al. 2013, section IV-C):
//!
//! ```text
//! t(f | e) = exp(psi(c + theta)) / exp(psi(sum_f (c + theta)))
//! ```
//!
//! The bound is the E-step's logarithm minus, for each given type (and the distortions), the Kullback-Leibler divergence of its Dirichlet posterior
//! from its prior. Cells that never occur together have a pseudo-count of theta on both sides and drop out of it.

use super::expectation::Update;
use super::placement::JUMPS;
use crate::numeric::{digamma, ln_gamma, to_f64, to_u64};

/// The M-step of variational Bayes.
#[derive(Debug, Clone, Copy)]
pub struct VariationalBayes {
    /// Pseudo-count of every word pair.
    pub theta: f64,
    /// Pseudo-count of every relative distortion.
    pub phi: f64,
    /// Number of emitted types, over which a row's prior spreads.
    pub emitted_types: f64,
}

/// Below this, exp(psi(x)) is zero in double precision (psi(x) is about -1/x).
const VANISHES: f64 = 1.0 / 745.0;

impl Update for VariationalBayes {
    fn scale(&self, total: f64) -> f64 {
        digamma(total + self.theta * self.emitted_types)
    }

    #[inline]
    fn weight(&self, count: f64, scale: f64) -> f64 {
        let x = count + self.theta;
        if x < VANISHES {
            0.0
        } else {
            libm::exp(digamma(x) - scale)
        }
    }

    fn log_weight(&self, count: f64, scale: f64) -> f64 {
        digamma(count + self.theta) - scale
    }

    fn jumps(&self, counts: &[f64; JUMPS]) -> [f64; JUMPS] {
        let total: f64 = counts.iter().map(|count| count + self.phi).sum();
        let scale = digamma(total);
        counts.map(|count| libm::exp(digamma(count + self.phi) - scale))
    }

    fn cell_penalty(&self, count: f64, scale: f64) -> f64 {
        cell_divergence(count, self.theta, scale)
    }

    fn row_penalty(&self, total: f64) -> f64 {
        row_divergence(total, self.theta * self.emitted_types)
    }

    fn jump_penalty(&self, counts: &[f64; JUMPS]) -> f64 {
        let prior = self.phi * to_f64(to_u64(JUMPS));
        let total: f64 = counts.iter().sum();
        let scale = digamma(total + prior);
        let cells: f64 = counts
            .iter()
            .map(|&count| cell_divergence(count, self.phi, scale))
            .sum();
        row_divergence(total, prior) + cells
    }

    fn has_uniform_objective(&self) -> bool {
        // Equal weights are no Dirichlet posterior: there is no bound yet.
        false
    }
}

/// KL(Dir(c + alpha) || Dir(alpha)): the part of one component, with `scale` = psi of the posterior's sum.
fn cell_divergence(count: f64, alpha: f64, scale: f64) -> f64 {
    let x = count + alpha;
    count * (digamma(x) - scale) - (ln_gamma(x) - ln_gamma(alpha))
}

/// The part of the sums: `prior` is the sum of all pseudo-counts.
fn row_divergence(total: f64, prior: f64) -> f64 {
    ln_gamma(total + prior) - ln_gamma(prior)
}
