//! The search: words move one at a time.

use super::ClassOptions;
use super::bigrams::Bigrams;
use super::counts::{ClassCounts, Profile};
use super::entropy::Entropy;
use crate::cancel::CancelToken;
use crate::error::Result;
use crate::numeric::{to_f64, to_u64};
use crate::progress::Progress;
use crate::rng::Stream;
use std::cmp::Reverse;
use std::sync::{Mutex, PoisonError};

/// Words between two looks at the token and two reports.
const STRETCH: usize = 4096;

/// One search from the start of run number `run`: the class of each word, and F before it and after each iteration.
pub(super) fn exchange(
    bigrams: &Bigrams,
    entropy: &Entropy,
    options: &ClassOptions,
    run: u32,
    cancel: &CancelToken,
    tally: &Tally<'_>,
) -> Result<(Vec<u16>, Vec<f64>)> {
    let count = usize::from(options.classes);
    let mut order: Vec<usize> = (0..bigrams.types()).collect();
    order.sort_by_key(|&word| Reverse(bigrams.frequency(word)));
    let mut classes = start(&order, options, run);
    // The boundary has a class of its own and never moves.
    classes.push(options.classes);
    let mut counts = ClassCounts::new(bigrams, &classes, count, entropy)?;
    let mut history = vec![counts.log_likelihood(bigrams)];
    let mut profile = Profile::new(count);
    let mut gains = vec![0.0; count];
    let least = counts.smallest_gain();
    for _ in 0..options.iterations {
        let mut moves = 0_u64;
        for words in order.chunks(STRETCH) {
            cancel.check()?;
            for &word in words {
                let old = usize::from(classes[word]);
                profile.fill(word, bigrams, &classes);
                counts.remove(&profile, old);
                counts.gains(&profile, &mut gains);
                let best = largest(&gains);
                let new = if gains[best] - gains[old] > least {
                    best
                } else {
                    old
                };
                counts.insert(&profile, new);
                if new != old {
                    moves += 1;
                    // Classes number fewer than 2^16.
                    classes[word] = u16::try_from(new).unwrap_or(u16::MAX);
                }
            }
            tally.add(words.len(), bigrams, history.last());
        }
        history.push(counts.log_likelihood(bigrams));
        if moves == 0 {
            break;
        }
    }
    classes.pop();
    Ok((classes, history))
}

/// The classes that a run starts from. The first run deals the words out by falling frequency; the second gives the most frequent words a class
/// each and puts the rest into the last one (Martin, Liermann and Ney 1998); the others draw.
fn start(order: &[usize], options: &ClassOptions, run: u32) -> Vec<u16> {
    let count = usize::from(options.classes);
    let draws = Stream::new(&[options.seed, u64::from(run)]);
    let mut classes = vec![0; order.len()];
    for (rank, &word) in order.iter().enumerate() {
        let class = match run {
            0 => rank % count,
            1 => rank.min(count - 1),
            _ => usize::from(draw(draws, rank, options.classes)),
        };
        // Below the number of classes.
        classes[word] = u16::try_from(class).unwrap_or(0);
    }
    classes
}

/// The number that stands at a place of a stream, below a bound.
fn draw(draws: Stream, place: usize, bound: u16) -> u16 {
    u16::try_from(draws.below(to_u64(place), u32::from(bound))).unwrap_or(0)
}

/// The place of the largest number, the first of equals.
fn largest(numbers: &[f64]) -> usize {
    let mut best = 0;
    for (place, number) in numbers.iter().enumerate() {
        if *number > numbers[best] {
            best = place;
        }
    }
    best
}

/// Words visited by all runs together, told in order.
pub(super) struct Tally<'a> {
    progress: &'a dyn Progress,
    total: u64,
    done: Mutex<u64>,
}

impl<'a> Tally<'a> {
    pub(super) fn new(
        progress: &'a dyn Progress,
        bigrams: &Bigrams,
        options: &ClassOptions,
    ) -> Self {
        let visits = u64::from(options.iterations) * u64::from(options.runs);
        let total = visits.saturating_mul(to_u64(bigrams.types())).max(1);
        progress.report("clustering", 0, total, &[]);
        Self {
            progress,
            total,
            done: Mutex::new(0),
        }
    }

    fn add(&self, words: usize, bigrams: &Bigrams, log_likelihood: Option<&f64>) {
        let figure = log_likelihood.map(|f| ("perplexity", perplexity(*f, bigrams.events())));
        let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        *done += to_u64(words);
        if *done < self.total {
            self.progress
                .report("clustering", *done, self.total, figure.as_slice());
        }
    }

    /// The searches have ended, some perhaps before their last iteration.
    pub(super) fn finish(&self) {
        self.progress
            .report("clustering", self.total, self.total, &[]);
    }
}

/// exp(-F / events).
fn perplexity(log_likelihood: f64, events: u64) -> f64 {
    libm::exp(-log_likelihood / to_f64(events.max(1)))
}
