//! Stochastic gradient descent on batches of a few sequences: with one rate that falls (Shalev-Shwartz, Singer and Srebro 2007, "Pegasos", as `CRFsuite` and Bottou 2010 use
//! it), and with a rate for each weight (`AdaGrad`: Duchi, Hazan and Singer 2011).
//!
//! With N sequences that are not empty and a batch of B, whose -log p has the derivative g,
//!
//! - SGD: `w <- (w - eta g) / (1 + eta B lambda)`, `lambda = 2 c2 / N`, `eta = eta_0 / (1 + lambda eta_0 t)` after t sequences;
//! - `AdaGrad`: `w <- prox(w - eta g / h)`, `h = sqrt(1 + sum of g^2)`, where prox is the proximal step of `(B / N) (c2 w^2 + c1 |w|)` at the rate `eta / h`: it draws w towards 0 by
//!   `eta c1 B / (h N)`, to 0 at most, and divides it by `1 + 2 eta c2 B / (h N)`.
//!
//! Both touch the weights of a batch's attributes only. SGD's division of all weights is one of a common factor. `AdaGrad`'s steps for the batches that an attribute was not in
//! are made in one, of their total length, before it is used again: for c1 the same, for c2 an implicit step over that length.

use super::batch::Batch;
use super::dataset::Sequences;
use super::epochs::{Learner, batches, share, shuffled};
use super::features::Features;
use super::options::TrainOptions;
use super::slots::{Slot, Slots};
use super::snapshot::Snapshot;
use crate::cancel::CancelToken;
use crate::error::{Error, Result};
use crate::numeric::{to_f64, to_index, to_u64};

/// Sequences that rates are tried on.
const SAMPLE: usize = 1_000;

/// Below this the common factor of weights is multiplied out.
const SMALLEST_SCALE: f64 = 1e-9;

/// The rates that are tried are the first one times powers of 2 up to this.
const DOUBLINGS: i32 = 12;

/// How weights follow derivatives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rule {
    /// One rate, which falls.
    Sgd,
    /// A rate for each weight.
    AdaGrad,
}

/// Descent with its weights.
pub(super) struct Descent<'a> {
    data: &'a Sequences,
    rule: Rule,
    l1: f64,
    l2: f64,
    size: usize,
    seed: u64,
    /// N: sequences that are not empty.
    count: usize,
    cancel: &'a CancelToken,
    batch: Batch<'a>,
    slots: Slots<'a>,
    rate: f64,
    /// Sequences seen so far: the time t.
    seen: u64,
    /// The time up to which penalties have drawn the weights of each attribute.
    drawn: Vec<u64>,
}

impl<'a> Descent<'a> {
    /// Descent from these weights. The rate is found on a sample, unless the options have one or `is_resumed`.
    ///
    /// # Errors
    /// [`Error::Memory`]; [`Error::Cancelled`]; [`Error::Config`] when the objective of the sample is finite with no rate.
    pub fn new(
        data: &'a Sequences,
        features: &'a Features,
        weights: &[f64],
        rule: Rule,
        options: &TrainOptions,
        is_resumed: bool,
        cancel: &'a CancelToken,
    ) -> Result<Self> {
        let mut made = Self {
            data,
            rule,
            l1: options.l1,
            l2: options.l2,
            size: options.batch,
            seed: options.seed,
            count: data.iter().filter(|sequence| !sequence.is_empty()).count(),
            cancel,
            batch: Batch::new(data, features),
            slots: Slots::new(features, weights)?,
            rate: options.rate.unwrap_or(0.1),
            seen: 0,
            drawn: vec![0; features.attributes()],
        };
        if options.rate.is_none() && !is_resumed {
            made.rate = made.calibrate()?;
        }
        Ok(made)
    }

    /// The rate that makes the objective of a sample fall most in one pass: the first one doubled, or halved, while that helps.
    fn calibrate(&mut self) -> Result<f64> {
        let mut sample = shuffled(self.data, self.seed, 0);
        sample.truncate(SAMPLE);
        sample.sort_by_key(|&number| std::cmp::Reverse(self.data.get(number).len()));
        let count = sample.len();
        let mut sample: Vec<Vec<usize>> = sample.chunks(self.size).map(<[usize]>::to_vec).collect();
        // Neither the longest nor the shortest sequences first.
        let middle = sample.len() / 2;
        sample.rotate_left(middle);
        let start = self.slots.clone();
        let untrained = self.objective(&sample, count)?;
        let attempt = |this: &mut Self, exponent: i32| -> Result<f64> {
            this.rate = libm::ldexp(0.1, exponent);
            for batch in &sample {
                this.step(batch)?;
            }
            this.settle();
            let found = this.objective(&sample, count)?;
            this.slots = start.clone();
            this.seen = 0;
            this.drawn.fill(0);
            Ok(if found.is_finite() {
                found
            } else {
                f64::INFINITY
            })
        };
        let (mut best, mut exponent) = (attempt(self, 0)?, 0_i32);
        for direction in [1, -1] {
            // A rate that diverges is not doubled, but halved until it does not.
            if exponent > 0 || (direction > 0 && best >= untrained) {
                continue;
            }
            while (exponent + direction).abs() <= DOUBLINGS {
                let next = attempt(self, exponent + direction)?;
                if next >= best && best < untrained {
                    break;
                }
                (best, exponent) = (next, exponent + direction);
            }
        }
        // At the minimum no rate helps, and the smallest one hurts least.
        if best.is_finite() {
            Ok(libm::ldexp(0.1, exponent))
        } else {
            Err(Error::config(
                "rate",
                "one with which the objective stays finite; give it, or divide the values of attributes by a constant",
                "none",
            ))
        }
    }

    /// The objective of a sample, with its share of the penalties.
    fn objective(&mut self, sample: &[Vec<usize>], count: usize) -> Result<f64> {
        let mut value = 0.0;
        for batch in sample {
            self.slots.touch(self.data, batch);
            value += self.batch.add(&mut self.slots, batch, self.cancel)?;
            self.slots.each_touched(|slot| slot.sum = 0.0);
        }
        Ok(value + share(count, self.count) * self.penalty())
    }

    fn penalty(&self) -> f64 {
        let mut penalty = 0.0;
        for weight in self.weights() {
            penalty += self.l2 * weight * weight + self.l1 * weight.abs();
        }
        penalty
    }

    /// Looks at a batch and changes weights; returns its -log p before that.
    fn step(&mut self, batch: &[usize]) -> Result<f64> {
        self.slots.touch(self.data, batch);
        self.draw_touched();
        let value = self.batch.add(&mut self.slots, batch, self.cancel)?;
        match self.rule {
            Rule::Sgd => self.follow_one_rate(batch.len()),
            Rule::AdaGrad => self.follow_own_rates(batch.len()),
        }
        Ok(value)
    }

    fn follow_one_rate(&mut self, count: usize) {
        let lambda = 2.0 * self.l2 / to_f64(to_u64(self.count));
        let eta = self.rate / (1.0 + lambda * self.rate * to_f64(self.seen));
        let own = eta / self.slots.scale;
        self.slots.each_touched(|slot| {
            slot.weight -= own * slot.sum;
            slot.sum = 0.0;
        });
        self.slots.scale /= 1.0 + eta * to_f64(to_u64(count)) * lambda;
        self.seen += to_u64(count);
        if self.slots.scale < SMALLEST_SCALE {
            self.settle();
        }
    }

    fn follow_own_rates(&mut self, count: usize) {
        let draw = self.draw(to_u64(count));
        self.slots.each_touched(|slot| {
            slot.square += slot.sum * slot.sum;
            slot.weight -= draw.rate(slot) * slot.sum;
            slot.sum = 0.0;
            draw.make(slot);
        });
        self.seen += to_u64(count);
        for &attribute in &self.slots.attributes {
            self.drawn[to_index(attribute.into())] = self.seen;
        }
    }

    /// The step of the penalties for so many sequences.
    fn draw(&self, count: u64) -> Draw {
        let part = to_f64(count) / to_f64(to_u64(self.count));
        Draw {
            rate: self.rate,
            l1: self.l1 * part,
            l2: 2.0 * self.l2 * part,
        }
    }

    /// Makes the penalties' steps that the attributes of this batch have missed.
    fn draw_touched(&mut self) {
        if self.rule == Rule::AdaGrad {
            let attributes = std::mem::take(&mut self.slots.attributes);
            for &attribute in &attributes {
                self.draw_one(attribute);
            }
            self.slots.attributes = attributes;
        }
    }

    fn draw_one(&mut self, attribute: u32) {
        let missed = self.seen - self.drawn[to_index(attribute.into())];
        if missed > 0 {
            let draw = self.draw(missed);
            for slot in self.slots.of_mut(attribute) {
                draw.make(slot);
            }
            self.drawn[to_index(attribute.into())] = self.seen;
        }
    }

    /// Makes what was put off, for all weights.
    fn settle(&mut self) {
        match self.rule {
            Rule::Sgd => {
                let scale = self.slots.scale;
                self.slots.each(|slot| slot.weight *= scale);
                self.slots.scale = 1.0;
            }
            Rule::AdaGrad => {
                for attribute in 0..u32::try_from(self.drawn.len()).unwrap_or(u32::MAX) {
                    self.draw_one(attribute);
                }
            }
        }
    }
}

/// A step of the penalties.
#[derive(Debug, Clone, Copy)]
struct Draw {
    rate: f64,
    l1: f64,
    l2: f64,
}

impl Draw {
    /// eta / h of a weight.
    #[inline]
    fn rate(&self, slot: &Slot) -> f64 {
        self.rate / (1.0 + slot.square).sqrt()
    }

    #[inline]
    fn make(&self, slot: &mut Slot) {
        let rate = self.rate(slot);
        let size = (slot.weight.abs() - rate * self.l1).max(0.0) / (1.0 + rate * self.l2);
        slot.weight = size.copysign(slot.weight);
    }
}

impl Learner for Descent<'_> {
    fn pass(&mut self, number: usize) -> Result<f64> {
        let mut value = 0.0;
        for batch in batches(self.data, self.seed, number, self.size) {
            value += self.step(&batch)?;
        }
        self.settle();
        let value = value + self.penalty();
        if value.is_finite() {
            Ok(value)
        } else {
            Err(Error::config(
                "rate",
                "one with which the objective stays finite; give a smaller one",
                self.rate,
            ))
        }
    }

    fn weights(&self) -> Vec<f64> {
        let scale = self.slots.scale;
        self.slots.collect(|slot| scale * slot.weight)
    }

    fn save(&self, into: &mut Snapshot) {
        into.put("weights", self.weights());
        into.put("squares", self.slots.collect(|slot| slot.square));
        into.put("rate", vec![self.rate]);
        into.put("seen", vec![to_f64(self.seen)]);
    }

    fn restore(&mut self, from: &Snapshot) -> Result<()> {
        let length = self.weights().len();
        self.slots
            .set(from.sized("weights", length)?, |slot, n| slot.weight = n);
        self.slots
            .set(from.sized("squares", length)?, |slot, n| slot.square = n);
        self.rate = from.number("rate")?;
        self.seen = from.count("seen")?;
        self.drawn.fill(self.seen);
        Ok(())
    }
}
