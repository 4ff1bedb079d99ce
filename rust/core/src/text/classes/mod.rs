//! Word classes from text alone: exchange clustering under the class bigram model (Kneser and Ney 1993; Martin, Liermann and Ney 1998).
//!
//! Every word w belongs to one class g(w). The model predicts a word from the class of the word before it,
//! p(w | v) = p(w | g(w)) p(g(w) | g(v)); with relative frequencies its log-likelihood is
//!
//! F = sum over (g, g') of h(N(g, g')) - 2 sum over g of h(N(g)) + sum over w of h(N(w)),   h(x) = x ln x,
//!
//! where N counts pairs of neighbouring classes, classes and words. The boundary of a sentence is a word of its own, in a class of its own,
//! before the first and after the last word. The exchange algorithm visits the words by falling frequency, moves each to the class
//! where F is largest, and starts over until no word moves.
//!
//! On the way: [`bigrams`] counts which words stand beside each other, [`counts`] keeps N(g, g') and what a move would change, [`exchange`]
//! moves words, [`entropy`] is the function h.

mod bigrams;
mod counts;
mod entropy;
mod exchange;

use super::Side;
use crate::cancel::CancelToken;
use crate::error::{Error, Result};
use crate::parallel;
use crate::progress::Progress;
use bigrams::Bigrams;
use entropy::Entropy;
use exchange::{Tally, exchange};
use std::cmp::Reverse;

/// The most classes: the tables of pairs of classes take 32 bytes for each.
pub const MAX_CLASSES: u16 = 4096;

/// The most runs: the classes of all of them are kept until the last one has ended.
pub const MAX_RUNS: u32 = 1000;

/// How to cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClassOptions {
    /// Number of classes, 1 to [`MAX_CLASSES`].
    pub classes: u16,
    /// The most visits to every word; the search ends sooner when no word moves.
    pub iterations: u32,
    /// Number of searches from different starts, 1 to [`MAX_RUNS`], of which the best is kept (the first of equals).
    pub runs: u32,
    /// Seed of the starts that are drawn: those of all runs but the first two.
    pub seed: u64,
}

impl ClassOptions {
    fn check(&self) -> Result<()> {
        let refuse = |name, expected: String, found: String| {
            Err(Error::Config {
                name,
                expected,
                found,
            })
        };
        if !(1..=MAX_CLASSES).contains(&self.classes) {
            let expected = format!("between 1 and {MAX_CLASSES}");
            return refuse("classes", expected, self.classes.to_string());
        }
        if !(1..=MAX_RUNS).contains(&self.runs) {
            let expected = format!("between 1 and {MAX_RUNS}");
            return refuse("runs", expected, self.runs.to_string());
        }
        Ok(())
    }
}

/// Classes of the words of a text.
#[derive(Debug, Clone, PartialEq)]
pub struct Clustering {
    /// The class of each word type, by id. Classes are numbered by falling number of tokens; ties by the smallest word id.
    pub classes: Vec<u16>,
    /// Number of classes that have words: less than what was asked for when there are fewer words.
    pub count: u16,
    /// F in nats before the search and after each iteration of the run that was kept.
    pub history: Vec<f64>,
    /// Predictions that F sums over: tokens, and one end for each sentence that has tokens.
    pub events: u64,
}

/// Finds classes for the words of a side; all its sentences count, usable or not.
///
/// Runs go to threads; a single run takes one thread. The result does not depend on their number.
///
/// # Errors
/// [`Error::Config`] when an option is outside its range; [`Error::TooLarge`] for 2^32 tokens or more; [`Error::Memory`],
/// [`Error::Cancelled`].
///
/// # Complexity
/// An iteration takes O(B + C sum over w of d(w)) time, where B is the number of distinct pairs of neighbouring words and d(w), at most 2 C, the
/// number of classes that the neighbours of w have. Memory: 4 bytes a token while pairs are counted, 16 a distinct pair, and 32 C^2 a thread.
///
/// # Examples
/// ```
/// use plait_core::cancel::CancelToken;
/// use plait_core::progress::Silent;
/// use plait_core::text::classes::{ClassOptions, cluster};
/// use plait_core::text::{BitextBuilder, TextOptions};
///
/// let builder = BitextBuilder::new(TextOptions::default())?;
/// builder.feed_joint(b"a cat ||| x\nthe cat ||| x\na dog ||| x\nthe dog ||| x\n")?;
/// let bitext = builder.finish()?;
/// let options = ClassOptions { classes: 2, iterations: 20, runs: 1, seed: 1 };
/// let found = cluster(bitext.source(), &options, 1, &CancelToken::new(), &Silent)?;
/// let class = |word| bitext.source().vocabulary().words().position(|w| w == word).map(|id| found.classes[id]);
/// assert_eq!(class("a"), class("the"));
/// assert_ne!(class("a"), class("dog"));
/// # Ok::<(), plait_core::error::Error>(())
/// ```
pub fn cluster(
    side: &Side,
    options: &ClassOptions,
    threads: usize,
    cancel: &CancelToken,
    progress: &dyn Progress,
) -> Result<Clustering> {
    options.check()?;
    progress.report("counting", 0, 1, &[]);
    let bigrams = Bigrams::count(side.tokens(), side.offsets(), side.vocabulary().len())?;
    cancel.check()?;
    let entropy = Entropy::new()?;
    let tally = Tally::new(progress, &bigrams, options);
    let runs: Vec<u32> = (0..options.runs).collect();
    let found = parallel::map(threads, cancel, runs, |_, run| {
        exchange(&bigrams, &entropy, options, run, cancel, &tally)
    })?;
    tally.finish();
    let last = |history: &[f64]| history.last().copied().unwrap_or(f64::NEG_INFINITY);
    // The first of equals: `max_by` would take the last.
    let best = found
        .into_iter()
        .reduce(|best, other| {
            if last(&other.1) > last(&best.1) {
                other
            } else {
                best
            }
        })
        .unwrap_or_default();
    let (classes, count) = by_falling_size(best.0, &bigrams, options.classes);
    Ok(Clustering {
        classes,
        count,
        history: best.1,
        events: bigrams.events(),
    })
}

/// The same classes with numbers by falling number of tokens, without empty ones, and how many there are.
fn by_falling_size(mut classes: Vec<u16>, bigrams: &Bigrams, count: u16) -> (Vec<u16>, u16) {
    // For each class its tokens and its smallest word.
    let mut sizes = vec![(0_u64, usize::MAX); usize::from(count)];
    for (word, &class) in classes.iter().enumerate() {
        let size = &mut sizes[usize::from(class)];
        size.0 += bigrams.frequency(word);
        size.1 = size.1.min(word);
    }
    let mut order: Vec<u16> = (0..count)
        .filter(|&class| sizes[usize::from(class)].1 < usize::MAX)
        .collect();
    order.sort_unstable_by_key(|&class| {
        let (tokens, first) = sizes[usize::from(class)];
        (Reverse(tokens), first)
    });
    let mut new_number = vec![0; usize::from(count)];
    for (number, &class) in (0..).zip(&order) {
        new_number[usize::from(class)] = number;
    }
    for class in &mut classes {
        *class = new_number[usize::from(*class)];
    }
    let left = u16::try_from(order.len()).unwrap_or(count);
    (classes, left)
}

#[cfg(test)]
mod tests;
