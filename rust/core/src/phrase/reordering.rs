//! Lexicalised reordering tables: the relative frequency of orientations of a phrase pair (Koehn et al. 2005).
//!
//! `p(o | s, t) = (c(o, s, t) + prior(o)) / sum over o`, with the same prior for each class (0.5), or one in proportion to the frequency of the class in the
//! whole corpus. A table has columns for "previous", for "next", or for both.

use super::entries::{BAR, Entry, each_entry, split_pair};
use super::general::write_general;
use super::model::{Basis, Classes};
use super::sort::{Count, Counter, Merged, Storage};
use crate::align::notation::show;
use crate::cancel::CancelToken;
use crate::error::{Error, Result};
use crate::numeric::to_u64;
use std::str::FromStr;

/// Bytes of lines that are handed out at a time, all tables together.
const BLOCK: usize = 1 << 20;

/// The classes as they are written in files of orientations.
const LABELS: [&[u8]; 6] = [b"mono", b"swap", b"dleft", b"dright", b"other", b"nomono"];

/// Counts of the labels, previous and next.
type Counts = [[Count; LABELS.len()]; 2];

/// What a table is about, such as `hier-msd-bidirectional-fe`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableSpec {
    /// How it was written.
    pub name: String,
    /// Whose orientations.
    pub basis: Basis,
    /// In which classes.
    pub classes: Classes,
    /// Columns of "previous" (backward), of "next" (forward), or of both (bidirectional).
    pub sides: Sides,
    /// Whether rows are phrase pairs (fe) or source phrases (f).
    pub by_pair: bool,
}

/// Which neighbours a table is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sides {
    /// The previous phrase: "backward".
    Previous,
    /// The next phrase: "forward".
    Next,
    /// Previous, then next: "bidirectional".
    Both,
}

impl Sides {
    const fn indices(self) -> &'static [usize] {
        match self {
            Self::Previous => &[0],
            Self::Next => &[1],
            Self::Both => &[0, 1],
        }
    }
}

impl FromStr for TableSpec {
    type Err = Error;

    /// `[wbe|phrase|hier-](msd|mslr|monotonicity|leftright)[-backward|forward|bidirectional][-fe|f][-allff|collapseff]`; by default words, backward, both
    /// languages.
    fn from_str(text: &str) -> Result<Self> {
        let bad = || {
            Error::config(
                "model",
                "[wbe|phrase|hier-](msd|mslr|monotonicity|leftright)[-backward|forward|bidirectional][-fe|f], such as hier-msd-bidirectional-fe",
                text,
            )
        };
        let (mut basis, mut classes, mut sides, mut by_pair) = (None, None, None, None);
        for part in text.split('-') {
            let is_new = match part {
                "wbe" | "phrase" | "hier" => basis.replace(part.parse()?).is_none(),
                "msd" | "mslr" | "monotonicity" | "leftright" => {
                    classes.replace(part.parse()?).is_none()
                }
                "backward" | "unidirectional" => sides.replace(Sides::Previous).is_none(),
                "forward" => sides.replace(Sides::Next).is_none(),
                "bidirectional" => sides.replace(Sides::Both).is_none(),
                "fe" => by_pair.replace(true).is_none(),
                "f" => by_pair.replace(false).is_none(),
                // How many weights a decoder gives the columns; the table is the same.
                "allff" | "collapseff" => true,
                _ => false,
            };
            if !is_new {
                return Err(bad());
            }
        }
        Ok(Self {
            name: text.to_owned(),
            basis: basis.unwrap_or(Basis::Word),
            classes: classes.ok_or_else(bad)?,
            sides: sides.unwrap_or(Sides::Previous),
            by_pair: by_pair.unwrap_or(true),
        })
    }
}

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
        each_entry(block, self.lines + 1, |number, entry| {
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
            options: self.options,
            priors,
            of_pair: start.clone(),
            of_source: start,
            empty: vec![Counts::default(); self.bases.len()],
            bases: self.bases,
            lines,
            ahead,
            pairs: 0,
        })
    }
}

fn place(bases: &[Basis], basis: Basis) -> usize {
    bases.iter().position(|b| *b == basis).unwrap_or(0)
}

/// Previous and next of a basis, as places in `LABELS`.
fn labels(entry: &Entry<'_>, basis: Basis, line: u64) -> Result<[usize; 2]> {
    let bad = |problem: String| Error::Text {
        line,
        column: 1,
        problem,
        found: show(entry.third),
    };
    let columns = entry.third.split(|&b| b == b'|').count();
    // The ends of the field were trimmed, and with them the space of an empty first or last column.
    let column = entry.third.split(|&b| b == b'|').nth(basis.column());
    let words: Vec<&[u8]> = column
        .unwrap_or_default()
        .split(|&b| b == b' ')
        .filter(|word| !word.is_empty())
        .collect();
    if !matches!(columns, 1 | 3) {
        return Err(bad(
            "expected the orientations 'previous next' of words, or those of wbe | phrase | hier"
                .into(),
        ));
    }
    let [previous, next] = words[..] else {
        return Err(bad(format!(
            "the line has no orientations 'previous next' of {0}; extract them with --model {0}-..",
            basis.name()
        )));
    };
    let find = |word: &[u8]| {
        LABELS
            .iter()
            .position(|label| *label == word)
            .ok_or_else(|| {
                bad(format!(
                    "{} is no orientation; expected mono, swap, other, dleft, dright or nomono",
                    show(word)
                ))
            })
    };
    Ok([find(previous)?, find(next)?])
}

fn check(
    specs: &[TableSpec],
    basis: Basis,
    labels: [usize; 2],
    entry: &Entry<'_>,
    line: u64,
) -> Result<()> {
    for spec in specs.iter().filter(|spec| spec.basis == basis) {
        for label in labels {
            if class(spec.classes, label).is_none() {
                return Err(Error::Text {
                    line,
                    column: 1,
                    problem: format!(
                        "these classes are too coarse for the table {}; extract with --model {}-mslr",
                        spec.name,
                        basis.name()
                    ),
                    found: show(entry.third),
                });
            }
        }
    }
    Ok(())
}

/// The class of a label, if the set can tell.
const fn class(classes: Classes, label: usize) -> Option<usize> {
    match (classes, label) {
        (_, 0) | (Classes::LeftRight, 3) => Some(0),
        (_, 1) | (Classes::Monotonicity, _) | (Classes::LeftRight, 2) => Some(1),
        (Classes::Msd, 2..=4) | (Classes::Mslr, 2) => Some(2),
        (Classes::Mslr, 3) => Some(3),
        _ => None,
    }
}

/// The sums of the labels of each class.
fn by_class(classes: Classes, counts: &[Count; LABELS.len()]) -> Vec<f64> {
    let mut sums = vec![Count::default(); classes.len()];
    for (label, count) in counts.iter().enumerate() {
        if let Some(class) = class(classes, label) {
            sums[class] = sums[class] + *count;
        }
    }
    sums.into_iter().map(Count::to_f64).collect()
}

/// What is added to each class.
fn prior(
    spec: &TableSpec,
    totals: &[Count; LABELS.len()],
    options: &ReorderingOptions,
) -> Vec<f64> {
    match options.prior {
        Prior::Constant(value) => vec![value; spec.classes.len()],
        Prior::Proportional(weight) => {
            let sums = by_class(spec.classes, totals);
            let mut total: f64 = sums.iter().sum();
            if options.is_moses {
                // It adds up in whole numbers.
                total = totals
                    .iter()
                    .fold(0.0, |sum: f64, count| (sum + count.to_f64()).floor());
            }
            let is_lacking = options.is_moses && spec.classes == Classes::LeftRight;
            sums.iter()
                .enumerate()
                .map(|(n, sum)| {
                    let more = if is_lacking && n == 1 { 0.0 } else { 0.1 };
                    weight * (sum + more) / total
                })
                .collect()
        }
    }
}

/// Tables whose lines are ready to be written.
#[derive(Debug)]
pub struct ReorderingTables<S: Storage> {
    options: ReorderingOptions,
    /// Of each table, for previous and next.
    priors: Vec<[Vec<f64>; 2]>,
    bases: Vec<Basis>,
    of_pair: Vec<Counts>,
    of_source: Vec<Counts>,
    empty: Vec<Counts>,
    lines: Merged<S>,
    ahead: Option<(Vec<u8>, Count)>,
    pairs: u64,
}

impl<S: Storage> ReorderingTables<S> {
    /// The next lines of each table; none at the end.
    ///
    /// # Errors
    /// [`Error::Storage`], [`Error::Cancelled`].
    pub fn next_block(&mut self, cancel: &CancelToken) -> Result<Option<Vec<Vec<u8>>>> {
        let mut out = vec![Vec::new(); self.options.specs.len()];
        cancel.check()?;
        while out.iter().map(Vec::len).sum::<usize>() < BLOCK {
            let Some((line, count)) = self.ahead.take() else {
                break;
            };
            let (pair, codes) = line.split_at(line.len() - 2 * self.bases.len());
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
                .map(|(line, _)| &line[..line.len() - 2 * self.bases.len() - BAR.len()]);
            if next != Some(pair) {
                self.write(&mut out, pair, true);
                self.of_pair.clone_from(&self.empty);
                self.pairs += 1;
                let source = split_pair(pair).0;
                if next.map(|n| split_pair(n).0) != Some(source) {
                    self.write(&mut out, source, false);
                    self.of_source.clone_from(&self.empty);
                }
            }
        }
        Ok(out.iter().any(|text| !text.is_empty()).then_some(out))
    }

    fn write(&self, out: &mut [Vec<u8>], key: &[u8], by_pair: bool) {
        let counts = if by_pair {
            &self.of_pair
        } else {
            &self.of_source
        };
        for ((spec, priors), out) in self.options.specs.iter().zip(&self.priors).zip(out) {
            if spec.by_pair != by_pair {
                continue;
            }
            // DEVIATION in Moses' favour when asked: it writes the key elsewhere.
            if by_pair || !self.options.is_moses {
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
