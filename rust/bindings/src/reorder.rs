//! Reordering models across the border: training, scores, counts.
#![expect(
    clippy::needless_pass_by_value,
    reason = "pyo3 hands the arguments of a function over by value"
)]

use crate::errors::to_python;
use crate::run::interruptible;
use numpy::{IntoPyArray, PyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1};
use plait_core::error::{Error, Result};
use plait_core::reorder::bayes::{Counts, Inference, NaiveBayes};
use plait_core::reorder::information::Information;
use plait_core::reorder::weights::normalize;
use plait_core::reorder::{Examples, Rows, Weights, dual, primal};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::Arc;

/// Adds what this file offers to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<FeatureCounts>()?;
    module.add_function(wrap_pyfunction!(check_rows, module)?)?;
    module.add_function(wrap_pyfunction!(train_dual, module)?)?;
    module.add_function(wrap_pyfunction!(train_primal, module)?)?;
    module.add_function(wrap_pyfunction!(linear_scores, module)?)
}

/// Offsets, features, values or None, number of features.
type RowArrays<'py> = (
    PyReadonlyArray1<'py, u64>,
    PyReadonlyArray1<'py, u32>,
    Option<PyReadonlyArray1<'py, f64>>,
    usize,
);

/// The same as slices, which threads may read.
#[derive(Clone, Copy)]
struct RowSlices<'a>(&'a [u64], &'a [u32], Option<&'a [f64]>, usize);

impl<'a> RowSlices<'a> {
    fn new(arrays: &'a RowArrays<'_>) -> PyResult<Self> {
        let values = arrays.2.as_ref().map(|values| values.as_slice());
        Ok(Self(
            arrays.0.as_slice()?,
            arrays.1.as_slice()?,
            values.transpose()?,
            arrays.3,
        ))
    }

    fn checked(self) -> Result<Rows<'a>> {
        Rows::new(self.0, self.1, self.2, self.3)
    }
}

/// Fails unless these arrays are rows.
#[pyfunction]
fn check_rows(py: Python<'_>, rows: RowArrays<'_>) -> PyResult<()> {
    let rows = RowSlices::new(&rows)?;
    interruptible(py, None, |_, _| rows.checked().map(|_| ()))
}

/// Trains in the dual.
#[pyfunction]
#[pyo3(signature = (
    rows, labels, classes, *, sigma2, epsilon, shrink, unshrink, tolerance, passes, trials, start, method, bias, seed, keeps_dual=false, progress=None
))]
#[expect(
    clippy::too_many_arguments,
    clippy::fn_params_excessive_bools,
    reason = "one argument for each option, all by keyword"
)]
fn train_dual<'py>(
    py: Python<'py>,
    rows: RowArrays<'py>,
    labels: PyReadonlyArray1<'py, u32>,
    classes: usize,
    sigma2: f64,
    epsilon: f64,
    shrink: bool,
    unshrink: bool,
    tolerance: f64,
    passes: u32,
    trials: u32,
    start: Option<f64>,
    method: &str,
    bias: bool,
    seed: u64,
    keeps_dual: bool,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let method = match method {
        "eg" => dual::Method::ExponentiatedGradient,
        "block" => dual::Method::Block,
        other => return Err(choice(py, "method", "eg or block", other)),
    };
    let options = dual::Options {
        sigma2,
        epsilon,
        shrink,
        unshrink,
        tolerance,
        passes,
        trials,
        start,
        method,
        bias,
        seed,
        keeps_dual,
    };
    let (rows, labels) = (RowSlices::new(&rows)?, labels.as_slice()?);
    let found = interruptible(py, progress, |cancel, progress| {
        let examples = Examples::new(rows.checked()?, labels, classes)?;
        dual::train(examples, &options, cancel, progress)
    })?;
    let passes = &found.passes;
    let checks = &found.checks;
    let dict = PyDict::new(py);
    dict.set_item("weights", matrix(py, found.weights.values, classes)?)?;
    dict.set_item("log_alpha", matrix(py, found.log_alpha, classes)?)?;
    dict.set_item(
        "active",
        passes.iter().map(|p| p.active).collect::<Vec<_>>(),
    )?;
    dict.set_item("falls", passes.iter().map(|p| p.fall).collect::<Vec<_>>())?;
    dict.set_item("stuck", passes.iter().map(|p| p.stuck).collect::<Vec<_>>())?;
    let checks: Vec<_> = checks
        .iter()
        .map(|c| (c.pass, c.primal, c.dual, c.violators, c.violation))
        .collect();
    dict.set_item("checks", checks)?;
    dict.set_item("has_converged", found.has_converged)?;
    Ok(dict)
}

/// Weights, examples seen, and the mean loss of each epoch.
type Descended<'py> = (Bound<'py, PyArray2<f64>>, u64, Vec<f64>);

/// Trains by stochastic gradient descent, from zero or on from some weights.
#[pyfunction]
#[pyo3(signature = (rows, labels, classes, weights, *, seen, total, sigma2, rate, epochs, bias, seed, progress=None))]
#[expect(
    clippy::too_many_arguments,
    reason = "one argument for each option, all by keyword"
)]
fn train_primal<'py>(
    py: Python<'py>,
    rows: RowArrays<'py>,
    labels: PyReadonlyArray1<'py, u32>,
    classes: usize,
    weights: Option<PyReadonlyArray1<'py, f64>>,
    seen: u64,
    total: u64,
    sigma2: f64,
    rate: f64,
    epochs: u32,
    bias: bool,
    seed: u64,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Descended<'py>> {
    let options = primal::Options {
        sigma2,
        rate,
        epochs,
        bias,
        seed,
    };
    let (rows, labels) = (RowSlices::new(&rows)?, labels.as_slice()?);
    let start = weights
        .as_ref()
        .map(|weights| weights.as_slice())
        .transpose()?;
    let mut seen = seen;
    let (weights, losses) = interruptible(py, progress, |cancel, progress| {
        let examples = Examples::new(rows.checked()?, labels, classes)?;
        let mut weights = match start {
            Some(start) => Weights::new(start.to_vec(), rows.3, classes, bias)?,
            None => Weights::zeros(rows.3, classes, bias),
        };
        let losses = primal::train(
            examples,
            &mut weights,
            &mut seen,
            total,
            &options,
            cancel,
            progress,
        )?;
        Ok((weights, losses))
    })?;
    Ok((matrix(py, weights.values, classes)?, seen, losses))
}

/// The scores of a linear model, or the logarithms of its probabilities: float64[rows, classes].
#[pyfunction]
#[pyo3(signature = (rows, weights, classes, *, bias, normalized, threads))]
fn linear_scores<'py>(
    py: Python<'py>,
    rows: RowArrays<'py>,
    weights: PyReadonlyArray1<'py, f64>,
    classes: usize,
    bias: bool,
    normalized: bool,
    threads: usize,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let (rows, weights) = (RowSlices::new(&rows)?, weights.as_slice()?);
    let scores = interruptible(py, None, |cancel, _| {
        let weights = Weights::new(weights.to_vec(), rows.3, classes, bias)?;
        let mut scores = weights.scores(rows.checked()?, threads, cancel)?;
        if normalized {
            normalize(&mut scores, classes);
        }
        Ok(scores)
    })?;
    matrix(py, scores, classes)
}

/// How often each feature occurred with each class. Immutable; counting more makes another one.
#[pyclass(frozen, module = "plait._core")]
struct FeatureCounts(Arc<Counts>);

/// Mutual information of each feature, its entropy, and that of the class.
type InformationArrays<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>, f64);

/// Logarithms by feature and class, and by class.
type LogArrays<'py> = (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray1<f64>>);

#[pymethods]
impl FeatureCounts {
    #[new]
    #[pyo3(signature = (columns, classes, *, values))]
    fn new(columns: usize, classes: usize, values: bool) -> Self {
        Self(Arc::new(Counts::new(columns, classes, values)))
    }

    /// Counts from a model file, without those of values.
    #[staticmethod]
    fn from_arrays(
        py: Python<'_>,
        examples: PyReadonlyArray1<'_, u64>,
        sums: PyReadonlyArray1<'_, f64>,
    ) -> PyResult<Self> {
        let (examples, sums) = (examples.as_slice()?, sums.as_slice()?);
        let made = Counts::from_sums(examples.to_vec(), sums.to_vec());
        made.map(|counts| Self(Arc::new(counts)))
            .map_err(|error| to_python(py, &error))
    }

    fn counted(
        &self,
        py: Python<'_>,
        rows: RowArrays<'_>,
        labels: PyReadonlyArray1<'_, u32>,
    ) -> PyResult<Self> {
        let (rows, labels) = (RowSlices::new(&rows)?, labels.as_slice()?);
        let start = Arc::clone(&self.0);
        let counts = interruptible(py, None, |cancel, _| {
            let examples = Examples::new(rows.checked()?, labels, start.classes())?;
            let mut counts = Counts::clone(&start);
            counts.add(examples, cancel)?;
            Ok(counts)
        })?;
        Ok(Self(Arc::new(counts)))
    }

    fn merged(&self, py: Python<'_>, other: &Self) -> PyResult<Self> {
        let mut counts = Counts::clone(&self.0);
        counts
            .merge(&other.0)
            .map_err(|error| to_python(py, &error))?;
        Ok(Self(Arc::new(counts)))
    }

    #[getter]
    fn examples<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u64>> {
        PyArray::from_slice(py, &self.0.examples)
    }

    #[getter]
    fn sums<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        matrix(py, self.0.sums.clone(), self.0.classes())
    }

    fn information<'py>(&self, py: Python<'py>) -> PyResult<InformationArrays<'py>> {
        let counts = Arc::clone(&self.0);
        let found = interruptible(py, None, |_, _| Information::new(&counts))?;
        Ok((
            found.mutual.into_pyarray(py),
            found.entropies.into_pyarray(py),
            found.class_entropy,
        ))
    }

    /// log q or log alpha of each feature and class, and the log-prior.
    fn logs<'py>(
        &self,
        py: Python<'py>,
        alpha: PyReadonlyArray1<'py, f64>,
        inference: &str,
    ) -> PyResult<LogArrays<'py>> {
        let inference = inference_of(py, inference)?;
        let model = NaiveBayes::new(&self.0, alpha.as_slice()?, inference)
            .map_err(|error| to_python(py, &error))?;
        Ok((
            matrix(py, model.logs().to_vec(), self.0.classes())?,
            PyArray::from_slice(py, model.log_prior()),
        ))
    }

    /// The joint or the posterior log-probabilities of the classes: float64[rows, classes].
    #[pyo3(signature = (rows, *, alpha, inference, normalized, threads))]
    fn scores<'py>(
        &self,
        py: Python<'py>,
        rows: RowArrays<'py>,
        alpha: PyReadonlyArray1<'py, f64>,
        inference: &str,
        normalized: bool,
        threads: usize,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let inference = inference_of(py, inference)?;
        let (rows, alpha) = (RowSlices::new(&rows)?, alpha.as_slice()?);
        let counts = Arc::clone(&self.0);
        let scores = interruptible(py, None, |cancel, _| {
            let model = NaiveBayes::new(&counts, alpha, inference)?;
            let rows = rows.checked()?;
            if normalized {
                model.log_posterior(rows, threads, cancel)
            } else {
                model.joint(rows, threads, cancel)
            }
        })?;
        matrix(py, scores, self.0.classes())
    }
}

fn inference_of(py: Python<'_>, name: &str) -> PyResult<Inference> {
    match name {
        "map" => Ok(Inference::Map),
        "bayesian" => Ok(Inference::Bayesian),
        other => Err(choice(py, "inference", "map or bayesian", other)),
    }
}

/// The error of a name that is none of the choices.
pub fn choice(py: Python<'_>, name: &'static str, expected: &str, found: &str) -> PyErr {
    to_python(
        py,
        &Error::Config {
            name,
            expected: expected.to_owned(),
            found: format!("'{found}'"),
        },
    )
}

fn matrix(py: Python<'_>, values: Vec<f64>, columns: usize) -> PyResult<Bound<'_, PyArray2<f64>>> {
    let rows = values.len() / columns.max(1);
    values.into_pyarray(py).reshape([rows, columns])
}
