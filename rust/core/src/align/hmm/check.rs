//! What must hold of a model that was not trained here: after this check no use of it can fail or read out of bounds.

use super::jumps::{BUCKETS, Jumps};
use super::lexicon::MOST_LEVELS;
use super::model::Model;
use super::options::Coupling;
use crate::error::{Error, Result};
use crate::numeric::{FIXED_ONE, to_f64, to_index, to_u64};

/// Largest sum of frequencies: they become doubles.
const MOST_TOKENS: u64 = 1 << 53;

impl Model {
    /// Looks at all of a model with so many source and target words.
    ///
    /// # Errors
    /// [`Error::Model`] with the part that is wrong; [`Error::Config`] for options out of range.
    ///
    /// # Complexity
    /// O(pairs and words) time.
    pub fn check(&self, words: [usize; 2]) -> Result<()> {
        self.options.check()?;
        if self.options.prefixes.len() >= MOST_LEVELS {
            return Err(Error::Config {
                name: "prefixes",
                expected: format!("fewer than {MOST_LEVELS}"),
                found: self.options.prefixes.len().to_string(),
            });
        }
        let [sources, targets] = words;
        self.check_frequencies(words)?;
        self.check_pairs(sources, targets)?;
        self.check_links()?;
        for (part, nulls, count) in [
            ("null_forward", &self.nulls[0], targets),
            ("null_reverse", &self.nulls[1], sources),
        ] {
            sized(part, nulls.len(), count)?;
            if !nulls.iter().all(|p| (0.0..=1.0).contains(p)) {
                return Err(wrong(part, "must be probabilities from 0 to 1"));
            }
        }
        check_jumps(JUMPS[0], &self.jumps[0], sources)?;
        check_jumps(JUMPS[1], &self.jumps[1], targets)
    }

    fn check_frequencies(&self, words: [usize; 2]) -> Result<()> {
        for (side, part) in ["source_frequencies", "target_frequencies"]
            .into_iter()
            .enumerate()
        {
            let counts = &self.frequencies[side];
            sized(part, counts.len(), words[side])?;
            let total = counts.iter().try_fold(0_u64, |sum, &n| sum.checked_add(n));
            if total.is_none_or(|total| total > MOST_TOKENS) {
                return Err(wrong(part, "must have a sum of at most 2^53"));
            }
        }
        Ok(())
    }

    fn check_pairs(&self, sources: usize, targets: usize) -> Result<()> {
        let pairs = self.targets.len();
        sized("offsets", self.starts.len(), sources + 1)?;
        if u32::try_from(pairs).is_err()
            || !self.starts.is_sorted()
            || self.starts[0] != 0
            || self.starts[sources] != to_u64(pairs)
        {
            let problem = format!("must rise from 0 to the {pairs} pairs of words");
            return Err(wrong("offsets", &problem));
        }
        for row in self.starts.windows(2) {
            let row = &self.targets[to_index(row[0])..to_index(row[1])];
            if !row.is_sorted_by(|a, b| a < b) || row.last().is_some_and(|&f| f as usize >= targets)
            {
                let problem = format!("must be below {targets} and rise for each source word");
                return Err(wrong("targets", &problem));
            }
        }
        Ok(())
    }

    fn check_links(&self) -> Result<()> {
        let lists = match self.options.coupling {
            Coupling::Agreement => 1,
            Coupling::Independent => 2,
        };
        sized("links", self.links.len(), lists)?;
        for counts in &self.links {
            sized("links", counts.len(), self.targets.len())?;
            // Sums of any of them fit a fixed-point count.
            if !sum_fits(counts.iter().map(|&n| f64::from(n))) {
                return Err(wrong(
                    "links",
                    "must be finite, at least 0, and have a sum below 2^31",
                ));
            }
        }
        Ok(())
    }
}

/// Names of the parts of the jumps of one direction.
#[derive(Clone, Copy)]
struct Names {
    counts: &'static str,
    words: &'static str,
    classes: &'static str,
    class_counts: &'static str,
}

const JUMPS: [Names; 2] = [
    Names {
        counts: "jumps_forward",
        words: "word_jumps_forward",
        classes: "classes_forward",
        class_counts: "class_jumps_forward",
    },
    Names {
        counts: "jumps_reverse",
        words: "word_jumps_reverse",
        classes: "classes_reverse",
        class_counts: "class_jumps_reverse",
    },
];

fn check_jumps(names: Names, jumps: &Jumps, words: usize) -> Result<()> {
    let problem = "must be finite and at least 0, and have a sum below 2^31";
    for counts in [&jumps.between, &jumps.first, &jumps.last] {
        if !sum_fits(counts.iter().copied()) {
            return Err(wrong(names.counts, problem));
        }
    }
    if !jumps.words.is_empty() {
        sized(names.words, jumps.words.len(), words * BUCKETS)?;
        if !sum_fits(jumps.words.iter().map(|&n| f64::from(n))) {
            return Err(wrong(names.words, problem));
        }
    }
    if let Some(classes) = &jumps.classes {
        sized(names.classes, classes.of_word.len(), words)?;
        if !sum_fits(classes.counts.iter().flatten().copied()) {
            return Err(wrong(names.class_counts, problem));
        }
    }
    Ok(())
}

/// Whether these are counts, and their sum is one in units of 2^-32 with a bit to spare.
fn sum_fits(counts: impl Iterator<Item = f64>) -> bool {
    let mut sum = 0.0;
    for n in counts {
        if n.is_nan() || n < 0.0 {
            return false;
        }
        sum += n;
    }
    sum < FIXED_ONE / to_f64(2)
}

fn sized(part: &'static str, found: usize, expected: usize) -> Result<()> {
    if found == expected {
        Ok(())
    } else {
        let problem = format!("must have {expected} entries; found {found}");
        Err(wrong(part, &problem))
    }
}

fn wrong(part: &'static str, problem: &str) -> Error {
    Error::Model {
        part,
        problem: problem.to_owned(),
    }
}
