//! Risk, entropy and their gradients over blocks of forests, across the border. Threads are the caller's: they live as long as there are blocks.
#![expect(
    clippy::needless_pass_by_value,
    reason = "pyo3 hands the arguments of a function over by value"
)]

use crate::errors::to_python;
use crate::feature_arrays::FeatureArrays;
use crate::hypergraph::PyHypergraph;
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use plait_core::cancel::CancelToken;
use plait_core::error::{Error, Result};
use plait_core::minrisk::{
    Block, BlockBuilder, BlockSums, Gradients, Objective, Totals, Workspace,
};
use pyo3::prelude::*;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The arrays of a block: its number of forests, then what has 64, 32 and 16 bits.
type MadeBlock<'py> = (
    usize,
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<u32>>,
    Bound<'py, PyArray1<u16>>,
);

/// The same as Python gives it, after the number of the first forest.
#[derive(FromPyObject)]
struct BlockArguments<'py>(
    u64,
    usize,
    PyReadonlyArray1<'py, f64>,
    PyReadonlyArray1<'py, u32>,
    PyReadonlyArray1<'py, u16>,
);

impl BlockArguments<'_> {
    fn block(&self) -> PyResult<Block<'_>> {
        Ok(Block {
            first: self.0,
            forests: self.1,
            doubles: self.2.as_slice()?,
            words: self.3.as_slice()?,
            shorts: self.4.as_slice()?,
        })
    }
}

/// Puts forests into blocks.
#[pyclass(frozen, module = "plait._core")]
pub struct RiskBlockBuilder(Mutex<BlockBuilder>);

impl RiskBlockBuilder {
    fn with<T: Send>(&self, py: Python<'_>, work: impl FnOnce(&mut BlockBuilder) -> T + Send) -> T {
        py.detach(|| work(&mut lock(&self.0)))
    }
}

#[pymethods]
impl RiskBlockBuilder {
    #[new]
    fn new() -> Self {
        Self(Mutex::default())
    }

    /// Adds a forest; returns whether it is empty, and the size of the block in bytes.
    #[pyo3(signature = (graph, features, losses, base=None))]
    fn add(
        &self,
        py: Python<'_>,
        graph: PyRef<'_, PyHypergraph>,
        features: FeatureArrays<'_>,
        losses: PyReadonlyArray1<'_, f64>,
        base: Option<PyReadonlyArray1<'_, f64>>,
    ) -> PyResult<(bool, usize)> {
        let graph = &graph.0;
        let features = features.checked(py, graph.edges())?;
        let losses = losses.as_slice()?;
        let base = base.as_ref().map(|base| base.as_slice()).transpose()?;
        let added = self.with(py, |builder| {
            let is_empty = builder.add(graph, features, losses, base)?;
            Ok((is_empty, builder.bytes()))
        });
        added.map_err(|error: Error| to_python(py, &error))
    }

    /// Takes the block out.
    fn take<'py>(&self, py: Python<'py>) -> MadeBlock<'py> {
        let made = self.with(py, BlockBuilder::take);
        (
            made.forests,
            made.doubles.into_pyarray(py),
            made.words.into_pyarray(py),
            made.shorts.into_pyarray(py),
        )
    }
}

/// An objective at some weights, with the memory of the threads that evaluate it.
#[pyclass(frozen, module = "plait._core")]
pub struct RiskObjective {
    objective: Objective,
    cancel: CancelToken,
    spaces: Mutex<Vec<Workspace>>,
}

/// What the forests of a block add to the sums.
#[pyclass(frozen, module = "plait._core")]
pub struct RiskPart(BlockSums);

/// Sums over forests.
#[pyclass(frozen, module = "plait._core")]
pub struct RiskTotals(Mutex<Totals>);

#[pymethods]
impl RiskObjective {
    #[new]
    #[pyo3(signature = (weights, *, gamma, temperature, gradients))]
    fn new(
        py: Python<'_>,
        weights: PyReadonlyArray1<'_, f64>,
        gamma: f64,
        temperature: f64,
        gradients: &str,
    ) -> PyResult<Self> {
        let weights = weights.as_slice()?.to_vec();
        let made = gradients_of(gradients).and_then(|gradients| {
            let objective = Objective {
                weights,
                gamma,
                temperature,
                gradients,
            };
            objective.check().map(|()| objective)
        });
        Ok(Self {
            objective: made.map_err(|error| to_python(py, &error))?,
            cancel: CancelToken::new(),
            spaces: Mutex::default(),
        })
    }

    /// Evaluates a block that has been checked; any thread may call.
    fn evaluate(&self, py: Python<'_>, block: BlockArguments<'_>) -> PyResult<RiskPart> {
        let block = block.block()?;
        let found = py.detach(|| {
            let mut space = lock(&self.spaces).pop().unwrap_or_default();
            let found = self.objective.evaluate(block, &mut space, &self.cancel);
            lock(&self.spaces).push(space);
            found
        });
        found.map(RiskPart).map_err(|error| to_python(py, &error))
    }

    /// Asks all evaluations to stop.
    fn cancel(&self) {
        self.cancel.cancel();
    }

    /// Nothing so far.
    fn totals(&self) -> RiskTotals {
        RiskTotals(Mutex::new(Totals::new(&self.objective)))
    }
}

/// Forests, empty ones, risk, entropy, expected score, derivatives by gamma and by weights.
type Found<'py> = (
    u64,
    u64,
    f64,
    f64,
    f64,
    (f64, f64),
    Vec<Bound<'py, PyArray1<f64>>>,
);

#[pymethods]
impl RiskTotals {
    /// Adds a part of the same objective; parts come in the order of their blocks.
    fn add(&self, part: PyRef<'_, RiskPart>) {
        lock(&self.0).add(&part.0);
    }

    /// The number of forests so far.
    #[getter]
    fn forests(&self) -> u64 {
        lock(&self.0).forests
    }

    /// The sums.
    fn found<'py>(&self, py: Python<'py>) -> Found<'py> {
        let found = lock(&self.0).clone();
        let vectors = found.by_weights.into_iter();
        (
            found.forests,
            found.empty,
            found.risk,
            found.entropy,
            found.expected_score,
            found.by_gamma.into(),
            vectors.map(|vector| vector.into_pyarray(py)).collect(),
        )
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn gradients_of(name: &str) -> Result<Gradients> {
    Ok(match name {
        "none" => Gradients::None,
        "joint" => Gradients::Joint,
        "separate" => Gradients::Separate,
        _ => return Err(Error::config("gradients", "none, joint or separate", name)),
    })
}

/// Refuses blocks that no builder has made of forests with so many features.
#[pyfunction]
fn check_risk_block(py: Python<'_>, block: BlockArguments<'_>, features: usize) -> PyResult<()> {
    let block = block.block()?;
    let checked = py.detach(|| block.check(features));
    checked.map_err(|error| to_python(py, &error))
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<RiskBlockBuilder>()?;
    module.add_class::<RiskObjective>()?;
    module.add_class::<RiskPart>()?;
    module.add_class::<RiskTotals>()?;
    module.add_function(wrap_pyfunction!(check_risk_block, module)?)?;
    Ok(())
}
