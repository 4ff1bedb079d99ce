//! Scores of labels at a position: the sum of the weights of its attributes.

use super::dataset::Sequences;
use super::features::Features;
use crate::numeric::to_index;

/// Writes the score of each label at the position with this number among all of `data`. Attributes without weights, and those that
/// the features do not know, add nothing.
#[inline]
pub(super) fn score(
    data: &Sequences,
    position: usize,
    features: &Features,
    weights: &[f64],
    row: &mut [f64],
) {
    row.fill(0.0);
    let starts = features.state_starts();
    let labels = features.state_labels();
    data.features(position, |attribute, value| {
        let at = to_index(attribute.into());
        if at + 1 < starts.len() {
            let run = starts[at]..starts[at + 1];
            for (&label, &weight) in labels[run.clone()].iter().zip(&weights[run]) {
                row[to_index(label.into())] += weight * value;
            }
        }
    });
}

/// The largest score.
#[inline]
pub(super) fn largest(row: &[f64]) -> f64 {
    row.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}
