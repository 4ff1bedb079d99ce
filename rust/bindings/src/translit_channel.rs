//! The joint source-channel model across the border.
#![expect(
    clippy::needless_pass_by_value,
    reason = "pyo3 hands the arguments of a function over by value"
)]

use crate::errors::to_python;
use crate::ngram_arrays::{Arrays, Given, arrays_of, parts_of};
use crate::run::interruptible;
use crate::translit_align::{GivenRagged, Ragged, ragged, starts_of};
use numpy::{IntoPyArray, PyArray1};
use plait_core::error::{Error, Result};
use plait_core::ngram;
use plait_core::translit::{DecodeOptions, JointModel, Units, Unknown, Words};
use pyo3::prelude::*;

/// Adds what this file offers to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyJointModel>()
}

/// A joint source-channel model.
#[pyclass(frozen, name = "JointModel", module = "plait._core")]
pub struct PyJointModel {
    model: JointModel,
    /// What it was laid out from, for model files.
    ngrams: ngram::Model,
}

/// `ln P(S, T)` and `ln P(S)` of each pair.
type Scores<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>);

/// For each word the number of its targets, the targets, `ln P(S, T)` of each; for each word `ln P(S)` and whether it is exact.
type Lists<'py> = (
    Vec<usize>,
    Ragged<'py>,
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<f64>>,
    Vec<bool>,
);

fn unknown_of(name: &str) -> Result<Unknown> {
    match name {
        "skip" => Ok(Unknown::Skip),
        "copy" => Ok(Unknown::Copy),
        other => Err(Error::config("unknown", "'skip' or 'copy'", other)),
    }
}

/// Units from the chunks of both sides.
fn units_of(sources: Words<'_>, targets: Words<'_>) -> Result<Units> {
    let mut units = Units::default();
    for number in 0..sources.len().min(targets.len()) {
        units.number(sources.get(number), targets.get(number))?;
    }
    if units.len() == sources.len() && units.len() == targets.len() {
        return Ok(units);
    }
    Err(Error::Model {
        part: "the units",
        problem: "must be distinct, with a source and a target chunk each".to_owned(),
    })
}

impl PyJointModel {
    /// The model.
    pub fn model(&self) -> &JointModel {
        &self.model
    }
}

#[pymethods]
impl PyJointModel {
    #[new]
    #[pyo3(signature = (unit_sources, unit_targets, sequences, *, order, prune, threads, ngrams=None, progress=None))]
    #[expect(
        clippy::too_many_arguments,
        reason = "one argument for each array and option"
    )]
    fn new(
        py: Python<'_>,
        unit_sources: GivenRagged<'_>,
        unit_targets: GivenRagged<'_>,
        sequences: GivenRagged<'_>,
        order: usize,
        prune: Vec<u32>,
        threads: usize,
        ngrams: Option<Given<'_>>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let ngrams = ngrams.map(parts_of).transpose()?;
        let (source_starts, target_starts) =
            (starts_of(&unit_sources.0)?, starts_of(&unit_targets.0)?);
        let sequence_starts = starts_of(&sequences.0)?;
        let (sources, targets) = (unit_sources.1.as_slice()?, unit_targets.1.as_slice()?);
        let words = sequences.1.as_slice()?;
        let options = ngram::Estimate {
            order,
            prune,
            ..ngram::Estimate::default()
        };
        interruptible(py, progress, |cancel, progress| {
            let units = units_of(
                Words::new(&source_starts, sources)?,
                Words::new(&target_starts, targets)?,
            )?;
            let ngrams = if let Some(parts) = ngrams {
                ngram::Model::from_parts(parts)?
            } else {
                let sequences = ngram::Sequences::new(&sequence_starts, words)?;
                let count = units.len();
                ngram::Model::estimate(&sequences, count, &options, threads, cancel, progress)?
            };
            let model = JointModel::new(units, &ngrams, cancel)?;
            Ok(Self { model, ngrams })
        })
    }

    /// The arrays of the n-gram model.
    fn ngrams<'py>(&self, py: Python<'py>) -> Arrays<'py> {
        arrays_of(py, &self.ngrams)
    }

    /// The numbers of units, contexts, and units after contexts.
    #[getter]
    fn size(&self) -> (usize, usize, usize) {
        let (contexts, steps) = self.model.size();
        (self.model.units().len(), contexts, steps)
    }

    #[pyo3(signature = (sources, *, n, candidates, steps, unknown, threads, progress=None))]
    #[expect(
        clippy::too_many_arguments,
        reason = "one argument for each option, all by keyword"
    )]
    fn nbest<'py>(
        &self,
        py: Python<'py>,
        sources: GivenRagged<'py>,
        n: usize,
        candidates: usize,
        steps: usize,
        unknown: &str,
        threads: usize,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Lists<'py>> {
        let options = DecodeOptions {
            n,
            candidates,
            steps,
            unknown: unknown_of(unknown).map_err(|error| to_python(py, &error))?,
        };
        let (starts, symbols) = (starts_of(&sources.0)?, sources.1.as_slice()?);
        let lists = interruptible(py, progress, |cancel, progress| {
            let sources = Words::new(&starts, symbols)?;
            self.model
                .nbest(sources, &options, threads, cancel, progress)
        })?;
        let (mut counts, mut exact) = (vec![], vec![]);
        let (mut starts, mut symbols) = (vec![0], vec![]);
        let (mut joint, mut sums) = (vec![], vec![]);
        for list in lists {
            counts.push(list.targets.len());
            sums.push(list.ln_source);
            exact.push(list.is_exact);
            for (target, log) in list.targets {
                symbols.extend(target);
                starts.push(symbols.len());
                joint.push(log);
            }
        }
        Ok((
            counts,
            ragged(py, &starts, symbols),
            joint.into_pyarray(py),
            sums.into_pyarray(py),
            exact,
        ))
    }

    /// `ln P(S, T)` and `ln P(S)` of each pair.
    #[pyo3(signature = (sources, targets, *, unknown, threads))]
    fn score<'py>(
        &self,
        py: Python<'py>,
        sources: GivenRagged<'py>,
        targets: GivenRagged<'py>,
        unknown: &str,
        threads: usize,
    ) -> PyResult<Scores<'py>> {
        let unknown = unknown_of(unknown).map_err(|error| to_python(py, &error))?;
        let (source_starts, target_starts) = (starts_of(&sources.0)?, starts_of(&targets.0)?);
        let (from, to) = (sources.1.as_slice()?, targets.1.as_slice()?);
        let scores = interruptible(py, None, |cancel, _| {
            let sources = Words::new(&source_starts, from)?;
            let targets = Words::new(&target_starts, to)?;
            self.model.score(sources, targets, unknown, threads, cancel)
        })?;
        let (joint, sums): (Vec<f64>, Vec<f64>) = scores.into_iter().unzip();
        Ok((joint.into_pyarray(py), sums.into_pyarray(py)))
    }
}
