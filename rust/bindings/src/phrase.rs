//! Phrase pairs across the border: blocks of lines in, blocks of lines or arrays out.
#![expect(
    clippy::needless_pass_by_value,
    reason = "pyo3 hands the arguments of a function over by value"
)]

use crate::errors::to_python;
use crate::run::interruptible;
use plait_core::phrase::lines::{self, Block, Input, LineOptions, Misfit};
use plait_core::phrase::model::Column;
use plait_core::phrase::{Definition, Options};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// Lines of phrase pairs, of the same turned around, and of orientations.
type Lines<'py> = (
    Bound<'py, PyBytes>,
    Bound<'py, PyBytes>,
    Bound<'py, PyBytes>,
);

pub fn definition(compat: Option<&str>) -> Definition {
    match compat {
        Some(_) => Definition::Moses,
        None => Definition::Strict,
    }
}

/// The lines that Moses' `extract` writes, for the same lines of the parallel files; `names` are those of the files, for errors.
#[pyfunction]
#[pyo3(signature = (target, source, alignment, weights=None, *, names, first_line=1, max_length=7, compat=None, models=vec![], phrases=true, sentence_ids=None, threads=1))]
#[expect(clippy::too_many_arguments, reason = "options are keywords in Python")]
fn extract_lines<'py>(
    py: Python<'py>,
    target: &[u8],
    source: &[u8],
    alignment: &[u8],
    weights: Option<&[u8]>,
    names: (String, String, String, String),
    first_line: u64,
    max_length: usize,
    compat: Option<&str>,
    models: Vec<String>,
    phrases: bool,
    sentence_ids: Option<u64>,
    threads: usize,
) -> PyResult<(Vec<Lines<'py>>, u64)> {
    let models = models
        .iter()
        .map(|name| name.parse::<Column>())
        .collect::<Result<Vec<Column>, _>>()
        .map_err(|e| to_python(py, &e))?;
    let options = LineOptions {
        extract: Options {
            max_length,
            definition: definition(compat),
        },
        models,
        phrases,
        sentence_ids,
    };
    let block = Block {
        target,
        source,
        alignment,
        weights,
        first_line,
    };
    let written = interruptible(py, None, |cancel, _| {
        lines::write(block, &options, threads, cancel)
    })?
    .map_err(|misfit| named(py, &misfit, &names))?;
    let pairs = written.iter().map(|part| part.pairs).sum();
    let bytes = |text: &[u8]| PyBytes::new(py, text);
    let parts = written
        .iter()
        .map(|part| {
            (
                bytes(&part.direct),
                bytes(&part.inverse),
                bytes(&part.orientations),
            )
        })
        .collect();
    Ok((parts, pairs))
}

/// The error with the name of its file.
fn named(
    py: Python<'_>,
    (input, error): &Misfit,
    names: &(String, String, String, String),
) -> PyErr {
    let name = match input {
        Input::Target => &names.0,
        Input::Source => &names.1,
        Input::Alignment => &names.2,
        Input::Weights => &names.3,
    };
    let plain = to_python(py, error);
    plain
        .value(py)
        .call_method1("at", (name,))
        .map_or(plain, PyErr::from_value)
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(extract_lines, module)?)?;
    Ok(())
}
