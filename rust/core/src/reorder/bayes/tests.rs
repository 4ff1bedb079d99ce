use super::*;
use crate::reorder::{Examples, Rows};

fn counted(labels: &[u32], features: &[u32], offsets: &[u64]) -> Counts {
    let rows = Rows::new(offsets, features, None, 3).expect("three features");
    let examples = Examples::new(rows, labels, 2).expect("two classes");
    let mut counts = Counts::new(3, 2, true);
    counts.add(examples, &CancelToken::new()).expect("few");
    counts
}

#[test]
fn counts_of_parts_add_up_to_those_of_the_whole() {
    let whole = counted(&[0, 1, 1], &[0, 0, 1, 2, 2], &[0, 2, 4, 5]);
    let mut parts = counted(&[1, 1], &[1, 2, 2], &[0, 2, 3]);
    parts
        .merge(&counted(&[0], &[0, 0], &[0, 2]))
        .expect("the same features");
    assert_eq!(parts, whole);
    assert_eq!(whole.examples, [1, 2]);
    assert_eq!(whole.sums, [2.0, 0.0, 0.0, 1.0, 0.0, 2.0]);
    assert_eq!(whole.others[&(0, 2.0_f64.to_bits())], [1, 0]);
}

#[test]
fn what_no_class_can_have_gets_the_prior() {
    let counts = counted(&[0, 1, 1], &[0, 0, 1], &[0, 2, 3, 3]);
    let model = NaiveBayes::new(&counts, &[1.0], Inference::Map).expect("counts");
    let rows = Rows::new(&[0, 2, 2], &[0, 1], None, 3).expect("three features");
    let got = model
        .log_posterior(rows, 1, &CancelToken::new())
        .expect("three features");
    for pair in got.chunks(2) {
        assert!((pair[0] - (1.0_f64 / 3.0).ln()).abs() < 1e-12, "{got:?}");
    }
}

#[test]
fn the_rising_factorial_is_the_ratio_of_gamma_functions() {
    for (a, x) in [(0.5, 3.0), (7.25, 16.0), (2.0, 0.0), (1e6, 1.0)] {
        let expected = ln_gamma(a + x) - ln_gamma(a);
        assert!((log_rising(a, x) - expected).abs() < 1e-8 * expected.abs().max(1.0));
    }
}

#[test]
fn priors_out_of_range_are_refused() {
    let counts = counted(&[0, 1], &[0, 1], &[0, 1, 2]);
    for (prior, inference) in [
        (&[0.5][..], Inference::Map),
        (&[0.0], Inference::Bayesian),
        (&[1.0, 1.0], Inference::Map),
        (&[f64::NAN], Inference::Bayesian),
    ] {
        assert!(NaiveBayes::new(&counts, prior, inference).is_err());
    }
}
