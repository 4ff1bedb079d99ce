//! The fast path for non-negative weights: the distribution over derivations, one node at a time.
//!
//! A derivation is drawn by choosing an edge into the root, then one into each node of its tail, and so on: edge e into v with probability
//! `q_e = k_e prod beta(u) / beta(v)`. These local probabilities come out of the inside pass at the price of a factor, and everything else follows from
//! them without a logarithm and without under- or overflow: posteriors, entropies, samples, conditional means.

use super::structure::{Hypergraph, index};
use crate::cancel::CancelToken;
use crate::error::{Error, Result};
use crate::numeric::scaled::{
    DEAD, LARGEST_LOG, ORDINARY, ORDINARY_LOG, Scaled, exp_ordinary, exp_split, power_of_two,
};
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
        let mut pass = Pass {
            graph,
            weights,
            local,
            ready: 0..0,
            is_ordinary: false,
            nodes: Vec::with_capacity(graph.nodes()),
            exponents: Vec::new(),
        };
        for node in 0..graph.nodes() {
            let row = graph.edges_into(node);
            if row.end > pass.ready.end {
                cancel.check()?;
                pass.prepare(&row)?;
            }
            let value = match pass.quickly(&row) {
                Some(value) => value,
                None => pass.carefully(row)?,
            };
            pass.nodes.push(value);
        }
        for (log, value) in inside.iter_mut().zip(&pass.nodes) {
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

/// What a wrong weight is told.
fn check(weights: Weights<'_>) -> Result<()> {
    let (values, expected) = match weights {
        Weights::Log(values) => (
            values,
            "must be a natural logarithm, at most 1.4e9 in size, or -infinity",
        ),
        Weights::Real(values) => (values, "must be finite and not negative"),
    };
    let is_fine = |&x: &f64| match weights {
        Weights::Log(_) => x.abs() <= LARGEST_LOG || x == f64::NEG_INFINITY,
        Weights::Real(_) => (0.0..=f64::MAX).contains(&x),
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

/// One pass over the nodes, tails first.
struct Pass<'a> {
    graph: &'a Hypergraph,
    weights: Weights<'a>,
    /// Local probabilities of the edges that are done; the weights of those that are ready, if all of these are ordinary.
    local: &'a mut [f64],
    /// The edges whose weights were looked at.
    ready: Range<usize>,
    /// Whether all of them are ordinary numbers or 0.
    is_ordinary: bool,
    /// Inside weights of the nodes so far, with wide exponents.
    nodes: Vec<Scaled>,
    /// Exponents of the edges into one node.
    exponents: Vec<f64>,
}

impl Pass<'_> {
    /// Looks at the weights of many edges, at least those of a row.
    fn prepare(&mut self, row: &Range<usize>) -> Result<()> {
        // So many weights stay in the first cache until they are needed.
        const BLOCK: usize = 1 << 11;
        let end = row.end.max(self.graph.edges().min(row.start + BLOCK));
        self.ready = row.start..end;
        let here = &mut self.local[row.start..end];
        let (Weights::Log(values) | Weights::Real(values)) = self.weights;
        match self.graph.edge_numbers() {
            None => here.copy_from_slice(&values[row.start..end]),
            Some(numbers) => {
                for (weight, &number) in here.iter_mut().zip(&numbers[row.start..end]) {
                    *weight = values[index(number)];
                }
            }
        }
        let strange = match self.weights {
            Weights::Log(_) => exponentials(here),
            Weights::Real(_) => here
                .iter()
                .filter(|weight| !ORDINARY.contains(weight) && **weight != 0.0)
                .count()
                .try_into()
                .unwrap_or(u64::MAX),
        };
        self.is_ordinary = strange == 0;
        if self.is_ordinary {
            Ok(())
        } else {
            check(self.weights)
        }
    }

    /// The inside weight of the next node and the local probabilities of the edges into it, where all weights are ordinary and no exponents differ.
    fn quickly(&mut self, row: &Range<usize>) -> Option<Scaled> {
        if !self.is_ordinary {
            return None;
        }
        let tail_starts = &self.graph.tail_starts[row.start..=row.end];
        let here = &mut self.local[row.clone()];
        let mut sum = 0.0;
        let mut shared = f64::NAN;
        let mut kinds = 0_u32;
        for (weight, bounds) in here.iter_mut().zip(tail_starts.windows(2)) {
            let tail = &self.graph.tails[index(bounds[0])..index(bounds[1])];
            let product = product(*weight, tail, &self.nodes);
            if product.exponent.to_bits() != shared.to_bits() && product.mantissa > 0.0 {
                shared = product.exponent;
                kinds += 1;
            }
            *weight = product.mantissa;
            sum += product.mantissa;
        }
        if kinds > 1 {
            return None;
        }
        if sum == 0.0 {
            return Some(Scaled::raw(0.0, 0.0));
        }
        let inverse = 1.0 / sum;
        for weight in here {
            *weight *= inverse;
        }
        let mut value = Scaled::raw(sum, shared);
        if !ORDINARY.contains(&sum) {
            value = value.wide();
        }
        (value.exponent.abs() < -DEAD).then_some(value)
    }

    /// The same for any weights and exponents.
    fn carefully(&mut self, row: Range<usize>) -> Result<Scaled> {
        let mut most = f64::NEG_INFINITY;
        self.exponents.clear();
        for edge in row.clone() {
            let number = index(self.graph.edge_number(edge));
            let weight = match self.weights {
                Weights::Log(values) => {
                    let (mantissa, exponent) = exp_split(values[number]);
                    Scaled::raw(mantissa, exponent)
                }
                Weights::Real(values) => Scaled::new(values[number]),
            };
            let product = normal_product(weight, self.graph.tail(edge), &self.nodes);
            self.local[edge] = product.mantissa;
            self.exponents.push(product.exponent);
            if product.exponent > most {
                most = product.exponent;
            }
        }
        if most > -DEAD {
            return Err(Error::TooLarge {
                what: "the logarithm of an inside weight",
                limit: LARGEST_INSIDE,
            });
        }
        let here = &mut self.local[row];
        let mut sum = 0.0;
        for (mantissa, &exponent) in here.iter_mut().zip(&self.exponents) {
            *mantissa *= power_of_two(exponent - most);
            sum += *mantissa;
        }
        if sum == 0.0 {
            return Ok(Scaled::raw(0.0, 0.0));
        }
        let inverse = 1.0 / sum;
        for mantissa in here {
            *mantissa *= inverse;
        }
        Ok(Scaled::raw(sum, most).wide())
    }
}

/// Replaces logarithms by what they are those of; returns how many are of no ordinary number.
fn exponentials(logs: &mut [f64]) -> u64 {
    let mut strange = 0_u64;
    for log in logs {
        let is_fine = log.abs() <= ORDINARY_LOG || *log == f64::NEG_INFINITY;
        strange = strange.wrapping_add(u64::from(!is_fine));
        *log = exp_ordinary(*log);
    }
    strange
}

/// An ordinary weight times the inside weights of a tail.
#[inline]
fn product(weight: f64, tail: &[u32], nodes: &[Scaled]) -> Scaled {
    match *tail {
        [] => Scaled::raw(weight, 0.0),
        [node] => {
            let node = nodes[index(node)];
            Scaled::raw(weight * node.mantissa, node.exponent)
        }
        [left, right] => {
            let (left, right) = (nodes[index(left)], nodes[index(right)]);
            Scaled::raw(
                weight * left.mantissa * right.mantissa,
                left.exponent + right.exponent,
            )
        }
        _ => normal_product(Scaled::raw(weight, 0.0), tail, nodes).wide(),
    }
}

/// A weight times the inside weights of a tail, with a mantissa from 1 to 2.
fn normal_product(weight: Scaled, tail: &[u32], nodes: &[Scaled]) -> Scaled {
    let mut product = weight;
    // A mantissa times two ordinary numbers is a number.
    for pair in tail.chunks(2) {
        for &node in pair {
            let factor = nodes[index(node)];
            product.mantissa *= factor.mantissa;
            product.exponent += factor.exponent;
        }
        product = product.normal();
    }
    // However many dead nodes a tail has, its exponent stays finite.
    if product.exponent < DEAD {
        Scaled::ZERO
    } else {
        product
    }
}
