//! Random fields across the border: parts and decoding.
#![expect(
    clippy::needless_pass_by_value,
    reason = "pyo3 hands the arguments of a function over by value"
)]

use crate::buffers::{View, numbers, view, view_of};
use crate::crf::{PyCrfData, PyCrfNames, pack, unpack};
use crate::errors::to_python;
use crate::run::interruptible;
use numpy::ndarray::{Array2, Array3};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArray3, PyReadonlyArray2};
use plait_core::cancel::CancelToken;
use plait_core::crf::builder::Built;
use plait_core::crf::{Decoder, Features, Input, Model};
use plait_core::error::{Error, Result};
use plait_core::numeric::{to_f32, to_index, to_u64};
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::Arc;

/// Adds what this file offers to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyCrfModel>()
}

pub type Vector<'py> = Bound<'py, PyArray1<f64>>;

/// A trained random field.
#[pyclass(frozen, name = "CrfModel", module = "plait._core")]
pub struct PyCrfModel(pub Arc<Model>);

/// Labellings of all sequences: how many each has, all labels, a score for each labelling, and the logarithm of Z of each sequence.
type Lists<'py> = (View<'py>, View<'py>, View<'py>, View<'py>);

/// Names as bytes end to end, and where each starts.
type PackedNames = (PyBuffer<u8>, PyBuffer<u64>);

/// Weights in either precision.
#[derive(FromPyObject)]
enum Weights {
    Double(PyBuffer<f64>),
    Single(PyBuffer<f32>),
}

/// Pairs by the first of the two: where each run starts, the second, weights.
type PairArrays<'py> = (
    Bound<'py, PyArray1<u64>>,
    Bound<'py, PyArray1<u32>>,
    Vector<'py>,
);

/// Triples by attribute: where each run starts, both labels, weights.
type TripleArrays<'py> = (
    Bound<'py, PyArray1<u64>>,
    Bound<'py, PyArray1<u32>>,
    Bound<'py, PyArray1<u32>>,
    Vector<'py>,
);

impl PyCrfModel {
    /// Does something with prepared sequences, apart from the interpreter.
    fn with<T: Send>(
        &self,
        py: Python<'_>,
        data: &PyCrfData,
        allowed: Option<&PyReadonlyArray2<'_, bool>>,
        work: impl FnOnce(&Decoder<'_>, &Input<'_>, &CancelToken) -> Result<T> + Send,
    ) -> PyResult<T> {
        let claims = allowed.map(|array| array.as_slice()).transpose()?;
        let (model, data) = (&*self.0, &*data.0);
        interruptible(py, None, |cancel, _| {
            check_names(data, model)?;
            let input = Input::new(&data.sequences, claims, model)?;
            work(&Decoder::new(model), &input, cancel)
        })
    }
}

/// Ids of data must be those of the model.
pub fn check_names(data: &Built, model: &Model) -> Result<()> {
    let is_same =
        data.attributes.starts_with(model.attributes()) && data.labels.starts_with(model.labels());
    if is_same {
        Ok(())
    } else {
        Err(Error::config(
            "names",
            "those of the model; make the sequences with the names of the model",
            "others",
        ))
    }
}

#[pymethods]
impl PyCrfModel {
    #[new]
    #[pyo3(signature = (attributes, labels, state_starts, state_labels, transition_starts, next_labels, weights, triples=None))]
    #[expect(
        clippy::too_many_arguments,
        reason = "one argument for each array of a model file"
    )]
    fn new(
        py: Python<'_>,
        attributes: PackedNames,
        labels: PackedNames,
        state_starts: PyBuffer<u64>,
        state_labels: PyBuffer<u32>,
        transition_starts: PyBuffer<u64>,
        next_labels: PyBuffer<u32>,
        weights: Weights,
        triples: Option<(PyBuffer<u64>, PyBuffer<u32>, PyBuffer<u32>)>,
    ) -> PyResult<Self> {
        let indices = |shown: &PyBuffer<u64>| -> PyResult<Vec<usize>> {
            Ok(numbers(py, shown)?.into_iter().map(to_index).collect())
        };
        let names = |what, packed: &PackedNames| -> PyResult<_> {
            let (bytes, offsets) = (numbers(py, &packed.0)?, numbers(py, &packed.1)?);
            Ok(unpack(what, &bytes, &offsets))
        };
        let (attributes, labels) = (names("attributes", &attributes)?, names("labels", &labels)?);
        let features = Features::from_parts(
            indices(&state_starts)?,
            numbers(py, &state_labels)?,
            indices(&transition_starts)?,
            numbers(py, &next_labels)?,
        );
        let features = match triples {
            None => features,
            Some((starts, from, to)) => {
                let (starts, from, to) =
                    (indices(&starts)?, numbers(py, &from)?, numbers(py, &to)?);
                if from.len() == to.len() {
                    let labels = from.into_iter().zip(to).collect();
                    features.and_then(|features| features.with_triples(starts, labels))
                } else {
                    Err(Error::Model {
                        part: "triples",
                        problem: "do not have two labels each".to_owned(),
                    })
                }
            }
        };
        let weights = match weights {
            Weights::Double(weights) => numbers(py, &weights)?,
            Weights::Single(weights) => numbers(py, &weights)?.into_iter().map(f64::from).collect(),
        };
        let model = attributes
            .and_then(|attributes| Model::new(attributes, labels?, features?, weights))
            .map_err(|error| to_python(py, &error))?;
        Ok(Self(Arc::new(model)))
    }

    /// What a model file holds, by name: packed names, pairs, weights in double or single precision, and triples if there are some.
    #[pyo3(signature = (*, single=false))]
    fn stored<'py>(&self, py: Python<'py>, single: bool) -> PyResult<Bound<'py, PyDict>> {
        let (model, features) = (&*self.0, self.0.features());
        let starts = |starts: &[usize]| view(py, starts.iter().map(|&n| to_u64(n)));
        let found = PyDict::new(py);
        for (what, names) in [
            ("attributes", model.attributes()),
            ("labels", model.labels()),
        ] {
            let (bytes, offsets) = pack(names);
            found.set_item(format!("{what}.bytes"), view_of(py, &bytes)?)?;
            found.set_item(format!("{what}.offsets"), view_of(py, &offsets)?)?;
        }
        found.set_item("states.starts", starts(features.state_starts())?)?;
        found.set_item("states.labels", view_of(py, features.state_labels())?)?;
        found.set_item("transitions.starts", starts(features.transition_starts())?)?;
        found.set_item("transitions.labels", view_of(py, features.next_labels())?)?;
        let triples = features.triples();
        if !triples.labels().is_empty() {
            found.set_item("triples.starts", starts(triples.starts())?)?;
            let labels = triples.labels().iter();
            found.set_item("triples.from", view(py, labels.clone().map(|pair| pair.0))?)?;
            found.set_item("triples.to", view(py, labels.map(|pair| pair.1))?)?;
        }
        let weights = model.weights();
        let weights = if single {
            view(py, weights.iter().map(|&weight| to_f32(weight)))?
        } else {
            view_of(py, weights)?
        };
        found.set_item("weights", weights)?;
        Ok(found)
    }

    #[getter]
    fn names(&self) -> PyCrfNames {
        PyCrfNames {
            attributes: self.0.attributes().clone(),
            labels: self.0.labels().clone(),
        }
    }

    fn label_names(&self) -> Vec<&str> {
        self.0.labels().iter().collect()
    }

    fn attribute_names(&self) -> Vec<&str> {
        self.0.attributes().iter().collect()
    }

    #[getter]
    fn feature_count(&self) -> usize {
        self.0.features().len()
    }

    /// Pairs of attributes and labels.
    fn states<'py>(&self, py: Python<'py>) -> PairArrays<'py> {
        let features = self.0.features();
        let weights = &self.0.weights()[..features.state_count()];
        arrays(
            py,
            features.state_starts(),
            features.state_labels(),
            weights,
        )
    }

    /// Pairs of labels.
    fn transitions<'py>(&self, py: Python<'py>) -> PairArrays<'py> {
        let features = self.0.features();
        let weights = features.transition_weights(self.0.weights());
        arrays(
            py,
            features.transition_starts(),
            features.next_labels(),
            weights,
        )
    }

    /// Triples by attribute: where each run starts, first labels, second labels, weights.
    fn triples<'py>(&self, py: Python<'py>) -> TripleArrays<'py> {
        let features = self.0.features();
        let triples = features.triples();
        let starts: Vec<u64> = triples.starts().iter().map(|&n| to_u64(n)).collect();
        let (from, to): (Vec<u32>, Vec<u32>) = triples.labels().iter().copied().unzip();
        let weights = self.0.weights()[features.triple_start()..].to_vec();
        (
            starts.into_pyarray(py),
            from.into_pyarray(py),
            to.into_pyarray(py),
            weights.into_pyarray(py),
        )
    }

    #[pyo3(signature = (data, allowed=None, *, threads))]
    fn best<'py>(
        &self,
        py: Python<'py>,
        data: &PyCrfData,
        allowed: Option<PyReadonlyArray2<'py, bool>>,
        threads: usize,
    ) -> PyResult<(View<'py>, View<'py>)> {
        let (labels, scores) =
            self.with(py, data, allowed.as_ref(), |decoder, input, cancel| {
                decoder.best(input, threads, cancel)
            })?;
        Ok((view_of(py, &labels)?, view_of(py, &scores)?))
    }

    #[pyo3(signature = (data, n, allowed=None, *, threads))]
    fn nbest<'py>(
        &self,
        py: Python<'py>,
        data: &PyCrfData,
        n: usize,
        allowed: Option<PyReadonlyArray2<'py, bool>>,
        threads: usize,
    ) -> PyResult<Lists<'py>> {
        let lists = self.with(py, data, allowed.as_ref(), |decoder, input, cancel| {
            decoder.nbest(input, n, threads, cancel)
        })?;
        let (mut counts, mut labels, mut scores, mut logs) = (vec![], vec![], vec![], vec![]);
        for list in lists {
            counts.push(to_u64(list.labellings.len()));
            logs.push(list.log_z);
            for labelling in list.labellings {
                labels.extend(labelling.labels);
                scores.push(labelling.score);
            }
        }
        Ok((
            view_of(py, &counts)?,
            view_of(py, &labels)?,
            view_of(py, &scores)?,
            view_of(py, &logs)?,
        ))
    }

    #[pyo3(signature = (data, allowed=None, *, threads))]
    fn posteriors<'py>(
        &self,
        py: Python<'py>,
        data: &PyCrfData,
        allowed: Option<PyReadonlyArray2<'py, bool>>,
        threads: usize,
    ) -> PyResult<(Bound<'py, PyArray2<f64>>, Vector<'py>)> {
        let shape = (data.0.sequences.positions(), self.0.labels().len());
        let found = self.with(py, data, allowed.as_ref(), |decoder, input, cancel| {
            decoder.posteriors(input, threads, cancel)
        })?;
        let matrix = Array2::from_shape_vec(shape, found.labels);
        let matrix = matrix.map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok((matrix.into_pyarray(py), found.log_z.into_pyarray(py)))
    }

    #[pyo3(signature = (data, number, allowed=None))]
    fn pair_posteriors<'py>(
        &self,
        py: Python<'py>,
        data: &PyCrfData,
        number: usize,
        allowed: Option<PyReadonlyArray2<'py, bool>>,
    ) -> PyResult<Bound<'py, PyArray3<f64>>> {
        let count = data.0.sequences.len();
        if number >= count {
            let error = Error::config("number", &format!("below {count}"), number);
            return Err(to_python(py, &error));
        }
        let labels = self.0.labels().len();
        let shape = (
            data.0.sequences.get(number).len().max(1) - 1,
            labels,
            labels,
        );
        let found = self.with(py, data, allowed.as_ref(), |decoder, input, _| {
            decoder.pair_posteriors(input, number)
        })?;
        let matrix = Array3::from_shape_vec(shape, found);
        let matrix = matrix.map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(matrix.into_pyarray(py))
    }

    #[pyo3(signature = (data, allowed=None, *, threads))]
    fn log_z<'py>(
        &self,
        py: Python<'py>,
        data: &PyCrfData,
        allowed: Option<PyReadonlyArray2<'py, bool>>,
        threads: usize,
    ) -> PyResult<Vector<'py>> {
        let found = self.with(py, data, allowed.as_ref(), |decoder, input, cancel| {
            decoder.log_z(input, threads, cancel)
        })?;
        Ok(found.into_pyarray(py))
    }

    /// The scores of given labels.
    #[pyo3(signature = (data, labels, allowed=None, *, threads))]
    fn scores_of<'py>(
        &self,
        py: Python<'py>,
        data: &PyCrfData,
        labels: PyBuffer<u32>,
        allowed: Option<PyReadonlyArray2<'py, bool>>,
        threads: usize,
    ) -> PyResult<Vector<'py>> {
        let labels = &numbers(py, &labels)?;
        let found = self.with(py, data, allowed.as_ref(), |decoder, input, cancel| {
            decoder.scores_of(input, labels, threads, cancel)
        })?;
        Ok(found.into_pyarray(py))
    }
}

fn arrays<'py>(
    py: Python<'py>,
    starts: &[usize],
    second: &[u32],
    weights: &[f64],
) -> PairArrays<'py> {
    let starts: Vec<u64> = starts.iter().map(|&n| to_u64(n)).collect();
    (
        starts.into_pyarray(py),
        second.to_vec().into_pyarray(py),
        weights.to_vec().into_pyarray(py),
    )
}
