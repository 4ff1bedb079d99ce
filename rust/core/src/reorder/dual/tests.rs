use super::*;
use crate::cancel::CancelToken;
use crate::progress::Silent;
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
        train(examples, options, &CancelToken::new(), &Silent).expect("valid options")
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
