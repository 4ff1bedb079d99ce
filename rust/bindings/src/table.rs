//! Tables across the border: words, columns and byte blocks.
#![expect(
    clippy::needless_pass_by_value,
    reason = "pyo3 hands the arguments of a function over by value"
)]

use crate::errors::to_python;
use crate::run::interruptible;
use numpy::{IntoPyArray, PyReadonlyArray1};
use plait_core::error::{Error, Result};
use plait_core::text::table::{
    self, Column, ColumnKind, Field, Layout, NumberFormat, Record, Separator, Values,
};
use plait_core::text::{Fold, Vocabulary};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};
use std::sync::{Mutex, PoisonError};

/// Adds the classes and functions of this file to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Words>()?;
    module.add_class::<TableReader>()?;
    module.add_function(wrap_pyfunction!(write_rows, module)?)?;
    module.add_function(wrap_pyfunction!(fold_words, module)?)?;
    Ok(())
}

/// Words by id, for [`write_rows`].
#[pyclass(frozen, module = "plait._core")]
pub struct Words(Vocabulary);

#[pymethods]
impl Words {
    #[new]
    fn new(words: Vec<String>) -> Self {
        Self(Vocabulary::from_words(words))
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }
}

/// A part of every line, as Python gives it.
#[derive(FromPyObject)]
enum FieldArgument<'py> {
    Text(String),
    Words(Py<Words>, PyReadonlyArray1<'py, u32>),
    Integers(PyReadonlyArray1<'py, i64>),
    Numbers(PyReadonlyArray1<'py, f64>, String),
}

/// One line for each row: the fields one after the other.
#[pyfunction]
#[pyo3(signature = (fields, *, threads=1))]
fn write_rows<'py>(
    py: Python<'py>,
    fields: Vec<FieldArgument<'py>>,
    threads: usize,
) -> PyResult<Bound<'py, PyBytes>> {
    let fields = fields
        .iter()
        .map(|field| {
            Ok(match field {
                FieldArgument::Text(text) => Field::Text(text),
                FieldArgument::Words(words, ids) => Field::Words {
                    words: &words.get().0,
                    ids: ids.as_slice()?,
                },
                FieldArgument::Integers(values) => Field::Integers(values.as_slice()?),
                FieldArgument::Numbers(values, format) => Field::Numbers {
                    values: values.as_slice()?,
                    format: format_of(format).map_err(|error| to_python(py, &error))?,
                },
            })
        })
        .collect::<PyResult<Vec<Field<'_>>>>()?;
    let text = interruptible(py, None, |cancel, _| {
        table::write_rows(&fields, threads, cancel)
    })?;
    Ok(PyBytes::new(py, &text))
}

fn format_of(name: &str) -> Result<NumberFormat> {
    Ok(match name {
        "fixed7" => NumberFormat::Fixed(7),
        "general" => NumberFormat::General,
        "shortest" => NumberFormat::Shortest,
        "shortest-single" => NumberFormat::ShortestSingle,
        _ => {
            return Err(Error::Config {
                name: "format",
                expected: "fixed7, general, shortest or shortest-single".to_owned(),
                found: name.to_owned(),
            });
        }
    })
}

/// The words folded as a corpus folds them: lower-cased, then cut.
#[pyfunction]
#[pyo3(signature = (words, *, lowercase=false, stem=0))]
fn fold_words(py: Python<'_>, words: Vec<String>, lowercase: bool, stem: i32) -> Vec<String> {
    let fold = Fold::new(lowercase, stem);
    py.detach(|| words.iter().map(|word| fold.apply(word)).collect())
}

/// Reads a table from byte blocks.
#[pyclass(frozen, module = "plait._core")]
pub struct TableReader {
    reader: Mutex<Option<table::TableReader>>,
}

/// The words of each vocabulary, and the columns of each record.
type TableLists<'py> = (Vec<Bound<'py, PyList>>, Vec<Bound<'py, PyList>>);

type RecordArgument = (Option<String>, Vec<(String, String)>);

#[pymethods]
impl TableReader {
    #[new]
    #[pyo3(signature = (separator, records, *, remedy, header=None))]
    fn new(
        py: Python<'_>,
        separator: &str,
        records: Vec<RecordArgument>,
        remedy: String,
        header: Option<String>,
    ) -> PyResult<Self> {
        let layout = || {
            Ok(Layout {
                separator: separator_of(separator)?,
                header,
                records: records.into_iter().map(record_of).collect::<Result<_>>()?,
                remedy,
            })
        };
        let layout = layout().map_err(|error| to_python(py, &error))?;
        Ok(Self {
            reader: Mutex::new(Some(table::TableReader::new(layout))),
        })
    }

    fn feed(&self, py: Python<'_>, block: &[u8]) -> PyResult<()> {
        py.detach(|| {
            let mut reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
            reader.as_mut().map(|reader| reader.feed(block))
        })
        .ok_or_else(finished)?
        .map_err(|error| to_python(py, &error))
    }

    fn finish<'py>(&self, py: Python<'py>) -> PyResult<TableLists<'py>> {
        let tables = py
            .detach(|| {
                let mut reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
                reader.take().map(table::TableReader::finish)
            })
            .ok_or_else(finished)?
            .map_err(|error| to_python(py, &error))?;
        let vocabularies = tables
            .vocabularies
            .iter()
            .map(|words| PyList::new(py, words.words()))
            .collect::<PyResult<_>>()?;
        let records = tables
            .records
            .into_iter()
            .map(|columns| {
                PyList::new(
                    py,
                    columns.into_iter().map(|values| match values {
                        Values::Words(ids) => ids.into_pyarray(py).into_any(),
                        Values::Integers(values) => values.into_pyarray(py).into_any(),
                        Values::Numbers(values) => values.into_pyarray(py).into_any(),
                    }),
                )
            })
            .collect::<PyResult<_>>()?;
        Ok((vocabularies, records))
    }
}

fn finished() -> PyErr {
    PyRuntimeError::new_err("this reader is finished")
}

fn separator_of(name: &str) -> Result<Separator> {
    match name {
        "tab" => Ok(Separator::Tab),
        "space" => Ok(Separator::Space),
        _ => Err(Error::Config {
            name: "separator",
            expected: "tab or space".to_owned(),
            found: name.to_owned(),
        }),
    }
}

fn record_of((keyword, columns): RecordArgument) -> Result<Record> {
    let columns = columns.into_iter().map(|(name, kind)| {
        kind_of(&kind)
            .map(|kind| Column { name, kind })
            .ok_or(Error::Config {
                name: "records",
                expected: "columns of kind number, integer, count, word N or word-or-empty N"
                    .to_owned(),
                found: kind,
            })
    });
    Ok(Record {
        keyword,
        columns: columns.collect::<Result<_>>()?,
    })
}

fn kind_of(text: &str) -> Option<ColumnKind> {
    Some(match text.split_once(' ') {
        None => match text {
            "number" => ColumnKind::Number,
            "integer" => ColumnKind::Integer { least: i64::MIN },
            "count" => ColumnKind::Integer { least: 0 },
            _ => return None,
        },
        Some((kind, vocabulary)) => ColumnKind::Word {
            // A byte, so that the reader has few vocabularies whatever is asked.
            vocabulary: usize::from(vocabulary.parse::<u8>().ok()?),
            may_be_empty: match kind {
                "word" => false,
                "word-or-empty" => true,
                _ => return None,
            },
        },
    })
}
