//! The paths of a chain one by one, the most probable first.

use super::factors::Factors;
use super::lattice::Lattice;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A path from some position to the end.
#[derive(Debug, Clone, Copy)]
struct Open {
    /// The factors behind the label.
    behind: f64,
    position: u32,
    at: u32,
    parent: u32,
}

/// The largest bound first; of equal ones the one that is nearer to completion, then the one that came last.
type Entry = crate::best_first::Entry<Open, (Reverse<u32>, u32)>;

/// The paths of a chain, found one by one from the end to the start (Soong and Huang 1991); Viterbi's bounds are exact.
#[derive(Debug, Default)]
pub(super) struct Paths {
    left: Vec<Open>,
    queue: BinaryHeap<Entry>,
    entries: u32,
}

const NO_PARENT: u32 = u32::MAX;

impl Paths {
    /// Begins with the chain at hand of a lattice.
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
        while let Some(entry) = self.queue.pop() {
            let open = entry.open;
            let position = open.position as usize;
            let rival = Some((entry.bound, open.at));
            self.enter(lattice, factors, position, open.parent, rival);
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
            return Some(entry.bound * lattice.top());
        }
        None
    }

    /// Puts in the best label of a position before what `parent` has, or the best one that comes after a `rival`, whose bound and place are given.
    fn enter(
        &mut self,
        lattice: &Lattice,
        factors: &Factors,
        position: usize,
        parent: u32,
        rival: Option<(f64, u32)>,
    ) {
        let labels = lattice.labels(position);
        let mut to = None;
        let mut rest = 1.0;
        if parent != NO_PARENT {
            let next = self.left[parent as usize];
            let (label, own, top) = lattice.behind(position + 1, next.at as usize);
            to = Some(label);
            rest = next.behind * own / top;
        }
        let row = to.and_then(|to| factors.row(to));
        let mut chosen: Option<(f64, f64, u32)> = None;
        for ((at, &label), &ahead) in (0..).zip(labels).zip(lattice.best(position)) {
            let behind = match (row, to) {
                (Some(row), _) => row[label as usize] * rest,
                (None, Some(to)) => factors.get(label, to) * rest,
                (None, None) => 1.0,
            };
            let bound = ahead * behind;
            let comes_after =
                rival.is_none_or(|(top, rival)| bound < top || (bound <= top && at > rival));
            if comes_after && chosen.is_none_or(|(top, ..)| bound > top) {
                chosen = Some((bound, behind, at));
            }
        }
        if let Some((bound, behind, at)) = chosen {
            let position = u32::try_from(position).unwrap_or(u32::MAX);
            self.queue.push(Entry {
                bound,
                tie: (Reverse(position), self.entries),
                open: Open {
                    behind,
                    position,
                    at,
                    parent,
                },
            });
            self.entries += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::factors::DENSE;
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
                    let list = lattice.list(&labels, &scores);
                    lattice.push(list, factors);
                }
                let chain = lattice.chain().to_vec();
                let mut paths = Paths::default();
                paths.start(&lattice, factors);
                let mut path = Vec::new();
                for (probability, expected) in all(&lists, &weights, 5) {
                    let found = paths.next(&lattice, factors, &mut path);
                    prop_assert!((found.unwrap_or(-1.0) - probability).abs() < 1e-12);
                    // Paths of equal probability may come in another order.
                    let mut again = lattice.first(chain[0], path[0]);
                    for position in 1..path.len() {
                        let from = lattice.labels(position - 1)[path[position - 1]];
                        again *= lattice.next(chain[position], path[position], from, factors);
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
            let list = lattice.list(&[0, 1], &[0.1, 0.0]);
            lattice.push(list, &factors);
        }
        let mut paths = Paths::default();
        paths.start(&lattice, &factors);
        let mut path = Vec::new();
        assert!(paths.next(&lattice, &factors, &mut path).is_some());
        assert_eq!(path.len(), 3000);
    }
}
