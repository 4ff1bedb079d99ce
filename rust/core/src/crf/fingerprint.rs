//! A number that tells training data apart: of a run that is to be resumed, and another.

use super::builder::Built;
use crate::numeric::to_u64;
use crate::rng::Stream;

/// Numbers that are mixed at a time.
const BLOCK: usize = 1 << 12;

/// 64 bits of all names, features, labels and weights: different for different data, but for one pair in 2^64. It is no defence against who wants two to agree.
#[must_use]
pub fn fingerprint(data: &Built) -> u64 {
    let mut mixer = Mixer::default();
    for names in [&data.attributes, &data.labels] {
        mixer.add(to_u64(names.len()));
        for name in names.iter() {
            mixer.add(to_u64(name.len()));
            for bytes in name.as_bytes().chunks(8) {
                let mut word = [0; 8];
                word[..bytes.len()].copy_from_slice(bytes);
                mixer.add(u64::from_le_bytes(word));
            }
        }
    }
    let sequences = &data.sequences;
    for &start in sequences.starts() {
        mixer.add(to_u64(start));
    }
    for (position, &label) in sequences.labels().iter().enumerate() {
        mixer.add(u64::from(label));
        sequences.features(position, |attribute, value| {
            mixer.add(u64::from(attribute));
            // Other data have the numbers that they had before there was the question.
            if sequences.is_pairing(attribute) {
                mixer.add(u64::MAX - 1);
            }
            mixer.add(value.to_bits());
        });
        mixer.add(u64::MAX);
    }
    for &weight in sequences.weights().unwrap_or_default() {
        mixer.add(weight.to_bits());
    }
    for &is_allowed in sequences.allowed().unwrap_or_default() {
        mixer.add(u64::from(is_allowed));
    }
    mixer.finish()
}

#[derive(Default)]
struct Mixer {
    state: u64,
    block: Vec<u64>,
}

impl Mixer {
    fn add(&mut self, number: u64) {
        self.block.push(number);
        if self.block.len() >= BLOCK {
            self.mix();
        }
    }

    fn mix(&mut self) {
        self.block.push(self.state);
        self.state = Stream::new(&self.block).bits(0);
        self.block.clear();
    }

    fn finish(mut self) -> u64 {
        self.mix();
        self.state
    }
}

#[cfg(test)]
mod tests {
    use super::super::builder::DatasetBuilder;
    use super::*;

    fn built(text: &[(&str, f64, &str)]) -> Built {
        let mut builder = DatasetBuilder::default();
        for (attribute, value, label) in text {
            builder.feature(attribute, *value).expect("a feature");
            builder.end_position(Some(label)).expect("a label");
        }
        builder.end_sequence();
        builder.finish()
    }

    #[test]
    fn every_part_of_the_data_matters() {
        let all = [
            built(&[("a", 1.0, "X"), ("b", 1.0, "Y")]),
            built(&[("a", 1.0, "X"), ("c", 1.0, "Y")]),
            built(&[("a", 1.0, "X"), ("b", 2.0, "Y")]),
            built(&[("a", 1.0, "X"), ("b", 1.0, "Z")]),
            built(&[("a", 1.0, "X"), ("a", 1.0, "Y")]),
            built(&[("a", 1.0, "X")]),
            built(&[]),
        ];
        let mut found: Vec<u64> = all.iter().map(fingerprint).collect();
        assert_eq!(
            found[0],
            fingerprint(&built(&[("a", 1.0, "X"), ("b", 1.0, "Y")]))
        );
        found.sort_unstable();
        found.dedup();
        assert_eq!(found.len(), all.len());
    }
}
