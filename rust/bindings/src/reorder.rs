//! Linear reordering models across the border: training, scores.
#![expect(
    clippy::needless_pass_by_value,
    reason = "pyo3 hands the arguments of a function over by value"
)]

use crate::errors::to_python;
use crate::run::interruptible;
use numpy::{
    Element, IntoPyArray, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2,
    PyUntypedArrayMethods,
};
use plait_core::error::{Error, Result};
use plait_core::reorder::further::Further;
use plait_core::reorder::weights::normalize;
use plait_core::reorder::{Examples, Rows, Weights, dual, primal};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Adds what this file offers to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(check_rows, module)?)?;
    module.add_function(wrap_pyfunction!(train_dual, module)?)?;
    module.add_function(wrap_pyfunction!(train_primal, module)?)?;
    module.add_function(wrap_pyfunction!(linear_scores, module)?)
}

/// Offsets, features, values or None, number of features.
pub type RowArrays<'py> = (
    PyReadonlyArray1<'py, u64>,
    PyReadonlyArray1<'py, u32>,
    Option<PyReadonlyArray1<'py, f64>>,
    usize,
);

/// The same as slices, which threads may read.
#[derive(Clone, Copy)]
pub struct RowSlices<'a>(&'a [u64], &'a [u32], Option<&'a [f64]>, usize);

impl<'a> RowSlices<'a> {
    /// Borrows the arrays.
    pub fn new(arrays: &'a RowArrays<'_>) -> PyResult<Self> {
        let values = arrays.2.as_ref().map(|values| values.as_slice());
        Ok(Self(
            arrays.0.as_slice()?,
            arrays.1.as_slice()?,
            values.transpose()?,
            arrays.3,
        ))
    }

    /// The rows, if they are.
    pub fn checked(self) -> Result<Rows<'a>> {
        Rows::new(self.0, self.1, self.2, self.3)
    }
}

/// Fails unless these arrays are rows.
#[pyfunction]
fn check_rows(py: Python<'_>, rows: RowArrays<'_>) -> PyResult<()> {
    let rows = RowSlices::new(&rows)?;
    interruptible(py, None, |_, _| rows.checked().map(|_| ()))
}

/// Trains in the dual. `further` are more features of each example, one row each, and how many there could be.
#[pyfunction]
#[pyo3(signature = (
    rows, labels, classes, *, sigma2, epsilon, shrink, unshrink, tolerance, passes, trials, start, method, bias, seed, further=None, keeps_dual=false, progress=None
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
    further: Option<(PyReadonlyArray2<'py, u32>, usize)>,
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
    let more = match &further {
        Some((features, columns)) => Some((features.as_slice()?, features.shape()[1], *columns)),
        None => None,
    };
    let found = interruptible(py, progress, |cancel, progress| {
        let examples = Examples::new(rows.checked()?, labels, classes)?;
        let further = more
            .map(|(features, of_each, columns)| Further::new(examples, features, of_each, columns))
            .transpose()?;
        dual::train(examples, further, &options, cancel, progress)
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

/// Values as a matrix of so many columns.
pub fn matrix<T: Element>(
    py: Python<'_>,
    values: Vec<T>,
    columns: usize,
) -> PyResult<Bound<'_, PyArray2<T>>> {
    let rows = values.len() / columns.max(1);
    values.into_pyarray(py).reshape([rows, columns])
}
