//! The two-step model of transliteration across the border: training, decoding, parts.
#![expect(
    clippy::needless_pass_by_value,
    reason = "pyo3 hands the arguments of a function over by value"
)]

use crate::errors::to_python;
use crate::offsets::{cut, offsets, starts};
use crate::run::interruptible;
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use plait_core::crf::{Features, Minimum, Stopping, TrainOptions, Work};
use plait_core::error::{Error, Result};
use plait_core::translit::two_step::forced::{Limits, Targets};
use plait_core::translit::two_step::grams::{Attributes, Grams};
use plait_core::translit::two_step::{
    Aligned, Candidates, Field, Labels, Options, Rivals, Settings, Stop, Templates, TwoStep, train,
};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::Arc;

/// Adds what this file offers to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(two_step_train, module)?)?;
    module.add_class::<PyTwoStep>()
}

type Offsets<'py> = PyReadonlyArray1<'py, u64>;
type Ids<'py> = PyReadonlyArray1<'py, u32>;
type TwoVectors<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>);
type Ended<'py> = (Bound<'py, PyArray1<f64>>, f64, &'static str);

/// A trained two-step model.
#[pyclass(frozen, name = "TwoStepModel", module = "plait._core")]
pub struct PyTwoStep(Arc<TwoStep>);

/// Training: a model, and for both fields the objective before and after each iteration, the norm of the gradient and why it ended.
#[pyfunction]
#[pyo3(signature = (word_starts, symbols, chunk_starts, lengths, labels, label_starts, label_symbols, *, window, letters, l2_segmenter, l2_converter, rivals, max_iterations, epsilon, delta, period, threads, start=None, progress=None))]
#[expect(
    clippy::too_many_arguments,
    reason = "one argument for each option, all by keyword"
)]
fn two_step_train<'py>(
    py: Python<'py>,
    word_starts: Offsets<'py>,
    symbols: Ids<'py>,
    chunk_starts: Offsets<'py>,
    lengths: Ids<'py>,
    labels: Ids<'py>,
    label_starts: Offsets<'py>,
    label_symbols: Ids<'py>,
    window: usize,
    letters: usize,
    l2_segmenter: f64,
    l2_converter: f64,
    rivals: &str,
    max_iterations: usize,
    epsilon: f64,
    delta: f64,
    period: usize,
    threads: usize,
    start: Option<&PyTwoStep>,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<(PyTwoStep, Ended<'py>, Ended<'py>)> {
    let (word_starts, chunk_starts) = (offsets(&word_starts)?, offsets(&chunk_starts)?);
    let (symbols, lengths) = (symbols.as_slice()?, lengths.as_slice()?);
    let labels = labels.as_slice()?;
    let chunks = (offsets(&label_starts)?, label_symbols.as_slice()?.to_vec());
    let options = |l2| TrainOptions {
        l2,
        stopping: Stopping {
            max_iterations,
            epsilon,
            delta,
            period,
            ..Stopping::default()
        },
        ..TrainOptions::default()
    };
    let settings = Settings {
        templates: Templates { window, letters },
        segmenter: options(l2_segmenter),
        converter: options(l2_converter),
        rivals: match rivals {
            "all" => Rivals::All,
            "seen" => Rivals::Seen,
            other => {
                let error = Error::config("rivals", "'all' or 'seen'", format!("'{other}'"));
                return Err(to_python(py, &error));
            }
        },
    };
    let start = start.map(|model| &*model.0);
    let found = interruptible(py, progress, |cancel, progress| {
        let aligned = Aligned {
            word_starts: &word_starts,
            symbols,
            chunk_starts: &chunk_starts,
            lengths,
            labels,
        };
        let chunks = Labels::new(chunks.0, chunks.1)?;
        let work = Work {
            threads,
            cancel,
            progress,
        };
        train::train(&aligned, chunks, &settings, start, work)
    })?;
    let ended = |end: Minimum| {
        (
            end.history.into_pyarray(py),
            // L-BFGS always has one.
            end.gradient_norm.unwrap_or(f64::NAN),
            end.reason.name(),
        )
    };
    Ok((
        PyTwoStep(Arc::new(found.model)),
        ended(found.segmenter),
        ended(found.converter),
    ))
}

fn field_parts<'py>(
    py: Python<'py>,
    prefix: &str,
    field: &Field,
    into: &Bound<'py, PyDict>,
) -> PyResult<()> {
    let features = field.features();
    into.set_item(
        format!("{prefix}.keys"),
        field.attributes().keys().to_vec().into_pyarray(py),
    )?;
    into.set_item(
        format!("{prefix}.states.starts"),
        starts(features.state_starts()).into_pyarray(py),
    )?;
    into.set_item(
        format!("{prefix}.states.labels"),
        features.state_labels().to_vec().into_pyarray(py),
    )?;
    into.set_item(
        format!("{prefix}.transitions.starts"),
        starts(features.transition_starts()).into_pyarray(py),
    )?;
    into.set_item(
        format!("{prefix}.transitions.labels"),
        features.next_labels().to_vec().into_pyarray(py),
    )?;
    into.set_item(
        format!("{prefix}.weights"),
        field.weights().to_vec().into_pyarray(py),
    )
}

/// The arrays of a field, out of the interpreter's hands.
struct FieldArrays {
    keys: Vec<u64>,
    states: (Vec<usize>, Vec<u32>),
    transitions: (Vec<usize>, Vec<u32>),
    weights: Vec<f64>,
}

type FieldParts<'py> = (
    Offsets<'py>,
    Offsets<'py>,
    Ids<'py>,
    Offsets<'py>,
    Ids<'py>,
    PyReadonlyArray1<'py, f64>,
);

impl FieldArrays {
    fn new(parts: &FieldParts<'_>) -> PyResult<Self> {
        Ok(Self {
            keys: parts.0.as_slice()?.to_vec(),
            states: (offsets(&parts.1)?, parts.2.as_slice()?.to_vec()),
            transitions: (offsets(&parts.3)?, parts.4.as_slice()?.to_vec()),
            weights: parts.5.as_slice()?.to_vec(),
        })
    }

    fn field(self) -> Result<Field> {
        let attributes = Attributes::from_keys(self.keys)?;
        let features = Features::from_parts(
            self.states.0,
            self.states.1,
            self.transitions.0,
            self.transitions.1,
        )?;
        Field::new(attributes, features, self.weights)
    }
}

/// What decoding gives: where the candidates of each word and the symbols of each candidate start, symbols, probabilities; by word how many segmentations were
/// converted, their probability, and whether the answer is certain.
type Decoded<'py> = (
    Bound<'py, PyArray1<u64>>,
    Bound<'py, PyArray1<u64>>,
    Bound<'py, PyArray1<u32>>,
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<u32>>,
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<bool>>,
);

impl PyTwoStep {
    /// The model.
    pub fn model(&self) -> &TwoStep {
        &self.0
    }
}

#[pymethods]
impl PyTwoStep {
    /// A model of its parts: widths of features, strings, both fields, candidates, labels.
    #[new]
    fn new(
        py: Python<'_>,
        widths: (usize, usize),
        grams: (Ids<'_>, Ids<'_>),
        segmenter: FieldParts<'_>,
        converter: FieldParts<'_>,
        candidates: (Ids<'_>, Offsets<'_>, Ids<'_>),
        labels: (Offsets<'_>, Ids<'_>),
    ) -> PyResult<Self> {
        let (segmenter, converter) = (FieldArrays::new(&segmenter)?, FieldArrays::new(&converter)?);
        let candidates = Candidates {
            chunks: candidates.0.as_slice()?.to_vec(),
            starts: offsets(&candidates.1)?,
            labels: candidates.2.as_slice()?.to_vec(),
        };
        let labels = (offsets(&labels.0)?, labels.1.as_slice()?.to_vec());
        let (beginnings, symbols) = (grams.0.as_slice()?, grams.1.as_slice()?);
        let templates = Templates {
            window: widths.0,
            letters: widths.1,
        };
        let made = || {
            TwoStep::new(
                templates,
                Grams::from_parts(beginnings, symbols)?,
                segmenter.field()?,
                converter.field()?,
                candidates,
                Labels::new(labels.0, labels.1)?,
            )
        };
        made()
            .map(|model| Self(Arc::new(model)))
            .map_err(|error| to_python(py, &error))
    }

    /// All arrays by name.
    fn arrays<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let made = PyDict::new(py);
        let (beginnings, symbols) = self.0.grams().parts();
        made.set_item("grams.beginnings", beginnings.into_pyarray(py))?;
        made.set_item("grams.symbols", symbols.into_pyarray(py))?;
        field_parts(py, "segmenter", self.0.segmenter(), &made)?;
        field_parts(py, "converter", self.0.converter(), &made)?;
        let candidates = self.0.candidates();
        made.set_item(
            "candidates.chunks",
            candidates.chunks.clone().into_pyarray(py),
        )?;
        made.set_item(
            "candidates.starts",
            starts(&candidates.starts).into_pyarray(py),
        )?;
        made.set_item(
            "candidates.labels",
            candidates.labels.clone().into_pyarray(py),
        )?;
        let (label_starts, symbols) = self.0.labels().parts();
        made.set_item("labels.starts", starts(label_starts).into_pyarray(py))?;
        made.set_item("labels.symbols", symbols.to_vec().into_pyarray(py))?;
        Ok(made)
    }

    /// Whether different sequences of labels may give the same target.
    fn is_ambiguous(&self) -> bool {
        self.0.is_ambiguous()
    }

    /// The best targets of words. `stop` is "never", "truncated" (the first `certain` candidates) or "exact".
    #[pyo3(signature = (word_starts, symbols, *, segmentations, conversions, stop, certain, all_labels, first, threads, progress=None))]
    #[expect(
        clippy::too_many_arguments,
        reason = "one argument for each option, all by keyword"
    )]
    fn decode<'py>(
        &self,
        py: Python<'py>,
        word_starts: Offsets<'py>,
        symbols: Ids<'py>,
        segmentations: usize,
        conversions: usize,
        stop: &str,
        certain: usize,
        all_labels: bool,
        first: usize,
        threads: usize,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Decoded<'py>> {
        let symbols = symbols.as_slice()?;
        let word_starts = cut(py, "word_starts", &word_starts, symbols.len())?;
        let stop = match stop {
            "never" => Stop::Never,
            "truncated" => Stop::Truncated(certain.max(1)),
            "exact" => Stop::Exact,
            other => {
                let found = format!("'{other}'");
                let error = Error::config("stop", "'never', 'truncated' or 'exact'", found);
                return Err(to_python(py, &error));
            }
        };
        let options = Options {
            segmentations,
            conversions,
            stop,
            all_labels,
            first,
        };
        let model = &*self.0;
        let found = interruptible(py, progress, |cancel, progress| {
            model.decode(&word_starts, symbols, &options, threads, cancel, progress)
        })?;
        Ok((
            starts(&found.words).into_pyarray(py),
            starts(&found.starts).into_pyarray(py),
            found.symbols.into_pyarray(py),
            found.probabilities.into_pyarray(py),
            found.conversions.into_pyarray(py),
            found.masses.into_pyarray(py),
            found.certain.into_pyarray(py),
        ))
    }

    /// P(T | S) of pairs, and the probability of the segmentations that were not looked at.
    #[pyo3(signature = (source_starts, sources, target_starts, targets, *, tolerance, segmentations, all_labels, threads))]
    #[expect(
        clippy::too_many_arguments,
        reason = "one argument for each option, all by keyword"
    )]
    fn probabilities<'py>(
        &self,
        py: Python<'py>,
        source_starts: Offsets<'py>,
        sources: Ids<'py>,
        target_starts: Offsets<'py>,
        targets: Ids<'py>,
        tolerance: f64,
        segmentations: usize,
        all_labels: bool,
        threads: usize,
    ) -> PyResult<TwoVectors<'py>> {
        let (sources, targets) = (sources.as_slice()?, targets.as_slice()?);
        let source_starts = cut(py, "source_starts", &source_starts, sources.len())?;
        let target_starts = cut(py, "target_starts", &target_starts, targets.len())?;
        let limits = Limits {
            tolerance,
            segmentations,
            all_labels,
        };
        let model = &*self.0;
        let (found, rest) = interruptible(py, None, |cancel, _| {
            let pairs = Targets {
                source_starts: &source_starts,
                sources,
                target_starts: &target_starts,
                targets,
            };
            model.probabilities(&pairs, &limits, threads, cancel)
        })?;
        Ok((found.into_pyarray(py), rest.into_pyarray(py)))
    }

    /// P(A | S) of chunks that end at `ends`, and P(labels | S, A).
    #[pyo3(signature = (symbols, ends, labels, *, all_labels))]
    fn analysis(
        &self,
        py: Python<'_>,
        symbols: Ids<'_>,
        ends: Vec<usize>,
        labels: Vec<u32>,
        all_labels: bool,
    ) -> PyResult<(f64, f64)> {
        self.0
            .analysis(symbols.as_slice()?, &ends, &labels, all_labels)
            .map_err(|error| to_python(py, &error))
    }
}
