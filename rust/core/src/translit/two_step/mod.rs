//! The two-step model of Yang, Dixon and Furui (ACL 2010): one random field cuts a word into chunks, another turns each chunk into target symbols.
//!
//! `P(T | S) = sum over segmentations A of P(A | S) P(T | S, A)` (eq. 2). The segmenter has two labels, begin or not, at each source symbol. The converter has a
//! label for each chunk of target symbols that occurred; the same T may come of several sequences of labels, whose probabilities are then summed.
//!
//! [`train`] fits both fields to pairs that are cut into chunks. [`decode`] finds the best T by taking segmentations one by one until none that is left can change the
//! answer ([`early_stop`], eq. 3). [`forced`] gives P(T | S) of a given T.

pub mod decode;
pub mod early_stop;
mod factors;
mod field;
pub mod forced;
pub mod grams;
mod lattice;
mod paths;
mod positions;
#[cfg(test)]
mod rivals_tests;
pub mod templates;
pub mod train;

pub(super) use decode::Work;
pub use decode::{Batch, Options};
pub use early_stop::Stop;
pub use field::Field;
pub use templates::Templates;
pub use train::{Aligned, Rivals, Settings};

use crate::error::{Error, Result};
use grams::Grams;
use rustc_hash::FxHashMap;
use templates::Prepared;

/// The segmenter's labels.
pub const BEGIN: u32 = 0;
/// The label of a symbol that goes on with a chunk.
pub const INSIDE: u32 = 1;

/// Target chunks: chunk n is `symbols[starts[n]..starts[n + 1]]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Labels {
    starts: Vec<usize>,
    symbols: Vec<u32>,
}

/// Labels that occurred with each chunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidates {
    /// The chunks, as strings of [`Grams`].
    pub chunks: Vec<u32>,
    /// Where the labels of each chunk start, and their number.
    pub starts: Vec<usize>,
    /// Labels, rising for each chunk.
    pub labels: Vec<u32>,
}

/// A trained model; immutable.
#[derive(Debug, Clone)]
pub struct TwoStep {
    templates: Templates,
    prepared: Prepared,
    grams: Grams,
    segmenter: Field,
    converter: Field,
    candidates: Candidates,
    by_chunk: FxHashMap<u32, u32>,
    all: Vec<u32>,
    labels: Labels,
    is_ambiguous: bool,
}

impl Labels {
    /// Target chunks from arrays.
    ///
    /// # Errors
    /// [`Error::Model`] when offsets do not rise from 0 to the number of symbols, or there is no chunk.
    pub fn new(starts: Vec<usize>, symbols: Vec<u32>) -> Result<Self> {
        check_offsets("labels", &starts, symbols.len())?;
        if starts.len() < 2 {
            return Err(Error::Model {
                part: "labels",
                problem: "are none; one or more are needed".to_owned(),
            });
        }
        Ok(Self { starts, symbols })
    }

    /// Number of labels.
    #[must_use]
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Never: there is a label.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The target symbols of a label.
    #[must_use]
    #[inline]
    pub fn get(&self, label: u32) -> &[u32] {
        &self.symbols[self.starts[label as usize]..self.starts[label as usize + 1]]
    }

    /// Offsets and symbols.
    #[must_use]
    pub fn parts(&self) -> (&[usize], &[u32]) {
        (&self.starts, &self.symbols)
    }
}

impl TwoStep {
    /// A model of its parts.
    ///
    /// # Errors
    /// [`Error::Model`] when parts do not fit each other; [`Error::Config`] for templates out of range.
    pub fn new(
        templates: Templates,
        grams: Grams,
        segmenter: Field,
        converter: Field,
        candidates: Candidates,
        labels: Labels,
    ) -> Result<Self> {
        templates.check()?;
        let wrong = |part, problem: &str| {
            Err(Error::Model {
                part,
                problem: problem.to_owned(),
            })
        };
        if segmenter.labels() != 2 {
            return wrong("segmenter", "must have two labels");
        }
        if converter.labels() != labels.len() {
            return wrong(
                "converter",
                "has another number of labels than target chunks",
            );
        }
        check_offsets("candidates", &candidates.starts, candidates.labels.len())?;
        if candidates.starts.len() != candidates.chunks.len() + 1 {
            return wrong("candidates", "must have one run for each chunk");
        }
        let count = u32::try_from(labels.len()).unwrap_or(u32::MAX);
        let is_sound = candidates.starts.windows(2).all(|run| {
            let run = &candidates.labels[run[0]..run[1]];
            !run.is_empty()
                && run.windows(2).all(|two| two[0] < two[1])
                && run.last().is_some_and(|&label| label < count)
        });
        if !is_sound {
            return wrong(
                "candidates",
                "must be labels that rise, one or more for each chunk",
            );
        }
        let by_chunk: FxHashMap<u32, u32> = candidates.chunks.iter().copied().zip(0..).collect();
        // Only with one symbol in each label does a target tell its labels.
        let is_ambiguous = labels.starts.windows(2).any(|run| run[1] - run[0] != 1);
        Ok(Self {
            prepared: Prepared::new(templates),
            templates,
            grams,
            segmenter,
            converter,
            candidates,
            by_chunk,
            all: (0..count).collect(),
            labels,
            is_ambiguous,
        })
    }

    /// Which features there are.
    #[must_use]
    pub fn templates(&self) -> Templates {
        self.templates
    }

    /// The strings that features are made of.
    #[must_use]
    pub fn grams(&self) -> &Grams {
        &self.grams
    }

    /// The field that cuts words.
    #[must_use]
    pub fn segmenter(&self) -> &Field {
        &self.segmenter
    }

    /// The field that converts chunks.
    #[must_use]
    pub fn converter(&self) -> &Field {
        &self.converter
    }

    /// Labels by chunk.
    #[must_use]
    pub fn candidates(&self) -> &Candidates {
        &self.candidates
    }

    /// The target chunks.
    #[must_use]
    pub fn labels(&self) -> &Labels {
        &self.labels
    }

    /// Whether different sequences of labels may give the same target.
    #[must_use]
    pub fn is_ambiguous(&self) -> bool {
        self.is_ambiguous
    }

    /// The labels that a chunk may get: those that it had in training; all for a chunk that training did not have, or on demand.
    fn labels_of(&self, chunk: u32, wants_all: bool) -> &[u32] {
        match self.by_chunk.get(&chunk) {
            Some(&at) if !wants_all => {
                let at = at as usize;
                &self.candidates.labels[self.candidates.starts[at]..self.candidates.starts[at + 1]]
            }
            _ => &self.all,
        }
    }
}

fn check_offsets(part: &'static str, offsets: &[usize], end: usize) -> Result<()> {
    let is_sound =
        offsets.first() == Some(&0) && offsets.last() == Some(&end) && offsets.is_sorted();
    if is_sound {
        Ok(())
    } else {
        Err(Error::Model {
            part,
            problem: format!("must have offsets that rise from 0 to {end}; found others"),
        })
    }
}
