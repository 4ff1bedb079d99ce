//! The inside pass of the fast path: products and sums of mantissas.
//!
//! Numbers from 2^-256 to 2^256 are ordinary. An inside weight is kept as an ordinary number times a power of 2^512: nearly always the same one for all edges into a node, so
//! that a sum is a sum. Where exponents differ, products are brought to one of them; a weight that is no ordinary number goes the way of wider exponents.

use super::distribution::Weights;
use super::structure::{Hypergraph, index};
use crate::cancel::CancelToken;
use crate::error::{Error, Result};
use crate::numeric::scaled::{
    DEAD, ORDINARY, ORDINARY_LOG, Scaled, exp_ordinary, exp_split, power_of_two,
};
use std::ops::Range;

/// Logarithms of inside weights beyond this are refused, and taken for those of zero below its negative: nodes of such weights are met where a tail has the same
/// node twice, many times over.
const LARGEST_INSIDE: u64 = 600_000_000_000_000_000;

/// 2^-256 and 2^-512.
const DOWN_256: f64 = f64::from_bits((1023 - 256) << 52);
const DOWN_512: f64 = f64::from_bits((1023 - 512) << 52);

/// Inside weights of all nodes, by place. Writes the probability of each edge among those into its head to `local`, whatever that holds.
pub(super) fn inside_weights(
    graph: &Hypergraph,
    weights: Weights<'_>,
    local: &mut [f64],
    cancel: &CancelToken,
) -> Result<Vec<Scaled>> {
    let mut pass = Pass {
        graph,
        weights,
        local,
        ready: 0..0,
        is_checked: false,
        nodes: Vec::with_capacity(graph.nodes()),
        gathered: Vec::new(),
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
    Ok(pass.nodes)
}

/// One pass over the nodes, tails first.
struct Pass<'a> {
    graph: &'a Hypergraph,
    weights: Weights<'a>,
    /// Local probabilities of the edges that are done; the weights of those that are ready, NaN if they are no ordinary numbers.
    local: &'a mut [f64],
    /// The edges whose weights were looked at.
    ready: Range<usize>,
    /// Whether there is no wrong one among the weights: looked at once, when one of them is not ordinary.
    is_checked: bool,
    /// Inside weights of the nodes so far, with wide exponents.
    nodes: Vec<Scaled>,
    /// The weights of a block where the caller's order is another.
    gathered: Vec<f64>,
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
        let values = match self.graph.edge_numbers() {
            None => &values[row.start..end],
            Some(numbers) => {
                self.gathered.clear();
                let numbers = numbers[row.start..end].iter();
                self.gathered
                    .extend(numbers.map(|&number| values[index(number)]));
                &self.gathered
            }
        };
        let strange = match self.weights {
            Weights::Log(_) => exponentials(values, here),
            Weights::Real(_) => {
                here.copy_from_slice(values);
                values.iter().any(|weight| !ORDINARY.contains(weight))
            }
        };
        if strange {
            mark_strange(self.weights, values, here);
        }
        // Once is enough: all of them are looked at.
        if strange && !self.is_checked {
            self.weights.check()?;
            self.is_checked = true;
        }
        Ok(())
    }

    /// The inside weight of the next node and the local probabilities of the edges into it, where all weights are ordinary.
    fn quickly(&mut self, row: &Range<usize>) -> Option<Scaled> {
        if self.exponents.len() < row.len() {
            self.exponents.resize(row.len(), 0.0);
        }
        let tail_starts = &self.graph.tail_starts[row.start..=row.end];
        let here = &mut self.local[row.clone()];
        let exponents = &mut self.exponents[..row.len()];
        let mut sum = 0.0;
        let mut shared = f64::NAN;
        let mut kinds = 0_u32;
        let edges = here.iter_mut().zip(&mut *exponents);
        for ((weight, exponent), bounds) in edges.zip(tail_starts.windows(2)) {
            let tail = &self.graph.tails[index(bounds[0])..index(bounds[1])];
            let product = product(*weight, tail, &self.nodes);
            if product.exponent.to_bits() != shared.to_bits() && product.mantissa > 0.0 {
                shared = product.exponent;
                kinds += 1;
            }
            (*weight, *exponent) = (product.mantissa, product.exponent);
            sum += product.mantissa;
        }
        if sum.is_nan() {
            return None;
        }
        let mut unit = 1.0;
        if kinds > 1 {
            (sum, shared) = aligned(here, exponents);
            unit = DOWN_256;
        }
        if sum == 0.0 {
            return Some(Scaled::raw(0.0, 0.0));
        }
        share(here, sum);
        let mut value = Scaled::raw(sum * unit, shared);
        if !ORDINARY.contains(&value.mantissa) {
            value = value.wide();
        }
        (value.exponent.abs() < -DEAD).then_some(value)
    }

    /// The same for any weights and exponents.
    fn carefully(&mut self, row: Range<usize>) -> Result<Scaled> {
        let mut most = f64::NEG_INFINITY;
        self.exponents.clear();
        self.exponents.reserve(row.len());
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
        share(here, sum);
        Ok(Scaled::raw(sum, most).wide())
    }
}

/// Divides terms by their sum. What is all of the sum is 1 and nothing less, so that a single derivation has no entropy, however many edges it has.
pub(crate) fn share(terms: &mut [f64], sum: f64) {
    let inverse = 1.0 / sum;
    for term in terms {
        // x (1 / x) may be 1 - 2^-53. A comparison is a fraction of a division.
        *term = if *term < sum { *term * inverse } else { 1.0 };
    }
}

/// Writes what logarithms are those of, 0 where that is no ordinary number; returns whether there is such a one.
pub(crate) fn exponentials(logs: &[f64], values: &mut [f64]) -> bool {
    let mut strange = 0_u64;
    for (&log, value) in logs.iter().zip(values) {
        let is_ordinary = log.abs() <= ORDINARY_LOG;
        *value = if is_ordinary { exp_ordinary(log) } else { 0.0 };
        // Without a branch and without an overflow that would have to be checked, the loop is vectorised.
        strange = strange.wrapping_add(u64::from(!is_ordinary));
    }
    strange > 0
}

/// Writes NaN where a weight is neither an ordinary number nor 0. `values` are those that `weights` holds of some edges.
fn mark_strange(weights: Weights<'_>, values: &[f64], here: &mut [f64]) {
    for (weight, &value) in here.iter_mut().zip(values) {
        let is_fine = match weights {
            Weights::Log(_) => value.abs() <= ORDINARY_LOG || value == f64::NEG_INFINITY,
            Weights::Real(_) => ORDINARY.contains(&value) || value == 0.0,
        };
        if !is_fine {
            *weight = f64::NAN;
        }
    }
}

/// Brings products to one exponent, in units of 2^-256; returns their sum and that exponent.
///
/// Mantissas are products of three ordinary numbers, exponents multiples of 512.
pub(crate) fn aligned(mantissas: &mut [f64], exponents: &mut [f64]) -> (f64, f64) {
    // The largest term is to be 1 at least. So what is three steps below it is 2^-1024 of it at most: nothing.
    const FACTORS: [f64; 4] = [1.0 / DOWN_256, DOWN_256, DOWN_256 * DOWN_512, 0.0];
    let mut most = f64::NEG_INFINITY;
    for (mantissa, exponent) in mantissas.iter_mut().zip(&mut *exponents) {
        // As ordinary numbers, or 0.
        if *mantissa >= ORDINARY.end {
            (*mantissa, *exponent) = (*mantissa * DOWN_512, *exponent + 512.0);
        } else if *mantissa < ORDINARY.start {
            (*mantissa, *exponent) = (*mantissa / DOWN_512, *exponent - 512.0);
        }
        if *exponent > most && *mantissa > 0.0 {
            most = *exponent;
        }
    }
    let mut sum = 0.0;
    for (mantissa, &exponent) in mantissas.iter_mut().zip(&*exponents) {
        let steps = (most - exponent) * (1.0 / 512.0);
        let factor = if steps < 1.0 {
            FACTORS[0]
        } else if steps < 2.0 {
            FACTORS[1]
        } else if steps < 3.0 {
            FACTORS[2]
        } else {
            FACTORS[3]
        };
        *mantissa *= factor;
        sum += *mantissa;
    }
    (sum, most)
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
        // A mark stays a mark.
        _ if weight.is_nan() => Scaled::raw(weight, 0.0),
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
