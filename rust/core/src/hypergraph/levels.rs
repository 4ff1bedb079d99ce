//! Levels: nodes that can be dealt with at the same time.

use super::structure::{Hypergraph, index};

impl Hypergraph {
    /// The length of the longest way down from each node, by place: 0 without tails, else one more than that of the highest tail node. Within cycles, only
    /// the way down from them counts. O(edges).
    #[must_use]
    pub fn levels(&self) -> Vec<u32> {
        let mut levels = vec![0; self.nodes()];
        for node in 0..self.nodes() {
            let tails = self.edges_into(node).flat_map(|edge| self.tail(edge));
            let highest = tails.map(|&tail| levels[index(tail)] + 1).max();
            levels[node] = highest.unwrap_or(0);
        }
        levels
    }
}
