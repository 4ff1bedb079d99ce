//! Lattices of hidden Markov models and linear-chain random fields.

use super::build::Parts;
use super::structure::Hypergraph;
use crate::error::{Error, Result};
use crate::numeric::to_u64;

impl Hypergraph {
    /// A chain of states: one of `states` at each of `steps + 1` positions, and a transition between every two positions.
    ///
    /// Node `position * states + state` is a state at a position; the root, `(steps + 1) * states`, comes after the last position. Edges are numbered
    /// like an array `[step, from, to]` flattened, `(step * states + from) * states + to` for the transition from position `step` to the next; then come `states`
    /// edges without tails that begin in each state at position 0, then `states` edges that end in each state at the last position. Where
    /// `is_allowed`, by `[step, from, to]`, is false there is no edge, and the numbers of those after it are one less.
    ///
    /// # Errors
    /// [`Error::Config`] for no states and for a claim too many or too few; [`Error::TooLarge`] for 2^32 - 1 or more nodes or edges.
    ///
    /// # Panics
    /// Never: sizes are checked first.
    ///
    /// # Complexity
    /// O(steps states^2).
    pub fn chain(steps: usize, states: usize, is_allowed: Option<&[bool]>) -> Result<Self> {
        if states == 0 {
            return Err(Error::config("states", "at least 1", states));
        }
        let transitions = product("the number of edges", &[steps, states, states])?;
        let nodes = product("the number of nodes", &[steps.saturating_add(1), states])?;
        let edges = size("the number of edges", transitions.checked_add(2 * states))?;
        if let Some(claims) = is_allowed.filter(|claims| claims.len() != transitions) {
            let expected = format!("{transitions} claims, for each step, from and to");
            return Err(Error::config("is_allowed", &expected, claims.len()));
        }
        let number = |n: usize| u32::try_from(n).expect("was checked against 2^32");
        let mut heads = Vec::with_capacity(edges);
        let mut tails = Vec::with_capacity(edges);
        for step in 0..steps {
            for from in 0..states {
                for to in 0..states {
                    let transition = (step * states + from) * states + to;
                    if is_allowed.is_none_or(|claims| claims[transition]) {
                        heads.push(number((step + 1) * states + to));
                        tails.push(number(step * states + from));
                    }
                }
            }
        }
        let kept = heads.len();
        heads.extend((0..states).map(number));
        let root = number(nodes);
        for state in 0..states {
            heads.push(root);
            tails.push(number(steps * states + state));
        }
        let tail_starts: Vec<u64> = (0..=kept)
            .chain(std::iter::repeat_n(kept, states))
            .chain(kept + 1..=kept + states)
            .map(to_u64)
            .collect();
        Self::new(Parts {
            nodes: nodes + 1,
            heads: &heads,
            tail_starts: &tail_starts,
            tails: &tails,
            root: Some(root),
        })
    }
}

/// A product of sizes that leaves room for numbers of 32 bits.
pub(super) fn product(what: &'static str, factors: &[usize]) -> Result<usize> {
    let product = factors
        .iter()
        .try_fold(1_usize, |product, &factor| product.checked_mul(factor));
    size(what, product)
}

/// A size that leaves room for numbers of 32 bits.
pub(super) fn size(what: &'static str, size: Option<usize>) -> Result<usize> {
    let limit = u64::from(u32::MAX) - 2;
    size.filter(|&size| to_u64(size) <= limit)
        .ok_or(Error::TooLarge { what, limit })
}
