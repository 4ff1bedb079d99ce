//! Distributions over the derivations of a hypergraph across the border. Arrays are by the caller's number.
#![expect(
    clippy::needless_pass_by_value,
    reason = "pyo3 hands the arguments of a function over by value"
)]

use crate::errors::to_python;
use crate::hypergraph::{PyHypergraph, run};
use numpy::ndarray::Array2;
use numpy::{
    IntoPyArray, PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods,
};
use plait_core::cancel::CancelToken;
use plait_core::error::Result;
use plait_core::hypergraph::{Deviations, Distribution, Features, Hypergraph, Posteriors, Weights};
use plait_core::parallel;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::sync::{Arc, OnceLock};

type Vector<'py> = Bound<'py, PyArray1<f64>>;

/// Features as Python gives them: a matrix, or (starts, ids, values, count).
#[derive(FromPyObject)]
enum FeatureArrays<'py> {
    Dense(PyReadonlyArray2<'py, f64>),
    Sparse(
        PyReadonlyArray1<'py, u64>,
        PyReadonlyArray1<'py, u32>,
        PyReadonlyArray1<'py, f64>,
        usize,
    ),
}

impl FeatureArrays<'_> {
    fn checked(&self, py: Python<'_>, edges: usize) -> PyResult<Features<'_>> {
        let features = match self {
            Self::Dense(matrix) => Features::Dense {
                values: matrix.as_slice()?,
                count: matrix.shape()[1],
            },
            Self::Sparse(starts, ids, values, count) => Features::Sparse {
                starts: starts.as_slice()?,
                ids: ids.as_slice()?,
                values: values.as_slice()?,
                count: *count,
            },
        };
        features
            .check(edges)
            .map_err(|error| to_python(py, &error))?;
        Ok(features)
    }
}

/// What weights that are not negative say of the derivations of a hypergraph.
#[pyclass(frozen, name = "Distribution", module = "plait._core")]
pub struct PyDistribution {
    graph: Arc<Hypergraph>,
    distribution: Distribution,
    /// Made when first asked for.
    posteriors: OnceLock<Posteriors>,
}

impl PyDistribution {
    fn of(
        graph: &Arc<Hypergraph>,
        weights: &[f64],
        is_log: bool,
        cancel: &CancelToken,
    ) -> Result<Self> {
        Ok(Self {
            distribution: Distribution::new(graph, kind(weights, is_log), cancel)?,
            graph: Arc::clone(graph),
            posteriors: OnceLock::new(),
        })
    }

    fn posteriors(&self, cancel: &CancelToken) -> Result<&Posteriors> {
        if let Some(posteriors) = self.posteriors.get() {
            return Ok(posteriors);
        }
        let made = Posteriors::new(&self.graph, &self.distribution, cancel)?;
        Ok(self.posteriors.get_or_init(|| made))
    }

    fn deviations_of(&self, by_number: &[f64], cancel: &CancelToken) -> Result<Deviations> {
        let values = self.graph.arrange_edges(by_number);
        let posteriors = self.posteriors(cancel)?;
        Deviations::new(&self.graph, &self.distribution, posteriors, &values, cancel)
    }

    /// The covariance of each feature with the sum of `by_number`.
    fn covariance_with(
        &self,
        by_number: &[f64],
        features: Features<'_>,
        cancel: &CancelToken,
    ) -> Result<Vec<f64>> {
        let mut factors = self.deviations_of(by_number, cancel)?.edges;
        for (factor, posterior) in factors.iter_mut().zip(&self.posteriors(cancel)?.edges) {
            *factor *= posterior;
        }
        Ok(features.sum(&self.graph.restore_edges(factors)))
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
        let weights = weights.as_slice()?;
        run(py, weights.len(), |cancel| {
            Self::of(&graph.0, weights, is_log, cancel)
        })
    }

    #[getter]
    fn log_z(&self) -> f64 {
        self.distribution.log_z(&self.graph)
    }

    fn inside<'py>(&self, py: Python<'py>) -> Vector<'py> {
        let inside = self.distribution.inside.clone();
        self.graph.restore_nodes(inside).into_pyarray(py)
    }

    fn local<'py>(&self, py: Python<'py>) -> Vector<'py> {
        let local = self.distribution.local.clone();
        self.graph.restore_edges(local).into_pyarray(py)
    }

    fn outside<'py>(
        &self,
        py: Python<'py>,
        weights: PyReadonlyArray1<'_, f64>,
        is_log: bool,
    ) -> PyResult<Vector<'py>> {
        let weights = weights.as_slice()?;
        if weights.len() != self.graph.edges() {
            return Err(PyValueError::new_err(
                "the weights must be those of the distribution",
            ));
        }
        let outside = self.run(py, |cancel| {
            self.distribution
                .outside(&self.graph, kind(weights, is_log), cancel)
        })?;
        Ok(self.graph.restore_nodes(outside).into_pyarray(py))
    }

    /// Expected uses of nodes and of edges.
    #[pyo3(name = "posteriors")]
    fn posterior_arrays<'py>(&self, py: Python<'py>) -> PyResult<(Vector<'py>, Vector<'py>)> {
        let (nodes, edges) = self.run(py, |cancel| {
            let posteriors = self.posteriors(cancel)?;
            let nodes = self.graph.restore_nodes(posteriors.nodes.clone());
            Ok((nodes, self.graph.restore_edges(posteriors.edges.clone())))
        })?;
        Ok((nodes.into_pyarray(py), edges.into_pyarray(py)))
    }

    fn entropy(&self, py: Python<'_>) -> PyResult<f64> {
        self.run(py, |cancel| {
            Ok(self.distribution.entropy(self.posteriors(cancel)?))
        })
    }

    fn surprisals<'py>(&self, py: Python<'py>) -> Vector<'py> {
        let values = py.detach(|| self.graph.restore_edges(self.distribution.surprisals()));
        values.into_pyarray(py)
    }

    fn divergence(&self, py: Python<'_>, other: &Self) -> PyResult<f64> {
        if !Arc::ptr_eq(&self.graph, &other.graph) {
            return Err(PyValueError::new_err(
                "both distributions must be over the same hypergraph",
            ));
        }
        self.run(py, |cancel| {
            let posteriors = self.posteriors(cancel)?;
            Ok(self
                .distribution
                .divergence(posteriors, &other.distribution))
        })
    }

    fn expectations<'py>(
        &self,
        py: Python<'py>,
        features: FeatureArrays<'_>,
    ) -> PyResult<Vector<'py>> {
        let features = features.checked(py, self.graph.edges())?;
        let sums = self.run(py, |cancel| {
            let posteriors = &self.posteriors(cancel)?.edges;
            Ok(match self.graph.edge_numbers() {
                None => features.sum(posteriors),
                Some(_) => features.sum(&self.graph.restore_edges(posteriors.clone())),
            })
        })?;
        Ok(sums.into_pyarray(py))
    }

    /// The mean of a sum over edges, and how it deviates where each edge is used.
    fn deviations<'py>(
        &self,
        py: Python<'py>,
        values: PyReadonlyArray1<'_, f64>,
    ) -> PyResult<(f64, Vector<'py>)> {
        let values = values.as_slice()?;
        let features = Features::Dense { values, count: 1 };
        let wrong = |error| to_python(py, &error);
        features.check(self.graph.edges()).map_err(wrong)?;
        let found = self.run(py, |cancel| self.deviations_of(values, cancel))?;
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
        let values = crate::run::interruptible(py, None, |cancel, _| {
            self.posteriors(cancel)?;
            let each = parallel::map(threads, cancel, (0..shape.0).collect(), |_, row: usize| {
                self.covariance_with(&rows.column(row), columns, cancel)
            })?;
            Ok(each.concat())
        })?;
        let matrix = Array2::from_shape_vec(shape, values);
        let matrix = matrix.map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(matrix.into_pyarray(py))
    }
}

/// Distributions over many hypergraphs, on many threads.
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
    crate::run::interruptible(py, None, |cancel, _| {
        parallel::map(threads, cancel, pairs, |_, (graph, weights)| {
            let made = PyDistribution::of(&graph, weights, is_log, cancel)?;
            made.posteriors(cancel)?;
            Ok(made)
        })
    })
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(distributions, module)?)?;
    module.add_class::<PyDistribution>()
}
