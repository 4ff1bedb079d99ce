//! Candidates and pruned labels of random fields across the border.
#![expect(
    clippy::needless_pass_by_value,
    reason = "pyo3 hands the arguments of a function over by value"
)]

use crate::crf::PyCrfData;
use crate::crf_model::{PyCrfModel, Vector, check_names};
use crate::run::interruptible;
use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray2, PyReadonlyArray2};
use plait_core::crf::builder::Built;
use plait_core::crf::label_sets::keys;
use plait_core::crf::{Features, LabelSets, Likelihood, Phase, Pruned, Scope};
use plait_core::error::{Error, Result};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Adds what this file offers to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(crf_candidates, module)?)?;
    module.add_function(wrap_pyfunction!(crf_gradient_over, module)?)
}

/// How much objective and gradient may have lost; sequences, positions and active labels of sums over some labels.
pub type Lost = (f64, f64, u64, u64, u64);

/// What its sums ran over, iterations, evaluations, the objective, and what it may have lost.
pub type PhaseRow = (&'static str, usize, usize, f64, Lost);

fn lost(pruned: &Pruned) -> Lost {
    let &Pruned {
        objective,
        gradient,
        sequences,
        positions,
        labels,
    } = pruned;
    (objective, gradient, sequences, positions, labels)
}

pub fn phase_row(phase: &Phase) -> PhaseRow {
    (
        phase.reach.name(),
        phase.iterations,
        phase.evaluations,
        phase.objective,
        lost(&phase.pruned),
    )
}

/// Where candidates come from: what the names of attributes begin with, or claims.
#[derive(Clone, Copy)]
pub struct Source<'a> {
    pub prefix: Option<&'a str>,
    pub claims: Option<&'a [bool]>,
}

impl Source<'_> {
    /// The candidates of training data.
    pub fn training(&self, data: &Built, features: &Features) -> Result<Option<LabelSets>> {
        let found = match (self.prefix, self.claims) {
            (None, None) => return Ok(None),
            (Some(prefix), None) => sets_of(data, features, prefix)?,
            (None, Some(claims)) => {
                LabelSets::of_claims(&data.sequences, features.labels(), claims)?
            }
            (Some(prefix), Some(_)) => {
                let expected = "attributes or given labels, not both";
                return Err(Error::config("candidates", expected, format!("'{prefix}'")));
            }
        };
        found.with_labels_of(&data.sequences).map(Some)
    }

    /// The candidates of held-out data: those that labelling would have.
    pub fn held_out(&self, data: &Built, features: &Features) -> Result<Option<LabelSets>> {
        self.prefix
            .map(|prefix| sets_of(data, features, prefix))
            .transpose()
    }
}

fn sets_of(data: &Built, features: &Features, prefix: &str) -> Result<LabelSets> {
    let is_key = keys(&data.attributes, prefix)?;
    LabelSets::of_keys(&data.sequences, features, &is_key)
}

/// Whether each label is a candidate at each position: has a weight with an attribute whose name begins with `prefix`; all are where there is none.
#[pyfunction]
fn crf_candidates<'py>(
    py: Python<'py>,
    model: &PyCrfModel,
    data: &PyCrfData,
    prefix: &str,
) -> PyResult<Bound<'py, PyArray2<bool>>> {
    let (model, data) = (&*model.0, &*data.0);
    let shape = (data.sequences.positions(), model.labels().len());
    let claims = interruptible(py, None, |_, _| {
        check_names(data, model)?;
        let is_key = keys(model.attributes(), prefix)?;
        LabelSets::of_keys(&data.sequences, model.features(), &is_key)?.claims()
    })?;
    let matrix = Array2::from_shape_vec(shape, claims);
    let matrix = matrix.map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok(matrix.into_pyarray(py))
}

/// Minus the log-likelihood of labelled sequences over pruned labels, over candidates, or with weights of pairs of candidates only, its gradient, and what both may have lost.
#[pyfunction]
#[pyo3(signature = (model, data, *, beam=0.0, candidates=None, with_others=false, repeat=1, threads))]
#[expect(
    clippy::too_many_arguments,
    reason = "one argument for each option, all by keyword"
)]
fn crf_gradient_over<'py>(
    py: Python<'py>,
    model: &PyCrfModel,
    data: &PyCrfData,
    beam: f64,
    candidates: Option<PyReadonlyArray2<'py, bool>>,
    with_others: bool,
    repeat: usize,
    threads: usize,
) -> PyResult<(f64, Vector<'py>, Lost)> {
    let claims = candidates
        .as_ref()
        .map(|array| array.as_slice())
        .transpose()?;
    let source = Source {
        prefix: None,
        claims,
    };
    let (model, data) = (&*model.0, &*data.0);
    let (value, gradient, pruned) = interruptible(py, None, |cancel, _| {
        check_names(data, model)?;
        let features = model.features();
        let counts = features.count(&data.sequences)?;
        let likelihood = Likelihood::new(&data.sequences, features, &counts)?;
        let sets = source.training(data, features)?;
        let scope = match &sets {
            None => Scope::Pruned(beam),
            Some(sets) if with_others => Scope::CandidatePairs(sets),
            Some(sets) => Scope::Candidates(sets),
        };
        let mut gradient = vec![0.0; features.len()];
        let mut found = (0.0, Pruned::default());
        for _ in 0..repeat {
            found = likelihood.evaluate_over(
                &scope,
                model.weights(),
                &mut gradient,
                threads,
                cancel,
            )?;
        }
        Ok((found.0, gradient, found.1))
    })?;
    Ok((value, gradient.into_pyarray(py), lost(&pruned)))
}
