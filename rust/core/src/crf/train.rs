//! Training: the weights that minimise -log p + c2 |w|^2 + c1 |w|_1, found exactly or on the way through the data, or those of a perceptron.

use super::dataset::Sequences;
use super::descent::{Descent, Rule};
use super::epochs::{Learner, learn};
use super::features::Features;
use super::lbfgs::{Minimum, Observer, State, Stopping, descent_norm, minimize};
use super::likelihood::Likelihood;
use super::perceptron::Perceptron;
use super::snapshot::Snapshot;
use super::vectors::Vectors;
use crate::cancel::CancelToken;
use crate::error::{Error, Result};
use crate::numeric::to_u64;
use crate::progress::Progress;

/// How weights are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Algorithm {
    /// L-BFGS, or OWL-QN with c1: the minimum, by exact gradients on all threads.
    #[default]
    Lbfgs,
    /// Stochastic gradient descent with one rate; one thread.
    Sgd,
    /// Stochastic gradient descent with a rate for each weight; one thread.
    AdaGrad,
    /// The averaged perceptron, which has another objective; one thread.
    Perceptron,
}

impl Algorithm {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Lbfgs, Self::Sgd, Self::AdaGrad, Self::Perceptron];

    /// One word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Lbfgs => "lbfgs",
            Self::Sgd => "sgd",
            Self::AdaGrad => "adagrad",
            Self::Perceptron => "perceptron",
        }
    }

    /// The algorithm of this name.
    ///
    /// # Errors
    /// [`Error::Config`] when there is none.
    pub fn named(name: &str) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|kind| kind.name() == name);
        found.ok_or_else(|| {
            let expected = "'lbfgs', 'sgd', 'adagrad' or 'perceptron'";
            Error::config("algorithm", expected, format!("'{name}'"))
        })
    }
}

/// What is minimised, and how.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrainOptions {
    /// How.
    pub algorithm: Algorithm,
    /// c2: the factor of the sum of squared weights (no 1/2, as in `CRFsuite`; 1 / (2 sigma^2) of a Gaussian prior). A perceptron has none.
    pub l2: f64,
    /// c1: the factor of the sum of absolute weights. Not for SGD and perceptrons.
    pub l1: f64,
    /// When to stop. For all but L-BFGS iterations are passes over the data, of which only their number, `delta` and `period` are looked at.
    pub stopping: Stopping,
    /// Sequences of a batch of SGD and `AdaGrad`.
    pub batch: usize,
    /// The first rate of SGD and `AdaGrad`; it is found on a sample if there is none.
    pub rate: Option<f64>,
    /// The key of the orders of passes.
    pub seed: u64,
    /// Passes of descent before L-BFGS begins, which start it near the minimum: of SGD, or of `AdaGrad` with c1 or without c2.
    pub warm_passes: usize,
}

impl Default for TrainOptions {
    fn default() -> Self {
        Self {
            algorithm: Algorithm::Lbfgs,
            l2: 0.0,
            l1: 0.0,
            stopping: Stopping::default(),
            batch: 16,
            rate: None,
            seed: 1,
            warm_passes: 0,
        }
    }
}

impl TrainOptions {
    /// # Errors
    /// [`Error::Config`] for what is out of range, or not for this algorithm.
    pub fn check(&self) -> Result<()> {
        let from_zero = [
            ("l2", self.l2),
            ("l1", self.l1),
            ("epsilon", self.stopping.epsilon),
            ("delta", self.stopping.delta),
        ];
        for (name, value) in from_zero {
            if !(value.is_finite() && value >= 0.0) {
                return Err(Error::config(name, "a finite number from 0", value));
            }
        }
        for (name, value) in [("memory", self.stopping.memory), ("batch", self.batch)] {
            if value == 0 {
                return Err(Error::config(name, "at least 1", 0));
            }
        }
        if let Some(rate) = self.rate.filter(|rate| !(rate.is_finite() && *rate > 0.0)) {
            return Err(Error::config("rate", "a finite number above 0", rate));
        }
        match self.algorithm {
            Algorithm::Sgd if self.l1 > 0.0 => Err(Error::config(
                "l1",
                "0 with the algorithm 'sgd'; use 'adagrad' or 'lbfgs'",
                self.l1,
            )),
            Algorithm::Sgd if self.l2 == 0.0 => Err(Error::config(
                "l2",
                "above 0 with the algorithm 'sgd', whose rate falls by it; use 'adagrad' or 'lbfgs'",
                self.l2,
            )),
            _ => Ok(()),
        }
    }
}

/// The three things of long work.
#[derive(Clone, Copy)]
pub struct Work<'a> {
    /// Threads of L-BFGS, and of the objective at the end.
    pub threads: usize,
    /// Whether to go on.
    pub cancel: &'a CancelToken,
    /// Who is told.
    pub progress: &'a dyn Progress,
}

/// Fits weights to labelled sequences, from `start` on, or from where a snapshot was taken with the same data and options. `counts` are those of [`Features::collect`].
///
/// # Errors
/// [`Error::Config`] for options out of range and values too large; [`Error::Cancelled`]; [`Error::Memory`]; [`Error::Model`] for the snapshot of another run; those of
/// the observer.
///
/// # Complexity
/// L-BFGS: an evaluation of the likelihood ([`Likelihood::evaluate`]) for each iteration and a few more; memory is 2 m + 7 vectors of weights with m remembered pairs
/// and one for each thread. The others: a pass costs about as much as an evaluation on one thread, a perceptron's as much as labelling; memory is 5 vectors.
#[expect(
    clippy::too_many_arguments,
    reason = "what is fitted, how, from where, and who watches"
)]
pub fn train(
    data: &Sequences,
    features: &Features,
    counts: &[f64],
    start: Vec<f64>,
    options: &TrainOptions,
    resume: Option<&Snapshot>,
    work: Work<'_>,
    observer: &mut dyn Observer,
) -> Result<Minimum> {
    options.check()?;
    if data.allowed().is_some() && options.algorithm != Algorithm::Lbfgs {
        return Err(Error::config(
            "algorithm",
            "'lbfgs' for positions without a label of their own",
            format!("'{}'", options.algorithm.name()),
        ));
    }
    let total = to_u64(options.stopping.max_iterations);
    work.progress.report("training", 0, total, &[]);
    let objective = Objective {
        likelihood: Likelihood::new(data, features, counts)?,
        vectors: Vectors::new(work.threads),
        l2: options.l2,
        work,
    };
    let mut observer = Reporting {
        inner: observer,
        options,
        work,
    };
    let learned = match options.algorithm {
        Algorithm::Lbfgs => {
            let start = match resume {
                None => warmed(data, features, start, options, work)?,
                Some(_) => start,
            };
            return minimize(
                start,
                options.l1,
                &options.stopping,
                resume,
                objective.vectors.clone(),
                |weights, gradient| objective.evaluate(weights, gradient),
                &mut observer,
            );
        }
        Algorithm::Perceptron => {
            let mut learner = Perceptron::new(data, features, &start, options.seed, work.cancel)?;
            return learn(&mut learner, &options.stopping, resume, &mut observer);
        }
        Algorithm::Sgd | Algorithm::AdaGrad => {
            let rule = if options.algorithm == Algorithm::Sgd {
                Rule::Sgd
            } else {
                Rule::AdaGrad
            };
            let is_resumed = resume.is_some();
            let mut learner = Descent::new(
                data,
                features,
                &start,
                rule,
                options,
                is_resumed,
                work.cancel,
            )?;
            learn(&mut learner, &options.stopping, resume, &mut observer)?
        }
    };
    // What was seen in passing is not the objective of the weights at the end.
    let mut gradient = vec![0.0; features.len()];
    let smooth = objective.evaluate(&learned.weights, &mut gradient)?;
    let absolute: f64 = learned.weights.iter().map(|weight| weight.abs()).sum();
    Ok(Minimum {
        objective: Some(smooth + options.l1 * absolute),
        gradient_norm: Some(descent_norm(&learned.weights, &gradient, options.l1)),
        ..learned
    })
}

/// Weights after some passes of descent.
pub(super) fn warmed(
    data: &Sequences,
    features: &Features,
    start: Vec<f64>,
    options: &TrainOptions,
    work: Work<'_>,
) -> Result<Vec<f64>> {
    if options.warm_passes == 0 || data.allowed().is_some() {
        return Ok(start);
    }
    let rule = if options.l1 > 0.0 || options.l2 == 0.0 {
        Rule::AdaGrad
    } else {
        Rule::Sgd
    };
    let mut learner = Descent::new(data, features, &start, rule, options, false, work.cancel)?;
    for pass in 1..=options.warm_passes {
        let total = to_u64(options.warm_passes);
        work.progress
            .report("first passes", to_u64(pass - 1), total, &[]);
        learner.pass(pass)?;
    }
    Ok(learner.weights())
}

/// The smooth part of the objective.
struct Objective<'a> {
    likelihood: Likelihood<'a>,
    vectors: Vectors,
    l2: f64,
    work: Work<'a>,
}

impl Objective<'_> {
    fn evaluate(&self, weights: &[f64], gradient: &mut [f64]) -> Result<f64> {
        let Work {
            threads, cancel, ..
        } = self.work;
        let value = self
            .likelihood
            .evaluate(weights, gradient, threads, cancel)?;
        if self.l2 == 0.0 {
            return Ok(value);
        }
        let squares = self
            .vectors
            .add_and_square(2.0 * self.l2, weights, gradient);
        Ok(value + self.l2 * squares)
    }
}

/// Tells progress, and then the observer.
struct Reporting<'a> {
    inner: &'a mut dyn Observer,
    options: &'a TrainOptions,
    work: Work<'a>,
}

impl Observer for Reporting<'_> {
    fn see(&mut self, state: &State<'_>) -> Result<bool> {
        let value = match self.options.algorithm {
            Algorithm::Perceptron => "mistakes",
            _ => "objective",
        };
        let mut figures = vec![(value, state.objective)];
        figures.extend(state.gradient_norm.map(|norm| ("gradient", norm)));
        let goes_on = self.inner.see(state)?;
        figures.extend(self.inner.score().map(|score| ("dev", score)));
        self.work.progress.report(
            "training",
            to_u64(state.iteration),
            to_u64(self.options.stopping.max_iterations),
            &figures,
        );
        Ok(goes_on)
    }

    fn stop(&mut self, state: &State<'_>) -> Result<()> {
        self.inner.stop(state)
    }

    fn hears_stop(&self) -> bool {
        self.inner.hears_stop()
    }

    fn is_over(&self, iteration: usize) -> bool {
        self.inner.is_over(iteration)
    }
}

#[cfg(test)]
mod tests {
    use super::super::batch::Batch;
    use super::super::lbfgs::{Reason, Unwatched};
    use super::super::slots::Slots;
    use super::super::testing::tiny;
    use super::*;
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
            for sequences in super::super::epochs::batches(&data, 1, 1, 7) {
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
            for sequences in super::super::epochs::batches(data, 1, 1, 5) {
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
}
