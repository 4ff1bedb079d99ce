//! Outside weights on the fast path.

use super::distribution::Weights;
use super::inside::POLLED;
use super::structure::{Hypergraph, index};
use crate::cancel::CancelToken;
use crate::error::Result;
use crate::numeric::scaled::{LARGEST_LOG, Scaled, exp_split, power_of_two};
use crate::semiring::log_add;

/// Local probabilities below this are not trusted: they may have lost digits, or be 0 where the weight is not.
const SMALL: f64 = 1e-290;

/// Uses out of this range get an exponent.
const ORDINARY: std::ops::Range<f64> = 1e-150..1e150;

/// ln of the outside weight of each node, by place (Li and Eisner 2009, Figure 3, over the positions of a tail).
///
/// `weights` are those that a [`super::Distribution`] was made of, by number; `inside` and `local` are its parts. alpha(v) is the number of uses of v times Z over
/// beta(v). Uses have an exponent of their own, so that no outside weight is too small. Nodes without derivations have no uses, but may have an outside weight: that is
/// summed for itself.
///
/// # Errors
/// [`crate::error::Error::Cancelled`].
///
/// # Complexity
/// O(edges + tail nodes); a logarithm for each node, and for edges of next to no probability.
pub fn outside_logs(
    graph: &Hypergraph,
    weights: Weights<'_>,
    inside: &[f64],
    local: &[f64],
    cancel: &CancelToken,
) -> Result<Vec<f64>> {
    let root = graph.root();
    let mut pass = Pass {
        graph,
        weights,
        inside,
        log_z: inside[root],
        uses: vec![Scaled::raw(0.0, 0.0); graph.nodes()],
        outside: vec![f64::NEG_INFINITY; graph.nodes()],
    };
    pass.outside[root] = 0.0;
    if pass.log_z > f64::NEG_INFINITY {
        pass.uses[root].mantissa = 1.0;
    }
    let mut polled = graph.edges();
    for node in (0..graph.nodes()).rev() {
        let row = graph.edges_into(node);
        if polled - row.start >= POLLED {
            cancel.check()?;
            polled = row.start;
        }
        pass.visit(node, local);
    }
    let Pass {
        uses,
        mut outside,
        log_z,
        ..
    } = pass;
    for ((log, uses), inside) in outside.iter_mut().zip(&uses).zip(inside) {
        // -infinity where nothing is used.
        let used = uses.ln() + (log_z - inside);
        *log = if uses.mantissa > 0.0 { used } else { *log };
    }
    outside[root] = 0.0;
    Ok(outside)
}

/// The same from the posteriors of the same distribution, where they tell: where no edge into a used node has next to no uses. O(nodes).
///
/// The numbers of uses of nodes without derivations are 0, and so they are in their edges; if there is none of these, the outside weight of a node that is not used is 0.
#[must_use]
pub fn outside_from_uses(
    graph: &Hypergraph,
    inside: &[f64],
    uses: &[f64],
    least: f64,
) -> Option<Vec<f64>> {
    // Of what was lost below 1e-308, not a digit is missed.
    const ENOUGH: f64 = 1e-250;
    let log_z = inside[graph.root()];
    if least < ENOUGH || log_z == f64::NEG_INFINITY {
        return None;
    }
    let logs = uses.iter().zip(inside).map(|(&uses, inside)| {
        let log = Scaled::raw(uses, 0.0).ln() + (log_z - inside);
        if uses > 0.0 { log } else { f64::NEG_INFINITY }
    });
    let mut outside: Vec<f64> = logs.collect();
    outside[graph.root()] = 0.0;
    Some(outside)
}

struct Pass<'a> {
    graph: &'a Hypergraph,
    weights: Weights<'a>,
    inside: &'a [f64],
    log_z: f64,
    /// Of the nodes that have derivations, so far.
    uses: Vec<Scaled>,
    /// ln of the outside weights of the nodes without derivations, so far.
    outside: Vec<f64>,
}

impl Pass<'_> {
    /// Hands the uses of a node on to the tails of the edges into it.
    fn visit(&mut self, node: usize, local: &[f64]) {
        let mut uses = self.uses[node];
        if uses.mantissa == 0.0 && self.outside[node] == f64::NEG_INFINITY {
            return;
        }
        if uses.mantissa > 0.0 && !ORDINARY.contains(&uses.mantissa) {
            uses = uses.normal();
            self.uses[node] = uses;
        }
        // Backwards, as the nodes go: memory is read as one stream.
        for edge in self.graph.edges_into(node).rev() {
            if local[edge] < SMALL || uses.mantissa == 0.0 {
                self.exactly(node, edge);
                continue;
            }
            let term = Scaled::raw(uses.mantissa * local[edge], uses.exponent);
            for &tail in self.graph.tail(edge) {
                add(&mut self.uses[index(tail)], term);
            }
        }
    }

    /// The share of one edge, position by position, in logarithms.
    fn exactly(&mut self, head: usize, edge: usize) {
        let number = index(self.graph.edge_number(edge));
        let uses = self.uses[head];
        let outside = if uses.mantissa > 0.0 {
            uses.ln() + (self.log_z - self.inside[head])
        } else {
            self.outside[head]
        };
        let above = outside + self.weights.ln(number);
        let tail = self.graph.tail(edge);
        let dead = |&&node: &&u32| self.inside[index(node)] == f64::NEG_INFINITY;
        let dead_ones = tail.iter().filter(dead).count();
        if above == f64::NEG_INFINITY || dead_ones > 1 {
            return;
        }
        let living = tail.iter().filter(|node| !dead(node));
        let product = above + living.map(|&node| self.inside[index(node)]).sum::<f64>();
        for &node in tail {
            let (node, is_dead) = (index(node), dead(&&node));
            if is_dead {
                self.outside[node] = log_add(self.outside[node], product);
            } else if dead_ones == 0 {
                // Uses, as for the others: alpha(node) beta(node) / Z.
                let log = product - self.log_z;
                if log.abs() <= LARGEST_LOG {
                    let (mantissa, exponent) = exp_split(log);
                    add(&mut self.uses[node], Scaled::raw(mantissa, exponent));
                }
            }
        }
    }
}

/// Adds a term to a sum; exponents differ only where something is very small.
#[inline]
fn add(sum: &mut Scaled, term: Scaled) {
    if sum.exponent.to_bits() == term.exponent.to_bits() {
        sum.mantissa += term.mantissa;
    } else {
        add_shifted(sum, term);
    }
}

#[cold]
fn add_shifted(sum: &mut Scaled, term: Scaled) {
    let (sum_before, term) = (sum.normal(), term.normal());
    let (low, high) = if sum_before.exponent < term.exponent {
        (sum_before, term)
    } else {
        (term, sum_before)
    };
    let mantissa = high.mantissa + low.mantissa * power_of_two(low.exponent - high.exponent);
    *sum = Scaled::raw(mantissa, high.exponent);
    // Sums of ordinary size are kept without an exponent, as most are.
    if high.exponent > -400.0 && high.exponent < 400.0 {
        *sum = Scaled::raw(mantissa * power_of_two_signed(high.exponent), 0.0);
    }
}

fn power_of_two_signed(exponent: f64) -> f64 {
    if exponent > 0.0 {
        1.0 / power_of_two(-exponent)
    } else {
        power_of_two(exponent)
    }
}
