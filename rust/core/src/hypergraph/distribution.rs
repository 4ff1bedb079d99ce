//! The fast path for non-negative weights: the distribution over derivations, one node at a time.
//!
//! A derivation is drawn by choosing an edge into the root, then one into each node of its tail, and so on: edge e into v with probability
//! `q_e = k_e prod beta(u) / beta(v)`. These local probabilities come out of the inside pass at the price of a factor, and everything else follows from
//! them without a logarithm and without under- or overflow: posteriors, entropies, samples, conditional means.

use super::inside::POLLED;
use super::structure::{Hypergraph, index};
use crate::cancel::CancelToken;
use crate::error::{Error, Result};
use crate::numeric::scaled::{DEAD, LARGEST_LOG, Scaled, exp_split, power_of_two};
use std::ops::Range;

/// Logarithms of inside weights beyond this are refused, and taken for those of zero below its negative: nodes of such weights are met where a tail has the same
/// node twice, many times over.
const LARGEST_INSIDE: u64 = 600_000_000_000_000_000;

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
        graph.refuse_cycles("only closed semirings have sums over infinitely many derivations")?;
        check(graph, weights)?;
        let mut pass = Pass {
            graph,
            weights,
            local: vec![0.0; graph.edges()],
            exponents: Vec::new(),
            ready: 0..0,
            nodes: Vec::with_capacity(graph.nodes()),
        };
        for node in 0..graph.nodes() {
            let row = graph.edges_into(node);
            if row.end > pass.ready.end {
                cancel.check()?;
                pass.prepare(&row);
            }
            pass.visit(row)?;
        }
        Ok(Self {
            inside: pass.nodes.iter().map(|value| value.ln()).collect(),
            local: pass.local,
        })
    }

    /// ln of the total weight Z.
    #[must_use]
    pub fn log_z(&self, graph: &Hypergraph) -> f64 {
        self.inside[graph.root()]
    }
}

/// What a wrong weight is told.
fn check(graph: &Hypergraph, weights: Weights<'_>) -> Result<()> {
    let (values, least, most, expected) = match weights {
        Weights::Log(values) => (
            values,
            f64::NEG_INFINITY,
            LARGEST_LOG,
            "must be a natural logarithm, at most 1.4e9 in size, or -infinity",
        ),
        Weights::Real(values) => (values, 0.0, f64::MAX, "must be finite and not negative"),
    };
    if values.len() != graph.edges() {
        return Err(Error::Hypergraph {
            place: "the weights".to_owned(),
            problem: format!("must be one for each of the {} edges", graph.edges()),
            found: values.len().to_string(),
        });
    }
    let is_fine = |x: f64| {
        least <= x && x <= most && (least == 0.0 || x >= -LARGEST_LOG || x == f64::NEG_INFINITY)
    };
    match values.iter().position(|&x| !is_fine(x)) {
        None => Ok(()),
        Some(edge) => Err(Error::Hypergraph {
            place: format!("the weight of edge {edge}"),
            problem: expected.to_owned(),
            found: values[edge].to_string(),
        }),
    }
}

/// One pass over the nodes, tails first.
struct Pass<'a> {
    graph: &'a Hypergraph,
    weights: Weights<'a>,
    /// Mantissas of the weights that are ready, local probabilities of the edges that are done.
    local: Vec<f64>,
    /// Exponents of the weights that are ready.
    exponents: Vec<f64>,
    /// The edges whose weights are split.
    ready: Range<usize>,
    /// Inside weights of the nodes so far.
    nodes: Vec<Scaled>,
}

impl Pass<'_> {
    /// Splits the weights of many edges at once, at least those of a row.
    fn prepare(&mut self, row: &Range<usize>) {
        let end = row.end.max(self.graph.edges().min(row.start + POLLED));
        self.ready = row.start..end;
        self.exponents.resize(end - row.start, 0.0);
        let mantissas = &mut self.local[row.start..end];
        let exponents = &mut self.exponents[..];
        let (Weights::Log(values) | Weights::Real(values)) = self.weights;
        match self.graph.edge_numbers() {
            None => mantissas.copy_from_slice(&values[row.start..end]),
            Some(numbers) => {
                for (mantissa, &number) in mantissas.iter_mut().zip(&numbers[row.start..end]) {
                    *mantissa = values[index(number)];
                }
            }
        }
        match self.weights {
            Weights::Log(_) => {
                for (mantissa, exponent) in mantissas.iter_mut().zip(exponents) {
                    (*mantissa, *exponent) = exp_split(*mantissa);
                }
            }
            Weights::Real(_) => {
                for (mantissa, exponent) in mantissas.iter_mut().zip(exponents) {
                    let value = Scaled::new(*mantissa);
                    (*mantissa, *exponent) = (value.mantissa, value.exponent);
                }
            }
        }
    }

    /// The inside weight of the next node and the local probabilities of the edges into it.
    fn visit(&mut self, row: Range<usize>) -> Result<()> {
        let start = row.start - self.ready.start;
        let exponents = &mut self.exponents[start..][..row.len()];
        let mantissas = &mut self.local[row.clone()];
        let tail_starts = &self.graph.tail_starts[row.start..=row.end];
        let mut most = f64::NEG_INFINITY;
        for ((mantissa, exponent), bounds) in mantissas
            .iter_mut()
            .zip(exponents.iter_mut())
            .zip(tail_starts.windows(2))
        {
            let tail = &self.graph.tails[index(bounds[0])..index(bounds[1])];
            let product = product(Scaled::raw(*mantissa, *exponent), tail, &self.nodes);
            (*mantissa, *exponent) = (product.mantissa, product.exponent);
            most = if product.exponent > most {
                product.exponent
            } else {
                most
            };
        }
        if most > -DEAD {
            return Err(Error::TooLarge {
                what: "the logarithm of an inside weight",
                limit: LARGEST_INSIDE,
            });
        }
        let mut sum = 0.0;
        for (mantissa, &mut exponent) in mantissas.iter_mut().zip(exponents) {
            *mantissa *= power_of_two(exponent - most);
            sum += *mantissa;
        }
        if sum == 0.0 {
            self.nodes.push(Scaled::ZERO);
            return Ok(());
        }
        let inverse = 1.0 / sum;
        for mantissa in mantissas {
            *mantissa *= inverse;
        }
        self.nodes.push(Scaled::raw(sum, most).normal());
        Ok(())
    }
}

/// A weight times the inside weights of a tail.
#[inline]
fn product(mut product: Scaled, tail: &[u32], nodes: &[Scaled]) -> Scaled {
    // Mantissas are below 2: so many of them still fit a double.
    const SAFE: usize = 500;
    for part in tail.chunks(SAFE) {
        for &node in part {
            let factor = nodes[index(node)];
            product.mantissa *= factor.mantissa;
            product.exponent += factor.exponent;
        }
        if tail.len() > SAFE {
            product = product.normal();
        }
    }
    // However many dead nodes a tail has, its exponent stays finite.
    if product.exponent < DEAD {
        Scaled::ZERO
    } else {
        product
    }
}
