//! Links across the border: `int32[n, 2]` positions, `uint64` offsets, `float32` probabilities or `None`.
#![expect(
    clippy::needless_pass_by_value,
    reason = "pyo3 hands the arguments of a function over by value"
)]

use crate::errors::to_python;
use crate::run::interruptible;
use numpy::{
    IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2,
    PyUntypedArrayMethods,
};
use plait_core::align::analysis::{self, Tokens};
use plait_core::align::combine;
use plait_core::align::notation::{self, ParseOptions};
use plait_core::align::symmetrize::{self, Heuristic, Variant};
use plait_core::align::{Link, Links};
use plait_core::cancel::CancelToken;
use plait_core::error::Error;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// Links as Python has them: `(links, offsets, probabilities or None)`.
pub type LinkArrays<'py> = (
    Bound<'py, PyArray2<i32>>,
    Bound<'py, PyArray1<u64>>,
    Option<Bound<'py, PyArray1<f32>>>,
);

/// Links as Python gives them.
pub type BorrowedLinks<'py> = (
    PyReadonlyArray2<'py, i32>,
    PyReadonlyArray1<'py, u64>,
    Option<PyReadonlyArray1<'py, f32>>,
);

/// The arrays of links: `int32[n, 2]`, `uint64[m + 1]`, `float32[n]` or `None`.
///
/// # Errors
/// `ResourceError` when a position does not fit 31 bits, which the core's own links never do.
pub fn links_to_arrays(py: Python<'_>, links: Links) -> PyResult<LinkArrays<'_>> {
    let count = links.links.len();
    let mut flat = Vec::with_capacity(2 * count);
    for link in &links.links {
        flat.push(position_to_python(py, link.source)?);
        flat.push(position_to_python(py, link.target)?);
    }
    Ok((
        flat.into_pyarray(py).reshape([count, 2])?,
        links.offsets.into_pyarray(py),
        links.probabilities.map(|p| p.into_pyarray(py)),
    ))
}

/// Links from arrays; checked, so that the core may rely on them.
///
/// # Errors
/// `DataError` when the arrays do not form links: see [`Links::new`].
pub fn links_from_arrays(py: Python<'_>, arrays: &BorrowedLinks<'_>) -> PyResult<Links> {
    let (links, offsets, probabilities) = arrays;
    let error = |problem: &str, found: String| {
        to_python(
            py,
            &Error::Links {
                sentence: 1,
                problem: problem.to_owned(),
                found,
            },
        )
    };
    if links.shape()[1] != 2 {
        return Err(error(
            "links must have two columns, source and target",
            format!("{:?}", links.shape()),
        ));
    }
    let links = links
        .as_array()
        .rows()
        .into_iter()
        .map(|row| match (u32::try_from(row[0]), u32::try_from(row[1])) {
            (Ok(source), Ok(target)) => Ok(Link::new(source, target)),
            _ => Err(error(
                "a position must not be negative",
                format!("{}-{}", row[0], row[1]),
            )),
        })
        .collect::<PyResult<Vec<Link>>>()?;
    let offsets = offsets.as_array().to_vec();
    let probabilities = probabilities.as_ref().map(|p| p.as_array().to_vec());
    py.detach(|| Links::new(links, offsets, probabilities))
        .map_err(|e| to_python(py, &e))
}

fn position_to_python(py: Python<'_>, position: u32) -> PyResult<i32> {
    i32::try_from(position).map_err(|_| {
        to_python(
            py,
            &Error::TooLarge {
                what: "a position in a sentence",
                limit: u64::from(Link::MAX_POSITION),
            },
        )
    })
}

/// Reads a block of Pharaoh lines; the fourth value says which links are sure.
#[pyfunction]
#[pyo3(signature = (block, *, first_line=1, allow_possible=false, base=0, threads=1))]
fn parse_pharaoh<'py>(
    py: Python<'py>,
    block: &[u8],
    first_line: u64,
    allow_possible: bool,
    base: u32,
    threads: usize,
) -> PyResult<(LinkArrays<'py>, Bound<'py, PyArray1<bool>>)> {
    let options = ParseOptions {
        first_line,
        allow_possible,
        base,
        threads,
    };
    let parsed = interruptible(py, None, |cancel, _| {
        notation::parse(block, &options, cancel)
    })?;
    Ok((
        links_to_arrays(py, parsed.links)?,
        parsed.sure.into_pyarray(py),
    ))
}

/// One Pharaoh line per sentence pair.
#[pyfunction]
#[pyo3(signature = (links, *, with_probabilities=false, threads=1))]
fn write_pharaoh<'py>(
    py: Python<'py>,
    links: BorrowedLinks<'py>,
    with_probabilities: bool,
    threads: usize,
) -> PyResult<Bound<'py, PyBytes>> {
    let links = links_from_arrays(py, &links)?;
    let text = interruptible(py, None, |cancel, _| {
        notation::write_pharaoh(&links, with_probabilities, threads, cancel)
    })?;
    Ok(PyBytes::new(py, &text))
}

/// One JSON object per sentence pair.
#[pyfunction]
#[pyo3(signature = (links, *, threads=1))]
fn write_jsonl<'py>(
    py: Python<'py>,
    links: BorrowedLinks<'py>,
    threads: usize,
) -> PyResult<Bound<'py, PyBytes>> {
    let links = links_from_arrays(py, &links)?;
    let text = interruptible(py, None, |cancel, _| {
        notation::write_jsonl(&links, threads, cancel)
    })?;
    Ok(PyBytes::new(py, &text))
}

/// Checks arrays that come from outside; with lengths, that every link lies inside its sentence pair.
#[pyfunction]
#[pyo3(signature = (links, source_lengths=None, target_lengths=None))]
fn check_links(
    py: Python<'_>,
    links: BorrowedLinks<'_>,
    source_lengths: Option<PyReadonlyArray1<'_, u32>>,
    target_lengths: Option<PyReadonlyArray1<'_, u32>>,
) -> PyResult<()> {
    let links = links_from_arrays(py, &links)?;
    let (Some(source), Some(target)) = (source_lengths, target_lengths) else {
        return Ok(());
    };
    let (source, target) = (source.as_array().to_vec(), target.as_array().to_vec());
    links
        .check_within(&source, &target)
        .map_err(|e| to_python(py, &e))
}

/// The links of both directions in one, by a heuristic.
#[pyfunction]
#[pyo3(signature = (forward, reverse, method, *, variant="symal", threads=1))]
fn symmetrize_links<'py>(
    py: Python<'py>,
    forward: BorrowedLinks<'py>,
    reverse: BorrowedLinks<'py>,
    method: &str,
    variant: &str,
    threads: usize,
) -> PyResult<LinkArrays<'py>> {
    let heuristic: Heuristic = method.parse().map_err(|e| to_python(py, &e))?;
    let variant: Variant = variant.parse().map_err(|e| to_python(py, &e))?;
    let forward = links_from_arrays(py, &forward)?;
    let reverse = links_from_arrays(py, &reverse)?;
    let result = interruptible(py, None, |cancel, _| {
        symmetrize::symmetrize(&forward, &reverse, heuristic, variant, threads, cancel)
    })?;
    links_to_arrays(py, result)
}

/// The links whose mean posterior over both directions is above the threshold.
#[pyfunction]
#[pyo3(signature = (forward, reverse, threshold, *, threads=1))]
fn symmetrize_soft<'py>(
    py: Python<'py>,
    forward: BorrowedLinks<'py>,
    reverse: BorrowedLinks<'py>,
    threshold: f64,
    threads: usize,
) -> PyResult<LinkArrays<'py>> {
    let forward = links_from_arrays(py, &forward)?;
    let reverse = links_from_arrays(py, &reverse)?;
    let result = interruptible(py, None, |cancel, _| {
        symmetrize::soft(&forward, &reverse, threshold, threads, cancel)
    })?;
    links_to_arrays(py, result)
}

/// The links that more than a share of the alignments have.
#[pyfunction]
#[pyo3(signature = (alignments, threshold, *, threads=1))]
fn combine_vote<'py>(
    py: Python<'py>,
    alignments: Vec<BorrowedLinks<'py>>,
    threshold: f64,
    threads: usize,
) -> PyResult<LinkArrays<'py>> {
    combined(py, &alignments, |cancel, links| {
        combine::vote(links, threshold, threads, cancel)
    })
}

/// The links whose mean probability over the alignments is above the threshold.
#[pyfunction]
#[pyo3(signature = (alignments, threshold, *, threads=1))]
fn combine_average<'py>(
    py: Python<'py>,
    alignments: Vec<BorrowedLinks<'py>>,
    threshold: f64,
    threads: usize,
) -> PyResult<LinkArrays<'py>> {
    combined(py, &alignments, |cancel, links| {
        combine::average(links, threshold, threads, cancel)
    })
}

/// The sentence pairs of all alignments, one alignment after the other.
#[pyfunction]
fn concatenate_links<'py>(
    py: Python<'py>,
    alignments: Vec<BorrowedLinks<'py>>,
) -> PyResult<LinkArrays<'py>> {
    combined(py, &alignments, |_, links| {
        Links::concatenate(links.iter().copied())
    })
}

fn combined<'py>(
    py: Python<'py>,
    alignments: &[BorrowedLinks<'py>],
    combination: impl FnOnce(&CancelToken, &[&Links]) -> plait_core::error::Result<Links> + Send,
) -> PyResult<LinkArrays<'py>> {
    let owned = alignments
        .iter()
        .map(|arrays| links_from_arrays(py, arrays))
        .collect::<PyResult<Vec<Links>>>()?;
    let result = interruptible(py, None, |cancel, _| {
        combination(cancel, &owned.iter().collect::<Vec<_>>())
    })?;
    links_to_arrays(py, result)
}

/// The same links with source and target exchanged.
#[pyfunction]
fn transpose_links<'py>(py: Python<'py>, links: BorrowedLinks<'py>) -> PyResult<LinkArrays<'py>> {
    let links = links_from_arrays(py, &links)?;
    let result = py.detach(|| links.transposed());
    links_to_arrays(py, result)
}

/// Counts of phrase pairs: with repeats, distinct, and the source and target types that are a whole side of one.
#[pyfunction]
#[pyo3(signature = (source_ids, source_offsets, target_ids, target_offsets, links, *, max_length=7, threads=1))]
#[expect(
    clippy::too_many_arguments,
    reason = "two ragged arrays are four, and they have names in Python"
)]
fn phrase_figures(
    py: Python<'_>,
    source_ids: PyReadonlyArray1<'_, u32>,
    source_offsets: PyReadonlyArray1<'_, u64>,
    target_ids: PyReadonlyArray1<'_, u32>,
    target_offsets: PyReadonlyArray1<'_, u64>,
    links: BorrowedLinks<'_>,
    max_length: usize,
    threads: usize,
) -> PyResult<(u64, u64, u64, u64)> {
    let links = links_from_arrays(py, &links)?;
    let (source_ids, source_offsets) = (source_ids.as_slice()?, source_offsets.as_slice()?);
    let (target_ids, target_offsets) = (target_ids.as_slice()?, target_offsets.as_slice()?);
    let figures = interruptible(py, None, |cancel, _| {
        analysis::phrase_figures(
            Tokens::new(source_ids, source_offsets)?,
            Tokens::new(target_ids, target_offsets)?,
            &links,
            max_length,
            threads,
            cancel,
        )
    })?;
    Ok((
        figures.occurrences,
        figures.distinct,
        figures.covered_source_types,
        figures.covered_target_types,
    ))
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(parse_pharaoh, module)?)?;
    module.add_function(wrap_pyfunction!(write_pharaoh, module)?)?;
    module.add_function(wrap_pyfunction!(write_jsonl, module)?)?;
    module.add_function(wrap_pyfunction!(check_links, module)?)?;
    module.add_function(wrap_pyfunction!(symmetrize_links, module)?)?;
    module.add_function(wrap_pyfunction!(symmetrize_soft, module)?)?;
    module.add_function(wrap_pyfunction!(combine_vote, module)?)?;
    module.add_function(wrap_pyfunction!(combine_average, module)?)?;
    module.add_function(wrap_pyfunction!(concatenate_links, module)?)?;
    module.add_function(wrap_pyfunction!(transpose_links, module)?)?;
    module.add_function(wrap_pyfunction!(phrase_figures, module)?)?;
    Ok(())
}
