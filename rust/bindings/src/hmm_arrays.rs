//! A trained HMM as arrays by name and back, for model files.

use crate::errors::to_python;
use crate::hmm::PyHmm;
use numpy::ndarray::Dimension;
use numpy::{
    Element, IntoPyArray, Ix1, Ix2, PyArray, PyArrayMethods, PyReadonlyArray, PyUntypedArrayMethods,
};
use plait_core::align::hmm::jumps::{BUCKETS, ClassJumps, Jumps};
use plait_core::align::hmm::model::Model;
use plait_core::align::hmm::options::Options;
use plait_core::error::{Error, Result};
use plait_core::text::Vocabulary;
use pyo3::prelude::*;
use pyo3::types::PyDict;

const SIDES: [&str; 2] = ["source", "target"];
const DIRECTIONS: [&str; 2] = ["forward", "reverse"];

/// All that is kept of training, copied.
pub fn to_dict<'py>(py: Python<'py>, hmm: &PyHmm) -> PyResult<Bound<'py, PyDict>> {
    let (model, vocabularies) = hmm.parts();
    let dict = PyDict::new(py);
    for side in 0..2 {
        let name = SIDES[side];
        let (mut text, mut offsets) = (Vec::new(), vec![0_u64]);
        for word in vocabularies[side].words() {
            text.extend_from_slice(word.as_bytes());
            // No more bytes than memory holds.
            offsets.push(u64::try_from(text.len()).unwrap_or(u64::MAX));
        }
        dict.set_item(format!("{name}_words"), text.into_pyarray(py))?;
        dict.set_item(format!("{name}_word_offsets"), offsets.into_pyarray(py))?;
        let counts = PyArray::from_slice(py, &model.frequencies[side]);
        dict.set_item(format!("{name}_frequencies"), counts)?;
    }
    dict.set_item("offsets", PyArray::from_slice(py, &model.starts))?;
    dict.set_item("targets", PyArray::from_slice(py, &model.targets))?;
    let links = model.links.concat().into_pyarray(py);
    dict.set_item(
        "links",
        links.reshape([model.links.len(), model.targets.len()])?,
    )?;
    for (direction, name) in DIRECTIONS.into_iter().enumerate() {
        let nulls = PyArray::from_slice(py, &model.nulls[direction]);
        dict.set_item(format!("null_{name}"), nulls)?;
        let jumps = &model.jumps[direction];
        let counts = [jumps.between, jumps.first, jumps.last].concat();
        let counts = counts.into_pyarray(py).reshape([3, BUCKETS])?;
        dict.set_item(format!("jumps_{name}"), counts)?;
        let words = PyArray::from_slice(py, &jumps.words);
        let words = words.reshape([jumps.words.len() / BUCKETS, BUCKETS])?;
        dict.set_item(format!("word_jumps_{name}"), words)?;
        if let Some(classes) = &jumps.classes {
            let of_word = PyArray::from_slice(py, &classes.of_word);
            dict.set_item(format!("classes_{name}"), of_word)?;
            let counts = classes.counts.concat().into_pyarray(py);
            let counts = counts.reshape([classes.counts.len(), BUCKETS])?;
            dict.set_item(format!("class_jumps_{name}"), counts)?;
        }
    }
    Ok(dict)
}

/// The model of such arrays.
pub fn from_dict(options: Options, arrays: &Bound<'_, PyDict>) -> PyResult<PyHmm> {
    read(options, arrays).map_err(|error| to_python(arrays.py(), &error))
}

fn read(options: Options, arrays: &Bound<'_, PyDict>) -> Result<PyHmm> {
    let vocabularies = [
        vocabulary(arrays, "source_words", "source_word_offsets")?,
        vocabulary(arrays, "target_words", "target_word_offsets")?,
    ];
    let (links, [lists, _]) = matrix::<f32>(arrays, "links")?;
    let links = match lists {
        2 => {
            let (forward, reverse) = links.split_at(links.len() / 2);
            vec![forward.to_vec(), reverse.to_vec()]
        }
        _ => vec![links],
    };
    let jumps = [
        jumps(
            arrays,
            &options,
            ["jumps_forward", "word_jumps_forward"],
            ["classes_forward", "class_jumps_forward"],
        )?,
        jumps(
            arrays,
            &options,
            ["jumps_reverse", "word_jumps_reverse"],
            ["classes_reverse", "class_jumps_reverse"],
        )?,
    ];
    let model = Model {
        options,
        frequencies: [
            list(arrays, "source_frequencies")?,
            list(arrays, "target_frequencies")?,
        ],
        starts: list(arrays, "offsets")?,
        targets: list(arrays, "targets")?,
        links,
        nulls: [list(arrays, "null_forward")?, list(arrays, "null_reverse")?],
        jumps,
    };
    model.check([vocabularies[0].len(), vocabularies[1].len()])?;
    Ok(PyHmm::new(model, vocabularies))
}

fn vocabulary(
    arrays: &Bound<'_, PyDict>,
    words: &'static str,
    offsets: &'static str,
) -> Result<Vocabulary> {
    let (blob, ends) = (list::<u8>(arrays, words)?, list::<u64>(arrays, offsets)?);
    let text = String::from_utf8(blob).map_err(|_| wrong(words, "must be UTF-8"))?;
    let bad_offsets = || {
        wrong(
            offsets,
            "must rise from 0 to the end of the words, at characters",
        )
    };
    let mut list = Vec::with_capacity(ends.len().saturating_sub(1));
    let mut start = 0;
    if ends.first() != Some(&0) {
        return Err(bad_offsets());
    }
    for &end in &ends[1..] {
        let end = usize::try_from(end).map_err(|_| bad_offsets())?;
        list.push(text.get(start..end).ok_or_else(bad_offsets)?.to_owned());
        start = end;
    }
    if start != text.len() {
        return Err(bad_offsets());
    }
    let vocabulary = Vocabulary::from_words(list);
    if vocabulary.index()?.len() != vocabulary.len() {
        return Err(wrong(words, "must differ"));
    }
    Ok(vocabulary)
}

fn jumps(
    arrays: &Bound<'_, PyDict>,
    options: &Options,
    [all, words]: [&'static str; 2],
    [classes, class_counts]: [&'static str; 2],
) -> Result<Jumps> {
    let rows = rows(arrays, all)?;
    let &[between, first, last] = &rows[..] else {
        return Err(wrong(all, "must have 3 rows"));
    };
    let (words, _) = bucketed::<f32>(arrays, words)?;
    let classes = if has(arrays, classes)? {
        Some(ClassJumps {
            of_word: list(arrays, classes)?,
            counts: self::rows(arrays, class_counts)?,
            tau: options.class_tau,
        })
    } else {
        None
    };
    Ok(Jumps {
        between,
        first,
        last,
        words,
        classes,
        tau: options.tau,
        smoothing: options.smoothing,
    })
}

/// Rows of one number for each bucket.
fn rows(arrays: &Bound<'_, PyDict>, name: &'static str) -> Result<Vec<[f64; BUCKETS]>> {
    let (flat, _) = bucketed::<f64>(arrays, name)?;
    Ok(flat
        .chunks_exact(BUCKETS)
        .map(|row| std::array::from_fn(|b| row[b]))
        .collect())
}

fn bucketed<T: Element + Copy>(
    arrays: &Bound<'_, PyDict>,
    name: &'static str,
) -> Result<(Vec<T>, [usize; 2])> {
    let (flat, shape) = matrix(arrays, name)?;
    if shape[1] == BUCKETS {
        Ok((flat, shape))
    } else {
        Err(wrong(name, &format!("must have {BUCKETS} columns")))
    }
}

fn list<T: Element + Copy>(arrays: &Bound<'_, PyDict>, name: &'static str) -> Result<Vec<T>> {
    let array: PyReadonlyArray<'_, T, Ix1> = item(arrays, name)?;
    array
        .to_vec()
        .map_err(|_| wrong(name, "must be contiguous"))
}

fn matrix<T: Element + Copy>(
    arrays: &Bound<'_, PyDict>,
    name: &'static str,
) -> Result<(Vec<T>, [usize; 2])> {
    let array: PyReadonlyArray<'_, T, Ix2> = item(arrays, name)?;
    let shape = [array.shape()[0], array.shape()[1]];
    let flat = array
        .to_vec()
        .map_err(|_| wrong(name, "must be contiguous"))?;
    Ok((flat, shape))
}

fn item<'py, T: Element, D: Dimension>(
    arrays: &Bound<'py, PyDict>,
    name: &'static str,
) -> Result<PyReadonlyArray<'py, T, D>> {
    let found = arrays
        .get_item(name)
        .ok()
        .flatten()
        .ok_or_else(|| wrong(name, "is missing"))?;
    found
        .cast_into::<PyArray<T, D>>()
        .ok()
        .and_then(|array| array.try_readonly().ok())
        .ok_or_else(|| {
            wrong(
                name,
                "has another type or number of dimensions than it should",
            )
        })
}

fn has(arrays: &Bound<'_, PyDict>, name: &'static str) -> Result<bool> {
    arrays
        .contains(name)
        .map_err(|_| wrong(name, "cannot be looked up"))
}

fn wrong(part: &'static str, problem: &str) -> Error {
    Error::Model {
        part,
        problem: problem.to_owned(),
    }
}
