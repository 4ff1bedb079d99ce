//! Forests that know which n-grams of a set they have, across the border. Arrays are by number.
#![expect(
    clippy::needless_pass_by_value,
    reason = "pyo3 hands the arguments of a function over by value"
)]

use crate::hypergraph::PyHypergraph;
use crate::run::interruptible;
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use plait_core::hypergraph::{Hypergraph, MatchOptions, NgramSet, Yields, match_ngrams};
use plait_core::parallel;
use pyo3::prelude::*;
use std::sync::Arc;

/// Ragged rows: starts, words.
type RowArrays<'py> = (PyReadonlyArray1<'py, u64>, PyReadonlyArray1<'py, i32>);

/// A hypergraph, its yields, and the n-grams to look for.
type Case<'py> = (Py<PyHypergraph>, RowArrays<'py>, RowArrays<'py>);

/// A case as the core takes it: starts and words of the yields, then of the n-grams.
type Task<'a> = (Arc<Hypergraph>, [&'a [u64]; 2], [&'a [i32]; 2]);

type Numbers<'py> = Bound<'py, PyArray1<u32>>;

/// Hypergraph, old nodes, old edges, starts and n-grams of edges.
type MatchArrays<'py> = (
    PyHypergraph,
    Numbers<'py>,
    Numbers<'py>,
    Bound<'py, PyArray1<u64>>,
    Numbers<'py>,
);

/// Adds what this file offers to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(hypergraph_match_ngrams, module)?)
}

/// The matches of each case, on all threads.
#[pyfunction]
#[pyo3(signature = (cases, *, begin, end, limit, threads))]
fn hypergraph_match_ngrams<'py>(
    py: Python<'py>,
    cases: Vec<Case<'py>>,
    begin: Option<i32>,
    end: Option<i32>,
    limit: u64,
    threads: usize,
) -> PyResult<Vec<MatchArrays<'py>>> {
    let options = MatchOptions { begin, end, limit };
    let mut items: Vec<Task<'_>> = Vec::with_capacity(cases.len());
    for (graph, yields, ngrams) in &cases {
        items.push((
            Arc::clone(&graph.get().0),
            [yields.0.as_slice()?, ngrams.0.as_slice()?],
            [yields.1.as_slice()?, ngrams.1.as_slice()?],
        ));
    }
    let found = interruptible(py, None, |cancel, _| {
        parallel::map(threads, cancel, items, |_, (graph, starts, words)| {
            let yields = Yields::new(&graph, starts[0], words[0])?;
            let set = NgramSet::new(starts[1], words[1])?;
            match_ngrams(&graph, &yields, &set, options, cancel)
        })
    })?;
    let arrays = found.into_iter().map(|found| {
        (
            PyHypergraph(Arc::new(found.graph)),
            found.nodes.into_pyarray(py),
            found.edges.into_pyarray(py),
            found.starts.into_pyarray(py),
            found.ngrams.into_pyarray(py),
        )
    });
    Ok(arrays.collect())
}
