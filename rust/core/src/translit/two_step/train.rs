//! Both fields from pairs that are cut into chunks.

use super::field::Field;
use super::grams::{Attributes, Grams, MARGIN, Word};
use super::templates::{New, Prepared, Templates};
use super::{BEGIN, Candidates, INSIDE, Labels, TwoStep};
use crate::cancel::CancelToken;
use crate::crf::{
    self, FeatureOptions, Features, LabelSets, Minimum, Restriction, Sequences, TrainOptions,
};
use crate::error::{Error, Result};
use crate::progress::Progress;
use rustc_hash::FxHashMap;
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

/// What the labels of a chunk are weighed against in the training of the converter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rivals {
    /// All labels.
    All,
    /// Those that the chunk had somewhere in the training data.
    Seen,
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
    /// What it learns to tell apart.
    pub rivals: Rivals,
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

/// Fits a model; with a `start` the search begins at the weights of a model that was fitted to the same chunks, with other penalties for instance.
///
/// # Errors
/// [`Error::Config`] for chunks that do not fit their words and for options out of range, and for a start with other weights; [`Error::Cancelled`]; [`Error::Memory`]; [`Error::TooLarge`].
///
/// # Complexity
/// That of [`crf::train`](crate::crf::train) for both fields; where labels are weighed against those seen, the converter's evaluations cost the products of neighbouring lists.
pub fn train(
    aligned: &Aligned<'_>,
    labels: Labels,
    settings: &Settings,
    start: Option<&TwoStep>,
    work: crf::Work<'_>,
) -> Result<Trained> {
    settings.templates.check()?;
    settings.segmenter.check()?;
    settings.converter.check()?;
    aligned.check(labels.len())?;
    let made = read(aligned, settings.templates, work.cancel)?;
    let (segmenter, first) = fit(
        made.segmenter,
        2,
        None,
        &settings.segmenter,
        start.map(TwoStep::segmenter),
        crf::Work {
            progress: &Stage(work.progress, "segmenter"),
            ..work
        },
    )?;
    let start = start.map(TwoStep::converter);
    let work = crf::Work {
        progress: &Stage(work.progress, "converter"),
        ..work
    };
    let of = (&made.candidates, made.chunks.as_slice());
    let (converter, second) = fit(
        made.converter,
        labels.len(),
        (settings.rivals == Rivals::Seen).then_some(of),
        &settings.converter,
        start,
        work,
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
    /// The string of each chunk.
    chunks: Vec<u32>,
}

fn read(aligned: &Aligned<'_>, templates: Templates, cancel: &CancelToken) -> Result<Read> {
    let prepared = Prepared::new(templates);
    let mut grams = Grams::default();
    let mut segmenter = (Attributes::default(), Rows::default());
    let mut converter = (Attributes::default(), Rows::default());
    let mut candidates: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    let mut strings = Vec::with_capacity(aligned.labels.len());
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
            strings.push(id);
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
        chunks: strings,
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

    /// The sequences, the pairs in them, and how often each occurs.
    fn collect(
        self,
        attributes: &Attributes,
        labels: usize,
    ) -> Result<(Sequences, Features, Vec<f64>)> {
        let data =
            Sequences::from_parts(self.starts, self.ends, self.attributes, None, self.labels)?;
        let count = attributes.keys().len();
        let options = FeatureOptions::default();
        let (features, counts) = Features::collect(&data, count, labels, &options)?;
        Ok((data, features, counts))
    }
}

/// A field; with candidates and the string of each chunk, one of labels weighed against those that their chunk had.
fn fit(
    (attributes, rows): (Attributes, Rows),
    labels: usize,
    rivals: Option<(&Candidates, &[u32])>,
    options: &TrainOptions,
    start: Option<&Field>,
    work: crf::Work<'_>,
) -> Result<(Field, Minimum)> {
    let (data, features, counts) = rows.collect(&attributes, labels)?;
    let start = begin(&features, start)?;
    let sets = rivals
        .map(|(candidates, chunks)| seen(&data, labels, candidates, chunks))
        .transpose()?;
    let restriction = Restriction {
        candidates: sets.as_ref(),
        ..Restriction::default()
    };
    let (found, _) = crf::train_in_phases(
        &data,
        &features,
        &counts,
        start,
        options,
        &restriction,
        None,
        work,
        &mut crf::Unwatched,
    )?;
    let field = Field::new(attributes, features, found.weights.clone())?;
    Ok((field, found))
}

/// The first weights: those of a field that has the same pairs, or 0.
fn begin(features: &Features, start: Option<&Field>) -> Result<Vec<f64>> {
    match start {
        None => Ok(vec![0.0; features.len()]),
        Some(field) if field.features() == features => Ok(field.weights().to_vec()),
        Some(field) => Err(Error::config(
            "start",
            "a model that was fitted to the same chunks",
            format!("one with {} weights", field.weights().len()),
        )),
    }
}

/// The labels of each chunk that it had somewhere; all for a chunk without a list.
pub(super) fn seen(
    data: &Sequences,
    labels: usize,
    candidates: &Candidates,
    chunks: &[u32],
) -> Result<LabelSets> {
    let places: FxHashMap<u32, usize> = candidates.chunks.iter().copied().zip(0..).collect();
    LabelSets::of_lists(data, labels, |position| {
        match places.get(&chunks[position]) {
            Some(&at) => &candidates.labels[candidates.starts[at]..candidates.starts[at + 1]],
            None => &[],
        }
    })
}
