//! How long work tells its caller how far it is. The core has no clock: speed and time left are the caller's to compute.

/// Receives progress. Calls come from the thread that runs the loop, in order, a few times a second at most per stage.
pub trait Progress: Sync {
    /// Work on `stage` has reached `done` of `total` units; `figures` are named numbers such as a log-likelihood.
    fn report(&self, stage: &str, done: u64, total: u64, figures: &[(&str, f64)]);
}

/// Says nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Progress for Silent {
    fn report(&self, _stage: &str, _done: u64, _total: u64, _figures: &[(&str, f64)]) {}
}
