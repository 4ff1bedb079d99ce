//! For tests: small random hypergraphs, and all their derivations, without anything that the algorithms share.

use super::build::Parts;
use super::structure::{Hypergraph, index};
use proptest::prelude::*;

/// The most derivations of a random hypergraph.
const MOST: usize = 400;

/// A hypergraph with weights and yields, by number.
#[derive(Debug, Clone)]
pub(super) struct Case {
    pub graph: Hypergraph,
    /// Natural logarithms: multiples of 1/2, so that sums are exact and ties are many.
    pub weights: Vec<f64>,
    pub item_starts: Vec<u64>,
    pub items: Vec<i32>,
}

/// A hypergraph of edges (head, tail), by number.
pub(super) fn graph(nodes: usize, edges: &[(u32, Vec<u32>)], root: u32) -> Hypergraph {
    let heads: Vec<u32> = edges.iter().map(|edge| edge.0).collect();
    let tails: Vec<u32> = edges.iter().flat_map(|edge| edge.1.clone()).collect();
    let mut tail_starts = vec![0];
    for edge in edges {
        tail_starts.push(tail_starts[tail_starts.len() - 1] + edge.1.len() as u64);
    }
    Hypergraph::new(Parts {
        nodes,
        heads: &heads,
        tail_starts: &tail_starts,
        tails: &tails,
        root: Some(root),
    })
    .expect("sound")
}

/// All derivations of a node, edges by place in prefix order; nothing if there are too many.
pub(super) fn derivations(graph: &Hypergraph, node: usize) -> Option<Vec<Vec<u32>>> {
    let mut found = Vec::new();
    for edge in graph.edges_into(node) {
        let mut rows = vec![vec![u32::try_from(edge).expect("few")]];
        for &tail in graph.tail(edge) {
            let parts = derivations(graph, index(tail))?;
            rows = rows
                .iter()
                .flat_map(|row| parts.iter().map(|part| [&row[..], part].concat()))
                .collect();
            if rows.len() > MOST {
                return None;
            }
        }
        found.extend(rows);
        if found.len() > MOST {
            return None;
        }
    }
    Some(found)
}

/// The sum of weights, by place.
pub(super) fn sum(weights: &[f64], derivation: &[u32]) -> f64 {
    derivation.iter().map(|&edge| weights[index(edge)]).sum()
}

/// The derivations of the root with a weight above zero, heaviest first.
pub(super) fn sorted(graph: &Hypergraph, weights: &[f64]) -> Vec<(f64, Vec<u32>)> {
    let all = derivations(graph, graph.root()).expect("few");
    let mut all: Vec<(f64, Vec<u32>)> = all
        .into_iter()
        .map(|derivation| (sum(weights, &derivation), derivation))
        .filter(|(weight, _)| *weight > f64::NEG_INFINITY)
        .collect();
    all.sort_by(|a, b| b.0.total_cmp(&a.0));
    all
}

/// The words of a derivation by recursion; returns what follows the derivation.
pub(super) fn spell<'a>(
    graph: &Hypergraph,
    items: &impl Fn(usize) -> Vec<i32>,
    derivation: &'a [u32],
    words: &mut Vec<i32>,
) -> &'a [u32] {
    let edge = index(derivation[0]);
    let mut rest = &derivation[1..];
    let mut parts = Vec::new();
    for _ in graph.tail(edge) {
        let mut part = Vec::new();
        rest = spell(graph, items, rest, &mut part);
        parts.push(part);
    }
    let items = items(edge);
    if items.is_empty() {
        words.extend(parts.concat());
    }
    for item in items {
        match usize::try_from(item) {
            Ok(_) => words.push(item),
            Err(_) => words.extend(&parts[usize::try_from(-item - 1).expect("negative")]),
        }
    }
    rest
}

impl Case {
    /// Weights by place.
    pub fn arranged(&self) -> Vec<f64> {
        self.graph.arrange_edges(&self.weights).into_owned()
    }

    /// Items as they were given, of an edge by place.
    pub fn row(&self, edge: usize) -> Vec<i32> {
        let number = index(self.graph.edge_number(edge));
        let bound = |n: usize| usize::try_from(self.item_starts[n]).expect("few");
        self.items[bound(number)..bound(number + 1)].to_vec()
    }

    /// The words of a derivation.
    pub fn words(&self, derivation: &[u32]) -> Vec<i32> {
        let mut words = Vec::new();
        spell(&self.graph, &|edge| self.row(edge), derivation, &mut words);
        words
    }
}

/// Tails of 0 to 4 nodes, some the same, parallel edges, nodes without derivations, nodes out of reach, weights of zero, nodes in any order. Yields use every
/// tail node once if `is_linear`, else as often as it comes.
pub(super) fn cases(is_linear: bool) -> impl Strategy<Value = Case> {
    let edge = (any::<u32>(), prop::collection::vec(any::<u32>(), 0..=4));
    let edges = prop::collection::vec(edge, 0..12);
    let weights = prop::collection::vec(prop_oneof![1 => Just(-99), 9 => -4..5_i32], 12);
    let items = prop::collection::vec(prop::collection::vec(any::<u8>(), 0..5), 12);
    let order = Just((0..6_u32).collect::<Vec<_>>()).prop_shuffle();
    (1..=6_u32, edges, weights, items, order)
        .prop_map(move |(nodes, edges, weights, items, order)| {
            let mut order = order;
            order.retain(|&node| node < nodes);
            let edges: Vec<(u32, Vec<u32>)> = edges
                .into_iter()
                .map(|(head, tail)| {
                    let head = head % nodes;
                    let tail = if head == 0 { vec![] } else { tail };
                    let name = |node: u32| order[index(node)];
                    let tail = tail.into_iter().map(|node| name(node % head.max(1)));
                    (name(head), tail.collect())
                })
                .collect();
            let mut case = Case {
                graph: graph(index(nodes), &edges, order[index(nodes) - 1]),
                weights: Vec::new(),
                item_starts: vec![0],
                items: Vec::new(),
            };
            for ((_, tail), (weight, choices)) in edges.iter().zip(weights.iter().zip(items)) {
                let weight = f64::from(*weight) / 2.0;
                let weight = if weight < -9.0 {
                    f64::NEG_INFINITY
                } else {
                    weight
                };
                case.weights.push(weight);
                let arity = i32::try_from(tail.len()).expect("few");
                case.items.extend(yields(arity, &choices, is_linear));
                case.item_starts.push(case.items.len() as u64);
            }
            case
        })
        .prop_filter("few derivations", |case| {
            (0..case.graph.nodes()).all(|node| derivations(&case.graph, node).is_some())
        })
}

/// Words 0 to 2 among the tail nodes.
fn yields(arity: i32, choices: &[u8], is_linear: bool) -> Vec<i32> {
    if !is_linear {
        let item = |&choice: &u8| i32::from(choice) % (arity + 3) - arity;
        return choices.iter().map(item).collect();
    }
    let mut items: Vec<i32> = (0..arity).map(|k| -1 - k).collect();
    for &choice in choices {
        let place = usize::from(choice) % (items.len() + 1);
        items.insert(place, i32::from(choice / 8) % 3);
    }
    if let [first, .., last] = &mut items[..]
        && first.is_negative()
        && last.is_negative()
    {
        std::mem::swap(first, last);
    }
    items
}
