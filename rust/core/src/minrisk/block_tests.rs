//! Blocks and what is evaluated of them.

use super::{BlockArrays, BlockBuilder, Gradients, Objective, Totals, Workspace};
use crate::cancel::CancelToken;
use crate::error::Error;
use crate::hypergraph::{
    Distribution, Features, Hypergraph, Marginals, Parts, Posteriors, Weights,
};
use proptest::prelude::*;

/// A forest with arrays by number.
struct Made {
    graph: Hypergraph,
    starts: Vec<u64>,
    ids: Vec<u32>,
    values: Vec<f64>,
    losses: Vec<f64>,
}

const FEATURES: usize = 4;

impl Made {
    /// Node 0 is a leaf; every node above it has edges with tails of the nodes before it, of up to `arity` nodes.
    fn new(nodes: u32, arity: u32, seed: u32) -> Self {
        let mut state = seed;
        let mut draw = |below: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) % below
        };
        let (mut heads, mut tail_starts, mut tails) = (vec![0, 0], vec![0, 0, 0], vec![]);
        for node in 1..nodes {
            for _ in 0..3 {
                heads.push(node);
                tails.extend((0..=draw(arity)).map(|_| draw(node)));
                tail_starts.push(tails.len() as u64);
            }
        }
        let graph = Hypergraph::new(Parts {
            nodes: nodes as usize,
            heads: &heads,
            tail_starts: &tail_starts,
            tails: &tails,
            root: Some(nodes - 1),
        })
        .expect("sound");
        let (mut starts, mut ids, mut values, mut losses) = (vec![0], vec![], vec![], vec![]);
        for _ in &heads {
            ids.extend([0, 1 + draw(3)]);
            values.extend([f64::from(draw(9)) / 8.0 - 0.5, f64::from(1 + draw(2))]);
            starts.push(ids.len() as u64);
            losses.push(f64::from(draw(5)) / 4.0);
        }
        Self {
            graph,
            starts,
            ids,
            values,
            losses,
        }
    }

    fn features(&self) -> Features<'_> {
        Features::Sparse {
            starts: &self.starts,
            ids: &self.ids,
            values: &self.values,
            count: FEATURES,
        }
    }
}

fn block(forests: &[Made]) -> BlockArrays {
    let mut builder = BlockBuilder::default();
    for made in forests {
        let added = builder.add(&made.graph, made.features(), &made.losses, None);
        assert_eq!(added, Ok(false));
    }
    builder.take()
}

fn objective() -> Objective {
    Objective {
        weights: vec![0.5, -0.25, 0.125, 1.0],
        gamma: 0.75,
        temperature: 0.0,
        gradients: Gradients::Joint,
    }
}

fn evaluated(arrays: &BlockArrays, objective: &Objective) -> Result<Totals, Error> {
    let found = objective.evaluate(
        arrays.block(0),
        &mut Workspace::default(),
        &CancelToken::new(),
    )?;
    let mut totals = Totals::new(objective);
    totals.add(&found);
    Ok(totals)
}

proptest! {
    #[test]
    fn a_block_says_what_its_forests_do(nodes in 2_u32..9, arity in 1_u32..4, seed: u32) {
        let made = Made::new(nodes, arity, seed);
        let objective = objective();
        let totals = evaluated(&block(&[Made::new(nodes, arity, seed)]), &objective).expect("sound");
        let (cancel, graph) = (CancelToken::new(), &made.graph);
        let scores: Vec<f64> = made
            .starts
            .windows(2)
            .map(|row| {
                let row = usize::try_from(row[0]).expect("small")..usize::try_from(row[1]).expect("small");
                made.ids[row.clone()]
                    .iter()
                    .zip(&made.values[row])
                    .map(|(&id, value)| objective.weights[id as usize] * value)
                    .sum()
            })
            .collect();
        let weights: Vec<f64> = scores.iter().map(|score| objective.gamma * score).collect();
        let p = Distribution::new(graph, Weights::Log(&weights), &cancel).expect("acyclic");
        let posteriors = Posteriors::new(graph, &p.local, true, &cancel).expect("few uses");
        let marginals = Marginals::new(graph, &p, &posteriors);
        let losses = graph.arrange_edges(&made.losses);
        let gradient = marginals
            .covariance_with(&losses, made.features(), &cancel)
            .expect("not cancelled");
        let mean = marginals.deviations(&losses, &cancel).expect("not cancelled").mean;
        prop_assert!((totals.risk - mean).abs() <= 1e-12 * mean.abs().max(1.0));
        let entropy = marginals.entropy();
        prop_assert!((totals.entropy - entropy).abs() <= 1e-12 * entropy.max(1.0));
        for (found, expected) in totals.by_weights[0].iter().zip(&gradient) {
            let expected = objective.gamma * expected;
            prop_assert!((found - expected).abs() <= 1e-11 * expected.abs().max(1.0), "{found} {expected}");
        }
    }

    #[test]
    fn no_forged_block_that_passes_the_check_breaks_anything(
        arity in 1_u32..4,
        place in 0_usize..400,
        number in prop_oneof![0_u32..8, Just(u32::MAX), any::<u32>()],
        cut in any::<bool>(),
    ) {
        let mut arrays = block(&[Made::new(5, arity, 1), Made::new(3, arity, 2)]);
        if cut {
            let words = place % (arrays.words.len() + 1);
            arrays.words.truncate(words);
        } else if let Some(word) = arrays.words.get_mut(place) {
            *word = number;
        } else {
            let places = arrays.shorts.len();
            arrays.shorts[place % places] = u16::try_from(number & 0xffff).expect("16 bits");
        }
        if arrays.block(0).check(FEATURES).is_ok() {
            // Whatever forest that is: a result, or an error.
            let _ = evaluated(&arrays, &objective());
        }
    }
}

#[test]
fn forests_add_up_whatever_blocks_they_are_in() {
    let all = || (1..6).map(|seed| Made::new(6, 2, seed)).collect::<Vec<_>>();
    let objective = objective();
    let whole = evaluated(&block(&all()), &objective).expect("sound");
    let mut parts = Totals::new(&objective);
    for made in all().chunks(2) {
        let mut builder = BlockBuilder::default();
        for forest in made {
            let added = builder.add(&forest.graph, forest.features(), &forest.losses, None);
            assert_eq!(added, Ok(false));
        }
        let arrays = builder.take();
        let mut space = Workspace::default();
        let found = objective.evaluate(arrays.block(0), &mut space, &CancelToken::new());
        parts.add(&found.expect("sound"));
    }
    assert_eq!(whole, parts);
}

#[test]
fn a_cancelled_evaluation_ends() {
    let arrays = block(&[Made::new(4, 2, 1)]);
    let token = CancelToken::new();
    token.cancel();
    let found = objective().evaluate(arrays.block(0), &mut Workspace::default(), &token);
    assert_eq!(found, Err(Error::Cancelled));
}
