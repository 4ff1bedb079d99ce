//! Intersections and made hypergraphs across the border. Arrays are by number.
#![expect(
    clippy::needless_pass_by_value,
    reason = "pyo3 hands the arguments of a function over by value"
)]

use crate::hypergraph::{PyHypergraph, run};
use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray1};
use plait_core::hypergraph::automaton::Arcs;
use plait_core::hypergraph::{
    Hypergraph, NgramOptions, Rows, TableAutomaton, Yields, intersect, with_ngrams,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::sync::Arc;

type Numbers<'py> = Bound<'py, PyArray1<u32>>;

/// Ragged sequences of words: starts, words.
type RowArrays<'py> = (Bound<'py, PyArray1<u64>>, Bound<'py, PyArray1<i32>>);

/// Arcs as parallel arrays: from, words, to, weights.
type ArcArrays<'py> = (
    PyReadonlyArray1<'py, u32>,
    PyReadonlyArray1<'py, i32>,
    PyReadonlyArray1<'py, u32>,
    PyReadonlyArray1<'py, f64>,
);

/// Hypergraph, old nodes, old edges, weights, states before and after each node.
type IntersectionArrays<'py> = (
    PyHypergraph,
    Numbers<'py>,
    Numbers<'py>,
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray2<u32>>,
);

/// Hypergraph, old nodes, old edges, starts and n-grams of edges, words of n-grams, boundaries of nodes.
type NgramArrays<'py> = (
    PyHypergraph,
    Numbers<'py>,
    Numbers<'py>,
    Bound<'py, PyArray1<u64>>,
    Numbers<'py>,
    RowArrays<'py>,
    RowArrays<'py>,
);

#[pyfunction]
fn hypergraph_intersect<'py>(
    py: Python<'py>,
    graph: &PyHypergraph,
    yields: (PyReadonlyArray1<'py, u64>, PyReadonlyArray1<'py, i32>),
    start: u32,
    arcs: ArcArrays<'py>,
    ends: PyReadonlyArray1<'py, f64>,
    limit: u64,
) -> PyResult<IntersectionArrays<'py>> {
    let graph = &graph.0;
    let (item_starts, items) = (yields.0.as_slice()?, yields.1.as_slice()?);
    let arcs = Arcs {
        from: arcs.0.as_slice()?,
        words: arcs.1.as_slice()?,
        to: arcs.2.as_slice()?,
        weights: arcs.3.as_slice()?,
    };
    let ends = ends.as_slice()?;
    // How much work there is shows only when it is done: always interruptible.
    let found = run(py, usize::MAX, |cancel| {
        let mut automaton = TableAutomaton::new(start, arcs, ends)?;
        let yields = Yields::new(graph, item_starts, items)?;
        intersect(graph, &yields, &mut automaton, limit, cancel)
    })?;
    let states = Array2::from_shape_vec((found.states.len(), 2), found.states.concat());
    let states = states.map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok((
        PyHypergraph(Arc::new(found.graph)),
        found.nodes.into_pyarray(py),
        found.edges.into_pyarray(py),
        found.weights.into_pyarray(py),
        states.into_pyarray(py),
    ))
}

#[pyfunction]
#[pyo3(signature = (graph, yields, order, *, begin, end, limit))]
fn hypergraph_ngrams<'py>(
    py: Python<'py>,
    graph: &PyHypergraph,
    yields: (PyReadonlyArray1<'py, u64>, PyReadonlyArray1<'py, i32>),
    order: usize,
    begin: Option<i32>,
    end: Option<i32>,
    limit: u64,
) -> PyResult<NgramArrays<'py>> {
    let graph = &graph.0;
    let (item_starts, items) = (yields.0.as_slice()?, yields.1.as_slice()?);
    let found = run(py, usize::MAX, |cancel| {
        let yields = Yields::new(graph, item_starts, items)?;
        let options = NgramOptions {
            order,
            begin,
            end,
            limit,
        };
        with_ngrams(graph, &yields, options, cancel)
    })?;
    let rows = |rows: Rows| (rows.starts.into_pyarray(py), rows.words.into_pyarray(py));
    Ok((
        PyHypergraph(Arc::new(found.graph)),
        found.nodes.into_pyarray(py),
        found.edges.into_pyarray(py),
        found.starts.into_pyarray(py),
        found.ngrams.into_pyarray(py),
        rows(found.table),
        rows(found.boundaries),
    ))
}

#[pyfunction]
fn hypergraph_chain(
    py: Python<'_>,
    steps: usize,
    states: usize,
    is_allowed: Option<PyReadonlyArray1<'_, bool>>,
) -> PyResult<PyHypergraph> {
    let claims = match &is_allowed {
        None => None,
        Some(claims) => Some(claims.as_slice()?),
    };
    let graph = run(py, usize::MAX, |_| Hypergraph::chain(steps, states, claims))?;
    Ok(PyHypergraph(Arc::new(graph)))
}

#[pyfunction]
fn hypergraph_cky(
    py: Python<'_>,
    words: usize,
    nonterminals: usize,
    rules: Vec<[u32; 3]>,
    start: u32,
) -> PyResult<PyHypergraph> {
    let graph = run(py, usize::MAX, |_| {
        Hypergraph::cky(words, nonterminals, &rules, start)
    })?;
    Ok(PyHypergraph(Arc::new(graph)))
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(hypergraph_intersect, module)?)?;
    module.add_function(wrap_pyfunction!(hypergraph_ngrams, module)?)?;
    module.add_function(wrap_pyfunction!(hypergraph_chain, module)?)?;
    module.add_function(wrap_pyfunction!(hypergraph_cky, module)?)
}
