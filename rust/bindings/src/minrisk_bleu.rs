//! BLEU across the border.
#![expect(
    clippy::needless_pass_by_value,
    reason = "pyo3 hands the arguments of a function over by value"
)]

use crate::errors::to_python;
use crate::run::interruptible;
use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray2};
use plait_core::error::Error;
use plait_core::minrisk::bleu::{BleuOptions, ReferenceLength, Smoothing, score, text_statistics};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;

/// Adds what this file offers to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(bleu_statistics, module)?)?;
    module.add_function(wrap_pyfunction!(bleu_scores, module)?)
}

/// The statistics of each hypothesis, against the lines of its segment in all streams of references.
#[pyfunction]
#[pyo3(signature = (hypotheses, references, segments, *, order, reference_length, threads))]
fn bleu_statistics<'py>(
    py: Python<'py>,
    hypotheses: Vec<PyBackedStr>,
    references: Vec<Vec<Option<PyBackedStr>>>,
    segments: Vec<usize>,
    order: usize,
    reference_length: &str,
    threads: usize,
) -> PyResult<Bound<'py, PyArray2<i64>>> {
    let length = match reference_length {
        "closest" => ReferenceLength::Closest,
        "shortest" => ReferenceLength::Shortest,
        "average" => ReferenceLength::Average,
        other => {
            let expected = "'closest', 'shortest' or 'average'";
            let error = Error::config("reference_length", expected, format!("'{other}'"));
            return Err(to_python(py, &error));
        }
    };
    let options = BleuOptions {
        order,
        length,
        threads,
    };
    let lines: Vec<&str> = hypotheses.iter().map(|line| &**line).collect();
    let count = references.first().map_or(0, Vec::len);
    let of = |segment: usize| {
        let lines = references.iter().filter_map(|stream| stream.get(segment));
        lines.flatten().map(|line| &**line).collect()
    };
    let by_segment: Vec<Vec<&str>> = (0..count).map(of).collect();
    let found = interruptible(py, None, |cancel, _| {
        text_statistics(&lines, &by_segment, &segments, options, cancel)
    })?;
    let rows = Array2::from_shape_vec((lines.len(), 2 * order + 1), found);
    let rows = rows.map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok(rows.into_pyarray(py))
}

/// BLEU of each row of statistics.
#[pyfunction]
#[pyo3(signature = (statistics, *, smoothing, value, is_effective))]
fn bleu_scores<'py>(
    py: Python<'py>,
    statistics: PyReadonlyArray2<'py, f64>,
    smoothing: &str,
    value: f64,
    is_effective: bool,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let smoothing = match smoothing {
        "none" => Smoothing::None,
        "floor" => Smoothing::Floor(value),
        "add-k" => Smoothing::AddK(value),
        "exp" => Smoothing::Exp,
        other => {
            let expected = "'none', 'floor', 'add-k' or 'exp'";
            let error = Error::config("smoothing", expected, format!("'{other}'"));
            return Err(to_python(py, &error));
        }
    };
    let rows = statistics.as_array();
    let columns = rows.ncols();
    if columns < 3 || columns.is_multiple_of(2) {
        let expected = "2 order + 1 numbers a row";
        let error = Error::config("statistics", expected, format!("{columns} columns"));
        return Err(to_python(py, &error));
    }
    let scores = rows.rows().into_iter().map(|row| {
        let row: Vec<f64> = row.iter().copied().collect();
        score(&row, smoothing, is_effective)
    });
    Ok(scores.collect::<Vec<f64>>().into_pyarray(py))
}
