//! Passes over the data in a random order of their own, for learners that change weights after every few sequences.

use super::dataset::Sequences;
use super::observer::{Minimum, Observer, State};
use super::snapshot::Snapshot;
use super::stopping::{Reason, Stopping};
use crate::error::{Error, Result};
use crate::numeric::{to_f64, to_index, to_u64};
use crate::rng::Stream;

/// Sequences that are sorted by length together, so that a batch has sequences of like length.
const WINDOW: usize = 512;

/// Keys of random streams.
const SEQUENCES: u64 = 0x5345_5155;
const BATCHES: u64 = 0x4241_5443;

/// What learns by passes.
pub(super) trait Learner {
    /// Makes the pass with this number, from 1; returns what the history says of it.
    fn pass(&mut self, number: usize) -> Result<f64>;
    /// The weights so far.
    fn weights(&self) -> Vec<f64>;
    /// What the next pass depends on.
    fn save(&self, into: &mut Snapshot);
    /// Goes on from there.
    fn restore(&mut self, from: &Snapshot) -> Result<()>;
}

/// Makes passes until what the history records falls no more.
///
/// # Errors
/// Those of the learner and of the observer; [`Error::Model`] when the snapshot is not one of this learner.
pub(super) fn learn(
    learner: &mut impl Learner,
    stopping: &Stopping,
    resume: Option<&Snapshot>,
    observer: &mut dyn Observer,
) -> Result<Minimum> {
    let mut history = Vec::new();
    if let Some(snapshot) = resume {
        history = snapshot.vector("history")?.to_vec();
        learner.restore(snapshot)?;
    }
    let mut ended = settled(&history, stopping);
    if ended.is_none() && observer.is_over(history.len()) {
        ended = Some(Reason::Caller);
    }
    // Where the last pass ended: an interrupt leaves the learner in the middle of one.
    let mut last: Option<(Vec<f64>, Snapshot)> = None;
    while ended.is_none() && history.len() < stopping.max_iterations {
        match learner.pass(history.len() + 1) {
            Ok(value) => history.push(value),
            Err(Error::Cancelled) => {
                if let Some((weights, snapshot)) = &last {
                    let save = |into: &mut Snapshot| into.clone_from(snapshot);
                    observer.stop(&state(&history, weights, &save))?;
                }
                return Err(Error::Cancelled);
            }
            Err(error) => return Err(error),
        }
        let weights = learner.weights();
        let save = |into: &mut Snapshot| {
            into.put("history", history.clone());
            learner.save(into);
        };
        let goes_on = observer.see(&state(&history, &weights, &save))?;
        ended = settled(&history, stopping);
        if !goes_on {
            ended = Some(Reason::Caller);
        }
        if observer.hears_stop() {
            let mut snapshot = Snapshot::default();
            save(&mut snapshot);
            last = Some((weights, snapshot));
        }
    }
    Ok(Minimum {
        weights: learner.weights(),
        evaluations: history.len(),
        history,
        objective: None,
        gradient_norm: None,
        reason: ended.unwrap_or(Reason::Iterations),
    })
}

fn state<'s>(history: &[f64], weights: &'s [f64], save: &'s dyn Fn(&mut Snapshot)) -> State<'s> {
    State {
        iteration: history.len(),
        objective: history.last().copied().unwrap_or_default(),
        gradient_norm: None,
        weights,
        save,
    }
}

/// Why to stop, if so: what the history records is 0, or fell by too little during a period.
fn settled(history: &[f64], stopping: &Stopping) -> Option<Reason> {
    let &last = history.last()?;
    let before = history.len().checked_sub(stopping.period + 1);
    let earlier = before.filter(|_| stopping.period > 0).map(|at| history[at]);
    let is_slow = |earlier: f64| earlier - last < stopping.delta * last.abs();
    (last == 0.0 || earlier.is_some_and(is_slow)).then_some(Reason::Objective)
}

/// The sequences that are not empty, in the order of a pass.
pub(super) fn shuffled(data: &Sequences, seed: u64, pass: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..data.len())
        .filter(|&number| !data.get(number).is_empty())
        .collect();
    shuffle(&mut order, Stream::new(&[seed, SEQUENCES, to_u64(pass)]));
    order
}

/// Batches of up to so many sequences of like length, the longest first in each, in the order of a pass.
pub(super) fn batches(data: &Sequences, seed: u64, pass: usize, size: usize) -> Vec<Vec<usize>> {
    let mut order = shuffled(data, seed, pass);
    let mut made: Vec<Vec<usize>> = Vec::new();
    for window in order.chunks_mut(WINDOW.max(size)) {
        window.sort_by_key(|&number| std::cmp::Reverse(data.get(number).len()));
        made.extend(window.chunks(size).map(<[usize]>::to_vec));
    }
    shuffle(&mut made, Stream::new(&[seed, BATCHES, to_u64(pass)]));
    made
}

/// Fisher and Yates's shuffle.
fn shuffle<T>(items: &mut [T], stream: Stream) {
    for last in (1..items.len()).rev() {
        // Lists longer than 2^32 would be shuffled within their beginning only.
        let bound = u32::try_from(last + 1).unwrap_or(u32::MAX);
        items.swap(last, to_index(u64::from(stream.below(to_u64(last), bound))));
    }
}

/// A part of a whole.
pub(super) fn share(part: usize, whole: usize) -> f64 {
    to_f64(to_u64(part)) / to_f64(to_u64(whole.max(1)))
}

#[cfg(test)]
mod tests {
    use super::super::testing::tiny;
    use super::*;

    #[test]
    fn a_pass_has_every_sequence_once_and_its_own_order() {
        let (data, _, _) = tiny(40);
        let flat = |pass, size| batches(&data, 7, pass, size).concat();
        let mut sorted = flat(1, 16);
        assert_ne!(sorted, flat(2, 16));
        assert_eq!(sorted, flat(1, 16));
        assert_ne!(sorted, batches(&data, 8, 1, 16).concat());
        sorted.sort_unstable();
        let all: Vec<usize> = (0..data.len())
            .filter(|&number| !data.get(number).is_empty())
            .collect();
        assert_eq!(sorted, all);
    }

    #[test]
    fn the_longest_sequence_of_a_batch_comes_first() {
        let (data, _, _) = tiny(40);
        for batch in batches(&data, 1, 1, 5) {
            let lengths: Vec<usize> = batch.iter().map(|&n| data.get(n).len()).collect();
            assert!(lengths.is_sorted_by(|a, b| a >= b), "{lengths:?}");
        }
    }
}
