//! Limited-memory BFGS (Nocedal 1980; Nocedal and Wright 2006, algorithm 7.4), and its variant for absolute values of weights, OWL-QN (Andrew and Gao 2007).

use super::line_search::{Point, search};
use super::vectors::{Vectors, largest_magnitude};
use crate::error::{Error, Result};
use std::collections::VecDeque;

/// When to stop, and how much to remember.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stopping {
    /// The most iterations.
    pub max_iterations: usize,
    /// Stop when the norm of the gradient is at most this times that of the weights (or 1, if that is larger).
    pub epsilon: f64,
    /// Stop when the objective fell by less than this share of itself ...
    pub delta: f64,
    /// ... during so many iterations; 0 does not look.
    pub period: usize,
    /// Pairs of differences that are remembered.
    pub memory: usize,
}

impl Default for Stopping {
    /// The values of `CRFsuite`.
    fn default() -> Self {
        Self {
            max_iterations: 1_000,
            epsilon: 1e-5,
            delta: 1e-5,
            period: 10,
            memory: 6,
        }
    }
}

/// Why the search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// The gradient is small.
    Gradient,
    /// The objective hardly falls any more.
    Objective,
    /// The most iterations were made.
    Iterations,
    /// No lower point could be found: the objective is at its minimum as far as its rounding tells.
    Precision,
    /// The caller asked to: held-out data gets no better.
    Caller,
}

impl Reason {
    /// One word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gradient => "gradient",
            Self::Objective => "objective",
            Self::Iterations => "iterations",
            Self::Precision => "precision",
            Self::Caller => "held-out",
        }
    }
}

/// Where the search is after an iteration.
#[derive(Debug, Clone, Copy)]
pub struct State<'a> {
    /// Iterations so far.
    pub iteration: usize,
    /// The objective, with the penalty of absolute values.
    pub objective: f64,
    /// The Euclidean norm of its gradient (of its pseudo-gradient with absolute values).
    pub gradient_norm: f64,
    /// The weights.
    pub weights: &'a [f64],
}

/// What the search found.
#[derive(Debug, Clone, PartialEq)]
pub struct Minimum {
    /// The weights.
    pub weights: Vec<f64>,
    /// The objective before the search and after each iteration.
    pub history: Vec<f64>,
    /// The norm of the gradient at the end.
    pub gradient_norm: f64,
    /// How often the objective was evaluated.
    pub evaluations: usize,
    /// Why the search ended.
    pub reason: Reason,
}

/// A pair of differences of weights s and gradients y.
struct Memory {
    s: Vec<f64>,
    y: Vec<f64>,
    /// 1 / (s y).
    rho: f64,
}

/// Minimises `evaluate` plus `l1` times the sum of absolute values of the weights.
///
/// `evaluate(weights, gradient)` returns the smooth part and writes its gradient. `visit` sees every iteration and returns whether to go on.
///
/// # Errors
/// [`Error::Config`] when the objective is not finite at the start; those of `evaluate` and `visit`.
pub fn minimize(
    start: Vec<f64>,
    l1: f64,
    stopping: &Stopping,
    vectors: &Vectors<'_>,
    mut evaluate: impl FnMut(&[f64], &mut [f64]) -> Result<f64>,
    mut visit: impl FnMut(&State<'_>) -> Result<bool>,
) -> Result<Minimum> {
    let size = start.len();
    let mut run = Run {
        l1,
        vectors,
        weights: start,
        gradient: vec![0.0; size],
        pseudo: vec![0.0; if l1 > 0.0 { size } else { 0 }],
        value: 0.0,
        evaluations: 1,
    };
    let smooth = evaluate(&run.weights, &mut run.gradient)?;
    run.value = smooth + run.penalty();
    if !run.value.is_finite() || largest_magnitude(&run.gradient).is_none() {
        return Err(Error::config(
            "the objective",
            "finite; divide the values of attributes by a constant, or start from smaller weights",
            run.value,
        ));
    }
    let mut history = vec![run.value];
    let mut memories: VecDeque<Memory> = VecDeque::new();
    let mut reason = Reason::Iterations;
    let mut norm = run.steepest();
    if run.is_flat(norm, stopping.epsilon) {
        reason = Reason::Gradient;
    } else {
        for iteration in 1..=stopping.max_iterations {
            if !run.iterate(&mut memories, stopping.memory.max(1), norm, &mut evaluate)? {
                reason = Reason::Precision;
                break;
            }
            history.push(run.value);
            norm = run.steepest();
            let state = State {
                iteration,
                objective: run.value,
                gradient_norm: norm,
                weights: &run.weights,
            };
            if !visit(&state)? {
                reason = Reason::Caller;
                break;
            }
            if run.is_flat(norm, stopping.epsilon) {
                reason = Reason::Gradient;
                break;
            }
            let earlier = iteration.checked_sub(stopping.period).map(|at| history[at]);
            if let Some(earlier) = earlier.filter(|_| stopping.period > 0)
                && (earlier - run.value) < stopping.delta * run.value.abs()
            {
                reason = Reason::Objective;
                break;
            }
        }
    }
    Ok(Minimum {
        weights: run.weights,
        history,
        gradient_norm: norm,
        evaluations: run.evaluations,
        reason,
    })
}

struct Run<'v, 'p> {
    l1: f64,
    vectors: &'v Vectors<'p>,
    weights: Vec<f64>,
    gradient: Vec<f64>,
    /// The pseudo-gradient (Andrew and Gao, eq. 4), with absolute values only.
    pseudo: Vec<f64>,
    value: f64,
    evaluations: usize,
}

impl Run<'_, '_> {
    fn penalty(&self) -> f64 {
        if self.l1 > 0.0 {
            self.l1 * self.weights.iter().map(|w| w.abs()).sum::<f64>()
        } else {
            0.0
        }
    }

    /// Brings the pseudo-gradient up to date and returns the norm of what the direction is made from.
    fn steepest(&mut self) -> f64 {
        if self.l1 > 0.0 {
            for ((pseudo, &w), &g) in self
                .pseudo
                .iter_mut()
                .zip(&self.weights)
                .zip(&self.gradient)
            {
                *pseudo = pseudo_derivative(w, g, self.l1);
            }
        }
        self.vectors.dot(self.slope(), self.slope()).sqrt()
    }

    fn slope(&self) -> &[f64] {
        if self.l1 > 0.0 {
            &self.pseudo
        } else {
            &self.gradient
        }
    }

    fn is_flat(&self, norm: f64, epsilon: f64) -> bool {
        let size = self.vectors.dot(&self.weights, &self.weights).sqrt();
        norm <= epsilon * size.max(1.0)
    }

    /// One iteration; false when no lower point was found.
    fn iterate(
        &mut self,
        memories: &mut VecDeque<Memory>,
        most: usize,
        norm: f64,
        evaluate: &mut impl FnMut(&[f64], &mut [f64]) -> Result<f64>,
    ) -> Result<bool> {
        let mut direction = self.direction(memories);
        let mut slope = self.vectors.dot(&direction, self.slope());
        if slope >= 0.0 {
            // Rounding has spoilt the memory: start from the steepest descent.
            memories.clear();
            direction = self.slope().iter().map(|g| -g).collect();
            slope = -norm * norm;
        }
        let first = if memories.is_empty() { 1.0 / norm } else { 1.0 };
        // The oldest pair makes room for the new one.
        let old = if memories.len() == most {
            memories.pop_front()
        } else {
            None
        };
        let (mut s, mut y) = old.map_or_else(|| (Vec::new(), Vec::new()), |old| (old.s, old.y));
        s.clear();
        s.extend_from_slice(&self.weights);
        y.clear();
        y.extend_from_slice(&self.gradient);
        let start = Point {
            step: 0.0,
            value: self.value,
            slope,
        };
        let is_found = if self.l1 > 0.0 {
            self.backtrack(start, first, &s, &direction, evaluate)?
        } else {
            self.descend(start, first, &s, &direction, evaluate)?
        };
        if !is_found {
            self.weights.copy_from_slice(&s);
            self.gradient.copy_from_slice(&y);
            self.value = start.value;
            // Without memory the direction was the steepest descent already.
            let is_last = memories.is_empty();
            memories.clear();
            return if is_last {
                Ok(false)
            } else {
                self.iterate(memories, most, norm, evaluate)
            };
        }
        self.vectors.subtract_from(&self.weights, &mut s);
        self.vectors.subtract_from(&self.gradient, &mut y);
        let curvature = self.vectors.dot(&s, &y);
        if curvature > 0.0 {
            memories.push_back(Memory {
                s,
                y,
                rho: 1.0 / curvature,
            });
        }
        Ok(true)
    }

    /// Minus the inverse Hessian times the gradient (Nocedal and Wright, algorithm 7.4).
    fn direction(&self, memories: &VecDeque<Memory>) -> Vec<f64> {
        let mut direction: Vec<f64> = self.slope().iter().map(|g| -g).collect();
        let mut alphas = Vec::with_capacity(memories.len());
        for memory in memories.iter().rev() {
            let alpha = memory.rho * self.vectors.dot(&memory.s, &direction);
            self.vectors.add(-alpha, &memory.y, &mut direction);
            alphas.push(alpha);
        }
        if let Some(last) = memories.back() {
            let scale = 1.0 / (last.rho * self.vectors.dot(&last.y, &last.y));
            self.vectors.multiply(scale, &mut direction);
        }
        for (memory, alpha) in memories.iter().zip(alphas.into_iter().rev()) {
            let beta = memory.rho * self.vectors.dot(&memory.y, &direction);
            self.vectors.add(alpha - beta, &memory.s, &mut direction);
        }
        if self.l1 > 0.0 {
            // Only steps downhill of the pseudo-gradient (Andrew and Gao, step 2).
            for (d, &g) in direction.iter_mut().zip(&self.pseudo) {
                if *d * g >= 0.0 {
                    *d = 0.0;
                }
            }
        }
        direction
    }

    /// A step that satisfies the Wolfe conditions.
    fn descend(
        &mut self,
        start: Point,
        first: f64,
        from: &[f64],
        direction: &[f64],
        evaluate: &mut impl FnMut(&[f64], &mut [f64]) -> Result<f64>,
    ) -> Result<bool> {
        let found = search(start, first, |step| {
            self.evaluations += 1;
            self.vectors.walk(from, step, direction, &mut self.weights);
            let value = evaluate(&self.weights, &mut self.gradient)?;
            Ok((value, self.vectors.dot(&self.gradient, direction)))
        })?;
        self.value = found.map_or(self.value, |point| point.value);
        Ok(found.is_some())
    }

    /// Halves the step until the objective falls enough, within the orthant of the start (Andrew and Gao, section 3.2).
    fn backtrack(
        &mut self,
        start: Point,
        first: f64,
        from: &[f64],
        direction: &[f64],
        evaluate: &mut impl FnMut(&[f64], &mut [f64]) -> Result<f64>,
    ) -> Result<bool> {
        let mut step = first;
        for _ in 0..40 {
            let mut descent = 0.0;
            for (at, weight) in self.weights.iter_mut().enumerate() {
                let side = if from[at] == 0.0 {
                    -self.pseudo[at]
                } else {
                    from[at]
                };
                let moved = from[at] + step * direction[at];
                *weight = if moved * side > 0.0 { moved } else { 0.0 };
                descent += self.pseudo[at] * (*weight - from[at]);
            }
            self.evaluations += 1;
            let value = evaluate(&self.weights, &mut self.gradient)? + self.penalty();
            if value <= start.value + 1e-4 * descent && value < start.value {
                self.value = value;
                return Ok(true);
            }
            step *= 0.5;
        }
        Ok(false)
    }
}

/// The derivative of the smooth part plus l1 |w| in the direction that descends, 0 where none does.
fn pseudo_derivative(weight: f64, derivative: f64, l1: f64) -> f64 {
    if weight > 0.0 {
        derivative + l1
    } else if weight < 0.0 {
        derivative - l1
    } else if derivative < -l1 {
        derivative + l1
    } else if derivative > l1 {
        derivative - l1
    } else {
        0.0
    }
}
