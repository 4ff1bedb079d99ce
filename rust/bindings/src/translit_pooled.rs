//! Candidates of two models of transliteration together, across the border.
#![expect(
    clippy::needless_pass_by_value,
    reason = "pyo3 hands the arguments of a function over by value"
)]

use crate::offsets::starts;
use crate::run::interruptible;
use crate::translit_align::{GivenRagged, starts_of};
use crate::translit_channel::PyJointModel;
use crate::translit_two_step::PyTwoStep;
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use plait_core::translit::pooled::{Models, pool};
use plait_core::translit::two_step::{Options, Stop};
use plait_core::translit::{DecodeOptions, Unknown, Words};
use pyo3::prelude::*;

/// Adds what this file offers to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(pool_candidates, module)?)
}

/// Where the candidates of each word and the symbols of each candidate start, symbols; P(T | S) of the first model, `ln P(T | S)` of the second, and whether the list of
/// each has the candidate.
type Pooled<'py> = (
    Bound<'py, PyArray1<u64>>,
    Bound<'py, PyArray1<u64>>,
    Bound<'py, PyArray1<u32>>,
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<bool>>,
    Bound<'py, PyArray1<bool>>,
);

/// Candidates of both models, with the probabilities that each gives all of them.
#[pyfunction]
#[pyo3(signature = (two_step, joint, two_step_sources, joint_sources, common, *, segmentations, conversions, all_labels, n, looked_at, steps, threads, progress=None))]
#[expect(
    clippy::too_many_arguments,
    reason = "one argument for each option, all by keyword"
)]
fn pool_candidates<'py>(
    py: Python<'py>,
    two_step: &PyTwoStep,
    joint: &PyJointModel,
    two_step_sources: GivenRagged<'_>,
    joint_sources: GivenRagged<'_>,
    common: PyReadonlyArray1<'_, u32>,
    segmentations: usize,
    conversions: usize,
    all_labels: bool,
    n: usize,
    looked_at: usize,
    steps: usize,
    threads: usize,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Pooled<'py>> {
    let firsts = starts_of(&two_step_sources.0)?;
    let seconds = starts_of(&joint_sources.0)?;
    let (first, second) = (two_step_sources.1.as_slice()?, joint_sources.1.as_slice()?);
    let common = common.as_slice()?;
    let (two_step, joint) = (two_step.model(), joint.model());
    let models = Models {
        two_step,
        two_step_options: Options {
            segmentations,
            conversions,
            stop: Stop::Never,
            all_labels,
            first: n,
        },
        joint,
        joint_options: DecodeOptions {
            n,
            candidates: looked_at,
            steps,
            unknown: Unknown::Skip,
        },
        common,
    };
    let found = interruptible(py, progress, |cancel, progress| {
        let first = Words::new(&firsts, first)?;
        let second = Words::new(&seconds, second)?;
        pool(&models, first, second, threads, cancel, progress)
    })?;
    let (listed_first, listed_second): (Vec<bool>, Vec<bool>) = found.listed.into_iter().unzip();
    Ok((
        starts(&found.words).into_pyarray(py),
        starts(&found.starts).into_pyarray(py),
        found.symbols.into_pyarray(py),
        found.two_step.into_pyarray(py),
        found.joint.into_pyarray(py),
        listed_first.into_pyarray(py),
        listed_second.into_pyarray(py),
    ))
}
