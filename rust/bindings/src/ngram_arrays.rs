//! N-gram models as arrays across the border.

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use plait_core::ngram::{Model, Parts};
use pyo3::prelude::*;

type Reals<'py> = Bound<'py, PyArray1<f64>>;
type Numbers<'py> = Bound<'py, PyArray1<u32>>;
type GivenReals<'py> = PyReadonlyArray1<'py, f64>;
type GivenNumbers<'py> = PyReadonlyArray1<'py, u32>;

/// Unigrams: logarithms, contexts after them, whether they are known.
pub type GivenUnigrams<'py> = (
    GivenReals<'py>,
    GivenNumbers<'py>,
    PyReadonlyArray1<'py, bool>,
);

/// Contexts: where their words begin, shorter ones, logarithms of weights.
pub type GivenContexts<'py> = (GivenNumbers<'py>, GivenNumbers<'py>, GivenReals<'py>);

/// Words after contexts, their logarithms, the contexts after them.
pub type GivenSteps<'py> = (GivenNumbers<'py>, GivenReals<'py>, GivenNumbers<'py>);

/// What Python hands over.
pub type Given<'py> = (
    GivenUnigrams<'py>,
    u32,
    GivenNumbers<'py>,
    GivenContexts<'py>,
    GivenSteps<'py>,
);

/// Unigrams, where a sequence begins, where contexts of each length begin, contexts, words after them.
pub type Arrays<'py> = (
    (Reals<'py>, Numbers<'py>, Bound<'py, PyArray1<bool>>),
    u32,
    Numbers<'py>,
    (Numbers<'py>, Numbers<'py>, Reals<'py>),
    (Numbers<'py>, Reals<'py>, Numbers<'py>),
);

/// A copy for the core, which checks it.
pub fn parts_of((unigrams, start, lengths, contexts, steps): Given<'_>) -> PyResult<Parts> {
    Ok(Parts {
        unigram_logs: unigrams.0.as_slice()?.to_vec(),
        unigram_next: unigrams.1.as_slice()?.to_vec(),
        unigram_known: unigrams.2.as_slice()?.to_vec(),
        start,
        lengths: lengths.as_slice()?.to_vec(),
        context_starts: contexts.0.as_slice()?.to_vec(),
        context_shorter: contexts.1.as_slice()?.to_vec(),
        context_backoffs: contexts.2.as_slice()?.to_vec(),
        words: steps.0.as_slice()?.to_vec(),
        logs: steps.1.as_slice()?.to_vec(),
        next: steps.2.as_slice()?.to_vec(),
    })
}

/// The arrays of a model.
pub fn arrays_of<'py>(py: Python<'py>, model: &Model) -> Arrays<'py> {
    let parts = model.to_parts();
    (
        (
            parts.unigram_logs.into_pyarray(py),
            parts.unigram_next.into_pyarray(py),
            parts.unigram_known.into_pyarray(py),
        ),
        parts.start,
        parts.lengths.into_pyarray(py),
        (
            parts.context_starts.into_pyarray(py),
            parts.context_shorter.into_pyarray(py),
            parts.context_backoffs.into_pyarray(py),
        ),
        (
            parts.words.into_pyarray(py),
            parts.logs.into_pyarray(py),
            parts.next.into_pyarray(py),
        ),
    )
}
