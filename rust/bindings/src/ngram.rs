//! N-gram models across the border: sentences in, models and their arrays out, ARPA both ways.
#![expect(
    clippy::needless_pass_by_value,
    reason = "pyo3 hands the arguments of a function over by value"
)]

use crate::errors::to_python;
use crate::ngram_arrays::{Arrays, GivenContexts, GivenSteps, GivenUnigrams, arrays_of, parts_of};
use crate::run::interruptible;
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use plait_core::error::Error;
use plait_core::ids::WordId;
use plait_core::ngram::{
    ArpaReader, ArpaWriter, Corpus, CorpusReader, Estimate, Fallback, Model, OrderReport, State,
    Unseen,
};
use plait_core::numeric::{to_index, to_u64};
use plait_core::text::{Vocabulary, WordIndex};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::sync::{Arc, Mutex, PoisonError};

/// Adds what this file offers to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<NgramReader>()?;
    module.add_class::<NgramCorpus>()?;
    module.add_class::<NgramArpaReader>()?;
    module.add_class::<NgramModel>()
}

/// Sentences as numbers of words, and the words when they were numbered for this corpus.
#[pyclass(frozen, module = "plait._core")]
pub struct NgramCorpus {
    corpus: Corpus,
    words: Option<Vocabulary>,
}

#[pymethods]
impl NgramCorpus {
    fn __len__(&self) -> usize {
        self.corpus.starts().len() - 1
    }

    /// Number of words of all sentences.
    #[getter]
    fn tokens(&self) -> usize {
        self.corpus.words().len()
    }

    fn starts<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u64>> {
        let starts: Vec<u64> = self.corpus.starts().iter().map(|&n| to_u64(n)).collect();
        starts.into_pyarray(py)
    }
}

/// Reads sentences: to estimate a model, or with the words of one.
#[pyclass(frozen, module = "plait._core")]
pub struct NgramReader(Mutex<Option<CorpusReader>>);

#[pymethods]
impl NgramReader {
    #[new]
    #[pyo3(signature = (model=None))]
    fn new(model: Option<&NgramModel>) -> Self {
        let reader = match model {
            None => CorpusReader::to_estimate(),
            Some(model) => CorpusReader::to_score(Arc::clone(&model.index)),
        };
        Self(Mutex::new(Some(reader)))
    }

    fn feed(&self, py: Python<'_>, block: &[u8]) -> PyResult<()> {
        let fed = py.detach(|| {
            let mut reader = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            Some(reader.as_mut()?.feed(block))
        });
        fed.ok_or_else(finished)?
            .map_err(|error| to_python(py, &error))
    }

    /// Adds one sentence of words.
    fn push(&self, py: Python<'_>, words: Vec<String>) -> PyResult<()> {
        let mut reader = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let reader = reader.as_mut().ok_or_else(finished)?;
        reader
            .push(words.iter().map(String::as_str))
            .map_err(|error| to_python(py, &error))
    }

    fn finish(&self, py: Python<'_>) -> PyResult<NgramCorpus> {
        let reader = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        let (corpus, words) = reader
            .ok_or_else(finished)?
            .finish()
            .map_err(|error| to_python(py, &error))?;
        Ok(NgramCorpus { corpus, words })
    }
}

/// Reads an ARPA file from byte blocks.
#[pyclass(frozen, module = "plait._core")]
pub struct NgramArpaReader(Mutex<Option<ArpaReader>>);

#[pymethods]
impl NgramArpaReader {
    #[new]
    fn new() -> Self {
        Self(Mutex::new(Some(ArpaReader::new())))
    }

    fn feed(&self, py: Python<'_>, block: &[u8]) -> PyResult<()> {
        let fed = py.detach(|| {
            let mut reader = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            Some(reader.as_mut()?.feed(block))
        });
        fed.ok_or_else(finished)?
            .map_err(|error| to_python(py, &error))
    }

    fn finish(&self, py: Python<'_>) -> PyResult<NgramModel> {
        let reader = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        let reader = reader.ok_or_else(finished)?;
        let (model, words) = interruptible(py, None, |cancel, _| reader.finish(cancel))?;
        NgramModel::with_words(py, model, words)
    }
}

fn finished() -> PyErr {
    PyRuntimeError::new_err("this reader is finished")
}

/// A model and the names of its words.
#[pyclass(frozen, module = "plait._core")]
pub struct NgramModel {
    model: Model,
    words: Vocabulary,
    index: Arc<WordIndex>,
}

impl NgramModel {
    fn with_words(py: Python<'_>, model: Model, words: Vocabulary) -> PyResult<Self> {
        let index = words.index().map_err(|error| to_python(py, &error))?;
        Ok(Self {
            model,
            words,
            index: Arc::new(index),
        })
    }

    fn state(&self, py: Python<'_>, number: u32) -> PyResult<State> {
        let (number, states) = (to_index(u64::from(number)), self.model.states());
        if number < states {
            return Ok(self.model.state(number));
        }
        let expected = format!("below {states}");
        Err(to_python(py, &Error::config("state", &expected, number)))
    }
}

type Reals<'py> = Bound<'py, PyArray1<f64>>;

/// N-grams, their counts of counts, discounts, and why these are those of the fallback: the count and what was computed, if anything was.
type Report = (u64, [u64; 4], [f64; 3], Option<(u8, Option<f64>)>);

#[pymethods]
impl NgramModel {
    #[new]
    fn new(
        py: Python<'_>,
        words: Vec<String>,
        unigrams: GivenUnigrams<'_>,
        start: u32,
        lengths: PyReadonlyArray1<'_, u32>,
        contexts: GivenContexts<'_>,
        steps: GivenSteps<'_>,
    ) -> PyResult<Self> {
        let parts = parts_of((unigrams, start, lengths, contexts, steps))?;
        let model = Model::from_parts(parts).map_err(|error| to_python(py, &error))?;
        if words.len() != model.vocabulary() {
            let problem = format!("are not the {} that it needs", model.vocabulary());
            let part = "words";
            return Err(to_python(py, &Error::Model { part, problem }));
        }
        Self::with_words(py, model, Vocabulary::from_words(words))
    }

    #[staticmethod]
    #[pyo3(signature = (corpus, *, order, closed, fallback, prune, threads, progress=None))]
    #[expect(
        clippy::too_many_arguments,
        reason = "one argument for each option, all by keyword"
    )]
    fn estimate(
        py: Python<'_>,
        corpus: &NgramCorpus,
        order: usize,
        closed: bool,
        fallback: [f64; 3],
        prune: Vec<u32>,
        threads: usize,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let options = Estimate {
            order,
            unseen: if closed {
                Unseen::Vocabulary
            } else {
                Unseen::Unknown
            },
            fallback,
            prune,
        };
        let words = corpus.words.clone().ok_or_else(|| {
            PyRuntimeError::new_err("this corpus was read for a model that exists")
        })?;
        let model = interruptible(py, progress, |cancel, progress| {
            let sequences = corpus.corpus.sequences()?;
            Model::estimate(&sequences, words.len(), &options, threads, cancel, progress)
        })?;
        Self::with_words(py, model, words)
    }

    #[getter]
    fn order(&self) -> usize {
        self.model.order()
    }

    /// Number of states.
    #[getter]
    fn states(&self) -> usize {
        self.model.states()
    }

    /// Number of n-grams of each length.
    fn counts(&self) -> Vec<usize> {
        self.model.counts()
    }

    fn words(&self) -> Vec<&str> {
        self.words.words().collect()
    }

    fn reports(&self) -> Vec<Report> {
        self.model.reports().iter().map(report).collect()
    }

    #[getter]
    fn start(&self) -> u32 {
        self.model.start().as_u32()
    }

    fn knows(&self, word: &str) -> bool {
        self.model.knows(number(&self.index, word))
    }

    fn step(&self, py: Python<'_>, state: u32, word: &str) -> PyResult<(f64, u32)> {
        let (log, next) = self
            .model
            .step(self.state(py, state)?, number(&self.index, word));
        Ok((log, next.as_u32()))
    }

    fn end(&self, py: Python<'_>, state: u32) -> PyResult<f64> {
        Ok(self.model.end(self.state(py, state)?))
    }

    /// The logarithm of each word and each end, and whether it was unknown.
    fn score<'py>(
        &self,
        py: Python<'py>,
        corpus: &NgramCorpus,
        threads: usize,
    ) -> PyResult<(Reals<'py>, Bound<'py, PyArray1<bool>>)> {
        let scores = interruptible(py, None, |cancel, _| {
            self.model
                .score(&corpus.corpus.sequences()?, threads, cancel)
        })?;
        Ok((
            scores.logs.into_pyarray(py),
            scores.is_unknown.into_pyarray(py),
        ))
    }

    /// Unigrams, where a sequence begins, where contexts of each length begin, contexts, words after them.
    fn arrays<'py>(&self, py: Python<'py>) -> Arrays<'py> {
        arrays_of(py, &self.model)
    }

    /// Calls `write` with the blocks of an ARPA file.
    fn write_arpa(&self, py: Python<'_>, write: &Bound<'_, PyAny>, single: bool) -> PyResult<()> {
        let writer = ArpaWriter::new(&self.model, &self.words, single);
        let mut writer = writer.map_err(|error| to_python(py, &error))?;
        while let Some(block) = py.detach(|| writer.next_block()) {
            py.check_signals()?;
            write.call1((pyo3::types::PyBytes::new(py, block.as_bytes()),))?;
        }
        Ok(())
    }
}

/// The number of a word; one that no word has where it is unknown.
fn number(index: &WordIndex, word: &str) -> u32 {
    index.get(word).map_or(u32::MAX, WordId::as_u32)
}

fn report(report: &OrderReport) -> Report {
    let fallback = report.fallback.map(|reason| match reason {
        Fallback::NoCount { count } => (count, None),
        Fallback::OutOfRange { count, discount } => (count, Some(discount)),
    });
    (
        report.ngrams,
        report.counts_of_counts.0,
        report.discounts,
        fallback,
    )
}
