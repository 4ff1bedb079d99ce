//! Offsets of ragged arrays across the border.

use crate::errors::to_python;
use numpy::PyReadonlyArray1;
use plait_core::error::Error;
use plait_core::numeric::{to_index, to_u64};
use pyo3::prelude::*;

/// Offsets as indices.
pub fn offsets(array: &PyReadonlyArray1<'_, u64>) -> PyResult<Vec<usize>> {
    Ok(array.as_slice()?.iter().map(|&n| to_index(n)).collect())
}

/// Offsets of ragged input that cut it.
pub fn cut(
    py: Python<'_>,
    name: &'static str,
    array: &PyReadonlyArray1<'_, u64>,
    end: usize,
) -> PyResult<Vec<usize>> {
    let found = offsets(array)?;
    if found.first() == Some(&0) && found.last() == Some(&end) && found.is_sorted() {
        return Ok(found);
    }
    let expected = format!("offsets that rise from 0 to {end}");
    Err(to_python(py, &Error::config(name, &expected, "others")))
}

/// Offsets for Python.
pub fn starts(offsets: &[usize]) -> Vec<u64> {
    offsets.iter().map(|&n| to_u64(n)).collect()
}
