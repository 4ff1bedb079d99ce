//! The two passes over a forest that give means and deviations, for one or two values of each edge at a time.
//!
//! They are those of [`crate::hypergraph::Marginals::deviations`] and [`crate::hypergraph::Posteriors`], fused: both go from the root down, and read the same tails.

use super::tails::{Place, Tails};
use crate::error::{Error, Result};

/// More expected uses than this are refused, as by [`crate::hypergraph::Posteriors`].
const MOST_USES: f64 = 18_446_744_073_709_551_615.0;

/// What is known of a node on the way down.
#[derive(Debug, Clone, Copy)]
pub(super) struct Above<const N: usize> {
    /// Expected uses so far.
    uses: f64,
    /// The sum over these of the means of the values around the node.
    around: [f64; N],
}

/// The mean of the sum of `values` over the derivations of each node, by place from 1; 0 where there are none, and for no node.
///
/// `incoming` says where the edges into each node start.
pub(super) fn up<const N: usize>(
    incoming: &[u32],
    tails: impl Tails,
    local: &[f64],
    values: &[[f64; N]],
    below: &mut Vec<[f64; N]>,
) {
    below.clear();
    below.reserve(incoming.len());
    below.push([0.0; N]);
    for bounds in incoming.windows(2) {
        let row = bounds[0].at()..bounds[1].at();
        let mut mean = [0.0; N];
        for ((edge, q), value) in row.clone().zip(&local[row.clone()]).zip(&values[row]) {
            let whole = with_tail(*value, tails.of(edge), below);
            for (sum, value) in mean.iter_mut().zip(whole) {
                *sum += q * value;
            }
        }
        below.push(mean);
    }
}

/// Writes the expected uses of each edge, and those times the deviations of the sums of `values`: how far their mean over the derivations with the edge is from that over all.
///
/// `below` are the results of [`up`]. There is a derivation of the root, a place from 1.
pub(super) fn down<const N: usize>(
    (incoming, root): (&[u32], usize),
    tails: impl Tails,
    (local, values): (&[f64], &[[f64; N]]),
    below: &[[f64; N]],
    above: &mut Vec<Above<N>>,
    (uses, factors): (&mut [f64], &mut [[f64; N]]),
) -> Result<()> {
    let nothing = Above {
        uses: 0.0,
        around: [0.0; N],
    };
    above.clear();
    above.resize(incoming.len(), nothing);
    above[root].uses = 1.0;
    let mean = below[root];
    for (node, bounds) in (1..incoming.len()).zip(incoming.windows(2)).rev() {
        let row = bounds[0].at()..bounds[1].at();
        let here = above[node];
        if here.uses == 0.0 {
            uses[row.clone()].fill(0.0);
            factors[row].fill([0.0; N]);
            continue;
        }
        if here.uses > MOST_USES {
            return Err(Error::TooLarge {
                what: "the expected number of uses of a node",
                limit: u64::MAX,
            });
        }
        let around = here.around.map(|sum| sum / here.uses);
        let inputs = local[row.clone()].iter().zip(&values[row.clone()]);
        let outputs = uses[row.clone()].iter_mut().zip(&mut factors[row.clone()]);
        // Backwards, as the nodes go: memory is read as one stream.
        for ((edge, (q, value)), (uses, factor)) in row.zip(inputs).zip(outputs).rev() {
            let used = here.uses * q;
            let mut whole = with_tail(*value, tails.of(edge), below);
            for n in 0..N {
                whole[n] += around[n];
                factor[n] = used * (whole[n] - mean[n]);
            }
            *uses = used;
            for node in tails.of(edge) {
                let (there, below) = (&mut above[node], &below[node]);
                there.uses += used;
                for n in 0..N {
                    there.around[n] += used * (whole[n] - below[n]);
                }
            }
        }
    }
    Ok(())
}

/// Values of an edge and of what is below it.
#[inline]
fn with_tail<const N: usize>(
    values: [f64; N],
    tail: impl Iterator<Item = usize>,
    below: &[[f64; N]],
) -> [f64; N] {
    let mut whole = values;
    for node in tail {
        for (sum, mean) in whole.iter_mut().zip(&below[node]) {
            *sum += mean;
        }
    }
    whole
}
