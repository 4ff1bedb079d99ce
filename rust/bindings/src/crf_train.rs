//! Training of random fields across the border.
#![allow(
    clippy::needless_pass_by_value,
    reason = "pyo3 hands the arguments of a function over by value"
)]

use crate::buffers::{View, numbers, view_of};
use crate::crf::PyCrfData;
use crate::crf_model::{PyCrfModel, Vector, check_names};
use crate::crf_phases::{PhaseRow, Source, phase_row};
use crate::run::interruptible;
use numpy::{IntoPyArray, PyReadonlyArray2};
use plait_core::cancel::CancelToken;
use plait_core::crf::builder::Built;
use plait_core::crf::features::density;
use plait_core::crf::{
    Algorithm, FeatureOptions, Features, HeldOut, Likelihood, Measure, Model, Observer, Pairs,
    Restriction, Snapshot, State, Stopping, TrainOptions, Watch, Work, fingerprint,
    train_in_phases,
};
use plait_core::error::{Error, Result};
use pyo3::buffer::PyBuffer;
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Adds what this file offers to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(crf_train, module)?)?;
    module.add_function(wrap_pyfunction!(crf_fingerprint, module)?)?;
    module.add_function(wrap_pyfunction!(crf_gradient, module)?)
}

fn pairs(name: &'static str, text: &str) -> Result<Pairs> {
    match text {
        "observed" => Ok(Pairs::Observed),
        "all" => Ok(Pairs::All),
        "none" => Ok(Pairs::None),
        other => Err(Error::config(
            name,
            "'observed', 'all' or 'none'",
            format!("'{other}'"),
        )),
    }
}

/// Which pairs have weights, and what the data has of them.
fn collect(
    data: &Built,
    states: &str,
    transitions: &str,
    min_count: f64,
) -> Result<(Features, Vec<f64>)> {
    if data.sequences.positions() == 0 {
        return Err(Error::config(
            "the training data",
            "at least one position with a label",
            "none",
        ));
    }
    if !data.sequences.is_labelled() && data.sequences.allowed().is_none() {
        return Err(Error::config(
            "the training data",
            "labelled at each position, or with allowed labels",
            "a position without a label",
        ));
    }
    let options = FeatureOptions {
        states: pairs("states", states)?,
        transitions: pairs("transitions", transitions)?,
        min_count,
    };
    Features::collect(
        &data.sequences,
        data.attributes.len(),
        data.labels.len(),
        &options,
    )
}

/// A model, the history, the objective and the norm of its gradient if they are known, why training ended, the scores of held-out data, and phases if there are several.
type Trained = (
    PyCrfModel,
    Vec<f64>,
    Option<f64>,
    Option<f64>,
    &'static str,
    Vec<f64>,
    Vec<PhaseRow>,
);

/// Named vectors of a checkpoint.
type Parts<'py> = BTreeMap<String, View<'py>>;

/// Trains a model. `keep(parts)` writes a checkpoint: after an iteration when the last one is `keep_seconds` old, and at an interrupt; it is called on another thread.
#[pyfunction]
#[pyo3(signature = (data, start=None, *, algorithm="lbfgs", states, transitions, min_count, l1, l2, max_iterations, epsilon, delta, period, memory, batch=16, rate=None, seed=1, warm_passes=0, posterior_beam=0.0, candidates=None, candidate_labels=None, warm_start_candidates=0, threads,
    held_out=None, dev_score="accuracy", dev_every=1, patience=None, resume=None, keep=None, keep_seconds=60.0, progress=None))]
#[expect(
    clippy::too_many_arguments,
    clippy::too_many_lines,
    reason = "one argument for each option, all by keyword"
)]
fn crf_train<'py>(
    py: Python<'py>,
    data: &PyCrfData,
    start: Option<&PyCrfModel>,
    algorithm: &str,
    states: &str,
    transitions: &str,
    min_count: f64,
    l1: f64,
    l2: f64,
    max_iterations: usize,
    epsilon: f64,
    delta: f64,
    period: usize,
    memory: usize,
    batch: usize,
    rate: Option<f64>,
    seed: u64,
    warm_passes: usize,
    posterior_beam: f64,
    candidates: Option<&str>,
    candidate_labels: Option<PyReadonlyArray2<'py, bool>>,
    warm_start_candidates: usize,
    threads: usize,
    held_out: Option<&PyCrfData>,
    dev_score: &str,
    dev_every: usize,
    patience: Option<usize>,
    resume: Option<BTreeMap<String, PyBuffer<f64>>>,
    keep: Option<Py<PyAny>>,
    keep_seconds: f64,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Trained> {
    let resume = resume.map(|parts| snapshot(py, parts)).transpose()?;
    let (data, start) = (&*data.0, start.map(|model| &*model.0));
    let held_out = held_out.map(|data| &*data.0);
    let source = Source {
        prefix: candidates,
        claims: candidate_labels
            .as_ref()
            .map(|array| array.as_slice())
            .transpose()?,
    };
    let fault = Mutex::new(None);
    let result = interruptible(py, progress, |cancel, progress| {
        let options = TrainOptions {
            algorithm: Algorithm::named(algorithm)?,
            l2,
            l1,
            stopping: Stopping {
                max_iterations,
                epsilon,
                delta,
                period,
                memory,
            },
            batch,
            rate,
            seed,
            warm_passes,
        };
        options.check()?;
        let watch = Watch {
            measure: Measure::named(dev_score)?,
            every: dev_every,
            patience,
        };
        let (features, counts) = collect(data, states, transitions, min_count)?;
        let sets = source.training(data, &features)?;
        let weights = match start {
            None => vec![0.0; features.len()],
            Some(model) => {
                check_names(data, model)?;
                features.carry_over(model.features(), model.weights())
            }
        };
        let mut watcher = Watcher {
            held_out: held_out
                .map(|held_out| watch_over(data, &features, held_out, watch))
                .transpose()?,
            threads,
            cancel,
            keep: keep.as_ref(),
            every: Duration::try_from_secs_f64(keep_seconds).unwrap_or(Duration::MAX),
            kept: Instant::now(),
            fault: &fault,
        };
        if warm_start_candidates == 0
            && let Some(held_out) = held_out
            && let Some(sets) = source.held_out(held_out, &features)?
        {
            watcher.held_out = watcher
                .held_out
                .map(|held_out| held_out.with_candidates(&sets))
                .transpose()?;
        }
        if let (Some(held_out), Some(snapshot)) = (&mut watcher.held_out, &resume) {
            held_out.restore(snapshot)?;
        }
        let work = Work {
            threads,
            cancel,
            progress,
        };
        let restriction = Restriction {
            candidates: sets.as_ref(),
            warm_iterations: warm_start_candidates,
            beam: posterior_beam,
        };
        let (found, phases) = train_in_phases(
            &data.sequences,
            &features,
            &counts,
            weights,
            &options,
            &restriction,
            resume.as_ref(),
            work,
            &mut watcher,
        )?;
        let (scores, best) = watcher
            .held_out
            .map_or_else(Default::default, HeldOut::finish);
        let weights = best.unwrap_or_else(|| found.weights.clone());
        let model = Model::new(
            data.attributes.clone(),
            data.labels.clone(),
            features,
            weights,
        )?;
        Ok((model, found, scores, phases))
    });
    if let Some(fault) = fault.into_inner().unwrap_or_default() {
        return Err(fault);
    }
    let (model, found, scores, phases) = result?;
    Ok((
        PyCrfModel(Arc::new(model)),
        found.history,
        found.objective,
        found.gradient_norm,
        found.reason.name(),
        scores,
        phases.iter().map(phase_row).collect(),
    ))
}

fn snapshot(py: Python<'_>, parts: BTreeMap<String, PyBuffer<f64>>) -> PyResult<Snapshot> {
    let parts = parts
        .into_iter()
        .map(|(name, shown)| Ok((name, numbers(py, &shown)?)))
        .collect::<PyResult<_>>()?;
    Ok(Snapshot::from_parts(parts))
}

/// What looks at each iteration: labels held-out data, writes checkpoints.
struct Watcher<'a> {
    held_out: Option<HeldOut<'a>>,
    threads: usize,
    cancel: &'a CancelToken,
    keep: Option<&'a Py<PyAny>>,
    every: Duration,
    /// When the last checkpoint was written.
    kept: Instant,
    /// What went wrong there.
    fault: &'a Mutex<Option<PyErr>>,
}

impl Watcher<'_> {
    fn write(&mut self, state: &State<'_>) -> Result<()> {
        let Some(keep) = self.keep else {
            return Ok(());
        };
        let mut snapshot = state.snapshot();
        if let Some(held_out) = &self.held_out {
            held_out.save(&mut snapshot);
        }
        let written = Python::attach(|py| {
            let parts = snapshot
                .into_parts()
                .into_iter()
                .map(|(name, numbers)| Ok((name, view_of(py, &numbers)?)))
                .collect::<PyResult<Parts<'_>>>()?;
            keep.call1(py, (parts,)).map(drop)
        });
        self.kept = Instant::now();
        written.map_err(|error| {
            if let Ok(mut fault) = self.fault.lock() {
                *fault = Some(error);
            }
            Error::Cancelled
        })
    }
}

impl Observer for Watcher<'_> {
    fn see(&mut self, state: &State<'_>) -> Result<bool> {
        let mut goes_on = true;
        if let Some(held_out) = &mut self.held_out {
            // A checkpoint must know the score of its iteration: the labelling is not broken off.
            let never = CancelToken::new();
            let cancel = if self.keep.is_some() {
                &never
            } else {
                self.cancel
            };
            goes_on = held_out.see(state.iteration, state.weights, self.threads, cancel)?;
        }
        if self.cancel.is_cancelled() || self.kept.elapsed() >= self.every {
            self.write(state)?;
        }
        self.cancel.check()?;
        Ok(goes_on)
    }

    fn stop(&mut self, state: &State<'_>) -> Result<()> {
        self.write(state)
    }

    fn hears_stop(&self) -> bool {
        self.keep.is_some()
    }

    fn score(&self) -> Option<f64> {
        self.held_out.as_ref().and_then(HeldOut::score)
    }

    fn is_over(&self, iteration: usize) -> bool {
        let held_out = self.held_out.as_ref();
        held_out.is_some_and(|held_out| held_out.is_over(iteration))
    }
}

/// Held-out data must have the ids of the training data.
fn watch_over<'a>(
    data: &Built,
    features: &Features,
    held_out: &'a Built,
    watch: Watch,
) -> Result<HeldOut<'a>> {
    let is_same = held_out.attributes.starts_with(&data.attributes)
        && held_out.labels.starts_with(&data.labels);
    if !is_same {
        return Err(Error::config(
            "held_out",
            "sequences with the names of the training data",
            "others",
        ));
    }
    HeldOut::new(
        &data.attributes,
        &data.labels,
        features,
        &held_out.sequences,
        watch,
    )
}

/// A number that tells training data apart, in hexadecimal.
#[pyfunction]
fn crf_fingerprint(py: Python<'_>, data: &PyCrfData) -> PyResult<String> {
    let data = &*data.0;
    let number = interruptible(py, None, |_, _| Ok(fingerprint(data)))?;
    Ok(format!("{number:016x}"))
}

/// Minus the log-likelihood of labelled sequences under a model, its gradient by pair in the order of the model's weights, and the share of pairs of labels with a weight.
#[pyfunction]
#[pyo3(signature = (model, data, *, repeat=1, threads))]
fn crf_gradient<'py>(
    py: Python<'py>,
    model: &PyCrfModel,
    data: &PyCrfData,
    repeat: usize,
    threads: usize,
) -> PyResult<(f64, Vector<'py>, f64)> {
    let (model, data) = (&*model.0, &*data.0);
    let (value, gradient) = interruptible(py, None, |cancel, _| {
        check_names(data, model)?;
        let features = model.features();
        let counts = features.count(&data.sequences)?;
        let likelihood = Likelihood::new(&data.sequences, features, &counts)?;
        let mut gradient = vec![0.0; features.len()];
        let mut value = 0.0;
        for _ in 0..repeat {
            value = likelihood.evaluate(model.weights(), &mut gradient, threads, cancel)?;
        }
        Ok((value, gradient))
    })?;
    Ok((value, gradient.into_pyarray(py), density(model.features())))
}
