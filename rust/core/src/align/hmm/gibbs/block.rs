//! The sentence pairs of a block with their candidates and current links, in both directions.

use super::counts::{Counts, FIRST, LAST, Numbering};
use super::fertility;
use super::jumps;
use crate::align::hmm::jumps::bucket;
use crate::align::hmm::options::Coupling;
use std::ops::Range;

/// No candidate: NULL.
pub const NULL: u32 = u32::MAX;

/// One direction of a block. Emitted and given tokens are counted through the block.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Lane {
    /// Where each emitted token's candidates start, and their number.
    pub starts: Vec<usize>,
    /// Given position of each candidate, from 1.
    pub positions: Vec<u32>,
    /// Number of each candidate's pair of words.
    pub pairs: Vec<u32>,
    /// Pseudo-counts of each candidate's pair of words.
    pub bases: Vec<f32>,
    /// Posterior of each candidate when sampling starts.
    pub before: Vec<f32>,
    /// Sum of the conditional probabilities of each candidate in the samples.
    pub masses: Vec<f32>,
    /// Current candidate of each emitted token, or [`NULL`].
    pub chosen: Vec<u32>,
    /// Its position, or 0.
    pub links: Vec<u32>,
    /// Current number of links of each given token.
    pub fertilities: Vec<u32>,
    /// Pseudo-counts of each given word, all translations together.
    pub strengths: Vec<f32>,
    /// Pseudo-counts of each emitted word in the lexicon of NULL.
    pub null_bases: Vec<f32>,
}

/// A sentence pair of a block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sentence {
    /// Its number in the corpus.
    pub number: usize,
    /// First source and target token in the block.
    pub starts: [usize; 2],
    /// Number of source and target tokens.
    pub lengths: [usize; 2],
}

/// The sentence pairs of a block.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Block {
    /// All its sentence pairs, also those that take no part.
    pub range: Range<usize>,
    /// Those that take part.
    pub sentences: Vec<Sentence>,
    /// Number of the word of each source and target token.
    pub words: [Vec<u32>; 2],
    /// Forward and reverse.
    pub lanes: [Lane; 2],
    /// Which pairs and words the numbers stand for.
    pub numbering: Numbering,
}

/// A token in its sentence: direction, emitted position from 0, and the aligned positions before and after it, 0 for none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// 0 forward, 1 reverse.
    pub direction: usize,
    /// Emitted position.
    pub emitted: usize,
    /// The last aligned position before.
    pub previous: usize,
    /// The next aligned position.
    pub next: usize,
}

impl Block {
    /// Number of the word at a given position, from 1.
    #[must_use]
    #[inline]
    pub fn given_word(&self, sentence: &Sentence, direction: usize, position: usize) -> usize {
        self.words[direction][sentence.starts[direction] + position - 1] as usize
    }

    /// Counts a link of a token, or takes it away, with its jumps.
    pub fn count(
        &mut self,
        counts: &mut Counts,
        coupling: Coupling,
        sentence: &Sentence,
        place: Place,
        candidate: u32,
        up: bool,
    ) {
        let d = place.direction;
        let token = sentence.starts[1 - d] + place.emitted;
        let emitted = self.words[1 - d][token] as usize;
        if candidate == NULL {
            let own = &mut counts.directions[d];
            own.nulls.step(emitted, up);
            own.null_total.step(0, up);
            self.count_jump(counts, sentence, d, (place.previous, place.next), up);
            return;
        }
        let position = self.lanes[d].positions[candidate as usize] as usize;
        let given_token = sentence.starts[d] + position - 1;
        let given = self.words[d][given_token] as usize;
        let pair = self.lanes[d].pairs[candidate as usize] as usize;
        let back = self.lanes[1 - d].links[given_token] as usize;
        let last = counts.links.len() - 1;
        let links = &mut counts.links[d.min(last)];
        if coupling == Coupling::Independent || back == place.emitted + 1 {
            links.pairs.step(pair, up);
            links.totals[d].step(given, up);
            links.totals[1 - d].step(emitted, up);
        }
        let fertility = &mut self.lanes[d].fertilities[given_token];
        let row = counts.directions[d].fertilities.row_mut(given);
        row[fertility::class(*fertility)] -= 1;
        if up {
            *fertility += 1;
        } else {
            *fertility -= 1;
        }
        row[fertility::class(*fertility)] += 1;
        self.count_jump(counts, sentence, d, (place.previous, position), up);
        self.count_jump(counts, sentence, d, (position, place.next), up);
    }

    /// Counts a jump, or takes it away: from 0 for a first one, to 0 for a last one.
    pub fn count_jump(
        &self,
        counts: &mut Counts,
        sentence: &Sentence,
        direction: usize,
        (from, to): (usize, usize),
        up: bool,
    ) {
        let own = &mut counts.directions[direction];
        let length = sentence.lengths[direction];
        match (from, to) {
            // An alignment to NULL alone says nothing of where alignments start and end.
            (0, 0) => {}
            (0, to) => jumps::step(own.edges.row_mut(FIRST), bucket(0, to), up),
            (from, 0) => {
                jumps::step(own.edges.row_mut(LAST), bucket(0, length + 1 - from), up);
            }
            (from, to) => {
                let word = self.given_word(sentence, direction, from);
                jumps::step(own.jumps.row_mut(word), bucket(from, to), up);
            }
        }
    }

    /// The next aligned position after an emitted one, 0 for none.
    #[must_use]
    #[inline]
    pub fn next(&self, sentence: &Sentence, direction: usize, emitted: usize) -> usize {
        let start = sentence.starts[1 - direction];
        let rest = start + emitted + 1..start + sentence.lengths[1 - direction];
        self.lanes[direction].links[rest]
            .iter()
            .find(|&&link| link > 0)
            .map_or(0, |&link| link as usize)
    }

    /// The counts of all current links, in the numbers of the block.
    pub fn count_all(&mut self, counts: &mut Counts, coupling: Coupling) {
        let sentences = std::mem::take(&mut self.sentences);
        for direction in 0..2 {
            for token in 0..self.words[direction].len() {
                let word = self.words[direction][token] as usize;
                self.lanes[direction].fertilities[token] = 0;
                counts.directions[direction].fertilities.row_mut(word)[0] += 1;
            }
        }
        for sentence in &sentences {
            for direction in 0..2 {
                let mut previous = 0;
                for emitted in 0..sentence.lengths[1 - direction] {
                    let token = sentence.starts[1 - direction] + emitted;
                    let chosen = self.lanes[direction].chosen[token];
                    let position = self.lanes[direction].links[token] as usize;
                    // Links and their jumps one after the other: what comes after is counted with the next link.
                    if chosen == NULL {
                        let own = &mut counts.directions[direction];
                        let word = self.words[1 - direction][token] as usize;
                        own.nulls.step(word, true);
                        own.null_total.step(0, true);
                        continue;
                    }
                    self.count_link(
                        counts,
                        coupling,
                        sentence,
                        (direction, emitted),
                        direction == 0,
                    );
                    self.count_jump(counts, sentence, direction, (previous, position), true);
                    previous = position;
                }
                self.count_jump(counts, sentence, direction, (previous, 0), true);
            }
        }
        self.sentences = sentences;
    }

    /// Counts the lexicon and the fertility of a token's link.
    fn count_link(
        &mut self,
        counts: &mut Counts,
        coupling: Coupling,
        sentence: &Sentence,
        (d, emitted): (usize, usize),
        is_first: bool,
    ) {
        let token = sentence.starts[1 - d] + emitted;
        let candidate = self.lanes[d].chosen[token] as usize;
        let given_token = sentence.starts[d] + self.lanes[d].positions[candidate] as usize - 1;
        let given = self.words[d][given_token] as usize;
        let is_agreed = self.lanes[1 - d].links[given_token] as usize == emitted + 1;
        let last = counts.links.len() - 1;
        let links = &mut counts.links[d.min(last)];
        if coupling == Coupling::Independent || (is_agreed && is_first) {
            links
                .pairs
                .step(self.lanes[d].pairs[candidate] as usize, true);
            links.totals[d].step(given, true);
            links.totals[1 - d].step(self.words[1 - d][token] as usize, true);
        }
        let fertility = &mut self.lanes[d].fertilities[given_token];
        let row = counts.directions[d].fertilities.row_mut(given);
        row[fertility::class(*fertility)] -= 1;
        *fertility += 1;
        row[fertility::class(*fertility)] += 1;
    }
}
