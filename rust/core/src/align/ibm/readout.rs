//! From weights or samples to links and posteriors.

use super::emissions::{Block, Direction, Emissions};
use super::expectation::{Expectation, Parameters, Scratch, Update};
use super::lexicon::Lexicon;
use super::placement::Placement;
use super::rows::BATCH;
use super::token::Token;
use crate::align::{Link, Links};
use crate::cancel::CancelToken;
use crate::error::Result;
use crate::numeric::{to_f32, to_index, to_u64};

/// Posteriors below this are not kept.
pub const POSTERIOR_FLOOR: f64 = 0.01;

/// What a block says about its tokens: slot after slot.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BlockReadout {
    /// Best candidate of each slot: 0 for NULL, i + 1 for position i. Ties go to NULL, then to the smallest position.
    pub best: Vec<u16>,
    /// Start of each slot's entries.
    pub starts: Vec<u32>,
    /// Candidates with a posterior of at least [`POSTERIOR_FLOOR`], rising; NULL (0) included.
    pub candidates: Vec<u16>,
    /// Their posteriors.
    pub posteriors: Vec<f32>,
}

/// Links and posteriors of one direction.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DirectionReadout {
    /// The best link of each emitted token that is not NULL.
    pub links: Links,
    /// All links above the floor with their posterior probabilities, where they were asked for.
    pub posteriors: Option<Links>,
}

impl BlockReadout {
    pub(super) fn with_capacity(slots: usize) -> Self {
        let mut readout = Self {
            best: Vec::with_capacity(slots),
            ..Self::default()
        };
        readout.starts.reserve(slots + 1);
        readout.starts.push(0);
        readout
    }

    /// Appends a token whose candidates have these weights; only the best is kept unless `wants_posteriors`.
    pub(super) fn push(&mut self, weights: &[f64], sum: f64, wants_posteriors: bool) {
        let mut best = 0;
        for (candidate, &weight) in weights.iter().enumerate() {
            if weight > weights[best] {
                best = candidate;
            }
        }
        let mut keep = |candidate: usize| {
            self.candidates.push(narrow(candidate));
            self.posteriors.push(to_f32(weights[candidate] / sum));
        };
        if wants_posteriors {
            let floor = POSTERIOR_FLOOR * sum;
            (0..weights.len())
                .filter(|&candidate| weights[candidate] >= floor || candidate == best)
                .for_each(&mut keep);
        } else {
            keep(best);
        }
        self.best.push(narrow(best));
        self.close();
    }

    /// Makes room for so many entries.
    pub(super) fn reserve(&mut self, entries: usize) {
        self.candidates.reserve_exact(entries);
        self.posteriors.reserve_exact(entries);
    }

    /// Gives spare room back.
    pub(super) fn shrink(&mut self) {
        self.candidates.shrink_to_fit();
        self.posteriors.shrink_to_fit();
    }

    pub(super) fn close(&mut self) {
        // A block has fewer than 2^32 tokens times 257 entries; a block that large would not be cut so.
        self.starts
            .push(u32::try_from(self.candidates.len()).unwrap_or(u32::MAX));
    }

    pub(super) fn entries(&self, n: usize) -> impl Iterator<Item = (u16, f32)> + '_ {
        let run = self.starts[n] as usize..self.starts[n + 1] as usize;
        self.candidates[run.clone()]
            .iter()
            .copied()
            .zip(self.posteriors[run].iter().copied())
    }
}

fn narrow(candidate: usize) -> u16 {
    u16::try_from(candidate).unwrap_or(u16::MAX)
}

impl<U: Update> Expectation<U> {
    /// The posterior of every candidate of a block's tokens under these parameters, or of the best one alone.
    ///
    /// # Errors
    /// [`crate::error::Error::Cancelled`], looked for at every emitted type.
    pub fn read(
        &self,
        emissions: &Emissions<'_>,
        block: &Block,
        parameters: &Parameters,
        wants_posteriors: bool,
        cancel: &CancelToken,
    ) -> Result<BlockReadout> {
        let placement = self.placement(parameters);
        let mut scratch = Scratch::new(emissions.null());
        let mut readout = BlockReadout::with_capacity(block.slots.len());
        for (n, word) in block.types.clone().enumerate() {
            cancel.check()?;
            self.load(block, n, parameters, &mut scratch.weight);
            for slot in emissions.slots(word) {
                if slot.is_multiple_of(BATCH) {
                    cancel.check()?;
                }
                let token = Token::new(emissions, slot, self.model, self.null_probability);
                let mut sum = token.weigh(&scratch.weight, &placement, &mut scratch.candidates);
                if !sum.is_normal() {
                    sum = self
                        .rescue(block, n, parameters, &token, &mut scratch.candidates)
                        .0;
                }
                readout.push(&scratch.candidates, sum, wants_posteriors);
            }
        }
        Ok(readout)
    }

    /// The translation table of these parameters, without cells of less than [`SMALLEST_COUNT`].
    #[must_use]
    pub fn lexicon(&self, parameters: &Parameters, theta: f64) -> Lexicon {
        let mut lexicon =
            Lexicon::empty(parameters.totals.len(), theta, self.placement(parameters));
        let mut cells: Vec<(u32, f32)> = Vec::new();
        for (columns, counts) in self.columns.iter().zip(&parameters.counts) {
            for n in 0..columns.types() {
                let run = columns.cells(n);
                let all = columns.given()[run.clone()].iter().zip(&counts[run]);
                cells.extend(
                    all.filter(|cell| *cell.1 >= SMALLEST_COUNT)
                        .map(|(&e, &c)| (e, c)),
                );
                cells.sort_unstable_by_key(|cell| cell.0);
                lexicon.push_column(&mut cells);
            }
        }
        lexicon
    }
}

/// Expected counts below this are left out of a trained translation table.
pub const SMALLEST_COUNT: f32 = 0.001;

/// Puts the read-outs of all blocks into the order of the corpus.
///
/// # Errors
/// [`crate::error::Error::Cancelled`], looked for at every block.
pub fn assemble(
    emissions: &Emissions<'_>,
    blocks: &[Block],
    readouts: Vec<BlockReadout>,
    sentences: usize,
    wants_posteriors: bool,
    cancel: &CancelToken,
) -> Result<DirectionReadout> {
    let mut best = Gather::new(sentences);
    let mut all = Gather::new(sentences);
    for (block, readout) in blocks.iter().zip(&readouts) {
        cancel.check()?;
        for (n, slot) in block.slots.clone().enumerate() {
            let sentence = emissions.sentence_of(slot);
            best.count(sentence, usize::from(readout.best[n] > 0));
            if wants_posteriors {
                all.count(
                    sentence,
                    readout.entries(n).filter(|entry| entry.0 > 0).count(),
                );
            }
        }
    }
    best.allocate();
    all.allocate();
    for (block, readout) in blocks.iter().zip(readouts) {
        cancel.check()?;
        for (n, slot) in block.slots.clone().enumerate() {
            let sentence = emissions.sentence_of(slot);
            let emitted = emissions.position_of(slot);
            for (candidate, posterior) in readout.entries(n).filter(|entry| entry.0 > 0) {
                let link = oriented(emissions.direction(), candidate - 1, emitted);
                if wants_posteriors {
                    all.put(sentence, link, posterior);
                }
                if candidate == readout.best[n] {
                    best.put(sentence, link, posterior);
                }
            }
        }
    }
    Ok(DirectionReadout {
        links: best.finish(),
        posteriors: wants_posteriors.then(|| all.finish()),
    })
}

fn oriented(direction: Direction, given: u16, emitted: u16) -> Link {
    match direction {
        Direction::TargetGivenSource => Link {
            source: given.into(),
            target: emitted.into(),
        },
        Direction::SourceGivenTarget => Link {
            source: emitted.into(),
            target: given.into(),
        },
    }
}

/// Links that arrive in any order, sorted into sentences by counting first and filling afterwards.
struct Gather {
    offsets: Vec<u64>,
    next: Vec<u64>,
    links: Vec<Link>,
    probabilities: Vec<f32>,
}

impl Gather {
    fn new(sentences: usize) -> Self {
        Self {
            offsets: vec![0; sentences + 1],
            next: Vec::new(),
            links: Vec::new(),
            probabilities: Vec::new(),
        }
    }

    #[inline]
    fn count(&mut self, sentence: usize, links: usize) {
        self.offsets[sentence + 1] += to_u64(links);
    }

    fn allocate(&mut self) {
        for n in 1..self.offsets.len() {
            self.offsets[n] += self.offsets[n - 1];
        }
        self.next.clone_from(&self.offsets);
        let count = self.offsets.last().map_or(0, |&n| to_index(n));
        self.links = vec![Link::default(); count];
        self.probabilities = vec![0.0; count];
    }

    #[inline]
    fn put(&mut self, sentence: usize, link: Link, probability: f32) {
        let at = to_index(self.next[sentence]);
        self.links[at] = link;
        self.probabilities[at] = probability;
        self.next[sentence] += 1;
    }

    fn finish(mut self) -> Links {
        let mut sentence: Vec<(Link, f32)> = Vec::new();
        for run in self.offsets.windows(2) {
            let run = to_index(run[0])..to_index(run[1]);
            let links = &mut self.links[run.clone()];
            if links.is_sorted() {
                continue;
            }
            let probabilities = &mut self.probabilities[run];
            sentence.extend(links.iter().copied().zip(probabilities.iter().copied()));
            sentence.sort_unstable_by_key(|entry| entry.0);
            for (n, (link, probability)) in sentence.drain(..).enumerate() {
                links[n] = link;
                probabilities[n] = probability;
            }
        }
        Links {
            links: self.links,
            probabilities: Some(self.probabilities),
            offsets: self.offsets,
        }
    }
}

/// The lexicon that the posteriors of a trained direction add up to: c(e, f) = sum of P(link | corpus).
#[must_use]
pub fn lexicon(
    emissions: &Emissions<'_>,
    blocks: &[Block],
    readouts: &[BlockReadout],
    theta: f64,
    placement: Placement<f64>,
) -> Lexicon {
    let null = emissions.null();
    let mut lexicon = Lexicon::empty(null + 1, theta, placement);
    let mut cells = Vec::new();
    let mut dense = vec![0.0_f64; null + 1];
    let mut touched: Vec<u32> = Vec::new();
    for (block, readout) in blocks.iter().zip(readouts) {
        for word in block.types.clone() {
            for slot in emissions.slots(word) {
                let sentence = emissions.given_sentence(slot);
                for (candidate, posterior) in readout.entries(slot - block.slots.start) {
                    let e = if candidate == 0 {
                        null
                    } else {
                        sentence[usize::from(candidate) - 1].index()
                    };
                    if dense[e] == 0.0 {
                        touched.push(u32::try_from(e).unwrap_or(u32::MAX));
                    }
                    dense[e] += f64::from(posterior);
                }
            }
            touched.sort_unstable();
            for e in touched.drain(..) {
                cells.push((e, to_f32(std::mem::take(&mut dense[e as usize]))));
            }
            lexicon.push_column(&mut cells);
        }
    }
    lexicon
}
