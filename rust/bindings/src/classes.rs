//! Word classes across the border.

use crate::errors::to_python;
use crate::run::interruptible;
use crate::text::PyBitext;
use numpy::{IntoPyArray, PyArray1};
use plait_core::error::Error;
use plait_core::text::classes::{ClassOptions, MAX_CLASSES, MAX_RUNS, cluster};
use pyo3::prelude::*;

/// Adds what this file offers to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("MAX_CLASSES", MAX_CLASSES)?;
    module.add("MAX_RUNS", MAX_RUNS)?;
    module.add_function(wrap_pyfunction!(cluster_words, module)?)
}

/// The class of each word type by id, the number of classes, F in nats before and after each iteration, and the number of predictions.
type Found<'py> = (Bound<'py, PyArray1<u16>>, u16, Vec<f64>, u64);

/// Finds classes for the words of one side.
#[pyfunction]
#[pyo3(signature = (bitext, side, *, classes, iterations, runs, seed, threads, progress=None))]
#[expect(
    clippy::too_many_arguments,
    reason = "one argument for each option, all by keyword"
)]
fn cluster_words<'py>(
    py: Python<'py>,
    bitext: &PyBitext,
    side: &str,
    classes: u16,
    iterations: u32,
    runs: u32,
    seed: u64,
    threads: usize,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Found<'py>> {
    let is_source = match side {
        "source" => true,
        "target" => false,
        other => {
            let error = Error::Config {
                name: "side",
                expected: "'source' or 'target'".to_owned(),
                found: format!("'{other}'"),
            };
            return Err(to_python(py, &error));
        }
    };
    let options = ClassOptions {
        classes,
        iterations,
        runs,
        seed,
    };
    let text = bitext.shared();
    let found = interruptible(py, progress, |cancel, progress| {
        let side = if is_source {
            text.source()
        } else {
            text.target()
        };
        cluster(side, &options, threads, cancel, progress)
    })?;
    Ok((
        found.classes.into_pyarray(py),
        found.count,
        found.history,
        found.events,
    ))
}
