//! Made data for tests.

use super::dataset::{NO_LABEL, Sequences};
use super::features::{FeatureOptions, Features};
use crate::rng::Stream;

/// Sequences of up to 7 positions (some empty) with 4 labels, each of which has attributes that speak for it; pairs and counts.
pub(super) fn tiny(count: u64) -> (Sequences, Features, Vec<f64>) {
    let stream = Stream::new(&[3, count]);
    let mut draws = 0;
    let mut draw = |bound| {
        draws += 1;
        stream.below(draws, bound)
    };
    let mut data = Sequences::default();
    for _ in 0..count {
        let mut label = draw(4);
        for _ in 0..draw(8) {
            label = (label + draw(2)) % 4;
            // One of two attributes of its own, and two that say nothing.
            for attribute in [8 + draw(5), 2 * label + draw(2), 8 + draw(5)] {
                data.push_feature(attribute, 1.0).expect("room");
            }
            data.end_position(label);
        }
        data.end_sequence();
    }
    assert!(!data.labels().contains(&NO_LABEL));
    let (features, counts) =
        Features::collect(&data, 13, 4, &FeatureOptions::default()).expect("pairs");
    (data, features, counts)
}
