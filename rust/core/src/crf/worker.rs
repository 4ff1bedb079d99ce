//! What a thread of the likelihood works with: tables for sequences, and its own sums of expected counts.

use super::active_chain::ActiveChain;
use super::groups::WIDTH;
use super::lanes::Lanes;
use super::likelihood::{At, Likelihood};
use super::rows::Cell;
use crate::error::{Error, Result};
use crate::numeric::id_index;

/// What a thread works with.
#[derive(Debug)]
pub(super) struct Worker {
    pub wide: Lanes<WIDTH>,
    pub narrow: Lanes<1>,
    pub scratch: Scratch,
    pub chain: ActiveChain,
}

#[derive(Debug)]
pub(super) struct Scratch {
    /// Scores of a position.
    pub scores: Vec<f64>,
    /// Probabilities of labels at a position where few are active.
    pub posterior: Vec<f64>,
    /// Masses of the labels of a sequence that are no candidates, by position.
    pub masses: Vec<f64>,
    /// Probabilities of labels at a position in units.
    pub units: Vec<i64>,
    /// Weights and expected counts in units of pairs of an attribute and a label; those that lie in the table are counted there.
    pub cells: Vec<Cell>,
    pub table: Vec<i64>,
    /// Expected counts of pairs of labels, then of triples, in units. Where only some labels are summed over there are no triples, and one more is of all pairs that
    /// have no weight, and is not used.
    pub pairs: Vec<i64>,
    /// The evaluation that weights and counts belong to.
    pub evaluation: u64,
}

impl Likelihood<'_> {
    /// An idle worker, or a new one, with these weights.
    pub(super) fn take(&self, at: &At<'_>) -> Result<Worker> {
        let idle = self
            .workers
            .lock()
            .ok()
            .and_then(|mut workers| workers.pop());
        let mut worker = match idle {
            Some(worker) => worker,
            None => self.hire()?,
        };
        let scratch = &mut worker.scratch;
        if scratch.evaluation != at.evaluation {
            scratch.evaluation = at.evaluation;
            for (&cell, &weight) in self.rows.cells().iter().zip(at.weights) {
                scratch.cells[id_index(cell)] = Cell { weight, sum: 0 };
            }
            scratch.table.fill(0);
            scratch.pairs.fill(0);
        }
        Ok(worker)
    }

    fn hire(&self) -> Result<Worker> {
        let states = self.features.state_count();
        let mut cells: Vec<Cell> = Vec::new();
        cells.try_reserve_exact(states).map_err(|_| Error::Memory {
            what: "expected counts",
            bytes: (states as u64).saturating_mul(size_of::<Cell>() as u64),
        })?;
        cells.resize(states, Cell::default());
        Ok(Worker {
            wide: Lanes::new(),
            narrow: Lanes::new(),
            chain: ActiveChain::default(),
            scratch: Scratch {
                scores: vec![0.0; self.rows.width],
                posterior: vec![0.0; self.rows.width],
                masses: Vec::new(),
                units: vec![0; self.rows.width],
                cells,
                table: vec![0; self.rows.size()],
                pairs: vec![0; self.features.len() - states + 1],
                evaluation: 0,
            },
        })
    }

    pub(super) fn give_back(&self, worker: Worker) {
        if let Ok(mut workers) = self.workers.lock() {
            workers.push(worker);
        }
    }
}
