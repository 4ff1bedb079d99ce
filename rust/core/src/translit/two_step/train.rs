//! Both fields from pairs that are cut into chunks.

use super::field::Field;
use super::grams::{Attributes, Grams, MARGIN, Word};
use super::templates::{New, Prepared, Templates};
use super::{BEGIN, Candidates, INSIDE, Labels, TwoStep};
use crate::cancel::CancelToken;
use crate::crf::{self, FeatureOptions, Features, Minimum, Sequences, TrainOptions};
use crate::error::{Error, Result};
use crate::progress::Progress;
use std::collections::BTreeMap;

/// Words cut into chunks, each with a label.
#[derive(Debug, Clone, Copy)]
pub struct Aligned<'a> {
    /// Where the symbols of each word start, and their number.
    pub word_starts: &'a [usize],
    /// Source symbols.
    pub symbols: &'a [u32],
    /// Where the chunks of each word start, and their number.
    pub chunk_starts: &'a [usize],
    /// How many symbols each chunk has.
    pub lengths: &'a [u32],
    /// The label of each chunk.
    pub labels: &'a [u32],
}

/// What is trained, and how.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// Features of both fields.
    pub templates: Templates,
    /// Training of the segmenter.
    pub segmenter: TrainOptions,
    /// Training of the converter.
    pub converter: TrainOptions,
}

/// A model, and how the training of each field ended.
#[derive(Debug)]
pub struct Trained {
    /// The model.
    pub model: TwoStep,
    /// The segmenter's minimum.
    pub segmenter: Minimum,
    /// The converter's.
    pub converter: Minimum,
}

/// Sequences of a field in the making.
#[derive(Default)]
struct Rows {
    starts: Vec<usize>,
    ends: Vec<usize>,
    attributes: Vec<u32>,
    labels: Vec<u32>,
}

/// Reports under another name.
struct Stage<'a>(&'a dyn Progress, &'static str);

impl Progress for Stage<'_> {
    fn report(&self, _: &str, done: u64, total: u64, figures: &[(&str, f64)]) {
        self.0.report(self.1, done, total, figures);
    }
}

impl Aligned<'_> {
    fn check(&self, labels: usize) -> Result<()> {
        let wrong =
            |expected: &str, found: String| Err(Error::config("the chunks", expected, found));
        if self.chunk_starts.len() != self.word_starts.len() || self.chunk_starts.len() < 2 {
            return wrong("those of one word or more", "none".to_owned());
        }
        if self.lengths.len() != self.labels.len() {
            return wrong(
                "with one label each",
                format!("{} labels", self.labels.len()),
            );
        }
        let is_cut = |starts: &[usize], end: usize| {
            starts.first() == Some(&0) && starts.last() == Some(&end) && starts.is_sorted()
        };
        if !is_cut(self.word_starts, self.symbols.len())
            || !is_cut(self.chunk_starts, self.labels.len())
        {
            return wrong(
                "cut by offsets that rise from 0 to their number",
                "others".to_owned(),
            );
        }
        if let Some(label) = self.labels.iter().find(|&&label| label as usize >= labels) {
            return wrong("labelled with numbers of labels", label.to_string());
        }
        for (number, (word, chunks)) in self
            .word_starts
            .windows(2)
            .zip(self.chunk_starts.windows(2))
            .enumerate()
        {
            let lengths = &self.lengths[chunks[0]..chunks[1]];
            let sum: usize = lengths.iter().map(|&length| length as usize).sum();
            if sum != word[1] - word[0] || lengths.contains(&0) || lengths.is_empty() {
                let found = format!(
                    "{lengths:?} for a word of {} symbols, number {number} from 0",
                    word[1] - word[0]
                );
                return wrong(
                    "of one symbol or more, and together as long as their word",
                    found,
                );
            }
        }
        Ok(())
    }
}

/// Fits a model.
///
/// # Errors
/// [`Error::Config`] for chunks that do not fit their words and for options out of range; [`Error::Cancelled`]; [`Error::Memory`]; [`Error::TooLarge`].
///
/// # Complexity
/// That of [`crf::train`](crate::crf::train) for both fields.
pub fn train(
    aligned: &Aligned<'_>,
    labels: Labels,
    settings: &Settings,
    threads: usize,
    cancel: &CancelToken,
    progress: &dyn Progress,
) -> Result<Trained> {
    settings.templates.check()?;
    settings.segmenter.check()?;
    settings.converter.check()?;
    aligned.check(labels.len())?;
    let made = read(aligned, settings.templates, cancel)?;
    let (segmenter, first) = fit(
        made.segmenter,
        2,
        &settings.segmenter,
        threads,
        cancel,
        &Stage(progress, "segmenter"),
    )?;
    let (converter, second) = fit(
        made.converter,
        labels.len(),
        &settings.converter,
        threads,
        cancel,
        &Stage(progress, "converter"),
    )?;
    let model = TwoStep::new(
        settings.templates,
        made.grams,
        segmenter,
        converter,
        made.candidates,
        labels,
    )?;
    Ok(Trained {
        model,
        segmenter: first,
        converter: second,
    })
}

/// What both fields are trained on.
struct Read {
    grams: Grams,
    segmenter: (Attributes, Rows),
    converter: (Attributes, Rows),
    candidates: Candidates,
}

fn read(aligned: &Aligned<'_>, templates: Templates, cancel: &CancelToken) -> Result<Read> {
    let prepared = Prepared::new(templates);
    let mut grams = Grams::default();
    let mut segmenter = (Attributes::default(), Rows::default());
    let mut converter = (Attributes::default(), Rows::default());
    let mut candidates: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    let mut word = Word::default();
    let words = aligned
        .word_starts
        .windows(2)
        .zip(aligned.chunk_starts.windows(2));
    for (number, (span, chunks)) in words.enumerate() {
        if number % 1024 == 0 {
            cancel.check()?;
        }
        word.open(&aligned.symbols[span[0]..span[1]]);
        segmenter.1.open();
        converter.1.open();
        let mut ends = vec![0];
        for &length in &aligned.lengths[chunks[0]..chunks[1]] {
            ends.push(ends.last().copied().unwrap_or(0) + length as usize);
        }
        for at in 0..word.len() {
            let mut source = New {
                word: &mut word,
                grams: &mut grams,
                attributes: &mut segmenter.0,
            };
            let rows = &mut segmenter.1;
            prepared.symbol(at, &mut source, |attribute| rows.attributes.push(attribute))?;
            let label = if ends.contains(&at) { BEGIN } else { INSIDE };
            rows.close(label);
        }
        for (n, &label) in aligned.labels[chunks[0]..chunks[1]].iter().enumerate() {
            let chunk = (ends[n], ends[n + 1]);
            let before = n.checked_sub(1).map(|n| ends[n]);
            let behind = ends.get(n + 2).copied();
            let mut source = New {
                word: &mut word,
                grams: &mut grams,
                attributes: &mut converter.0,
            };
            let rows = &mut converter.1;
            let mut each = |attribute| rows.attributes.push(attribute);
            prepared.chunk(chunk, &mut source, &mut each)?;
            prepared.before(before, chunk, &mut source, &mut each)?;
            prepared.behind(chunk, behind, &mut source, &mut each)?;
            rows.close(label);
            let id = word.intern(chunk.0 + MARGIN, chunk.1 + MARGIN, &mut grams)?;
            // A chunk longer than any string that has an id is like one that training did not have.
            if id != super::grams::ABSENT {
                candidates.entry(id).or_default().push(label);
            }
        }
    }
    segmenter.1.open();
    converter.1.open();
    Ok(Read {
        grams,
        segmenter,
        converter,
        candidates: listed(candidates),
    })
}

fn listed(candidates: BTreeMap<u32, Vec<u32>>) -> Candidates {
    let mut made = Candidates {
        chunks: Vec::new(),
        starts: vec![0],
        labels: Vec::new(),
    };
    for (chunk, mut labels) in candidates {
        labels.sort_unstable();
        labels.dedup();
        made.chunks.push(chunk);
        made.labels.extend(labels);
        made.starts.push(made.labels.len());
    }
    made
}

impl Rows {
    fn open(&mut self) {
        self.starts.push(self.labels.len());
        if self.ends.is_empty() {
            self.ends.push(0);
        }
    }

    fn close(&mut self, label: u32) {
        self.ends.push(self.attributes.len());
        self.labels.push(label);
    }
}

fn fit(
    (attributes, rows): (Attributes, Rows),
    labels: usize,
    options: &TrainOptions,
    threads: usize,
    cancel: &CancelToken,
    progress: &dyn Progress,
) -> Result<(Field, Minimum)> {
    let data = Sequences::from_parts(rows.starts, rows.ends, rows.attributes, None, rows.labels)?;
    let (features, counts) = Features::collect(
        &data,
        attributes.keys().len(),
        labels,
        &FeatureOptions::default(),
    )?;
    let start = vec![0.0; features.len()];
    let found = crf::train(
        &data,
        &features,
        &counts,
        start,
        options,
        None,
        crf::Work {
            threads,
            cancel,
            progress,
        },
        &mut crf::Unwatched,
    )?;
    let field = Field::new(attributes, features, found.weights.clone())?;
    Ok((field, found))
}
