//! The statistics files of Moses across the border: byte blocks in, arrays out, and back.
#![expect(
    clippy::needless_pass_by_value,
    reason = "pyo3 hands the arguments of a function over by value"
)]

use crate::errors::to_python;
use crate::run::interruptible;
use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use plait_core::error::Result;
use plait_core::minrisk::mert::statistics_files::{Blocks, Kind, Reader, write};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::{Mutex, PoisonError};

/// Adds what this file offers to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<StatisticsReader>()?;
    module.add_function(wrap_pyfunction!(write_feature_statistics, module)?)?;
    module.add_function(wrap_pyfunction!(write_score_statistics, module)?)?;
    module.add_function(wrap_pyfunction!(distinct_rows, module)?)
}

#[derive(Debug)]
enum AnyReader {
    Features(Reader<f64>),
    Scores(Reader<i64>),
}

/// Reads FEATSTAT or SCORESTAT from byte blocks.
#[pyclass(frozen, module = "plait._core")]
pub struct StatisticsReader(Mutex<Option<AnyReader>>);

/// Segments, starts, names, and the rows as a matrix.
type BlockArrays<'py> = (
    Bound<'py, PyArray1<u64>>,
    Bound<'py, PyArray1<u64>>,
    Vec<String>,
    Bound<'py, PyAny>,
);

#[pymethods]
impl StatisticsReader {
    #[new]
    fn new(scores: bool) -> Self {
        let reader = if scores {
            AnyReader::Scores(Reader::new(Kind::Scores))
        } else {
            AnyReader::Features(Reader::new(Kind::Features))
        };
        Self(Mutex::new(Some(reader)))
    }

    fn feed(&self, py: Python<'_>, block: &[u8]) -> PyResult<()> {
        let fed = py.detach(|| {
            let mut reader = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            match reader.as_mut()? {
                AnyReader::Features(reader) => Some(reader.feed(block)),
                AnyReader::Scores(reader) => Some(reader.feed(block)),
            }
        });
        fed.ok_or_else(finished)?
            .map_err(|error| to_python(py, &error))
    }

    /// The whole file.
    fn finish<'py>(&self, py: Python<'py>) -> PyResult<BlockArrays<'py>> {
        let reader = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        match reader.ok_or_else(finished)? {
            AnyReader::Features(reader) => to_arrays(py, reader.finish()),
            AnyReader::Scores(reader) => to_arrays(py, reader.finish()),
        }
    }
}

fn finished() -> PyErr {
    PyRuntimeError::new_err("this reader is finished")
}

fn to_arrays<T: numpy::Element>(
    py: Python<'_>,
    blocks: Result<Blocks<T>>,
) -> PyResult<BlockArrays<'_>> {
    let blocks = blocks.map_err(|error| to_python(py, &error))?;
    let rows = blocks.values.len() / blocks.width.max(1);
    let rows = Array2::from_shape_vec((rows, blocks.width), blocks.values);
    let rows = rows.map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok((
        blocks.segments.into_pyarray(py),
        blocks.starts.into_pyarray(py),
        blocks.names,
        rows.into_pyarray(py).into_any(),
    ))
}

/// The bytes of FEATSTAT.
#[pyfunction]
fn write_feature_statistics<'py>(
    py: Python<'py>,
    segments: Vec<u64>,
    starts: Vec<u64>,
    names: Vec<String>,
    features: PyReadonlyArray2<'py, f64>,
) -> PyResult<Bound<'py, PyBytes>> {
    let blocks = Blocks {
        segments,
        starts,
        names,
        width: features.shape()[1],
        values: features.as_slice()?.to_vec(),
    };
    written(py, move || write(Kind::Features, &blocks))
}

/// The bytes of SCORESTAT.
#[pyfunction]
fn write_score_statistics<'py>(
    py: Python<'py>,
    segments: Vec<u64>,
    starts: Vec<u64>,
    statistics: PyReadonlyArray2<'py, i64>,
) -> PyResult<Bound<'py, PyBytes>> {
    let blocks = Blocks {
        segments,
        starts,
        names: vec!["BLEU".to_owned()],
        width: statistics.shape()[1],
        values: statistics.as_slice()?.to_vec(),
    };
    written(py, move || write(Kind::Scores, &blocks))
}

fn written(py: Python<'_>, work: impl FnOnce() -> String + Send) -> PyResult<Bound<'_, PyBytes>> {
    let text = interruptible(py, None, |_, _| Ok(work()))?;
    Ok(PyBytes::new(py, text.as_bytes()))
}

/// Starts and numbers of rows.
type RowArrays<'py> = (Bound<'py, PyArray1<u64>>, Bound<'py, PyArray1<u64>>);

/// The numbers of the rows that are not the same as one before within their list, in the order that Moses' extractor leaves them in.
#[pyfunction]
fn distinct_rows<'py>(
    py: Python<'py>,
    starts: PyReadonlyArray1<'py, u64>,
    features: PyReadonlyArray2<'py, f64>,
) -> PyResult<RowArrays<'py>> {
    let width = features.shape()[1];
    let (starts, features) = (starts.as_slice()?, features.as_slice()?);
    let (starts, rows) =
        py.detach(|| plait_core::minrisk::mert::distinct_rows(starts, features, width));
    Ok((starts.into_pyarray(py), rows.into_pyarray(py)))
}
