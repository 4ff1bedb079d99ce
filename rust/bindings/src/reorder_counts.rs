//! Counts of features by class across the border: naive Bayes and mutual information, from arrays as the caller has them.
#![expect(
    clippy::needless_pass_by_value,
    reason = "pyo3 hands the arguments of a function over by value"
)]

use crate::errors::to_python;
use crate::reorder::{RowArrays, RowSlices, choice, matrix};
use crate::run::interruptible;
use numpy::{IntoPyArray, PyArray, PyArray1, PyArray2, PyReadonlyArray1};
use plait_core::numeric::to_index;
use plait_core::reorder::bayes::{Inference, NaiveBayes, check_prior};
use plait_core::reorder::classes::{Numbered, Whole, number, number_whole};
use plait_core::reorder::counts::Counts;
use plait_core::reorder::entries::{Entries, Places, Values};
use plait_core::reorder::information::Information;
use pyo3::exceptions::{PyIndexError, PyTypeError};
use pyo3::prelude::*;
use std::sync::Arc;

/// Adds what this file offers to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<FeatureCounts>()?;
    module.add_function(wrap_pyfunction!(number_classes, module)?)?;
    module.add_function(wrap_pyfunction!(number_words, module)?)
}

/// Offsets or features of any width.
#[derive(FromPyObject)]
enum PlaceArray<'py> {
    Word(PyReadonlyArray1<'py, u32>),
    Long(PyReadonlyArray1<'py, u64>),
    Int32(PyReadonlyArray1<'py, i32>),
    Int64(PyReadonlyArray1<'py, i64>),
}

/// Values of any kind.
#[derive(FromPyObject)]
enum ValueArray<'py> {
    Double(PyReadonlyArray1<'py, f64>),
    Single(PyReadonlyArray1<'py, f32>),
    Whole(PyReadonlyArray1<'py, i64>),
}

impl ValueArray<'_> {
    fn values(&self) -> PyResult<Values<'_>> {
        Ok(match self {
            Self::Double(values) => Values::Double(values.as_slice()?),
            Self::Single(values) => Values::Single(values.as_slice()?),
            Self::Whole(values) => Values::Whole(values.as_slice()?),
        })
    }
}

/// Offsets, features, values or None, number of features.
type EntryArrays<'py> = (
    PlaceArray<'py>,
    PlaceArray<'py>,
    Option<ValueArray<'py>>,
    usize,
);

fn places<'a>(offsets: &'a PlaceArray<'_>, features: &'a PlaceArray<'_>) -> PyResult<Places<'a>> {
    use PlaceArray::{Int32, Int64, Long, Word};
    match (offsets, features) {
        (Long(offsets), Word(features)) => {
            Ok(Places::Rows(offsets.as_slice()?, features.as_slice()?))
        }
        (Int32(offsets), Int32(features)) => {
            Ok(Places::Int32(offsets.as_slice()?, features.as_slice()?))
        }
        (Int64(offsets), Int64(features)) => {
            Ok(Places::Int64(offsets.as_slice()?, features.as_slice()?))
        }
        _ => Err(PyTypeError::new_err(
            "offsets and features are uint64 and uint32, or both int32 or int64",
        )),
    }
}

/// The first example of each class, and the place of each example's class among them.
type Numbers<'py> = (Bound<'py, PyArray1<u64>>, Bound<'py, PyArray1<u32>>);

/// Classes that are whole numbers.
#[derive(FromPyObject)]
enum WholeClasses<'py> {
    Word(PyReadonlyArray1<'py, u32>),
    Int32(PyReadonlyArray1<'py, i32>),
    Int64(PyReadonlyArray1<'py, i64>),
}

/// Numbers classes that are whole numbers.
#[pyfunction]
fn number_classes<'py>(py: Python<'py>, classes: WholeClasses<'py>) -> PyResult<Numbers<'py>> {
    let found = match &classes {
        WholeClasses::Word(classes) => whole_numbers(py, classes.as_slice()?),
        WholeClasses::Int32(classes) => whole_numbers(py, classes.as_slice()?),
        WholeClasses::Int64(classes) => whole_numbers(py, classes.as_slice()?),
    };
    numbers(py, found)
}

fn whole_numbers<C: Whole + Sync>(py: Python<'_>, classes: &[C]) -> PyResult<Numbered> {
    interruptible(py, None, |cancel, _| number_whole(classes, cancel))
}

/// Numbers classes that are words of `width` characters each, padded with zeros.
#[pyfunction]
fn number_words<'py>(
    py: Python<'py>,
    characters: PyReadonlyArray1<'py, u32>,
    width: u64,
) -> PyResult<Numbers<'py>> {
    let (characters, width) = (characters.as_slice()?, to_index(width.max(1)));
    let count = characters.len() / width;
    let word = |i: usize| &characters[i * width..(i + 1) * width];
    numbers(
        py,
        interruptible(py, None, |cancel, _| number(count, word, cancel)),
    )
}

fn numbers(py: Python<'_>, found: PyResult<Numbered>) -> PyResult<Numbers<'_>> {
    let Numbered { firsts, labels } = found?;
    Ok((firsts.into_pyarray(py), labels.into_pyarray(py)))
}

/// How often each feature occurred with each class. Immutable; counting more makes another one.
#[pyclass(frozen, module = "plait._core")]
pub struct FeatureCounts(pub Arc<Counts>);

/// Mutual information of each feature, its entropy, and that of the class.
type InformationArrays<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>, f64);

/// Logarithms by feature and class, and by class.
type LogArrays<'py> = (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray1<f64>>);

#[pymethods]
impl FeatureCounts {
    #[new]
    #[pyo3(signature = (columns, classes, *, values))]
    fn new(columns: usize, classes: usize, values: bool) -> Self {
        Self(Arc::new(Counts::new(columns, classes, values)))
    }

    /// Counts from a model file, without those of values.
    #[staticmethod]
    fn from_arrays(
        py: Python<'_>,
        examples: PyReadonlyArray1<'_, u64>,
        sums: PyReadonlyArray1<'_, f64>,
    ) -> PyResult<Self> {
        let (examples, sums) = (examples.as_slice()?, sums.as_slice()?);
        let made = Counts::from_sums(examples.to_vec(), sums.to_vec());
        made.map(|counts| Self(Arc::new(counts)))
            .map_err(|error| to_python(py, &error))
    }

    fn counted(
        &self,
        py: Python<'_>,
        entries: EntryArrays<'_>,
        labels: PyReadonlyArray1<'_, u32>,
    ) -> PyResult<Self> {
        let entries = Entries {
            places: places(&entries.0, &entries.1)?,
            values: entries
                .2
                .as_ref()
                .map_or(Ok(Values::Ones), ValueArray::values)?,
            columns: entries.3,
        };
        let labels = labels.as_slice()?;
        let start = Arc::clone(&self.0);
        let counts = interruptible(py, None, |cancel, _| {
            let mut counts = Counts::clone(&start);
            counts.add_entries(entries, labels, cancel)?;
            Ok(counts)
        })?;
        Ok(Self(Arc::new(counts)))
    }

    fn merged(&self, py: Python<'_>, other: &Self) -> PyResult<Self> {
        let mut counts = Counts::clone(&self.0);
        counts
            .merge(&other.0)
            .map_err(|error| to_python(py, &error))?;
        Ok(Self(Arc::new(counts)))
    }

    /// The counts of some features, in this order, with those of values or without.
    #[pyo3(signature = (kept, *, values))]
    fn selected(&self, kept: PyReadonlyArray1<'_, i64>, values: bool) -> PyResult<Self> {
        let columns = self.0.columns();
        let kept: Option<Vec<usize>> = kept
            .as_slice()?
            .iter()
            .map(|&feature| usize::try_from(feature).ok().filter(|&m| m < columns))
            .collect();
        let kept =
            kept.ok_or_else(|| PyIndexError::new_err("a feature is none of those there are"))?;
        Ok(Self(Arc::new(self.0.selected(&kept, values))))
    }

    #[getter]
    fn examples<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u64>> {
        PyArray::from_slice(py, &self.0.examples)
    }

    #[getter]
    fn sums<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        matrix(py, self.0.sums.clone(), self.0.classes())
    }

    fn information<'py>(&self, py: Python<'py>) -> PyResult<InformationArrays<'py>> {
        let counts = Arc::clone(&self.0);
        let found = interruptible(py, None, |_, _| Information::new(&counts))?;
        Ok((
            found.mutual.into_pyarray(py),
            found.entropies.into_pyarray(py),
            found.class_entropy,
        ))
    }

    /// Fails unless `alpha` is a prior for these features.
    fn check_prior(
        &self,
        py: Python<'_>,
        alpha: PyReadonlyArray1<'_, f64>,
        inference: &str,
    ) -> PyResult<()> {
        let inference = inference_of(py, inference)?;
        check_prior(alpha.as_slice()?, self.0.columns(), inference)
            .map_err(|error| to_python(py, &error))
    }

    /// log q or log alpha of each feature and class, and the log-prior.
    fn logs<'py>(
        &self,
        py: Python<'py>,
        alpha: PyReadonlyArray1<'py, f64>,
        inference: &str,
    ) -> PyResult<LogArrays<'py>> {
        let inference = inference_of(py, inference)?;
        let model = NaiveBayes::new(&self.0, alpha.as_slice()?, inference)
            .map_err(|error| to_python(py, &error))?;
        Ok((
            matrix(py, model.logs().to_vec(), self.0.classes())?,
            PyArray::from_slice(py, model.log_prior()),
        ))
    }

    /// The joint or the posterior log-probabilities of the classes: float64[rows, classes].
    #[pyo3(signature = (rows, *, alpha, inference, normalized, threads))]
    fn scores<'py>(
        &self,
        py: Python<'py>,
        rows: RowArrays<'py>,
        alpha: PyReadonlyArray1<'py, f64>,
        inference: &str,
        normalized: bool,
        threads: usize,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let inference = inference_of(py, inference)?;
        let (rows, alpha) = (RowSlices::new(&rows)?, alpha.as_slice()?);
        let counts = Arc::clone(&self.0);
        let scores = interruptible(py, None, |cancel, _| {
            let model = NaiveBayes::new(&counts, alpha, inference)?;
            let rows = rows.checked()?;
            if normalized {
                model.log_posterior(rows, threads, cancel)
            } else {
                model.joint(rows, threads, cancel)
            }
        })?;
        matrix(py, scores, self.0.classes())
    }
}

fn inference_of(py: Python<'_>, name: &str) -> PyResult<Inference> {
    match name {
        "map" => Ok(Inference::Map),
        "bayesian" => Ok(Inference::Bayesian),
        other => Err(choice(py, "inference", "map or bayesian", other)),
    }
}
