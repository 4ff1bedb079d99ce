//! The n best labellings of a sequence, exactly.
//!
//! A search from the end to the start (Soong and Huang 1991): an open labelling is a label at a position and all labels behind it. The best way to complete it is known from
//! Viterbi's scores, so open labellings leave the queue in the order of their best completion, and the first n that are complete are the n best. What leaves the queue
//! puts in its best label before, and its own next best rival: two entries, however many labels there are.

use super::pair_scores::Between;
use crate::numeric::to_index;
use std::collections::BinaryHeap;

/// A labelling and its score.
#[derive(Debug, Clone, PartialEq)]
pub struct Labelling {
    /// A label for each position.
    pub labels: Vec<u32>,
    /// The sum of the scores of positions and pairs of labels.
    pub score: f64,
}

/// An open labelling in the queue.
#[derive(Debug, Clone, Copy)]
struct Open {
    /// The score of what is behind `label`, the pair with it included.
    behind: f64,
    position: usize,
    label: usize,
    /// The open labelling that this one extends, among those that left the queue.
    parent: Option<usize>,
}

/// By the best score of a complete labelling that ends so. For ties: the latest entry first, which is the best label before what left the queue last.
type Entry = crate::best_first::Entry<Open, u64>;

/// The `n` best labellings, the best first: all, if there are fewer. `scores` are by position and label, minus infinity for what is not allowed;
/// `best` are those of the best labellings that end there. Labellings are distinct; equal ones are in the order of their labels, of which the last one counts most (which of
/// those that are as good as the last one are left out is not said).
///
/// # Complexity
/// Time n T (L + log(n T)), memory n T.
pub(super) fn nbest<P: Between>(
    pairs: &P,
    scores: &[f64],
    best: &[f64],
    labels: usize,
    n: usize,
) -> Vec<Labelling> {
    let length = scores.len() / labels.max(1);
    let mut found: Vec<Labelling> = Vec::new();
    if length == 0 {
        found.resize_with(n.min(1), || Labelling {
            labels: Vec::new(),
            score: 0.0,
        });
        return found;
    }
    let mut search = Search {
        pairs,
        scores,
        best,
        labels,
        left: Vec::new(),
        queue: BinaryHeap::new(),
        entries: 0,
    };
    search.enter(length - 1, None, None);
    while found.len() < n
        && let Some(entry) = search.queue.pop()
    {
        let open = entry.open;
        let rival = Some((entry.bound, open.label));
        search.enter(open.position, open.parent, rival);
        let at = search.left.len();
        search.left.push(open);
        if open.position > 0 {
            search.enter(open.position - 1, Some(at), None);
        } else {
            let labels = search.read(at);
            let score = total(pairs, scores, &labels, search.labels);
            found.push(Labelling { labels, score });
        }
    }
    // Bounds are sums in another order than scores: they may differ in the last bits.
    found.sort_by(|a, b| {
        b.score
            .total_cmp(&a.score)
            .then_with(|| a.labels.iter().rev().cmp(b.labels.iter().rev()))
    });
    found
}

struct Search<'a, P> {
    pairs: &'a P,
    scores: &'a [f64],
    best: &'a [f64],
    labels: usize,
    /// What has left the queue.
    left: Vec<Open>,
    queue: BinaryHeap<Entry>,
    entries: u64,
}

impl<P: Between> Search<'_, P> {
    /// Puts in the best label at a position before what `parent` has, or the best one that comes after a `rival`, whose bound and label are given.
    fn enter(&mut self, position: usize, parent: Option<usize>, rival: Option<(f64, usize)>) {
        let row = &self.best[position * self.labels..][..self.labels];
        let next = parent.map(|at| {
            let next = self.left[at];
            let own = self.scores[next.position * self.labels + next.label];
            (next.label, own + next.behind)
        });
        let mut chosen: Option<(f64, f64, usize)> = None;
        for (label, &ahead) in row.iter().enumerate() {
            let behind = next.map_or(0.0, |(to, rest)| {
                self.pairs.between(position + 1, label, to) + rest
            });
            let bound = ahead + behind;
            if bound == f64::NEG_INFINITY {
                continue;
            }
            let comes_after =
                rival.is_none_or(|(top, rival)| bound < top || (bound <= top && label > rival));
            if comes_after && chosen.is_none_or(|(top, ..)| bound > top) {
                chosen = Some((bound, behind, label));
            }
        }
        if let Some((bound, behind, label)) = chosen {
            self.queue.push(Entry {
                bound,
                tie: self.entries,
                open: Open {
                    behind,
                    position,
                    label,
                    parent,
                },
            });
            self.entries += 1;
        }
    }

    /// The labels of a complete labelling.
    fn read(&self, at: usize) -> Vec<u32> {
        let mut labels = Vec::new();
        let mut next = Some(at);
        while let Some(at) = next {
            labels.push(u32::try_from(self.left[at].label).unwrap_or(u32::MAX));
            next = self.left[at].parent;
        }
        labels
    }
}

/// The score of a labelling, from the first position to the last.
pub(super) fn total(pairs: &impl Between, scores: &[f64], labels: &[u32], count: usize) -> f64 {
    let mut sum = 0.0;
    let mut before: Option<usize> = None;
    let rows = labels.iter().zip(scores.chunks_exact(count.max(1)));
    for (position, (&label, row)) in rows.enumerate() {
        let label = to_index(label.into());
        // In the order of Viterbi's sums, so that the best score is the same number.
        let pair = before.map_or(0.0, |before| pairs.between(position, before, label));
        sum = row[label] + (sum + pair);
        before = Some(label);
    }
    sum
}
