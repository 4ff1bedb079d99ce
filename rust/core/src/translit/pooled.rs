//! Candidates of a two-step model and a joint source-channel model, with the probabilities that each of them gives all.
//!
//! What one model has computed about a word for its own list answers for the candidates of the other one, too. Results are the same as those of lists and of
//! questions about targets apart ([`TwoStep::decode`], [`TwoStep::probabilities`], [`JointModel::nbest`], [`JointModel::score`]).

use super::joint::{DecodeOptions, Decoder, JointModel};
use super::two_step::{Options, TwoStep, Work};
use super::words::Words;
use crate::cancel::CancelToken;
use crate::error::{Error, Result};
use crate::numeric::to_u64;
use crate::parallel;
use crate::progress::Progress;
use rustc_hash::FxHashMap;
use std::sync::atomic::{AtomicU64, Ordering};

/// Words that one thread takes at a time.
const BLOCK: usize = 256;

/// A number that no symbol has.
const UNKNOWN: u32 = (1 << 31) - 1;

/// Two models for the same words.
#[derive(Debug, Clone, Copy)]
pub struct Models<'a> {
    /// The first.
    pub two_step: &'a TwoStep,
    /// Its lists; never stopped early when its probabilities are to be those of all segmentations.
    pub two_step_options: Options,
    /// The second.
    pub joint: &'a JointModel,
    /// Its lists; unknown symbols must be skipped.
    pub joint_options: DecodeOptions,
    /// The common number of each target symbol of the joint model. Those of the two-step model are common; symbols that it does not have come after them.
    pub common: &'a [u32],
}

/// Candidates of many words. Those of a word are distinct: first those of the two-step model, then those that only the joint model has.
#[derive(Debug, Clone, PartialEq)]
pub struct Pooled {
    /// Where the candidates of each word start, and their number.
    pub words: Vec<usize>,
    /// Where the symbols of each candidate start, and their number.
    pub starts: Vec<usize>,
    /// Target symbols by common number.
    pub symbols: Vec<u32>,
    /// P(T | S) of the two-step model over the segmentations that were taken; for a candidate of its list what the list says.
    pub two_step: Vec<f64>,
    /// `ln P(T | S)` of the joint model; rounding may make it larger than 0. NaN where P(S) is beyond the range of numbers, but for its own candidates.
    pub joint: Vec<f64>,
    /// Whether a candidate is in the list of the first and of the second.
    pub listed: Vec<(bool, bool)>,
}

impl Default for Pooled {
    fn default() -> Self {
        Self {
            words: vec![0],
            starts: vec![0],
            symbols: Vec::new(),
            two_step: Vec::new(),
            joint: Vec::new(),
            listed: Vec::new(),
        }
    }
}

impl Pooled {
    fn append(&mut self, other: &Self) {
        let (rows, symbols) = (self.two_step.len(), self.symbols.len());
        self.words
            .extend(other.words[1..].iter().map(|start| start + rows));
        self.starts
            .extend(other.starts[1..].iter().map(|start| start + symbols));
        self.symbols.extend(&other.symbols);
        self.two_step.extend(&other.two_step);
        self.joint.extend(&other.joint);
        self.listed.extend(&other.listed);
    }

    fn push(&mut self, target: &[u32], two_step: f64, joint: f64, listed: (bool, bool)) {
        self.symbols.extend_from_slice(target);
        self.starts.push(self.symbols.len());
        self.two_step.push(two_step);
        self.joint.push(joint);
        self.listed.push(listed);
    }
}

/// Candidates of both models for words: by the numbers that the two-step model has for source symbols, and by those of the joint model.
///
/// # Errors
/// [`Error::Config`] for options out of range, for different numbers of words, and for a joint model that copies; [`Error::Cancelled`].
///
/// # Complexity
/// That of both lists, and for each candidate of one model that the other lacks its sum in the latter.
pub fn pool(
    models: &Models<'_>,
    two_step_sources: Words<'_>,
    joint_sources: Words<'_>,
    threads: usize,
    cancel: &CancelToken,
    progress: &dyn Progress,
) -> Result<Pooled> {
    check(models, two_step_sources.len(), joint_sources.len())?;
    let most = models
        .common
        .iter()
        .max()
        .map_or(0, |&most| most as usize + 1);
    let mut joint_numbers = vec![UNKNOWN; most];
    for (number, &common) in (0..).zip(models.common) {
        joint_numbers[common as usize] = number;
    }
    let count = two_step_sources.len();
    let blocks: Vec<_> = (0..count).step_by(BLOCK).collect();
    let done = AtomicU64::new(0);
    progress.report("decoding", 0, to_u64(count), &[]);
    let parts = parallel::map(threads, cancel, blocks, |_, first| {
        let mut both = Both {
            models,
            joint_numbers: &joint_numbers,
            work: Work::keeping(),
            decoder: Decoder::new(models.joint, &models.joint_options),
            target: Vec::new(),
        };
        let mut found = Pooled::default();
        let end = (first + BLOCK).min(count);
        for word in first..end {
            cancel.check()?;
            let sources = (two_step_sources.get(word), joint_sources.get(word));
            both.word(sources, &mut found, cancel)?;
        }
        let size = to_u64(end - first);
        let done = done.fetch_add(size, Ordering::Relaxed) + size;
        progress.report("decoding", done, to_u64(count), &[]);
        Ok(found)
    })?;
    let mut all = Pooled::default();
    for part in &parts {
        all.append(part);
    }
    Ok(all)
}

fn check(models: &Models<'_>, words: usize, others: usize) -> Result<()> {
    models.two_step_options.check()?;
    if models.joint_options.n == 0 {
        return Err(Error::config("n", "at least 1", 0));
    }
    if models.joint_options.unknown != super::joint::Unknown::Skip {
        return Err(Error::config("unknown", "'skip'", "'copy'"));
    }
    let units = models.joint.units();
    let symbols = (0u32..)
        .take(units.len())
        .flat_map(|unit| units.get(unit).1);
    if symbols
        .max()
        .is_some_and(|&symbol| symbol as usize >= models.common.len())
    {
        let expected = "a number for each target symbol of the joint model";
        return Err(Error::config("common", expected, models.common.len()));
    }
    if words != others {
        let expected = format!("{words} words for both models");
        return Err(Error::config("sources", &expected, others));
    }
    Ok(())
}

/// What one thread needs.
struct Both<'a> {
    models: &'a Models<'a>,
    /// The joint model's number of each common one.
    joint_numbers: &'a [u32],
    work: Work,
    decoder: Decoder<'a>,
    target: Vec<u32>,
}

impl Both<'_> {
    fn word(
        &mut self,
        (first, second): (&[u32], &[u32]),
        found: &mut Pooled,
        cancel: &CancelToken,
    ) -> Result<()> {
        let models = self.models;
        let options = &models.two_step_options;
        self.work.word(models.two_step, first, options, cancel)?;
        let list = self.decoder.decode(second);
        let mut theirs: FxHashMap<Vec<u32>, f64> = FxHashMap::default();
        let mut order = Vec::with_capacity(list.targets.len());
        for (target, log) in list.targets {
            let target: Vec<u32> = target
                .iter()
                .map(|&symbol| models.common[symbol as usize])
                .collect();
            theirs.insert(target.clone(), log - list.ln_source);
            order.push(target);
        }
        for (target, probability) in self.work.first(options.first) {
            if let Some(joint) = theirs.remove(target) {
                found.push(target, probability, joint, (true, true));
                continue;
            }
            self.target.clear();
            self.target.extend(target.iter().map(|&common| {
                let number = self.joint_numbers.get(common as usize).copied();
                number.unwrap_or(UNKNOWN)
            }));
            let joint = self.decoder.ask(second, &self.target);
            found.push(target, probability, joint, (true, false));
        }
        for target in &order {
            if let Some(joint) = theirs.remove(target.as_slice()) {
                let probability = self.work.ask(models.two_step, target);
                found.push(target, probability, joint, (false, true));
            }
        }
        found.words.push(found.two_step.len());
        Ok(())
    }
}
