//! Lexicalised reordering tables: the relative frequency of orientations of a phrase pair (Koehn et al. 2005).
//!
//! `p(o | s, t) = (c(o, s, t) + prior(o)) / sum over o`, with the same prior for each class (0.5), or one in proportion to the frequency of the class in the
//! whole corpus. A table has columns for "previous", for "next", or for both.

mod labels;
mod spec;

pub use spec::{Sides, TableSpec};

use labels::{Counts, by_class, check, labels, prior};

use super::entries::{BAR, each_entry, split_pair};
use super::general::write_general;
use super::model::Basis;
use super::sort::{Count, Counter, Merged, Storage};
use crate::cancel::CancelToken;
use crate::error::{Error, Result};
use crate::numeric::to_u64;
use crate::parallel;

/// Rows that are written at a time, and those that one thread takes of them.
const BATCH: usize = 16_384;
const PIECE: usize = 1_024;

/// What is added to counts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Prior {
    /// The same for each class.
    Constant(f64),
    /// This much in all, in proportion to the frequency of the classes.
    Proportional(f64),
}

/// How tables are made.
#[derive(Debug, Clone)]
pub struct ReorderingOptions {
    /// The tables.
    pub specs: Vec<TableSpec>,
    /// What is added to counts.
    pub prior: Prior,
    /// Whether Moses' mistakes are made: proportional priors whose counts stay in the first row, tables by source without their key.
    pub is_moses: bool,
}

/// Takes lines of orientations, in any order.
#[derive(Debug)]
pub struct ReorderingBuilder<S: Storage> {
    options: ReorderingOptions,
    /// The bases whose columns are read, in the order of the columns.
    bases: Vec<Basis>,
    counter: Counter<S>,
    threads: usize,
    totals: Vec<Counts>,
    lines: u64,
    key: Vec<u8>,
}

impl<S: Storage> ReorderingBuilder<S> {
    /// A builder that keeps about `memory` bytes of lines before it writes them to storage.
    ///
    /// # Errors
    /// [`Error::Config`] when there is no table or one is named twice, or the prior is not a positive number.
    pub fn new(
        options: ReorderingOptions,
        storage: S,
        memory: usize,
        threads: usize,
    ) -> Result<Self> {
        if options.specs.is_empty() {
            return Err(Error::config("model", "given at least once", "none"));
        }
        for (n, spec) in options.specs.iter().enumerate() {
            if options.specs[..n].iter().any(|s| s.name == spec.name) {
                return Err(Error::config(
                    "model",
                    "given once for each table",
                    &spec.name,
                ));
            }
        }
        let (Prior::Constant(value) | Prior::Proportional(value)) = options.prior;
        if !(value > 0.0 && value.is_finite()) {
            return Err(Error::config("smoothing", "a number above 0", value));
        }
        let bases: Vec<Basis> = Basis::ALL
            .into_iter()
            .filter(|basis| options.specs.iter().any(|s| s.basis == *basis))
            .collect();
        Ok(Self {
            totals: vec![Counts::default(); bases.len()],
            options,
            bases,
            counter: Counter::new(storage, memory, threads),
            threads,
            lines: 0,
            key: Vec::new(),
        })
    }

    /// Adds lines `source ||| target ||| previous next [| previous next | previous next] [||| weight]`.
    ///
    /// # Errors
    /// [`Error::Text`] when a line is something else, has no orientations of a model that is asked for, or classes that are too coarse for it;
    /// [`Error::Storage`], [`Error::Cancelled`].
    pub fn feed(&mut self, block: &[u8], cancel: &CancelToken) -> Result<()> {
        let Self {
            options,
            bases,
            counter,
            totals,
            key,
            ..
        } = self;
        each_entry(block, self.lines + 1, false, |number, entry| {
            key.clear();
            key.extend_from_slice(entry.pair);
            key.extend_from_slice(BAR);
            for (n, basis) in bases.iter().enumerate() {
                let labels = labels(&entry, *basis, number)?;
                check(&options.specs, *basis, labels, &entry, number)?;
                for (side, label) in labels.into_iter().enumerate() {
                    let total = &mut totals[n][side][label];
                    *total = *total + entry.count;
                    // Below six.
                    key.push(b'0' + u8::try_from(label).unwrap_or(0));
                }
            }
            counter.add(key, entry.count, cancel)
        })?;
        self.lines += to_u64(super::tokens::lines(block).count());
        Ok(())
    }

    /// Sorts; what follows only writes.
    ///
    /// # Errors
    /// [`Error::Storage`], [`Error::Cancelled`].
    pub fn finish(self, cancel: &CancelToken) -> Result<ReorderingTables<S>> {
        let priors = self
            .options
            .specs
            .iter()
            .map(|spec| {
                let totals = &self.totals[place(&self.bases, spec.basis)];
                [0, 1].map(|side| prior(spec, &totals[side], &self.options))
            })
            .collect();
        let is_polluted =
            self.options.is_moses && matches!(self.options.prior, Prior::Proportional(_));
        // DEVIATION in Moses' favour when asked: the counts behind its priors are those of the first row as well.
        let start = if is_polluted {
            self.totals.clone()
        } else {
            vec![Counts::default(); self.bases.len()]
        };
        let mut lines = self.counter.finish(cancel)?;
        let ahead = lines
            .next(cancel)?
            .map(|(key, count)| (key.to_vec(), count));
        Ok(ReorderingTables {
            of_pair: start.clone(),
            of_source: start,
            empty: vec![Counts::default(); self.bases.len()],
            form: Form {
                options: self.options,
                priors,
                bases: self.bases,
            },
            lines,
            ahead,
            threads: self.threads,
            pairs: 0,
        })
    }
}

fn place(bases: &[Basis], basis: Basis) -> usize {
    bases.iter().position(|b| *b == basis).unwrap_or(0)
}

/// How rows are written.
#[derive(Debug)]
struct Form {
    options: ReorderingOptions,
    /// Of each table, for previous and next.
    priors: Vec<[Vec<f64>; 2]>,
    bases: Vec<Basis>,
}

/// Counts of a phrase pair, or of a source phrase.
#[derive(Debug)]
struct Row {
    key: Vec<u8>,
    by_pair: bool,
    counts: Vec<Counts>,
}

/// Tables whose lines are ready to be written.
#[derive(Debug)]
pub struct ReorderingTables<S: Storage> {
    form: Form,
    of_pair: Vec<Counts>,
    of_source: Vec<Counts>,
    empty: Vec<Counts>,
    lines: Merged<S>,
    ahead: Option<(Vec<u8>, Count)>,
    threads: usize,
    pairs: u64,
}

impl<S: Storage> ReorderingTables<S> {
    /// The next lines of each table; none at the end.
    ///
    /// # Errors
    /// [`Error::Storage`], [`Error::Cancelled`].
    pub fn next_block(&mut self, cancel: &CancelToken) -> Result<Option<Vec<Vec<u8>>>> {
        cancel.check()?;
        let rows = self.some(cancel)?;
        if rows.is_empty() {
            return Ok(None);
        }
        let mut pieces = Vec::new();
        let mut rest = rows.into_iter().peekable();
        while rest.peek().is_some() {
            pieces.push(rest.by_ref().take(PIECE).collect::<Vec<_>>());
        }
        let form = &self.form;
        let parts = parallel::map(self.threads, cancel, pieces, |_, piece| {
            let mut out = vec![Vec::new(); form.options.specs.len()];
            for row in &piece {
                form.write(&mut out, row);
            }
            Ok(out)
        })?;
        let mut all = vec![Vec::new(); self.form.options.specs.len()];
        for part in &parts {
            for (text, more) in all.iter_mut().zip(part) {
                text.extend_from_slice(more);
            }
        }
        Ok(Some(all))
    }

    /// The next rows; fewer at the end.
    fn some(&mut self, cancel: &CancelToken) -> Result<Vec<Row>> {
        let mut rows = Vec::with_capacity(BATCH);
        while rows.len() < BATCH {
            let Some((line, count)) = self.ahead.take() else {
                break;
            };
            let (pair, codes) = line.split_at(line.len() - 2 * self.form.bases.len());
            let pair = &pair[..pair.len() - BAR.len()];
            for (n, code) in codes.iter().enumerate() {
                let (basis, side) = (n / 2, n % 2);
                let label = usize::from(code - b'0');
                for counts in [&mut self.of_pair, &mut self.of_source] {
                    let sum = &mut counts[basis][side][label];
                    *sum = *sum + count;
                }
            }
            self.ahead = self
                .lines
                .next(cancel)?
                .map(|(key, count)| (key.to_vec(), count));
            let next = self
                .ahead
                .as_ref()
                .map(|(line, _)| &line[..line.len() - 2 * self.form.bases.len() - BAR.len()]);
            if next != Some(pair) {
                let source = split_pair(pair).0;
                let is_last = next.map(|n| split_pair(n).0) != Some(source);
                self.pairs += 1;
                rows.push(Row {
                    key: pair.to_vec(),
                    by_pair: true,
                    counts: std::mem::replace(&mut self.of_pair, self.empty.clone()),
                });
                if is_last {
                    rows.push(Row {
                        key: source.to_vec(),
                        by_pair: false,
                        counts: std::mem::replace(&mut self.of_source, self.empty.clone()),
                    });
                }
            }
        }
        Ok(rows)
    }

    /// Phrase pairs that were written.
    #[must_use]
    pub const fn pairs(&self) -> u64 {
        self.pairs
    }

    /// Gives all storage back.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub fn close(self) -> Result<()> {
        self.lines.close().map(|_| ())
    }
}

impl Form {
    fn write(&self, out: &mut [Vec<u8>], row: &Row) {
        let Row {
            key,
            by_pair,
            counts,
        } = row;
        for ((spec, priors), out) in self.options.specs.iter().zip(&self.priors).zip(out) {
            if spec.by_pair != *by_pair {
                continue;
            }
            // DEVIATION in Moses' favour when asked: it writes the key elsewhere.
            if *by_pair || !self.options.is_moses {
                out.extend_from_slice(key);
                out.extend_from_slice(b" |||");
            }
            let counts = &counts[place(&self.bases, spec.basis)];
            for &side in spec.sides.indices() {
                let mut scores = by_class(spec.classes, &counts[side]);
                for (score, prior) in scores.iter_mut().zip(&priors[side]) {
                    *score += prior;
                }
                let sum: f64 = scores.iter().sum();
                for score in scores {
                    out.push(b' ');
                    write_general(out, score / sum);
                }
            }
            out.push(b'\n');
        }
    }
}
