//! Factors of single pairs of labels, for sums over few labels at each position.

use super::features::Features;
use super::transitions::Transitions;
use crate::numeric::id_index;

/// Up to so many labels a table has the number of each pair: 16 MB.
const TABLE: usize = 1 << 11;

/// The number of each pair of labels among those that have a weight.
#[derive(Debug)]
pub(super) struct PairNumbers {
    labels: usize,
    /// The number of pairs that have a weight: stands for all that have none.
    none: u32,
    /// By first label, then second, with one label more that has no pairs; empty where there are too many labels.
    table: Vec<u32>,
}

/// The factor of each pair of labels: exp(w - shift), that of weight 0 for pairs without a weight.
pub(super) struct PairFactors<'a> {
    features: &'a Features,
    numbers: &'a PairNumbers,
    /// By number, that of pairs without a weight last.
    factors: Vec<f64>,
    /// What was subtracted from all weights.
    pub shift: f64,
    /// From the largest weight, at least 0, to the smallest, at most 0.
    pub span: f64,
    /// The largest factor of a pair whose second label this is, with one label more that has no pairs.
    pub ceilings: Vec<f64>,
}

impl PairNumbers {
    pub fn new(features: &Features) -> Self {
        let labels = features.labels();
        // A random field has at most u32::MAX weights.
        let none = u32::try_from(features.next_labels().len()).unwrap_or(u32::MAX);
        let mut table = Vec::new();
        if labels <= TABLE {
            table.resize((labels + 1) * (labels + 1), none);
            let pairs = (0..).zip(features.label_pairs());
            for (number, (from, to, _)) in pairs {
                table[from * (labels + 1) + to] = number;
            }
        }
        Self {
            labels,
            none,
            table,
        }
    }
}

impl<'a> PairFactors<'a> {
    pub fn new(
        features: &'a Features,
        numbers: &'a PairNumbers,
        weights: &[f64],
        transitions: &Transitions,
    ) -> Self {
        let own = &weights[features.state_count()..];
        let shift = transitions.shift;
        let lowest = own.iter().copied().fold(0.0, f64::min);
        let unweighted = libm::exp(-shift);
        let mut factors = transitions.factors.clone();
        factors.push(unweighted);
        let all = numbers.labels + 1;
        let (mut ceilings, mut counts) = (vec![0.0_f64; all], vec![0; all]);
        for (&to, &factor) in features.next_labels().iter().zip(&factors) {
            let to = id_index(to);
            ceilings[to] = ceilings[to].max(factor);
            counts[to] += 1;
        }
        for (ceiling, &count) in ceilings.iter_mut().zip(&counts) {
            if count < numbers.labels {
                *ceiling = ceiling.max(unweighted);
            }
        }
        Self {
            features,
            numbers,
            factors,
            shift,
            span: shift - lowest,
            ceilings,
        }
    }

    /// Writes the numbers of the pairs of a label with each of some labels behind it, which rise. The number of labels stands for one that has no pairs.
    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "it must be compiled for the instructions of its caller"
    )]
    pub fn find(&self, from: usize, to: &[u32], found: &mut Vec<u32>) {
        found.clear();
        let PairNumbers {
            labels,
            none,
            table,
        } = self.numbers;
        if table.is_empty() {
            let (starts, next) = (
                self.features.transition_starts(),
                self.features.next_labels(),
            );
            // The label that has no pairs comes after all others.
            let own = starts[from.min(*labels)]..starts[(from + 1).min(*labels)];
            let mut first = own.start;
            let run = &next[..own.end];
            found.extend(to.iter().map(|&label| {
                first += run[first..].partition_point(|&other| other < label);
                match run.get(first) {
                    // There are at most u32::MAX pairs.
                    Some(&other) if other == label => u32::try_from(first).unwrap_or(u32::MAX),
                    _ => *none,
                }
            }));
        } else {
            let row = &table[from * (labels + 1)..][..labels + 1];
            found.extend(to.iter().map(|&label| row[id_index(label)]));
        }
    }

    /// The factor of the pair with this number.
    #[inline]
    pub fn factor(&self, number: u32) -> f64 {
        self.factors[id_index(number)]
    }
}
