//! Examples of reordering models across the border: lines from phrase pairs, rows from lines.
#![expect(
    clippy::needless_pass_by_value,
    reason = "pyo3 hands the arguments of a function over by value"
)]

use crate::errors::to_python;
use crate::links::{BorrowedLinks, links_from_arrays};
use crate::reorder::choice;
use crate::run::interruptible;
use crate::text::PyBitext;
use numpy::{IntoPyArray, PyArray1};
use plait_core::error::Error;
use plait_core::phrase::Definition;
use plait_core::reorder::features::{self, Classes, Model, Options};
use plait_core::reorder::read::{self, ReadOptions};
use plait_core::text::Vocabulary;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};
use std::sync::{Mutex, PoisonError};

/// Adds what this file offers to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<ExampleReader>()?;
    module.add_function(wrap_pyfunction!(example_lines, module)?)
}

/// The lines of examples of the sentence pairs from `start` to `stop`, not included.
#[pyfunction]
#[pyo3(signature = (
    bitext, links, start, stop, *, max_length, compat, model, classes, direction, window, marks_sides, threads
))]
#[expect(
    clippy::too_many_arguments,
    reason = "one argument for each option, all by keyword"
)]
fn example_lines<'py>(
    py: Python<'py>,
    bitext: &PyBitext,
    links: BorrowedLinks<'py>,
    start: usize,
    stop: usize,
    max_length: usize,
    compat: &str,
    model: &str,
    classes: &str,
    direction: &str,
    window: usize,
    marks_sides: bool,
    threads: usize,
) -> PyResult<Bound<'py, PyBytes>> {
    // Lines that one thread writes at a time.
    const PIECE: usize = 256;
    let options = Options {
        max_length,
        definition: match compat {
            "strict" => Definition::Strict,
            "moses" => Definition::Moses,
            other => return Err(choice(py, "compat", "strict or moses", other)),
        },
        model: match model {
            "wbe" => Model::Word,
            "phrase" => Model::Phrase,
            "hier" => Model::Hier,
            other => return Err(choice(py, "model", "wbe, phrase or hier", other)),
        },
        classes: match classes {
            "msd" => Classes::Msd,
            "mslr" => Classes::Mslr,
            "monotonicity" => Classes::Monotonicity,
            other => return Err(choice(py, "classes", "msd, mslr or monotonicity", other)),
        },
        is_next: match direction {
            "backward" => false,
            "forward" => true,
            other => return Err(choice(py, "direction", "backward or forward", other)),
        },
        window,
        marks_sides,
    };
    let text = bitext.shared();
    let links = links_from_arrays(py, &links)?;
    let parts = interruptible(py, None, |cancel, _| {
        if links.len() != text.len() {
            let (text, links) = (text.len() as u64, links.len() as u64);
            let names = ["the text", "the alignment"];
            let is_text_shorter = text < links;
            return Err(Error::UnequalLength {
                shorter: names[usize::from(!is_text_shorter)],
                shorter_len: text.min(links),
                longer: names[usize::from(is_text_shorter)],
                longer_len: text.max(links),
            });
        }
        let stop = stop.min(text.len());
        let pieces = (start..stop)
            .step_by(PIECE)
            .map(|first| first..(first + PIECE).min(stop))
            .collect();
        plait_core::parallel::map(threads, cancel, pieces, |_, piece| {
            features::lines(&text, &links, piece, &options)
        })
    })?;
    Ok(PyBytes::new(py, &parts.concat()))
}

/// Reads lines of examples from byte blocks.
#[pyclass(frozen, module = "plait._core")]
struct ExampleReader(Mutex<Option<read::Reader>>);

#[pymethods]
impl ExampleReader {
    #[new]
    #[pyo3(signature = (*, least_count, identity, pairs, vocabulary=None, classes=None))]
    fn new(
        py: Python<'_>,
        least_count: u64,
        identity: bool,
        pairs: bool,
        vocabulary: Option<Vec<String>>,
        classes: Option<Vec<String>>,
    ) -> PyResult<Self> {
        let options = ReadOptions {
            least_count,
            has_identity: identity,
            keeps_pairs: pairs,
        };
        let reader = match (vocabulary, classes) {
            (Some(words), Some(classes)) => {
                read::Reader::for_model(options, &Vocabulary::from_words(words), classes)
                    .map_err(|error| to_python(py, &error))?
            }
            _ => read::Reader::new(options),
        };
        Ok(Self(Mutex::new(Some(reader))))
    }

    fn feed(&self, py: Python<'_>, block: &[u8]) -> PyResult<()> {
        py.detach(|| {
            let mut reader = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            reader.as_mut().map(|reader| reader.feed(block))
        })
        .ok_or_else(finished)?
        .map_err(|error| to_python(py, &error))
    }

    fn finish<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let found = py
            .detach(|| {
                let mut reader = self.0.lock().unwrap_or_else(PoisonError::into_inner);
                reader.take().map(read::Reader::finish)
            })
            .ok_or_else(finished)?
            .map_err(|error| to_python(py, &error))?;
        let dict = PyDict::new(py);
        dict.set_item("offsets", found.offsets.into_pyarray(py))?;
        dict.set_item("features", found.features.into_pyarray(py))?;
        dict.set_item("labels", found.labels.into_pyarray(py))?;
        dict.set_item("classes", found.classes)?;
        dict.set_item("vocabulary", PyList::new(py, found.vocabulary.words())?)?;
        dict.set_item("dropped", found.dropped)?;
        let pairs: Option<(Bound<'py, PyList>, Bound<'py, PyArray1<u32>>)> = match found.pairs {
            Some((names, of_row)) => {
                Some((PyList::new(py, names.words())?, of_row.into_pyarray(py)))
            }
            None => None,
        };
        dict.set_item("pairs", pairs)?;
        Ok(dict)
    }
}

pub fn finished() -> PyErr {
    PyRuntimeError::new_err("this reader is finished")
}
