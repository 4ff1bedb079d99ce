//! Sums over the forests of many blocks.

use super::block::{Block, BlockForest};
use super::objective::{ForestSums, Gradients, Objective, Workspace};
use crate::cancel::CancelToken;
use crate::error::Result;
use crate::numeric::to_index;
use crate::parallel;
use std::sync::{Mutex, PoisonError};

/// What a thread takes at a time: pieces are cut where a forest ends, and have so much work or one forest.
const PIECE: usize = 1 << 17;

/// Pieces that are worked on before their results are added up and the caller hears of it.
const PIECES: usize = 256;

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

/// Adds up an objective over the forests of one block after the other.
#[derive(Debug)]
pub struct Sums {
    objective: Objective,
    totals: Totals,
    /// One for each thread, once it has worked.
    spaces: Mutex<Vec<Workspace>>,
}

impl Sums {
    /// Nothing so far.
    ///
    /// # Errors
    /// [`crate::error::Error::Config`] for weights, a gamma or a temperature that are not finite.
    pub fn new(objective: Objective) -> Result<Self> {
        objective.check()?;
        let vectors = match objective.gradients {
            Gradients::None => 0,
            Gradients::Joint => 1,
            Gradients::Separate => 2,
        };
        let totals = Totals {
            by_weights: vec![vec![0.0; objective.weights.len()]; vectors],
            ..Totals::default()
        };
        Ok(Self {
            objective,
            totals,
            spaces: Mutex::default(),
        })
    }

    /// Adds the forests of a block, which has been checked; `done` hears how many there were so far.
    ///
    /// Every forest is evaluated for itself, and the results are added up in order: no bit depends on the number of threads, or on how forests are put into blocks.
    ///
    /// # Errors
    /// [`crate::error::Error::Hypergraph`], naming forest and edge, where gamma times a score is beyond what can be computed with or a result is beyond the
    /// largest double; [`crate::error::Error::Model`] for a damaged block; [`crate::error::Error::Cancelled`]. The sums are then of no use.
    ///
    /// # Complexity
    /// O(edges + tail nodes + values of features), a few nanoseconds each; memory of a thread is that of its largest forest.
    pub fn add(
        &mut self,
        block: Block<'_>,
        threads: usize,
        cancel: &CancelToken,
        mut done: impl FnMut(u64),
    ) -> Result<()> {
        let forests = block.split()?;
        for group in pieces(&forests).chunks(PIECES) {
            let (objective, spaces) = (&self.objective, &self.spaces);
            let found = parallel::map(threads, cancel, group.to_vec(), |_, piece| {
                let mut space = taken(spaces);
                let evaluate = |forest| objective.evaluate(forest, &mut space, cancel);
                let sums: Result<Vec<ForestSums>> = piece.iter().map(evaluate).collect();
                lock(spaces).push(space);
                sums
            })?;
            for (piece, sums) in group.iter().zip(found) {
                for (forest, sums) in piece.iter().zip(sums) {
                    self.totals.add(forest, &sums);
                }
            }
            done(self.totals.forests);
        }
        Ok(())
    }

    /// The sums.
    #[must_use]
    pub fn totals(self) -> Totals {
        self.totals
    }
}

impl Totals {
    fn add(&mut self, forest: &BlockForest<'_>, sums: &ForestSums) {
        self.forests += 1;
        self.empty += u64::from(sums.is_empty);
        self.risk += sums.risk;
        self.entropy += sums.entropy;
        self.expected_score += sums.expected_score;
        for (sum, value) in self.by_gamma.iter_mut().zip(sums.by_gamma) {
            *sum += value;
        }
        let parts = sums.by_weights.chunks_exact(forest.ids.len().max(1));
        for (sum, part) in self.by_weights.iter_mut().zip(parts) {
            for (&id, value) in forest.ids.iter().zip(part) {
                sum[to_index(u64::from(id))] += value;
            }
        }
    }
}

/// Forests in pieces of about the same work.
fn pieces<'a, 'b>(forests: &'b [BlockForest<'a>]) -> Vec<&'b [BlockForest<'a>]> {
    let mut pieces = Vec::new();
    let (mut start, mut work) = (0, 0);
    for (n, forest) in forests.iter().enumerate() {
        // An empty forest is some work, too.
        work += 64 + forest.work();
        if work >= PIECE || n + 1 == forests.len() {
            pieces.push(&forests[start..=n]);
            (start, work) = (n + 1, 0);
        }
    }
    pieces
}

fn taken(spaces: &Mutex<Vec<Workspace>>) -> Workspace {
    lock(spaces).pop().unwrap_or_default()
}

fn lock(spaces: &Mutex<Vec<Workspace>>) -> std::sync::MutexGuard<'_, Vec<Workspace>> {
    spaces.lock().unwrap_or_else(PoisonError::into_inner)
}
