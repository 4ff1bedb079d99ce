//! The lattice against sums over all jumps, one by one.

use super::*;
use crate::error::Error;
use crate::numeric::to_f32;
use crate::rng::Stream;

/// Any numbers: candidates at some positions of each token, with and without NULL, and jumps that are no distributions.
fn anything(seed: u64, length: usize, tokens: usize, density: f32) -> (Candidates, Transitions) {
    let draws = Stream::new(&[seed]);
    let mut count = 0;
    let mut unit = || {
        count += 1;
        draws.unit_f32(count)
    };
    let mut candidates = Candidates::default();
    candidates.clear();
    for _ in 0..tokens {
        for position in (1_u32..).take(length) {
            if unit() < density {
                candidates.positions.push(position);
                candidates.weights.push(0.01 + unit());
            }
        }
        candidates.starts.push(candidates.positions.len());
        candidates.nulls.push(0.1 * unit());
    }
    let jumps = (length + 1) * ROW;
    let transitions = Transitions {
        rows: (0..jumps).map(|_| 0.001 + unit()).collect(),
        last: (0..=length).map(|_| 0.001 + unit()).collect(),
    };
    (candidates, transitions)
}

/// P of the jump, by its bucket.
fn jump(transitions: &Transitions, from: usize, to: usize) -> f64 {
    f64::from(transitions.rows[from * ROW + bucket(from, to)])
}

/// Each candidate of token j: its index, position and weight.
fn links(candidates: &Candidates, j: usize) -> impl Iterator<Item = (usize, usize, f64)> {
    (candidates.starts[j]..candidates.starts[j + 1]).map(|c| {
        let position = candidates.positions[c] as usize;
        (c, position, f64::from(candidates.weights[c]))
    })
}

/// Forward probabilities of all positions before each token and after the last, sums or maxima.
fn forward(
    candidates: &Candidates,
    transitions: &Transitions,
    join: impl Fn(f64, f64) -> f64,
) -> Vec<Vec<f64>> {
    let length = transitions.last.len();
    let mut alphas = vec![vec![0.0; length]];
    alphas[0][0] = 1.0;
    for j in 0..candidates.tokens() {
        let before = &alphas[j];
        let null = f64::from(candidates.nulls[j]);
        let mut after: Vec<f64> = before.iter().map(|mass| mass * null).collect();
        for (_, to, weight) in links(candidates, j) {
            for (from, mass) in before.iter().enumerate() {
                after[to] = join(after[to], mass * jump(transitions, from, to) * weight);
            }
        }
        alphas.push(after);
    }
    alphas
}

fn assert_close(found: f32, expected: f64, what: &str) {
    let difference = (f64::from(found) - expected).abs();
    assert!(
        difference <= 1e-4 * expected + 1e-6,
        "{what}: {found} {expected}"
    );
}

const CASES: [(usize, usize, f32); 9] = [
    (1, 5, 1.0),
    (6, 4, 1.0),
    (7, 5, 0.7),
    (8, 8, 1.0),
    (15, 9, 0.5),
    (40, 12, 1.0),
    (40, 12, 0.1),
    (90, 5, 0.9),
    (90, 30, 0.03),
];

#[test]
fn posteriors_jumps_and_ends_are_those_of_all_jumps_one_by_one() {
    for (seed, (length, tokens, density)) in (0..).zip(CASES) {
        let (candidates, transitions) = anything(seed, length, tokens, density);
        let alphas = forward(&candidates, &transitions, |a, b| a + b);
        let last = |i: usize| f64::from(transitions.last[i]);
        let total: f64 = (0..=length).map(|i| alphas[tokens][i] * last(i)).sum();
        let mut posteriors = vec![0.0; candidates.positions.len()];
        let mut jumps = vec![0.0; transitions.rows.len()];
        let mut beta: Vec<f64> = (0..=length).map(last).collect();
        for j in (0..tokens).rev() {
            let null = f64::from(candidates.nulls[j]);
            let mut before: Vec<f64> = beta.iter().map(|b| b * null).collect();
            for (c, to, weight) in links(&candidates, j) {
                for from in 0..=length {
                    let step = jump(&transitions, from, to) * weight * beta[to];
                    before[from] += step;
                    posteriors[c] += alphas[j][from] * step / total;
                    jumps[from * ROW + bucket(from, to)] += alphas[j][from] * step / total;
                }
            }
            beta = before;
        }
        let mut lattice = Lattice::default();
        let never = CancelToken::new();
        let ln = lattice
            .forward_backward(&candidates, &transitions, 0.0, &never)
            .expect("nobody stops it");
        assert!((ln - total.ln()).abs() < 1e-3, "{ln} {}", total.ln());
        for (found, expected) in lattice.posteriors.iter().zip(posteriors) {
            assert_close(*found, expected, "posterior");
        }
        for (found, expected) in lattice.jumps.iter().zip(jumps) {
            assert_close(*found, expected, "jump");
        }
        for &(i, found) in &lattice.ends {
            let i = i as usize;
            assert_close(found, alphas[tokens][i] * last(i) / total, "end");
        }
    }
}

#[test]
fn the_best_alignment_is_as_probable_as_the_best_of_all() {
    for (seed, (length, tokens, density)) in (0..).zip(CASES) {
        let (candidates, transitions) = anything(seed, length, tokens, density);
        let alphas = forward(&candidates, &transitions, f64::max);
        let last = |i: usize| f64::from(transitions.last[i]);
        let best = (0..=length)
            .map(|i| alphas[tokens][i] * last(i))
            .fold(0.0, f64::max);
        let mut lattice = Lattice::default();
        let ln = lattice
            .viterbi(&candidates, &transitions, &CancelToken::new())
            .expect("nobody stops it");
        let (mut from, mut probability) = (0, 1.0);
        for (j, chosen) in lattice.best.iter().enumerate() {
            match chosen {
                None => probability *= f64::from(candidates.nulls[j]),
                Some(c) => {
                    let c = *c as usize;
                    let to = candidates.positions[c] as usize;
                    probability *= jump(&transitions, from, to) * f64::from(candidates.weights[c]);
                    from = to;
                }
            }
        }
        probability *= last(from);
        assert!((probability / best - 1.0).abs() < 1e-4);
        assert!((ln - best.ln()).abs() < 1e-3);
    }
}

#[test]
fn what_a_beam_drops_has_no_posterior_and_the_rest_is_that_without_it() {
    let (mut candidates, transitions) = anything(1, 30, 10, 1.0);
    let dropped = |c: usize| c.is_multiple_of(3);
    for c in (0..candidates.weights.len()).filter(|&c| dropped(c)) {
        candidates.weights[c] = 1e-12;
    }
    let never = CancelToken::new();
    let (mut all, mut some) = (Lattice::default(), Lattice::default());
    for (lattice, beam) in [(&mut all, 0.0), (&mut some, 1e-7)] {
        // A beam drops states: without NULL each has one candidate.
        candidates.nulls.fill(0.0);
        lattice
            .forward_backward(&candidates, &transitions, beam, &never)
            .expect("nobody stops it");
    }
    for (c, (&with, &without)) in some.posteriors.iter().zip(&all.posteriors).enumerate() {
        assert!(if dropped(c) { with == 0.0 } else { with > 0.0 }, "{c}");
        assert_close(with, f64::from(without), "posterior");
    }
}

#[test]
fn a_pair_without_any_alignment_has_zeros() {
    let (mut candidates, transitions) = anything(2, 20, 6, 1.0);
    let span = candidates.starts[3]..candidates.starts[4];
    candidates.weights[span].fill(0.0);
    candidates.nulls.fill(0.0);
    let mut lattice = Lattice::default();
    let never = CancelToken::new();
    let ln = lattice.forward_backward(&candidates, &transitions, 0.0, &never);
    assert_eq!(ln, Ok(f64::NEG_INFINITY));
    let zeros = lattice.posteriors.iter().chain(&lattice.jumps);
    assert!(zeros.clone().count() > 0 && zeros.clone().all(|&p| p == 0.0));
    assert!(lattice.ends.is_empty());
}

#[test]
fn a_long_sum_keeps_its_digits() {
    // All the same: each posterior is a share of the positions and NULL, however many there are.
    let (length, tokens) = (20_000, 3);
    let (mut candidates, mut transitions) = anything(3, length, tokens, 1.0);
    let each = 1.0 / to_f32(20_000.0);
    candidates.weights.fill(0.5);
    candidates.nulls.fill(0.5);
    transitions.rows.fill(each);
    transitions.last.fill(each);
    let mut lattice = Lattice::default();
    lattice
        .forward_backward(&candidates, &transitions, 0.0, &CancelToken::new())
        .expect("nobody stops it");
    for &posterior in &lattice.posteriors {
        assert!((posterior / each - 0.5).abs() < 1e-3, "{posterior}");
    }
}

#[test]
fn a_cancelled_token_stops_both_ways() {
    let (candidates, transitions) = anything(4, 9, 9, 1.0);
    let cancel = CancelToken::new();
    cancel.cancel();
    let mut lattice = Lattice::default();
    let found = lattice.forward_backward(&candidates, &transitions, 0.0, &cancel);
    assert_eq!(found, Err(Error::Cancelled));
    let found = lattice.viterbi(&candidates, &transitions, &cancel);
    assert_eq!(found, Err(Error::Cancelled));
}
