//! From the caller's arrays to the structure, checked.

use super::inside::POLLED;
use super::order::{Order, components};
use super::structure::{Hypergraph, index};
use crate::cancel::CancelToken;
use crate::error::{Error, Result};
use crate::numeric::to_u64;

/// A hypergraph as a caller has it: nodes and edges in any order.
#[derive(Debug, Clone, Copy)]
pub struct Parts<'a> {
    /// The number of nodes.
    pub nodes: usize,
    /// The head of each edge.
    pub heads: &'a [u32],
    /// Where the tail of each edge starts in `tails`; one more than there are edges.
    pub tail_starts: &'a [u64],
    /// The nodes of all tails, edge by edge.
    pub tails: &'a [u32],
    /// The root; without one, it is the only node that is in no tail.
    pub root: Option<u32>,
}

impl Hypergraph {
    /// Checks a hypergraph and orders it. O(nodes + edges + tail nodes) time and memory, without recursion.
    ///
    /// Cycles are allowed; algorithms that cannot deal with them refuse them. Nodes that the root does not reach, and nodes without derivations, are kept:
    /// see [`Hypergraph::useful_nodes`].
    ///
    /// # Errors
    /// [`Error::Hypergraph`] for a node number that is too large, tail starts that do not rise from 0 to the number of tail nodes, and a missing root
    /// where no node or more than one could be it. [`Error::TooLarge`] for 2^32 - 1 or more nodes, edges or tail nodes.
    pub fn new(parts: Parts<'_>) -> Result<Self> {
        Self::build(parts, &CancelToken::new())
    }

    /// The same, unless it is cancelled.
    ///
    /// # Errors
    /// Those of `new`; [`Error::Cancelled`].
    pub fn build(parts: Parts<'_>, cancel: &CancelToken) -> Result<Self> {
        let starts = check(parts)?;
        let root = parts.root.map_or_else(|| only_root(parts), Ok)?;
        check_node(parts.nodes, root, || "the root".to_owned())?;
        cancel.check()?;
        let mut graph = by_head(parts, starts, root, cancel)?;
        if !is_ordered(&graph) {
            let order = components(&graph.incoming, &graph.tail_starts, &graph.tails, cancel)?;
            graph = graph.reordered(order, cancel)?;
        }
        Ok(graph)
    }

    /// The same hypergraph with its nodes in another order.
    fn reordered(self, order: Order, cancel: &CancelToken) -> Result<Self> {
        let Order { nodes, knots } = order;
        if is_identity(&nodes) {
            return Ok(Self { knots, ..self });
        }
        let mut place_of = vec![0; nodes.len()];
        for (place, &old) in (0..).zip(&nodes) {
            place_of[index(old)] = place;
        }
        let mut graph = Self {
            incoming: vec![0],
            tail_starts: vec![0],
            tails: Vec::with_capacity(self.tails.len()),
            root: place_of[self.root()],
            node_numbers: None,
            edge_numbers: None,
            knots,
        };
        let mut edge_numbers = Vec::with_capacity(self.edges());
        for (place, &old) in nodes.iter().enumerate() {
            if place.is_multiple_of(POLLED) {
                cancel.check()?;
            }
            for edge in self.edges_into(index(old)) {
                edge_numbers.push(self.edge_number(edge));
                let tail = self.tail(edge).iter().map(|&node| place_of[index(node)]);
                graph.tails.extend(tail);
                graph.tail_starts.push(short(graph.tails.len()));
            }
            graph.incoming.push(short(edge_numbers.len()));
        }
        graph.node_numbers = Some(nodes);
        graph.edge_numbers = (!is_identity(&edge_numbers)).then_some(edge_numbers);
        Ok(graph)
    }
}

/// Tail starts in 32 bits, when all is well.
fn check(parts: Parts<'_>) -> Result<Vec<u32>> {
    for (what, count) in [
        ("the number of nodes", parts.nodes),
        ("the number of edges", parts.heads.len()),
        ("the number of tail nodes", parts.tails.len()),
    ] {
        if count >= index(u32::MAX) {
            let limit = u64::from(u32::MAX) - 1;
            return Err(Error::TooLarge { what, limit });
        }
    }
    let edges = parts.heads.len();
    if parts.tail_starts.len() != edges + 1 {
        return Err(problem(
            "the starts of the tails".to_owned(),
            format!("must be one more than the {edges} heads"),
            parts.tail_starts.len(),
        ));
    }
    let mut last = 0;
    for (n, &start) in parts.tail_starts.iter().enumerate() {
        let is_bound = (n == 0 && start != 0) || (n == edges && start != to_u64(parts.tails.len()));
        if start < last || is_bound {
            return Err(problem(
                format!("the start of tail {n}"),
                format!(
                    "starts must rise from 0 to the number of tail nodes, {}",
                    parts.tails.len()
                ),
                start,
            ));
        }
        last = start;
    }
    for (edge, &head) in parts.heads.iter().enumerate() {
        check_node(parts.nodes, head, || format!("the head of edge {edge}"))?;
    }
    for (n, &node) in parts.tails.iter().enumerate() {
        check_node(parts.nodes, node, || {
            let edge = parts.tail_starts.partition_point(|&s| s <= to_u64(n)) - 1;
            format!("the tail of edge {edge}")
        })?;
    }
    Ok(parts.tail_starts.iter().map(|&s| short64(s)).collect())
}

fn check_node(nodes: usize, node: u32, place: impl Fn() -> String) -> Result<()> {
    if index(node) < nodes {
        return Ok(());
    }
    let expected = format!("there are {nodes} nodes, numbered from 0");
    Err(problem(place(), expected, node))
}

fn problem(place: String, problem: String, found: impl std::fmt::Display) -> Error {
    Error::Hypergraph {
        place,
        problem,
        found: found.to_string(),
    }
}

/// The one node that is in no tail.
fn only_root(parts: Parts<'_>) -> Result<u32> {
    const SHOWN: usize = 10;
    let mut is_in_tail = vec![false; parts.nodes];
    for &node in parts.tails {
        is_in_tail[index(node)] = true;
    }
    let mut roots = (0_u32..).zip(&is_in_tail).filter(|(_, in_tail)| !**in_tail);
    let found: Vec<u32> = roots
        .by_ref()
        .take(SHOWN + 1)
        .map(|(node, _)| node)
        .collect();
    if let [root] = found[..] {
        return Ok(root);
    }
    let names: Vec<String> = found.iter().take(SHOWN).map(u32::to_string).collect();
    let found = match found.len() {
        0 => "none".to_owned(),
        n if n > SHOWN => format!("{} and more", names.join(", ")),
        _ => names.join(", "),
    };
    Err(problem(
        "the root".to_owned(),
        "exactly one node may be in no tail; name the root".to_owned(),
        found,
    ))
}

/// The edges grouped by head, in the order given within a group.
fn by_head(
    parts: Parts<'_>,
    tail_starts: Vec<u32>,
    root: u32,
    cancel: &CancelToken,
) -> Result<Hypergraph> {
    let mut incoming = vec![0_u32; parts.nodes + 1];
    for &head in parts.heads {
        incoming[index(head) + 1] += 1;
    }
    for node in 0..parts.nodes {
        incoming[node + 1] += incoming[node];
    }
    let graph = Hypergraph {
        incoming,
        tail_starts,
        tails: Vec::new(),
        root,
        node_numbers: None,
        edge_numbers: None,
        knots: Vec::new(),
    };
    if parts.heads.is_sorted() {
        let tails = parts.tails.to_vec();
        return Ok(Hypergraph { tails, ..graph });
    }
    let mut next = graph.incoming.clone();
    let mut numbers = vec![0; parts.heads.len()];
    for (edge, &head) in (0..).zip(parts.heads) {
        let place = &mut next[index(head)];
        numbers[index(*place)] = edge;
        *place += 1;
    }
    let mut tails = Vec::with_capacity(parts.tails.len());
    let mut starts = Vec::with_capacity(numbers.len() + 1);
    starts.push(0);
    for (place, &number) in numbers.iter().enumerate() {
        if place.is_multiple_of(POLLED) {
            cancel.check()?;
        }
        tails.extend_from_slice(
            &parts.tails[index(graph.tail_starts[index(number)])..]
                [..index(graph.tail_starts[index(number) + 1] - graph.tail_starts[index(number)])],
        );
        starts.push(short(tails.len()));
    }
    Ok(Hypergraph {
        tails,
        tail_starts: starts,
        edge_numbers: Some(numbers),
        ..graph
    })
}

/// Whether every node of a tail stands before the head.
fn is_ordered(graph: &Hypergraph) -> bool {
    (0..graph.nodes()).all(|head| {
        let edges = graph.edges_into(head);
        let tails = index(graph.tail_starts[edges.start])..index(graph.tail_starts[edges.end]);
        graph.tails[tails].iter().all(|&node| index(node) < head)
    })
}

fn is_identity(numbers: &[u32]) -> bool {
    (0..).zip(numbers).all(|(place, &number)| place == number)
}

/// A length that was checked to fit.
fn short(length: usize) -> u32 {
    u32::try_from(length).expect("lengths were checked against 2^32")
}

fn short64(start: u64) -> u32 {
    u32::try_from(start).expect("starts were checked against 2^32")
}
