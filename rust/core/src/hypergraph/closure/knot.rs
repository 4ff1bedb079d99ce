//! The linear systems of a knot, and what is said of one that has no solution.

use super::super::outside::each_rest;
use super::super::structure::{Hypergraph, index};
use super::sparse::{Stuck, System};
use crate::cancel::CancelToken;
use crate::error::{Error, Result};
use crate::semiring::{Commutative, Star};
use std::ops::Range;

/// No unknown stands for this node.
const NONE: usize = usize::MAX;

/// Solves for the inside weights of the nodes of a knot; those of the nodes before it are there.
pub(super) fn inside_of<S: Commutative + Star>(
    semiring: &S,
    graph: &Hypergraph,
    weights: &[S::Value],
    knot: &Range<usize>,
    values: &mut [S::Value],
    cancel: &CancelToken,
) -> Result<()> {
    let edges = graph.edges_into(knot.start).start..graph.edges_into(knot.end - 1).end;
    // The product of all that is not in the knot.
    let coefficients: Vec<S::Value> = edges
        .clone()
        .map(|edge| {
            let below = graph.tail(edge).iter().map(|&node| index(node));
            below
                .filter(|node| !knot.contains(node))
                .fold(weights[edge].clone(), |product, node| {
                    semiring.times(&product, &values[node])
                })
        })
        .collect();
    let is_live = |edge: usize| !semiring.is_zero(&coefficients[edge - edges.start]);
    let (unknowns, nodes) = productive(graph, knot, &edges, is_live);
    let mut system = System::new(nodes.len(), &semiring.zero());
    for (row, &head) in nodes.iter().enumerate() {
        for edge in graph.edges_into(head).filter(|&edge| is_live(edge)) {
            let tail = graph.tail(edge).iter().map(|&node| index(node));
            let mut around = tail.filter(|node| knot.contains(node));
            let coefficient = &coefficients[edge - edges.start];
            match (around.next(), around.next()) {
                (None, _) => semiring.accumulate(&mut system.constants[row], coefficient),
                (Some(node), None) => {
                    let unknown = unknowns[node - knot.start];
                    if unknown != NONE {
                        system.rows[row].push((unknown, coefficient.clone()));
                    }
                }
                (Some(first), Some(second)) => {
                    let rest = around.chain([first, second]);
                    if rest
                        .into_iter()
                        .all(|node| unknowns[node - knot.start] != NONE)
                    {
                        return Err(not_linear(graph, knot, head, first, edge));
                    }
                }
            }
        }
    }
    let solution = system.solve(semiring, cancel).map_err(|stuck| {
        let pattern = |row: usize| system.rows[row].iter().map(|entry| entry.0).collect();
        diverges(graph, &nodes, stuck, pattern, "")
    })?;
    for (node, value) in nodes.into_iter().zip(solution) {
        values[node] = value;
    }
    Ok(())
}

/// The unknowns of the nodes of a knot that have derivations, and the nodes of the unknowns. O(edges).
fn productive(
    graph: &Hypergraph,
    knot: &Range<usize>,
    edges: &Range<usize>,
    is_live: impl Fn(usize) -> bool,
) -> (Vec<usize>, Vec<usize>) {
    let size = knot.len();
    // For each node, the heads of the edges that wait for it, by edge, and what each edge still waits for.
    let mut waits = vec![Vec::new(); size];
    let mut missing = vec![0_u32; edges.len()];
    let mut is_found = vec![false; size];
    let mut found = Vec::new();
    for head in knot.clone() {
        for edge in graph.edges_into(head).filter(|&edge| is_live(edge)) {
            for &node in graph.tail(edge) {
                if knot.contains(&index(node)) {
                    waits[index(node) - knot.start].push((head, edge - edges.start));
                    missing[edge - edges.start] += 1;
                }
            }
            if missing[edge - edges.start] == 0 && !is_found[head - knot.start] {
                is_found[head - knot.start] = true;
                found.push(head);
            }
        }
    }
    let mut next = 0;
    while let Some(&node) = found.get(next) {
        next += 1;
        for &(head, edge) in &waits[node - knot.start] {
            missing[edge] -= 1;
            if missing[edge] == 0 && !is_found[head - knot.start] {
                is_found[head - knot.start] = true;
                found.push(head);
            }
        }
    }
    found.sort_unstable();
    (numbered(&found, knot), found)
}

/// Solves for the outside weights of the nodes of a knot: what has reached `values` from above it goes round.
pub(super) fn outside_of<S: Commutative + Star>(
    semiring: &S,
    graph: &Hypergraph,
    weights: &[S::Value],
    inside: &[S::Value],
    knot: &Range<usize>,
    values: &mut [S::Value],
    cancel: &CancelToken,
) -> Result<()> {
    // From the top down; the system has only what is reached.
    let mut unknowns = vec![NONE; knot.len()];
    let mut nodes: Vec<usize> = knot
        .clone()
        .filter(|&node| !semiring.is_zero(&values[node]))
        .collect();
    for (unknown, node) in nodes.iter().enumerate() {
        unknowns[node - knot.start] = unknown;
    }
    let mut entries = Vec::new();
    let mut prefixes = Vec::new();
    let mut next = 0;
    while let Some(&head) = nodes.get(next) {
        for edge in graph.edges_into(head) {
            let (tail, weight) = (graph.tail(edge), weights[edge].clone());
            each_rest(
                semiring,
                weight,
                tail,
                inside,
                &mut prefixes,
                |node, rest| {
                    if !knot.contains(&node) || semiring.is_zero(&rest) {
                        return;
                    }
                    let unknown = &mut unknowns[node - knot.start];
                    if *unknown == NONE {
                        *unknown = nodes.len();
                        nodes.push(node);
                    }
                    entries.push((*unknown, next, rest));
                },
            );
        }
        next += 1;
    }
    let mut system = System::new(nodes.len(), &semiring.zero());
    for (row, head, value) in entries {
        system.rows[row].push((head, value));
    }
    for (constant, &node) in system.constants.iter_mut().zip(&nodes) {
        constant.clone_from(&values[node]);
    }
    let solution = system.solve(semiring, cancel).map_err(|stuck| {
        let mut below = vec![Vec::new(); nodes.len()];
        for (row, entries) in system.rows.iter().enumerate() {
            for &(head, _) in entries {
                below[head].push(row);
            }
        }
        let remark = match &stuck {
            Stuck::Diverges { unknown, .. } if semiring.is_zero(&inside[nodes[*unknown]]) => {
                "; it has no derivation: leave its edges out"
            }
            _ => "",
        };
        diverges(graph, &nodes, stuck, |row| below[row].clone(), remark)
    })?;
    for (node, value) in nodes.into_iter().zip(solution) {
        values[node] = value;
    }
    Ok(())
}

/// The place of each node of a knot among some of them.
fn numbered(nodes: &[usize], knot: &Range<usize>) -> Vec<usize> {
    let mut places = vec![NONE; knot.len()];
    for (place, node) in nodes.iter().enumerate() {
        places[node - knot.start] = place;
    }
    places
}

/// The error of a system that has no solution; `below` gives the unknowns that stand in the tails of edges into one.
fn diverges(
    graph: &Hypergraph,
    nodes: &[usize],
    stuck: Stuck,
    below: impl Fn(usize) -> Vec<usize>,
    remark: &str,
) -> Error {
    match stuck {
        Stuck::Failed(error) => error,
        Stuck::Diverges {
            unknown,
            mut is_gone,
            is_near,
        } => {
            is_gone[unknown] = true;
            let cycle = shortest(unknown, unknown, |row| {
                let mut next = below(row);
                next.retain(|&unknown| is_gone[unknown]);
                next
            });
            let numbers = cycle
                .iter()
                .map(|&unknown| graph.node_number(nodes[unknown]));
            let reason = if is_near {
                "the weights around it are too large, in magnitude and within rounding, for the sum over its repetitions to converge"
            } else {
                "the sum over its repetitions does not converge; the weights around it must be smaller"
            };
            Error::Cycle {
                cycle: numbers.collect(),
                problem: format!("{reason}{remark}"),
            }
        }
    }
}

/// The error of an edge with more than one tail node in its knot.
fn not_linear(
    graph: &Hypergraph,
    knot: &Range<usize>,
    head: usize,
    tail: usize,
    edge: usize,
) -> Error {
    let mut cycle = vec![head];
    if tail != head {
        let around = |node: usize| {
            let tails = graph.edges_into(node).flat_map(|edge| graph.tail(edge));
            let tails = tails.map(|&node| index(node));
            tails.filter(|node| knot.contains(node)).collect::<Vec<_>>()
        };
        cycle.extend(shortest(tail, head, around));
    }
    Error::Cycle {
        cycle: cycle
            .into_iter()
            .map(|node| graph.node_number(node))
            .collect(),
        problem: format!(
            "edge {} has more than one tail node that derives its head; only linear cycles have a closure",
            graph.edge_number(edge)
        ),
    }
}

/// A shortest way down from one place until another comes next.
fn shortest(from: usize, to: usize, below: impl Fn(usize) -> Vec<usize>) -> Vec<usize> {
    let mut parents = std::collections::BTreeMap::from([(from, from)]);
    let mut queue = vec![from];
    let mut next = 0;
    while let Some(&place) = queue.get(next) {
        next += 1;
        for tail in below(place) {
            if tail == to {
                let mut way = vec![place];
                while way[way.len() - 1] != from {
                    way.push(parents[&way[way.len() - 1]]);
                }
                way.reverse();
                return way;
            }
            if let std::collections::btree_map::Entry::Vacant(free) = parents.entry(tail) {
                free.insert(place);
                queue.push(tail);
            }
        }
    }
    vec![from]
}
