//! Risk, entropy and their gradients over blocks of forests, across the border.
#![expect(
    clippy::needless_pass_by_value,
    reason = "pyo3 hands the arguments of a function over by value"
)]

use crate::distribution::FeatureArrays;
use crate::errors::to_python;
use crate::hypergraph::PyHypergraph;
use crate::run::interruptible;
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use plait_core::error::{Error, Result};
use plait_core::minrisk::{Block, BlockBuilder, Gradients, Objective, Sums};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::sync::{Mutex, PoisonError};

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
        py.detach(|| work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner)))
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

/// Sums over the forests of one block after the other.
#[pyclass(frozen, module = "plait._core")]
pub struct RiskSums(Mutex<Option<Sums>>);

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
impl RiskSums {
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
            Sums::new(Objective {
                weights,
                gamma,
                temperature,
                gradients,
            })
        });
        let sums = made.map_err(|error| to_python(py, &error))?;
        Ok(Self(Mutex::new(Some(sums))))
    }

    /// Adds blocks that have been checked.
    #[pyo3(signature = (blocks, *, total, threads, progress=None))]
    fn add(
        &self,
        py: Python<'_>,
        blocks: Vec<BlockArguments<'_>>,
        total: u64,
        threads: usize,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let blocks: Vec<Block<'_>> = blocks
            .iter()
            .map(BlockArguments::block)
            .collect::<PyResult<_>>()?;
        let mut sums = self.take()?;
        let sums = interruptible(py, progress, move |cancel, progress| {
            for block in blocks {
                sums.add(block, threads, cancel, |done| {
                    progress.report("evaluating", done, total, &[]);
                })?;
            }
            Ok(sums)
        })?;
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(sums);
        Ok(())
    }

    /// The sums.
    fn finish<'py>(&self, py: Python<'py>) -> PyResult<Found<'py>> {
        let found = self.take()?.totals();
        let vectors = found.by_weights.into_iter();
        Ok((
            found.forests,
            found.empty,
            found.risk,
            found.entropy,
            found.expected_score,
            found.by_gamma.into(),
            vectors.map(|vector| vector.into_pyarray(py)).collect(),
        ))
    }
}

impl RiskSums {
    /// What a failure or an interrupt leaves is of no use, and not there any more.
    fn take(&self) -> PyResult<Sums> {
        let sums = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        sums.ok_or_else(|| PyRuntimeError::new_err("these sums are finished, or have failed"))
    }
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
    interruptible(py, None, |_, _| block.check(features))
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<RiskBlockBuilder>()?;
    module.add_class::<RiskSums>()?;
    module.add_function(wrap_pyfunction!(check_risk_block, module)?)?;
    Ok(())
}
