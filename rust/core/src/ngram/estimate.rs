//! From sequences to a model.

use super::automaton::{Grams, Rest, build};
use super::corpus::{Sequences, Text};
use super::counts::{Level, count};
use super::discounts::{CountsOfCounts, Discounts, Fallback, USUAL_FALLBACK};
use super::model::Model;
use super::smoothing::{Counted, smooth, unigrams};
use super::suffixes::{adjusted, link};
use crate::cancel::CancelToken;
use crate::error::{Error, Result};
use crate::progress::Progress;

/// The longest n-grams.
pub const MAX_ORDER: usize = 64;

/// Who gets what the unigrams save.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Unseen {
    /// All seen words, `</s>` and `<unk>`, each an equal share, as by lmplz; a word that was not seen is `<unk>`.
    #[default]
    Unknown,
    /// All words of the vocabulary, seen or not, and `</s>`; there are no other words.
    Vocabulary,
}

/// Options of [`Model::estimate`].
#[derive(Debug, Clone, PartialEq)]
pub struct Estimate {
    /// The length of the longest n-grams.
    pub order: usize,
    /// Who gets what the unigrams save.
    pub unseen: Unseen,
    /// What is taken from counts of 1, of 2, and of 3 and more in an order whose counts of counts give no discounts.
    pub fallback: Discounts,
    /// For each order, n-grams with this count in the text or less are left out; the last value goes for higher orders. Rising, the first 0.
    pub prune: Vec<u32>,
}

impl Default for Estimate {
    fn default() -> Self {
        Self {
            order: 3,
            unseen: Unseen::Unknown,
            fallback: USUAL_FALLBACK,
            prune: vec![0],
        }
    }
}

impl Estimate {
    fn check(&self) -> Result<()> {
        if !(1..=MAX_ORDER).contains(&self.order) {
            return Err(Error::config(
                "order",
                &format!("1 to {MAX_ORDER}"),
                self.order,
            ));
        }
        let is_sound = (1..)
            .zip(self.fallback)
            .all(|(count, discount)| discount > 0.0 && discount <= f64::from(count));
        if !is_sound {
            return Err(Error::config(
                "discount_fallback",
                "three discounts above 0 and at most 1, 2 and 3",
                format!("{:?}", self.fallback),
            ));
        }
        if self.prune.first() != Some(&0)
            || !self.prune.is_sorted()
            || self.prune.len() > self.order
        {
            return Err(Error::config(
                "prune",
                "thresholds that do not fall, at most one for each order, the first 0",
                format!("{:?}", self.prune),
            ));
        }
        Ok(())
    }

    fn threshold(&self, depth: usize) -> u32 {
        self.prune[depth.min(self.prune.len() - 1)]
    }
}

/// What was found in the n-grams of one length.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OrderReport {
    /// Different n-grams, those left out among them.
    pub ngrams: u64,
    /// How many have an adjusted count of 1 to 4.
    pub counts_of_counts: CountsOfCounts,
    /// The discounts that were taken.
    pub discounts: Discounts,
    /// Why they are those of [`Estimate::fallback`], if they are.
    pub fallback: Option<Fallback>,
}

impl OrderReport {
    fn of(adjusted: &[u32], options: &Estimate) -> Self {
        let counts_of_counts = CountsOfCounts::of(adjusted);
        let (discounts, fallback) = match counts_of_counts.discounts() {
            Ok(discounts) => (discounts, None),
            Err(reason) => (options.fallback, Some(reason)),
        };
        Self {
            ngrams: adjusted.len() as u64,
            counts_of_counts,
            discounts,
            fallback,
        }
    }
}

impl Model {
    /// Estimates a model: interpolated modified Kneser-Ney, from sequences of words below `vocabulary`.
    ///
    /// # Errors
    /// [`Error::Config`] for options out of range, words outside the vocabulary, or no sequence; [`Error::TooLarge`] for 2^32 words and more;
    /// [`Error::Memory`]; [`Error::Cancelled`].
    ///
    /// # Complexity
    /// O(T (N + log T)) time for T words and order N; 30 bytes a word and 40 an n-gram at the peak. The result does not depend on `threads`.
    ///
    /// # Examples
    /// ```
    /// use plait_core::cancel::CancelToken;
    /// use plait_core::ngram::{Estimate, Model, Sequences};
    /// use plait_core::progress::Silent;
    ///
    /// let words = [0, 1, 0, 1, 2];
    /// let sequences = Sequences::new(&[0, 2, 5], &words)?;
    /// let model = Model::estimate(&sequences, 3, &Estimate::default(), 1, &CancelToken::new(), &Silent)?;
    /// let (first, state) = model.step(model.start(), 0);
    /// let (other, _) = model.step(model.start(), 2);
    /// assert!(first > other);
    /// # Ok::<(), plait_core::error::Error>(())
    /// ```
    pub fn estimate(
        sequences: &Sequences<'_>,
        vocabulary: usize,
        options: &Estimate,
        threads: usize,
        cancel: &CancelToken,
        progress: &dyn Progress,
    ) -> Result<Self> {
        options.check()?;
        if sequences.is_empty() {
            return Err(Error::config(
                "the training data",
                "at least one sequence",
                "none",
            ));
        }
        let steps = 4;
        let stage = "estimate n-grams";
        progress.report(stage, 0, steps, &[]);
        let text = Text::new(sequences, vocabulary)?;
        let symbols = text.symbols;
        let levels = count(&text, options.order, threads, cancel)?;
        drop(text);
        progress.report(stage, 1, steps, &[]);
        let links = link(&levels, symbols, threads, cancel)?;
        let adjusted = adjusted(&levels, &links, symbols, cancel)?;
        progress.report(stage, 2, steps, &[]);

        let predicted = levels[0].symbols.partition_point(|&s| s < symbols.start);
        let reports: Vec<OrderReport> = adjusted
            .iter()
            .enumerate()
            .map(|(depth, counts)| match depth {
                0 => OrderReport::of(&counts[..predicted], options),
                _ => OrderReport::of(counts, options),
            })
            .collect();
        let counted = |depth: usize| Counted {
            adjusted: &adjusted[depth],
            counts: &levels[depth].counts,
            prune: options.threshold(depth),
            discounts: &reports[depth].discounts,
        };
        let outcomes = match options.unseen {
            Unseen::Unknown => predicted + 1,
            Unseen::Vocabulary => vocabulary + 1,
        };
        let first = unigrams(&levels[0], &counted(0), symbols, outcomes);
        let unseen = libm::log(first.unseen);
        let mut probabilities = vec![first.probabilities];
        let mut gammas: Vec<Vec<f64>> = Vec::new();
        for depth in 1..options.order {
            let smoothed = smooth(
                &levels[depth - 1],
                &counted(depth),
                &links[depth],
                &probabilities[depth - 1],
                threads,
                cancel,
            )?;
            probabilities.push(smoothed.probabilities);
            gammas.push(smoothed.gammas);
        }
        gammas.push(Vec::new());
        drop(links);
        progress.report(stage, 3, steps, &[]);
        let grams = grams(levels, &probabilities, &gammas, |depth| {
            options.threshold(depth)
        });
        let rest = match options.unseen {
            Unseen::Unknown => Rest {
                word: None,
                unknown: unseen,
            },
            Unseen::Vocabulary => Rest {
                word: Some(unseen),
                unknown: f64::NEG_INFINITY,
            },
        };
        let model = build(&grams, symbols, rest, cancel)?.with_reports(reports);
        progress.report(stage, steps, steps, &[]);
        Ok(model)
    }
}

/// The n-grams that stay, with logarithms. A context of an n-gram that stays does, too: its count is no smaller, its threshold no larger.
fn grams(
    levels: Vec<Level>,
    probabilities: &[Vec<f64>],
    gammas: &[Vec<f64>],
    threshold: impl Fn(usize) -> u32,
) -> Vec<Grams> {
    let ends: Vec<Vec<bool>> = levels
        .iter()
        .enumerate()
        .map(|(depth, level)| {
            level
                .counts
                .iter()
                .map(|&count| count > threshold(depth))
                .collect()
        })
        .collect();
    let mut all = Vec::with_capacity(levels.len());
    for (depth, level) in levels.into_iter().enumerate() {
        let stays = &ends[depth];
        let mut grams = Grams::default();
        let mut children = 0_u32;
        for n in 0..level.len() {
            if !stays[n] {
                continue;
            }
            grams.symbols.push(level.symbols[n]);
            grams.logs.push(libm::log(probabilities[depth][n]));
            grams.children.push(children);
            if let Some(longer) = ends.get(depth + 1) {
                for child in level.range(n) {
                    children += u32::from(longer[child]);
                }
                // A context has a weight only where something follows it; otherwise it is the same as the shorter one.
                grams.backoffs.push(if level.range(n).is_empty() {
                    0.0
                } else {
                    libm::log(gammas[depth][n])
                });
            }
        }
        grams.children.push(children);
        all.push(grams);
    }
    all
}
