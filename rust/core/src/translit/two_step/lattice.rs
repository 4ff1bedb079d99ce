//! A chain whose positions have lists of possible labels: its sum, and its paths one by one, the most probable first.
//!
//! All is computed with scaled factors, not logarithms. Sums and maxima of a position are divided by scales of their own, so that words of any length keep
//! their precision.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Up to so many labels the factors of all pairs are laid out.
const DENSE: usize = 2048;

/// No factor is smaller than this logarithm below the largest one: then no sum is 0.
const LOWEST: f64 = -600.0;

/// exp(w(from, to) - shift) of pairs of labels; the shift is the same for all paths and cancels.
#[derive(Debug, Clone)]
pub(super) struct Factors {
    labels: usize,
    /// By second label, then first; empty when there are many labels.
    dense: Vec<f64>,
    other: f64,
    starts: Vec<usize>,
    first: Vec<u32>,
    weighted: Vec<f64>,
}

impl Factors {
    /// From triples of first label, second label and weight; other pairs have weight 0.
    pub fn new(labels: usize, pairs: &[(usize, usize, f64)]) -> Self {
        let shift = pairs.iter().map(|pair| pair.2).fold(0.0, f64::max);
        let factor = |weight: f64| libm::exp((weight - shift).max(LOWEST));
        let other = factor(0.0);
        let mut made = Self {
            labels,
            dense: Vec::new(),
            other,
            starts: Vec::new(),
            first: Vec::new(),
            weighted: Vec::new(),
        };
        if labels <= DENSE {
            made.dense = vec![other; labels * labels];
            for &(from, to, weight) in pairs {
                made.dense[to * labels + from] = factor(weight);
            }
            return made;
        }
        let mut sorted: Vec<_> = pairs.iter().map(|&(from, to, w)| (to, from, w)).collect();
        sorted.sort_by_key(|&(to, from, _)| (to, from));
        made.starts = vec![0; labels + 1];
        for &(to, from, weight) in &sorted {
            made.starts[to + 1] += 1;
            made.first.push(u32::try_from(from).unwrap_or(u32::MAX));
            made.weighted.push(factor(weight));
        }
        for label in 0..labels {
            made.starts[label + 1] += made.starts[label];
        }
        made
    }

    #[inline]
    pub fn get(&self, from: u32, to: u32) -> f64 {
        if !self.dense.is_empty() {
            return self.dense[to as usize * self.labels + from as usize];
        }
        let run = self.starts[to as usize]..self.starts[to as usize + 1];
        match self.first[run.clone()].binary_search(&from) {
            Ok(at) => self.weighted[run.start + at],
            Err(_) => self.other,
        }
    }

    /// The factors into a label by first label, when they are laid out.
    #[inline]
    fn row(&self, to: u32) -> Option<&[f64]> {
        let start = to as usize * self.labels;
        self.dense.get(start..start + self.labels)
    }
}

/// The positions of one sequence.
#[derive(Debug, Clone, Default)]
pub(super) struct Lattice {
    starts: Vec<usize>,
    labels: Vec<u32>,
    /// exp(score - largest score of the position).
    own: Vec<f64>,
    /// The best path that ends here, over the scale of its position.
    best: Vec<f64>,
    /// The scales of sums and of best paths.
    sums: Vec<f64>,
    tops: Vec<f64>,
    /// The probability of the best path.
    top: f64,
    alpha: Vec<f64>,
}

impl Lattice {
    pub fn clear(&mut self) {
        self.starts.clear();
        self.starts.push(0);
        self.labels.clear();
        self.own.clear();
    }

    /// Adds a position with its labels and the scores of each.
    pub fn push(&mut self, labels: &[u32], scores: &[f64]) {
        let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        self.labels.extend_from_slice(labels);
        self.own
            .extend(scores.iter().map(|score| libm::exp(score - largest)));
        self.starts.push(self.labels.len());
    }

    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Labels of a position.
    pub fn labels(&self, position: usize) -> &[u32] {
        &self.labels[self.starts[position]..self.starts[position + 1]]
    }

    /// Computes sums and best paths.
    pub fn run(&mut self, factors: &Factors) {
        self.best.clear();
        self.best.resize(self.own.len(), 0.0);
        self.alpha.clear();
        self.alpha.resize(self.own.len(), 0.0);
        self.sums.clear();
        self.tops.clear();
        let mut log_top = 0.0;
        for position in 0..self.len() {
            let here = self.starts[position]..self.starts[position + 1];
            let mut before = 0..0;
            if position > 0 {
                before = self.starts[position - 1]..here.start;
            }
            let (done_alpha, rest_alpha) = self.alpha.split_at_mut(here.start);
            let (done_best, rest_best) = self.best.split_at_mut(here.start);
            let (alpha, best) = (&done_alpha[before.clone()], &done_best[before.clone()]);
            let from = &self.labels[before];
            let (mut sum, mut top) = (0.0, 0.0f64);
            for (at, index) in here.clone().enumerate() {
                let own = self.own[index];
                let (into_sum, into_best) = if position == 0 {
                    (1.0, 1.0)
                } else {
                    into(factors, self.labels[index], from, alpha, best)
                };
                rest_alpha[at] = own * into_sum;
                rest_best[at] = own * into_best;
                sum += rest_alpha[at];
                top = top.max(rest_best[at]);
            }
            let count = here.len();
            rest_alpha[..count].iter_mut().for_each(|a| *a /= sum);
            rest_best[..count].iter_mut().for_each(|b| *b /= top);
            self.sums.push(sum);
            self.tops.push(top);
            // Both have the same factors: their quotient stays near the probability of the best path so far.
            log_top += libm::log(top / sum);
        }
        self.top = libm::exp(log_top.min(0.0));
    }

    /// What a path that begins here gives its probability: own factor over the scale of sums.
    pub fn first(&self, label_at: usize) -> f64 {
        self.own[label_at] / self.sums[0]
    }

    /// What one more label gives to the probability of a path.
    pub fn next(&self, position: usize, label_at: usize, from: u32, factors: &Factors) -> f64 {
        let index = self.starts[position] + label_at;
        self.own[index] * factors.get(from, self.labels[index]) / self.sums[position]
    }
}

#[inline]
fn into(factors: &Factors, to: u32, from: &[u32], alpha: &[f64], best: &[f64]) -> (f64, f64) {
    let (mut sum, mut top) = (0.0, 0.0f64);
    if let Some(row) = factors.row(to) {
        for ((&from, &alpha), &best) in from.iter().zip(alpha).zip(best) {
            let factor = row[from as usize];
            sum += alpha * factor;
            let product = best * factor;
            top = if product > top { product } else { top };
        }
    } else {
        for ((&from, &alpha), &best) in from.iter().zip(alpha).zip(best) {
            let factor = factors.get(from, to);
            sum += alpha * factor;
            top = top.max(best * factor);
        }
    }
    (sum, top)
}

/// A path from some position to the end.
#[derive(Debug, Clone, Copy)]
struct Open {
    /// The best complete path through it, over the best of all.
    bound: f64,
    /// The factors behind the label.
    behind: f64,
    position: u32,
    at: u32,
    parent: u32,
    number: u32,
}

impl PartialEq for Open {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Open {}

impl PartialOrd for Open {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Open {
    /// The largest bound first; of equal ones the one that is nearer to completion, then the one that came first.
    fn cmp(&self, other: &Self) -> Ordering {
        self.bound
            .total_cmp(&other.bound)
            .then(other.position.cmp(&self.position))
            .then(other.number.cmp(&self.number))
    }
}

/// The paths of a lattice, found one by one from the end to the start (Soong and Huang 1991); Viterbi's bounds are exact.
#[derive(Debug, Default)]
pub(super) struct Paths {
    left: Vec<Open>,
    queue: BinaryHeap<Open>,
    entries: u32,
}

const NO_PARENT: u32 = u32::MAX;

impl Paths {
    /// Begins with a lattice that has been [run](Lattice::run).
    pub fn start(&mut self, lattice: &Lattice, factors: &Factors) {
        self.left.clear();
        self.queue.clear();
        self.entries = 0;
        if lattice.len() > 0 {
            self.enter(lattice, factors, lattice.len() - 1, NO_PARENT, None);
        }
    }

    /// The next path: which label of each position it takes, and its probability. None when there are no more.
    pub fn next(
        &mut self,
        lattice: &Lattice,
        factors: &Factors,
        path: &mut Vec<usize>,
    ) -> Option<f64> {
        while let Some(open) = self.queue.pop() {
            let position = open.position as usize;
            self.enter(lattice, factors, position, open.parent, Some(open));
            let at = u32::try_from(self.left.len()).unwrap_or(NO_PARENT);
            self.left.push(open);
            if position > 0 {
                self.enter(lattice, factors, position - 1, at, None);
                continue;
            }
            path.clear();
            let mut next = at;
            while next != NO_PARENT {
                let open = self.left[next as usize];
                path.push(open.at as usize);
                next = open.parent;
            }
            return Some(open.bound * lattice.top);
        }
        None
    }

    /// Puts in the best label of a position before what `parent` has, or the best one that comes after `rival`.
    fn enter(
        &mut self,
        lattice: &Lattice,
        factors: &Factors,
        position: usize,
        parent: u32,
        rival: Option<Open>,
    ) {
        let run = lattice.starts[position]..lattice.starts[position + 1];
        let labels = &lattice.labels[run.clone()];
        let mut to = None;
        let mut rest = 1.0;
        if parent != NO_PARENT {
            let next = self.left[parent as usize];
            let index = lattice.starts[position + 1] + next.at as usize;
            to = Some(lattice.labels[index]);
            rest = next.behind * lattice.own[index] / lattice.tops[position + 1];
        }
        let row = to.and_then(|to| factors.row(to));
        let mut chosen: Option<(f64, f64, u32)> = None;
        for ((at, &label), &ahead) in (0..).zip(labels).zip(&lattice.best[run]) {
            let behind = match (row, to) {
                (Some(row), _) => row[label as usize] * rest,
                (None, Some(to)) => factors.get(label, to) * rest,
                (None, None) => 1.0,
            };
            let bound = ahead * behind;
            let comes_after = rival
                .is_none_or(|rival| bound < rival.bound || (bound <= rival.bound && at > rival.at));
            if comes_after && chosen.is_none_or(|(top, ..)| bound > top) {
                chosen = Some((bound, behind, at));
            }
        }
        if let Some((bound, behind, at)) = chosen {
            self.queue.push(Open {
                bound,
                behind,
                position: u32::try_from(position).unwrap_or(u32::MAX),
                at,
                parent,
                number: self.entries,
            });
            self.entries += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// All paths with their scores, by counting through them.
    fn all(lists: &[Vec<(u32, f64)>], weights: &[f64], labels: usize) -> Vec<(f64, Vec<usize>)> {
        let mut paths = vec![(0.0, Vec::new())];
        for (position, list) in lists.iter().enumerate() {
            let mut longer = Vec::new();
            for (score, path) in &paths {
                for (at, &(label, own)) in list.iter().enumerate() {
                    let pair = path.last().map_or(0.0, |&before: &usize| {
                        let from = lists[position - 1][before].0;
                        weights[from as usize * labels + label as usize]
                    });
                    let mut path: Vec<usize> = path.clone();
                    path.push(at);
                    longer.push((score + own + pair, path));
                }
            }
            paths = longer;
        }
        let sum: f64 = paths.iter().map(|path| libm::exp(path.0)).sum();
        let mut paths: Vec<_> = paths
            .into_iter()
            .map(|(score, path)| (libm::exp(score) / sum, path))
            .collect();
        paths.sort_by(|a, b| b.0.total_cmp(&a.0));
        paths
    }

    proptest! {
        #[test]
        fn paths_are_those_of_brute_force_in_order(
            lists in proptest::collection::vec(proptest::collection::btree_map(0u32..5, -4.0..4.0f64, 1..4), 1..5),
            weights in proptest::collection::vec(-3.0..3.0f64, 25),
        ) {
            let lists: Vec<Vec<(u32, f64)>> = lists.into_iter().map(|list| list.into_iter().collect()).collect();
            let pairs: Vec<_> = (0..25).map(|n| (n / 5, n % 5, weights[n])).collect();
            let mut dense = Factors::new(5, &pairs);
            let sparse = Factors::new(DENSE + 1, &pairs);
            for factors in [&mut dense, &mut sparse.clone()] {
                let mut lattice = Lattice::default();
                lattice.clear();
                for list in &lists {
                    let (labels, scores): (Vec<u32>, Vec<f64>) = list.iter().copied().unzip();
                    lattice.push(&labels, &scores);
                }
                lattice.run(factors);
                let mut paths = Paths::default();
                paths.start(&lattice, factors);
                let mut path = Vec::new();
                for (probability, expected) in all(&lists, &weights, 5) {
                    let found = paths.next(&lattice, factors, &mut path);
                    prop_assert!((found.unwrap_or(-1.0) - probability).abs() < 1e-12);
                    // Paths of equal probability may come in another order.
                    let mut again = lattice.first(path[0]);
                    for position in 1..path.len() {
                        let from = lattice.labels(position - 1)[path[position - 1]];
                        again *= lattice.next(position, path[position], from, factors);
                    }
                    prop_assert!((again - probability).abs() < 1e-12);
                    prop_assert_eq!(path.len(), expected.len());
                }
                prop_assert_eq!(paths.next(&lattice, factors, &mut path), None);
            }
        }
    }

    #[test]
    fn a_long_chain_keeps_its_probabilities() {
        let factors = Factors::new(2, &[(0, 1, 0.3)]);
        let mut lattice = Lattice::default();
        lattice.clear();
        for _ in 0..3000 {
            lattice.push(&[0, 1], &[0.1, 0.0]);
        }
        lattice.run(&factors);
        let mut paths = Paths::default();
        paths.start(&lattice, &factors);
        let mut path = Vec::new();
        assert!(paths.next(&lattice, &factors, &mut path).is_some());
        assert_eq!(path.len(), 3000);
    }
}
