//! The inside pass where all is ordinary: tails of up to two nodes, weights that are ordinary numbers.
//!
//! It is that of [`crate::hypergraph::Distribution`], bit by bit, without a branch for the length of a tail.

use super::tails::{Pairs, Place};
use crate::hypergraph::{aligned, share};
use crate::numeric::scaled::{DEAD, ORDINARY, Scaled};

/// Writes the inside weight of each node behind that of no node, and the probability of each edge among those into its head in place of its weight.
///
/// `incoming` says where the edges into each node start. Returns whether all went well; otherwise weights are too large or too small for this way.
pub(super) fn inside_pairs<P: Place>(
    incoming: &[u32],
    tails: Pairs<'_, P>,
    local: &mut [f64],
    nodes: &mut Vec<Scaled>,
) -> bool {
    nodes.clear();
    nodes.reserve(incoming.len());
    nodes.push(Scaled::raw(1.0, 0.0));
    let mut exponents = Vec::new();
    let (mut local, mut tails) = (local, tails.0);
    for bounds in incoming.windows(2) {
        let count = bounds[1].at() - bounds[0].at();
        let (row, rest) = local.split_at_mut(count);
        let (here, others) = tails.split_at(2 * count);
        (local, tails) = (rest, others);
        let mut sum = 0.0;
        let mut shared = f64::NAN;
        let mut kinds = 0_u32;
        for (weight, pair) in row.iter_mut().zip(here.chunks_exact(2)) {
            let (left, right) = (nodes[pair[0].at()], nodes[pair[1].at()]);
            let exponent = left.exponent + right.exponent;
            let product = *weight * left.mantissa * right.mantissa;
            if exponent.to_bits() != shared.to_bits() && product > 0.0 {
                shared = exponent;
                kinds += 1;
            }
            *weight = product;
            sum += product;
        }
        let mut unit = 1.0;
        if kinds > 1 {
            exponents.clear();
            let pairs = here.chunks_exact(2);
            exponents.extend(
                pairs.map(|pair| nodes[pair[0].at()].exponent + nodes[pair[1].at()].exponent),
            );
            (sum, shared) = aligned(row, &mut exponents);
            unit = ORDINARY.start;
        }
        if sum == 0.0 {
            nodes.push(Scaled::raw(0.0, 0.0));
            continue;
        }
        share(row, sum);
        let mut value = Scaled::raw(sum * unit, shared);
        if !ORDINARY.contains(&value.mantissa) {
            value = value.wide();
        }
        if value.exponent.abs() >= -DEAD {
            return false;
        }
        nodes.push(value);
    }
    true
}
