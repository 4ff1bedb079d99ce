//! The search for the best weights: lines in many directions, from several starts.

use super::objective::Objective;
use super::problem::{Problem, check_vector};
use super::surface::{Piece, Surface};
use crate::cancel::CancelToken;
use crate::error::{Error, Result};
use crate::numeric::{to_f64, to_u64};
use crate::parallel;
use crate::progress::Progress;
use crate::rng::Stream;
use std::cmp::Ordering;
use std::sync::Mutex;

/// How weights are searched.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// Starts at random, after the one that is given.
    pub restarts: usize,
    /// Random directions that are tried in each step, after those of the coordinates.
    pub random_directions: usize,
    /// The least and the largest weight of each feature at a random start.
    pub bounds: Vec<[f64; 2]>,
    /// Weights that stay as they are given.
    pub is_frozen: Vec<bool>,
    /// Of random starts and directions.
    pub seed: u64,
    /// Steps from one start at most.
    pub steps: usize,
    /// BLEU that a step must gain.
    pub least_gain: f64,
    /// What is maximised.
    pub objective: Objective,
    /// How many threads work.
    pub threads: usize,
}

/// One step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// The feature along which it went; below 0, -1 - n for random direction n.
    pub direction: i64,
    /// How far, in multiples of the direction.
    pub x: f64,
    /// BLEU after it.
    pub score: f64,
}

/// The search from one start.
#[derive(Debug, Clone, PartialEq)]
pub struct Start {
    /// Where it began.
    pub initial: Vec<f64>,
    /// BLEU there.
    pub initial_score: f64,
    /// Where it ended.
    pub weights: Vec<f64>,
    /// The statistics of the corpus there.
    pub statistics: Vec<i64>,
    /// BLEU there.
    pub score: f64,
    /// The way.
    pub steps: Vec<Step>,
    /// Whether no direction gained any more.
    pub has_converged: bool,
}

/// The searches from all starts.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The number of the best one, the first of equals.
    pub best: usize,
    /// All.
    pub starts: Vec<Start>,
}

/// Searches weights of largest BLEU (Och 2003, section 5; Cer et al. 2008, section 3.3).
///
/// From each start, BLEU is maximised exactly along the directions of all coordinates and along random ones, whose components are uniform from -1 to 1; a
/// step goes along the one that gains most, until none gains. Each step is checked by the best hypotheses at its end.
///
/// # Errors
/// [`Error::Config`] for options out of range; [`Error::Cancelled`]; those of the problem.
///
/// # Complexity
/// A [`Problem::changes`] for each direction and step.
pub fn optimize(
    problem: &dyn Problem,
    weights: &[f64],
    options: &Options,
    cancel: &CancelToken,
    progress: &dyn Progress,
) -> Result<Found> {
    check(problem, weights, options)?;
    let count = options.restarts + 1;
    // Starts are independent; what threads are left go into each of them.
    let outer = options.threads.clamp(1, count);
    let inner = (options.threads / outer).max(1);
    let total = to_u64(count);
    progress.report("mert", 0, total, &[]);
    let done = Mutex::new((0, 0.0_f64));
    let starts = parallel::map(outer, cancel, (0..count).collect(), |_, number| {
        let search = Search {
            problem,
            options,
            number: to_u64(number),
            threads: inner,
            cancel,
        };
        let start = search.run(search.initial(weights))?;
        if let Ok(mut done) = done.lock() {
            *done = (done.0 + 1, done.1.max(start.score));
            progress.report("mert", done.0, total, &[("bleu", done.1)]);
        }
        Ok(start)
    })?;
    let mut best = 0;
    for (n, start) in starts.iter().enumerate() {
        if start.score > starts[best].score {
            best = n;
        }
    }
    Ok(Found { best, starts })
}

fn check(problem: &dyn Problem, weights: &[f64], options: &Options) -> Result<()> {
    let features = problem.features();
    check_vector("weights", weights, features)?;
    if options.is_frozen.len() != features || options.bounds.len() != features {
        let found = options.is_frozen.len().min(options.bounds.len());
        return Err(Error::config(
            "frozen and bounds",
            "one for each feature",
            found,
        ));
    }
    for [least, most] in &options.bounds {
        check_vector("bounds", &[*least, *most], 2)?;
        if least > most {
            let found = format!("{least} to {most}");
            return Err(Error::config(
                "bounds",
                "a least and a largest weight",
                found,
            ));
        }
    }
    if options.least_gain.is_nan() || options.least_gain < 0.0 {
        return Err(Error::config(
            "least_gain",
            "not negative",
            options.least_gain,
        ));
    }
    Ok(())
}

/// The search from one start.
struct Search<'a> {
    problem: &'a dyn Problem,
    options: &'a Options,
    number: u64,
    threads: usize,
    cancel: &'a CancelToken,
}

/// A direction with its name in the trace.
type Direction = (i64, Vec<f64>);

impl Search<'_> {
    /// Start 0 is the one that is given.
    fn initial(&self, weights: &[f64]) -> Vec<f64> {
        if self.number == 0 {
            return weights.to_vec();
        }
        let stream = Stream::new(&[self.options.seed, self.number, 0]);
        let draw = |n: usize| {
            let [least, most] = self.options.bounds[n];
            if self.options.is_frozen[n] {
                weights[n]
            } else {
                least + (most - least) * unit(stream, n)
            }
        };
        (0..weights.len()).map(draw).collect()
    }

    fn run(&self, initial: Vec<f64>) -> Result<Start> {
        let statistics = self.evaluate(&initial)?;
        let score = self.options.objective.value(&statistics);
        let mut start = Start {
            weights: initial.clone(),
            initial,
            initial_score: score,
            statistics,
            score,
            steps: Vec::new(),
            has_converged: false,
        };
        for step in 0..self.options.steps {
            if !self.step(to_u64(step), &mut start)? {
                start.has_converged = true;
                break;
            }
        }
        Ok(start)
    }

    fn evaluate(&self, weights: &[f64]) -> Result<Vec<i64>> {
        self.problem.evaluate(weights, self.threads, self.cancel)
    }

    /// Goes along the best direction; false if none gains.
    fn step(&self, step: u64, start: &mut Start) -> Result<bool> {
        let needed = start.score + self.options.least_gain;
        let mut pieces = self.pieces(step, &start.weights)?;
        pieces.retain(|(_, piece)| piece.score > needed);
        // A stable sort: of equals, the first direction.
        pieces.sort_by(|(_, a), (_, b)| b.score.partial_cmp(&a.score).unwrap_or(Ordering::Equal));
        for ((name, direction), piece) in pieces {
            let moved = direction.iter().zip(&start.weights);
            let weights: Vec<f64> = moved.map(|(d, w)| w + piece.x * d).collect();
            // What the line promises must be true at the point that can be told: rounding may have moved it.
            let statistics = self.evaluate(&weights)?;
            let score = self.options.objective.value(&statistics);
            if score > needed {
                start.steps.push(Step {
                    direction: name,
                    x: piece.x,
                    score,
                });
                (start.weights, start.statistics, start.score) = (weights, statistics, score);
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The best piece in each direction.
    fn pieces(&self, step: u64, weights: &[f64]) -> Result<Vec<(Direction, Piece)>> {
        let scores = self.problem.scores(weights, self.threads, self.cancel)?;
        let mut pieces = Vec::new();
        for direction in self.directions(step) {
            self.cancel.check()?;
            let changes = self
                .problem
                .changes(&scores, &direction.1, self.threads, self.cancel)?;
            let surface = Surface::new(changes, self.problem.width());
            let scale = far(weights, &direction.1);
            let best = surface.best(&self.options.objective, scale);
            pieces.extend(best.map(|piece| (direction, piece)));
        }
        Ok(pieces)
    }

    fn directions(&self, step: u64) -> Vec<Direction> {
        let features = self.problem.features();
        let is_free = |&n: &usize| !self.options.is_frozen[n];
        let free: Vec<usize> = (0..features).filter(is_free).collect();
        let coordinates = free.iter().map(|&n| {
            let mut direction = vec![0.0; features];
            direction[n] = 1.0;
            (i64::try_from(n).unwrap_or(i64::MAX), direction)
        });
        let random = (0..self.options.random_directions).map(|k| {
            let stream = Stream::new(&[self.options.seed, self.number, step + 1, to_u64(k)]);
            let mut direction = vec![0.0; features];
            for &n in &free {
                direction[n] = 2.0 * unit(stream, n) - 1.0;
            }
            (-1 - i64::try_from(k).unwrap_or(i64::MAX - 1), direction)
        });
        // Without a free feature, random directions lead nowhere.
        let random = random.filter(|_| !free.is_empty());
        coordinates.chain(random).collect()
    }
}

/// The `n`-th number of a stream as a uniform real in [0, 1), with 53 bits.
fn unit(stream: Stream, n: usize) -> f64 {
    to_f64(stream.bits(to_u64(n)) >> 11) * (f64::EPSILON / 2.0)
}

/// How often a direction must be taken to be as long as the weights.
#[must_use]
pub fn far(weights: &[f64], direction: &[f64]) -> f64 {
    let length = |vector: &[f64]| vector.iter().map(|x| x * x).sum::<f64>().sqrt();
    let (weights, direction) = (length(weights), length(direction));
    let direction = if direction > 0.0 { direction } else { 1.0 };
    if weights > 0.0 {
        weights / direction
    } else {
        1.0 / direction
    }
}
