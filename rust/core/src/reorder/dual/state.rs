//! The dual variables and the weights that belong to them.
#![expect(
    clippy::inline_always,
    reason = "K is a constant where a kernel is called, which makes its loops straight code"
)]

use super::Options;
use crate::error::Result;
use crate::numeric::to_f64;
use crate::reorder::rows::Examples;
use crate::reorder::weights::{Weights, add_to};
use crate::text::lines::reserve;

/// Logarithms of the dual variables, and the weights (10).
pub(super) struct State {
    /// log alpha of example `i` and class `c` at `i * K + c`. Logarithms, because alpha itself is lost where it underflows.
    pub log_alpha: Vec<f64>,
    pub weights: Weights,
    pub sigma2: f64,
}

impl State {
    /// The start (15) and its weights.
    pub fn new(examples: Examples<'_>, options: &Options) -> Result<Self> {
        let (n, k) = (examples.len(), examples.classes());
        let start = options
            .start
            .unwrap_or_else(|| (1.0 / to_f64(n.max(1) as u64)).min(1e-3));
        let (own, other) = (
            libm::log1p(-start),
            libm::log(start / to_f64((k - 1) as u64)),
        );
        let mut log_alpha = Vec::new();
        reserve(&mut log_alpha, n.saturating_mul(k), "the dual variables")?;
        log_alpha.resize(n * k, other);
        for i in 0..n {
            log_alpha[i * k + examples.label(i)] = own;
        }
        let mut state = Self {
            log_alpha,
            weights: Weights::zeros(examples.rows.columns(), k, options.bias),
            sigma2: options.sigma2,
        };
        state.refresh(examples);
        Ok(state)
    }

    /// Computes the weights from the variables by (10), free of the rounding of many updates.
    pub fn refresh(&mut self, examples: Examples<'_>) {
        match examples.classes() {
            2 => self.refresh_for(2, examples),
            3 => self.refresh_for(3, examples),
            4 => self.refresh_for(4, examples),
            k => self.refresh_for(k, examples),
        }
    }

    #[inline(always)]
    fn refresh_for(&mut self, k: usize, examples: Examples<'_>) {
        self.weights.values.fill(0.0);
        let bias = self.weights.bias();
        let mut change = vec![0.0; k];
        for i in 0..examples.len() {
            let log_alpha = &self.log_alpha[i * k..i * k + k];
            for c in 0..k {
                let own = f64::from(u8::from(c == examples.label(i)));
                change[c] = self.sigma2 * (own - libm::exp(log_alpha[c]));
            }
            add_to(
                k,
                examples.rows.row(i),
                bias,
                &mut self.weights.values,
                &change,
            );
        }
    }
}
