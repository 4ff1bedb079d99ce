//! From weights or samples to links and posteriors.

use super::emissions::{Block, Direction, Emissions};
use super::expectation::{Expectation, Parameters, Scratch, Token, Update};
use super::lexicon::Lexicon;
use super::placement::Placement;
use crate::align::{Link, Links};
use crate::error::Result;
use crate::numeric::{to_f32, to_f64, to_index, to_u64};
use std::cmp::Ordering;

/// Posteriors below this are not kept.
pub const POSTERIOR_FLOOR: f64 = 1.0 / 256.0;

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
    /// All links above the floor with their posterior probabilities.
    pub posteriors: Links,
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

    /// Appends a token whose candidates have these weights.
    pub(super) fn push(&mut self, weights: &[f64], sum: f64) {
        let mut best = 0;
        for (candidate, &weight) in weights.iter().enumerate() {
            if weight > weights[best] {
                best = candidate;
            }
        }
        let floor = POSTERIOR_FLOOR * sum;
        for (candidate, &weight) in weights.iter().enumerate() {
            if weight >= floor || candidate == best {
                self.candidates.push(narrow(candidate));
                self.posteriors.push(to_f32(weight / sum));
            }
        }
        self.best.push(narrow(best));
        self.close();
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
    /// The posterior of every candidate of a block's tokens under these parameters.
    ///
    /// # Errors
    /// None at present.
    pub fn read(
        &self,
        emissions: &Emissions<'_>,
        block: &Block,
        parameters: &Parameters,
    ) -> Result<BlockReadout> {
        let placement = self.placement(parameters);
        let mut scratch = Scratch::new(emissions.null());
        let mut readout = BlockReadout::with_capacity(block.slots.len());
        for (n, word) in block.types.clone().enumerate() {
            self.load(block, n, parameters, &mut scratch.weight);
            for slot in emissions.slots(word) {
                let token = Token::new(emissions, slot, self.model, self.null_probability);
                let mut sum = token.weigh(&scratch.weight, &placement, &mut scratch.candidates);
                if !sum.is_normal() {
                    sum = self
                        .rescue(block, n, parameters, &token, &mut scratch.candidates)
                        .0;
                }
                readout.push(&scratch.candidates, sum);
            }
        }
        Ok(readout)
    }
}

/// Puts the read-outs of all blocks into the order of the corpus.
#[must_use]
pub fn assemble(
    emissions: &Emissions<'_>,
    blocks: &[Block],
    readouts: &[BlockReadout],
    sentences: usize,
) -> DirectionReadout {
    let mut best = Gather::new(sentences);
    let mut all = Gather::new(sentences);
    for pass in [Pass::Count, Pass::Fill] {
        best.begin(pass);
        all.begin(pass);
        for (block, readout) in blocks.iter().zip(readouts) {
            for (n, slot) in block.slots.clone().enumerate() {
                let sentence = emissions.sentence_of(slot);
                let emitted = emissions.position_of(slot);
                let link = |candidate: u16| oriented(emissions.direction(), candidate - 1, emitted);
                for (candidate, posterior) in readout.entries(n) {
                    if candidate > 0 {
                        all.put(pass, sentence, link(candidate), posterior);
                    }
                    if candidate > 0 && candidate == readout.best[n] {
                        best.put(pass, sentence, link(candidate), posterior);
                    }
                }
            }
        }
    }
    DirectionReadout {
        links: best.finish(),
        posteriors: all.finish(),
    }
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

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pass {
    Count,
    Fill,
}

/// Links that arrive in any order, sorted into sentences by counting first and filling afterwards.
struct Gather {
    offsets: Vec<u64>,
    next: Vec<u64>,
    entries: Vec<(Link, f32)>,
}

impl Gather {
    fn new(sentences: usize) -> Self {
        Self {
            offsets: vec![0; sentences + 1],
            next: Vec::new(),
            entries: Vec::new(),
        }
    }

    fn begin(&mut self, pass: Pass) {
        if pass == Pass::Fill {
            for n in 1..self.offsets.len() {
                self.offsets[n] += self.offsets[n - 1];
            }
            self.next.clone_from(&self.offsets);
            let count = self.offsets.last().map_or(0, |&n| to_index(n));
            self.entries = vec![(Link::default(), 0.0); count];
        }
    }

    #[inline]
    fn put(&mut self, pass: Pass, sentence: usize, link: Link, probability: f32) {
        if pass == Pass::Count {
            self.offsets[sentence + 1] += 1;
        } else {
            self.entries[to_index(self.next[sentence])] = (link, probability);
            self.next[sentence] += 1;
        }
    }

    fn finish(mut self) -> Links {
        for run in self.offsets.windows(2) {
            let sentence = &mut self.entries[to_index(run[0])..to_index(run[1])];
            sentence.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(Ordering::Equal));
        }
        Links {
            links: self.entries.iter().map(|entry| entry.0).collect(),
            probabilities: Some(self.entries.iter().map(|entry| entry.1).collect()),
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
    let mut lexicon = Lexicon {
        starts: vec![0],
        given: Vec::new(),
        counts: Vec::new(),
        totals: vec![0.0; null + 1],
        theta,
        placement,
    };
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
                let count = std::mem::take(&mut dense[e as usize]);
                lexicon.given.push(e);
                lexicon.counts.push(to_f32(count));
                lexicon.totals[e as usize] += count;
            }
            lexicon.starts.push(to_u64(lexicon.given.len()));
        }
    }
    lexicon
}

/// Posteriors of new text under a trained lexicon, with no further training.
///
/// `given_ids[e]` is the training id of the new text's given word `e` (NULL last), `emitted_ids[f]` likewise; `None` for a word that training never saw,
/// which has the smoothed probability of a pair without counts.
#[must_use]
pub fn read_new(
    lexicon: &Lexicon,
    emissions: &Emissions<'_>,
    block: &Block,
    ids: (&[Option<u32>], &[Option<u32>]),
    model: super::placement::Model,
    null_probability: Option<f64>,
) -> BlockReadout {
    let (given_ids, emitted_ids) = ids;
    let types = to_f64(to_u64(lexicon.emitted_types().max(1)));
    let unseen: Vec<f64> = given_ids
        .iter()
        .map(|id| id.map_or(1.0 / types, |e| lexicon.probability(e as usize, 0.0)))
        .collect();
    let mut local = vec![u32::MAX; lexicon.totals.len()];
    for (new, id) in (0_u32..).zip(given_ids) {
        if let Some(e) = id {
            local[*e as usize] = new;
        }
    }
    let mut weight = unseen.clone();
    let mut candidates = Vec::new();
    let mut readout = BlockReadout::with_capacity(block.slots.len());
    for word in block.types.clone() {
        let cells = emitted_ids[word].map_or(0..0, |f| {
            to_index(lexicon.starts[f as usize])..to_index(lexicon.starts[f as usize + 1])
        });
        for cell in cells.clone() {
            let e = lexicon.given[cell] as usize;
            if let Some(slot) = weight.get_mut(local[e] as usize) {
                *slot = lexicon.probability(e, f64::from(lexicon.counts[cell]));
            }
        }
        for slot in emissions.slots(word) {
            let token = Token::new(emissions, slot, model, null_probability);
            let sum = token.weigh(&weight, &lexicon.placement, &mut candidates);
            readout.push(&candidates, sum);
        }
        for cell in cells {
            let new = local[lexicon.given[cell] as usize] as usize;
            if let Some(slot) = weight.get_mut(new) {
                *slot = unseen[new];
            }
        }
    }
    readout
}
