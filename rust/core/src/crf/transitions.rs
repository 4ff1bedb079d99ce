//! Pairs of neighbouring labels as factors, made once for each vector of weights.

use super::features::{Features, density};
use crate::numeric::id_index;

/// Above this share of pairs with a weight, or up to [`SMALL`] labels, all pairs are multiplied out.
const DENSE: f64 = 0.5;
const SMALL: usize = 32;

/// A background is not used where a factor is less than this share of it: what is left of it after subtraction would have lost its last digits.
const CANCELS: f64 = 1e-3;

/// Without a background, all pairs of a label are listed. No more pairs than so many for each one with a weight; logarithms instead.
const MOST: usize = 8;

/// A pair of labels: the other label, and what its probability is multiplied by, less the background.
#[derive(Debug, Clone, Copy)]
pub(super) struct Link {
    pub label: u32,
    pub excess: f64,
}

/// The pairs of a label as a shared background and the excess of those that are listed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Links<'a> {
    pub background: f64,
    pub links: &'a [Link],
}

/// The pairs of each label.
#[derive(Debug, Clone, Default)]
struct Lists {
    starts: Vec<usize>,
    links: Vec<Link>,
    backgrounds: Vec<f64>,
}

/// The factors exp(w(i, j) - shift) of all pairs of labels as a background, that of pairs without a weight, and the excess of the others.
///
/// A sum over all i of alpha(i) factor(i, j) is then background * sum(alpha) + the sum of alpha(i) excess(i, j) over the pairs that have a weight. Where that would cancel, and
/// where there are few labels, the background is 0 and all pairs are listed.
#[derive(Debug, Clone)]
pub(super) struct Transitions {
    /// What was subtracted from all weights: the largest of them, at least 0.
    pub shift: f64,
    /// From the largest weight of a pair, at least 0, to the smallest, at most 0. Infinite when probabilities must not be used.
    pub span: f64,
    into: Lists,
    from: Lists,
    /// The factor of each pair that has a weight, in the order of weights.
    pub factors: Vec<f64>,
}

impl Transitions {
    pub fn new(features: &Features, weights: &[f64]) -> Self {
        let labels = features.labels();
        let own = features.transition_weights(weights);
        let shift = own.iter().copied().fold(0.0, f64::max);
        let lowest = own.iter().copied().fold(0.0, f64::min);
        let factors: Vec<f64> = own.iter().map(|w| libm::exp(w - shift)).collect();
        let unweighted = libm::exp(-shift);
        let is_dense = labels <= SMALL || density(features) > DENSE;
        let (starts, next) = (features.transition_starts(), features.next_labels());
        let from = Lists::new(starts, next, &factors, unweighted, is_dense);
        let (starts, before, turned) = transpose(starts, next, &factors, labels);
        let into = Lists::new(&starts, &before, &turned, unweighted, is_dense);
        let (span, from, into) = match (from, into) {
            (Some(from), Some(into)) => (shift - lowest, from, into),
            _ => (f64::INFINITY, Lists::none(labels), Lists::none(labels)),
        };
        Self {
            shift,
            span,
            into,
            from,
            factors,
        }
    }

    /// Pairs of labels that a step multiplies out.
    pub fn links(&self) -> usize {
        self.into.links.len()
    }

    /// The pairs whose second label this is.
    #[inline]
    pub fn into(&self, label: usize) -> Links<'_> {
        self.into.get(label)
    }

    /// The pairs whose first label this is.
    #[inline]
    pub fn from(&self, label: usize) -> Links<'_> {
        self.from.get(label)
    }
}

impl Lists {
    /// The lists of all labels; `None` when they would be too long. The other labels of the pairs of each label rise.
    fn new(
        starts: &[usize],
        others: &[u32],
        factors: &[f64],
        unweighted: f64,
        is_dense: bool,
    ) -> Option<Self> {
        let labels = starts.len() - 1;
        let mut made = Self {
            starts: Vec::with_capacity(labels + 1),
            ..Self::default()
        };
        made.starts.push(0);
        let most = (factors.len() + labels).saturating_mul(MOST);
        for run in starts.windows(2) {
            let pairs = || others[run[0]..run[1]].iter().zip(&factors[run[0]..run[1]]);
            let cancels = || pairs().any(|(_, &factor)| factor < CANCELS * unweighted);
            if is_dense || cancels() {
                let start = made.links.len();
                if !is_dense && start + labels > most {
                    return None;
                }
                made.links.extend((0..).take(labels).map(|label| Link {
                    label,
                    excess: unweighted,
                }));
                for (&label, &factor) in pairs() {
                    made.links[start + id_index(label)].excess = factor;
                }
                made.backgrounds.push(0.0);
            } else {
                made.links.extend(pairs().map(|(&label, &factor)| Link {
                    label,
                    excess: factor - unweighted,
                }));
                made.backgrounds.push(unweighted);
            }
            made.starts.push(made.links.len());
        }
        Some(made)
    }

    /// Empty lists.
    fn none(labels: usize) -> Self {
        Self {
            starts: vec![0; labels + 1],
            links: Vec::new(),
            backgrounds: vec![0.0; labels],
        }
    }

    #[inline]
    fn get(&self, label: usize) -> Links<'_> {
        Links {
            background: self.backgrounds[label],
            links: &self.links[self.starts[label]..self.starts[label + 1]],
        }
    }
}

/// Runs by second label of pairs by first label: where they start, first labels that rise, and factors.
pub(super) fn transpose(
    starts: &[usize],
    next: &[u32],
    factors: &[f64],
    labels: usize,
) -> (Vec<usize>, Vec<u32>, Vec<f64>) {
    let mut ends = vec![0; labels + 1];
    for &label in next {
        ends[id_index(label) + 1] += 1;
    }
    for label in 0..labels {
        ends[label + 1] += ends[label];
    }
    let made_starts = ends.clone();
    let (mut before, mut turned) = (vec![0; next.len()], vec![0.0; next.len()]);
    for (label, run) in (0..).zip(starts.windows(2)) {
        for at in run[0]..run[1] {
            let end = &mut ends[id_index(next[at])];
            before[*end] = label;
            turned[*end] = factors[at];
            *end += 1;
        }
    }
    (made_starts, before, turned)
}
