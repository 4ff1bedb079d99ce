//! Inference as three functions over statistics that add.
//!
//! Training is a loop of `accumulate(block, parameters) -> statistics`, `merge`, `estimate`. Statistics are integers (fixed-point expected counts or
//! sampled counts), so merging them in any grouping gives the same bits: blocks may run on threads here, or anywhere else.

use super::emissions::{Block, Emissions};
use crate::cancel::CancelToken;
use crate::error::Result;

/// One way of inference.
pub trait Strategy: Sync {
    /// What an iteration works with: the same for all blocks, never changed while they run.
    type Parameters: Sync;
    /// What a block yields.
    type Statistics: Send;
    /// What a block keeps to itself between iterations.
    type State: Send;

    /// Runs one iteration over one block.
    ///
    /// # Errors
    /// [`crate::error::Error::Cancelled`], looked for at every emitted type.
    fn accumulate(
        &self,
        emissions: &Emissions<'_>,
        block: &Block,
        state: &mut Self::State,
        parameters: &Self::Parameters,
        cancel: &CancelToken,
    ) -> Result<Self::Statistics>;

    /// Adds the statistics of all blocks; associative and commutative up to the order of blocks.
    ///
    /// # Errors
    /// When a count overflows.
    fn merge(&self, into: &mut Self::Statistics, more: Self::Statistics) -> Result<()>;

    /// The parameters of the next iteration.
    ///
    /// # Errors
    /// When a count overflows.
    fn estimate(
        &self,
        previous: Self::Parameters,
        statistics: Self::Statistics,
    ) -> Result<Self::Parameters>;
}
