//! When a search ends, and why it did.

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
