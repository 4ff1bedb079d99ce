//! One pass that checks entries and counts them.

use super::Counts;
use crate::cancel::CancelToken;
use crate::error::{Error, Result};
use crate::numeric::{id_index, to_u64};
use crate::reorder::entries::{Entries, Place, Places, Value, Values};
use std::ops::Range;

/// Rows between two looks at whether to stop; the classes of their entries fit into the fastest memory.
const BLOCK: usize = 1 << 12;

/// Entries whose class is written at once, whether the row has so many or not.
const CHUNK: usize = 16;

pub(super) fn add(
    counts: &mut Counts,
    entries: Entries<'_>,
    labels: &[u32],
    cancel: &CancelToken,
) -> Result<()> {
    match entries.places {
        Places::Rows(offsets, features) => {
            with_values(counts, offsets, features, entries.values, labels, cancel)
        }
        Places::Int32(offsets, features) => {
            with_values(counts, offsets, features, entries.values, labels, cancel)
        }
        Places::Int64(offsets, features) => {
            with_values(counts, offsets, features, entries.values, labels, cancel)
        }
    }
}

fn with_values<P: Place, F: Place>(
    counts: &mut Counts,
    offsets: &[P],
    features: &[F],
    values: Values<'_>,
    labels: &[u32],
    cancel: &CancelToken,
) -> Result<()> {
    match values {
        Values::Ones => in_blocks(counts, offsets, &Ones(features), labels, cancel),
        Values::Single(values) => {
            in_blocks(counts, offsets, &Valued(features, values), labels, cancel)
        }
        Values::Double(values) => {
            in_blocks(counts, offsets, &Valued(features, values), labels, cancel)
        }
        Values::Whole(values) => {
            in_blocks(counts, offsets, &Valued(features, values), labels, cancel)
        }
    }
}

/// Features with a value of one.
struct Ones<'a, F>(&'a [F]);

/// Features with values.
struct Valued<'a, F, V>(&'a [F], &'a [V]);

/// The entries of all rows.
trait Table {
    /// How many there are; `None` if there are not as many values as features.
    fn len(&self) -> Option<usize>;
    /// The entries from `start` to `stop`; `None` if that is no range of them.
    fn row(&self, start: usize, stop: usize)
    -> Option<impl ExactSizeIterator<Item = (usize, f64)>>;
}

impl<F: Place> Table for Ones<'_, F> {
    fn len(&self) -> Option<usize> {
        Some(self.0.len())
    }

    #[inline]
    fn row(
        &self,
        start: usize,
        stop: usize,
    ) -> Option<impl ExactSizeIterator<Item = (usize, f64)>> {
        let features = self.0.get(start..stop)?;
        Some(features.iter().map(|feature| (feature.place(), 1.0)))
    }
}

impl<F: Place, V: Value> Table for Valued<'_, F, V> {
    fn len(&self) -> Option<usize> {
        (self.0.len() == self.1.len()).then_some(self.0.len())
    }

    #[inline]
    fn row(
        &self,
        start: usize,
        stop: usize,
    ) -> Option<impl ExactSizeIterator<Item = (usize, f64)>> {
        let (features, values) = (self.0.get(start..stop)?, self.1.get(start..stop)?);
        let places = features.iter().map(|feature| feature.place());
        Some(places.zip(values.iter().map(|value| value.real())))
    }
}

fn in_blocks<P: Place, T: Table>(
    counts: &mut Counts,
    offsets: &[P],
    table: &T,
    labels: &[u32],
    cancel: &CancelToken,
) -> Result<()> {
    check_shape(offsets, table.len(), labels.len())?;
    let mut classes = Vec::new();
    for first in (0..labels.len()).step_by(BLOCK) {
        cancel.check()?;
        let last = labels.len().min(first + BLOCK);
        let rows = (&offsets[first..=last], &labels[first..last]);
        let done = match (counts.has_values, counts.classes()) {
            (true, _) => count_values(counts, rows, table),
            (false, 2) => count_of::<2, T, P>(counts, rows, table, &mut classes),
            (false, 3) => count_of::<3, T, P>(counts, rows, table, &mut classes),
            (false, 4) => count_of::<4, T, P>(counts, rows, table, &mut classes),
            (false, _) => count(counts, rows, table),
        };
        done.map_err(|wrong| wrong.at(first))?;
    }
    Ok(())
}

fn check_shape<P: Place>(offsets: &[P], entries: Option<usize>, labels: usize) -> Result<()> {
    let ends = (
        offsets.first().map(|first| first.place()),
        offsets.last().map(|last| last.place()),
    );
    let wrong = |problem: &str, found: String| Error::Examples {
        example: 0,
        problem: problem.to_owned(),
        found,
    };
    if entries.is_none() || ends != (Some(0), entries) {
        let problem = "the offsets of rows must rise from 0 to the number of entries, and each entry needs a value";
        return Err(wrong(problem, "others".to_owned()));
    }
    if offsets.len() != labels + 1 {
        let problem = "each row needs a class";
        return Err(wrong(
            problem,
            format!("{labels} classes for {} rows", offsets.len() - 1),
        ));
    }
    Ok(())
}

/// What is wrong with a row, and which row of a block it is.
struct Wrong(usize, Fault);

enum Fault {
    Offsets,
    Class(u32),
    Feature,
    Order,
    Value(f64),
}

impl Wrong {
    #[cold]
    fn at(self, first: usize) -> Error {
        let (problem, found) = match self.1 {
            Fault::Offsets => ("the offsets of rows must rise", "one that falls".to_owned()),
            Fault::Class(label) => ("the class is none of those there are", label.to_string()),
            Fault::Feature => ("a feature is none of those there are", "another".to_owned()),
            Fault::Order => (
                "features must be in rising order; sort each row",
                "another order".to_owned(),
            ),
            Fault::Value(value) if value < 0.0 => (
                "Negative values in data: naive Bayes counts features, whose values are at least 0",
                value.to_string(),
            ),
            Fault::Value(value) => ("values must be finite", value.to_string()),
        };
        Error::Examples {
            example: to_u64(first + self.0) + 1,
            problem: problem.to_owned(),
            found,
        }
    }
}

/// Offsets of rows, one more than there are, and the class of each.
type Block<'a, P> = (&'a [P], &'a [u32]);

/// Counts for a number of classes that is known here, which makes a cell's place plain.
fn count_of<const K: usize, T: Table, P: Place>(
    counts: &mut Counts,
    rows: Block<'_, P>,
    table: &T,
    classes: &mut Vec<u8>,
) -> std::result::Result<(), Wrong> {
    let entries = table.len().unwrap_or(0);
    if spread(rows, entries, K, classes).is_some_and(|range| {
        table
            .row(range.start, range.end)
            .is_some_and(|entries| add_up::<K>(&mut counts.sums, entries, classes))
    }) {
        for &label in rows.1 {
            counts.examples[id_index(label)] += 1;
        }
        return Ok(());
    }
    // Something is wrong; what was added does not matter any more, but what it was does.
    count(counts, rows, table)
}

/// Writes down the class of each entry of a block, and returns where its entries are; `None` when a class or an offset is wrong. There are `entries` in all.
///
/// Rows are short and of many lengths, so that the end of each is a surprise to the processor. A pass over all entries has one end.
fn spread<P: Place>(
    (offsets, labels): Block<'_, P>,
    entries: usize,
    k: usize,
    classes: &mut Vec<u8>,
) -> Option<Range<usize>> {
    let (first, last) = (offsets.first()?.place(), offsets.last()?.place());
    // Before memory is taken for them.
    (last <= entries).then_some(())?;
    classes.clear();
    classes.resize(last.checked_sub(first)?.checked_add(CHUNK)?, 0);
    let mut at = 0;
    for (end, &label) in offsets[1..].iter().zip(labels) {
        let class = u8::try_from(label)
            .ok()
            .filter(|&class| usize::from(class) < k)?;
        let end = end.place().checked_sub(first)?;
        classes.get_mut(at..at + CHUNK)?.fill(class);
        if end > at + CHUNK {
            classes.get_mut(at + CHUNK..end)?.fill(class);
        }
        // The next row writes from here, and must not lie before this one.
        (end >= at).then_some(())?;
        at = end;
    }
    Some(first..last)
}

/// Adds entries to their cells; whether all could be.
fn add_up<const K: usize>(
    sums: &mut [f64],
    entries: impl ExactSizeIterator<Item = (usize, f64)>,
    classes: &[u8],
) -> bool {
    let (cells, _) = sums.as_chunks_mut::<K>();
    for ((feature, value), &class) in entries.zip(classes) {
        let cell = cells
            .get_mut(feature)
            .and_then(|cell| cell.get_mut(usize::from(class)));
        match cell {
            Some(sum) if is_count(value) => *sum += value,
            _ => return false,
        }
    }
    true
}

fn count<T: Table, P: Place>(
    counts: &mut Counts,
    (offsets, labels): Block<'_, P>,
    table: &T,
) -> std::result::Result<(), Wrong> {
    let (k, columns) = (counts.classes(), counts.columns());
    for (i, (ends, &label)) in offsets.windows(2).zip(labels).enumerate() {
        let class = label as usize;
        let row = table.row(ends[0].place(), ends[1].place());
        let row = row.ok_or(Wrong(i, Fault::Offsets))?;
        let seen = counts.examples.get_mut(class);
        *seen.ok_or(Wrong(i, Fault::Class(label)))? += 1;
        for (feature, value) in row {
            if feature >= columns {
                return Err(Wrong(i, Fault::Feature));
            }
            if !is_count(value) {
                return Err(Wrong(i, Fault::Value(value)));
            }
            counts.sums[feature * k + class] += value;
        }
    }
    Ok(())
}

/// Counts how often a feature had which value too.
fn count_values<T: Table, P: Place>(
    counts: &mut Counts,
    (offsets, labels): Block<'_, P>,
    table: &T,
) -> std::result::Result<(), Wrong> {
    let columns = counts.columns();
    for (i, (ends, &label)) in offsets.windows(2).zip(labels).enumerate() {
        let class = label as usize;
        let row = table.row(ends[0].place(), ends[1].place());
        let row = row.ok_or(Wrong(i, Fault::Offsets))?;
        let seen = counts.examples.get_mut(class);
        *seen.ok_or(Wrong(i, Fault::Class(label)))? += 1;
        let mut run: Option<(usize, f64)> = None;
        for (feature, value) in row {
            if feature >= columns {
                return Err(Wrong(i, Fault::Feature));
            }
            if !is_count(value) {
                return Err(Wrong(i, Fault::Value(value)));
            }
            run = match run {
                Some((last, sum)) if last == feature => Some((last, sum + value)),
                Some((last, _)) if last > feature => return Err(Wrong(i, Fault::Order)),
                before => {
                    if let Some((last, sum)) = before {
                        take(counts, last, class, sum);
                    }
                    Some((feature, value))
                }
            };
        }
        if let Some((last, sum)) = run {
            take(counts, last, class, sum);
        }
    }
    Ok(())
}

#[inline]
fn take(counts: &mut Counts, feature: usize, class: usize, value: f64) {
    let k = counts.examples.len();
    let at = feature * k + class;
    counts.sums[at] += value;
    if value.to_bits() == 1.0_f64.to_bits() {
        counts.ones[at] += 1;
    } else if value != 0.0 {
        let key = (to_u64(feature), value.to_bits());
        counts.others.entry(key).or_insert_with(|| vec![0; k])[class] += 1;
    }
}

/// Whether this is finite and not negative.
#[inline]
fn is_count(value: f64) -> bool {
    // The bits of numbers that are not negative rise with them, those of negative ones come last.
    value.to_bits() < f64::INFINITY.to_bits() || value == 0.0
}
