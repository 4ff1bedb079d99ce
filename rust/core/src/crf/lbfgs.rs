//! Limited-memory BFGS (Nocedal 1980; Nocedal and Wright 2006, algorithm 7.4), and its variant for absolute values of weights, OWL-QN (Andrew and Gao 2007).

use super::line_search::{Point, search};
use super::observer::{Minimum, Observer, State};
use super::pseudo_gradient::pseudo_derivative;
use super::snapshot::Snapshot;
use super::stopping::{Reason, Stopping};
use super::vectors::{Vectors, largest_magnitude};
use crate::error::{Error, Result};
use std::collections::VecDeque;

/// A pair of differences of weights s and gradients y.
#[derive(Default)]
struct Memory {
    s: Vec<f64>,
    y: Vec<f64>,
    /// 1 / (s y).
    rho: f64,
}

/// Minimises `evaluate` plus `l1` times the sum of absolute values of the weights, from `start` or, with a snapshot, from where that was taken.
///
/// `evaluate(weights, gradient)` returns the smooth part and writes its gradient.
///
/// # Errors
/// [`Error::Config`] when the objective is not finite at the start; [`Error::Model`] when the snapshot is none of this search; those of `evaluate` and the observer.
pub fn minimize(
    start: Vec<f64>,
    l1: f64,
    stopping: &Stopping,
    resume: Option<&Snapshot>,
    vectors: Vectors,
    mut evaluate: impl FnMut(&[f64], &mut [f64]) -> Result<f64>,
    observer: &mut dyn Observer,
) -> Result<Minimum> {
    let mut run = Run::new(start, l1, vectors);
    match resume {
        Some(snapshot) => run.restore(snapshot)?,
        None => run.begin(&mut evaluate)?,
    }
    let mut norm = run.steepest();
    let mut ended = run.settled(norm, stopping);
    if ended.is_none() && observer.is_over(run.iteration()) {
        ended = Some(Reason::Caller);
    }
    while ended.is_none() && run.iteration() < stopping.max_iterations {
        match run.iterate(stopping.memory.max(1), norm, &mut evaluate) {
            Ok(true) => {}
            Ok(false) => {
                ended = Some(Reason::Precision);
                break;
            }
            Err(Error::Cancelled) if run.iteration() > 0 && observer.hears_stop() => {
                run.go_back();
                observer.stop(&run.state(norm, &|into| run.save(into)))?;
                return Err(Error::Cancelled);
            }
            Err(error) => return Err(error),
        }
        run.history.push(run.value);
        norm = run.steepest();
        let goes_on = observer.see(&run.state(norm, &|into| run.save(into)))?;
        ended = run.settled(norm, stopping);
        if !goes_on {
            ended = Some(Reason::Caller);
        }
    }
    Ok(Minimum {
        weights: run.weights,
        objective: Some(run.value),
        history: run.history,
        gradient_norm: Some(norm),
        evaluations: run.evaluations,
        reason: ended.unwrap_or(Reason::Iterations),
    })
}

struct Run {
    l1: f64,
    vectors: Vectors,
    weights: Vec<f64>,
    gradient: Vec<f64>,
    /// The pseudo-gradient (Andrew and Gao, eq. 4), with absolute values only.
    pseudo: Vec<f64>,
    value: f64,
    /// The objective before the search and after each iteration.
    history: Vec<f64>,
    evaluations: usize,
    memories: VecDeque<Memory>,
    /// Weights and gradient before the iteration; the pair that is remembered next is made of them.
    before: Memory,
}

impl Run {
    fn new(start: Vec<f64>, l1: f64, vectors: Vectors) -> Self {
        let size = start.len();
        Self {
            l1,
            vectors,
            weights: start,
            gradient: vec![0.0; size],
            pseudo: vec![0.0; if l1 > 0.0 { size } else { 0 }],
            value: 0.0,
            history: Vec::new(),
            evaluations: 0,
            memories: VecDeque::new(),
            before: Memory::default(),
        }
    }

    fn begin(
        &mut self,
        evaluate: &mut impl FnMut(&[f64], &mut [f64]) -> Result<f64>,
    ) -> Result<()> {
        let smooth = evaluate(&self.weights, &mut self.gradient)?;
        self.evaluations = 1;
        self.value = smooth + self.penalty();
        if !self.value.is_finite() || largest_magnitude(&self.gradient).is_none() {
            return Err(Error::config(
                "the objective",
                "finite; divide the values of attributes by a constant, or start from smaller weights",
                self.value,
            ));
        }
        self.history.push(self.value);
        Ok(())
    }

    fn iteration(&self) -> usize {
        self.history.len() - 1
    }

    fn state<'s>(&'s self, norm: f64, save: &'s dyn Fn(&mut Snapshot)) -> State<'s> {
        State {
            iteration: self.iteration(),
            objective: self.value,
            gradient_norm: Some(norm),
            weights: &self.weights,
            save,
        }
    }

    fn save(&self, into: &mut Snapshot) {
        into.put("weights", self.weights.clone());
        into.put("gradient", self.gradient.clone());
        into.put("history", self.history.clone());
        for (number, memory) in self.memories.iter().enumerate() {
            into.put(format!("memory.{number}.s"), memory.s.clone());
            into.put(format!("memory.{number}.y"), memory.y.clone());
        }
    }

    fn restore(&mut self, from: &Snapshot) -> Result<()> {
        let size = self.weights.len();
        self.weights = from.sized("weights", size)?.to_vec();
        self.gradient = from.sized("gradient", size)?.to_vec();
        self.history = from.vector("history")?.to_vec();
        self.value = self.history.last().copied().unwrap_or(f64::NAN);
        for number in 0.. {
            let (s, y) = (format!("memory.{number}.s"), format!("memory.{number}.y"));
            if !from.has(&s) {
                break;
            }
            let (s, y) = (
                from.sized(&s, size)?.to_vec(),
                from.sized(&y, size)?.to_vec(),
            );
            let rho = 1.0 / self.vectors.dot(&s, &y);
            self.memories.push_back(Memory { s, y, rho });
        }
        if self.value.is_finite() {
            Ok(())
        } else {
            Err(Error::Model {
                part: "the checkpoint",
                problem: "has no history".to_owned(),
            })
        }
    }

    /// Back to where the iteration began.
    fn go_back(&mut self) {
        self.weights.copy_from_slice(&self.before.s);
        self.gradient.copy_from_slice(&self.before.y);
        self.value = self.history.last().copied().unwrap_or(self.value);
    }

    /// Why to stop here, if so.
    fn settled(&self, norm: f64, stopping: &Stopping) -> Option<Reason> {
        let size = self.vectors.dot(&self.weights, &self.weights).sqrt();
        if norm <= stopping.epsilon * size.max(1.0) {
            return Some(Reason::Gradient);
        }
        let earlier = self.iteration().checked_sub(stopping.period);
        let fall = earlier.map(|at| self.history[at] - self.value);
        let is_slow = |fall| stopping.period > 0 && fall < stopping.delta * self.value.abs();
        fall.is_some_and(is_slow).then_some(Reason::Objective)
    }

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

    /// One iteration; false when no lower point was found.
    fn iterate(
        &mut self,
        most: usize,
        norm: f64,
        evaluate: &mut impl FnMut(&[f64], &mut [f64]) -> Result<f64>,
    ) -> Result<bool> {
        let mut direction = self.direction();
        let mut slope = self.vectors.dot(&direction, self.slope());
        if slope >= 0.0 {
            // Rounding has spoilt the memory: start from the steepest descent.
            self.memories.clear();
            direction = self.slope().iter().map(|g| -g).collect();
            slope = -norm * norm;
        }
        let first = if self.memories.is_empty() {
            1.0 / norm
        } else {
            1.0
        };
        let mut before = std::mem::take(&mut self.before);
        before.s.clear();
        before.s.extend_from_slice(&self.weights);
        before.y.clear();
        before.y.extend_from_slice(&self.gradient);
        let start = Point {
            step: 0.0,
            value: self.value,
            slope,
        };
        let found = if self.l1 > 0.0 {
            self.backtrack(start, first, &before.s, &direction, evaluate)
        } else {
            self.descend(start, first, &before.s, &direction, evaluate)
        };
        self.before = before;
        if !found? {
            self.go_back();
            // Without memory the direction was the steepest descent already.
            let is_last = self.memories.is_empty();
            self.memories.clear();
            return if is_last {
                Ok(false)
            } else {
                self.iterate(most, norm, evaluate)
            };
        }
        self.remember(most);
        Ok(true)
    }

    /// Remembers the differences that an iteration has made.
    fn remember(&mut self, most: usize) {
        let Memory { s, y, rho } = &mut self.before;
        self.vectors.subtract_from(&self.weights, s);
        self.vectors.subtract_from(&self.gradient, y);
        let curvature = self.vectors.dot(s, y);
        if curvature > 0.0 {
            *rho = 1.0 / curvature;
            let oldest = if self.memories.len() >= most {
                self.memories.pop_front()
            } else {
                None
            };
            let newest = std::mem::replace(&mut self.before, oldest.unwrap_or_default());
            self.memories.push_back(newest);
        }
    }

    /// Minus the inverse Hessian times the gradient (Nocedal and Wright, algorithm 7.4).
    fn direction(&self) -> Vec<f64> {
        let memories = &self.memories;
        let mut direction: Vec<f64> = self.slope().iter().map(|g| -g).collect();
        let vectors = &self.vectors;
        let mut alphas = vec![0.0; memories.len()];
        let mut product = memories
            .back()
            .map_or(0.0, |last| vectors.dot(&last.s, &direction));
        for (at, memory) in memories.iter().enumerate().rev() {
            alphas[at] = memory.rho * product;
            // What is multiplied next: the s before, or at the end of the first loop the oldest y.
            let next = at.checked_sub(1).map_or(&memory.y, |at| &memories[at].s);
            product = vectors.add_then_dot(-alphas[at], &memory.y, &mut direction, next);
        }
        if let Some(last) = memories.back() {
            let scale = 1.0 / (last.rho * vectors.dot(&last.y, &last.y));
            vectors.multiply(scale, &mut direction);
            product *= scale;
        }
        for (at, memory) in memories.iter().enumerate() {
            let beta = memory.rho * product;
            let next = memories.get(at + 1).map_or(&memory.y, |next| &next.y);
            product = vectors.add_then_dot(alphas[at] - beta, &memory.s, &mut direction, next);
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
