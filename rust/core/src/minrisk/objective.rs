//! The objective of one forest: risk, entropy and their gradients.
//!
//! With s(d) = -ln p(d), a sum over edges of surprisals, all derivatives are covariances (Li and Eisner 2009, eq. 10, 11 and footnote 16):
//!
//! - dR/dtheta = gamma Cov(L, Phi), dH/dtheta = gamma Cov(s, Phi), so that d(R - T H)/dtheta = gamma Cov(L - T s, Phi);
//! - d(R - T H)/dgamma = Cov(L - T s, score).
//!
//! One pass for the deviations of L - T s is enough for the objective; two values an edge give risk and entropy apart.

use super::block::BlockForest;
use super::gradient::{dot, row_scores, sum_of_rows};
use super::inside_pairs::inside_pairs;
use super::packed::Packed;
use super::passes::{Above, down, up};
use super::tails::{Pairs, Place, Tails, unpaired};
use crate::cancel::CancelToken;
use crate::error::{Error, Result};
use crate::hypergraph::{Distribution, Hypergraph, Weights, exponentials};
use crate::numeric::scaled::{LARGEST_LOG, Scaled};
use crate::numeric::to_index;

/// Which gradients are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gradients {
    /// None.
    None,
    /// That of the objective.
    Joint,
    /// Those of risk and entropy.
    Separate,
}

/// Where the objective is evaluated.
#[derive(Debug, Clone, PartialEq)]
pub struct Objective {
    /// The weight of each feature.
    pub weights: Vec<f64>,
    /// The scale of scores.
    pub gamma: f64,
    /// T: how much entropy counts.
    pub temperature: f64,
    /// Which gradients are wanted.
    pub gradients: Gradients,
}

/// What a forest adds to the sums.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct ForestSums {
    pub is_empty: bool,
    pub risk: f64,
    pub entropy: f64,
    pub expected_score: f64,
    /// By gamma: of the objective, or of risk and entropy.
    pub by_gamma: [f64; 2],
    /// By weights, likewise one after the other; by place among the features of the forest.
    pub by_weights: Vec<f64>,
}

/// Memory that is used for one forest after the other.
#[derive(Debug)]
pub struct Workspace {
    /// Where the edges into each node start.
    incoming: Vec<u32>,
    /// For what does not go the quick way.
    graph: Hypergraph,
    row_of: Vec<u32>,
    theta: Vec<f64>,
    row_scores: Vec<f64>,
    scores: Vec<f64>,
    weights: Vec<f64>,
    inside: Vec<f64>,
    nodes: Vec<Scaled>,
    local: Vec<f64>,
    surprisals: Vec<f64>,
    uses: Vec<f64>,
    row_factors: Vec<f64>,
    one: Passes<1>,
    two: Passes<2>,
}

/// Memory of the passes.
#[derive(Debug, Default)]
struct Passes<const N: usize> {
    values: Vec<[f64; N]>,
    below: Vec<[f64; N]>,
    above: Vec<Above<N>>,
    factors: Vec<[f64; N]>,
}

impl<const N: usize> Passes<N> {
    /// Up and down: fills `factors` and `uses`.
    fn run(
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

impl Objective {
    /// Refuses numbers that are none.
    ///
    /// # Errors
    /// [`Error::Config`].
    pub fn check(&self) -> Result<()> {
        for (name, value) in [("gamma", self.gamma), ("temperature", self.temperature)] {
            if !value.is_finite() {
                return Err(Error::config(name, "a finite number", value));
            }
        }
        match self.weights.iter().position(|weight| !weight.is_finite()) {
            None => Ok(()),
            Some(n) => Err(Error::config(
                "weights",
                "finite numbers",
                format!("{} for feature {n}", self.weights[n]),
            )),
        }
    }

    /// Evaluates one forest.
    pub(super) fn evaluate_forest(
        &self,
        forest: &BlockForest<'_>,
        space: &mut Workspace,
        cancel: &CancelToken,
    ) -> Result<ForestSums> {
        if forest.nodes == 0 {
            return Ok(ForestSums {
                is_empty: true,
                ..ForestSums::default()
            });
        }
        space.load(forest, &self.weights);
        space.weigh(forest, self.gamma)?;
        if !space.choose_quickly(forest) {
            space
                .choose(forest, cancel)
                .map_err(|error| within(forest, error))?;
        }
        space.surprise();
        cancel.check()?;
        let sums = match self.gradients {
            Gradients::Separate => {
                let mut passes = std::mem::take(&mut space.two);
                let value = |loss, surprisal| [loss, surprisal];
                let sums = self.passes(forest, space, &mut passes, value);
                space.two = passes;
                sums
            }
            Gradients::None | Gradients::Joint => {
                let mut passes = std::mem::take(&mut space.one);
                let value = |loss, surprisal| [loss - self.temperature * surprisal];
                let sums = self.passes(forest, space, &mut passes, value);
                space.one = passes;
                sums
            }
        };
        sums.and_then(|sums| finite(forest, sums))
            .map_err(|error| within(forest, error))
    }

    fn passes<const N: usize>(
        &self,
        forest: &BlockForest<'_>,
        space: &mut Workspace,
        passes: &mut Passes<N>,
        value: impl Fn(f64, f64) -> [f64; N],
    ) -> Result<ForestSums> {
        let edges = forest.losses.iter().zip(&space.surprisals);
        passes.values.clear();
        passes
            .values
            .extend(edges.map(|(&loss, &surprisal)| value(loss, surprisal)));
        passes.factors.resize(forest.edges, [0.0; N]);
        space.uses.resize(forest.edges, 0.0);
        match forest.tails {
            Packed::Short(pairs) if forest.has_pairs => passes.run(
                forest.root,
                Pairs(pairs),
                &space.incoming,
                &space.local,
                &mut space.uses,
            ),
            Packed::Word(pairs) if forest.has_pairs => passes.run(
                forest.root,
                Pairs(pairs),
                &space.incoming,
                &space.local,
                &mut space.uses,
            ),
            _ => passes.run(
                forest.root,
                &space.graph,
                &space.incoming,
                &space.local,
                &mut space.uses,
            ),
        }?;
        let mut sums = ForestSums {
            risk: dot(&space.uses, forest.losses),
            entropy: dot(&space.uses, &space.surprisals),
            expected_score: dot(&space.uses, &space.scores),
            ..ForestSums::default()
        };
        if self.gradients == Gradients::None {
            return Ok(sums);
        }
        let features = forest.ids.len();
        sums.by_weights.resize(N * features, 0.0);
        for n in 0..N {
            // What is no longer needed.
            let factors = &mut space.weights;
            for (factor, all) in factors.iter_mut().zip(&passes.factors) {
                *factor = all[n];
            }
            sums.by_gamma[n] = dot(factors, &space.scores);
            let rows = if forest.row_of.is_some() {
                gather(&space.row_of, factors, forest.rows, &mut space.row_factors);
                &mut space.row_factors
            } else {
                factors
            };
            for factor in &mut *rows {
                *factor *= self.gamma;
            }
            let place = &mut sums.by_weights[n * features..(n + 1) * features];
            sum_of_rows(forest, rows, place);
        }
        Ok(sums)
    }
}

impl Workspace {
    /// Unpacks a forest, and what concerns it of the weights.
    fn load(&mut self, forest: &BlockForest<'_>, weights: &[f64]) {
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
    fn choose_quickly(&mut self, forest: &BlockForest<'_>) -> bool {
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
    fn choose(&mut self, forest: &BlockForest<'_>, cancel: &CancelToken) -> Result<()> {
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
    fn weigh(&mut self, forest: &BlockForest<'_>, gamma: f64) -> Result<()> {
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
    fn surprise(&mut self) {
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
fn gather(row_of: &[u32], factors: &[f64], rows: usize, sums: &mut Vec<f64>) {
    sums.clear();
    sums.resize(rows, 0.0);
    for (&row, factor) in row_of.iter().zip(factors) {
        sums[to_index(u64::from(row))] += factor;
    }
}

fn finite(forest: &BlockForest<'_>, sums: ForestSums) -> Result<ForestSums> {
    let scalars = [sums.risk, sums.entropy, sums.expected_score];
    let mut all = scalars.iter().chain(&sums.by_gamma).chain(&sums.by_weights);
    match all.find(|value| !value.is_finite()) {
        None => Ok(sums),
        Some(value) => Err(Error::Hypergraph {
            place: format!("forest {}", forest.number),
            problem: "its risk, its expected score or a gradient is beyond the largest double; use smaller losses or values of features"
                .to_owned(),
            found: value.to_string(),
        }),
    }
}

/// Says which forest it was.
fn within(forest: &BlockForest<'_>, error: Error) -> Error {
    match error {
        Error::TooLarge { what, limit } => Error::Hypergraph {
            place: format!("forest {}", forest.number),
            problem: format!("{what} must be at most {limit}"),
            found: "more".to_owned(),
        },
        other => other,
    }
}
