//! The scores of one word's chunks, computed once for all segmentations that have them.

use super::TwoStep;
use super::grams::{MARGIN, Word};
use super::lattice::Lattice;
use super::templates::Known;
use super::{BEGIN, INSIDE};
use rustc_hash::FxHashMap;

/// A word with what was computed about it.
#[derive(Debug, Default)]
pub(super) struct Positions {
    word: Word,
    /// Where the scores of a chunk, of a chunk with the start of the one before, and with the end of the one behind, stand.
    chunks: FxHashMap<(usize, usize), usize>,
    before: FxHashMap<(Option<usize>, usize, usize), usize>,
    behind: FxHashMap<(usize, usize, Option<usize>), usize>,
    scores: Vec<f64>,
    slots: Vec<u32>,
    sum: Vec<f64>,
    /// The list of a chunk with the start of the one before and the end of the one behind.
    lists: FxHashMap<Neighbours, u32>,
    /// The column of a chunk by the column before it, its end, and the end of the chunk behind it.
    columns: FxHashMap<(Option<u32>, usize, Option<usize>), u32>,
    /// The converter's chains.
    pub converter: Lattice,
}

/// The start of the chunk before, start and end of a chunk, and the end of the chunk behind.
type Neighbours = (Option<usize>, usize, usize, Option<usize>);

/// Columns of a word that are kept when they have so many labels at most: 16 bytes each.
const KEPT: usize = 1 << 18;

/// Which of the three.
#[derive(Clone, Copy)]
enum Share {
    Own,
    Before(Option<usize>),
    Behind(Option<usize>),
}

impl Positions {
    pub fn read(&mut self, model: &TwoStep, symbols: &[u32]) {
        self.word.read(symbols, &model.grams);
        self.chunks.clear();
        self.before.clear();
        self.behind.clear();
        self.scores.clear();
        self.forget();
        self.slots.resize(model.labels.len().max(2), 0);
    }

    /// The segmenter's lattice. A word begins with a chunk: the first symbol has no other label.
    pub fn segmenter(&mut self, model: &TwoStep, lattice: &mut Lattice) {
        lattice.clear();
        let field = &model.segmenter;
        let factors = field.factors();
        let labels = [BEGIN, INSIDE];
        self.slots[0] = 1;
        self.slots[1] = 2;
        for at in 0..self.word.len() {
            let mut scores = [0.0; 3];
            let mut source = Known {
                word: &self.word,
                attributes: field.attributes(),
            };
            // Looking up cannot fail.
            let _ = model.prepared.symbol(at, &mut source, |attribute| {
                field.add(attribute, &labels, &self.slots, &mut scores);
            });
            let count = if at == 0 { 1 } else { 2 };
            let list = lattice.list(&labels[..count], &scores[1..=count]);
            lattice.push(list, factors);
        }
        self.slots[0] = 0;
        self.slots[1] = 0;
    }

    /// Whether the converter's columns take more room than they should be given.
    pub fn is_full(&self) -> bool {
        self.converter.size() > KEPT
    }

    /// Drops the converter's columns.
    pub fn forget(&mut self) {
        self.converter.clear();
        self.lists.clear();
        self.columns.clear();
    }

    /// Makes the converter's chain for chunks that end at `ends` the one at hand.
    pub fn convert(&mut self, model: &TwoStep, ends: &[usize], wants_all: bool) {
        let factors = model.converter.factors();
        self.converter.begin();
        for (at, &end) in ends.iter().enumerate() {
            let next = ends.get(at + 1).copied();
            let key = (self.converter.last(), end, next);
            if let Some(&column) = self.columns.get(&key) {
                self.converter.follow(column);
                continue;
            }
            let start = if at == 0 { 0 } else { ends[at - 1] };
            let previous = match at {
                0 => None,
                1 => Some(0),
                _ => Some(ends[at - 2]),
            };
            let list = self.list(model, (previous, start, end, next), wants_all);
            let column = self.converter.push(list, factors);
            self.columns.insert(key, column);
        }
    }

    /// The labels of a chunk with their scores between its neighbours.
    fn list(&mut self, model: &TwoStep, chunk: Neighbours, wants_all: bool) -> u32 {
        if let Some(&list) = self.lists.get(&chunk) {
            return list;
        }
        let (previous, start, end, next) = chunk;
        let labels = model.labels_of(self.word.get(start + MARGIN, end + MARGIN), wants_all);
        let own = self.share(model, (start, end), Share::Own, labels);
        let before = self.share(model, (start, end), Share::Before(previous), labels);
        let behind = self.share(model, (start, end), Share::Behind(next), labels);
        let count = labels.len();
        let part = |start: usize| &self.scores[start..start + count];
        self.sum.clear();
        self.sum.extend(
            part(own)
                .iter()
                .zip(part(before))
                .zip(part(behind))
                .map(|((own, before), behind)| own + before + behind),
        );
        let list = self.converter.list(labels, &self.sum);
        self.lists.insert(chunk, list);
        list
    }

    fn share(
        &mut self,
        model: &TwoStep,
        chunk: (usize, usize),
        share: Share,
        labels: &[u32],
    ) -> usize {
        let found = match share {
            Share::Own => self.chunks.get(&chunk),
            Share::Before(start) => self.before.get(&(start, chunk.0, chunk.1)),
            Share::Behind(end) => self.behind.get(&(chunk.0, chunk.1, end)),
        };
        if let Some(&at) = found {
            return at;
        }
        let start = self.scores.len();
        self.scores.resize(start + labels.len() + 1, 0.0);
        for (slot, &label) in (1..).zip(labels) {
            self.slots[label as usize] = slot;
        }
        let field = &model.converter;
        let (slots, scores) = (&self.slots, &mut self.scores[start..]);
        let each = |attribute| field.add(attribute, labels, slots, scores);
        let mut source = Known {
            word: &self.word,
            attributes: field.attributes(),
        };
        // Looking up cannot fail.
        let _ = match share {
            Share::Own => model.prepared.chunk(chunk, &mut source, each),
            Share::Before(start) => model.prepared.before(start, chunk, &mut source, each),
            Share::Behind(end) => model.prepared.behind(chunk, end, &mut source, each),
        };
        for &label in labels {
            self.slots[label as usize] = 0;
        }
        let at = start + 1;
        match share {
            Share::Own => self.chunks.insert(chunk, at),
            Share::Before(start) => self.before.insert((start, chunk.0, chunk.1), at),
            Share::Behind(end) => self.behind.insert((chunk.0, chunk.1, end), at),
        };
        at
    }
}
