//! One forest after the other in the same memory.

use super::block::BlockForest;
use super::gradient::row_scores;
use super::inside_pairs::inside_pairs;
use super::packed::Packed;
use super::passes::{Above, down, up};
use super::tails::{Pairs, Place, Tails, unpaired};
use crate::cancel::CancelToken;
use crate::error::{Error, Result};
use crate::hypergraph::{Distribution, Hypergraph, Weights, exponentials};
use crate::numeric::scaled::{LARGEST_LOG, Scaled};
use crate::numeric::to_index;

/// Memory that is used for one forest after the other.
#[derive(Debug)]
pub struct Workspace {
    /// Where the edges into each node start.
    pub(super) incoming: Vec<u32>,
    /// For what does not go the quick way.
    pub(super) graph: Hypergraph,
    pub(super) row_of: Vec<u32>,
    theta: Vec<f64>,
    row_scores: Vec<f64>,
    pub(super) scores: Vec<f64>,
    pub(super) weights: Vec<f64>,
    inside: Vec<f64>,
    nodes: Vec<Scaled>,
    pub(super) local: Vec<f64>,
    pub(super) surprisals: Vec<f64>,
    pub(super) uses: Vec<f64>,
    pub(super) row_factors: Vec<f64>,
    pub(super) one: Passes<1>,
    pub(super) two: Passes<2>,
}

/// Memory of the passes.
#[derive(Debug, Default)]
pub(super) struct Passes<const N: usize> {
    pub values: Vec<[f64; N]>,
    below: Vec<[f64; N]>,
    above: Vec<Above<N>>,
    pub factors: Vec<[f64; N]>,
}

impl<const N: usize> Passes<N> {
    /// Up and down: fills `factors` and `uses`.
    pub fn run(
        &mut self,
        root: u32,
        tails: impl Tails,
        incoming: &[u32],
        local: &[f64],
        uses: &mut [f64],
    ) -> Result<()> {
        up(incoming, tails, local, &self.values, &mut self.below);
        let inputs = (local, &self.values[..]);
        let outputs = (uses, &mut self.factors[..]);
        // Behind no node.
        let root = root.at() + 1;
        down(
            (incoming, root),
            tails,
            inputs,
            &self.below,
            &mut self.above,
            outputs,
        )
    }
}

impl Default for Workspace {
    fn default() -> Self {
        Self {
            incoming: Vec::new(),
            graph: Hypergraph::single_node(),
            row_of: Vec::new(),
            theta: Vec::new(),
            row_scores: Vec::new(),
            scores: Vec::new(),
            weights: Vec::new(),
            inside: Vec::new(),
            nodes: Vec::new(),
            local: Vec::new(),
            surprisals: Vec::new(),
            uses: Vec::new(),
            row_factors: Vec::new(),
            one: Passes::default(),
            two: Passes::default(),
        }
    }
}

impl Workspace {
    /// Unpacks a forest, and what concerns it of the weights.
    pub(super) fn load(&mut self, forest: &BlockForest<'_>, weights: &[f64]) {
        forest.degrees.unpack_starts(&mut self.incoming);
        if let Some(row_of) = forest.row_of {
            row_of.unpack(&mut self.row_of);
        }
        self.theta.clear();
        let ids = forest.ids.iter();
        self.theta
            .extend(ids.map(|&id| weights[to_index(u64::from(id))]));
    }

    /// Local probabilities where tails stand in pairs and weights are ordinary numbers; says whether they are.
    pub(super) fn choose_quickly(&mut self, forest: &BlockForest<'_>) -> bool {
        if !forest.has_pairs {
            return false;
        }
        self.local.resize(forest.edges, 0.0);
        let has_strange = exponentials(&self.weights, &mut self.local);
        let (incoming, local, nodes) = (&self.incoming, &mut self.local, &mut self.nodes);
        !has_strange
            && match forest.tails {
                Packed::Short(pairs) => inside_pairs(incoming, Pairs(pairs), local, nodes),
                Packed::Word(pairs) => inside_pairs(incoming, Pairs(pairs), local, nodes),
            }
    }

    /// Local probabilities, whatever there is.
    pub(super) fn choose(&mut self, forest: &BlockForest<'_>, cancel: &CancelToken) -> Result<()> {
        self.graph.refill(|incoming, tail_starts, tails| {
            incoming.clone_from(&self.incoming);
            if forest.has_pairs {
                unpaired(forest.tails, tail_starts, tails);
            } else {
                forest.arities.unpack_starts(tail_starts);
                forest.tails.unpack(tails);
            }
            forest.root
        });
        self.inside.resize(forest.nodes, 0.0);
        self.local.resize(forest.edges, 0.0);
        let weights = Weights::Log(&self.weights);
        Distribution::fill(
            &self.graph,
            weights,
            &mut self.inside,
            &mut self.local,
            cancel,
        )
    }

    /// Scores of edges, and their log weights.
    pub(super) fn weigh(&mut self, forest: &BlockForest<'_>, gamma: f64) -> Result<()> {
        row_scores(forest, &self.theta, &mut self.row_scores);
        self.scores.clear();
        if forest.row_of.is_some() {
            let rows = self.row_of.iter();
            self.scores
                .extend(rows.map(|&row| self.row_scores[to_index(u64::from(row))]));
        } else {
            self.scores.extend_from_slice(&self.row_scores);
        }
        if let Some(base) = forest.base {
            for (score, base) in self.scores.iter_mut().zip(base) {
                *score += base;
            }
        }
        self.weights.clear();
        self.weights
            .extend(self.scores.iter().map(|score| gamma * score));
        let is_fine = |weight: &&f64| weight.abs() <= LARGEST_LOG;
        let fine = self.weights.iter().filter(is_fine).count();
        if fine == self.weights.len() {
            return Ok(());
        }
        let edge = self.weights.iter().position(|weight| !is_fine(&weight));
        let edge = edge.unwrap_or(0);
        Err(Error::Hypergraph {
            place: format!(
                "forest {}, edge {}",
                forest.number,
                forest.edge_number(edge)
            ),
            problem: "gamma times its score must be at most 1.4e9 in size; use smaller weights or a smaller gamma"
                .to_owned(),
            found: format!("{} times {}", gamma, self.scores[edge]),
        })
    }

    /// -ln of the local probabilities; 0 for edges that are never taken.
    pub(super) fn surprise(&mut self) {
        self.surprisals.clear();
        self.surprisals.extend(self.local.iter().map(|&q| {
            // Below, -ln q is 708 and more; so rare an edge adds nothing to any sum, and the logarithm may forget its last digits.
            let floored = if q < f64::MIN_POSITIVE {
                f64::MIN_POSITIVE
            } else {
                q
            };
            let log = Scaled::raw(floored, 0.0).ln();
            if q > 0.0 { 0.0 - log } else { 0.0 }
        }));
    }
}

/// The sum of the factors of the edges of each row.
pub(super) fn gather(row_of: &[u32], factors: &[f64], rows: usize, sums: &mut Vec<f64>) {
    sums.clear();
    sums.resize(rows, 0.0);
    for (&row, factor) in row_of.iter().zip(factors) {
        sums[to_index(u64::from(row))] += factor;
    }
}
