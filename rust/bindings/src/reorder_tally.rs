//! Counts of lines of examples across the border, block by block.

use crate::errors::to_python;
use crate::reorder::matrix;
use crate::reorder_counts::FeatureCounts;
use crate::reorder_examples::finished;
use plait_core::reorder::read::{ReadOptions, Tally};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use std::sync::{Arc, Mutex, PoisonError};

/// Adds what this file offers to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<ExampleTally>()
}

/// Counts lines of examples from byte blocks.
#[pyclass(frozen, module = "plait._core")]
struct ExampleTally(Mutex<Option<Tally>>);

#[pymethods]
impl ExampleTally {
    #[new]
    #[pyo3(signature = (*, least_count, identity, pairs, values))]
    fn new(least_count: u64, identity: bool, pairs: bool, values: bool) -> Self {
        let options = ReadOptions {
            least_count,
            has_identity: identity,
            keeps_pairs: pairs,
        };
        Self(Mutex::new(Some(Tally::new(options, values))))
    }

    fn feed(&self, py: Python<'_>, block: &[u8]) -> PyResult<()> {
        py.detach(|| {
            let mut tally = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            tally.as_mut().map(|tally| tally.feed(block))
        })
        .ok_or_else(finished)?
        .map_err(|error| to_python(py, &error))
    }

    fn finish<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let found = py
            .detach(|| {
                let mut tally = self.0.lock().unwrap_or_else(PoisonError::into_inner);
                tally.take().map(Tally::finish)
            })
            .ok_or_else(finished)?
            .map_err(|error| to_python(py, &error))?;
        let dict = PyDict::new(py);
        let classes = found.classes.len();
        dict.set_item("classes", found.classes)?;
        dict.set_item("vocabulary", PyList::new(py, found.vocabulary.words())?)?;
        dict.set_item("counts", FeatureCounts(Arc::new(found.counts)))?;
        dict.set_item("examples", found.examples)?;
        dict.set_item("unknown", found.unknown)?;
        dict.set_item("dropped", found.dropped)?;
        let pairs = match found.pairs {
            Some((names, counts)) => Some((
                PyList::new(py, names.words())?,
                matrix(py, counts, classes)?,
            )),
            None => None,
        };
        dict.set_item("pairs", pairs)?;
        Ok(dict)
    }
}
