//! Searches over hypergraphs across the border. Arrays are by the caller's number.
#![expect(
    clippy::needless_pass_by_value,
    reason = "pyo3 hands the arguments of a function over by value"
)]

use crate::hypergraph::{PyHypergraph, run};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use plait_core::cancel::CancelToken;
use plait_core::error::{Error, Result};
use plait_core::hypergraph::{
    Hypergraph, KBest, Pruned, Sampler, Yields, max_marginals, prune, viterbi,
};
use plait_core::numeric::{to_index, to_u64};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::sync::{Arc, Mutex};

type Numbers<'py> = Bound<'py, PyArray1<u32>>;
type Vector<'py> = Bound<'py, PyArray1<f64>>;

/// Ragged derivations by number: starts, edges, weights.
type Arrays<'py> = (Bound<'py, PyArray1<u64>>, Numbers<'py>, Vector<'py>);

/// Ragged sequences of words: starts, words.
type RowArrays<'py> = (Bound<'py, PyArray1<u64>>, Bound<'py, PyArray1<i32>>);

/// The part of a hypergraph, and the old numbers of its nodes and edges.
type PrunedArrays<'py> = (PyHypergraph, Numbers<'py>, Numbers<'py>);

/// Derivations, one after the other, by number.
struct Ragged {
    starts: Vec<u64>,
    edges: Vec<u32>,
    weights: Vec<f64>,
}

impl Ragged {
    fn new() -> Self {
        Self {
            starts: vec![0],
            edges: Vec::new(),
            weights: Vec::new(),
        }
    }

    fn push(&mut self, edges: &[u32], weight: f64) {
        self.edges.extend_from_slice(edges);
        self.starts.push(to_u64(self.edges.len()));
        self.weights.push(weight);
    }

    fn into_arrays(self, py: Python<'_>) -> Arrays<'_> {
        (
            self.starts.into_pyarray(py),
            self.edges.into_pyarray(py),
            self.weights.into_pyarray(py),
        )
    }
}

/// The best derivation of the root, and the best edge of each node (-1 where there is none) with its weight.
#[pyfunction]
fn hypergraph_viterbi<'py>(
    py: Python<'py>,
    graph: &PyHypergraph,
    weights: PyReadonlyArray1<'py, f64>,
) -> PyResult<Option<(Numbers<'py>, f64)>> {
    let (graph, weights) = (&graph.0, weights.as_slice()?);
    let found = run(py, graph.edges(), |cancel| {
        let weights = graph.arrange_weights(weights)?;
        let best = viterbi(graph, &weights, cancel)?.derivation(graph, cancel)?;
        Ok(best.map(|best| (best.edge_numbers(graph), best.weight)))
    })?;
    Ok(found.map(|(edges, weight)| (edges.into_pyarray(py), weight)))
}

/// A search for the next best derivations.
#[pyclass(frozen, name = "KBest", module = "plait._core")]
pub struct PyKBest {
    search: Mutex<KBest<Arc<Hypergraph>>>,
    /// About how many edges the search for one more can meet.
    effort: usize,
}

#[pymethods]
impl PyKBest {
    #[new]
    #[pyo3(signature = (graph, weights, yields, limit))]
    fn new(
        py: Python<'_>,
        graph: &PyHypergraph,
        weights: PyReadonlyArray1<'_, f64>,
        yields: Option<(PyReadonlyArray1<'_, u64>, PyReadonlyArray1<'_, i32>)>,
        limit: u64,
    ) -> PyResult<Self> {
        let (graph, weights) = (Arc::clone(&graph.0), weights.as_slice()?);
        let yields = match &yields {
            None => None,
            Some((starts, items)) => Some((starts.as_slice()?, items.as_slice()?)),
        };
        let edges = graph.edges();
        let effort = if yields.is_some() { usize::MAX } else { edges };
        let search = run(py, edges, |cancel| {
            let weights = graph.arrange_weights(weights)?.into_owned();
            match yields {
                None => KBest::new(graph, weights, cancel),
                Some((starts, items)) => {
                    let yields = Yields::new(&graph, starts, items)?;
                    KBest::unique(graph, weights, yields, limit, cancel)
                }
            }
        })?;
        let search = Mutex::new(search);
        Ok(Self { search, effort })
    }

    /// So many more derivations, fewer at the end.
    fn take<'py>(&self, py: Python<'py>, count: u64) -> PyResult<Arrays<'py>> {
        // Another thread that searches may hold the lock: never wait for it with the interpreter's.
        let times = usize::try_from(count).unwrap_or(usize::MAX);
        let effort = self.effort.saturating_mul(times);
        let found = run(py, effort, |cancel| match self.search.lock() {
            Ok(mut search) => take(&mut search, count, cancel).map(Some),
            Err(_) => Ok(None),
        })?;
        let broken = || PyRuntimeError::new_err("an earlier search failed; start another");
        Ok(found.ok_or_else(broken)?.into_arrays(py))
    }
}

fn take(search: &mut KBest<Arc<Hypergraph>>, count: u64, cancel: &CancelToken) -> Result<Ragged> {
    let mut found = Ragged::new();
    for _ in 0..count {
        cancel.check()?;
        let Some(next) = search.next_best(cancel)? else {
            break;
        };
        found.push(&next.edge_numbers(search.graph()), next.weight);
    }
    Ok(found)
}

/// Derivations drawn at random; `local` are the probabilities of edges among those into their heads.
#[pyfunction]
fn hypergraph_sample<'py>(
    py: Python<'py>,
    graph: &PyHypergraph,
    local: PyReadonlyArray1<'py, f64>,
    count: u64,
    seed: u64,
    threads: usize,
) -> PyResult<(Bound<'py, PyArray1<u64>>, Numbers<'py>)> {
    let (graph, local) = (&graph.0, local.as_slice()?);
    let work = graph
        .edges()
        .saturating_add(usize::try_from(count).unwrap_or(usize::MAX));
    let samples = run(py, work, |cancel| {
        let sampler = Sampler::new(graph, &graph.arrange_edges(local))?;
        let mut samples = sampler.sample(count, seed, threads, cancel)?;
        for edge in &mut samples.edges {
            *edge = graph.edge_number(index(*edge));
        }
        Ok(samples)
    })?;
    Ok((
        samples.starts.into_pyarray(py),
        samples.edges.into_pyarray(py),
    ))
}

/// The words of derivations, ragged; the edges of derivations by number.
#[pyfunction]
fn hypergraph_yields<'py>(
    py: Python<'py>,
    graph: &PyHypergraph,
    item_starts: PyReadonlyArray1<'py, u64>,
    items: PyReadonlyArray1<'py, i32>,
    starts: PyReadonlyArray1<'py, u64>,
    edges: PyReadonlyArray1<'py, u32>,
) -> PyResult<RowArrays<'py>> {
    let graph = &graph.0;
    let (item_starts, items) = (item_starts.as_slice()?, items.as_slice()?);
    let (starts, edges) = (starts.as_slice()?, edges.as_slice()?);
    let work = graph.edges().saturating_add(edges.len());
    let (word_starts, words) = run(py, work, |cancel| {
        let yields = Yields::new(graph, item_starts, items)?;
        spell(graph, &yields, starts, edges, cancel)
    })?;
    Ok((word_starts.into_pyarray(py), words.into_pyarray(py)))
}

fn spell(
    graph: &Hypergraph,
    yields: &Yields,
    starts: &[u64],
    edges: &[u32],
    cancel: &CancelToken,
) -> Result<(Vec<u64>, Vec<i32>)> {
    let places: Vec<u32> = graph.restore_edges((0..).take(graph.edges()).collect());
    let (mut word_starts, mut words) = (vec![0], Vec::new());
    for row in starts.windows(2) {
        let row = edges.get(to_index(row[0])..to_index(row[1])).unwrap_or(&[]);
        // A number that no edge has stays one that no place has.
        let places = row.iter().map(|&edge| places.get(index(edge)).copied());
        let row: Vec<u32> = places.map(|place| place.unwrap_or(u32::MAX)).collect();
        words.extend(yields.of(graph, &row, cancel)?);
        word_starts.push(to_u64(words.len()));
    }
    Ok((word_starts, words))
}

/// ln of the weight of the best derivation through each edge, and through each node.
#[pyfunction]
fn hypergraph_max_marginals<'py>(
    py: Python<'py>,
    graph: &PyHypergraph,
    weights: PyReadonlyArray1<'py, f64>,
) -> PyResult<(Vector<'py>, Vector<'py>)> {
    let (graph, weights) = (&graph.0, weights.as_slice()?);
    let (edges, nodes) = run(py, graph.edges(), |cancel| {
        let weights = graph.arrange_weights(weights)?;
        let found = max_marginals(graph, &weights, cancel)?;
        Ok((
            graph.restore_edges(found.edges),
            graph.restore_nodes(found.nodes),
        ))
    })?;
    Ok((edges.into_pyarray(py), nodes.into_pyarray(py)))
}

/// What is left of a hypergraph when edges that are not good enough go. Every bound that is given must be met; the best derivation stays.
#[pyfunction]
#[pyo3(signature = (graph, weights, *, beam, posterior, edges, density))]
fn hypergraph_prune<'py>(
    py: Python<'py>,
    graph: &PyHypergraph,
    weights: PyReadonlyArray1<'py, f64>,
    beam: Option<f64>,
    posterior: Option<(PyReadonlyArray1<'py, f64>, f64)>,
    edges: Option<usize>,
    density: Option<f64>,
) -> PyResult<PrunedArrays<'py>> {
    let (graph, weights) = (&graph.0, weights.as_slice()?);
    let posterior = match &posterior {
        None => None,
        Some((posteriors, threshold)) => Some((posteriors.as_slice()?, *threshold)),
    };
    let pruned = run(py, graph.edges(), |cancel| {
        let weights = graph.arrange_weights(weights)?;
        let found = max_marginals(graph, &weights, cancel)?;
        let mut is_kept = prune::within_beam(graph, &found, beam.unwrap_or(f64::INFINITY))?;
        let mut both = |other: Vec<bool>| {
            for (kept, other) in is_kept.iter_mut().zip(other) {
                *kept &= other;
            }
        };
        if let Some((posteriors, threshold)) = posterior {
            let posteriors = graph.arrange_edges(posteriors);
            both(prune::above_posterior(
                graph,
                &found,
                &posteriors,
                threshold,
            )?);
        }
        if let Some(count) = edges {
            both(prune::at_most(graph, &found, count));
        }
        if let Some(density) = density {
            both(prune::within_density(graph, &found, density)?);
        }
        prune::restrict(graph, &is_kept)
    })?;
    Ok(split(py, pruned))
}

/// The part of a hypergraph whose derivations only have some of its edges.
#[pyfunction]
fn hypergraph_restrict<'py>(
    py: Python<'py>,
    graph: &PyHypergraph,
    is_kept: PyReadonlyArray1<'py, bool>,
) -> PyResult<PrunedArrays<'py>> {
    let (graph, is_kept) = (&graph.0, is_kept.as_slice()?);
    let pruned = run(py, graph.edges(), |_| {
        if is_kept.len() != graph.edges() {
            return Err(Error::Hypergraph {
                place: "the edges to keep".to_owned(),
                problem: format!("must be one claim for each of the {} edges", graph.edges()),
                found: is_kept.len().to_string(),
            });
        }
        prune::restrict(graph, &graph.arrange_edges(is_kept))
    })?;
    Ok(split(py, pruned))
}

fn split(py: Python<'_>, pruned: Pruned) -> PrunedArrays<'_> {
    (
        PyHypergraph(Arc::new(pruned.graph)),
        pruned.nodes.into_pyarray(py),
        pruned.edges.into_pyarray(py),
    )
}

/// A number of an edge as an index.
fn index(edge: u32) -> usize {
    to_index(u64::from(edge))
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyKBest>()?;
    module.add_function(wrap_pyfunction!(hypergraph_viterbi, module)?)?;
    module.add_function(wrap_pyfunction!(hypergraph_sample, module)?)?;
    module.add_function(wrap_pyfunction!(hypergraph_yields, module)?)?;
    module.add_function(wrap_pyfunction!(hypergraph_max_marginals, module)?)?;
    module.add_function(wrap_pyfunction!(hypergraph_prune, module)?)?;
    module.add_function(wrap_pyfunction!(hypergraph_restrict, module)?)
}
