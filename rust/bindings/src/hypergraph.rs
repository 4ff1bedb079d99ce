//! Hypergraphs across the border. Arrays are by the caller's number.
#![expect(
    clippy::needless_pass_by_value,
    reason = "pyo3 hands the arguments of a function over by value"
)]

use crate::errors::to_python;
use crate::run::interruptible;
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use plait_core::cancel::CancelToken;
use plait_core::error::Result;
use plait_core::hypergraph::{Hypergraph, Numbered, Parts, derivations};
use plait_core::semiring::Count;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::Arc;

/// An immutable hypergraph.
#[pyclass(frozen, name = "Hypergraph", module = "plait._core")]
pub struct PyHypergraph(pub Arc<Hypergraph>);

/// Heads, tail starts and tails by number.
type NumberedArrays<'py> = (
    Bound<'py, PyArray1<u32>>,
    Bound<'py, PyArray1<u64>>,
    Bound<'py, PyArray1<u32>>,
);

/// Runs work on a hypergraph of so many edges without the interpreter's lock: in place where it takes no time to speak of, else so that it can be interrupted.
pub fn run<T: Send>(
    py: Python<'_>,
    edges: usize,
    work: impl FnOnce(&CancelToken) -> Result<T> + Send,
) -> PyResult<T> {
    const SHORT: usize = 100_000;
    if edges < SHORT {
        let done = py.detach(|| work(&CancelToken::new()));
        return done.map_err(|error| to_python(py, &error));
    }
    interruptible(py, None, |cancel, _| work(cancel))
}

#[pymethods]
impl PyHypergraph {
    #[new]
    #[pyo3(signature = (heads, tail_starts, tails, *, nodes, root=None))]
    fn new(
        py: Python<'_>,
        heads: PyReadonlyArray1<'_, u32>,
        tail_starts: PyReadonlyArray1<'_, u64>,
        tails: PyReadonlyArray1<'_, u32>,
        nodes: usize,
        root: Option<u32>,
    ) -> PyResult<Self> {
        let (heads, tail_starts, tails) = (
            heads.as_slice()?,
            tail_starts.as_slice()?,
            tails.as_slice()?,
        );
        let parts = Parts {
            nodes,
            heads,
            tail_starts,
            tails,
            root,
        };
        let graph = run(py, heads.len(), |cancel| Hypergraph::build(parts, cancel))?;
        Ok(Self(Arc::new(graph)))
    }

    #[getter]
    fn nodes(&self) -> usize {
        self.0.nodes()
    }

    #[getter]
    fn edges(&self) -> usize {
        self.0.edges()
    }

    #[getter]
    fn tail_nodes(&self) -> usize {
        self.0.tail_nodes()
    }

    #[getter]
    fn arity(&self) -> usize {
        self.0.arity()
    }

    #[getter]
    fn root(&self) -> u32 {
        self.0.node_number(self.0.root())
    }

    #[getter]
    fn is_acyclic(&self) -> bool {
        self.0.is_acyclic()
    }

    /// The number of derivations of the root, as bytes from the lowest and as decimal digits; nothing if it is infinite.
    fn derivations<'py>(&self, py: Python<'py>) -> PyResult<Option<(Bound<'py, PyBytes>, String)>> {
        let count = run(py, self.0.edges(), |cancel| {
            Ok(match derivations(&self.0, cancel)? {
                Count::Finite(count) => Some((count.to_bytes_le(), count.to_string())),
                Count::Infinite => None,
            })
        })?;
        Ok(count.map(|(bytes, digits)| (PyBytes::new(py, &bytes), digits)))
    }

    fn cycle(&self) -> Option<Vec<u32>> {
        self.0.cycle()
    }

    fn useful_nodes<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        let useful = py.detach(|| self.0.restore_nodes(self.0.useful_nodes()));
        useful.into_pyarray(py)
    }

    /// The nodes in an order in which tails come before heads, where there is no cycle.
    fn node_order<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u32>> {
        let order: Vec<u32> = (0..self.0.nodes()).map(|n| self.0.node_number(n)).collect();
        order.into_pyarray(py)
    }

    fn arrays<'py>(&self, py: Python<'py>) -> NumberedArrays<'py> {
        let Numbered {
            heads,
            tail_starts,
            tails,
            ..
        } = py.detach(|| self.0.numbered());
        (
            heads.into_pyarray(py),
            tail_starts.into_pyarray(py),
            tails.into_pyarray(py),
        )
    }
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyHypergraph>()
}
