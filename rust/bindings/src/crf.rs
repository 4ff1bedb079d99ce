//! Sequences of sparse features across the border.
#![expect(
    clippy::needless_pass_by_value,
    reason = "pyo3 hands the arguments of a function over by value"
)]

use crate::buffers::{View, numbers, view, view_of};
use crate::crf_items;
use crate::errors::to_python;
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use plait_core::crf::builder::Built;
use plait_core::crf::columns::Columns;
use plait_core::crf::dataset::NO_LABEL;
use plait_core::crf::{AttributeReader, ColumnReader, DatasetBuilder, Names, Sequences, Template};
use plait_core::error::{Error, Result};
use plait_core::numeric::{to_index, to_u64};
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::sync::{Arc, Mutex};

/// Adds what this file offers to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("CRF_NO_LABEL", NO_LABEL)?;
    module.add_function(wrap_pyfunction!(crf_data_from_items, module)?)?;
    module.add_function(wrap_pyfunction!(crf_data_from_arrays, module)?)?;
    module.add_class::<PyCrfNames>()?;
    module.add_class::<PyCrfData>()?;
    module.add_class::<PyCrfReader>()
}

/// The names of attributes and labels.
#[pyclass(frozen, name = "CrfNames", module = "plait._core")]
pub struct PyCrfNames {
    pub attributes: Names,
    pub labels: Names,
}

/// Names as bytes end to end, and where each starts.
pub fn pack(names: &Names) -> (Vec<u8>, Vec<u64>) {
    let (mut bytes, mut offsets) = (Vec::new(), vec![0]);
    for name in names.iter() {
        bytes.extend_from_slice(name.as_bytes());
        offsets.push(to_u64(bytes.len()));
    }
    (bytes, offsets)
}

/// The names in packed words.
pub fn unpack(what: &'static str, bytes: &[u8], offsets: &[u64]) -> Result<Names> {
    let wrong = |problem: &str| Error::Model {
        part: what,
        problem: problem.to_owned(),
    };
    let text = std::str::from_utf8(bytes).map_err(|_| wrong("are not UTF-8"))?;
    let words = offsets
        .windows(2)
        .map(|run| text.get(to_index(run[0])..to_index(run[1])))
        .collect::<Option<Vec<&str>>>()
        .ok_or_else(|| wrong("do not lie within their bytes"))?;
    Names::new(what, words)
}

/// Offsets, attributes and values.
type Rows<'py> = (
    Bound<'py, PyArray1<u64>>,
    Bound<'py, PyArray1<u32>>,
    Option<Bound<'py, PyArray1<f64>>>,
);

/// Sequences with the names of what is in them.
#[pyclass(frozen, name = "CrfData", module = "plait._core")]
pub struct PyCrfData(pub Arc<Built>);

#[pymethods]
impl PyCrfData {
    fn __len__(&self) -> usize {
        self.0.sequences.len()
    }

    #[getter]
    fn positions(&self) -> usize {
        self.0.sequences.positions()
    }

    #[getter]
    fn occurrences(&self) -> usize {
        self.0.sequences.occurrences()
    }

    #[getter]
    fn unknown(&self) -> u64 {
        self.0.unknown
    }

    #[getter]
    fn is_labelled(&self) -> bool {
        self.0.sequences.is_labelled()
    }

    #[getter]
    fn names(&self) -> PyCrfNames {
        PyCrfNames {
            attributes: self.0.attributes.clone(),
            labels: self.0.labels.clone(),
        }
    }

    /// Where the attributes of each position start and their number, the attributes, and their values; no values when all are 1.
    fn rows<'py>(&self, py: Python<'py>) -> Rows<'py> {
        let sequences = &self.0.sequences;
        let starts: Vec<u64> = sequences.rows().iter().map(|&n| to_u64(n)).collect();
        (
            starts.into_pyarray(py),
            sequences.attributes().to_vec().into_pyarray(py),
            sequences
                .values()
                .map(|values| values.to_vec().into_pyarray(py)),
        )
    }

    fn label_names(&self) -> Vec<&str> {
        self.0.labels.iter().collect()
    }

    fn attribute_count(&self) -> usize {
        self.0.attributes.len()
    }

    fn starts<'py>(&self, py: Python<'py>) -> PyResult<View<'py>> {
        view(py, self.0.sequences.starts().iter().map(|&n| to_u64(n)))
    }

    /// The same sequences, each with a weight.
    fn with_weights(&self, py: Python<'_>, weights: PyBuffer<f64>) -> PyResult<Self> {
        let weights = numbers(py, &weights)?;
        self.changed(py, self.0.labels.clone(), |sequences| {
            sequences.with_weights(weights)
        })
    }

    /// The weight of each sequence; none when all are 1.
    fn weights<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<f64>>> {
        let weights = self.0.sequences.weights()?;
        Some(weights.to_vec().into_pyarray(py))
    }

    /// The same sequences, with claims whether each of these labels may stand at each position; the labels begin with those that there are.
    fn with_allowed(
        &self,
        py: Python<'_>,
        allowed: PyReadonlyArray2<'_, bool>,
        labels: Vec<String>,
    ) -> PyResult<Self> {
        let names = Names::new("labels", labels.iter().map(String::as_str))
            .map_err(|error| to_python(py, &error))?;
        if !names.starts_with(&self.0.labels) || allowed.shape()[1] != names.len() {
            let expected = "those of the sequences, and more; a column of `allowed` for each";
            let error = Error::config("labels", expected, format!("{} labels", names.len()));
            return Err(to_python(py, &error));
        }
        let (claims, count) = (allowed.as_slice()?.to_vec(), names.len());
        self.changed(py, names, |sequences| sequences.with_allowed(claims, count))
    }

    /// Whether sequences have allowed labels.
    #[getter]
    fn is_partial(&self) -> bool {
        self.0.sequences.allowed().is_some()
    }

    fn labels<'py>(&self, py: Python<'py>) -> PyResult<View<'py>> {
        view_of(py, self.0.sequences.labels())
    }
}

impl PyCrfData {
    /// Sequences that differ in what `change` makes of them.
    fn changed(
        &self,
        py: Python<'_>,
        labels: Names,
        change: impl FnOnce(Sequences) -> Result<Sequences>,
    ) -> PyResult<Self> {
        let sequences = change(self.0.sequences.clone()).map_err(|error| to_python(py, &error))?;
        Ok(Self(Arc::new(Built {
            sequences,
            attributes: self.0.attributes.clone(),
            labels,
            unknown: self.0.unknown,
        })))
    }
}

/// A reader of text, until it is finished.
enum Reader {
    Attributes(AttributeReader),
    Columns(ColumnReader),
}

/// Reads sequences from text, block by block.
#[pyclass(frozen, name = "CrfReader", module = "plait._core")]
pub struct PyCrfReader(Mutex<Option<Reader>>);

/// What was read: sequences, templates and number of columns of a file of columns.
type Read = (PyCrfData, Option<String>, Option<usize>);

pub fn builder(names: Option<&PyCrfNames>, is_fixed: bool) -> DatasetBuilder {
    match names {
        Some(names) => {
            DatasetBuilder::with_names(names.attributes.clone(), &names.labels, is_fixed)
        }
        None => DatasetBuilder::default(),
    }
}

#[pymethods]
impl PyCrfReader {
    #[staticmethod]
    #[pyo3(signature = (names=None, is_fixed=false))]
    fn attributes(names: Option<&PyCrfNames>, is_fixed: bool) -> Self {
        let reader = AttributeReader::new(builder(names, is_fixed));
        Self(Mutex::new(Some(Reader::Attributes(reader))))
    }

    #[staticmethod]
    #[pyo3(signature = (template=None, width=None, names=None, is_fixed=false, takes_more=false))]
    fn columns(
        py: Python<'_>,
        template: Option<&str>,
        width: Option<usize>,
        names: Option<&PyCrfNames>,
        is_fixed: bool,
        takes_more: bool,
    ) -> PyResult<Self> {
        let template = template.map(Template::parse).transpose();
        let template = template.map_err(|error| to_python(py, &error))?;
        let columns = match width {
            None => Columns::Labelled,
            Some(width) if takes_more => Columns::AtLeast(width),
            Some(width) => Columns::Known(width),
        };
        let reader = ColumnReader::new(builder(names, is_fixed), template, columns);
        Ok(Self(Mutex::new(Some(Reader::Columns(reader)))))
    }

    fn feed(&self, py: Python<'_>, block: &[u8]) -> PyResult<()> {
        let fed = py.detach(|| match self.0.lock().as_deref_mut() {
            Ok(Some(Reader::Attributes(reader))) => Some(reader.feed(block)),
            Ok(Some(Reader::Columns(reader))) => Some(reader.feed(block)),
            _ => None,
        });
        fed.ok_or_else(finished)?
            .map_err(|error| to_python(py, &error))
    }

    fn finish(&self, py: Python<'_>) -> PyResult<Read> {
        let reader = self.0.lock().ok().and_then(|mut slot| slot.take());
        let read = py.detach(|| {
            Some(match reader? {
                Reader::Attributes(reader) => reader.finish().map(|built| (built, None, None)),
                Reader::Columns(reader) => reader.finish().map(|(built, template, width)| {
                    (built, Some(template.text().to_owned()), Some(width))
                }),
            })
        });
        let (built, template, width) = read
            .ok_or_else(finished)?
            .map_err(|error| to_python(py, &error))?;
        Ok((PyCrfData(Arc::new(built)), template, width))
    }
}

fn finished() -> PyErr {
    PyValueError::new_err("the reader is finished")
}

/// Sequences from lists of dictionaries or of names, as scikit-learn users have them.
#[pyfunction]
#[pyo3(signature = (items, labels=None, names=None, is_fixed=false))]
fn crf_data_from_items(
    py: Python<'_>,
    items: &Bound<'_, PyAny>,
    labels: Option<&Bound<'_, PyAny>>,
    names: Option<&PyCrfNames>,
    is_fixed: bool,
) -> PyResult<PyCrfData> {
    let built = crf_items::build(py, builder(names, is_fixed), items, labels)?;
    Ok(PyCrfData(Arc::new(built)))
}

/// Sequences from arrays; attributes and labels have their ids as names unless there are some.
#[pyfunction]
fn crf_data_from_arrays(
    py: Python<'_>,
    starts: PyReadonlyArray1<'_, u64>,
    rows: PyReadonlyArray1<'_, u64>,
    attributes: PyReadonlyArray1<'_, u32>,
    values: Option<PyReadonlyArray1<'_, f64>>,
    labels: PyReadonlyArray1<'_, u32>,
    names: &PyCrfNames,
) -> PyResult<PyCrfData> {
    let indices = |array: &[u64]| array.iter().map(|&n| to_index(n)).collect();
    let values = values.map(|array| array.as_slice().map(<[f64]>::to_vec));
    let sequences = Sequences::from_parts(
        indices(starts.as_slice()?),
        indices(rows.as_slice()?),
        attributes.as_slice()?.to_vec(),
        values.transpose()?,
        labels.as_slice()?.to_vec(),
    )
    .and_then(|sequences| {
        let bound = sequences.attribute_bound();
        if bound > names.attributes.len() {
            let expected = format!("ids below {}", names.attributes.len());
            return Err(Error::config("attributes", &expected, bound - 1));
        }
        let known = to_u64(names.labels.len());
        match sequences
            .labels()
            .iter()
            .find(|&&id| id != NO_LABEL && u64::from(id) >= known)
        {
            Some(id) => Err(Error::config("labels", &format!("ids below {known}"), id)),
            None => Ok(sequences),
        }
    })
    .map_err(|error| to_python(py, &error))?;
    Ok(PyCrfData(Arc::new(Built {
        sequences,
        attributes: names.attributes.clone(),
        labels: names.labels.clone(),
        unknown: 0,
    })))
}

#[pymethods]
impl PyCrfNames {
    #[new]
    fn new(py: Python<'_>, attributes: Vec<String>, labels: Vec<String>) -> PyResult<Self> {
        let make = |what, names: &[String]| {
            Names::new(what, names.iter().map(String::as_str))
                .map_err(|error| to_python(py, &error))
        };
        Ok(Self {
            attributes: make("attributes", &attributes)?,
            labels: make("labels", &labels)?,
        })
    }
}
