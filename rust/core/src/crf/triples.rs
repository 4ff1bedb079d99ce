//! Weights of (attribute, label, label): what templates of CRF++ that begin with `B` and name cells ask for. The score of a pair of neighbouring labels then depends on the
//! text at the second of them.
//!
//! An attribute has either pairs with labels or such triples, as [`Sequences::is_pairing`] says. At the first position of a sequence there is no pair, and triples add nothing.

use super::collect::{each_label, reserve, weighted};
use super::dataset::Sequences;
use super::features::{FeatureOptions, Pairs};
use crate::error::{Error, Result};
use crate::numeric::to_index;
use std::ops::Range;

/// The triples that have weights, by attribute, then the first label, then the second.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Triples {
    /// Where those of each attribute start, and their number; empty when there are none at all.
    starts: Vec<usize>,
    /// First and second labels.
    labels: Vec<(u32, u32)>,
}

/// One occurrence: the attribute, both labels, the value.
type Occurrence = (u32, (u32, u32), f64);

/// Occurrences that are kept before equal ones are added up.
const MANY: usize = 1 << 20;

impl Triples {
    /// Triples from arrays: those of attribute a are `labels[starts[a]..starts[a + 1]]`.
    ///
    /// # Errors
    /// [`Error::Model`] when offsets do not rise from 0 to the number of triples, or labels do not rise within a run or do not exist.
    pub fn from_parts(
        starts: Vec<usize>,
        labels: Vec<(u32, u32)>,
        attributes: usize,
        count: usize,
    ) -> Result<Self> {
        let wrong = |problem: &str| {
            Err(Error::Model {
                part: "triples",
                problem: problem.to_owned(),
            })
        };
        if starts.is_empty() && labels.is_empty() {
            return Ok(Self::default());
        }
        let is_cut = starts.len() == attributes + 1
            && starts.first() == Some(&0)
            && starts.last() == Some(&labels.len())
            && starts.is_sorted();
        if !is_cut {
            return wrong(
                "do not have offsets that rise from 0 to their number, one more than attributes",
            );
        }
        let exists = |label: u32| to_index(label.into()) < count;
        if !labels.iter().all(|&(from, to)| exists(from) && exists(to)) {
            return wrong("name a label that does not exist");
        }
        let rise = |run: &[usize]| labels[run[0]..run[1]].is_sorted_by(|a, b| a < b);
        if !starts.windows(2).all(rise) {
            return wrong("have labels that do not rise");
        }
        Ok(Self { starts, labels })
    }

    /// Number of triples.
    #[must_use]
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// Where the triples of each attribute start, and their number; empty when there are none.
    #[must_use]
    pub fn starts(&self) -> &[usize] {
        &self.starts
    }

    /// The first and the second label of each.
    #[must_use]
    pub fn labels(&self) -> &[(u32, u32)] {
        &self.labels
    }

    /// Which triples belong to an attribute.
    #[inline]
    #[must_use]
    pub fn of(&self, attribute: u32) -> Range<usize> {
        let at = to_index(attribute.into());
        match (self.starts.get(at), self.starts.get(at + 1)) {
            (Some(&start), Some(&end)) => start..end,
            _ => 0..0,
        }
    }

    /// The number of a triple, if it has a weight.
    #[inline]
    #[must_use]
    pub fn find(&self, attribute: u32, pair: (u32, u32)) -> Option<usize> {
        let run = self.of(attribute);
        let found = self.labels[run.clone()].binary_search(&pair).ok();
        found.map(|at| run.start + at)
    }

    /// The triples in labelled sequences; the sum of values of each is added behind `counts`.
    ///
    /// As with pairs: [`Pairs::All`] has all pairs of labels for each such attribute, and where sequences have allowed labels all pairs of these are observed.
    ///
    /// # Errors
    /// [`Error::Memory`].
    ///
    /// # Complexity
    /// Time n log n for n occurrences, memory linear in the triples.
    pub(super) fn collect(
        data: &Sequences,
        attributes: usize,
        labels: usize,
        options: &FeatureOptions,
        counts: &mut Vec<f64>,
    ) -> Result<Self> {
        if !data.has_pairing() {
            return Ok(Self::default());
        }
        let seen = occurrences(data, labels)?;
        let mut made = Self {
            starts: vec![0],
            labels: Vec::new(),
        };
        let mut rest = seen.as_slice();
        for attribute in (0..).take(attributes) {
            let own = rest.partition_point(|&(id, ..)| id <= attribute);
            let (own, others) = rest.split_at(own);
            rest = others;
            if options.states == Pairs::All && data.is_pairing(attribute) {
                made.add_all(own, labels, counts)?;
            } else {
                reserve(&mut made.labels, own.len())?;
                reserve(counts, own.len())?;
                let kept = own
                    .iter()
                    .filter(|&&(.., sum)| sum >= options.min_count || options.min_count == 0.0);
                for &(_, pair, sum) in kept {
                    made.labels.push(pair);
                    counts.push(sum);
                }
            }
            made.starts.push(made.labels.len());
        }
        Ok(made)
    }

    /// All pairs of labels with one attribute.
    fn add_all(&mut self, own: &[Occurrence], labels: usize, counts: &mut Vec<f64>) -> Result<()> {
        let first = counts.len();
        reserve(&mut self.labels, labels * labels)?;
        reserve(counts, labels * labels)?;
        for from in (0..).take(labels) {
            self.labels.extend((0..).take(labels).map(|to| (from, to)));
        }
        counts.resize(first + labels * labels, 0.0);
        for &(_, (from, to), sum) in own {
            counts[first + to_index(from.into()) * labels + to_index(to.into())] = sum;
        }
        Ok(())
    }
}

/// What occurs, each once with the sum of its values, sorted.
fn occurrences(data: &Sequences, labels: usize) -> Result<Vec<Occurrence>> {
    let mut seen: Vec<Occurrence> = Vec::new();
    let mut most = MANY;
    let (mut before, mut here) = (Vec::new(), Vec::new());
    for (sequence, weight) in weighted(data) {
        for position in sequence.positions() {
            std::mem::swap(&mut before, &mut here);
            here.clear();
            each_label(data, position, labels, |label| here.push(label));
            if position == sequence.first() {
                continue;
            }
            let mut own = Vec::new();
            data.features(position, |id, value| {
                if data.is_pairing(id) {
                    own.push((id, value * weight));
                }
            });
            reserve(&mut seen, own.len() * before.len() * here.len())?;
            for (id, value) in own {
                for &from in &before {
                    seen.extend(here.iter().map(|&to| (id, (from, to), value)));
                }
            }
        }
        if seen.len() > most {
            sum_up(&mut seen);
            most = most.max(2 * seen.len());
        }
    }
    sum_up(&mut seen);
    Ok(seen)
}

/// Sorts occurrences and adds up equal ones, in the order in which they came.
fn sum_up(seen: &mut Vec<Occurrence>) {
    seen.sort_by_key(|&(id, pair, _)| (id, pair));
    seen.dedup_by(|next, kept| {
        let is_equal = (next.0, next.1) == (kept.0, kept.1);
        if is_equal {
            kept.2 += next.2;
        }
        is_equal
    });
}
