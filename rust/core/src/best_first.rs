//! Entries of the queues of best-first searches.

use std::cmp::Ordering;

/// Something open with a bound on what it can become. From a [`BinaryHeap`](std::collections::BinaryHeap) the largest bound leaves first; of equal ones the one with the
/// largest `tie`, which must be distinct for results not to depend on the heap.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entry<T, K> {
    pub bound: f64,
    pub tie: K,
    pub open: T,
}

impl<T, K: Ord> PartialEq for Entry<T, K> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<T, K: Ord> Eq for Entry<T, K> {}

impl<T, K: Ord> PartialOrd for Entry<T, K> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T, K: Ord> Ord for Entry<T, K> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.bound
            .total_cmp(&other.bound)
            .then_with(|| self.tie.cmp(&other.tie))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cmp::Reverse;
    use std::collections::BinaryHeap;

    #[test]
    fn entries_leave_by_bound_then_tie() {
        let entries = [(1.0, 3, 'a'), (2.0, 1, 'b'), (1.0, 2, 'c'), (-1.0, 9, 'd')];
        let mut queue: BinaryHeap<_> = entries
            .iter()
            .map(|&(bound, number, open)| Entry {
                bound,
                tie: Reverse(number),
                open,
            })
            .collect();
        let left: String = std::iter::from_fn(|| queue.pop().map(|entry| entry.open)).collect();
        assert_eq!(left, "bcad");
    }
}
