//! One example's dual variables, moved.
#![expect(
    clippy::needless_range_loop,
    reason = "several arrays run in step over the classes"
)]
#![expect(
    clippy::inline_always,
    reason = "K is a constant where a kernel is called, which makes its loops straight code"
)]

use super::Method;
use crate::reorder::rows::Row;
use crate::reorder::weights::{add_to, largest, scores_of};

/// What a visit did.
pub(super) enum Visit {
    /// The violation of (16) was at most epsilon: the example leaves the active set.
    Optimal,
    /// The objective fell by this much.
    Moved(f64),
    /// No step was accepted.
    Stuck,
}

/// Room for K numbers of each kind.
pub(super) struct Scratch {
    scores: Vec<f64>,
    alpha: Vec<f64>,
    log_new: Vec<f64>,
    new: Vec<f64>,
    change: Vec<f64>,
}

impl Scratch {
    pub fn new(k: usize) -> Self {
        let zeros = || vec![0.0; k];
        Self {
            scores: zeros(),
            alpha: zeros(),
            log_new: zeros(),
            new: zeros(),
            change: zeros(),
        }
    }
}

/// What is the same for all visits.
#[derive(Clone, Copy)]
pub(super) struct Rules {
    pub method: Method,
    pub epsilon: f64,
    pub shrink: bool,
    pub trials: u32,
    pub sigma2: f64,
    pub bias: Option<usize>,
}

/// Lines 4 to 18 of Algorithm 1 for one example.
#[inline(always)]
pub(super) fn visit(
    k: usize,
    rules: &Rules,
    row: Row<'_>,
    log_alpha: &mut [f64],
    weights: &mut [f64],
    scratch: &mut Scratch,
) -> Visit {
    let log_alpha = &mut log_alpha[..k];
    scores_of(k, row, rules.bias, weights, &mut scratch.scores);
    let scores = &scratch.scores[..k];
    let violation = violation(k, log_alpha, scores);
    if violation <= rules.epsilon && (rules.shrink || violation == 0.0) {
        return if rules.shrink {
            Visit::Optimal
        } else {
            Visit::Stuck
        };
    }
    for c in 0..k {
        scratch.alpha[c] = libm::exp(log_alpha[c]);
    }
    // The bias is a feature of value 1.
    let length = row.squared_norm() + f64::from(u8::from(rules.bias.is_some()));
    let curvature = rules.sigma2 * length;
    let fall = match rules.method {
        Method::ExponentiatedGradient => step(k, rules.trials, curvature, log_alpha, scratch),
        Method::Block => block(k, violation, curvature, log_alpha, scratch)
            // Rounding may leave the solver without a gain where the step has one.
            .or_else(|| step(k, rules.trials, curvature, log_alpha, scratch)),
    };
    let Some(fall) = fall else {
        return Visit::Stuck;
    };
    log_alpha.copy_from_slice(&scratch.log_new[..k]);
    for c in 0..k {
        scratch.change[c] *= -rules.sigma2;
    }
    add_to(k, row, rules.bias, weights, &scratch.change);
    Visit::Moved(fall)
}

/// v of Algorithm 1: how far the gradient (12) is from equal over the classes. What is equal for all classes in (12), `1 + w_y x`, cancels.
#[inline(always)]
pub(super) fn violation(k: usize, log_alpha: &[f64], scores: &[f64]) -> f64 {
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for c in 0..k {
        let gradient = log_alpha[c] - scores[c];
        low = low.min(gradient);
        high = high.max(gradient);
    }
    high - low
}

/// The exponentiated gradient step (11), halved until (13) is at most 0; None when it never is.
#[inline(always)]
fn step(
    k: usize,
    trials: u32,
    curvature: f64,
    log_alpha: &[f64],
    scratch: &mut Scratch,
) -> Option<f64> {
    let mut eta = 0.5;
    for _ in 0..trials {
        // log alpha - eta (log alpha - w x): in logarithms, a step of 1 is softmax(w x).
        for c in 0..k {
            scratch.log_new[c] = log_alpha[c] + eta * (scratch.scores[c] - log_alpha[c]);
        }
        normalize(k, scratch);
        let change = difference(k, curvature, log_alpha, scratch);
        if change <= 0.0 {
            return Some(-change);
        }
        eta *= 0.5;
    }
    None
}

/// The optimum of (13) over the simplex; None when rounding hides the gain.
///
/// With `q = sigma^2 |x|^2`, stationarity says `log a_c + q a_c = s_c + q alpha_c + mu` and the `a_c` sum to one: K + 1 equations in `log a` and `mu`, solved by
/// Newton's method from `log alpha`. The left side is convex in `log a`, so that a step from above never overshoots; a step from below is cut at
/// log 1, which is above.
#[inline(always)]
fn block(
    k: usize,
    violation: f64,
    curvature: f64,
    log_alpha: &[f64],
    scratch: &mut Scratch,
) -> Option<f64> {
    // A hundredth of the violation that was there, so that a visit gains two digits: more is lost to the next example's visit.
    const GAIN: f64 = 0.01;
    const STEPS: u32 = 50;
    let mut mu = 0.0;
    scratch.log_new[..k].copy_from_slice(log_alpha);
    scratch.new[..k].copy_from_slice(&scratch.alpha[..k]);
    for _ in 0..STEPS {
        let (mut total, mut pull, mut weight, mut worst) = (0.0, 0.0, 0.0, 0.0_f64);
        for c in 0..k {
            let a = scratch.new[c];
            let target = scratch.scores[c] + curvature * scratch.alpha[c] + mu;
            let residual = target - scratch.log_new[c] - curvature * a;
            let slope = 1.0 / (1.0 + curvature * a);
            scratch.change[c] = residual;
            total += a;
            pull += a * residual * slope;
            weight += a * slope;
            worst = worst.max(residual.abs());
        }
        let shift = (1.0 - total - pull) / weight;
        mu += shift;
        for c in 0..k {
            let slope = 1.0 / (1.0 + curvature * scratch.new[c]);
            let moved = scratch.log_new[c] + (scratch.change[c] + shift) * slope;
            scratch.log_new[c] = moved.min(0.0);
            scratch.new[c] = libm::exp(scratch.log_new[c]);
        }
        // The step that was just made squares what is left of the residual.
        if worst.max(shift.abs()) <= violation * GAIN.sqrt() {
            break;
        }
    }
    normalize(k, scratch);
    let change = difference(k, curvature, log_alpha, scratch);
    (change <= 0.0).then_some(-change)
}

/// Makes the exponentials of `log_new` sum to one, and keeps them in `new`.
#[inline(always)]
fn normalize(k: usize, scratch: &mut Scratch) {
    let top = largest(&scratch.log_new[..k]);
    let mut total = 0.0;
    for c in 0..k {
        scratch.new[c] = libm::exp(scratch.log_new[c] - top);
        total += scratch.new[c];
    }
    let (scale, shift) = (1.0 / total, top + libm::log(total));
    for c in 0..k {
        scratch.new[c] *= scale;
        scratch.log_new[c] -= shift;
    }
}

/// The change of the objective (13); leaves alpha' - alpha in `change`.
#[inline(always)]
fn difference(k: usize, curvature: f64, log_alpha: &[f64], scratch: &mut Scratch) -> f64 {
    let (mut sum, mut squares) = (0.0, 0.0);
    for c in 0..k {
        let d = scratch.new[c] - scratch.alpha[c];
        scratch.change[c] = d;
        // alpha' log alpha' - alpha log alpha - d w x, ordered so that what is nearly equal is subtracted first.
        sum += scratch.new[c] * (scratch.log_new[c] - log_alpha[c])
            + d * (log_alpha[c] - scratch.scores[c]);
        squares += d * d;
    }
    sum + 0.5 * curvature * squares
}
