//! Sums over some labels against sums over all.

use super::Sequences;
use super::features::{FeatureOptions, Features};
use super::label_sets::LabelSets;
use super::likelihood::Likelihood;
use super::scope::{Pruned, Scope};
use super::testing::tiny;
use crate::cancel::CancelToken;
use crate::error::Error;
use crate::numeric::to_f64;
use crate::rng::Stream;

/// Sequences whose labels, of 40, mostly follow from an attribute; with pairs and counts.
fn clear() -> (Sequences, Features, Vec<f64>) {
    let stream = Stream::new(&[8]);
    let mut data = Sequences::default();
    for draw in 0..400 {
        let label = stream.below(2 * draw, 40);
        let seen = if stream.below(2 * draw + 1, 10) == 0 {
            0
        } else {
            label
        };
        data.push_feature(seen, 1.0).expect("room");
        data.push_feature(40, 1.0).expect("room");
        data.end_position(label);
        if draw % 5 != 0 {
            data.end_sequence();
        }
    }
    data.end_sequence();
    let (features, counts) =
        Features::collect(&data, 41, 40, &FeatureOptions::default()).expect("pairs");
    (data, features, counts)
}

fn weights(features: &Features, scale: f64) -> Vec<f64> {
    let stream = Stream::new(&[9]);
    (0..features.len() as u64)
        .map(|n| scale * f64::from(stream.below(n, 1000)) / 1000.0)
        .collect()
}

struct Found {
    value: f64,
    gradient: Vec<f64>,
    pruned: Pruned,
}

fn evaluate(
    parts: &(Sequences, Features, Vec<f64>),
    scope: &Scope<'_>,
    weights: &[f64],
    threads: usize,
) -> Found {
    let (data, features, counts) = parts;
    let likelihood = Likelihood::new(data, features, counts).expect("small values");
    let mut gradient = vec![0.0; weights.len()];
    let cancel = CancelToken::new();
    let (value, pruned) = likelihood
        .evaluate_over(scope, weights, &mut gradient, threads, &cancel)
        .expect("a value");
    Found {
        value,
        gradient,
        pruned,
    }
}

#[test]
fn errors_stay_below_the_bounds_that_are_told() {
    let parts = clear();
    let mut sequences = 0;
    for scale in [3.0, 8.0, 30.0, 200.0] {
        let weights = weights(&parts.1, scale);
        let exact = evaluate(&parts, &Scope::All, &weights, 1);
        for beam in [1e-6, 1e-3, 0.03, 0.5, 3.0] {
            let found = evaluate(&parts, &Scope::Pruned(beam), &weights, 1);
            let lost = exact.value - found.value;
            assert!(lost >= -1e-9 * exact.value, "{scale} {beam}: {lost}");
            assert!(lost <= found.pruned.objective + 1e-12 * exact.value);
            assert!(found.pruned.objective <= beam * to_f64(found.pruned.positions));
            let errors = exact.gradient.iter().zip(&found.gradient);
            let error: f64 = errors.map(|(a, b)| (a - b).abs()).sum();
            assert!(error <= found.pruned.gradient + 1e-9, "{error}");
            sequences += found.pruned.sequences;
        }
    }
    assert!(sequences > 500, "{sequences}");
}

#[test]
fn without_a_beam_and_for_any_number_of_threads_the_bits_are_the_same() {
    let parts = clear();
    let weights = weights(&parts.1, 20.0);
    let exact = evaluate(&parts, &Scope::All, &weights, 1);
    let none = evaluate(&parts, &Scope::Pruned(0.0), &weights, 1);
    assert_eq!(exact.value.to_bits(), none.value.to_bits());
    assert_eq!(exact.gradient, none.gradient);
    assert_eq!(none.pruned, Pruned::default());
    let one = evaluate(&parts, &Scope::Pruned(0.1), &weights, 1);
    assert!(one.pruned.sequences > 0);
    for threads in [2, 5] {
        let many = evaluate(&parts, &Scope::Pruned(0.1), &weights, threads);
        assert_eq!(one.value.to_bits(), many.value.to_bits());
        assert_eq!(one.gradient, many.gradient);
        assert_eq!(one.pruned, many.pruned);
    }
}

#[test]
fn candidates_of_all_labels_are_the_exact_likelihood() {
    for parts in [tiny(40), clear()] {
        let (data, features, _) = &parts;
        let claims = vec![true; data.positions() * features.labels()];
        let all = LabelSets::of_claims(data, features.labels(), &claims).expect("sets");
        // The larger weights leave no sound probabilities.
        for scale in [0.5, 5.0, 900.0] {
            let weights = weights(features, scale);
            let exact = evaluate(&parts, &Scope::All, &weights, 1);
            let found = evaluate(&parts, &Scope::Candidates(&all), &weights, 1);
            assert!((exact.value - found.value).abs() <= 1e-10 * exact.value.max(1.0));
            for (a, b) in exact.gradient.iter().zip(&found.gradient) {
                assert!((a - b).abs() < 1e-8, "{scale}: {a} {b}");
            }
        }
    }
}

#[test]
fn the_gradient_over_candidates_is_that_of_the_value() {
    let parts = clear();
    let (data, features, _) = &parts;
    let is_key: Vec<bool> = (0..41).map(|attribute| attribute < 40).collect();
    let sets = LabelSets::of_keys(data, features, &is_key).expect("sets");
    assert!(sets.len() < 12 * data.positions());
    for scope in [Scope::Candidates(&sets), Scope::CandidatePairs(&sets)] {
        let mut weights = weights(features, 2.0);
        let found = evaluate(&parts, &scope, &weights, 1);
        for at in (0..weights.len()).step_by(7) {
            let old = weights[at];
            let mut values = [0.0; 2];
            for (value, step) in values.iter_mut().zip([1e-5, -1e-5]) {
                weights[at] = old + step;
                *value = evaluate(&parts, &scope, &weights, 1).value;
            }
            weights[at] = old;
            let slope = (values[0] - values[1]) / 2e-5;
            assert!((slope - found.gradient[at]).abs() < 1e-5, "{at}: {slope}");
        }
    }
}

#[test]
fn what_cannot_be_summed_over_is_refused() {
    let (data, features, counts) = tiny(5);
    let likelihood = Likelihood::new(&data, &features, &counts).expect("small values");
    let (other, ..) = tiny(6);
    let claims = vec![true; other.positions() * 4];
    let sets = LabelSets::of_claims(&other, 4, &claims).expect("sets");
    for scope in [
        Scope::Candidates(&sets),
        Scope::Pruned(-0.1),
        Scope::Pruned(f64::NAN),
    ] {
        let found = scope.check(likelihood.data, likelihood.features);
        assert!(matches!(found, Err(Error::Config { .. })), "{scope:?}");
    }
    assert!(LabelSets::of_claims(&other, 3, &claims).is_err());
}
