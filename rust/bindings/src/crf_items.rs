//! Lists of dictionaries as sequences, with the names that python-crfsuite gives to their features.

use crate::errors::to_python;
use plait_core::crf::DatasetBuilder;
use plait_core::crf::builder::Built;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyList, PySet, PyString, PyTuple};

/// Sequences between two looks for signals.
const STRIDE: usize = 256;

/// Where something was found, for messages.
#[derive(Clone, Copy)]
struct Place {
    sequence: usize,
    position: usize,
}

fn refuse(py: Python<'_>, message: &str) -> PyErr {
    let made = py
        .import("plait.errors")
        .and_then(|errors| errors.getattr("DataError")?.call1((message,)));
    made.map_or_else(|failure| failure, PyErr::from_value)
}

impl Place {
    fn refuse(self, value: &Bound<'_, PyAny>, expected: &str) -> PyErr {
        let found = value.repr().map_or_else(
            |_| "something else".to_owned(),
            |text| text.to_string().chars().take(80).collect(),
        );
        let Self { sequence, position } = self;
        let message =
            format!("sequence {sequence}, position {position}: {expected}; found {found}");
        refuse(value.py(), &message)
    }
}

/// Builds sequences; a label for each position when there are labels.
pub fn build(
    py: Python<'_>,
    mut builder: DatasetBuilder,
    items: &Bound<'_, PyAny>,
    labels: Option<&Bound<'_, PyAny>>,
) -> PyResult<Built> {
    let mut labels = labels.map(PyAnyMethods::try_iter).transpose()?;
    let mut name = String::new();
    let mut count = 0;
    for (sequence, item) in items.try_iter()?.enumerate() {
        if sequence % STRIDE == 0 {
            py.check_signals()?;
        }
        let own = match &mut labels {
            None => None,
            Some(rest) => Some(rest.next().ok_or_else(|| {
                refuse(py, &format!("there are only {sequence} sequences of labels; give one for each sequence of features"))
            })??),
        };
        add(&mut builder, sequence, &item?, own.as_ref(), &mut name)?;
        count = sequence + 1;
    }
    if let Some(rest) = &mut labels
        && rest.next().is_some()
    {
        return Err(refuse(
            py,
            &format!(
                "there are more sequences of labels than the {count} sequences of features; give one for each"
            ),
        ));
    }
    Ok(builder.finish())
}

/// What a sequence can be iterated as: not a text, nor a dictionary, which would be taken apart in silence.
fn iterate<'py>(
    value: &Bound<'py, PyAny>,
    place: Place,
    expected: &str,
) -> PyResult<Bound<'py, PyList>> {
    let py = value.py();
    if let Ok(list) = value.cast::<PyList>() {
        return Ok(list.clone());
    }
    let is_wrong = value.is_instance_of::<PyString>()
        || value.is_instance_of::<PyBytes>()
        || value.is_instance_of::<PyDict>();
    if is_wrong {
        return Err(place.refuse(value, expected));
    }
    let made: PyResult<Vec<Bound<'py, PyAny>>> = value
        .try_iter()
        .map_err(|_| place.refuse(value, expected))?
        .collect();
    PyList::new(py, made?)
}

fn add(
    builder: &mut DatasetBuilder,
    sequence: usize,
    items: &Bound<'_, PyAny>,
    labels: Option<&Bound<'_, PyAny>>,
    name: &mut String,
) -> PyResult<()> {
    let py = items.py();
    let place = Place {
        sequence,
        position: 0,
    };
    let items = iterate(
        items,
        place,
        "a sequence is a list of positions, each a dictionary or a list of names",
    )?;
    let labels = labels
        .map(|labels| {
            iterate(
                labels,
                place,
                "the labels of a sequence are a list of texts",
            )
        })
        .transpose()?;
    if let Some(labels) = labels.as_ref().filter(|labels| labels.len() != items.len()) {
        return Err(refuse(
            py,
            &format!(
                "sequence {sequence} has {} positions but {} labels; give one label for each",
                items.len(),
                labels.len()
            ),
        ));
    }
    for (position, item) in items.iter().enumerate() {
        let place = Place { sequence, position };
        let mut writer = Writer {
            builder: &mut *builder,
            place,
        };
        writer.position(&item, name)?;
        let label = labels
            .as_ref()
            .map(|labels| labels.get_item(position))
            .transpose()?
            .filter(|label| !label.is_none());
        let label = label
            .as_ref()
            .map(|label| {
                label
                    .cast::<PyString>()
                    .map_err(|_| place.refuse(label, "a label is a text"))
            })
            .transpose()?;
        let text = label.map(|label| label.to_str()).transpose()?;
        builder
            .end_position(text)
            .map_err(|error| to_python(py, &error))?;
    }
    builder.end_sequence();
    Ok(())
}

struct Writer<'b> {
    builder: &'b mut DatasetBuilder,
    place: Place,
}

const EXPECTED: &str = "a position is a dictionary of features, or a list of names; values are texts, numbers, Booleans, lists of texts, or dictionaries";

impl Writer<'_> {
    fn position(&mut self, item: &Bound<'_, PyAny>, name: &mut String) -> PyResult<()> {
        name.clear();
        if let Ok(features) = item.cast::<PyDict>() {
            return self.dictionary(features, name);
        }
        self.names(item, name)
    }

    fn dictionary(&mut self, features: &Bound<'_, PyDict>, name: &mut String) -> PyResult<()> {
        let start = name.len();
        for (key, value) in features {
            let key = key
                .cast::<PyString>()
                .map_err(|_| self.place.refuse(&key, "the name of a feature is a text"))?;
            name.truncate(start);
            name.push_str(key.to_str()?);
            self.value(&value, name)?;
        }
        name.truncate(start);
        Ok(())
    }

    fn value(&mut self, value: &Bound<'_, PyAny>, name: &mut String) -> PyResult<()> {
        if let Ok(text) = value.cast::<PyString>() {
            name.push(':');
            name.push_str(text.to_str()?);
            return self.write(value, name, 1.0);
        }
        if let Ok(claim) = value.cast::<PyBool>() {
            return self.write(value, name, f64::from(u8::from(claim.is_true())));
        }
        if value.is_instance_of::<PyFloat>() || value.is_instance_of::<PyInt>() {
            return self.write(value, name, value.extract()?);
        }
        name.push(':');
        if let Ok(inner) = value.cast::<PyDict>() {
            return self.dictionary(inner, name);
        }
        let is_list = value.is_instance_of::<PyList>()
            || value.is_instance_of::<PyTuple>()
            || value.is_instance_of::<PySet>();
        if is_list {
            return self.names(value, name);
        }
        // Numbers of numpy.
        match value.extract::<f64>() {
            Ok(number) => {
                name.pop();
                self.write(value, name, number)
            }
            Err(_) => Err(self.place.refuse(value, EXPECTED)),
        }
    }

    fn names(&mut self, items: &Bound<'_, PyAny>, name: &mut String) -> PyResult<()> {
        let start = name.len();
        let mut names: Vec<Bound<'_, PyString>> = Vec::new();
        for item in iterate(items, self.place, EXPECTED)? {
            let text = item
                .cast::<PyString>()
                .map_err(|_| self.place.refuse(&item, EXPECTED))?;
            names.push(text.clone());
        }
        if items.is_instance_of::<PySet>() {
            // The order of a set changes from run to run; ids must not.
            names.sort_by(|a, b| a.to_str().unwrap_or("").cmp(b.to_str().unwrap_or("")));
        }
        for text in names {
            name.truncate(start);
            name.push_str(text.to_str()?);
            self.write(&text, name, 1.0)?;
        }
        name.truncate(start);
        Ok(())
    }

    fn write(&mut self, found: &Bound<'_, PyAny>, name: &str, value: f64) -> PyResult<()> {
        if !value.is_finite() {
            let expected = format!("the value of the feature {name:?} is a finite number");
            return Err(self.place.refuse(found, &expected));
        }
        self.builder
            .feature(name, value)
            .map_err(|error| to_python(found.py(), &error))
    }
}
