//! The HMM across the border.

use crate::errors::to_python;
use crate::hmm_arrays;
use crate::links::{LinkArrays, links_to_arrays};
use crate::run::interruptible;
use crate::text::PyBitext;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArray3, PyArrayMethods, PyReadonlyArray1};
use plait_core::align::hmm::cells::MOST_CELLS;
use plait_core::align::hmm::fold_in::Knowledge;
use plait_core::align::hmm::gibbs::options::{Sampler, Sampling};
use plait_core::align::hmm::model::Model;
use plait_core::align::hmm::options::{Beam, Coupling, Decoding, Options};
use plait_core::align::hmm::prior::Prior;
use plait_core::align::hmm::train::train;
use plait_core::align::ibm::readout::DirectionReadout;
use plait_core::align::ibm::train::Context;
use plait_core::cancel::CancelToken;
use plait_core::error::{Error, Result};
use plait_core::text::Vocabulary;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::{Arc, Mutex, PoisonError};

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("MAX_CELLS", MOST_CELLS)?;
    module.add_class::<PyHmm>()?;
    module.add_function(wrap_pyfunction!(train_hmm, module)?)
}

/// Links of one direction, and its posteriors where they were asked for.
type Readout<'py> = (LinkArrays<'py>, Option<LinkArrays<'py>>);

/// Scores of both directions.
type Scores<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>);

/// Posteriors, parts of the translation probability and jumps of one direction.
type Evidence<'py> = (
    Bound<'py, PyArray2<f32>>,
    Bound<'py, PyArray3<f32>>,
    Option<Bound<'py, PyArray2<f32>>>,
);

/// A trained HMM, and the training text's links until they are taken.
#[pyclass(frozen, name = "Hmm", module = "plait._core")]
pub struct PyHmm {
    model: Arc<Model>,
    vocabularies: [Vocabulary; 2],
    /// What follows from the model; made when new text comes.
    knowledge: Mutex<Option<Arc<Knowledge>>>,
    histories: [Vec<f64>; 2],
    left_out: [u64; 2],
    readouts: Mutex<Vec<Option<DirectionReadout>>>,
}

#[pymethods]
impl PyHmm {
    /// Moves the links and posteriors of the training text to Python, once: direction 0 is forward, 1 reverse.
    fn take_readout<'py>(&self, py: Python<'py>, direction: usize) -> PyResult<Readout<'py>> {
        let mut readouts = self.readouts.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = readouts.get_mut(direction).and_then(Option::take);
        drop(readouts);
        let readout = taken
            .ok_or_else(|| PyRuntimeError::new_err("this direction's links were taken already"))?;
        to_arrays(py, readout)
    }

    /// Log-likelihood of each iteration of a direction.
    fn history(&self, direction: usize) -> Vec<f64> {
        self.histories.get(direction).cloned().unwrap_or_default()
    }

    /// Sentence pairs that are too long, and that no alignment can explain.
    fn left_out(&self) -> (u64, u64) {
        (self.left_out[0], self.left_out[1])
    }

    /// Arrays that hold all of the model, by name.
    fn arrays<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        hmm_arrays::to_dict(py, self)
    }

    /// The model of such arrays and the settings it was trained with; everything is checked.
    #[staticmethod]
    fn from_arrays(settings: Settings, arrays: &Bound<'_, PyDict>) -> PyResult<Self> {
        hmm_arrays::from_dict(settings.into_options(true), arrays)
    }

    /// The factors behind each cell of a sentence pair, forward and reverse: posteriors `float32[I, J]`, what each level of the back-off adds to the
    /// translation probability `float32[I, J, levels + 1]`, and jumps `float32[I, J]` (None for Model 1). None for a pair that is not usable.
    #[pyo3(signature = (bitext, n, *, threads))]
    fn explain<'py>(
        &self,
        py: Python<'py>,
        bitext: &PyBitext,
        n: usize,
        threads: usize,
    ) -> PyResult<Option<Vec<Evidence<'py>>>> {
        let new = bitext.shared();
        let found = interruptible(py, None, |cancel, _| {
            self.knowledge(threads, cancel)?.explain(&new, n, cancel)
        })?;
        let Some(found) = found else { return Ok(None) };
        let [sources, targets] = found.lengths;
        let levels = found.parts[0].len() / (sources * targets);
        let mut directions = Vec::new();
        for ((posteriors, parts), jumps) in found
            .posteriors
            .into_iter()
            .zip(found.parts)
            .zip(found.jumps)
        {
            let jumps = if jumps.is_empty() {
                None
            } else {
                Some(jumps.into_pyarray(py).reshape([sources, targets])?)
            };
            directions.push((
                posteriors.into_pyarray(py).reshape([sources, targets])?,
                parts.into_pyarray(py).reshape([sources, targets, levels])?,
                jumps,
            ));
        }
        Ok(Some(directions))
    }

    /// Links and posteriors of new text, forward and reverse, and the log-likelihood of each sentence pair.
    #[pyo3(signature = (bitext, *, threads, progress=None))]
    fn align_new<'py>(
        &self,
        py: Python<'py>,
        bitext: &PyBitext,
        threads: usize,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<(Vec<Readout<'py>>, Scores<'py>)> {
        let new = bitext.shared();
        let found = interruptible(py, progress, |cancel, progress| {
            let context = Context {
                threads,
                cancel,
                progress,
            };
            self.knowledge(threads, cancel)?.align(&new, &context)
        })?;
        let readouts = found
            .readouts
            .into_iter()
            .map(|readout| to_arrays(py, readout))
            .collect::<PyResult<_>>()?;
        let [forward, reverse] = found.ln_likelihoods;
        Ok((
            readouts,
            (forward.into_pyarray(py), reverse.into_pyarray(py)),
        ))
    }
}

impl PyHmm {
    /// A model without a training text.
    pub fn new(model: Model, vocabularies: [Vocabulary; 2]) -> Self {
        Self {
            model: Arc::new(model),
            vocabularies,
            knowledge: Mutex::new(None),
            histories: [Vec::new(), Vec::new()],
            left_out: [0; 2],
            readouts: Mutex::new(Vec::new()),
        }
    }

    /// The model and the words of its ids.
    pub fn parts(&self) -> (&Model, &[Vocabulary; 2]) {
        (&self.model, &self.vocabularies)
    }

    fn knowledge(&self, threads: usize, cancel: &CancelToken) -> Result<Arc<Knowledge>> {
        let mut slot = self
            .knowledge
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = slot.as_ref() {
            return Ok(Arc::clone(known));
        }
        let model = Arc::clone(&self.model);
        let made = Knowledge::new(model, self.vocabularies.clone(), threads, cancel)?;
        Ok(Arc::clone(slot.insert(Arc::new(made))))
    }
}

fn to_arrays(py: Python<'_>, readout: DirectionReadout) -> PyResult<Readout<'_>> {
    let posteriors = readout
        .posteriors
        .map(|links| links_to_arrays(py, links))
        .transpose()?;
    Ok((links_to_arrays(py, readout.links)?, posteriors))
}

/// Source and target words, and source id, target id and number of each count of links.
type PriorCounts<'py> = (
    Vec<String>,
    Vec<String>,
    PyReadonlyArray1<'py, u32>,
    PyReadonlyArray1<'py, u32>,
    PyReadonlyArray1<'py, f64>,
);

/// Options by name, as Python has them.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Settings {
    warm_up: u32,
    iterations: u32,
    agree: bool,
    tau: f64,
    #[pyo3(default)]
    class_tau: f64,
    p0: f64,
    warm_up_p0: Option<f64>,
    smoothing: f64,
    initial_decay: f64,
    prefixes: Vec<u32>,
    strength: Vec<f64>,
    variety: f64,
    leave_out: f64,
    null_mixture: f64,
    emission_beam: f32,
    state_beam: f32,
    viterbi: bool,
    #[pyo3(default)]
    sampling: Option<SamplingSettings>,
}

/// Options of the sampler by name.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct SamplingSettings {
    burn_in: u32,
    samples: u32,
    lag: u32,
    sampler: String,
    blocks: u32,
    seed: u64,
    fertility: f64,
    em_share: f64,
}

impl SamplingSettings {
    fn into_sampling(self) -> Sampling {
        Sampling {
            burn_in: self.burn_in,
            samples: self.samples,
            lag: self.lag,
            sampler: match self.sampler.as_str() {
                "exact" => Sampler::Exact,
                "parallel" => Sampler::Blocks(self.blocks),
                _ => Sampler::Auto,
            },
            seed: self.seed,
            fertility: self.fertility,
            em_share: self.em_share,
        }
    }
}

impl Settings {
    pub fn into_options(self, wants_posteriors: bool) -> Options {
        Options {
            warm_up: self.warm_up,
            iterations: self.iterations,
            coupling: if self.agree {
                Coupling::Agreement
            } else {
                Coupling::Independent
            },
            tau: self.tau,
            class_tau: self.class_tau,
            null_probability: self.p0,
            warm_up_null: self.warm_up_p0,
            smoothing: self.smoothing,
            initial_decay: self.initial_decay,
            prefixes: self.prefixes,
            strength: self.strength,
            variety: self.variety,
            leave_out: self.leave_out,
            null_mixture: self.null_mixture,
            beam: Beam {
                emission: self.emission_beam,
                state: self.state_beam,
            },
            decoding: if self.viterbi {
                Decoding::Viterbi
            } else {
                Decoding::Posterior
            },
            wants_posteriors,
            sampling: self.sampling.map(SamplingSettings::into_sampling),
        }
    }
}

/// Trains both directions of the HMM.
#[pyfunction]
#[pyo3(signature = (bitext, settings, *, wants_posteriors, threads, source_classes=None, target_classes=None, prior=None, progress=None))]
#[expect(clippy::too_many_arguments, reason = "all but two by keyword")]
fn train_hmm(
    py: Python<'_>,
    bitext: &PyBitext,
    settings: Settings,
    wants_posteriors: bool,
    threads: usize,
    source_classes: Option<Vec<u16>>,
    target_classes: Option<Vec<u16>>,
    prior: Option<PriorCounts<'_>>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<PyHmm> {
    let options = settings.into_options(wants_posteriors);
    let training = bitext.shared();
    for (name, classes, words) in [
        (
            "source_classes",
            &source_classes,
            training.source().vocabulary().len(),
        ),
        (
            "target_classes",
            &target_classes,
            training.target().vocabulary().len(),
        ),
    ] {
        if let Some(classes) = classes
            && classes.len() != words
        {
            let error = Error::Config {
                name,
                expected: format!("{words} numbers, one for each word"),
                found: classes.len().to_string(),
            };
            return Err(to_python(py, &error));
        }
    }
    let prior = match prior {
        None => None,
        Some((source_words, target_words, sources, targets, counts)) => Some(Prior {
            words: [source_words, target_words].map(Vocabulary::from_words),
            sources: sources.to_vec()?,
            targets: targets.to_vec()?,
            counts: counts.to_vec()?,
        }),
    };
    let trained = interruptible(py, progress, |cancel, progress| {
        let context = Context {
            threads,
            cancel,
            progress,
        };
        train(
            &training,
            [source_classes, target_classes],
            prior.as_ref(),
            &options,
            &context,
        )
    })?;
    let [forward, reverse] = trained.readouts;
    let vocabularies = [
        training.source().vocabulary().clone(),
        training.target().vocabulary().clone(),
    ];
    Ok(PyHmm {
        histories: trained.histories,
        left_out: trained.left_out,
        readouts: Mutex::new(vec![Some(forward), Some(reverse)]),
        ..PyHmm::new(trained.model, vocabularies)
    })
}
