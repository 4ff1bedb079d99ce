//! Probabilities of sets of edges across the border. Arrays are by number.
#![expect(
    clippy::needless_pass_by_value,
    reason = "pyo3 hands the arguments of a function over by value"
)]

use crate::hypergraph::PyHypergraph;
use crate::run::interruptible;
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use plait_core::hypergraph::presence;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

#[pyfunction]
#[pyo3(signature = (graph, local, starts, edges, *, threads))]
fn hypergraph_presence<'py>(
    py: Python<'py>,
    graph: &PyHypergraph,
    local: PyReadonlyArray1<'py, f64>,
    starts: PyReadonlyArray1<'py, u64>,
    edges: PyReadonlyArray1<'py, u32>,
    threads: usize,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let graph = &graph.0;
    let (local, starts, edges) = (local.as_slice()?, starts.as_slice()?, edges.as_slice()?);
    let is_sound = local.len() == graph.edges()
        && starts.first() == Some(&0)
        && starts.last().and_then(|&end| usize::try_from(end).ok()) == Some(edges.len())
        && starts.is_sorted();
    if !is_sound {
        return Err(PyValueError::new_err(
            "there must be a probability for each edge, and starts that rise from 0 to the number of members",
        ));
    }
    let places = graph.restore_edges((0_u32..).take(graph.edges()).collect());
    let edges: Option<Vec<u32>> = edges
        .iter()
        .map(|&edge| places.get(usize::try_from(edge).ok()?).copied())
        .collect();
    let Some(edges) = edges else {
        return Err(PyValueError::new_err(
            "a member of a set must be the number of an edge",
        ));
    };
    let found = interruptible(py, None, |cancel, _| {
        let local = graph.arrange_edges(local);
        presence(graph, &local, starts, &edges, threads, cancel)
    })?;
    Ok(found.into_pyarray(py))
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(hypergraph_presence, module)?)
}
