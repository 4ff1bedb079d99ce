//! Pairs of neighbouring labels as factors, made once for each vector of weights.

use super::features::{Features, density};

/// Above this share of pairs with a weight, or up to [`SMALL`] labels, all pairs are multiplied out.
const DENSE: f64 = 0.5;
const SMALL: usize = 32;

/// A pair of labels: the other label, and what its probability is multiplied by, less the background.
#[derive(Debug, Clone, Copy)]
pub(super) struct Link {
    pub label: u32,
    pub excess: f64,
}

/// The factors exp(w(i, j) - shift) of all pairs of labels as a shared background, that of pairs without a weight, and the excess of the others.
///
/// A sum over all i of alpha(i) factor(i, j) is then background * sum(alpha) + the sum of alpha(i) excess(i, j) over the pairs that have a weight. With few labels
/// the background is 0 and all pairs are listed.
#[derive(Debug, Clone)]
pub(super) struct Transitions {
    pub background: f64,
    /// What was subtracted from all weights: the largest of them, at least 0.
    pub shift: f64,
    into_starts: Vec<usize>,
    into: Vec<Link>,
    from_starts: Vec<usize>,
    from: Vec<Link>,
    /// The factor of each pair that has a weight, in the order of weights.
    pub factors: Vec<f64>,
}

impl Transitions {
    pub fn new(features: &Features, weights: &[f64]) -> Self {
        let labels = features.labels();
        let own = &weights[features.state_count()..];
        let shift = own.iter().copied().fold(0.0, f64::max);
        let factors: Vec<f64> = own.iter().map(|w| libm::exp(w - shift)).collect();
        let unweighted = libm::exp(-shift);
        let is_dense = labels <= SMALL || density(features) > DENSE;
        let background = if is_dense { 0.0 } else { unweighted };
        let mut from_starts = vec![0];
        let mut from = Vec::new();
        let first = features.state_count();
        let mut weighted = features.label_pairs().peekable();
        for label in 0..labels {
            if is_dense {
                let start = from.len();
                from.extend((0..).take(labels).map(|label| Link {
                    label,
                    excess: unweighted,
                }));
                while let Some((_, to, at)) = weighted.next_if(|pair| pair.0 == label) {
                    from[start + to].excess = factors[at - first];
                }
            } else {
                while let Some((_, to, at)) = weighted.next_if(|pair| pair.0 == label) {
                    from.push(Link {
                        label: u32::try_from(to).unwrap_or(u32::MAX),
                        excess: factors[at - first] - background,
                    });
                }
            }
            from_starts.push(from.len());
        }
        let (into_starts, into) = transpose(&from_starts, &from, labels);
        Self {
            background,
            shift,
            into_starts,
            into,
            from_starts,
            from,
            factors,
        }
    }

    /// The pairs whose second label this is.
    #[inline]
    pub fn into(&self, label: usize) -> &[Link] {
        &self.into[self.into_starts[label]..self.into_starts[label + 1]]
    }

    /// The pairs whose first label this is.
    #[inline]
    pub fn from(&self, label: usize) -> &[Link] {
        &self.from[self.from_starts[label]..self.from_starts[label + 1]]
    }
}

fn transpose(starts: &[usize], links: &[Link], labels: usize) -> (Vec<usize>, Vec<Link>) {
    let mut ends = vec![0; labels + 1];
    for link in links {
        ends[link.label as usize + 1] += 1;
    }
    for label in 0..labels {
        ends[label + 1] += ends[label];
    }
    let made_starts = ends.clone();
    let mut made = vec![
        Link {
            label: 0,
            excess: 0.0
        };
        links.len()
    ];
    for (label, run) in (0..).zip(starts.windows(2)) {
        for link in &links[run[0]..run[1]] {
            let at = &mut ends[link.label as usize];
            made[*at] = Link {
                label,
                excess: link.excess,
            };
            *at += 1;
        }
    }
    (made_starts, made)
}
