//! Features of the edges of a hypergraph, as Python gives them.

use crate::errors::to_python;
use numpy::{PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use plait_core::hypergraph::Features;
use pyo3::prelude::*;

/// A matrix, or (starts, ids, values, count).
#[derive(FromPyObject)]
pub enum FeatureArrays<'py> {
    Dense(PyReadonlyArray2<'py, f64>),
    Sparse(
        PyReadonlyArray1<'py, u64>,
        PyReadonlyArray1<'py, u32>,
        PyReadonlyArray1<'py, f64>,
        usize,
    ),
}

impl FeatureArrays<'_> {
    pub fn checked(&self, py: Python<'_>, edges: usize) -> PyResult<Features<'_>> {
        let features = match self {
            Self::Dense(matrix) => Features::Dense {
                values: matrix.as_slice()?,
                count: matrix.shape()[1],
            },
            Self::Sparse(starts, ids, values, count) => Features::Sparse {
                starts: starts.as_slice()?,
                ids: ids.as_slice()?,
                values: values.as_slice()?,
                count: *count,
            },
        };
        features
            .check(edges)
            .map_err(|error| to_python(py, &error))?;
        Ok(features)
    }
}
