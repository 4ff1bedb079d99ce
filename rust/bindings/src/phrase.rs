//! Phrase pairs across the border: blocks of lines in, blocks of lines or arrays out.
#![expect(
    clippy::needless_pass_by_value,
    reason = "pyo3 hands the arguments of a function over by value"
)]

use crate::errors::to_python;
use crate::links::{BorrowedLinks, links_from_arrays};
use crate::run::interruptible;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadwriteArray1};
use plait_core::error::Error;
use plait_core::phrase::corpus;
use plait_core::phrase::lines::{self, Block, Input, LineOptions, Misfit};
use plait_core::phrase::model::Column;
use plait_core::phrase::rules::{self, RuleOptions};
use plait_core::phrase::{Definition, Options};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::Mutex;

/// Lines of rules, and of the same turned around.
type RuleLines<'py> = (Bound<'py, PyBytes>, Bound<'py, PyBytes>);

/// Offsets, spans, previous and next: `uint64[m + 1]`, `uint16[n, 4]`, `uint8[n, 3]`, `uint8[n, 3]`.
type Columns<'py> = (
    Bound<'py, PyArray1<u64>>,
    Bound<'py, PyArray2<u16>>,
    Bound<'py, PyArray2<u8>>,
    Bound<'py, PyArray2<u8>>,
);

fn definition(compat: Option<&str>) -> Definition {
    match compat {
        Some(_) => Definition::Moses,
        None => Definition::Strict,
    }
}

/// Arrays of `NumPy` that lines are written to: one for each kind of lines.
type Arrays = [Py<PyArray1<u8>>; 3];

/// Lines of one kind: an array that begins with them, and their number of bytes.
type ArrayOfLines<'py> = (Bound<'py, PyArray1<u8>>, usize);

/// Writes the lines that Moses' `extract` writes, a block of the parallel files at a time, into arrays that it keeps.
#[pyclass(frozen)]
struct PhraseLineWriter {
    options: LineOptions,
    names: (String, String, String, String),
    threads: usize,
    arrays: Mutex<Vec<Arrays>>,
}

#[pymethods]
impl PhraseLineWriter {
    /// `names` are those of the files, for errors.
    #[new]
    #[pyo3(signature = (names, *, max_length=7, compat=None, models=vec![], phrases=true, single_words=false, sentence_ids=None, threads=1))]
    #[expect(clippy::too_many_arguments, reason = "options are keywords in Python")]
    fn new(
        py: Python<'_>,
        names: (String, String, String, String),
        max_length: usize,
        compat: Option<&str>,
        models: Vec<String>,
        phrases: bool,
        single_words: bool,
        sentence_ids: Option<u64>,
        threads: usize,
    ) -> PyResult<Self> {
        let build = || {
            let options = LineOptions {
                extract: Options {
                    max_length,
                    definition: definition(compat),
                },
                models: models
                    .iter()
                    .map(|name| name.parse::<Column>())
                    .collect::<Result<_, _>>()?,
                phrases,
                single_words,
                sentence_ids,
            };
            options.check().map(|()| options)
        };
        let options = build().map_err(|e| to_python(py, &e))?;
        Ok(Self {
            options,
            names,
            threads,
            arrays: Mutex::default(),
        })
    }

    /// Finds the lines for the same lines of the parallel files; returns the number of phrase pairs, and the lines, in parts: phrase pairs, the same
    /// turned around, orientations. The arrays are written to again by the next call.
    #[pyo3(signature = (target, source, alignment, weights=None, *, first_line=1))]
    fn run<'py>(
        &self,
        py: Python<'py>,
        target: &[u8],
        source: &[u8],
        alignment: &[u8],
        weights: Option<&[u8]>,
        first_line: u64,
    ) -> PyResult<(u64, Vec<[ArrayOfLines<'py>; 3]>)> {
        let block = Block {
            target,
            source,
            alignment,
            weights,
            first_line,
        };
        // Another call at the same time finds none, and makes its own.
        let kept = self
            .arrays
            .lock()
            .map(|mut held| std::mem::take(&mut *held))
            .unwrap_or_default();
        let parts = {
            let mut borrowed: Vec<[PyReadwriteArray1<'py, u8>; 3]> = kept
                .iter()
                .map(|arrays| arrays.each_ref().map(|array| array.bind(py).readwrite()))
                .collect();
            let rooms: Vec<[&mut [u8]; 3]> = borrowed
                .iter_mut()
                .map(|arrays| {
                    arrays
                        .each_mut()
                        .map(|array| array.as_slice_mut().unwrap_or_default())
                })
                .collect();
            interruptible(py, None, |cancel, _| {
                lines::write_into(block, &self.options, self.threads, cancel, rooms)
            })?
            .map_err(|misfit| of_file(py, &misfit, &self.names))?
        };
        let pairs = parts.iter().map(|part| part.pairs).sum();
        let mut kept = kept.into_iter();
        let mut arrays = Vec::new();
        let mut lines = Vec::new();
        for part in parts {
            let mut old = kept.next().map(|arrays| arrays.map(Some));
            let mut file = 0;
            let found = part.lines.map(|filled| {
                let lent = old.as_mut().and_then(|arrays| arrays[file].take());
                file += 1;
                match lent {
                    Some(lent) if filled.own.is_empty() => (lent.into_bound(py), filled.length),
                    _ => (filled.own.into_pyarray(py), filled.length),
                }
            });
            arrays.push(found.each_ref().map(|(array, _)| array.clone().unbind()));
            lines.push(found);
        }
        arrays.extend(kept);
        if let Ok(mut held) = self.arrays.lock() {
            *held = arrays;
        }
        Ok((pairs, lines))
    }
}

/// Limits of rules with gaps: the attributes of `plait.phrases.rules.RuleOptions`.
#[derive(FromPyObject)]
struct GivenRuleOptions {
    max_span: usize,
    min_gap_source: usize,
    min_gap_target: usize,
    min_words: usize,
    max_symbols_source: usize,
    max_symbols_target: usize,
    max_gaps: usize,
    neighbours: bool,
    whole_counts: bool,
}

/// The lines that Moses' `extract-rules` writes, and the same turned around, for the same lines of the parallel files.
#[pyfunction]
#[pyo3(signature = (target, source, alignment, weights=None, *, names, options, first_line=1, threads=1))]
#[expect(clippy::too_many_arguments, reason = "options are keywords in Python")]
fn extract_rule_lines<'py>(
    py: Python<'py>,
    target: &[u8],
    source: &[u8],
    alignment: &[u8],
    weights: Option<&[u8]>,
    names: (String, String, String, String),
    options: GivenRuleOptions,
    first_line: u64,
    threads: usize,
) -> PyResult<(Vec<RuleLines<'py>>, u64)> {
    let options = RuleOptions {
        max_span: options.max_span,
        min_gap_source: options.min_gap_source,
        min_gap_target: options.min_gap_target,
        min_words: options.min_words,
        max_symbols_source: options.max_symbols_source,
        max_symbols_target: options.max_symbols_target,
        max_gaps: options.max_gaps,
        neighbours: options.neighbours,
        whole_counts: options.whole_counts,
    };
    let block = Block {
        target,
        source,
        alignment,
        weights,
        first_line,
    };
    let written = interruptible(py, None, |cancel, _| {
        rules::write(block, &options, threads, cancel)
    })?
    .map_err(|misfit| of_file(py, &misfit, &names))?;
    let pairs = written.iter().map(|part| part.pairs).sum();
    let parts = written
        .iter()
        .map(|part| {
            (
                PyBytes::new(py, &part.direct),
                PyBytes::new(py, &part.inverse),
            )
        })
        .collect();
    Ok((parts, pairs))
}

/// The phrase pairs of a corpus in memory.
#[pyfunction]
#[pyo3(signature = (source_lengths, target_lengths, links, *, max_length=7, compat=None, threads=1, progress=None))]
#[expect(clippy::too_many_arguments, reason = "options are keywords in Python")]
fn extract_phrases<'py>(
    py: Python<'py>,
    source_lengths: PyReadonlyArray1<'py, u32>,
    target_lengths: PyReadonlyArray1<'py, u32>,
    links: BorrowedLinks<'py>,
    max_length: usize,
    compat: Option<&str>,
    threads: usize,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Columns<'py>> {
    let links = links_from_arrays(py, &links)?;
    let (sources, targets) = (source_lengths.as_slice()?, target_lengths.as_slice()?);
    let options = Options {
        max_length,
        definition: definition(compat),
    };
    let pairs = interruptible(py, progress, |cancel, progress| {
        corpus::extract(
            sources, targets, &links, &options, threads, cancel, progress,
        )
    })?;
    let rows = pairs.spans.len();
    let flat = |codes: Vec<[u8; 3]>| codes.into_flattened().into_pyarray(py).reshape([rows, 3]);
    Ok((
        pairs.offsets.into_pyarray(py),
        pairs
            .spans
            .into_flattened()
            .into_pyarray(py)
            .reshape([rows, 4])?,
        flat(pairs.previous)?,
        flat(pairs.next)?,
    ))
}

/// The error with the name of the parallel file that it was found in.
fn of_file(
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
    named(py, error, name)
}

/// The error with the name of its file.
pub fn named(py: Python<'_>, error: &Error, name: &str) -> PyErr {
    let plain = to_python(py, error);
    plain
        .value(py)
        .call_method1("at", (name,))
        .map_or(plain, PyErr::from_value)
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PhraseLineWriter>()?;
    module.add_function(wrap_pyfunction!(extract_phrases, module)?)?;
    module.add_function(wrap_pyfunction!(extract_rule_lines, module)?)?;
    Ok(())
}
