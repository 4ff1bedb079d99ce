//! Inside, outside and posteriors of a made forest: what `benches/run.py instructions` counts under valgrind.
//!
//! `forest_passes chain-N-A|cky-N-S-R REPEAT` makes a lattice of N steps with A arcs each, or all parses of N words by R random binary rules over S nonterminals. It runs each
//! pass so often over it, says on the standard error what the fastest of each took in microseconds, and prints the number of edges.

use plait_core::cancel::CancelToken;
use plait_core::hypergraph::{Distribution, Hypergraph, Parts, Posteriors, Weights, outside_logs};
use plait_core::numeric::to_u64;
use plait_core::rng::Stream;
use std::time::Instant;

type Done<T> = Result<T, Box<dyn std::error::Error>>;

/// Arrays by number.
#[derive(Default)]
struct Made {
    nodes: u32,
    heads: Vec<u32>,
    tail_starts: Vec<u64>,
    tails: Vec<u32>,
}

fn main() -> Done<()> {
    let usage = "usage: forest_passes chain-N-A|cky-N-S-R REPEAT";
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().ok_or(usage)?;
    let mut parts = name.split('-');
    let kind = parts.next();
    let sizes: Result<Vec<u32>, _> = parts.map(str::parse).collect();
    let made = match (kind, &sizes?[..]) {
        (Some("chain"), &[steps, arcs]) => chain(steps, arcs),
        (Some("cky"), &[length, nonterminals, rules]) => cky(length, nonterminals, rules.into()),
        _ => return Err(usage.into()),
    };
    let repeat: usize = arguments.next().ok_or(usage)?.parse()?;
    let graph = Hypergraph::new(Parts {
        nodes: usize::try_from(made.nodes)?,
        heads: &made.heads,
        tail_starts: &made.tail_starts,
        tails: &made.tails,
        root: Some(made.nodes - 1),
    })?;
    let stream = Stream::new(&[1]);
    // From -6 to 0.
    let weights: Vec<f64> = (0..)
        .map(|n| f64::from(stream.below(n, 6_001)) / -1e3)
        .take(graph.edges())
        .collect();
    let weights = Weights::Log(&weights);
    let cancel = CancelToken::new();
    let mut fastest = [u128::MAX; 3];
    for _ in 0..repeat {
        let start = Instant::now();
        let distribution = Distribution::new(&graph, weights, &cancel)?;
        let inside = start.elapsed().as_micros();
        let Distribution {
            inside: logs,
            local,
        } = &distribution;
        let start = Instant::now();
        let outside = outside_logs(&graph, weights, logs, local, &cancel)?;
        let outside_took = start.elapsed().as_micros();
        let start = Instant::now();
        let posteriors = Posteriors::new(&graph, local, true, &cancel)?;
        let posteriors_took = start.elapsed().as_micros();
        assert!(outside[0].is_finite() && posteriors.edges[0] >= 0.0);
        for (best, took) in fastest
            .iter_mut()
            .zip([inside, outside_took, posteriors_took])
        {
            *best = took.min(*best);
        }
    }
    eprintln!("inside, outside, posteriors: {fastest:?} microseconds");
    println!("{}", graph.edges());
    Ok(())
}

/// A lattice with so many arcs from each state to the next.
fn chain(steps: u32, arcs: u32) -> Made {
    let mut made = Made {
        nodes: steps + 1,
        heads: vec![0],
        tail_starts: vec![0, 0],
        tails: Vec::new(),
    };
    for state in 0..steps {
        for _ in 0..arcs {
            made.heads.push(state + 1);
            made.tails.push(state);
            made.tail_starts.push(to_u64(made.tails.len()));
        }
    }
    made
}

/// All parses of a sentence: so many nonterminals for each span, so many random binary rules.
fn cky(length: u32, nonterminals: u32, rules: u64) -> Made {
    let stream = Stream::new(&[2]);
    let symbol = |n| stream.below(n, nonterminals);
    let mut grammar: Vec<[u32; 3]> = (0..rules)
        .map(|n| [3 * n, 3 * n + 1, 3 * n + 2].map(symbol))
        .collect();
    grammar.sort_unstable();
    // The first node of the span from i, so many words long.
    let first = |start: u32, words: u32| {
        let before: u32 = (1..words).map(|shorter| length + 1 - shorter).sum();
        (before + start) * nonterminals
    };
    let mut made = Made {
        nodes: first(0, length) + nonterminals,
        tail_starts: vec![0],
        ..Made::default()
    };
    for words in 1..=length {
        for start in 0..=length - words {
            if words == 1 {
                for head in 0..nonterminals {
                    made.heads.push(first(start, 1) + head);
                    made.tail_starts.push(0);
                }
                continue;
            }
            for [head, left, right] in &grammar {
                for split in 1..words {
                    made.heads.push(first(start, words) + head);
                    made.tails.push(first(start, split) + left);
                    made.tails.push(first(start + split, words - split) + right);
                    made.tail_starts.push(to_u64(made.tails.len()));
                }
            }
        }
    }
    made
}
