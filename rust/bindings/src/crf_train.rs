//! Training of random fields across the border.
#![expect(
    clippy::needless_pass_by_value,
    reason = "pyo3 hands the arguments of a function over by value"
)]

use crate::crf::PyCrfData;
use crate::crf_model::{PyCrfModel, Vector, check_names};
use crate::run::interruptible;
use numpy::IntoPyArray;
use plait_core::crf::builder::Built;
use plait_core::crf::features::density;
use plait_core::crf::{
    FeatureOptions, Features, HeldOut, Likelihood, Model, Pairs, Stopping, TrainOptions, train,
};
use plait_core::error::{Error, Result};
use pyo3::prelude::*;
use std::sync::Arc;

/// Adds what this file offers to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(crf_train, module)?)?;
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

/// A model, the objective before and after each iteration, the norm of the gradient, evaluations, why it ended, and the share of right labels of held-out
/// data after each iteration.
type Trained<'py> = (
    PyCrfModel,
    Vector<'py>,
    f64,
    usize,
    &'static str,
    Vector<'py>,
);

/// Trains a model.
#[pyfunction]
#[pyo3(signature = (data, start=None, *, states, transitions, min_count, l1, l2, max_iterations, epsilon, delta, period, memory, threads, held_out=None, patience=0, progress=None))]
#[expect(
    clippy::too_many_arguments,
    reason = "one argument for each option, all by keyword"
)]
fn crf_train<'py>(
    py: Python<'py>,
    data: &PyCrfData,
    start: Option<&PyCrfModel>,
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
    threads: usize,
    held_out: Option<&PyCrfData>,
    patience: usize,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Trained<'py>> {
    let options = TrainOptions {
        l2,
        l1,
        stopping: Stopping {
            max_iterations,
            epsilon,
            delta,
            period,
            memory,
        },
    };
    let (data, start) = (&*data.0, start.map(|model| &*model.0));
    let held_out = held_out.map(|data| &*data.0);
    let (model, found, shares) = interruptible(py, progress, |cancel, progress| {
        options.check()?;
        let (features, counts) = collect(data, states, transitions, min_count)?;
        let weights = match start {
            None => vec![0.0; features.len()],
            Some(model) => {
                check_names(data, model)?;
                features.carry_over(model.features(), model.weights())
            }
        };
        let mut watch = held_out
            .map(|held_out| watch(data, &features, held_out, patience))
            .transpose()?;
        let found = train(
            &data.sequences,
            &features,
            &counts,
            weights,
            &options,
            threads,
            cancel,
            progress,
            |state| match &mut watch {
                Some(watch) => watch.see(state, threads, cancel),
                None => Ok(true),
            },
        )?;
        let (shares, best) = watch.map_or_else(Default::default, HeldOut::finish);
        let weights = best.unwrap_or_else(|| found.weights.clone());
        let model = Model::new(
            data.attributes.clone(),
            data.labels.clone(),
            features,
            weights,
        )?;
        Ok((model, found, shares))
    })?;
    Ok((
        PyCrfModel(Arc::new(model)),
        found.history.into_pyarray(py),
        found.gradient_norm,
        found.evaluations,
        found.reason.name(),
        shares.into_pyarray(py),
    ))
}

/// Held-out data must have the ids of the training data.
fn watch<'a>(
    data: &'a Built,
    features: &'a Features,
    held_out: &'a Built,
    patience: usize,
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
        patience,
    )
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
