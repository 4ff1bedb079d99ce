//! Forests across the border: byte blocks in, arrays out, and back.
#![expect(
    clippy::needless_pass_by_value,
    reason = "pyo3 hands the arguments of a function over by value"
)]

use crate::errors::to_python;
use crate::run::interruptible;
use numpy::{
    IntoPyArray, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods,
};
use plait_core::error::{Error, Result};
use plait_core::hypergraph::formats::{self, Format, Options, Part, Sign};
use plait_core::hypergraph::{Column, Forest, Forests, Values};
use plait_core::text::Vocabulary;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};
use std::sync::{Mutex, PoisonError};

/// Adds the classes and functions of this file to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<ForestReader>()?;
    module.add_function(wrap_pyfunction!(write_forests, module)?)?;
    Ok(())
}

fn options_of(
    sign: Option<&str>,
    weights: Vec<f64>,
    acceptor: bool,
    has_symbols: bool,
) -> Result<Options> {
    let sign = sign
        .map(|name| match name {
            "costs" => Ok(Sign::Costs),
            "log-probabilities" => Ok(Sign::LogProbabilities),
            _ => Err(Error::config("sign", "costs or log-probabilities", name)),
        })
        .transpose()?;
    Ok(Options {
        sign,
        weights,
        acceptor,
        has_symbols,
    })
}

fn part_of(name: &str) -> Result<Part> {
    Ok(match name {
        "forests" => Part::Main,
        "rules" => Part::Rules,
        "input-symbols" => Part::InputSymbols,
        "output-symbols" => Part::OutputSymbols,
        _ => {
            return Err(Error::config(
                "part",
                "forests, rules, input-symbols or output-symbols",
                name,
            ));
        }
    })
}

/// Reads forests from byte blocks.
#[pyclass(frozen, module = "plait._core")]
pub struct ForestReader(Mutex<Option<formats::ForestReader>>);

#[pymethods]
impl ForestReader {
    #[new]
    #[pyo3(signature = (format, *, sign=None, weights=Vec::new(), acceptor=false))]
    fn new(
        py: Python<'_>,
        format: &str,
        sign: Option<&str>,
        weights: Vec<f64>,
        acceptor: bool,
    ) -> PyResult<Self> {
        let made = Format::from_name(format)
            .and_then(|format| Ok((format, options_of(sign, weights, acceptor, false)?)));
        let (format, options) = made.map_err(|error| to_python(py, &error))?;
        Ok(Self(Mutex::new(Some(formats::ForestReader::new(
            format, options,
        )))))
    }

    /// Begins another file: rules and symbols come before the forests.
    fn begin(&self, py: Python<'_>, part: &str) -> PyResult<()> {
        let part = part_of(part).map_err(|error| to_python(py, &error))?;
        self.with(py, |reader| reader.begin(part))
    }

    fn feed(&self, py: Python<'_>, block: &[u8]) -> PyResult<()> {
        self.with(py, |reader| reader.feed(block))
    }

    /// Names of features, words, texts and the forests.
    fn finish<'py>(&self, py: Python<'py>) -> PyResult<ForestLists<'py>> {
        let reader = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        let reader = reader.ok_or_else(finished)?;
        let forests = interruptible(py, None, |_, _| reader.finish())?;
        let words = |vocabulary: &Vocabulary| PyList::new(py, vocabulary.words());
        let list = forests.list.into_iter().map(|forest| to_dict(py, forest));
        Ok((
            words(&forests.features)?,
            words(&forests.words)?,
            words(&forests.texts)?,
            list.collect::<PyResult<_>>()?,
        ))
    }
}

impl ForestReader {
    fn with(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut formats::ForestReader) -> Result<()> + Send,
    ) -> PyResult<()> {
        py.detach(|| {
            let mut reader = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            reader.as_mut().map(work)
        })
        .ok_or_else(finished)?
        .map_err(|error| to_python(py, &error))
    }
}

fn finished() -> PyErr {
    PyRuntimeError::new_err("this reader is finished")
}

type ForestLists<'py> = (
    Bound<'py, PyList>,
    Bound<'py, PyList>,
    Bound<'py, PyList>,
    Vec<Bound<'py, PyDict>>,
);

fn to_dict(py: Python<'_>, forest: Forest) -> PyResult<Bound<'_, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("nodes", forest.nodes)?;
    dict.set_item("root", forest.root)?;
    dict.set_item("heads", forest.heads.into_pyarray(py))?;
    dict.set_item("tail_starts", forest.tail_starts.into_pyarray(py))?;
    dict.set_item("tails", forest.tails.into_pyarray(py))?;
    dict.set_item("axioms", forest.axioms.into_pyarray(py))?;
    dict.set_item("feature_starts", forest.feature_starts.into_pyarray(py))?;
    dict.set_item("feature_ids", forest.feature_ids.into_pyarray(py))?;
    dict.set_item("feature_values", forest.feature_values.into_pyarray(py))?;
    dict.set_item(
        "weights",
        forest.weights.map(|weights| weights.into_pyarray(py)),
    )?;
    dict.set_item("item_starts", forest.item_starts.into_pyarray(py))?;
    dict.set_item("items", forest.items.into_pyarray(py))?;
    for (key, columns) in [
        ("node_columns", forest.node_columns),
        ("edge_columns", forest.edge_columns),
    ] {
        let arrays = PyDict::new(py);
        for column in columns {
            match column.values {
                Values::Texts(ids) => arrays.set_item(column.name, ids.into_pyarray(py))?,
                Values::Integers { width, values } => {
                    let rows = values.len() / width.max(1);
                    arrays
                        .set_item(column.name, values.into_pyarray(py).reshape([rows, width])?)?;
                }
            }
        }
        dict.set_item(key, arrays)?;
    }
    dict.set_item("properties", forest.properties)?;
    Ok(dict)
}

/// A column as Python gives it.
#[derive(FromPyObject)]
enum ColumnArgument<'py> {
    Texts(PyReadonlyArray1<'py, u32>),
    Integers(PyReadonlyArray2<'py, i64>),
}

/// A forest as Python gives it.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct ForestArgument<'py> {
    nodes: usize,
    root: u32,
    heads: PyReadonlyArray1<'py, u32>,
    tail_starts: PyReadonlyArray1<'py, u64>,
    tails: PyReadonlyArray1<'py, u32>,
    axioms: PyReadonlyArray1<'py, u32>,
    feature_starts: PyReadonlyArray1<'py, u64>,
    feature_ids: PyReadonlyArray1<'py, u32>,
    feature_values: PyReadonlyArray1<'py, f64>,
    weights: Option<PyReadonlyArray1<'py, f64>>,
    item_starts: PyReadonlyArray1<'py, u64>,
    items: PyReadonlyArray1<'py, i32>,
    node_columns: Vec<(String, ColumnArgument<'py>)>,
    edge_columns: Vec<(String, ColumnArgument<'py>)>,
    properties: Vec<(String, String)>,
}

impl ForestArgument<'_> {
    fn to_forest(&self) -> PyResult<Forest> {
        Ok(Forest {
            nodes: self.nodes,
            root: self.root,
            heads: self.heads.as_slice()?.to_vec(),
            tail_starts: self.tail_starts.as_slice()?.to_vec(),
            tails: self.tails.as_slice()?.to_vec(),
            axioms: self.axioms.as_slice()?.to_vec(),
            feature_starts: self.feature_starts.as_slice()?.to_vec(),
            feature_ids: self.feature_ids.as_slice()?.to_vec(),
            feature_values: self.feature_values.as_slice()?.to_vec(),
            weights: self
                .weights
                .as_ref()
                .map(|weights| weights.as_slice().map(<[f64]>::to_vec))
                .transpose()?,
            item_starts: self.item_starts.as_slice()?.to_vec(),
            items: self.items.as_slice()?.to_vec(),
            node_columns: columns(&self.node_columns)?,
            edge_columns: columns(&self.edge_columns)?,
            properties: self.properties.clone(),
        })
    }
}

fn columns(arguments: &[(String, ColumnArgument<'_>)]) -> PyResult<Vec<Column>> {
    let column = |(name, values): &(String, ColumnArgument<'_>)| {
        let values = match values {
            ColumnArgument::Texts(ids) => Values::Texts(ids.as_slice()?.to_vec()),
            ColumnArgument::Integers(rows) => Values::Integers {
                width: rows.shape()[1],
                values: rows.as_slice()?.to_vec(),
            },
        };
        Ok(Column {
            name: name.clone(),
            values,
        })
    };
    arguments.iter().map(column).collect()
}

type WrittenBytes<'py> = (
    Bound<'py, PyBytes>,
    Bound<'py, PyBytes>,
    Bound<'py, PyBytes>,
);

/// The forests as files: the forests, Joshua's rules, `OpenFst`'s symbols.
#[pyfunction]
#[pyo3(signature = (format, features, words, texts, forests, *, sign=None, acceptor=false, has_symbols=false))]
#[expect(
    clippy::too_many_arguments,
    reason = "they are the parts of the forests"
)]
fn write_forests<'py>(
    py: Python<'py>,
    format: &str,
    features: Vec<String>,
    words: Vec<String>,
    texts: Vec<String>,
    forests: Vec<ForestArgument<'py>>,
    sign: Option<&str>,
    acceptor: bool,
    has_symbols: bool,
) -> PyResult<WrittenBytes<'py>> {
    let forests = Forests {
        features: Vocabulary::from_words(features),
        words: Vocabulary::from_words(words),
        texts: Vocabulary::from_words(texts),
        list: forests
            .iter()
            .map(ForestArgument::to_forest)
            .collect::<PyResult<_>>()?,
    };
    let made = Format::from_name(format)
        .and_then(|format| Ok((format, options_of(sign, Vec::new(), acceptor, has_symbols)?)));
    let (format, options) = made.map_err(|error| to_python(py, &error))?;
    let written = interruptible(py, None, |_, _| {
        forests.check()?;
        formats::write(&forests, format, &options)
    })?;
    let bytes = |part: &[u8]| PyBytes::new(py, part);
    Ok((
        bytes(&written.main),
        bytes(&written.rules),
        bytes(&written.symbols),
    ))
}
