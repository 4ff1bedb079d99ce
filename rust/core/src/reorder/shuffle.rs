//! A random order of examples, in memory.
//!
//! Phrase pairs of one sentence share their features. Visited one after the other they teach the same thing many times: on text in its own order,
//! training takes two to three times as many passes. Visited at random where they lie, each costs a way to memory. So they are copied once
//! in random order; passes then visit neighbours close in time ([`Shuffled::BLOCK`]).

use super::further::Further;
use super::rows::{Examples, Rows};
use crate::error::Result;
use crate::numeric::{to_index, to_u64};
use crate::rng::Stream;
use crate::text::lines::reserve;

/// Examples in random order.
pub(super) struct Shuffled {
    offsets: Vec<u64>,
    features: Vec<u32>,
    values: Option<Vec<f64>>,
    labels: Vec<u32>,
    columns: usize,
    classes: usize,
    /// The example that stands at each place.
    pub order: Vec<u32>,
}

impl Shuffled {
    /// Examples that a pass visits close in time, in random order among themselves.
    pub const BLOCK: usize = 128;

    /// A copy in the order of this stream, with further features if there are any.
    ///
    /// # Errors
    /// [`crate::error::Error::Memory`].
    pub fn new(
        examples: Examples<'_>,
        further: Option<Further<'_>>,
        stream: Stream,
    ) -> Result<Self> {
        let n = examples.len();
        // `Examples` has no more than fit.
        let mut order: Vec<u32> = (0..u32::try_from(n).unwrap_or(u32::MAX)).collect();
        shuffle(&mut order, stream, &mut 0);
        let mut made = Self {
            offsets: vec![0; n + 1],
            features: Vec::new(),
            values: examples.rows.has_values().then(Vec::new),
            labels: vec![0; n],
            columns: examples.rows.columns() + further.map_or(0, |more| more.columns()),
            classes: examples.classes(),
            order,
        };
        let first = u32::try_from(examples.rows.columns()).unwrap_or(u32::MAX);
        let entries = to_index(examples.rows.entries()) + further.map_or(0, |more| more.len());
        reserve(&mut made.features, entries, "shuffled examples")?;
        for (place, &i) in made.order.iter().enumerate() {
            let (features, values) = examples.rows.row(i as usize).parts();
            made.features.extend_from_slice(features);
            if let (Some(all), Some(values)) = (&mut made.values, values) {
                all.extend_from_slice(values);
            }
            if let Some(further) = further {
                let own = further.of(i as usize);
                made.features
                    .extend(own.iter().map(|feature| first + feature));
                if let Some(all) = &mut made.values {
                    all.resize(made.features.len(), 1.0);
                }
            }
            made.offsets[place + 1] = to_u64(made.features.len());
            made.labels[place] = u32::try_from(examples.label(i as usize)).unwrap_or(0);
        }
        Ok(made)
    }

    /// The examples.
    pub fn examples(&self) -> Examples<'_> {
        let rows = Rows::trusted(
            &self.offsets,
            &self.features,
            self.values.as_deref(),
            self.columns,
        );
        Examples::trusted(rows, &self.labels, self.classes)
    }

    /// Groups of `k` numbers, one for each place, in the order that the examples had.
    pub fn restored(&self, shuffled: &[f64], k: usize) -> Vec<f64> {
        let mut numbers = vec![0.0; shuffled.len()];
        for (group, &i) in shuffled.chunks(k).zip(&self.order) {
            let at = i as usize * k;
            numbers[at..at + k].copy_from_slice(group);
        }
        numbers
    }
}

/// A uniformly random order (Fisher and Yates); `draws` counts the numbers that were taken from the stream.
pub(super) fn shuffle<T>(items: &mut [T], stream: Stream, draws: &mut u64) {
    for last in (1..items.len()).rev() {
        let bound = u32::try_from(last + 1).unwrap_or(u32::MAX);
        items.swap(last, stream.below(*draws, bound) as usize);
        *draws += 1;
    }
}
