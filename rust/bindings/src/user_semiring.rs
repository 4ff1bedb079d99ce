//! Sums over derivations in a semiring that is a Python object. Lists are by the caller's number.
//!
//! All is done on the calling thread with the interpreter's lock: every operation is a call into Python.
#![expect(
    clippy::needless_pass_by_value,
    reason = "pyo3 hands the arguments of a function over by value"
)]

use crate::errors::to_python;
use crate::hypergraph::PyHypergraph;
use plait_core::cancel::CancelToken;
use plait_core::error::{Error, Result};
use plait_core::hypergraph::{closed_inside, closed_outside, edge_outside, inside, outside};
use plait_core::semiring::{Commutative, Semiring, Star};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyList;
use std::cell::{Cell, RefCell};

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(user_inside, module)?)?;
    module.add_function(wrap_pyfunction!(user_outside, module)?)?;
    module.add_function(wrap_pyfunction!(user_edge_outside, module)?)
}

/// Operations between two looks for signals and other threads: functions written in C look for neither.
const OPERATIONS: u32 = 256;

/// A user's object with `zero`, `one`, `plus`, `times` and perhaps `star`.
///
/// An exception that one of them raises is kept; from then on nothing is called, and the work ends as soon as it looks.
struct UserSemiring<'py> {
    py: Python<'py>,
    zero: Bound<'py, PyAny>,
    one: Bound<'py, PyAny>,
    plus: Bound<'py, PyAny>,
    times: Bound<'py, PyAny>,
    star: Option<Bound<'py, PyAny>>,
    failure: RefCell<Option<PyErr>>,
    /// What `star` raised for a sum that diverges.
    divergence: RefCell<Option<PyErr>>,
    operations: Cell<u32>,
    cancel: CancelToken,
}

impl<'py> UserSemiring<'py> {
    fn new(object: &Bound<'py, PyAny>, is_closed: bool) -> PyResult<Self> {
        Ok(Self {
            py: object.py(),
            zero: object.getattr("zero")?,
            one: object.getattr("one")?,
            plus: object.getattr("plus")?,
            times: object.getattr("times")?,
            star: is_closed.then(|| object.getattr("star")).transpose()?,
            failure: RefCell::new(None),
            divergence: RefCell::new(None),
            operations: Cell::new(0),
            cancel: CancelToken::new(),
        })
    }

    fn fail(&self, failure: PyErr) {
        self.failure.borrow_mut().get_or_insert(failure);
        self.cancel.cancel();
    }

    /// The result of an operation; anything after a failure.
    fn call(
        &self,
        operation: &Bound<'py, PyAny>,
        a: &Bound<'py, PyAny>,
        b: &Bound<'py, PyAny>,
    ) -> Bound<'py, PyAny> {
        if self.has_failed() {
            return a.clone();
        }
        let operations = self.operations.get().wrapping_add(1);
        self.operations.set(operations);
        if operations.is_multiple_of(OPERATIONS) {
            // Other threads have their turn, too.
            self.py.detach(|| {});
            if let Err(signal) = self.py.check_signals() {
                self.fail(signal);
                return a.clone();
            }
        }
        operation.call1((a, b)).unwrap_or_else(|failure| {
            self.fail(failure);
            a.clone()
        })
    }

    /// What the core found, or what the user's code raised meanwhile.
    fn finish<T>(&self, result: Result<T>) -> PyResult<T> {
        if let Some(failure) = self.failure.borrow_mut().take() {
            return Err(failure);
        }
        result.map_err(|error| {
            let raised = to_python(self.py, &error);
            if matches!(error, Error::Cycle { .. }) {
                raised.set_cause(self.py, self.divergence.borrow_mut().take());
            }
            raised
        })
    }
}

impl<'py> Semiring for UserSemiring<'py> {
    type Value = Bound<'py, PyAny>;

    fn zero(&self) -> Self::Value {
        self.zero.clone()
    }

    fn one(&self) -> Self::Value {
        self.one.clone()
    }

    fn plus(&self, a: &Self::Value, b: &Self::Value) -> Self::Value {
        self.call(&self.plus, a, b)
    }

    fn times(&self, a: &Self::Value, b: &Self::Value) -> Self::Value {
        self.call(&self.times, a, b)
    }

    /// A value that is the zero or says it is equal to it; anything but a truth value, as arrays answer, is no.
    fn is_zero(&self, a: &Self::Value) -> bool {
        if a.is(&self.zero) {
            return true;
        }
        if self.has_failed() {
            return false;
        }
        match a.rich_compare(&self.zero, pyo3::basic::CompareOp::Eq) {
            Ok(answer) => answer.extract().unwrap_or(false),
            Err(failure) => {
                self.fail(failure);
                false
            }
        }
    }

    fn has_failed(&self) -> bool {
        self.cancel.is_cancelled()
    }
}

// Declared by the user; Python asks before it calls what needs it.
impl Commutative for UserSemiring<'_> {}

impl Star for UserSemiring<'_> {
    /// `ValueError` says that the sum diverges.
    fn star(&self, a: &Self::Value) -> Option<Self::Value> {
        let star = self.star.as_ref()?;
        if self.has_failed() {
            return Some(a.clone());
        }
        match star.call1((a,)) {
            Ok(value) => Some(value),
            Err(failure) if failure.is_instance_of::<PyValueError>(self.py) => {
                *self.divergence.borrow_mut() = Some(failure);
                None
            }
            Err(failure) => {
                self.fail(failure);
                Some(a.clone())
            }
        }
    }
}

/// The inside weights of the nodes, products in prefix order; with `is_closed`, cycles are closed.
#[pyfunction]
fn user_inside<'py>(
    graph: &PyHypergraph,
    weights: Vec<Bound<'py, PyAny>>,
    semiring: &Bound<'py, PyAny>,
    is_closed: bool,
) -> PyResult<Bound<'py, PyList>> {
    let (graph, user) = (&*graph.0, UserSemiring::new(semiring, is_closed)?);
    let weights = graph.arrange_edges(&weights);
    let found = if is_closed {
        closed_inside(&user, graph, &weights, &user.cancel)
    } else {
        inside(&user, graph, &weights, &user.cancel)
    };
    let values = graph.restore_nodes(user.finish(found)?);
    PyList::new(semiring.py(), values)
}

/// The outside weights of the nodes from the inside weights.
#[pyfunction]
fn user_outside<'py>(
    graph: &PyHypergraph,
    weights: Vec<Bound<'py, PyAny>>,
    below: Vec<Bound<'py, PyAny>>,
    semiring: &Bound<'py, PyAny>,
    is_closed: bool,
) -> PyResult<Bound<'py, PyList>> {
    let (graph, user) = (&*graph.0, UserSemiring::new(semiring, is_closed)?);
    let (weights, below) = (graph.arrange_edges(&weights), graph.arrange_nodes(&below));
    let found = if is_closed {
        closed_outside(&user, graph, &weights, &below, &user.cancel)
    } else {
        outside(&user, graph, &weights, &below, &user.cancel)
    };
    let values = graph.restore_nodes(user.finish(found)?);
    PyList::new(semiring.py(), values)
}

/// The outside weights of the edges from the weights of the nodes.
#[pyfunction]
fn user_edge_outside<'py>(
    graph: &PyHypergraph,
    below: Vec<Bound<'py, PyAny>>,
    above: Vec<Bound<'py, PyAny>>,
    semiring: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyList>> {
    let (graph, user) = (&*graph.0, UserSemiring::new(semiring, false)?);
    let (below, above) = (graph.arrange_nodes(&below), graph.arrange_nodes(&above));
    let found = edge_outside(&user, graph, &below, &above, &user.cancel);
    let values = graph.restore_edges(user.finish(found)?);
    PyList::new(semiring.py(), values)
}
