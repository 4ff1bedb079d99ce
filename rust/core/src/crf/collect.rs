//! The pairs that occur in labelled sequences, and the sums of values of each.

use super::dataset::{Sequence, Sequences};
use super::features::{FeatureOptions, Pairs};
use crate::error::{Error, Result};
use crate::numeric::{to_index, to_u64};

pub(super) type Runs = (Vec<usize>, Vec<u32>);

pub(super) fn reserve<T>(items: &mut Vec<T>, more: usize) -> Result<()> {
    items.try_reserve(more).map_err(|_| Error::Memory {
        what: "the weights of a random field",
        bytes: (to_u64(items.len()).saturating_add(to_u64(more))).saturating_mul(8),
    })
}

/// A label with a number of its own for each (position, label) pair of one attribute, summed.
struct Sums {
    of: Vec<f64>,
    is_seen: Vec<bool>,
    seen: Vec<u32>,
}

impl Sums {
    fn new(labels: usize) -> Self {
        Self {
            of: vec![0.0; labels],
            is_seen: vec![false; labels],
            seen: Vec::new(),
        }
    }

    #[inline]
    fn add(&mut self, label: u32, value: f64) {
        let at = to_index(label.into());
        if !self.is_seen[at] {
            self.is_seen[at] = true;
            self.seen.push(label);
        }
        self.of[at] += value;
    }

    /// Writes the pairs with their sums by label, and starts anew.
    fn flush(
        &mut self,
        kind: Pairs,
        min_count: f64,
        labels: &mut Vec<u32>,
        counts: &mut Vec<f64>,
    ) -> Result<()> {
        if kind == Pairs::All {
            let all = self.of.len();
            reserve(labels, all)?;
            reserve(counts, all)?;
            labels.extend((0..).take(all));
            counts.extend_from_slice(&self.of);
        } else {
            self.seen.sort_unstable();
            reserve(labels, self.seen.len())?;
            reserve(counts, self.seen.len())?;
            for &label in &self.seen {
                let sum = self.of[to_index(label.into())];
                if sum >= min_count || min_count == 0.0 {
                    labels.push(label);
                    counts.push(sum);
                }
            }
        }
        for label in self.seen.drain(..) {
            self.of[to_index(label.into())] = 0.0;
            self.is_seen[to_index(label.into())] = false;
        }
        Ok(())
    }
}

/// Sequences that count, with their weights.
pub(super) fn weighted(data: &Sequences) -> impl Iterator<Item = (Sequence<'_>, f64)> {
    data.iter()
        .enumerate()
        .map(|(number, sequence)| (sequence, data.weight(number)))
        .filter(|&(_, weight)| weight > 0.0)
}

/// Calls `each` with every label that may stand at a position.
pub(super) fn each_label(
    data: &Sequences,
    position: usize,
    labels: usize,
    mut each: impl FnMut(u32),
) {
    match data.allowed() {
        None => each(data.labels()[position]),
        Some(claims) => {
            let claims = &claims[position * labels..][..labels];
            (0..)
                .zip(claims)
                .filter(|&(_, &is_allowed)| is_allowed)
                .for_each(|(label, _)| each(label));
        }
    }
}

pub(super) fn state_pairs(
    data: &Sequences,
    attributes: usize,
    labels: usize,
    options: &FeatureOptions,
    counts: &mut Vec<f64>,
) -> Result<Runs> {
    // The occurrences by attribute, each with its position.
    let mut ends = vec![0_usize; attributes + 1];
    for position in weighted(data).flat_map(|(sequence, _)| sequence.positions()) {
        data.features(position, |id, _| {
            if !data.is_pairing(id) {
                ends[to_index(id.into()) + 1] += 1;
            }
        });
    }
    for id in 0..attributes {
        ends[id + 1] += ends[id];
    }
    let mut occurrences: Vec<(usize, f64)> = Vec::new();
    occurrences
        .try_reserve_exact(ends[attributes])
        .map_err(|_| Error::Memory {
            what: "the occurrences of attributes",
            bytes: to_u64(ends[attributes]).saturating_mul(16),
        })?;
    occurrences.resize(ends[attributes], (0, 0.0));
    for (sequence, weight) in weighted(data) {
        for position in sequence.positions() {
            data.features(position, |id, value| {
                if data.is_pairing(id) {
                    return;
                }
                let at = &mut ends[to_index(id.into())];
                occurrences[*at] = (position, value * weight);
                *at += 1;
            });
        }
    }
    let mut starts = Vec::with_capacity(attributes + 1);
    starts.push(0);
    let (mut made, mut sums) = (Vec::new(), Sums::new(labels));
    let mut from = 0;
    for (attribute, &to) in (0..).zip(&ends[..attributes]) {
        for &(position, value) in &occurrences[from..to] {
            each_label(data, position, labels, |label| sums.add(label, value));
        }
        from = to;
        let kind = if data.is_pairing(attribute) {
            Pairs::Observed
        } else {
            options.states
        };
        sums.flush(kind, options.min_count, &mut made, counts)?;
        starts.push(made.len());
    }
    Ok((starts, made))
}

pub(super) fn label_pairs(
    data: &Sequences,
    labels: usize,
    options: &FeatureOptions,
    counts: &mut Vec<f64>,
) -> Result<Runs> {
    if options.transitions == Pairs::None {
        return Ok((vec![0; labels + 1], Vec::new()));
    }
    let mut pairs: Vec<(u32, u32, f64)> = Vec::new();
    let mut most = 1 << 20;
    let mut before = Vec::new();
    for (sequence, weight) in weighted(data) {
        before.clear();
        for position in sequence.positions() {
            let mut here = Vec::new();
            each_label(data, position, labels, |label| here.push(label));
            reserve(&mut pairs, before.len() * here.len())?;
            for &from in &before {
                pairs.extend(here.iter().map(|&to| (from, to, weight)));
            }
            before = here;
        }
        if pairs.len() > most {
            sum_up(&mut pairs);
            most = most.max(2 * pairs.len());
        }
    }
    sum_up(&mut pairs);
    let mut starts = Vec::with_capacity(labels + 1);
    starts.push(0);
    let (mut made, mut sums) = (Vec::new(), Sums::new(labels));
    let mut rest = pairs.as_slice();
    for from in 0..labels {
        let here = rest.partition_point(|&(first, ..)| to_index(first.into()) <= from);
        for &(_, to, sum) in &rest[..here] {
            sums.add(to, sum);
        }
        rest = &rest[here..];
        sums.flush(options.transitions, options.min_count, &mut made, counts)?;
        starts.push(made.len());
    }
    Ok((starts, made))
}

/// Sorts pairs and adds up equal ones, in the order in which they came.
fn sum_up(pairs: &mut Vec<(u32, u32, f64)>) {
    pairs.sort_by_key(|&(from, to, _)| (from, to));
    pairs.dedup_by(|next, kept| {
        let is_equal = (next.0, next.1) == (kept.0, kept.1);
        if is_equal {
            kept.2 += next.2;
        }
        is_equal
    });
}
