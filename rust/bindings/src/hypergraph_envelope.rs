//! The best derivations along a line across the border. Arrays are by the caller's number.
#![expect(
    clippy::needless_pass_by_value,
    reason = "pyo3 hands the arguments of a function over by value"
)]

use crate::hypergraph::{PyHypergraph, run};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use plait_core::error::Error;
use plait_core::hypergraph::envelopes;
use plait_core::numeric::{to_index, to_u64};
use pyo3::prelude::*;

/// Adds what this file offers to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(hypergraph_envelope, module)?)
}

type Vector<'py> = Bound<'py, PyArray1<f64>>;

/// Slopes and intercepts of the root's lines, and their derivations: starts, edges.
type EnvelopeArrays<'py> = (
    Vector<'py>,
    Vector<'py>,
    Bound<'py, PyArray1<u64>>,
    Bound<'py, PyArray1<u32>>,
);

/// The upper envelope of the derivations' lines.
#[pyfunction]
fn hypergraph_envelope<'py>(
    py: Python<'py>,
    graph: &PyHypergraph,
    slopes: PyReadonlyArray1<'py, f64>,
    intercepts: PyReadonlyArray1<'py, f64>,
) -> PyResult<EnvelopeArrays<'py>> {
    let (graph, slopes, intercepts) = (&graph.0, slopes.as_slice()?, intercepts.as_slice()?);
    let (lines, starts, edges) = run(py, graph.edges(), |cancel| {
        if slopes.len() != graph.edges() || slopes.iter().any(|slope| !slope.is_finite()) {
            return Err(Error::Hypergraph {
                place: "the slopes".to_owned(),
                problem: format!("must be a finite one for each of {} edges", graph.edges()),
                found: format!("{} numbers", slopes.len()),
            });
        }
        let intercepts = graph.arrange_weights(intercepts)?;
        let found = envelopes(graph, &graph.arrange_edges(slopes), &intercepts, cancel)?;
        let root = graph.root();
        let (mut starts, mut edges) = (vec![0], Vec::new());
        for line in 0..found.lines(root).len() {
            let places = found.derivation(graph, root, line, cancel)?;
            let numbers = places.into_iter();
            edges.extend(numbers.map(|edge| graph.edge_number(to_index(u64::from(edge)))));
            starts.push(to_u64(edges.len()));
        }
        Ok((found.lines(root).to_vec(), starts, edges))
    })?;
    let (slopes, intercepts): (Vec<f64>, Vec<f64>) = lines
        .iter()
        .map(|line| (line.slope, line.intercept))
        .unzip();
    Ok((
        slopes.into_pyarray(py),
        intercepts.into_pyarray(py),
        starts.into_pyarray(py),
        edges.into_pyarray(py),
    ))
}
