//! Sums over derivations in the semirings of the core, across the border. Arrays are by the caller's number.

use crate::feature_arrays::FeatureArrays;
use crate::hypergraph::{PyHypergraph, run};
use numpy::{Element, IntoPyArray, PyArray1, PyArrayMethods, PyReadonlyArray1};
use plait_core::error::Error;
use plait_core::hypergraph::{closed_inside, closed_outside, edge_outside};
use plait_core::semiring::{
    Boolean, CheckedCounting, Commutative, Count, Counting, Log, Real, SignedLog, SignedLogValue,
    Star, Tropical, Viterbi,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyFloat, PyList};

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(native_inside, module)?)?;
    module.add_function(wrap_pyfunction!(native_outside, module)?)?;
    module.add_function(wrap_pyfunction!(native_edge_outside, module)?)?;
    module.add_function(wrap_pyfunction!(feature_sums, module)?)?;
    module.add_function(wrap_pyfunction!(node_levels, module)?)
}

/// A semiring of the core whose values Python has a form for.
trait Native: Commutative<Value: Send + Sync> + Star + Sync {
    /// Values from their Python form.
    fn read(values: &Bound<'_, PyAny>) -> PyResult<Vec<Self::Value>>;

    /// Values in their Python form.
    fn write(py: Python<'_>, values: Vec<Self::Value>) -> PyResult<Bound<'_, PyAny>>;
}

/// Values that are elements of arrays.
macro_rules! in_arrays {
    ($($semiring:ty),*) => {$(
        impl Native for $semiring {
            fn read(values: &Bound<'_, PyAny>) -> PyResult<Vec<Self::Value>> {
                elements(values)
            }

            fn write(py: Python<'_>, values: Vec<Self::Value>) -> PyResult<Bound<'_, PyAny>> {
                Ok(values.into_pyarray(py).into_any())
            }
        }
    )*};
}

in_arrays!(Boolean, CheckedCounting, Log, Real, Tropical, Viterbi);

fn elements<T: Element + Clone>(values: &Bound<'_, PyAny>) -> PyResult<Vec<T>> {
    let array = values.cast::<PyArray1<T>>()?;
    Ok(array.readonly().as_slice()?.to_vec())
}

/// Integers, and a float for infinity.
impl Native for Counting {
    fn read(values: &Bound<'_, PyAny>) -> PyResult<Vec<Count>> {
        values
            .try_iter()?
            .map(|value| {
                let value = value?;
                Ok(if value.is_instance_of::<PyFloat>() {
                    Count::Infinite
                } else {
                    Count::Finite(value.extract()?)
                })
            })
            .collect()
    }

    fn write(py: Python<'_>, values: Vec<Count>) -> PyResult<Bound<'_, PyAny>> {
        let list = PyList::empty(py);
        for value in values {
            match value {
                Count::Finite(count) => list.append(count)?,
                Count::Infinite => list.append(f64::INFINITY)?,
            }
        }
        Ok(list.into_any())
    }
}

/// An array of logarithms of magnitudes and one of whether numbers are below zero.
impl Native for SignedLog {
    fn read(values: &Bound<'_, PyAny>) -> PyResult<Vec<SignedLogValue>> {
        let (logs, signs): (Bound<'_, PyAny>, Bound<'_, PyAny>) = values.extract()?;
        let (logs, signs) = (elements::<f64>(&logs)?, elements::<bool>(&signs)?);
        if logs.len() != signs.len() {
            return Err(PyValueError::new_err(
                "there must be a sign for each logarithm",
            ));
        }
        let pairs = logs.into_iter().zip(signs);
        Ok(pairs
            .map(|(ln, sign)| SignedLogValue::new(ln, sign))
            .collect())
    }

    fn write(py: Python<'_>, values: Vec<SignedLogValue>) -> PyResult<Bound<'_, PyAny>> {
        let logs: Vec<f64> = values.iter().map(|value| value.ln()).collect();
        let signs: Vec<bool> = values.iter().map(|value| value.is_negative()).collect();
        let arrays = (logs.into_pyarray(py), signs.into_pyarray(py));
        Ok(arrays.into_pyobject(py)?.into_any())
    }
}

/// Calls a generic function with the semiring of a name.
macro_rules! by_name {
    ($name:expr, $function:ident($($argument:expr),*)) => {
        match $name {
            "Boolean" => $function(&Boolean, $($argument),*),
            "CheckedCounting" => $function(&CheckedCounting, $($argument),*),
            "Counting" => $function(&Counting, $($argument),*),
            "Log" => $function(&Log, $($argument),*),
            "Real" => $function(&Real, $($argument),*),
            "SignedLog" => $function(&SignedLog, $($argument),*),
            "Tropical" => $function(&Tropical, $($argument),*),
            "Viterbi" => $function(&Viterbi, $($argument),*),
            other => Err(PyValueError::new_err(format!("the core has no semiring {other}"))),
        }
    };
}

/// As many values as there are edges or nodes.
fn read_all<S: Native>(
    py: Python<'_>,
    values: &Bound<'_, PyAny>,
    what: &str,
    count: usize,
) -> PyResult<Vec<S::Value>> {
    let values = S::read(values)?;
    if values.len() == count {
        return Ok(values);
    }
    let error = Error::Hypergraph {
        place: what.to_owned(),
        problem: format!("there must be {count}"),
        found: values.len().to_string(),
    };
    Err(crate::errors::to_python(py, &error))
}

/// The inside weights of the nodes in the semiring of a name; cycles are closed.
#[pyfunction]
fn native_inside<'py>(
    py: Python<'py>,
    graph: &PyHypergraph,
    semiring: &str,
    weights: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    by_name!(semiring, inside_in(py, graph, weights))
}

fn inside_in<'py, S: Native>(
    semiring: &S,
    py: Python<'py>,
    graph: &PyHypergraph,
    weights: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let graph = &*graph.0;
    let weights = read_all::<S>(py, weights, "the weights of the edges", graph.edges())?;
    let values = run(py, graph.edges(), |cancel| {
        let weights = graph.arrange_edges(&weights);
        let values = closed_inside(semiring, graph, &weights, cancel)?;
        Ok(graph.restore_nodes(values))
    })?;
    S::write(py, values)
}

/// The outside weights of the nodes from the inside weights; cycles are closed.
#[pyfunction]
fn native_outside<'py>(
    py: Python<'py>,
    graph: &PyHypergraph,
    semiring: &str,
    weights: &Bound<'py, PyAny>,
    inside: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    by_name!(semiring, outside_in(py, graph, weights, inside))
}

fn outside_in<'py, S: Native>(
    semiring: &S,
    py: Python<'py>,
    graph: &PyHypergraph,
    weights: &Bound<'py, PyAny>,
    inside: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let graph = &*graph.0;
    let weights = read_all::<S>(py, weights, "the weights of the edges", graph.edges())?;
    let inside = read_all::<S>(py, inside, "the inside weights of the nodes", graph.nodes())?;
    let values = run(py, graph.edges(), |cancel| {
        let (weights, inside) = (graph.arrange_edges(&weights), graph.arrange_nodes(&inside));
        let values = closed_outside(semiring, graph, &weights, &inside, cancel)?;
        Ok(graph.restore_nodes(values))
    })?;
    S::write(py, values)
}

/// The outside weights of the edges from the weights of the nodes.
#[pyfunction]
fn native_edge_outside<'py>(
    py: Python<'py>,
    graph: &PyHypergraph,
    semiring: &str,
    inside: &Bound<'py, PyAny>,
    outside: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    by_name!(semiring, edge_outside_in(py, graph, inside, outside))
}

fn edge_outside_in<'py, S: Native>(
    semiring: &S,
    py: Python<'py>,
    graph: &PyHypergraph,
    inside: &Bound<'py, PyAny>,
    outside: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let graph = &*graph.0;
    let inside = read_all::<S>(py, inside, "the inside weights of the nodes", graph.nodes())?;
    let outside = read_all::<S>(
        py,
        outside,
        "the outside weights of the nodes",
        graph.nodes(),
    )?;
    let values = run(py, graph.edges(), |cancel| {
        let (inside, outside) = (graph.arrange_nodes(&inside), graph.arrange_nodes(&outside));
        let values = edge_outside(semiring, graph, &inside, &outside, cancel)?;
        Ok(graph.restore_edges(values))
    })?;
    S::write(py, values)
}

/// The sum of the features of all edges, times a number for each.
#[pyfunction]
#[expect(
    clippy::needless_pass_by_value,
    reason = "pyo3 hands the arguments of a function over by value"
)]
fn feature_sums<'py>(
    py: Python<'py>,
    weights: PyReadonlyArray1<'_, f64>,
    features: FeatureArrays<'_>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let weights = weights.as_slice()?;
    let features = features.checked(py, weights.len())?;
    let sums = run(py, weights.len(), |_| Ok(features.sum(weights)))?;
    Ok(sums.into_pyarray(py))
}

/// The length of the longest way down from each node.
#[pyfunction]
fn node_levels<'py>(py: Python<'py>, graph: &PyHypergraph) -> Bound<'py, PyArray1<u32>> {
    let levels = py.detach(|| graph.0.restore_nodes(graph.0.levels()));
    levels.into_pyarray(py)
}
