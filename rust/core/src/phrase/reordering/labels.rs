//! The labels of orientations in files, and the classes of tables.

use super::{Prior, ReorderingOptions, TableSpec};
use crate::align::notation::show;
use crate::error::{Error, Result};
use crate::phrase::entries::Entry;
use crate::phrase::model::{Basis, Classes};
use crate::phrase::sort::Count;

/// The classes as they are written in files of orientations.
const LABELS: [&[u8]; 6] = [b"mono", b"swap", b"dleft", b"dright", b"other", b"nomono"];

/// Counts of the labels, previous and next.
pub(super) type Counts = [[Count; LABELS.len()]; 2];

/// Previous and next of a basis, as places in `LABELS`.
pub(super) fn labels(entry: &Entry<'_>, basis: Basis, line: u64) -> Result<[usize; 2]> {
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

pub(super) fn check(
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
pub(super) fn by_class(classes: Classes, counts: &[Count; LABELS.len()]) -> Vec<f64> {
    let mut sums = vec![Count::default(); classes.len()];
    for (label, count) in counts.iter().enumerate() {
        if let Some(class) = class(classes, label) {
            sums[class] = sums[class] + *count;
        }
    }
    sums.into_iter().map(Count::to_f64).collect()
}

/// What is added to each class.
pub(super) fn prior(
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
