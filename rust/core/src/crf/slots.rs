//! Weights that change while sequences are looked at, a few at a time: what is read and written together lies together.

use super::dataset::Sequences;
use super::features::Features;
use crate::error::{Error, Result};
use crate::numeric::to_index;

/// A pair with its weight.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Slot {
    pub weight: f64,
    /// The derivative by the weight, summed over the sequences of a batch; 0 between batches. Averaging puts its own sum here.
    pub sum: f64,
    /// What a learner remembers of a pair: the sum of squared derivatives.
    pub square: f64,
    pub label: u32,
}

/// The pairs of attributes and labels by attribute, then those of labels by the first one.
#[derive(Debug, Clone)]
pub(super) struct Slots<'a> {
    features: &'a Features,
    /// The weights are this times those of the slots.
    pub scale: f64,
    states: Vec<Slot>,
    pub pairs: Vec<Slot>,
    /// The batch that touched an attribute last, counted from 1.
    touched: Vec<u64>,
    /// The attributes of this batch.
    pub attributes: Vec<u32>,
    batch: u64,
}

impl<'a> Slots<'a> {
    /// # Errors
    /// [`Error::Memory`].
    pub fn new(features: &'a Features, weights: &[f64]) -> Result<Self> {
        let (states, pairs) = weights.split_at(features.state_count());
        Ok(Self {
            features,
            scale: 1.0,
            states: slots(states, features.state_labels())?,
            pairs: slots(pairs, features.next_labels())?,
            touched: vec![0; features.attributes()],
            attributes: Vec::new(),
            batch: 0,
        })
    }

    /// Begins a batch: lists the attributes of sequences, each once.
    pub fn touch(&mut self, data: &Sequences, sequences: &[usize]) {
        self.batch += 1;
        self.attributes.clear();
        for &number in sequences {
            let sequence = data.get(number);
            for position in sequence.first()..sequence.first() + sequence.len() {
                data.features(position, |attribute, _| {
                    let last = &mut self.touched[to_index(attribute.into())];
                    if *last != self.batch {
                        *last = self.batch;
                        self.attributes.push(attribute);
                    }
                });
            }
        }
    }

    /// The pairs of an attribute.
    #[inline]
    pub fn of(&self, attribute: u32) -> &[Slot] {
        let starts = self.features.state_starts();
        let at = to_index(attribute.into());
        &self.states[starts[at]..starts[at + 1]]
    }

    /// The pairs of an attribute, to be changed.
    #[inline]
    pub fn of_mut(&mut self, attribute: u32) -> &mut [Slot] {
        let starts = self.features.state_starts();
        let at = to_index(attribute.into());
        &mut self.states[starts[at]..starts[at + 1]]
    }

    /// Changes every pair of the attributes of this batch, and every pair of labels.
    pub fn each_touched(&mut self, mut change: impl FnMut(&mut Slot)) {
        let attributes = std::mem::take(&mut self.attributes);
        for &attribute in &attributes {
            self.of_mut(attribute).iter_mut().for_each(&mut change);
        }
        self.attributes = attributes;
        self.pairs.iter_mut().for_each(change);
    }

    /// Changes every pair.
    pub fn each(&mut self, mut change: impl FnMut(&mut Slot)) {
        self.states.iter_mut().for_each(&mut change);
        self.pairs.iter_mut().for_each(change);
    }

    /// A number of each pair, in the order of weights.
    pub fn collect(&self, number: impl Fn(&Slot) -> f64) -> Vec<f64> {
        self.states.iter().chain(&self.pairs).map(number).collect()
    }

    /// Sets a number of each pair.
    pub fn set(&mut self, numbers: &[f64], change: impl Fn(&mut Slot, f64)) {
        let slots = self.states.iter_mut().chain(&mut self.pairs);
        slots.zip(numbers).for_each(|(slot, &n)| change(slot, n));
    }
}

fn slots(weights: &[f64], labels: &[u32]) -> Result<Vec<Slot>> {
    let mut made = Vec::new();
    made.try_reserve_exact(weights.len())
        .map_err(|_| Error::Memory {
            what: "the weights of a random field",
            bytes: (weights.len() as u64).saturating_mul(size_of::<Slot>() as u64),
        })?;
    made.extend(weights.iter().zip(labels).map(|(&weight, &label)| Slot {
        weight,
        label,
        ..Slot::default()
    }));
    Ok(made)
}
