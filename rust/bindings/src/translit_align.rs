//! Alignment of pairs of words across the border.
#![expect(
    clippy::needless_pass_by_value,
    reason = "pyo3 hands the arguments of a function over by value"
)]

use crate::errors::to_python;
use crate::run::interruptible;
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use plait_core::error::{Error, Result};
use plait_core::numeric::{to_index, to_u64};
use plait_core::translit::{
    AlignOptions, Alignment, Limits, Method, Unalignable, Units, Words, align,
};
use pyo3::prelude::*;

/// Adds what this file offers to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(align_words, module)?)
}

/// Ragged arrays: where each run starts, and what is in all of them.
pub type Ragged<'py> = (Bound<'py, PyArray1<u64>>, Bound<'py, PyArray1<u32>>);

/// Ragged arrays that Python hands over.
pub type GivenRagged<'py> = (PyReadonlyArray1<'py, u64>, PyReadonlyArray1<'py, u32>);

/// Source chunks of units, target chunks, units of pairs, scores, pairs without alignment with reasons, log-likelihoods.
type Found<'py> = (
    Ragged<'py>,
    Ragged<'py>,
    Ragged<'py>,
    Bound<'py, PyArray1<f64>>,
    Vec<(usize, &'static str)>,
    Vec<f64>,
);

/// Starts as indices; a copy.
pub fn starts_of(array: &PyReadonlyArray1<'_, u64>) -> PyResult<Vec<usize>> {
    Ok(array.as_slice()?.iter().map(|&n| to_index(n)).collect())
}

/// Ragged arrays for Python.
pub fn ragged<'py>(py: Python<'py>, starts: &[usize], values: Vec<u32>) -> Ragged<'py> {
    let starts: Vec<u64> = starts.iter().map(|&n| to_u64(n)).collect();
    (starts.into_pyarray(py), values.into_pyarray(py))
}

/// The chunks of all units, of one side.
pub fn chunks<'py>(py: Python<'py>, units: &Units, of_source: bool) -> Ragged<'py> {
    let (mut starts, mut symbols) = (vec![0], Vec::new());
    for unit in (0u32..).take(units.len()) {
        let (source, target) = units.get(unit);
        symbols.extend_from_slice(if of_source { source } else { target });
        starts.push(symbols.len());
    }
    ragged(py, &starts, symbols)
}

fn method_of(name: &str) -> Result<Method> {
    match name {
        "em" => Ok(Method::Em),
        "viterbi" => Ok(Method::Viterbi),
        other => Err(Error::config("method", "'em' or 'viterbi'", other)),
    }
}

fn reason(why: Unalignable) -> &'static str {
    match why {
        Unalignable::EmptySource => "empty source",
        Unalignable::EmptyTarget => "empty target",
        Unalignable::Limits => "limits",
        Unalignable::TooLong => "too long",
    }
}

/// Cuts pairs of words into units.
#[pyfunction]
#[pyo3(signature = (
    sources, targets, *, max_source, max_target, many_to_many, deletions, insertions, method, iterations, soft_iterations, sparsity, length_penalty,
    tolerance, threads, progress=None
))]
#[expect(
    clippy::too_many_arguments,
    reason = "one argument for each option, all by keyword"
)]
fn align_words<'py>(
    py: Python<'py>,
    sources: GivenRagged<'py>,
    targets: GivenRagged<'py>,
    max_source: usize,
    max_target: usize,
    many_to_many: bool,
    deletions: bool,
    insertions: bool,
    method: &str,
    iterations: usize,
    soft_iterations: usize,
    sparsity: f64,
    length_penalty: f64,
    tolerance: f64,
    threads: usize,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Found<'py>> {
    let options = AlignOptions {
        limits: Limits {
            max_source,
            max_target,
            many_to_many,
            deletions,
            insertions,
        },
        method: method_of(method).map_err(|error| to_python(py, &error))?,
        iterations,
        soft_iterations,
        sparsity,
        length_penalty,
        tolerance,
    };
    let (source_starts, target_starts) = (starts_of(&sources.0)?, starts_of(&targets.0)?);
    let (source_symbols, target_symbols) = (sources.1.as_slice()?, targets.1.as_slice()?);
    let found: Alignment = interruptible(py, progress, |cancel, progress| {
        let sources = Words::new(&source_starts, source_symbols)?;
        let targets = Words::new(&target_starts, target_symbols)?;
        align(sources, targets, &options, threads, cancel, progress)
    })?;
    let unalignable = found.unalignable.iter();
    Ok((
        chunks(py, &found.units, true),
        chunks(py, &found.units, false),
        ragged(py, &found.starts, found.ids),
        found.scores.into_pyarray(py),
        unalignable
            .map(|&(pair, why)| (pair, reason(why)))
            .collect(),
        found.history,
    ))
}
