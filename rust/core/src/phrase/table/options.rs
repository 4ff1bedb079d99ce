//! What a phrase table holds.

use super::domains::Domains;
use crate::error::{Error, Result};
use rustc_hash::FxHashSet;

/// Which table is made of the phrase pairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Kind {
    /// The whole table.
    #[default]
    Both,
    /// The half with p(second | first), before Moses' `consolidate`, from `source ||| target` lines.
    Direct,
    /// The half of the other direction, from `target ||| source` lines.
    Inverse,
}

/// How relative frequencies are smoothed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Smoothing {
    /// Not at all.
    #[default]
    None,
    /// Counts are discounted by Good-Turing.
    GoodTuring,
    /// Kneser-Ney with three discounts (Foster, Kuhn and Johnson 2006).
    KneserNey,
}

/// How scores are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scale {
    /// As they are.
    #[default]
    Plain,
    /// As natural logarithms.
    Log,
    /// As natural logarithms, with their signs turned.
    NegativeLog,
}

impl Scale {
    /// A score on this scale.
    #[must_use]
    pub fn of(self, value: f64) -> f64 {
        match self {
            Self::Plain => value,
            Self::Log => libm::log(value),
            // Not -0, which the negation of 0 is.
            Self::NegativeLog => 0.0 - libm::log(value),
        }
    }
}

/// Ranges of counts, each a feature that is there or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CountBins {
    /// The largest count of each range but the last, rising.
    bounds: Vec<u64>,
    /// Whether the feature is a sparse one, written by its name.
    pub is_sparse: bool,
}

impl CountBins {
    /// Ranges up to each of the bounds, and what is above.
    ///
    /// # Errors
    /// [`Error::Config`] when there are none, or they do not rise from 1.
    pub fn new(bounds: Vec<u64>, is_sparse: bool) -> Result<Self> {
        let is_rising = bounds.first().is_some_and(|&first| first > 0)
            && bounds.windows(2).all(|pair| pair[0] < pair[1]);
        if !is_rising {
            return Err(Error::config(
                "count_bins",
                "whole numbers that rise from 1, such as 1 2 3 6 10",
                format!("{bounds:?}"),
            ));
        }
        Ok(Self { bounds, is_sparse })
    }

    /// Number of ranges.
    pub(super) const fn len(&self) -> usize {
        self.bounds.len() + 1
    }

    /// The range of a count.
    pub(super) fn place(&self, count: f64) -> usize {
        let is_above = |&bound: &u64| count > crate::numeric::to_f64(bound);
        self.bounds
            .iter()
            .take_while(|bound| is_above(bound))
            .count()
    }

    /// The name of a range, as Moses has it: `cb_1`, `cb_2_3`, `cb_max`.
    pub(super) fn name(&self, place: usize) -> String {
        let Some(high) = self.bounds.get(place) else {
            return "cb_max".to_owned();
        };
        let low = place
            .checked_sub(1)
            .map_or(1, |before| self.bounds[before] + 1);
        if low == *high {
            format!("cb_{high}")
        } else {
            format!("cb_{low}_{high}")
        }
    }
}

/// Words of one language, by their bytes.
pub type Words = FxHashSet<Box<[u8]>>;

/// What a phrase table holds.
#[derive(Debug, Clone, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is one column, there or not, or one property of the input"
)]
pub struct TableOptions {
    /// Which table.
    pub kind: Kind,
    /// How frequencies are smoothed.
    pub smoothing: Smoothing,
    /// How scores are written.
    pub scale: Scale,
    /// Whether lexical weights are left out.
    pub no_lexical: bool,
    /// Whether links are left out.
    pub no_links: bool,
    /// Whether only p(target | source) is written.
    pub only_direct: bool,
    /// Whether a constant e = 2.718 is added, as Moses' phrase penalty once was.
    pub phrase_count: bool,
    /// Whether exp(-1 / count) is added.
    pub low_count: bool,
    /// Whether 2.718 to the number of words without links is added, for each direction.
    pub unaligned: bool,
    /// The same for the words of these lists only: of source words, and of target words.
    pub function_words: [Option<Words>; 2],
    /// Ranges of counts.
    pub count_bins: Option<CountBins>,
    /// What is said of the domains of phrase pairs; the fourth field of a line is then the number of its sentence pair.
    pub domains: Option<Domains>,
    /// Whether the fourth field of a line is the number of its sentence pair, and left out.
    pub sentence_ids: bool,
    /// Phrase pairs that count less are not written (of hierarchical rules: those with gaps only). They count for others all the same.
    pub min_count: f64,
    /// The least p(source | target), and p(target | source), of what is written.
    pub min_scores: [f64; 2],
    /// Whether lines with the same first phrase stand together already; their order is kept.
    pub is_sorted: bool,
    /// Whether the lines are rules with gaps `[X][X]` and a left-hand side behind the words of both sides.
    pub is_hierarchical: bool,
    /// Whether counts are singles, as in Moses, and written with six digits.
    pub is_moses: bool,
}

impl TableOptions {
    /// Fails when options contradict each other or are out of range.
    ///
    /// # Errors
    /// [`Error::Config`].
    pub fn check(&self) -> Result<()> {
        if !(self.min_count >= 0.0 && self.min_count.is_finite()) {
            return Err(Error::config(
                "min_count",
                "a number that is not negative",
                self.min_count,
            ));
        }
        for score in self.min_scores {
            if !(0.0..=1.0).contains(&score) {
                return Err(Error::config("min_score", "from 0 to 1", score));
            }
        }
        let is_whole = self.kind == Kind::Both;
        if self.is_sorted && is_whole {
            return Err(Error::config(
                "the table",
                "one half (direct or inverse) of lines that are sorted already: a whole one sorts them by target as well",
                "both",
            ));
        }
        let of_whole = [
            (self.count_bins.is_some(), "count_bins"),
            (self.min_scores != [0.0, 0.0], "min_score"),
            (self.phrase_count, "phrase_count"),
            (self.low_count, "low_count"),
        ];
        match of_whole.iter().find(|(is_given, _)| *is_given) {
            Some((_, name)) if !is_whole => Err(Error::config(
                name,
                "for a whole table; give it to phrases consolidate, which joins two halves",
                "one half",
            )),
            _ => Ok(()),
        }
    }

    /// Whether the fourth field of a line is the number of its sentence pair.
    pub(super) const fn has_sentence_ids(&self) -> bool {
        self.sentence_ids || self.domains.is_some()
    }
}
