//! Counts of pairs of neighbouring classes, and what the move of a word would change.

use super::bigrams::Bigrams;
use super::entropy::Entropy;
use crate::error::Result;
use crate::ids::WordId;
use crate::numeric::{to_f64, to_u64};
use crate::text::lines::reserve;

/// The neighbours of one word by class: what a move of the word takes from one row and column of the table to another.
#[derive(Debug)]
pub(super) struct Profile {
    before: Sparse,
    after: Sparse,
    /// How often the word stands beside itself.
    own: u64,
    frequency: u64,
}

/// Counts of classes, and which of them are above 0.
#[derive(Debug)]
struct Sparse {
    counts: Vec<u64>,
    present: Vec<usize>,
}

impl Sparse {
    fn new(classes: usize) -> Self {
        Self {
            counts: vec![0; classes],
            present: Vec::with_capacity(classes),
        }
    }

    fn clear(&mut self) {
        for class in self.present.drain(..) {
            self.counts[class] = 0;
        }
    }

    fn add(&mut self, class: usize, count: u64) {
        if self.counts[class] == 0 {
            self.present.push(class);
        }
        self.counts[class] += count;
    }
}

impl Profile {
    /// A profile of no word, with room for these many classes; one more is for the boundary.
    pub(super) fn new(classes: usize) -> Self {
        Self {
            before: Sparse::new(classes + 1),
            after: Sparse::new(classes + 1),
            own: 0,
            frequency: 0,
        }
    }

    /// Makes it the profile of a word; the last of `classes` is that of the boundary.
    pub(super) fn fill(&mut self, word: usize, bigrams: &Bigrams, classes: &[u16]) {
        self.own = 0;
        self.frequency = bigrams.frequency(word);
        self.before.clear();
        self.after.clear();
        for (neighbours, sums, is_after) in [
            (bigrams.before(word), &mut self.before, false),
            (bigrams.after(word), &mut self.after, true),
        ] {
            for &(other, count) in neighbours {
                let other = WordId::from_u32(other).index();
                if other != word {
                    sums.add(usize::from(classes[other]), u64::from(count));
                } else if is_after {
                    self.own = u64::from(count);
                }
            }
        }
    }
}

/// A count and h of it.
#[derive(Debug, Clone, Copy, Default)]
struct Cell {
    count: u64,
    entropy: f64,
}

/// N(g, g') and N(g) with their h. The boundary of a sentence is the last class.
#[derive(Debug)]
pub(super) struct ClassCounts<'a> {
    entropy: &'a Entropy,
    /// Classes with that of the boundary.
    width: usize,
    /// N(g, g') at `g * width + g'`.
    after: Vec<Cell>,
    /// N(g', g) at `g * width + g'`: the same numbers, so that both kinds of sums over g' run along a row.
    before: Vec<Cell>,
    totals: Vec<Cell>,
}

impl<'a> ClassCounts<'a> {
    /// The counts of a text whose words have these classes, below `count`.
    pub(super) fn new(
        bigrams: &Bigrams,
        classes: &[u16],
        count: usize,
        entropy: &'a Entropy,
    ) -> Result<Self> {
        let width = count + 1;
        let class_of = |word: usize| {
            if word == bigrams.types() {
                count
            } else {
                usize::from(classes[word])
            }
        };
        let mut counts = Self {
            entropy,
            width,
            after: empty(width * width)?,
            before: empty(width * width)?,
            totals: empty(width)?,
        };
        for word in 0..=bigrams.types() {
            let left = class_of(word);
            counts.totals[left].count += bigrams.frequency(word);
            for &(right, number) in bigrams.after(word) {
                let right = class_of(WordId::from_u32(right).index());
                counts.after[left * width + right].count += u64::from(number);
                counts.before[right * width + left].count += u64::from(number);
            }
        }
        for cell in [&mut counts.after, &mut counts.before, &mut counts.totals]
            .into_iter()
            .flatten()
        {
            cell.entropy = entropy.of(cell.count);
        }
        Ok(counts)
    }

    /// F of the module's overview, in nats.
    pub(super) fn log_likelihood(&self, bigrams: &Bigrams) -> f64 {
        let sum = |cells: &[Cell]| cells.iter().map(|cell| cell.entropy).sum::<f64>();
        let words: f64 = (0..=bigrams.types())
            .map(|word| self.entropy.of(bigrams.frequency(word)))
            .sum();
        sum(&self.after) - 2.0 * sum(&self.totals) + words
    }

    /// Takes a word out of its class.
    pub(super) fn remove(&mut self, word: &Profile, class: usize) {
        self.shift(word, class, |count, part| count - part);
    }

    /// Puts a word into a class.
    pub(super) fn insert(&mut self, word: &Profile, class: usize) {
        self.shift(word, class, |count, part| count + part);
    }

    fn shift(&mut self, word: &Profile, class: usize, change: impl Fn(u64, u64) -> u64) {
        let (width, entropy) = (self.width, self.entropy);
        let update = |cell: &mut Cell, part| {
            cell.count = change(cell.count, part);
            cell.entropy = entropy.of(cell.count);
        };
        let mut pair = |left: usize, right: usize, part| {
            update(&mut self.after[left * width + right], part);
            update(&mut self.before[right * width + left], part);
        };
        for &other in &word.before.present {
            pair(other, class, word.before.counts[other]);
        }
        for &other in &word.after.present {
            pair(class, other, word.after.counts[other]);
        }
        if word.own > 0 {
            pair(class, class, word.own);
        }
        update(&mut self.totals[class], word.frequency);
    }

    /// What F would gain if a word that is in no class were put into each one. `gains` has one place for each class but that of the boundary.
    pub(super) fn gains(&self, word: &Profile, gains: &mut [f64]) {
        let gain = |cell: &Cell, part: u64| self.entropy.of(cell.count + part) - cell.entropy;
        for (class, sum) in gains.iter_mut().enumerate() {
            *sum = -2.0 * gain(&self.totals[class], word.frequency);
        }
        for (neighbours, table) in [(&word.before, &self.after), (&word.after, &self.before)] {
            for &other in &neighbours.present {
                let part = neighbours.counts[other];
                let row = &table[other * self.width..][..gains.len()];
                for (sum, cell) in gains.iter_mut().zip(row) {
                    *sum += gain(cell, part);
                }
            }
        }
        // On the diagonal all parts come to one cell.
        for (class, sum) in gains.iter_mut().enumerate() {
            let (before, after) = (word.before.counts[class], word.after.counts[class]);
            if word.own > 0 || (before > 0 && after > 0) {
                let cell = &self.after[class * self.width + class];
                *sum -= gain(cell, before) + gain(cell, after);
                *sum += gain(cell, before + after + word.own);
            }
        }
    }

    /// Below this a difference of sums of h may be rounding.
    pub(super) fn smallest_gain(&self) -> f64 {
        let events: u64 = self.totals.iter().map(|cell| cell.count).sum();
        // A few hundred terms, none above h(events), each rounded at 2^-53.
        1e-13 * self.entropy.of(events) + 1e-12 * to_f64(to_u64(self.width))
    }
}

fn empty(length: usize) -> Result<Vec<Cell>> {
    let mut cells = Vec::new();
    reserve(&mut cells, length, "the counts of neighbouring classes")?;
    cells.resize(length, Cell::default());
    Ok(cells)
}
