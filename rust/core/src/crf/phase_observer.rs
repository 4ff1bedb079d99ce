//! What an observer of a whole training sees of one of its phases.

use super::phases::PHASES;
use super::scope::Pruned;
use super::snapshot::Snapshot;
use super::{Observer, State};
use crate::error::Result;
use crate::numeric::{to_f64, to_u64};
use crate::progress::Progress;
use std::cell::Cell;

/// Counts iterations on from earlier phases, adds these to snapshots, and tells progress.
pub(super) struct PhaseObserver<'a> {
    pub inner: &'a mut dyn Observer,
    pub stage: &'static str,
    /// Iterations of earlier phases.
    pub earlier: usize,
    /// The most iterations of all phases.
    pub total: usize,
    /// The earlier phases as numbers.
    pub done: Vec<f64>,
    /// What evaluations since the last iteration may have lost, where they may.
    pub lost: Option<&'a Cell<Pruned>>,
    /// The same of the last iteration.
    pub last: Pruned,
    pub progress: &'a dyn Progress,
}

impl PhaseObserver<'_> {
    /// Calls `with` with the state as one of the whole training.
    fn shown<R>(
        &mut self,
        state: &State<'_>,
        with: impl FnOnce(&mut dyn Observer, &State<'_>) -> R,
    ) -> R {
        let done = &self.done;
        let save = |into: &mut Snapshot| {
            (state.save)(into);
            into.put(PHASES, done.clone());
        };
        let iteration = self.earlier + state.iteration;
        with(
            self.inner,
            &State {
                iteration,
                save: &save,
                ..*state
            },
        )
    }
}

impl Observer for PhaseObserver<'_> {
    fn see(&mut self, state: &State<'_>) -> Result<bool> {
        let mut figures = vec![("objective", state.objective)];
        figures.extend(state.gradient_norm.map(|norm| ("gradient", norm)));
        if let Some(lost) = self.lost {
            self.last = lost.take();
            figures.extend([
                ("objective_error", self.last.objective),
                ("gradient_error", self.last.gradient),
                ("pruned_sequences", to_f64(self.last.sequences)),
            ]);
        }
        let goes_on = self.shown(state, |inner, state| inner.see(state))?;
        figures.extend(self.inner.score().map(|score| ("dev", score)));
        let done = to_u64(self.earlier + state.iteration);
        self.progress
            .report(self.stage, done, to_u64(self.total), &figures);
        Ok(goes_on)
    }

    fn stop(&mut self, state: &State<'_>) -> Result<()> {
        self.shown(state, |inner, state| inner.stop(state))
    }

    fn hears_stop(&self) -> bool {
        self.inner.hears_stop()
    }

    fn is_over(&self, iteration: usize) -> bool {
        self.inner.is_over(self.earlier + iteration)
    }
}
