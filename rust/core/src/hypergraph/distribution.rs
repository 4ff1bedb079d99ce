//! The fast path for non-negative weights: the distribution over derivations, one node at a time.
//!
//! A derivation is drawn by choosing an edge into the root, then one into each node of its tail, and so on: edge e into v with probability
//! `q_e = k_e prod beta(u) / beta(v)`. These local probabilities come out of the inside pass at the price of a factor, and everything else follows from
//! them without a logarithm and without under- or overflow: posteriors, entropies, samples, conditional means.

use super::inside_pass::inside_weights;
use super::structure::Hypergraph;
use crate::cancel::CancelToken;
use crate::error::{Error, Result};
use crate::numeric::scaled::LARGEST_LOG;

/// Weights of edges that are not negative.
#[derive(Debug, Clone, Copy)]
pub enum Weights<'a> {
    /// Natural logarithms; -infinity is zero.
    Log(&'a [f64]),
    /// The weights themselves.
    Real(&'a [f64]),
}

impl Weights<'_> {
    /// The number of edges.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Log(weights) | Self::Real(weights) => weights.len(),
        }
    }

    /// The natural logarithm of the weight of an edge, by number.
    #[must_use]
    pub fn ln(&self, edge: usize) -> f64 {
        match self {
            Self::Log(weights) => weights[edge],
            Self::Real(weights) => libm::log(weights[edge]),
        }
    }

    /// Refuses what is no weight.
    ///
    /// # Errors
    /// [`Error::Hypergraph`], for the first one.
    pub(super) fn check(&self) -> Result<()> {
        let (values, expected) = match self {
            Self::Log(values) => (
                values,
                "must be a natural logarithm, at most 1.4e9 in size, or -infinity",
            ),
            Self::Real(values) => (values, "must be finite and not negative"),
        };
        let is_fine = |&x: &f64| match self {
            Self::Log(_) => x.abs() <= LARGEST_LOG || x == f64::NEG_INFINITY,
            Self::Real(_) => (0.0..=f64::MAX).contains(&x),
        };
        match values.iter().position(|x| !is_fine(x)) {
            None => Ok(()),
            Some(edge) => Err(Error::Hypergraph {
                place: format!("the weight of edge {edge}"),
                problem: expected.to_owned(),
                found: values[edge].to_string(),
            }),
        }
    }

    /// Whether there are no edges.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The distribution that weights define over the derivations of each node.
#[derive(Debug, Clone, PartialEq)]
pub struct Distribution {
    /// ln of the inside weight of each node, by place.
    pub inside: Vec<f64>,
    /// The probability of each edge among those into its head, by place; 0 where the head has no derivation.
    pub local: Vec<f64>,
}

impl Distribution {
    /// Inside weights (Li and Eisner 2009, Figure 2) and local probabilities.
    ///
    /// `weights` are by number. Products and sums are those of mantissas; every node has an exponent of its own, so that nothing under- or
    /// overflows (the paper's footnote 6). The error of an inside weight is relative, about 2^-52 for each edge and tail node of the deepest
    /// derivation and each edge into its nodes.
    ///
    /// # Errors
    /// [`Error::Cycle`] on a cyclic hypergraph; [`Error::Hypergraph`] for a weight that is no number, negative, +infinity, or whose logarithm is
    /// beyond 1.4e9, and where there are not as many weights as edges; [`Error::Cancelled`].
    ///
    /// # Complexity
    /// O(edges + tail nodes), one exponential for each edge; 8 bytes for each edge and 24 for each node.
    pub fn new(graph: &Hypergraph, weights: Weights<'_>, cancel: &CancelToken) -> Result<Self> {
        let mut made = Self {
            inside: vec![0.0; graph.nodes()],
            local: vec![0.0; graph.edges()],
        };
        Self::fill(graph, weights, &mut made.inside, &mut made.local, cancel)?;
        Ok(made)
    }

    /// The same into arrays that are there, whatever they hold.
    ///
    /// # Errors
    /// Those of `new`; the arrays then hold nothing of use.
    ///
    /// # Panics
    /// If the arrays are not as long as there are nodes and edges.
    pub fn fill(
        graph: &Hypergraph,
        weights: Weights<'_>,
        inside: &mut [f64],
        local: &mut [f64],
        cancel: &CancelToken,
    ) -> Result<()> {
        assert!(inside.len() == graph.nodes() && local.len() == graph.edges());
        graph.refuse_cycles("only closed semirings have sums over infinitely many derivations")?;
        if weights.len() != graph.edges() {
            return Err(Error::Hypergraph {
                place: "the weights".to_owned(),
                problem: format!("must be one for each of the {} edges", graph.edges()),
                found: weights.len().to_string(),
            });
        }
        let nodes = inside_weights(graph, weights, local, cancel)?;
        for (log, value) in inside.iter_mut().zip(&nodes) {
            *log = value.ln();
        }
        Ok(())
    }

    /// ln of the total weight Z.
    #[must_use]
    pub fn log_z(&self, graph: &Hypergraph) -> f64 {
        self.inside[graph.root()]
    }
}
