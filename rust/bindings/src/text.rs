//! Corpora: byte blocks in, arrays and words out.

use crate::errors::to_python;
use crate::run::interruptible;
use numpy::{IntoPyArray, PyArray1};
use plait_core::error::{Error, Result};
use plait_core::ids::WordId;
use plait_core::text::{self, OnError, Side, TextOptions, Vocabulary};
use pyo3::exceptions::{PyIndexError, PyMemoryError, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::{Arc, PoisonError, RwLock};

// The default below is a literal, so that Python's signature shows the number.
const _: () = assert!(text::MAX_LENGTH == 65_534);

/// Adds the classes of this file to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("MAX_LENGTH", text::MAX_LENGTH)?;
    module.add_class::<PyBitextBuilder>()?;
    module.add_class::<PyBitext>()
}

/// Reads a corpus from byte blocks. The two sides may be fed from two threads.
#[pyclass(frozen, name = "BitextBuilder", module = "plait._core")]
pub struct PyBitextBuilder {
    /// Feeding shares it, finishing takes it.
    builder: RwLock<Option<text::BitextBuilder>>,
}

#[pymethods]
impl PyBitextBuilder {
    #[new]
    #[pyo3(signature = (*, lowercase=false, stem_source=0, stem_target=0, max_length=65_534, on_error="strict", keep_text=false))]
    fn new(
        py: Python<'_>,
        lowercase: bool,
        stem_source: i32,
        stem_target: i32,
        max_length: u32,
        on_error: &str,
        keep_text: bool,
    ) -> PyResult<Self> {
        let build = || {
            text::BitextBuilder::new(TextOptions {
                lowercase,
                stem_source,
                stem_target,
                max_length,
                on_error: on_error_of(on_error)?,
                keep_text,
            })
        };
        let builder = build().map_err(|error| to_python(py, &error))?;
        Ok(Self {
            builder: RwLock::new(Some(builder)),
        })
    }

    fn feed_source(&self, py: Python<'_>, block: &[u8]) -> PyResult<()> {
        self.feed(py, |builder| builder.feed_source(block))
    }

    fn feed_target(&self, py: Python<'_>, block: &[u8]) -> PyResult<()> {
        self.feed(py, |builder| builder.feed_target(block))
    }

    fn feed_joint(&self, py: Python<'_>, block: &[u8]) -> PyResult<()> {
        self.feed(py, |builder| builder.feed_joint(block))
    }

    fn feed_tsv(
        &self,
        py: Python<'_>,
        block: &[u8],
        source_column: usize,
        target_column: usize,
    ) -> PyResult<()> {
        self.feed(py, |builder| {
            builder.feed_columns(block, source_column, target_column)
        })
    }

    fn end_source(&self, py: Python<'_>) -> PyResult<()> {
        self.feed(py, text::BitextBuilder::end_source)
    }

    fn end_target(&self, py: Python<'_>) -> PyResult<()> {
        self.feed(py, text::BitextBuilder::end_target)
    }

    fn end_joint(&self, py: Python<'_>) -> PyResult<()> {
        self.feed(py, text::BitextBuilder::end_joint)
    }

    fn skip_pair(&self, py: Python<'_>) -> PyResult<()> {
        self.feed(py, text::BitextBuilder::skip_pair)
    }

    fn finish(&self, py: Python<'_>) -> PyResult<PyBitext> {
        let finished = py.detach(|| {
            let builder = self
                .builder
                .write()
                .unwrap_or_else(PoisonError::into_inner)
                .take();
            builder.map(text::BitextBuilder::finish)
        });
        match finished {
            Some(Ok(bitext)) => Ok(PyBitext::from(bitext)),
            Some(Err(error)) => Err(to_python(py, &error)),
            None => Err(already_finished()),
        }
    }
}

impl PyBitextBuilder {
    fn feed(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&text::BitextBuilder) -> Result<()> + Send,
    ) -> PyResult<()> {
        let done = py.detach(|| {
            let builder = self.builder.read().unwrap_or_else(PoisonError::into_inner);
            builder.as_ref().map(work)
        });
        match done {
            Some(result) => result.map_err(|error| to_python(py, &error)),
            None => Err(already_finished()),
        }
    }
}

/// A corpus of sentence pairs.
#[pyclass(frozen, name = "Bitext", module = "plait._core")]
pub struct PyBitext {
    inner: Arc<text::Bitext>,
}

impl From<text::Bitext> for PyBitext {
    fn from(bitext: text::Bitext) -> Self {
        Self {
            inner: Arc::new(bitext),
        }
    }
}

impl PyBitext {
    /// The corpus, shared with whoever trains on it.
    #[allow(dead_code, reason = "the aligner's file takes it")]
    pub fn shared(&self) -> Arc<text::Bitext> {
        Arc::clone(&self.inner)
    }
}

#[pymethods]
impl PyBitext {
    #[staticmethod]
    fn concatenate(py: Python<'_>, a: &Self, b: &Self) -> PyResult<Self> {
        py.detach(|| text::Bitext::concatenate(&a.inner, &b.inner))
            .map(Self::from)
            .map_err(|error| to_python(py, &error))
    }

    fn __len__(&self) -> usize {
        self.inner.len()
    }

    /// Cells, and an estimate of the different pairs of words among them.
    fn co_occurrence(&self, py: Python<'_>, threads: usize) -> PyResult<(u64, u64)> {
        let bitext = self.shared();
        interruptible(py, None, move |cancel, _| {
            let found = text::co_occurrence::co_occurrence(&bitext, threads, cancel)?;
            Ok((found.cells, found.pairs))
        })
    }

    fn counts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let counts = self.inner.counts();
        let dict = PyDict::new(py);
        for (name, count) in [
            ("pairs", counts.pairs),
            ("empty", counts.empty),
            ("too_long", counts.too_long),
            ("skipped", counts.skipped),
            ("replaced", counts.replaced),
            ("source_tokens", counts.source_tokens),
            ("target_tokens", counts.target_tokens),
            ("source_types", counts.source_types),
            ("target_types", counts.target_types),
        ] {
            dict.set_item(name, count)?;
        }
        Ok(dict)
    }

    fn source(&self, n: isize) -> PyResult<Vec<&str>> {
        words(self.inner.source(), n)
    }

    fn target(&self, n: isize) -> PyResult<Vec<&str>> {
        words(self.inner.target(), n)
    }

    fn source_ids<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<u32>>> {
        ids(py, self.inner.source())
    }

    fn target_ids<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<u32>>> {
        ids(py, self.inner.target())
    }

    fn source_offsets<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u64>> {
        PyArray1::from_slice(py, self.inner.source().offsets())
    }

    fn target_offsets<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u64>> {
        PyArray1::from_slice(py, self.inner.target().offsets())
    }

    fn source_vocabulary(&self) -> Vec<&str> {
        self.inner.source().vocabulary().words().collect()
    }

    fn target_vocabulary(&self) -> Vec<&str> {
        self.inner.target().vocabulary().words().collect()
    }

    fn source_frequencies<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u64>> {
        frequencies(py, self.inner.source().vocabulary())
    }

    fn target_frequencies<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u64>> {
        frequencies(py, self.inner.target().vocabulary())
    }

    fn usable<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        PyArray1::from_slice(py, self.inner.usable())
    }
}

fn on_error_of(name: &str) -> Result<OnError> {
    match name {
        "strict" => Ok(OnError::Strict),
        "skip" => Ok(OnError::Skip),
        "replace" => Ok(OnError::Replace),
        _ => Err(Error::Config {
            name: "on_error",
            expected: "'strict', 'skip' or 'replace'".to_owned(),
            found: format!("'{name}'"),
        }),
    }
}

fn already_finished() -> PyErr {
    PyRuntimeError::new_err("the builder is finished; make a new one for another corpus")
}

fn words(side: &Side, n: isize) -> PyResult<Vec<&str>> {
    if let Ok(n) = usize::try_from(n)
        && n < side.len()
    {
        return Ok(side.words(n).collect());
    }
    Err(PyIndexError::new_err(format!(
        "there is no sentence pair {n}; the corpus has {}, numbered from 0",
        side.len()
    )))
}

fn ids<'py>(py: Python<'py>, side: &Side) -> PyResult<Bound<'py, PyArray1<u32>>> {
    let mut copy: Vec<u32> = Vec::new();
    copy.try_reserve_exact(side.tokens().len())
        .map_err(|_| PyMemoryError::new_err("no memory for a copy of the tokens"))?;
    py.detach(|| copy.extend(side.tokens().iter().map(|id| id.as_u32())));
    Ok(copy.into_pyarray(py))
}

fn frequencies<'py>(py: Python<'py>, vocabulary: &Vocabulary) -> Bound<'py, PyArray1<u64>> {
    let copy: Vec<u64> = (0..vocabulary.len())
        .map(|n| WordId::new(n).map_or(0, |id| vocabulary.frequency(id)))
        .collect();
    copy.into_pyarray(py)
}
