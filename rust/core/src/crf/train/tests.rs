use super::*;
use crate::crf::batch::Batch;
use crate::crf::slots::Slots;
use crate::crf::testing::tiny;
use crate::crf::{Reason, Stopping, Unwatched};
use crate::progress::Silent;

fn run(
    options: &TrainOptions,
    resume: Option<&Snapshot>,
    threads: usize,
    observer: &mut dyn Observer,
) -> Result<Minimum> {
    let (data, features, counts) = tiny(60);
    let cancel = CancelToken::new();
    let work = Work {
        threads,
        cancel: &cancel,
        progress: &Silent,
    };
    let start = vec![0.0; features.len()];
    train(
        &data, &features, &counts, start, options, resume, work, observer,
    )
}

fn options(algorithm: Algorithm, l1: f64, passes: usize) -> TrainOptions {
    TrainOptions {
        algorithm,
        l1,
        l2: 0.1,
        batch: 4,
        stopping: Stopping {
            max_iterations: passes,
            epsilon: 1e-9,
            delta: 0.0,
            ..Stopping::default()
        },
        ..TrainOptions::default()
    }
}

#[test]
fn the_derivatives_of_batches_add_up_to_the_gradient() {
    let (data, features, counts) = tiny(60);
    let cancel = CancelToken::new();
    // The larger weights leave no sound probabilities in some sequences.
    for scale in [0.0, 0.3, 400.0] {
        let weights: Vec<f64> = (0..features.len())
            .map(|n| scale * (share_of(n) - 0.5))
            .collect();
        let likelihood = Likelihood::new(&data, &features, &counts).expect("small values");
        let mut gradient = vec![0.0; weights.len()];
        let value = likelihood
            .evaluate(&weights, &mut gradient, 1, &cancel)
            .expect("a value");
        let mut slots = Slots::new(&features, &weights).expect("room");
        let mut batch = Batch::new(&data, &features);
        let mut sum = 0.0;
        for sequences in crate::crf::epochs::batches(&data, 1, 1, 7) {
            slots.touch(&data, &sequences);
            sum += batch.add(&mut slots, &sequences, &cancel).expect("a value");
        }
        assert!((sum - value).abs() <= 1e-10 * value, "{sum} {value}");
        let found = slots.collect(|slot| slot.sum);
        for (a, b) in found.iter().zip(&gradient) {
            assert!((a - b).abs() < 1e-9, "{scale}: {a} {b}");
        }
    }
}

/// A number between 0 and 1.
fn share_of(n: usize) -> f64 {
    let digits = n.wrapping_mul(2_654_435_761) % 1_000;
    crate::numeric::to_f64(to_u64(digits)) / 1_000.0
}

#[test]
fn descent_comes_near_the_minimum() {
    for l1 in [0.0, 0.3] {
        let exact = run(&options(Algorithm::Lbfgs, l1, 500), None, 1, &mut Unwatched);
        let exact = exact.expect("a minimum").objective.expect("known");
        for algorithm in [Algorithm::Sgd, Algorithm::AdaGrad] {
            if l1 > 0.0 && algorithm == Algorithm::Sgd {
                continue;
            }
            let found =
                run(&options(algorithm, l1, 100), None, 1, &mut Unwatched).expect("weights");
            let value = found.objective.expect("known");
            assert!(
                exact <= value + 1e-9 && value < exact * 1.01,
                "{algorithm:?}, l1 {l1}: {value}, not {exact}"
            );
            if l1 > 0.0 {
                assert!(found.weights.contains(&0.0));
            }
        }
    }
}

#[test]
fn first_passes_lead_to_the_same_minimum_in_fewer_iterations() {
    for l1 in [0.0, 0.3] {
        let mut options = options(Algorithm::Lbfgs, l1, 500);
        let cold = run(&options, None, 1, &mut Unwatched).expect("a minimum");
        options.warm_passes = 20;
        let warm = run(&options, None, 1, &mut Unwatched).expect("a minimum");
        let (a, b) = (warm.objective, cold.objective);
        let (a, b) = (a.expect("known"), b.expect("known"));
        assert!((a - b).abs() < 1e-8 * b, "{a} {b}");
        assert!(warm.history[0] < cold.history[2]);
    }
}

#[test]
fn a_sequence_of_weight_2_is_one_that_stands_twice() {
    let (data, features, _) = tiny(12);
    let weights: Vec<f64> = (0..12).map(|n| f64::from(n % 3)).collect();
    let mut twice = Sequences::default();
    for (number, sequence) in data.iter().enumerate() {
        for _ in 0..number % 3 {
            for (position, &label) in sequence.positions().zip(sequence.labels()) {
                data.features(position, |id, value| {
                    twice.push_feature(id, value).expect("room");
                });
                twice.end_position(label);
            }
            twice.end_sequence();
        }
    }
    let data = data.with_weights(weights).expect("weights");
    let zeros = vec![0.2; features.len()];
    let cancel = CancelToken::new();
    let sums = |data: &Sequences| {
        let mut slots = Slots::new(&features, &zeros).expect("room");
        let mut batch = Batch::new(data, &features);
        let mut value = 0.0;
        for sequences in crate::crf::epochs::batches(data, 1, 1, 5) {
            slots.touch(data, &sequences);
            value += batch.add(&mut slots, &sequences, &cancel).expect("a value");
        }
        (value, slots.collect(|slot| slot.sum))
    };
    let ((a, left), (b, right)) = (sums(&data), sums(&twice));
    assert!((a - b).abs() < 1e-9 * b, "{a} {b}");
    for (a, b) in left.iter().zip(&right) {
        assert!((a - b).abs() < 1e-9, "{a} {b}");
    }
}

#[test]
fn a_perceptron_learns_what_can_be_learned() {
    let found = run(
        &options(Algorithm::Perceptron, 0.0, 50),
        None,
        1,
        &mut Unwatched,
    )
    .expect("weights");
    assert_eq!(found.history.last(), Some(&0.0));
    assert_eq!(found.reason, Reason::Objective);
}

#[test]
fn what_an_algorithm_cannot_do_is_refused() {
    let l1 = options(Algorithm::Sgd, 0.5, 5);
    let mut l2 = options(Algorithm::Sgd, 0.0, 5);
    l2.l2 = 0.0;
    let mut rate = options(Algorithm::AdaGrad, 0.0, 5);
    rate.rate = Some(0.0);
    for (wrong, name) in [(l1, "l1"), (l2, "l2"), (rate, "rate")] {
        let Err(Error::Config { name: found, .. }) = wrong.check() else {
            panic!("{wrong:?} passes")
        };
        assert_eq!(found, name);
    }
    assert!(Algorithm::named("newton").is_err());
    assert_eq!(Algorithm::named("adagrad"), Ok(Algorithm::AdaGrad));
}

/// Keeps a snapshot of each iteration.
#[derive(Default)]
struct Keeping(Vec<Snapshot>);

impl Observer for Keeping {
    fn see(&mut self, state: &State<'_>) -> Result<bool> {
        self.0.push(state.snapshot());
        Ok(true)
    }
}

#[test]
fn a_run_that_resumes_ends_with_the_same_bits() {
    for (algorithm, l1) in [
        (Algorithm::Lbfgs, 0.0),
        (Algorithm::Lbfgs, 0.3),
        (Algorithm::Sgd, 0.0),
        (Algorithm::AdaGrad, 0.1),
        (Algorithm::Perceptron, 0.0),
    ] {
        let options = options(algorithm, l1, 25);
        let mut kept = Keeping::default();
        let whole = run(&options, None, 1, &mut kept).expect("weights");
        assert!(kept.0.len() > 1, "{algorithm:?}");
        for snapshot in &kept.0 {
            let again = run(&options, Some(snapshot), 3, &mut Unwatched).expect("weights");
            assert_eq!(again.weights, whole.weights, "{algorithm:?}");
            assert_eq!(again.history, whole.history, "{algorithm:?}");
            assert_eq!(again.reason, whole.reason, "{algorithm:?}");
        }
    }
}

#[test]
fn a_snapshot_of_another_search_is_refused() {
    let mut kept = Keeping::default();
    run(&options(Algorithm::Perceptron, 0.0, 2), None, 1, &mut kept).expect("weights");
    let found = run(
        &options(Algorithm::Lbfgs, 0.0, 2),
        kept.0.last(),
        1,
        &mut Unwatched,
    );
    assert!(matches!(found, Err(Error::Model { .. })), "{found:?}");
}

/// Cancels in the middle of an iteration, and remembers where the search says it was.
struct StoppingAt<'a> {
    cancel: &'a CancelToken,
    kept: Option<Snapshot>,
    last: Option<Snapshot>,
}

impl Observer for StoppingAt<'_> {
    fn see(&mut self, state: &State<'_>) -> Result<bool> {
        self.last = Some(state.snapshot());
        if state.iteration == 1 {
            // It is looked at when the next iteration is under way.
            self.cancel.cancel();
        }
        Ok(true)
    }

    fn stop(&mut self, state: &State<'_>) -> Result<()> {
        self.kept = Some(state.snapshot());
        Ok(())
    }

    fn hears_stop(&self) -> bool {
        true
    }
}

#[test]
fn an_interrupt_leaves_the_last_whole_iteration() {
    let (data, features, counts) = tiny(60);
    for algorithm in Algorithm::ALL {
        let cancel = CancelToken::new();
        let work = Work {
            threads: 1,
            cancel: &cancel,
            progress: &Silent,
        };
        let mut observer = StoppingAt {
            cancel: &cancel,
            kept: None,
            last: None,
        };
        let mut options = options(algorithm, 0.0, 25);
        options.rate = Some(0.1);
        let found = train(
            &data,
            &features,
            &counts,
            vec![0.0; features.len()],
            &options,
            None,
            work,
            &mut observer,
        );
        assert_eq!(found, Err(Error::Cancelled), "{algorithm:?}");
        assert!(observer.kept.is_some(), "{algorithm:?}");
        assert_eq!(observer.kept, observer.last, "{algorithm:?}");
    }
}
