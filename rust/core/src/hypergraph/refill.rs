//! One hypergraph after the other in the same memory.

use super::structure::Hypergraph;

impl Hypergraph {
    /// One node without edges: something to refill.
    #[must_use]
    pub(crate) fn single_node() -> Self {
        Self {
            incoming: vec![0, 0],
            tail_starts: vec![0],
            tails: Vec::new(),
            root: 0,
            node_numbers: None,
            edge_numbers: None,
            knots: Vec::new(),
        }
    }

    /// Takes the place of another: `fill` writes where the edges into each node start, where the tails start, and the tails, by place and in order; it returns the root.
    ///
    /// The caller vouches for them: starts rise from 0, tails stand before heads, the root is a node.
    pub(crate) fn refill(
        &mut self,
        fill: impl FnOnce(&mut Vec<u32>, &mut Vec<u32>, &mut Vec<u32>) -> u32,
    ) {
        self.root = fill(&mut self.incoming, &mut self.tail_starts, &mut self.tails);
        self.node_numbers = None;
        self.edge_numbers = None;
        self.knots.clear();
    }
}
