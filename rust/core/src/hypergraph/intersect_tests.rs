//! Intersections and constructors against enumeration.

use super::automaton::{Arcs, Automaton, History, OTHER_WORDS, TableAutomaton};
use super::enumeration::{Case, cases, derivations};
use super::intersect::NO_STATE;
use super::structure::index;
use super::*;
use crate::cancel::CancelToken;
use crate::error::Error;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// Derivations as the old numbers of their edges, and the new places beside them.
fn old_derivations(graph: &Hypergraph, old: &[u32]) -> Vec<(Vec<u32>, Vec<u32>)> {
    let all = derivations(graph, graph.root()).expect("few");
    let name = |d: &[u32]| {
        d.iter()
            .map(|&e| old[index(graph.edge_number(index(e)))])
            .collect()
    };
    all.into_iter().map(|d| (name(&d), d)).collect()
}

fn numbers(case: &Case, derivation: &[u32]) -> Vec<u32> {
    let edges = derivation.iter();
    edges.map(|&e| case.graph.edge_number(index(e))).collect()
}

fn yields(case: &Case) -> Yields {
    Yields::new(&case.graph, &case.item_starts, &case.items).expect("sound")
}

/// What an automaton makes of words, one after the other.
fn accept(automaton: &mut impl Automaton, words: &[i32]) -> Option<f64> {
    let (mut state, mut weight) = (automaton.start(), 0.0);
    for &word in words {
        let (next, more) = automaton.step(state, word)?;
        (state, weight) = (next, weight + more);
    }
    automaton.end(state).map(|more| weight + more)
}

/// Three states; from each, arcs for some words, perhaps one for the others; some states are ends.
fn automata() -> impl Strategy<Value = TableAutomaton> {
    let arc = prop::option::weighted(0.7, (0..3_u32, -2..3_i32));
    let arcs = prop::collection::vec(arc, 12);
    let ends = prop::collection::vec(prop::option::weighted(0.6, -2..3_i32), 3);
    (arcs, ends).prop_map(|(arcs, ends)| {
        let (mut from, mut words, mut to, mut weights) = (vec![], vec![], vec![], vec![]);
        for (n, arc) in (0_u32..).zip(arcs) {
            if let Some((next, weight)) = arc {
                from.push(n / 4);
                words.push(i32::try_from(n % 4).expect("few") - 1);
                to.push(next);
                weights.push(f64::from(weight) / 2.0);
            }
        }
        assert_eq!(OTHER_WORDS, -1);
        let end = |end: Option<i32>| end.map_or(f64::NEG_INFINITY, |w| f64::from(w) / 2.0);
        let ends: Vec<f64> = ends.into_iter().map(end).collect();
        let arcs = Arcs {
            from: &from,
            words: &words,
            to: &to,
            weights: &weights,
        };
        TableAutomaton::new(0, arcs, &ends).expect("sound")
    })
}

/// All n-grams of words up to an order, with how many there are.
fn ngrams_of(words: &[i32], order: usize) -> BTreeMap<Vec<i32>, usize> {
    let mut found = BTreeMap::new();
    for n in 1..=order {
        for ngram in words.windows(n) {
            *found.entry(ngram.to_vec()).or_default() += 1;
        }
    }
    found
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn the_derivations_that_an_automaton_accepts(case in cases(true), automaton in automata()) {
        let (cancel, mut automaton) = (CancelToken::new(), automaton);
        let found = intersect(&case.graph, &yields(&case), &mut automaton, 10_000, &cancel).expect("small");
        let mut expected = BTreeMap::new();
        for d in derivations(&case.graph, case.graph.root()).expect("few") {
            if let Some(weight) = accept(&mut automaton, &case.words(&d)) {
                expected.insert(numbers(&case, &d), weight);
            }
        }
        let new = old_derivations(&found.graph, &found.edges);
        prop_assert_eq!(new.len(), expected.len());
        let weights = found.graph.arrange_edges(&found.weights);
        let new: BTreeMap<_, _> = new
            .into_iter()
            .map(|(old, new)| (old, new.iter().map(|&e| weights[index(e)]).sum::<f64>()))
            .collect();
        prop_assert_eq!(new, expected);
        // What is left is of use, and edges go between nodes as before.
        let useful = found.graph.useful_nodes();
        prop_assert!(found.graph.edges() == 0 || useful.iter().all(|&u| u));
        let root = index(found.graph.node_number(found.graph.root()));
        prop_assert_eq!(found.nodes[root], case.graph.node_number(case.graph.root()));
        prop_assert_eq!(found.states[root], [0, NO_STATE]);
        let old_heads = case.graph.restore_edges(case.graph.heads());
        for (edge, head) in found.graph.heads().into_iter().enumerate() {
            let old = found.edges[index(found.graph.edge_number(edge))];
            let expected = case.graph.node_number(index(old_heads[index(old)]));
            let head = found.graph.node_number(index(head));
            prop_assert_eq!(found.nodes[index(head)], expected);
        }
    }

    #[test]
    fn every_ngram_of_every_yield_once(
        case in cases(true),
        order in 1..5_usize,
        begin in prop::option::of(Just(7)),
        end in prop::option::of(Just(8)),
    ) {
        let cancel = CancelToken::new();
        let options = NgramOptions { order, begin, end, limit: 100_000 };
        let found = with_ngrams(&case.graph, &yields(&case), options, &cancel).expect("small");
        let all = derivations(&case.graph, case.graph.root()).expect("few");
        let new = old_derivations(&found.graph, &found.edges);
        prop_assert_eq!(new.len(), all.len());
        let old: BTreeSet<_> = all.iter().map(|d| numbers(&case, d)).collect();
        prop_assert_eq!(&new.iter().map(|d| d.0.clone()).collect::<BTreeSet<_>>(), &old);
        let words: BTreeMap<_, _> = all.iter().map(|d| (numbers(&case, d), case.words(d))).collect();
        for (old, new) in new {
            let mut counts = BTreeMap::new();
            for edge in new {
                let number = index(found.graph.edge_number(index(edge)));
                let bound = |n: usize| usize::try_from(found.starts[n]).expect("few");
                for &ngram in &found.ngrams[bound(number)..bound(number + 1)] {
                    *counts.entry(found.table.row(ngram).to_vec()).or_default() += 1;
                }
            }
            let mut words = words[&old].clone();
            words.splice(0..0, begin);
            words.extend(end);
            prop_assert_eq!(counts, ngrams_of(&words, order));
        }
        let distinct: BTreeSet<_> = (0..found.table.len()).map(|n| found.table.row(u32::try_from(n).expect("few"))).collect();
        prop_assert_eq!(distinct.len(), found.table.len());
    }

    #[test]
    fn a_history_is_the_last_words(case in cases(true), length in 0..4_usize) {
        let (cancel, mut history) = (CancelToken::new(), History::new(length));
        let found = intersect(&case.graph, &yields(&case), &mut history, 100_000, &cancel).expect("small");
        let all = derivations(&case.graph, case.graph.root()).expect("few");
        prop_assert_eq!(old_derivations(&found.graph, &found.edges).len(), all.len());
        for &[before, after] in &found.states {
            prop_assert!(history.words(before).len() <= length);
            prop_assert!(after == NO_STATE || history.words(after).len() <= length);
        }
    }

    #[test]
    fn a_chain_has_a_node_for_each_state(steps in 0..4_usize, states in 1..4_usize, claims: [bool; 27]) {
        let claims = &claims[..];
        let count = steps * states * states;
        let free = Hypergraph::chain(steps, states, None).expect("small");
        prop_assert_eq!(free.edges(), count + 2 * states);
        let all = derivations(&free, free.root()).expect("few");
        prop_assert_eq!(all.len(), states.pow(u32::try_from(steps).expect("few") + 1));
        for d in all {
            // In prefix order: the end, transitions from the last to the first, the beginning.
            let d: Vec<usize> = d.iter().map(|&e| index(free.edge_number(index(e)))).collect();
            prop_assert_eq!(d.len(), steps + 2);
            let mut state = d[0] - count - states;
            for (step, &edge) in (0..steps).rev().zip(&d[1..]) {
                let (rest, to) = (edge / states, edge % states);
                prop_assert_eq!((to, rest / states), (state, step));
                state = rest % states;
            }
            prop_assert_eq!(d[steps + 1], count + state);
        }
        if count <= 27 {
            let some = Hypergraph::chain(steps, states, Some(&claims[..count])).expect("small");
            let allowed: Vec<usize> = (0..count).filter(|&n| claims[n]).collect();
            prop_assert_eq!(some.edges(), allowed.len() + 2 * states);
            let (old, new) = (free.restore_edges(free.heads()), some.restore_edges(some.heads()));
            let name = |graph: &Hypergraph, heads: Vec<u32>| -> Vec<u32> {
                heads.into_iter().map(|h| graph.node_number(index(h))).collect()
            };
            let (old, new) = (name(&free, old), name(&some, new));
            let expected: Vec<u32> = allowed.into_iter().chain(count..old.len()).map(|n| old[n]).collect();
            prop_assert_eq!(new, expected);
        }
    }

    #[test]
    fn a_chart_has_every_tree(words in 1..6_usize, rules in prop::collection::vec([0..2_u32, 0..2, 0..2], 1..4), start in 0..2_u32) {
        let graph = Hypergraph::cky(words, 2, &rules, start).expect("small");
        let splits = (words * words * words - words) / 6;
        prop_assert_eq!(graph.edges(), 2 * words + splits * rules.len());
        let ones = vec![1.0; graph.edges()];
        let found = inside(&crate::semiring::Real, &graph, &ones, &CancelToken::new()).expect("acyclic");
        prop_assert_eq!((found[graph.root()] + 0.0).to_bits(), trees(&rules, start, words).to_bits());
        // Every edge after the words is a rule at a split, in the order that is documented.
        let (heads, mut edge) = (graph.restore_edges(graph.heads()), 2 * words);
        let tails: Vec<_> = (0..graph.edges()).map(|e| graph.tail(e).to_vec()).collect();
        let tails = graph.restore_edges(tails);
        let span = |from: usize, width: usize| (1..width).map(|w| words + 1 - w).sum::<usize>() + from;
        for width in 2..=words {
            for from in 0..=words - width {
                for split in 1..width {
                    for rule in &rules {
                        let number = |place: u32| index(graph.node_number(index(place)));
                        prop_assert_eq!(number(heads[edge]), 2 * span(from, width) + index(rule[0]));
                        let tail: Vec<usize> = tails[edge].iter().map(|&node| number(node)).collect();
                        let left = 2 * span(from, split) + index(rule[1]);
                        prop_assert_eq!(tail, vec![left, 2 * span(from + split, width - split) + index(rule[2])]);
                        edge += 1;
                    }
                }
            }
        }
        prop_assert_eq!(edge, graph.edges());
    }
}

/// How many trees of a nonterminal have so many words, by recursion.
fn trees(rules: &[[u32; 3]], top: u32, words: usize) -> f64 {
    if words == 1 {
        return 1.0;
    }
    let splits = 1..words;
    let tops = rules.iter().filter(|rule| rule[0] == top);
    tops.flat_map(|rule| splits.clone().map(move |split| (rule, split)))
        .map(|(rule, split)| trees(rules, rule[1], split) * trees(rules, rule[2], words - split))
        .fold(0.0, |sum, trees| sum + trees)
}

#[test]
fn trees_of_forty_words_are_a_catalan_number() {
    let graph = Hypergraph::cky(20, 1, &[[0, 0, 0]], 0).expect("small");
    let ones = vec![1.0; graph.edges()];
    let found =
        inside(&crate::semiring::Real, &graph, &ones, &CancelToken::new()).expect("acyclic");
    assert_eq!(found[graph.root()].to_bits(), 1_767_263_190_f64.to_bits());
    let mut search =
        KBest::new(&graph, vec![0.0; graph.edges()], &CancelToken::new()).expect("acyclic");
    assert!(
        search
            .next_best(&CancelToken::new())
            .expect("small")
            .is_some()
    );
    let graph = Hypergraph::cky(40, 20, &vec![[0, 1, 2]; 200], 0).expect("small");
    assert_eq!((graph.nodes(), graph.edges()), (16_400, 2_132_800));
}

#[test]
fn sizes_that_do_not_fit_are_refused() {
    let is_too_large = |graph| matches!(graph, Err(Error::TooLarge { .. }));
    assert!(is_too_large(Hypergraph::chain(usize::MAX, 1, None)));
    assert!(Hypergraph::chain(3, 0, None).is_err());
    assert!(is_too_large(Hypergraph::chain(1 << 20, 1 << 10, None)));
    assert!(is_too_large(Hypergraph::cky(100_000, 1, &[[0, 0, 0]], 0)));
    assert!(is_too_large(Hypergraph::cky(usize::MAX, 1, &[], 0)));
    assert!(is_too_large(Hypergraph::cky(2, usize::MAX, &[], 0)));
    let message = |graph: crate::error::Result<Hypergraph>| graph.expect_err("wrong").to_string();
    assert_eq!(
        message(Hypergraph::cky(0, 1, &[], 0)),
        "words must be at least 1; found 0"
    );
    assert_eq!(
        message(Hypergraph::cky(2, 1, &[[0, 1, 0]], 0)),
        "rules must be nonterminals, numbered below 1; found [0, 1, 0]"
    );
    assert_eq!(
        message(Hypergraph::cky(2, 1, &[], 4)),
        "start must be below 1; found 4"
    );
    let claims = Hypergraph::chain(2, 1, Some(&[true]));
    assert_eq!(
        message(claims),
        "is_allowed must be 2 claims, for each step, from and to; found 1"
    );
}

#[test]
fn a_long_chain_is_intersected_without_recursion() {
    let steps: u32 = 100_000;
    let edges: Vec<_> = (0..steps)
        .map(|node| (node, if node == 0 { vec![] } else { vec![node - 1] }))
        .collect();
    let graph = super::enumeration::graph(100_000, &edges, steps - 1);
    // Every edge adds a word after the rest.
    let starts: Vec<u64> = (0..=100_000_u64)
        .map(|n| (2 * n).saturating_sub(1))
        .collect();
    let items: Vec<i32> = (0..100_000_i32)
        .flat_map(|n| if n == 0 { vec![0] } else { vec![-1, n % 2] })
        .collect();
    let yields = Yields::new(&graph, &starts, &items).expect("sound");
    let (cancel, mut history) = (CancelToken::new(), History::new(1));
    let found = intersect(&graph, &yields, &mut history, 1_000_000, &cancel).expect("fits");
    assert_eq!(found.graph.edges(), 100_000);
    let options = NgramOptions {
        order: 2,
        begin: None,
        end: None,
        limit: 1_000_000,
    };
    let found = with_ngrams(&graph, &yields, options, &cancel).expect("fits");
    assert_eq!(
        (found.graph.edges(), found.ngrams.len()),
        (100_000, 199_999)
    );
}

#[test]
fn limits_and_bad_input() {
    let edges = [(0, vec![]), (0, vec![]), (1, vec![0, 0])];
    let graph = super::enumeration::graph(2, &edges, 1);
    let cancel = CancelToken::new();
    let sound = Yields::new(&graph, &[0, 1, 2, 4], &[0, 1, -2, -1]).expect("sound");
    let options = |order, limit| NgramOptions {
        order,
        begin: None,
        end: None,
        limit,
    };
    assert_eq!(
        with_ngrams(&graph, &sound, options(2, 6), &cancel).map(|f| f.graph.edges()),
        Ok(6)
    );
    let found = with_ngrams(&graph, &sound, options(2, 5), &cancel);
    assert!(matches!(found, Err(Error::TooLarge { .. })));
    let found = with_ngrams(&graph, &sound, options(0, 5), &cancel);
    assert!(matches!(found, Err(Error::Config { .. })));
    let found = intersect(&graph, &sound, &mut History::new(1), 5, &cancel);
    assert!(matches!(found, Err(Error::TooLarge { .. })));
    for items in [[0, 1, -1, -1], [0, 1, -1, 3]] {
        let twice = Yields::new(&graph, &[0, 1, 2, 4], &items).expect("sound");
        let message = with_ngrams(&graph, &twice, options(2, 9), &cancel)
            .expect_err("not linear")
            .to_string();
        assert!(
            message.starts_with("the yield of edge 2: must have each tail node exactly once"),
            "{message}"
        );
        assert!(intersect(&graph, &twice, &mut History::new(1), 9, &cancel).is_err());
    }
    let arcs = Arcs {
        from: &[0, 0],
        words: &[3, 3],
        to: &[0, 0],
        weights: &[0.0, 0.0],
    };
    let message = TableAutomaton::new(0, arcs, &[0.0])
        .expect_err("not deterministic")
        .to_string();
    assert!(
        message.starts_with("arcs 0 and 1 of the automaton: a state may have one arc for a word"),
        "{message}"
    );
    for wrong in [
        Arcs {
            to: &[0, 1],
            ..arcs
        },
        Arcs {
            words: &[3, -2],
            ..arcs
        },
        Arcs {
            weights: &[0.0, f64::NAN],
            words: &[3, 4],
            ..arcs
        },
        Arcs {
            weights: &[0.0],
            ..arcs
        },
    ] {
        assert!(TableAutomaton::new(0, wrong, &[0.0]).is_err());
    }
    assert!(TableAutomaton::new(1, arcs, &[0.0]).is_err());
    assert!(
        TableAutomaton::new(
            0,
            Arcs {
                words: &[3, 4],
                ..arcs
            },
            &[f64::INFINITY]
        )
        .is_err()
    );
}
