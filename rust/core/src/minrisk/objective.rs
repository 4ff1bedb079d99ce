//! The objective of one forest: risk, entropy and their gradients.
//!
//! With s(d) = -ln p(d), a sum over edges of surprisals, all derivatives are covariances (Li and Eisner 2009, eq. 10, 11 and footnote 16):
//!
//! - dR/dtheta = gamma Cov(L, Phi), dH/dtheta = gamma Cov(s, Phi), so that d(R - T H)/dtheta = gamma Cov(L - T s, Phi);
//! - d(R - T H)/dgamma = Cov(L - T s, score).
//!
//! One pass for the deviations of L - T s is enough for the objective; two values an edge give risk and entropy apart.

use super::block::BlockForest;
use super::gradient::{dot, sum_of_rows};
use super::packed::Packed;
use super::tails::Pairs;
use super::workspace::{Passes, Workspace, gather};
use crate::cancel::CancelToken;
use crate::error::{Error, Result};

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
