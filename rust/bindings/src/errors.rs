//! Core errors as the Python classes of `plait.errors`.

use plait_core::error::Error;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

/// The Python exception for a core error: an instance of a class in `plait.errors`, carrying the error's data as keyword arguments.
pub fn to_python(py: Python<'_>, error: &Error) -> PyErr {
    build(py, error).unwrap_or_else(|failure| failure)
}

fn build(py: Python<'_>, error: &Error) -> PyResult<PyErr> {
    let errors = py.import("plait.errors")?;
    let data = pyo3::types::PyDict::new(py);
    let class = match error {
        Error::Text {
            line,
            column,
            problem,
            found,
        } => {
            data.set_item("line", line)?;
            data.set_item("column", column)?;
            data.set_item("problem", problem)?;
            data.set_item("found", found)?;
            "TextError"
        }
        Error::UnequalLength {
            shorter,
            shorter_len,
            longer,
            longer_len,
        } => {
            data.set_item("shorter", shorter)?;
            data.set_item("shorter_len", shorter_len)?;
            data.set_item("longer", longer)?;
            data.set_item("longer_len", longer_len)?;
            "UnequalLengthError"
        }
        Error::Config {
            name,
            expected,
            found,
        } => {
            data.set_item("name", name)?;
            data.set_item("expected", expected)?;
            data.set_item("found", found)?;
            "ConfigError"
        }
        Error::Cancelled => return Ok(PyKeyboardInterrupt::new_err(())),
        Error::Links { .. } | Error::Hypergraph { .. } | Error::Examples { .. } => {
            data.set_item("message", error.to_string())?;
            "DataError"
        }
        Error::Cycle { cycle, problem } => {
            data.set_item("cycle", cycle)?;
            data.set_item("problem", problem)?;
            data.set_item("message", error.to_string())?;
            "CycleError"
        }
        Error::Model { .. } => {
            data.set_item("message", format!("{error}; make the model again"))?;
            "ModelFileError"
        }
        Error::Storage { .. } => {
            data.set_item(
                "message",
                format!("{error}; make room for temporary files or choose another folder for them"),
            )?;
            "ResourceError"
        }
        Error::TooLarge { .. } | Error::Memory { .. } => {
            data.set_item("message", error.to_string())?;
            "ResourceError"
        }
        other => {
            data.set_item("message", other.to_string())?;
            "PlaitError"
        }
    };
    let instance = errors.getattr(class)?.call((), Some(&data))?;
    Ok(PyErr::from_value(instance))
}
