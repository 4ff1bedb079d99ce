//! IBM models across the border.

use crate::errors::to_python;
use crate::links::{LinkArrays, links_to_arrays};
use crate::run::interruptible;
use crate::text::PyBitext;
use plait_core::align::ibm::fold_in::{Knowledge, align_new};
use plait_core::align::ibm::initial::Initial;
use plait_core::align::ibm::lexicon::Lexicon;
use plait_core::align::ibm::options::{Inference, Options, Sampler, Sampling};
use plait_core::align::ibm::placement::{Model, Tail};
use plait_core::align::ibm::readout::DirectionReadout;
use plait_core::align::ibm::train::{Context, train};
use plait_core::error::Error;
use plait_core::text::Bitext;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::sync::{Arc, Mutex, PoisonError};

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyIbm>()?;
    module.add_function(wrap_pyfunction!(train_ibm, module)?)
}

/// Links of one direction, and its posteriors where they were asked for.
type Readout<'py> = (LinkArrays<'py>, Option<LinkArrays<'py>>);

/// A trained pair of IBM models: both lexicons, and the training text's links until they are taken.
#[pyclass(frozen, name = "Ibm", module = "plait._core")]
pub struct PyIbm {
    training: Arc<Bitext>,
    options: Options,
    lexicons: [Lexicon; 2],
    histories: [Vec<f64>; 2],
    readouts: Mutex<Vec<Option<DirectionReadout>>>,
}

#[pymethods]
impl PyIbm {
    /// Moves the links and posteriors of the training text to Python, once: direction 0 is forward, 1 reverse.
    fn take_readout<'py>(&self, py: Python<'py>, direction: usize) -> PyResult<Readout<'py>> {
        let mut readouts = self.readouts.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = readouts.get_mut(direction).and_then(Option::take);
        drop(readouts);
        let readout = taken
            .ok_or_else(|| PyRuntimeError::new_err("this direction's links were taken already"))?;
        to_arrays(py, readout)
    }

    /// What was recorded after each iteration of a direction.
    fn history(&self, direction: usize) -> Vec<f64> {
        self.histories.get(direction).cloned().unwrap_or_default()
    }

    /// Number of cells of a direction's lexicon.
    fn lexicon_size(&self, direction: usize) -> usize {
        self.lexicons
            .get(direction)
            .map_or(0, |lexicon| lexicon.given.len())
    }

    /// Links and posteriors of new text, forward and reverse.
    #[pyo3(signature = (bitext, *, threads, progress=None))]
    fn align_new<'py>(
        &self,
        py: Python<'py>,
        bitext: &PyBitext,
        threads: usize,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Vec<Readout<'py>>> {
        let new = bitext.shared();
        let readouts = interruptible(py, progress, |cancel, progress| {
            let knowledge = Knowledge {
                vocabularies: (
                    self.training.source().vocabulary(),
                    self.training.target().vocabulary(),
                ),
                lexicons: [&self.lexicons[0], &self.lexicons[1]],
                options: &self.options,
            };
            let context = Context {
                threads,
                cancel,
                progress,
            };
            align_new(&new, knowledge, &context)
        })?;
        readouts
            .into_iter()
            .map(|readout| to_arrays(py, readout))
            .collect()
    }
}

fn to_arrays(py: Python<'_>, readout: DirectionReadout) -> PyResult<Readout<'_>> {
    let posteriors = readout
        .posteriors
        .map(|links| links_to_arrays(py, links))
        .transpose()?;
    Ok((links_to_arrays(py, readout.links)?, posteriors))
}

/// Trains both directions of an IBM model.
#[pyfunction]
#[pyo3(signature = (
    bitext, *, model, tail, inference, iterations, warm_up, burn_in, samples, lag, initial, initial_iterations, sampler, blocks,
    theta, phi, p0, seed, wants_objective, wants_posteriors, threads, progress=None
))]
#[expect(
    clippy::too_many_arguments,
    reason = "one argument for each option, all by keyword"
)]
fn train_ibm(
    py: Python<'_>,
    bitext: &PyBitext,
    model: u32,
    tail: &str,
    inference: &str,
    iterations: u32,
    warm_up: u32,
    burn_in: u32,
    samples: u32,
    lag: u32,
    initial: &str,
    initial_iterations: u32,
    sampler: &str,
    blocks: u32,
    theta: f64,
    phi: f64,
    p0: Option<f64>,
    seed: u64,
    wants_objective: bool,
    wants_posteriors: bool,
    threads: usize,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<PyIbm> {
    let unknown = |name, expected: &str, found: &str| {
        let error = Error::Config {
            name,
            expected: expected.to_owned(),
            found: found.to_owned(),
        };
        to_python(py, &error)
    };
    let tail = match tail {
        "shared" => Tail::Shared,
        "each" => Tail::Each,
        other => return Err(unknown("tail", "shared or each", other)),
    };
    let model = match model {
        1 => Model::One,
        2 => Model::Two(tail),
        other => return Err(unknown("model", "ibm1 or ibm2", &other.to_string())),
    };
    let initial = match initial {
        "uniform" => Initial::Uniform,
        "cooccurrence" => Initial::CoOccurrence,
        "em" => Initial::Em(initial_iterations),
        other => return Err(unknown("initial", "uniform, cooccurrence or em-N", other)),
    };
    let sampler = match sampler {
        "exact" => Sampler::Exact,
        "parallel" => Sampler::Blocks(blocks),
        "auto" => Sampler::Auto,
        other => return Err(unknown("sampler", "auto, exact or parallel", other)),
    };
    let inference = match inference {
        "em" => Inference::Em(iterations),
        "vb" => Inference::Vb(iterations),
        "gibbs" => Inference::Gibbs(Sampling {
            burn_in,
            samples,
            lag,
            initial,
            sampler,
        }),
        other => return Err(unknown("inference", "em, vb or gibbs", other)),
    };
    let options = Options {
        model,
        inference,
        warm_up,
        theta,
        phi,
        null_probability: p0,
        seed,
        wants_objective,
        wants_posteriors,
    };
    let training = bitext.shared();
    let trained = interruptible(py, progress, |cancel, progress| {
        let context = Context {
            threads,
            cancel,
            progress,
        };
        train(&training, &options, &context)
    })?;
    let (forward, reverse) = (trained.forward, trained.reverse);
    Ok(PyIbm {
        training,
        options,
        lexicons: [forward.lexicon, reverse.lexicon],
        histories: [forward.history, reverse.history],
        readouts: Mutex::new(vec![Some(forward.readout), Some(reverse.readout)]),
    })
}
