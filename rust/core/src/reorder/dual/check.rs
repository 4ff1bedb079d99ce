//! A look at all examples: objectives, duality gap, and who violates the condition of optimality.
#![expect(
    clippy::inline_always,
    reason = "K is a constant where a kernel is called, which makes its loops straight code"
)]

use super::state::State;
use super::visit::violation;
use crate::cancel::CancelToken;
use crate::error::Result;
use crate::numeric::to_f32;
use crate::reorder::rows::Examples;
use crate::reorder::weights::{largest, scores_of};

/// The objectives at one moment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Check {
    /// After so many passes.
    pub pass: u32,
    /// P of (6) at the weights, in nats.
    pub primal: f64,
    /// D of (9) at the dual variables, in nats. At the optimum it is -P.
    pub dual: f64,
    /// Examples whose violation of (16) is above the epsilon of the options, active or not.
    pub violators: u64,
    /// The largest violation, in log-odds.
    pub violation: f64,
}

impl Check {
    /// (P + D) / |P|: how far P can be above its optimum at most, relative to it.
    #[must_use]
    pub fn gap(&self) -> f64 {
        let gap = self.primal + self.dual;
        if gap == 0.0 {
            0.0
        } else {
            gap / self.primal.abs()
        }
    }
}

/// Looks at every example and counts those with a violation above `epsilon`; `violations` gets that of each.
pub(super) fn check(
    examples: Examples<'_>,
    state: &State,
    pass: u32,
    epsilon: f64,
    violations: &mut Vec<f32>,
    cancel: &CancelToken,
) -> Result<Check> {
    match examples.classes() {
        2 => check_for(2, examples, state, pass, epsilon, violations, cancel),
        3 => check_for(3, examples, state, pass, epsilon, violations, cancel),
        4 => check_for(4, examples, state, pass, epsilon, violations, cancel),
        k => check_for(k, examples, state, pass, epsilon, violations, cancel),
    }
}

#[inline(always)]
fn check_for(
    k: usize,
    examples: Examples<'_>,
    state: &State,
    pass: u32,
    epsilon: f64,
    violations: &mut Vec<f32>,
    cancel: &CancelToken,
) -> Result<Check> {
    violations.clear();
    let bias = state.weights.bias();
    let mut scores = vec![0.0; k];
    let (mut loss, mut entropy, mut worst, mut count) = (0.0, 0.0, 0.0_f64, 0);
    for i in 0..examples.len() {
        if i % (1 << 14) == 0 {
            cancel.check()?;
        }
        let log_alpha = &state.log_alpha[i * k..i * k + k];
        scores_of(
            k,
            examples.rows.row(i),
            bias,
            &state.weights.values,
            &mut scores,
        );
        let found = violation(k, log_alpha, &scores);
        worst = worst.max(found);
        count += u64::from(found > epsilon);
        violations.push(to_f32(found));
        let top = largest(&scores);
        let mut total = 0.0;
        for c in 0..k {
            total += libm::exp(scores[c] - top);
            entropy += libm::exp(log_alpha[c]) * log_alpha[c];
        }
        loss += libm::log(total) + top - scores[examples.label(i)];
    }
    let regularizer = state.weights.squared_norm() / (2.0 * state.sigma2);
    Ok(Check {
        pass,
        primal: regularizer + loss,
        dual: regularizer + entropy,
        violators: count,
        violation: worst,
    })
}
