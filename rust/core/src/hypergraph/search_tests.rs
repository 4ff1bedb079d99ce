//! Best derivations, lists, samples and pruned forests against enumeration.

use super::enumeration::{Case, cases, derivations, graph, sorted, sum};
use super::structure::index;
use super::*;
use crate::cancel::CancelToken;
use crate::error::Error;
use crate::semiring::{Idempotent, Path, Semiring};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// Costs in units of 1/2: exact.
struct Costs;

impl Semiring for Costs {
    type Value = Option<i32>;

    fn zero(&self) -> Option<i32> {
        None
    }
    fn one(&self) -> Option<i32> {
        Some(0)
    }
    fn plus(&self, a: &Option<i32>, b: &Option<i32>) -> Option<i32> {
        if self.is_better(b, a) { *b } else { *a }
    }
    fn times(&self, a: &Option<i32>, b: &Option<i32>) -> Option<i32> {
        a.and_then(|a| b.map(|b| a + b))
    }
    fn is_zero(&self, a: &Option<i32>) -> bool {
        a.is_none()
    }
}

impl Idempotent for Costs {}

impl Path for Costs {
    fn is_better(&self, a: &Option<i32>, b: &Option<i32>) -> bool {
        a.is_some() && b.is_none_or(|b| a.is_some_and(|a| a < b))
    }
}

#[expect(clippy::cast_possible_truncation, reason = "small multiples of 1/2")]
fn costs(weights: &[f64]) -> Vec<Option<i32>> {
    let cost = |&w: &f64| w.is_finite().then_some((-2.0 * w) as i32);
    weights.iter().map(cost).collect()
}

fn all<G: std::borrow::Borrow<Hypergraph>>(mut search: KBest<G>) -> Vec<(f64, Vec<u32>)> {
    let cancel = CancelToken::new();
    let next = || search.next_best(&cancel).expect("no limit");
    std::iter::from_fn(next)
        .map(|found| (found.weight, found.edges))
        .collect()
}

fn shares(graph: &Hypergraph, weights: &[f64]) -> Vec<f64> {
    let weights: Vec<f64> = weights.iter().map(|w| w.exp()).collect();
    let cancel = CancelToken::new();
    let inside = inside(&crate::semiring::Real, graph, &weights, &cancel).expect("acyclic");
    (0..graph.edges())
        .map(|edge| {
            let tail = graph.tail(edge).iter();
            tail.fold(weights[edge], |product, &node| {
                product * inside[index(node)]
            })
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn the_best_derivation_of_every_node(case in cases(false)) {
        let (cancel, weights) = (CancelToken::new(), case.arranged());
        let found = viterbi(&case.graph, &weights, &cancel).expect("acyclic");
        let generic = best(&Costs, &case.graph, &costs(&weights), &cancel).expect("acyclic");
        prop_assert_eq!(&found.edges, &generic.edges);
        for node in 0..case.graph.nodes() {
            let all = derivations(&case.graph, node).expect("few");
            // Of several with the largest weight, prefix order of edge numbers decides.
            let expected = all
                .into_iter()
                .map(|d| (sum(&weights, &d), d))
                .filter(|(weight, _)| weight.is_finite())
                .max_by(|a, b| a.0.total_cmp(&b.0).then_with(|| b.1.cmp(&a.1)));
            let edges = found.edges_of(&case.graph, node, &cancel).expect("small");
            prop_assert_eq!(edges.as_ref(), expected.as_ref().map(|d| &d.1));
            let weight = expected.map_or(f64::NEG_INFINITY, |d| d.0);
            prop_assert_eq!(weight.to_bits(), found.values[node].to_bits());
            let cost = costs(&[weight])[0];
            prop_assert_eq!(cost, generic.values[node]);
        }
    }

    #[test]
    fn every_derivation_once_in_order(case in cases(false)) {
        let (cancel, weights) = (CancelToken::new(), case.arranged());
        let expected = sorted(&case.graph, &weights);
        let search = || KBest::new(&case.graph, weights.clone(), &cancel).expect("acyclic");
        let found = all(search());
        let weights_of = |all: &[(f64, Vec<u32>)]| all.iter().map(|d| d.0).collect::<Vec<_>>();
        prop_assert_eq!(weights_of(&found), weights_of(&expected));
        let distinct: BTreeSet<_> = found.iter().map(|d| d.1.clone()).collect();
        prop_assert_eq!(distinct.len(), found.len());
        for (weight, edges) in &found {
            prop_assert_eq!(weight.to_bits(), sum(&weights, edges).to_bits());
        }
        let set: BTreeSet<_> = expected.into_iter().map(|d| d.1).collect();
        prop_assert_eq!(distinct, set);
        let first = viterbi(&case.graph, &weights, &cancel).expect("acyclic");
        let first = first.derivation(&case.graph, &cancel).expect("small");
        prop_assert_eq!(first.map(|d| d.edges), found.first().map(|d| d.1.clone()));
        prop_assert_eq!(all(search()), found);
    }

    #[test]
    fn every_yield_once_with_its_best_derivation(case in cases(false)) {
        let (cancel, weights) = (CancelToken::new(), case.arranged());
        let yields = Yields::new(&case.graph, &case.item_starts, &case.items).expect("sound");
        let mut expected: BTreeMap<Vec<i32>, f64> = BTreeMap::new();
        for (weight, edges) in sorted(&case.graph, &weights) {
            let words = case.words(&edges);
            prop_assert_eq!(&words, &yields.of(&case.graph, &edges, &cancel).expect("small"));
            expected.entry(words).or_insert(weight);
        }
        let search = KBest::unique(&case.graph, weights, yields, u64::MAX, &cancel);
        let found = all(search.expect("acyclic"));
        prop_assert!(found.windows(2).all(|pair| pair[0].0 >= pair[1].0));
        prop_assert_eq!(found.len(), expected.len());
        let found: BTreeMap<_, _> = found.iter().map(|(w, d)| (case.words(d), *w)).collect();
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn the_best_derivation_through_every_edge(case in cases(false)) {
        let (cancel, weights) = (CancelToken::new(), case.arranged());
        let found = max_marginals(&case.graph, &weights, &cancel).expect("acyclic");
        let all = sorted(&case.graph, &weights);
        let heads = case.graph.heads();
        let through = |test: &dyn Fn(u32) -> bool| {
            let with = all.iter().find(|d| d.1.iter().any(|&edge| test(edge)));
            with.map_or(f64::NEG_INFINITY, |d| d.0)
        };
        for (edge, &weight) in (0..).zip(&found.edges) {
            prop_assert_eq!(weight.to_bits(), through(&|e| e == edge).to_bits());
        }
        for (node, &weight) in (0..).zip(&found.nodes) {
            prop_assert_eq!(weight.to_bits(), through(&|e| heads[index(e)] == node).to_bits());
        }
    }

    #[test]
    fn a_beam_keeps_what_is_good_enough(case in cases(false), beam in 0..9_i32, count in 0..9_usize) {
        let (cancel, weights) = (CancelToken::new(), case.arranged());
        let marginals = max_marginals(&case.graph, &weights, &cancel).expect("acyclic");
        let beam = f64::from(beam) / 2.0;
        let is_kept = prune::within_beam(&case.graph, &marginals, beam).expect("in range");
        check_pruned(&case, &is_kept, |weight| weight >= marginals.weight(&case.graph) - beam)?;
        let is_kept = prune::at_most(&case.graph, &marginals, count);
        let kept = is_kept.iter().filter(|&&kept| kept).count();
        let best = prune::best_edges(&case.graph, &marginals);
        prop_assert!(kept <= count.max(best), "{kept} kept, {count} asked for, {best} best");
        check_pruned(&case, &is_kept, |_| false)?;
        let posteriors = vec![0.0; case.graph.edges()];
        let is_kept = prune::above_posterior(&case.graph, &marginals, &posteriors, 0.5);
        check_pruned(&case, &is_kept.expect("in range"), |_| false)?;
    }

    #[test]
    fn a_sample_is_a_derivation(case in cases(false), seed: u64) {
        let (cancel, weights) = (CancelToken::new(), case.arranged());
        let shares = shares(&case.graph, &weights);
        let sampler = Sampler::new(&case.graph, &shares).expect("acyclic");
        let samples = sampler.sample(70, seed, 1, &cancel).expect("small");
        prop_assert_eq!(&samples, &sampler.sample(70, seed, 3, &cancel).expect("small"));
        let all: BTreeSet<_> = sorted(&case.graph, &weights).into_iter().map(|d| d.1).collect();
        prop_assert_eq!(samples.len(), if all.is_empty() { 0 } else { 70 });
        for row in samples.starts.windows(2) {
            let bound = |start: u64| usize::try_from(start).expect("few");
            let edges = samples.edges[bound(row[0])..bound(row[1])].to_vec();
            prop_assert!(all.contains(&edges));
        }
    }
}

/// Derivations of what is left are those of the whole whose edges are kept; all that are good enough are among them, and the best one.
fn check_pruned(
    case: &Case,
    is_kept: &[bool],
    is_good: impl Fn(f64) -> bool,
) -> std::result::Result<(), TestCaseError> {
    let weights = case.arranged();
    let pruned = prune::restrict(&case.graph, is_kept).expect("fits");
    let number = |edges: &[u32]| -> Vec<u32> {
        let edges = edges.iter();
        edges.map(|&e| case.graph.edge_number(index(e))).collect()
    };
    let expected: BTreeSet<Vec<u32>> = derivations(&case.graph, case.graph.root())
        .expect("few")
        .into_iter()
        .filter(|d| d.iter().all(|&edge| is_kept[index(edge)]))
        .map(|d| number(&d))
        .collect();
    let found: BTreeSet<Vec<u32>> = derivations(&pruned.graph, pruned.graph.root())
        .expect("few")
        .into_iter()
        .map(|d| {
            let new = d.iter().map(|&e| pruned.graph.edge_number(index(e)));
            new.map(|e| pruned.edges[index(e)]).collect()
        })
        .collect();
    prop_assert_eq!(&found, &expected);
    let used: BTreeSet<u32> = found.iter().flatten().copied().collect();
    prop_assert_eq!(used.into_iter().collect::<Vec<_>>(), pruned.edges.clone());
    prop_assert!(pruned.nodes.is_sorted());
    let root = pruned.graph.node_number(pruned.graph.root());
    let expected = case.graph.node_number(case.graph.root());
    prop_assert_eq!(pruned.nodes[index(root)], expected);
    for (n, (weight, edges)) in sorted(&case.graph, &weights).into_iter().enumerate() {
        if is_good(weight) {
            prop_assert!(found.contains(&number(&edges)));
        }
        if n == 0 {
            let best = viterbi(&case.graph, &weights, &CancelToken::new()).expect("acyclic");
            let best = best
                .derivation(&case.graph, &CancelToken::new())
                .expect("small");
            prop_assert!(best.is_some_and(|d| found.contains(&number(&d.edges))));
        }
    }
    Ok(())
}

#[test]
fn samples_follow_the_weights() {
    // Two derivations of node 0 twice under the root, a third way beside: weights 4, 6, 6, 9, 5.
    let edges = [(0, vec![]), (0, vec![]), (1, vec![0, 0]), (1, vec![])];
    let graph = graph(2, &edges, 1);
    let weights = [2_f64.ln(), 3_f64.ln(), 0.0, 5_f64.ln()];
    let sampler_shares = shares(&graph, &weights);
    let sampler = Sampler::new(&graph, &sampler_shares).expect("acyclic");
    let count = 60_000;
    let samples = sampler
        .sample(count, 11, 2, &CancelToken::new())
        .expect("small");
    let mut seen: BTreeMap<&[u32], f64> = BTreeMap::new();
    for row in samples.starts.windows(2) {
        let bound = |start: u64| usize::try_from(start).expect("few");
        *seen
            .entry(&samples.edges[bound(row[0])..bound(row[1])])
            .or_default() += 1.0;
    }
    let expected = [
        (vec![2, 0, 0], 4.0),
        (vec![2, 0, 1], 6.0),
        (vec![2, 1, 0], 6.0),
        (vec![2, 1, 1], 9.0),
        (vec![3], 5.0),
    ];
    let chi2: f64 = expected
        .iter()
        .map(|(edges, weight)| {
            let expected = f64::from(u32::try_from(count).expect("few")) * weight / 30.0;
            let found = seen.get(&edges[..]).copied().unwrap_or(0.0);
            (found - expected).powi(2) / expected
        })
        .sum();
    // Chi-squared with 4 degrees of freedom: the quantile of 1 - 1e-6.
    assert!(chi2 < 33.4, "chi-squared {chi2}");
}

#[test]
fn a_chain_of_a_million_steps() {
    let steps: u32 = 1_000_000;
    let mut edges = vec![(0, vec![])];
    for node in 1..steps {
        edges.extend([(node, vec![node - 1]), (node, vec![node - 1])]);
    }
    let graph = graph(1_000_000, &edges, steps - 1);
    let (cancel, mut weights) = (CancelToken::new(), vec![0.0; edges.len()]);
    // The second edge of the last step is the next best; then that of the first.
    for (edge, weight) in weights.iter_mut().enumerate() {
        *weight = match edge {
            0 => 0.0,
            1_999_998 => -0.25,
            2 => -0.5,
            _ if edge % 2 == 0 => -1.0,
            _ => 0.0,
        };
    }
    let found = viterbi(&graph, &weights, &cancel).expect("acyclic");
    let first = found
        .derivation(&graph, &cancel)
        .expect("fits")
        .expect("one");
    assert_eq!((first.edges.len(), first.weight), (1_000_000, 0.0));
    let mut search = KBest::new(&graph, weights.clone(), &cancel).expect("acyclic");
    let next: Vec<f64> = (0..4)
        .map(|_| {
            search
                .next_best(&cancel)
                .expect("fits")
                .expect("more")
                .weight
        })
        .collect();
    assert_eq!(next, [0.0, -0.25, -0.5, -0.75]);
    let yields = Yields::new(&graph, &vec![0; edges.len() + 1], &[]).expect("sound");
    assert_eq!(yields.of(&graph, &first.edges, &cancel), Ok(vec![]));
    let marginals = max_marginals(&graph, &weights, &cancel).expect("acyclic");
    let is_kept = prune::within_beam(&graph, &marginals, 0.6).expect("in range");
    let pruned = prune::restrict(&graph, &is_kept).expect("fits");
    assert_eq!(pruned.edges.len(), 1_000_002);
    let local = vec![1.0; edges.len()];
    let sampler = Sampler::new(&graph, &local).expect("acyclic");
    let samples = sampler.sample(1, 0, 1, &cancel).expect("fits");
    assert_eq!(samples.edges.len(), 1_000_000);
}

#[test]
fn a_derivation_too_large_to_write_out_is_refused() {
    let mut edges = vec![(0, vec![])];
    edges.extend((1..64).map(|node| (node, vec![node - 1, node - 1])));
    let graph = graph(64, &edges, 63);
    let (cancel, weights) = (CancelToken::new(), vec![0.0; 64]);
    let found = viterbi(&graph, &weights, &cancel).expect("acyclic");
    assert_eq!(found.values[63].to_bits(), 0_f64.to_bits());
    assert_eq!(
        prune::best_edges(
            &graph,
            &max_marginals(&graph, &weights, &cancel).expect("acyclic")
        ),
        64
    );
    let refused = found.derivation(&graph, &cancel);
    assert!(matches!(refused, Err(Error::TooLarge { .. })));
    let mut search = KBest::new(&graph, weights, &cancel).expect("acyclic");
    assert!(search.next_best(&cancel).is_err());
    cancel.cancel();
    let sampler = Sampler::new(&graph, &[1.0; 64]).expect("acyclic");
    assert_eq!(sampler.sample(1, 0, 1, &cancel), Err(Error::Cancelled));
}

#[test]
fn cycles_are_shown() {
    let graph = graph(2, &[(0, vec![1]), (1, vec![0]), (0, vec![])], 1);
    let cancel = CancelToken::new();
    let message = viterbi(&graph, &[0.0; 3], &cancel)
        .expect_err("cyclic")
        .to_string();
    assert!(
        message.starts_with("nodes 0 <- 1 <- 0 form a cycle"),
        "{message}"
    );
    assert!(KBest::new(&graph, vec![0.0; 3], &cancel).is_err());
    assert!(Sampler::new(&graph, &[0.0; 3]).is_err());
    assert!(max_marginals(&graph, &[0.0; 3], &cancel).is_err());
}

#[test]
fn edges_that_are_no_derivation_are_refused() {
    let graph = graph(2, &[(0, vec![]), (1, vec![0, 0])], 1);
    let yields = Yields::new(&graph, &[0, 1, 3], &[7, -2, -1]).expect("sound");
    let of = |edges: &[u32]| yields.of(&graph, edges, &CancelToken::new());
    assert_eq!(of(&[1, 0, 0]), Ok(vec![7, 7]));
    for edges in [
        &[][..],
        &[1],
        &[1, 0],
        &[1, 0, 0, 0],
        &[0, 1, 0],
        &[9],
        &[1, 1, 0, 0, 0],
    ] {
        assert!(of(edges).is_err(), "{edges:?}");
    }
    let problem = Yields::new(&graph, &[0, 1, 3], &[7, -3, -1]).expect_err("no third tail node");
    assert_eq!(
        problem.to_string(),
        "the yield of edge 1: the item -1 is the first of 2 tail nodes; found -3"
    );
    assert!(Yields::new(&graph, &[0, 2, 1], &[7]).is_err());
}

#[test]
fn looking_for_new_yields_ends_at_the_limit() {
    let graph = graph(1, &vec![(0, vec![]); 9], 0);
    let yields = Yields::new(&graph, &[0; 10], &[]).expect("sound");
    let cancel = CancelToken::new();
    let search = |limit| {
        KBest::unique(&graph, vec![0.0; 9], yields.clone(), limit, &cancel).expect("acyclic")
    };
    assert_eq!(all(search(8)).len(), 1);
    let mut search = search(7);
    assert!(search.next_best(&cancel).is_ok());
    assert!(matches!(
        search.next_best(&cancel),
        Err(Error::TooLarge { .. })
    ));
}
