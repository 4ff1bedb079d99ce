//! Sums over the forests of many blocks.

use super::block::Block;
use super::objective::{ForestSums, Gradients, Objective};
use super::workspace::Workspace;
use crate::cancel::CancelToken;
use crate::error::Result;
use crate::numeric::to_index;

/// What the forests of a block add to the sums, each for itself.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BlockSums(Vec<(Vec<u32>, ForestSums)>);

/// Sums over forests.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Totals {
    /// The number of forests, empty ones among them.
    pub forests: u64,
    /// The number of forests without a derivation, which add nothing.
    pub empty: u64,
    /// Of the expected loss.
    pub risk: f64,
    /// Of the entropy, in nats.
    pub entropy: f64,
    /// Of the expected score, without gamma.
    pub expected_score: f64,
    /// Derivatives by gamma: of the objective, or of risk and entropy.
    pub by_gamma: [f64; 2],
    /// Derivatives by the weights, likewise: nothing, one vector or two.
    pub by_weights: Vec<Vec<f64>>,
}

impl Objective {
    /// Evaluates the forests of a block that has been checked.
    ///
    /// Every forest is evaluated for itself. Blocks can be dealt with on any threads; [`Totals::add`] takes the results in the order of the blocks, so that no
    /// bit of the sums depends on the number of threads, or on how forests are put into blocks.
    ///
    /// # Errors
    /// [`crate::error::Error::Hypergraph`], naming forest and edge, where gamma times a score is beyond what can be computed with or a result is beyond the
    /// largest double; [`crate::error::Error::Model`] for a damaged block; [`crate::error::Error::Cancelled`].
    ///
    /// # Complexity
    /// O(edges + tail nodes + values of features), a few nanoseconds each; memory is that of the largest forest.
    pub fn evaluate(
        &self,
        block: Block<'_>,
        space: &mut Workspace,
        cancel: &CancelToken,
    ) -> Result<BlockSums> {
        let forests = block.split()?.into_iter().map(|forest| {
            cancel.check()?;
            let sums = self.evaluate_forest(&forest, space, cancel)?;
            Ok((forest.ids.to_vec(), sums))
        });
        Ok(BlockSums(forests.collect::<Result<_>>()?))
    }
}

impl Totals {
    /// Nothing so far, of what the objective asks for.
    #[must_use]
    pub fn new(objective: &Objective) -> Self {
        let vectors = match objective.gradients {
            Gradients::None => 0,
            Gradients::Joint => 1,
            Gradients::Separate => 2,
        };
        Self {
            by_weights: vec![vec![0.0; objective.weights.len()]; vectors],
            ..Self::default()
        }
    }

    /// Adds the forests of a block, one after the other. O(features that they have).
    ///
    /// # Panics
    /// If the block was evaluated at other weights or with other gradients.
    pub fn add(&mut self, block: &BlockSums) {
        for (ids, sums) in &block.0 {
            self.add_forest(ids, sums);
        }
    }

    fn add_forest(&mut self, ids: &[u32], sums: &ForestSums) {
        self.forests += 1;
        self.empty += u64::from(sums.is_empty);
        self.risk += sums.risk;
        self.entropy += sums.entropy;
        self.expected_score += sums.expected_score;
        for (sum, value) in self.by_gamma.iter_mut().zip(sums.by_gamma) {
            *sum += value;
        }
        let parts = sums.by_weights.chunks_exact(ids.len().max(1));
        for (sum, part) in self.by_weights.iter_mut().zip(parts) {
            for (&id, value) in ids.iter().zip(part) {
                sum[to_index(u64::from(id))] += value;
            }
        }
    }
}
