//! The likelihood over lists of labels against counting through all labellings.

use super::Candidates;
use super::train::seen;
use crate::cancel::CancelToken;
use crate::crf::{FeatureOptions, Features, Likelihood, Scope, Sequences};
use proptest::prelude::*;

const LABELS: usize = 4;

/// Words of chunks with a label and an attribute beside that of the chunk itself.
fn data(words: &[Vec<(u32, u32, u32)>]) -> (Sequences, Vec<u32>, Candidates) {
    let (mut starts, mut rows) = (vec![0], vec![0]);
    let (mut attributes, mut labels, mut chunks) = (Vec::new(), Vec::new(), Vec::new());
    for word in words {
        for &(chunk, attribute, label) in word {
            attributes.extend([chunk, 3 + attribute]);
            rows.push(attributes.len());
            labels.push(label);
            chunks.push(chunk);
        }
        starts.push(labels.len());
    }
    let mut candidates = Candidates {
        chunks: Vec::new(),
        starts: vec![0],
        labels: Vec::new(),
    };
    for chunk in 0..3 {
        let at = chunks.iter().zip(&labels).filter(|pair| *pair.0 == chunk);
        let own: std::collections::BTreeSet<u32> = at.map(|pair| *pair.1).collect();
        if !own.is_empty() {
            candidates.chunks.push(chunk);
            candidates.labels.extend(own);
            candidates.starts.push(candidates.labels.len());
        }
    }
    let data = Sequences::from_parts(starts, rows, attributes, None, labels).expect("sound");
    (data, chunks, candidates)
}

/// -log p by counting through all labellings within the lists.
fn brute_force(
    data: &Sequences,
    features: &Features,
    chunks: &[u32],
    candidates: &Candidates,
    weights: &[f64],
) -> f64 {
    let score = |first: usize, labels: &[u32]| {
        let mut sum = 0.0;
        for (position, &label) in (first..).zip(labels) {
            for at in data.rows()[position]..data.rows()[position + 1] {
                let pair = features.state(data.attributes()[at] as usize, label);
                sum += pair.map_or(0.0, |pair| weights[pair]);
            }
        }
        for two in labels.windows(2) {
            let pair = features.transition(two[0] as usize, two[1]);
            sum += pair.map_or(0.0, |pair| weights[pair]);
        }
        sum
    };
    let mut value = 0.0;
    for word in data.iter() {
        let mut labellings = vec![Vec::new()];
        for position in word.positions() {
            let at = candidates.chunks.binary_search(&chunks[position]);
            let list: Vec<u32> = match at {
                Ok(at) => {
                    candidates.labels[candidates.starts[at]..candidates.starts[at + 1]].to_vec()
                }
                Err(_) => (0..).take(LABELS).collect(),
            };
            labellings = labellings
                .iter()
                .flat_map(|start: &Vec<u32>| {
                    list.iter()
                        .map(|&label| start.iter().copied().chain([label]).collect())
                })
                .collect();
        }
        let sum: f64 = labellings
            .iter()
            .map(|labels| libm::exp(score(word.first(), labels)))
            .sum();
        value += libm::log(sum) - score(word.first(), word.labels());
    }
    value
}

proptest! {
    #[test]
    fn value_and_gradient_are_those_of_brute_force(
        words in proptest::collection::vec(
            proptest::collection::vec((0..3u32, 0..2u32, 0..4u32), 1..4), 1..6),
        seed in proptest::collection::vec(-1.5..1.5f64, 64),
        drops in any::<bool>(),
        threads in 1..3usize,
    ) {
        let (data, chunks, mut candidates) = data(&words);
        if drops {
            // A chunk that has no list has all labels.
            candidates.chunks.pop();
            candidates.starts.pop();
            candidates.labels.truncate(*candidates.starts.last().unwrap_or(&0));
        }
        let (features, counts) =
            Features::collect(&data, 5, LABELS, &FeatureOptions::default()).expect("sound");
        let weights = &seed[..features.len()];
        let sets = seen(&data, LABELS, &candidates, &chunks).expect("small");
        let likelihood = Likelihood::new(&data, &features, &counts).expect("fits");
        let mut gradient = vec![0.0; features.len()];
        let scope = Scope::Candidates(&sets);
        let cancel = CancelToken::new();
        let (value, _) = likelihood
            .evaluate_over(&scope, weights, &mut gradient, threads, &cancel)
            .expect("runs");
        let expected = brute_force(&data, &features, &chunks, &candidates, weights);
        prop_assert!((value - expected).abs() < 1e-9, "{value} {expected}");
        for pair in 0..features.len() {
            let moved = |by: f64| {
                let mut weights = weights.to_vec();
                weights[pair] += by;
                brute_force(&data, &features, &chunks, &candidates, &weights)
            };
            let slope = (moved(1e-5) - moved(-1e-5)) / 2e-5;
            prop_assert!((gradient[pair] - slope).abs() < 1e-6, "{} {slope}", gradient[pair]);
        }
    }
}
