//! Distributions over the derivations of a hypergraph across the border. Arrays are by the caller's number.
#![expect(
    clippy::needless_pass_by_value,
    reason = "pyo3 hands the arguments of a function over by value"
)]

use crate::errors::to_python;
use crate::feature_arrays::FeatureArrays;
use crate::hypergraph::{PyHypergraph, run};
use crate::run::interruptible;
use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1};
use plait_core::cancel::CancelToken;
use plait_core::error::Result;
use plait_core::hypergraph::entropy::surprisals;
use plait_core::hypergraph::{
    Distribution, Features, Hypergraph, Marginals, Posteriors, Weights, outside_from_uses,
    outside_logs,
};
use plait_core::parallel;
use pyo3::exceptions::{PyException, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use std::sync::Arc;

type Vector<'py> = Bound<'py, PyArray1<f64>>;

/// An array of the core, made read-only and handed out without a copy.
type Shared = Py<PyArray1<f64>>;

/// What weights that are not negative say of the derivations of a hypergraph. Arrays are by place.
#[pyclass(frozen, name = "Distribution", module = "plait._core")]
pub struct PyDistribution {
    graph: Arc<Hypergraph>,
    log_z: f64,
    inside: Shared,
    local: Shared,
    /// Uses of nodes and edges, made when first asked for.
    uses: PyOnceLock<Uses>,
}

/// Uses of nodes and edges, and the smallest number of these.
struct Uses {
    nodes: Shared,
    edges: Shared,
    least: f64,
}

/// Arrays of a distribution, borrowed for some work without the interpreter's lock.
struct Borrowed<'py> {
    graph: &'py Hypergraph,
    local: PyReadonlyArray1<'py, f64>,
    nodes: PyReadonlyArray1<'py, f64>,
    edges: PyReadonlyArray1<'py, f64>,
}

impl Borrowed<'_> {
    fn marginals(&self) -> PyResult<Marginals<'_>> {
        Ok(Marginals {
            graph: self.graph,
            local: self.local.as_slice()?,
            nodes: self.nodes.as_slice()?,
            edges: self.edges.as_slice()?,
        })
    }
}

/// A vector as a read-only array.
fn share(py: Python<'_>, values: Vec<f64>) -> PyResult<Shared> {
    freeze(values.into_pyarray(py))
}

/// An array, read-only from now on.
fn freeze(array: Vector<'_>) -> PyResult<Shared> {
    array.getattr("flags")?.setattr("writeable", false)?;
    Ok(array.unbind())
}

/// An array to be filled, from numpy: it asks the system for large pages, which are there several times faster than those of a vector.
fn fresh(py: Python<'_>, length: usize) -> PyResult<Vector<'_>> {
    let array = py.import("numpy")?.call_method1("empty", (length,))?;
    Ok(array.cast_into()?)
}

impl PyDistribution {
    /// Of one hypergraph, on this thread.
    fn of(py: Python<'_>, graph: Arc<Hypergraph>, weights: Weights<'_>) -> PyResult<Self> {
        let (inside, local) = (fresh(py, graph.nodes())?, fresh(py, graph.edges())?);
        {
            let (mut inside, mut local) = (inside.readwrite(), local.readwrite());
            let (inside, local) = (inside.as_slice_mut()?, local.as_slice_mut()?);
            run(py, graph.edges(), |cancel| {
                Distribution::fill(&graph, weights, inside, local, cancel)
            })?;
        }
        Ok(Self {
            log_z: inside.readonly().as_slice()?[graph.root()],
            graph,
            inside: freeze(inside)?,
            local: freeze(local)?,
            uses: PyOnceLock::new(),
        })
    }

    /// With posteriors, made elsewhere.
    fn wrap(
        py: Python<'_>,
        graph: Arc<Hypergraph>,
        distribution: Distribution,
        posteriors: Posteriors,
    ) -> PyResult<Self> {
        let uses = PyOnceLock::new();
        let made = Uses {
            nodes: share(py, posteriors.nodes)?,
            edges: share(py, posteriors.edges)?,
            least: posteriors.least,
        };
        // Nobody else has set it.
        let _ = uses.set(py, made);
        Ok(Self {
            log_z: distribution.log_z(&graph),
            graph,
            inside: share(py, distribution.inside)?,
            local: share(py, distribution.local)?,
            uses,
        })
    }

    fn uses(&self, py: Python<'_>) -> PyResult<&Uses> {
        self.uses.get_or_try_init(py, || {
            let local = self.local.bind(py).readonly();
            let local = local.as_slice()?;
            let has_any = self.log_z > f64::NEG_INFINITY;
            let (nodes, edges) = (
                fresh(py, self.graph.nodes())?,
                fresh(py, self.graph.edges())?,
            );
            let least = {
                let (mut nodes, mut edges) = (nodes.readwrite(), edges.readwrite());
                let (nodes, edges) = (nodes.as_slice_mut()?, edges.as_slice_mut()?);
                self.run(py, |cancel| {
                    Posteriors::fill(&self.graph, local, has_any, nodes, edges, cancel)
                })?
            };
            Ok(Uses {
                nodes: freeze(nodes)?,
                edges: freeze(edges)?,
                least,
            })
        })
    }

    fn borrow<'py>(&'py self, py: Python<'py>) -> PyResult<Borrowed<'py>> {
        let Uses { nodes, edges, .. } = self.uses(py)?;
        Ok(Borrowed {
            graph: &self.graph,
            local: self.local.bind(py).readonly(),
            nodes: nodes.bind(py).readonly(),
            edges: edges.bind(py).readonly(),
        })
    }

    /// An array of the edges by number: the array itself where that is the place.
    fn edges_by_number<'py>(&self, py: Python<'py>, array: &Shared) -> PyResult<Vector<'py>> {
        if self.graph.edge_numbers().is_none() {
            return Ok(array.bind(py).clone());
        }
        let values = array.bind(py).readonly().as_slice()?.to_vec();
        Ok(share(py, self.graph.restore_edges(values))?.into_bound(py))
    }

    /// An array of the nodes by number.
    fn nodes_by_number<'py>(&self, py: Python<'py>, array: &Shared) -> PyResult<Vector<'py>> {
        if self.graph.node_numbers().is_none() {
            return Ok(array.bind(py).clone());
        }
        let values = array.bind(py).readonly().as_slice()?.to_vec();
        Ok(share(py, self.graph.restore_nodes(values))?.into_bound(py))
    }

    fn run<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&CancelToken) -> Result<T> + Send,
    ) -> PyResult<T> {
        run(py, self.graph.edges(), work)
    }
}

fn kind(weights: &[f64], is_log: bool) -> Weights<'_> {
    if is_log {
        Weights::Log(weights)
    } else {
        Weights::Real(weights)
    }
}

#[pymethods]
impl PyDistribution {
    #[new]
    fn new(
        py: Python<'_>,
        graph: &PyHypergraph,
        weights: PyReadonlyArray1<'_, f64>,
        is_log: bool,
    ) -> PyResult<Self> {
        let weights = kind(weights.as_slice()?, is_log);
        Self::of(py, Arc::clone(&graph.0), weights)
    }

    #[getter]
    fn log_z(&self) -> f64 {
        self.log_z
    }

    fn inside<'py>(&self, py: Python<'py>) -> PyResult<Vector<'py>> {
        self.nodes_by_number(py, &self.inside)
    }

    fn local<'py>(&self, py: Python<'py>) -> PyResult<Vector<'py>> {
        self.edges_by_number(py, &self.local)
    }

    fn outside<'py>(
        &self,
        py: Python<'py>,
        weights: PyReadonlyArray1<'_, f64>,
        is_log: bool,
    ) -> PyResult<Vector<'py>> {
        let weights = kind(weights.as_slice()?, is_log);
        if weights.len() != self.graph.edges() {
            return Err(PyValueError::new_err(
                "the weights must be those of the distribution",
            ));
        }
        let (inside, local) = (
            self.inside.bind(py).readonly(),
            self.local.bind(py).readonly(),
        );
        let (inside, local) = (inside.as_slice()?, local.as_slice()?);
        let graph = &self.graph;
        let from_uses = match self.uses(py) {
            Ok(uses) => {
                let nodes = uses.nodes.bind(py).readonly();
                outside_from_uses(graph, inside, nodes.as_slice()?, uses.least)
            }
            // There may be too many to be told, of no matter here. An interrupt is no exception in this sense.
            Err(error) if error.is_instance_of::<PyException>(py) => None,
            Err(error) => return Err(error),
        };
        let outside = match from_uses {
            Some(outside) => outside,
            None => self.run(py, |cancel| {
                outside_logs(graph, weights, inside, local, cancel)
            })?,
        };
        self.nodes_by_number(py, &share(py, outside)?)
    }

    /// Expected uses of nodes and of edges.
    fn posteriors<'py>(&self, py: Python<'py>) -> PyResult<(Vector<'py>, Vector<'py>)> {
        let Uses { nodes, edges, .. } = self.uses(py)?;
        Ok((
            self.nodes_by_number(py, nodes)?,
            self.edges_by_number(py, edges)?,
        ))
    }

    fn entropy(&self, py: Python<'_>) -> PyResult<f64> {
        let borrowed = self.borrow(py)?;
        let marginals = borrowed.marginals()?;
        self.run(py, |_| Ok(marginals.entropy()))
    }

    fn surprisals<'py>(&self, py: Python<'py>) -> PyResult<Vector<'py>> {
        let local = self.local.bind(py).readonly();
        let local = local.as_slice()?;
        let values = self.run(py, |_| Ok(self.graph.restore_edges(surprisals(local))))?;
        Ok(values.into_pyarray(py))
    }

    fn divergence(&self, py: Python<'_>, other: &Self) -> PyResult<f64> {
        if !Arc::ptr_eq(&self.graph, &other.graph) {
            return Err(PyValueError::new_err(
                "both distributions must be over the same hypergraph",
            ));
        }
        let (borrowed, theirs) = (self.borrow(py)?, other.local.bind(py).readonly());
        let (marginals, theirs) = (borrowed.marginals()?, theirs.as_slice()?);
        self.run(py, |_| Ok(marginals.divergence(theirs)))
    }

    fn expectations<'py>(
        &self,
        py: Python<'py>,
        features: FeatureArrays<'_>,
    ) -> PyResult<Vector<'py>> {
        let features = features.checked(py, self.graph.edges())?;
        let edges = self.edges_by_number(py, &self.uses(py)?.edges)?;
        let edges = edges.readonly();
        let edges = edges.as_slice()?;
        let sums = self.run(py, |_| Ok(features.sum(edges)))?;
        Ok(sums.into_pyarray(py))
    }

    /// The mean of a sum over edges, and how it deviates where each edge is used.
    fn deviations<'py>(
        &self,
        py: Python<'py>,
        values: PyReadonlyArray1<'_, f64>,
    ) -> PyResult<(f64, Vector<'py>)> {
        let values = values.as_slice()?;
        let wrong = |error| to_python(py, &error);
        Features::Dense { values, count: 1 }
            .check(self.graph.edges())
            .map_err(wrong)?;
        let borrowed = self.borrow(py)?;
        let marginals = borrowed.marginals()?;
        let found = self.run(py, |cancel| {
            marginals.deviations(&self.graph.arrange_edges(values), cancel)
        })?;
        let edges = self.graph.restore_edges(found.edges);
        Ok((found.mean, edges.into_pyarray(py)))
    }

    /// Covariances: a row for each feature of `rows`, a column for each of `columns`.
    fn covariance<'py>(
        &self,
        py: Python<'py>,
        rows: FeatureArrays<'_>,
        columns: FeatureArrays<'_>,
        threads: usize,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let rows = rows.checked(py, self.graph.edges())?;
        let columns = columns.checked(py, self.graph.edges())?;
        let shape = (rows.count(), columns.count());
        let borrowed = self.borrow(py)?;
        let marginals = borrowed.marginals()?;
        let row = |cancel: &CancelToken, row| {
            let values = rows.column(row);
            marginals.covariance_with(&self.graph.arrange_edges(&values), columns, cancel)
        };
        let values = match shape.0 {
            1 => self.run(py, |cancel| row(cancel, 0))?,
            _ => interruptible(py, None, |cancel, _| {
                let each = parallel::map(threads, cancel, (0..shape.0).collect(), |_, n| {
                    row(cancel, n)
                })?;
                Ok(each.concat())
            })?,
        };
        let matrix = Array2::from_shape_vec(shape, values);
        let matrix = matrix.map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(matrix.into_pyarray(py))
    }
}

/// Distributions over many hypergraphs with their posteriors, on many threads.
#[pyfunction]
fn distributions(
    py: Python<'_>,
    graphs: Vec<PyRef<'_, PyHypergraph>>,
    weights: Vec<PyReadonlyArray1<'_, f64>>,
    is_log: bool,
    threads: usize,
) -> PyResult<Vec<PyDistribution>> {
    let graphs: Vec<Arc<Hypergraph>> = graphs.iter().map(|graph| Arc::clone(&graph.0)).collect();
    let weights: std::result::Result<Vec<&[f64]>, _> =
        weights.iter().map(|array| array.as_slice()).collect();
    let pairs: Vec<(Arc<Hypergraph>, &[f64])> = graphs.into_iter().zip(weights?).collect();
    let made = interruptible(py, None, |cancel, _| {
        parallel::map(threads, cancel, pairs, |_, (graph, weights)| {
            let made = Distribution::new(&graph, kind(weights, is_log), cancel)?;
            let has_any = made.log_z(&graph) > f64::NEG_INFINITY;
            let posteriors = Posteriors::new(&graph, &made.local, has_any, cancel)?;
            Ok((graph, made, posteriors))
        })
    })?;
    made.into_iter()
        .map(|(graph, made, posteriors)| PyDistribution::wrap(py, graph, made, posteriors))
        .collect()
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(distributions, module)?)?;
    module.add_class::<PyDistribution>()
}
