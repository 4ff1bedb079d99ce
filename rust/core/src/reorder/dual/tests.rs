use super::*;
use crate::cancel::CancelToken;
use crate::numeric::to_index;
use crate::progress::Silent;
use crate::reorder::further::Further;
use crate::reorder::{Examples, Rows};
use crate::rng::Stream;
use proptest::prelude::*;

struct Made {
    offsets: Vec<u64>,
    features: Vec<u32>,
    labels: Vec<u32>,
    classes: usize,
}

impl Made {
    /// Random bags of words over ten features, repeats among them.
    fn new(n: u64, classes: u32, seed: u64) -> Self {
        let stream = Stream::new(&[seed]);
        let (mut offsets, mut features, mut labels) = (vec![0], Vec::new(), Vec::new());
        for i in 0..n {
            let mut row: Vec<u32> = (0..stream.below(64 * i, 6))
                .map(|j| stream.below(64 * i + 1 + u64::from(j), 10))
                .collect();
            row.sort_unstable();
            let lean = row.iter().sum::<u32>() + stream.below(64 * i + 63, 3);
            labels.push(lean % classes);
            features.extend(row);
            offsets.push(features.len() as u64);
        }
        Self {
            offsets,
            features,
            labels,
            classes: classes as usize,
        }
    }

    fn train(&self, options: &Options) -> Outcome {
        let rows = Rows::new(&self.offsets, &self.features, None, 10).expect("ten features");
        let examples = Examples::new(rows, &self.labels, self.classes).expect("classes");
        train(examples, None, options, &CancelToken::new(), &Silent).expect("valid options")
    }
}

fn options(method: Method) -> Options {
    Options {
        sigma2: 1.0,
        tolerance: 1e-10,
        passes: 5000,
        method,
        ..Options::default()
    }
}

#[test]
fn further_features_are_as_good_as_longer_rows() {
    let made = Made::new(50, 3, 4);
    let more: Vec<u32> = (0..50)
        .flat_map(|i| [i * i % 3, 3 + i % 2, 5 + i % 3])
        .collect();
    let (mut offsets, mut features) = (vec![0], Vec::new());
    for (ends, more) in made.offsets.windows(2).zip(more.chunks(3)) {
        features.extend_from_slice(&made.features[to_index(ends[0])..to_index(ends[1])]);
        features.extend(more.iter().map(|feature| 10 + feature));
        offsets.push(features.len() as u64);
    }
    let values: Vec<f64> = vec![1.0; made.features.len()];
    let longer_values: Vec<f64> = vec![1.0; features.len()];
    let cancel = CancelToken::new();
    for has_values in [false, true] {
        let rows =
            |offsets, features, values, columns| Rows::trusted(offsets, features, values, columns);
        let values = has_values.then_some(&values[..]);
        let longer_values = has_values.then_some(&longer_values[..]);
        let short = Examples::new(
            rows(&made.offsets, &made.features, values, 10),
            &made.labels,
            3,
        )
        .expect("classes");
        let long = Examples::new(
            rows(&offsets, &features, longer_values, 18),
            &made.labels,
            3,
        )
        .expect("classes");
        let further = Further::new(short, &more, 3, 8).expect("eight features");
        let options = options(Method::ExponentiatedGradient);
        let got = train(short, Some(further), &options, &cancel, &Silent).expect("trains");
        let expected = train(long, None, &options, &cancel, &Silent).expect("trains");
        assert_eq!(got.weights.values, expected.weights.values);
        assert_eq!(got.passes, expected.passes);
    }
}

#[test]
fn further_features_that_do_not_fit_are_refused() {
    let made = Made::new(2, 2, 1);
    let rows = Rows::new(&made.offsets, &made.features, None, 10).expect("ten features");
    let examples = Examples::new(rows, &made.labels, 2).expect("classes");
    for (features, of_each, columns, message) in [
        (&[0, 1, 0][..], 2, 2, "equally many"),
        (&[0, 1, 1, 2], 2, 2, "be those there are"),
        (&[0, 1, 1, 0], 2, 2, "must rise"),
        (&[0, 1, 0, 1], 2, usize::MAX, "fewer than 2^32"),
    ] {
        let problem = Further::new(examples, features, of_each, columns).expect_err("does not fit");
        assert!(problem.to_string().contains(message), "{problem}");
    }
    assert!(Further::new(examples, &[0, 1, 0, 1], 2, 2).is_ok());
}

#[test]
fn both_methods_and_all_ways_to_shrink_find_the_same_optimum() {
    let made = Made::new(60, 3, 1);
    let reference = made.train(&Options {
        shrink: false,
        ..options(Method::Block)
    });
    assert!(reference.has_converged);
    for method in [Method::ExponentiatedGradient, Method::Block] {
        for epsilon in [1e-300, 0.01, 0.1, 1.0] {
            let got = made.train(&Options {
                epsilon,
                ..options(method)
            });
            assert!(got.has_converged, "{method:?} {epsilon}");
            for (a, b) in got.weights.values.iter().zip(&reference.weights.values) {
                assert!((a - b).abs() < 1e-4, "{method:?} {epsilon}: {a} {b}");
            }
        }
    }
}

#[test]
fn algorithm_1_as_printed_stops_when_the_set_is_empty_short_of_the_optimum() {
    let made = Made::new(60, 3, 2);
    let printed = Options {
        epsilon: 1.0,
        unshrink: false,
        ..options(Method::ExponentiatedGradient)
    };
    let got = made.train(&printed);
    let last = got.checks.last().expect("a last look");
    assert!(got.passes.len() < 100);
    assert!(!got.has_converged && last.gap() > 1e-6);
    let closed = made.train(&Options {
        unshrink: true,
        ..printed
    });
    assert!(closed.has_converged);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// The laws of the dual: alpha is on the simplex, D never rises, weights are (10) and sum to zero over the classes, the gap is not negative.
    #[test]
    fn the_laws_hold_at_every_stop(n in 1u64..40, classes in 2u32..7, seed in 0u64..1000, passes in 1u32..12, is_block: bool) {
        let made = Made::new(n, classes, seed);
        let method = if is_block { Method::Block } else { Method::ExponentiatedGradient };
        let stop = Options { passes, ..options(method) };
        let got = made.train(&stop);
        let k = made.classes;
        let rows = Rows::new(&made.offsets, &made.features, None, 10).expect("ten features");
        let mut expected = vec![0.0; 11 * k];
        for (i, log_alpha) in got.log_alpha.chunks(k).enumerate() {
            let alpha: Vec<f64> = log_alpha.iter().map(|l| l.exp()).collect();
            prop_assert!((alpha.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            for c in 0..k {
                let change = f64::from(u8::from(made.labels[i] as usize == c)) - alpha[c];
                rows.row(i).for_each(|m, x| expected[m * k + c] += stop.sigma2 * change * x);
                expected[10 * k + c] += stop.sigma2 * change;
            }
        }
        for (a, b) in got.weights.values.iter().zip(&expected) {
            prop_assert!((a - b).abs() < 1e-9);
        }
        for weights in got.weights.values.chunks(k) {
            prop_assert!(weights.iter().sum::<f64>().abs() < 1e-9);
        }
        prop_assert!(got.passes.iter().all(|pass| pass.fall >= 0.0));
        prop_assert!(got.checks.iter().all(|check| check.gap() > -1e-12));
        let falling = got.checks.windows(2).all(|pair| pair[1].dual <= pair[0].dual + 1e-9);
        prop_assert!(falling);
    }
}
