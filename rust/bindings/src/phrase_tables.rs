//! Phrase tables and reordering tables across the border: blocks of lines in, blocks of lines out, temporary files in a folder that Python made.
#![expect(
    clippy::needless_pass_by_value,
    reason = "pyo3 hands the arguments of a function over by value"
)]

use crate::errors::to_python;
use crate::phrase::named;
use crate::phrase_options::GivenOptions;
use crate::run::interruptible;
use plait_core::error::{Error, Result};
use plait_core::phrase::reordering::{
    Prior, ReorderingBuilder, ReorderingOptions, ReorderingTables, TableSpec,
};
use plait_core::phrase::sort::Storage;
use plait_core::phrase::table::consolidate::{Consolidator, Half};
use plait_core::phrase::table::{CountsOfCounts, Table, TableBuilder};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::fs::File;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// Numbered files in a folder.
#[derive(Debug, Clone)]
struct Folder {
    path: PathBuf,
    made: Arc<AtomicU64>,
}

impl Folder {
    fn new(path: PathBuf) -> Self {
        Self {
            path,
            made: Arc::default(),
        }
    }
}

impl Storage for Folder {
    type Id = PathBuf;
    type Writer = File;
    type Reader = File;

    fn create(&mut self) -> Result<(PathBuf, File)> {
        let number = self.made.fetch_add(1, Ordering::Relaxed);
        let path = self.path.join(format!("{number}.run"));
        let file = File::create_new(&path)?;
        Ok((path, file))
    }

    fn open(&self, id: &PathBuf) -> Result<File> {
        Ok(File::open(id)?)
    }

    fn remove(&mut self, id: &PathBuf) -> Result<()> {
        Ok(std::fs::remove_file(id)?)
    }
}

/// What a table goes through.
#[derive(Debug)]
enum State<B, W> {
    Reading(Box<B>),
    Writing(Box<W>),
    Failed,
}

/// The state, out of its lock for the time of the work; what fails leaves nothing to go on with.
fn with_state<B: Send, W: Send, T: Send>(
    py: Python<'_>,
    state: &Mutex<State<B, W>>,
    callback: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(
        State<B, W>,
        &plait_core::cancel::CancelToken,
        &dyn plait_core::progress::Progress,
    ) -> Result<(State<B, W>, T)>
    + Send,
) -> PyResult<T> {
    let current = state
        .lock()
        .map(|mut held| std::mem::replace(&mut *held, State::Failed))
        .map_err(|_| misuse())?;
    let (next, result) = interruptible(py, callback, |cancel, progress| {
        work(current, cancel, progress)
    })?;
    if let Ok(mut held) = state.lock() {
        *held = next;
    }
    Ok(result)
}

fn misuse() -> PyErr {
    PyValueError::new_err("a table is fed, then finished, then taken, and not after an error")
}

/// An error for calls in the wrong order; the core has none, because its types do not allow them.
fn wrong_order() -> Error {
    Error::config(
        "the table",
        "fed, then finished, then taken",
        "another order",
    )
}

/// A phrase table in the making.
#[pyclass(frozen)]
struct PhraseTableBuilder(Mutex<State<TableBuilder<Folder>, Table<Folder>>>);

#[pymethods]
impl PhraseTableBuilder {
    #[new]
    #[pyo3(signature = (folder, options, *, memory, threads=1))]
    fn new(
        py: Python<'_>,
        folder: PathBuf,
        options: GivenOptions,
        memory: usize,
        threads: usize,
    ) -> PyResult<Self> {
        let build = || TableBuilder::new(options.to_core()?, &Folder::new(folder), memory, threads);
        let builder = build().map_err(|e| to_python(py, &e))?;
        Ok(Self(Mutex::new(State::Reading(Box::new(builder)))))
    }

    /// Adds lines of phrase pairs.
    fn feed(&self, py: Python<'_>, block: &[u8]) -> PyResult<()> {
        with_state(py, &self.0, None, |state, cancel, _| match state {
            State::Reading(mut builder) => {
                builder.feed(block, cancel)?;
                Ok((State::Reading(builder), ()))
            }
            _ => Err(wrong_order()),
        })
    }

    /// Adds lines of the lexical table of targets given sources, or of the other one.
    fn feed_lexical(&self, py: Python<'_>, block: &[u8], inverse: bool) -> PyResult<()> {
        with_state(py, &self.0, None, |state, _, _| match state {
            State::Reading(mut builder) => {
                if inverse {
                    builder.inverse.feed(block)?;
                } else {
                    builder.direct.feed(block)?;
                }
                Ok((State::Reading(builder), ()))
            }
            _ => Err(wrong_order()),
        })
    }

    /// Sorts and counts.
    #[pyo3(signature = (progress=None))]
    fn finish(&self, py: Python<'_>, progress: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        with_state(
            py,
            &self.0,
            progress,
            |state, cancel, progress| match state {
                State::Reading(builder) => {
                    let table = builder.finish(cancel, progress)?;
                    Ok((State::Writing(Box::new(table)), ()))
                }
                _ => Err(wrong_order()),
            },
        )
    }

    /// The next lines; none at the end.
    fn take<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let block = with_state(py, &self.0, None, |state, cancel, _| match state {
            State::Writing(mut table) => {
                let block = table.next_block(cancel)?;
                Ok((State::Writing(table), block))
            }
            _ => Err(wrong_order()),
        })?;
        Ok(block.map(|text| PyBytes::new(py, &text)))
    }

    /// The number of distinct phrase pairs of a half and how many are counted once, twice, .. ten times, once its last lines were taken.
    fn counts(&self, py: Python<'_>) -> PyResult<Option<[u64; 11]>> {
        with_state(py, &self.0, None, |state, _, _| match state {
            State::Writing(table) => {
                let counts = table.counts().map(CountsOfCounts::to_lines);
                Ok((State::Writing(table), counts))
            }
            _ => Err(wrong_order()),
        })
    }

    /// Gives the temporary files back; returns how many phrase pairs were written, and how many of their word pairs were not in the lexical tables.
    fn close(&self, py: Python<'_>) -> PyResult<(u64, u64)> {
        with_state(py, &self.0, None, |state, _, _| match state {
            State::Writing(table) => {
                let figures = (table.pairs(), table.missing());
                table.close()?;
                Ok((State::Failed, figures))
            }
            _ => Err(wrong_order()),
        })
    }
}

/// Joins the halves of a phrase table.
#[pyclass(frozen)]
struct PhraseTableConsolidator {
    joined: Consolidator,
    threads: usize,
}

#[pymethods]
impl PhraseTableConsolidator {
    #[new]
    #[pyo3(signature = (options, *, counts=[0; 11], threads=1))]
    fn new(
        py: Python<'_>,
        options: GivenOptions,
        counts: [u64; 11],
        threads: usize,
    ) -> PyResult<Self> {
        let counts = CountsOfCounts::from_lines(counts);
        let build = || Consolidator::new(options.to_core()?, &counts);
        let joined = build().map_err(|e| to_python(py, &e))?;
        Ok(Self { joined, threads })
    }

    /// The lines of the table for the same lines of both halves, and their number; `names` are those of the halves, for errors.
    #[pyo3(signature = (direct, inverse, *, names, first_line))]
    fn lines<'py>(
        &self,
        py: Python<'py>,
        direct: &[u8],
        inverse: &[u8],
        names: (String, String),
        first_line: u64,
    ) -> PyResult<(Bound<'py, PyBytes>, u64)> {
        let (text, pairs) = interruptible(py, None, |cancel, _| {
            self.joined
                .lines(direct, inverse, first_line, self.threads, cancel)
        })?
        .map_err(|(half, error)| {
            let name = match half {
                Half::Direct => &names.0,
                Half::Inverse => &names.1,
            };
            named(py, &error, name)
        })?;
        Ok((PyBytes::new(py, &text), pairs))
    }
}

/// Reordering tables in the making.
#[pyclass(frozen)]
struct ReorderingTableBuilder(Mutex<State<ReorderingBuilder<Folder>, ReorderingTables<Folder>>>);

#[pymethods]
impl ReorderingTableBuilder {
    #[new]
    #[pyo3(signature = (folder, models, *, memory, smoothing=0.5, proportional=false, compat=None, threads=1))]
    #[expect(clippy::too_many_arguments, reason = "options are keywords in Python")]
    fn new(
        py: Python<'_>,
        folder: PathBuf,
        models: Vec<String>,
        memory: usize,
        smoothing: f64,
        proportional: bool,
        compat: Option<&str>,
        threads: usize,
    ) -> PyResult<Self> {
        let build = || {
            let options = ReorderingOptions {
                specs: models
                    .iter()
                    .map(|name| name.parse::<TableSpec>())
                    .collect::<Result<Vec<_>>>()?,
                prior: if proportional {
                    Prior::Proportional(smoothing)
                } else {
                    Prior::Constant(smoothing)
                },
                is_moses: compat.is_some(),
            };
            ReorderingBuilder::new(options, Folder::new(folder), memory, threads)
        };
        let builder = build().map_err(|e| to_python(py, &e))?;
        Ok(Self(Mutex::new(State::Reading(Box::new(builder)))))
    }

    /// Adds lines of orientations.
    fn feed(&self, py: Python<'_>, block: &[u8]) -> PyResult<()> {
        with_state(py, &self.0, None, |state, cancel, _| match state {
            State::Reading(mut builder) => {
                builder.feed(block, cancel)?;
                Ok((State::Reading(builder), ()))
            }
            _ => Err(wrong_order()),
        })
    }

    /// Sorts.
    #[pyo3(signature = (progress=None))]
    fn finish(&self, py: Python<'_>, progress: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        with_state(py, &self.0, progress, |state, cancel, _| match state {
            State::Reading(builder) => {
                let tables = builder.finish(cancel)?;
                Ok((State::Writing(Box::new(tables)), ()))
            }
            _ => Err(wrong_order()),
        })
    }

    /// The next lines of each table; none at the end.
    fn take<'py>(&self, py: Python<'py>) -> PyResult<Option<Vec<Bound<'py, PyBytes>>>> {
        let blocks = with_state(py, &self.0, None, |state, cancel, _| match state {
            State::Writing(mut tables) => {
                let blocks = tables.next_block(cancel)?;
                Ok((State::Writing(tables), blocks))
            }
            _ => Err(wrong_order()),
        })?;
        Ok(blocks.map(|all| all.iter().map(|text| PyBytes::new(py, text)).collect()))
    }

    /// Gives the temporary files back; returns how many phrase pairs were written.
    fn close(&self, py: Python<'_>) -> PyResult<u64> {
        with_state(py, &self.0, None, |state, _, _| match state {
            State::Writing(tables) => {
                let pairs = tables.pairs();
                tables.close()?;
                Ok((State::Failed, pairs))
            }
            _ => Err(wrong_order()),
        })
    }
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PhraseTableBuilder>()?;
    module.add_class::<PhraseTableConsolidator>()?;
    module.add_class::<ReorderingTableBuilder>()?;
    Ok(())
}
