//! Random fields of other programs across the border.

use crate::crf_model::PyCrfModel;
use crate::run::interruptible;
use plait_core::crf::crfpp::{self, CrfppReader};
use plait_core::crf::crfsuite;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::Arc;

/// Bytes of text between two looks at whether to go on.
const BLOCK: usize = 1 << 20;

/// Adds what this file offers to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(crf_read_crfsuite, module)?)?;
    module.add_function(wrap_pyfunction!(crf_write_crfsuite, module)?)?;
    module.add_function(wrap_pyfunction!(crf_read_crfpp, module)?)
}

/// The model in the bytes of a file of `CRFsuite`.
#[pyfunction]
fn crf_read_crfsuite(py: Python<'_>, bytes: &[u8]) -> PyResult<PyCrfModel> {
    let model = interruptible(py, None, |_, _| crfsuite::read(bytes))?;
    Ok(PyCrfModel(Arc::new(model)))
}

/// A model as the bytes of a file of `CRFsuite`.
#[pyfunction]
fn crf_write_crfsuite<'py>(py: Python<'py>, model: &PyCrfModel) -> PyResult<Bound<'py, PyBytes>> {
    let model = &*model.0;
    let bytes = interruptible(py, None, |_, _| crfsuite::write(model))?;
    Ok(PyBytes::new(py, &bytes))
}

/// The model in the bytes of a file of CRF++, binary or text, its templates, and the number of columns before the label.
#[pyfunction]
fn crf_read_crfpp(py: Python<'_>, bytes: &[u8]) -> PyResult<(PyCrfModel, String, usize)> {
    let found = interruptible(py, None, |cancel, _| {
        if crfpp::is_binary(bytes) {
            return crfpp::read(bytes);
        }
        let mut reader = CrfppReader::default();
        for block in bytes.chunks(BLOCK) {
            cancel.check()?;
            reader.feed(block)?;
        }
        reader.finish()
    })?;
    let template = found.template.text().to_owned();
    Ok((PyCrfModel(Arc::new(found.model)), template, found.columns))
}
