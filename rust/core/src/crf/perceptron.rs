//! The averaged perceptron (Collins 2002): where the best labelling is not the right one, the weights of what the right one has grow by 1, and those of what the found one has
//! fall by 1, or by the weight of the sequence. The result is the mean of the weights after each sequence (Freund and Schapire 1999), which labels new text better than the last ones.

use super::dataset::{Sequence, Sequences};
use super::epochs::{Learner, share, shuffled};
use super::features::Features;
use super::slots::Slots;
use super::snapshot::Snapshot;
use super::viterbi::PairScores;
use crate::cancel::CancelToken;
use crate::error::Result;
use crate::numeric::{to_f64, to_index};

/// The perceptron with its weights. `sum` of a slot is the sum over its changes of (the number of the sequence - 1) times the change: the mean weight after n sequences is then
/// weight - sum / n.
pub(super) struct Perceptron<'a> {
    data: &'a Sequences,
    features: &'a Features,
    seed: u64,
    cancel: &'a CancelToken,
    slots: Slots<'a>,
    pairs: PairScores,
    /// Sequences seen so far.
    seen: u64,
    scores: Vec<f64>,
    found: Vec<u32>,
}

impl<'a> Perceptron<'a> {
    /// # Errors
    /// [`Error::Memory`](crate::error::Error::Memory).
    pub fn new(
        data: &'a Sequences,
        features: &'a Features,
        weights: &[f64],
        seed: u64,
        cancel: &'a CancelToken,
    ) -> Result<Self> {
        Ok(Self {
            data,
            features,
            seed,
            cancel,
            slots: Slots::new(features, weights)?,
            pairs: PairScores::new(features, weights),
            seen: 0,
            scores: Vec::new(),
            found: Vec::new(),
        })
    }

    /// Labels a sequence and learns from its mistakes; returns their number.
    fn see(&mut self, sequence: &Sequence<'_>, factor: f64) -> usize {
        let labels = self.features.labels();
        self.scores.clear();
        self.scores.resize(labels * sequence.len(), 0.0);
        for (position, row) in self.scores.chunks_exact_mut(labels).enumerate() {
            let slots = &self.slots;
            self.data
                .features(sequence.first() + position, |attribute, value| {
                    for slot in slots.of(attribute) {
                        row[to_index(slot.label.into())] += value * slot.weight;
                    }
                });
        }
        self.pairs.maximize(&mut self.scores);
        let mut found = std::mem::take(&mut self.found);
        self.pairs.trace(&self.scores, &mut found);
        let gold = sequence.labels();
        let wrong = found.iter().zip(gold).filter(|(a, b)| a != b).count();
        if wrong > 0 {
            self.change(sequence, &found, factor);
        }
        self.found = found;
        self.seen += 1;
        wrong
    }

    fn change(&mut self, sequence: &Sequence<'_>, found: &[u32], factor: f64) {
        let time = to_f64(self.seen);
        let slots = &mut self.slots;
        for (position, (&gold, &other)) in sequence.labels().iter().zip(found).enumerate() {
            if gold == other {
                continue;
            }
            self.data
                .features(sequence.first() + position, |attribute, value| {
                    for slot in slots.of_mut(attribute) {
                        let change = if slot.label == gold {
                            factor * value
                        } else if slot.label == other {
                            -factor * value
                        } else {
                            continue;
                        };
                        slot.weight += change;
                        slot.sum += time * change;
                    }
                });
        }
        let first = self.features.state_count();
        for (gold, other) in sequence.labels().windows(2).zip(found.windows(2)) {
            if gold == other {
                continue;
            }
            for (pair, change) in [(gold, factor), (other, -factor)] {
                if let Some(at) = self.features.transition(to_index(pair[0].into()), pair[1]) {
                    let slot = &mut self.slots.pairs[at - first];
                    slot.weight += change;
                    slot.sum += time * change;
                    self.pairs.set(pair[0], pair[1], slot.weight);
                }
            }
        }
    }
}

impl Learner for Perceptron<'_> {
    /// The history has the share of positions that got a wrong label.
    fn pass(&mut self, number: usize) -> Result<f64> {
        let mut wrong = 0;
        for number in shuffled(self.data, self.seed, number) {
            self.cancel.check()?;
            wrong += self.see(&self.data.get(number), self.data.weight(number));
        }
        Ok(share(wrong, self.data.positions()))
    }

    fn weights(&self) -> Vec<f64> {
        let count = to_f64(self.seen.max(1));
        self.slots.collect(|slot| slot.weight - slot.sum / count)
    }

    fn save(&self, into: &mut Snapshot) {
        into.put("weights", self.slots.collect(|slot| slot.weight));
        into.put("sums", self.slots.collect(|slot| slot.sum));
        into.put("seen", vec![to_f64(self.seen)]);
    }

    fn restore(&mut self, from: &Snapshot) -> Result<()> {
        let length = self.features.len();
        let weights = from.sized("weights", length)?;
        self.slots.set(weights, |slot, n| slot.weight = n);
        self.slots
            .set(from.sized("sums", length)?, |slot, n| slot.sum = n);
        self.pairs = PairScores::new(self.features, weights);
        self.seen = from.count("seen")?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::tiny;
    use super::*;

    #[test]
    fn the_weights_are_the_mean_over_all_sequences() {
        let (data, features, _) = tiny(30);
        let cancel = CancelToken::new();
        let zeros = vec![0.0; features.len()];
        let mut learner = Perceptron::new(&data, &features, &zeros, 1, &cancel).expect("room");
        let mut sum = zeros;
        let mut count = 0.0;
        for number in (1..=3).flat_map(|pass| shuffled(&data, 1, pass)) {
            learner.see(&data.get(number), data.weight(number));
            let now = learner.slots.collect(|slot| slot.weight);
            sum.iter_mut().zip(now).for_each(|(sum, w)| *sum += w);
            count += 1.0;
        }
        assert!(sum.iter().any(|&s| s != 0.0));
        for (mean, sum) in learner.weights().iter().zip(&sum) {
            assert!((mean - sum / count).abs() < 1e-12, "{mean} {}", sum / count);
        }
    }
}
