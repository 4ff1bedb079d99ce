//! Minimum error rate training across the border.
#![expect(
    clippy::needless_pass_by_value,
    reason = "pyo3 hands the arguments of a function over by value"
)]

use crate::errors::to_python;
use crate::hypergraph::PyHypergraph;
use crate::run::interruptible;
use numpy::ndarray::Array2;
use numpy::{
    IntoPyArray, PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods,
};
use plait_core::error::{Error, Result};
use plait_core::hypergraph::{Features, Yields};
use plait_core::minrisk::bleu::{ReferenceLength, References, Smoothing};
use plait_core::minrisk::mert::{
    ForestSegment, Forests, Found, Lists, Objective, Options, Problem, Start, Surface, far,
    optimize,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::sync::Arc;

/// Adds what this file offers to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<MertProblem>()
}

/// N-best lists or forests of a corpus.
#[pyclass(frozen, module = "plait._core")]
pub struct MertProblem {
    problem: Box<dyn Problem + Send>,
}

/// Forests as Python gives them.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct ForestArgument<'py> {
    graph: PyRef<'py, PyHypergraph>,
    feature_starts: PyReadonlyArray1<'py, u64>,
    feature_ids: PyReadonlyArray1<'py, u32>,
    feature_values: PyReadonlyArray1<'py, f64>,
    base: Option<PyReadonlyArray1<'py, f64>>,
    item_starts: PyReadonlyArray1<'py, u64>,
    items: PyReadonlyArray1<'py, i32>,
    references: Vec<PyReadonlyArray1<'py, u32>>,
}

impl ForestArgument<'_> {
    fn to_segment(
        &self,
        py: Python<'_>,
        features: usize,
        order: usize,
        length: ReferenceLength,
    ) -> PyResult<ForestSegment> {
        let graph = Arc::clone(&self.graph.0);
        let rows = Features::Sparse {
            starts: self.feature_starts.as_slice()?,
            ids: self.feature_ids.as_slice()?,
            values: self.feature_values.as_slice()?,
            count: features,
        };
        let base = match &self.base {
            None => None,
            Some(base) => Some(base.as_slice()?),
        };
        let (starts, items) = (self.item_starts.as_slice()?, self.items.as_slice()?);
        let references = self.references.iter().map(|words| words.as_slice());
        let references = references.collect::<std::result::Result<Vec<&[u32]>, _>>()?;
        let made = py.detach(|| {
            let yields = Yields::new(&graph, starts, items)?;
            let references = References::new(&references, order)?;
            ForestSegment::new(graph, rows, base, yields, references, length)
        });
        made.map_err(|error| to_python(py, &error))
    }
}

fn length_of(name: &str) -> Result<ReferenceLength> {
    match name {
        "closest" => Ok(ReferenceLength::Closest),
        "shortest" => Ok(ReferenceLength::Shortest),
        "average" => Ok(ReferenceLength::Average),
        _ => {
            let expected = "'closest', 'shortest' or 'average'";
            Err(Error::config(
                "reference_length",
                expected,
                format!("'{name}'"),
            ))
        }
    }
}

fn objective_of(smoothing: (&str, f64)) -> Result<Objective> {
    let smoothing = match smoothing {
        ("none", _) => Smoothing::None,
        ("floor", value) => Smoothing::Floor(value),
        ("add-k", value) => Smoothing::AddK(value),
        ("exp", _) => Smoothing::Exp,
        (name, _) => {
            let expected = "'none', 'floor', 'add-k' or 'exp'";
            return Err(Error::config("smoothing", expected, format!("'{name}'")));
        }
    };
    Ok(Objective { smoothing })
}

fn matrix<T: numpy::Element>(
    py: Python<'_>,
    values: Vec<T>,
    width: usize,
) -> PyResult<Bound<'_, PyArray2<T>>> {
    let rows = values.len() / width.max(1);
    let rows = Array2::from_shape_vec((rows, width), values);
    let rows = rows.map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok(rows.into_pyarray(py))
}

type Vector<'py> = Bound<'py, PyArray1<f64>>;

/// Breakpoints, statistics by piece, and BLEU, a point and the width of the best piece.
type SurfaceArrays<'py> = (
    Vector<'py>,
    Bound<'py, PyArray2<i64>>,
    Option<(f64, f64, f64)>,
);

/// The initial weights and BLEU, the final weights, statistics and BLEU, steps (direction, x, BLEU), whether the search is at its end.
type StartArrays<'py> = (
    Vector<'py>,
    f64,
    Vector<'py>,
    Bound<'py, PyArray1<i64>>,
    f64,
    Vec<(i64, f64, f64)>,
    bool,
);

#[pymethods]
impl MertProblem {
    /// N-best lists: rows of features and of statistics.
    #[staticmethod]
    fn lists(
        py: Python<'_>,
        starts: PyReadonlyArray1<'_, u64>,
        features: PyReadonlyArray2<'_, f64>,
        statistics: PyReadonlyArray2<'_, i64>,
    ) -> PyResult<Self> {
        let (columns, width) = (features.shape()[1], statistics.shape()[1]);
        let starts = starts.as_slice()?;
        let features = features.as_slice()?;
        let statistics = statistics.as_slice()?;
        let made = py.detach(|| Lists::new(starts, features, columns, statistics.to_vec(), width));
        let lists = made.map_err(|error| to_python(py, &error))?;
        Ok(Self {
            problem: Box::new(lists),
        })
    }

    /// Forests with references.
    #[staticmethod]
    #[pyo3(signature = (forests, *, features, order, reference_length))]
    fn forests(
        py: Python<'_>,
        forests: Vec<ForestArgument<'_>>,
        features: usize,
        order: usize,
        reference_length: &str,
    ) -> PyResult<Self> {
        let length = length_of(reference_length).map_err(|error| to_python(py, &error))?;
        let segments = forests
            .iter()
            .map(|forest| forest.to_segment(py, features, order, length))
            .collect::<PyResult<_>>()?;
        let made = Forests::new(segments, features, order, length);
        let forests = made.map_err(|error| to_python(py, &error))?;
        Ok(Self {
            problem: Box::new(forests),
        })
    }

    /// The statistics of the corpus under some weights.
    fn evaluate<'py>(
        &self,
        py: Python<'py>,
        weights: PyReadonlyArray1<'py, f64>,
        threads: usize,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let weights = weights.as_slice()?;
        let found = interruptible(py, None, |cancel, _| {
            self.problem.evaluate(weights, threads, cancel)
        })?;
        Ok(found.into_pyarray(py))
    }

    /// All statistics along a line.
    fn line<'py>(
        &self,
        py: Python<'py>,
        weights: PyReadonlyArray1<'py, f64>,
        direction: PyReadonlyArray1<'py, f64>,
        smoothing: (String, f64),
        threads: usize,
    ) -> PyResult<SurfaceArrays<'py>> {
        let (weights, direction) = (weights.as_slice()?, direction.as_slice()?);
        let (surface, best) = interruptible(py, None, |cancel, _| {
            let objective = objective_of((&smoothing.0, smoothing.1))?;
            let scores = self.problem.scores(weights, threads, cancel)?;
            let changes = self.problem.changes(&scores, direction, threads, cancel)?;
            let surface = Surface::new(changes, self.problem.width());
            let best = surface.best(&objective, far(weights, direction));
            Ok((surface, best))
        })?;
        Ok((
            surface.breakpoints.into_pyarray(py),
            matrix(py, surface.statistics, self.problem.width())?,
            best.map(|piece| (piece.score, piece.x, piece.width)),
        ))
    }

    /// The best start, and what was found from each.
    #[pyo3(signature = (weights, *, restarts, random_directions, bounds, frozen, seed, steps, least_gain, smoothing, threads, progress=None))]
    #[expect(clippy::too_many_arguments, reason = "they are options with names")]
    fn optimize<'py>(
        &self,
        py: Python<'py>,
        weights: PyReadonlyArray1<'py, f64>,
        restarts: usize,
        random_directions: usize,
        bounds: PyReadonlyArray2<'py, f64>,
        frozen: PyReadonlyArray1<'py, bool>,
        seed: u64,
        steps: usize,
        least_gain: f64,
        smoothing: (String, f64),
        threads: usize,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<(usize, Vec<StartArrays<'py>>)> {
        let weights = weights.as_slice()?;
        let (pairs, _) = bounds.as_slice()?.as_chunks::<2>();
        let objective = objective_of((&smoothing.0, smoothing.1));
        let options = Options {
            restarts,
            random_directions,
            bounds: pairs.to_vec(),
            is_frozen: frozen.as_slice()?.to_vec(),
            seed,
            steps,
            least_gain,
            objective: objective.map_err(|error| to_python(py, &error))?,
            threads,
        };
        let Found { best, starts } = interruptible(py, progress, |cancel, progress| {
            optimize(&*self.problem, weights, &options, cancel, progress)
        })?;
        let starts = starts.into_iter().map(|start| arrays(py, start));
        Ok((best, starts.collect()))
    }
}

fn arrays(py: Python<'_>, start: Start) -> StartArrays<'_> {
    let steps = start.steps.iter();
    (
        start.initial.into_pyarray(py),
        start.initial_score,
        start.weights.into_pyarray(py),
        start.statistics.into_pyarray(py),
        start.score,
        steps
            .map(|step| (step.direction, step.x, step.score))
            .collect(),
        start.has_converged,
    )
}
