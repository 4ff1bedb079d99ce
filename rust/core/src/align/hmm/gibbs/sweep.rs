//! One sweep over a block: every token draws its link anew, given all other links.

use super::block::{Block, NULL, Place, Sentence};
use super::counts::{Counts, FIRST, LAST};
use super::fertility;
use super::jumps::Priors;
use super::options::Sampling;
use crate::align::hmm::jumps::bucket;
use crate::align::hmm::options::Coupling;
use crate::align::hmm::train::Training;
use crate::cancel::CancelToken;
use crate::error::Result;
use crate::numeric::{single, to_f32, to_u64};
use crate::rng::Stream;

/// What stays the same in a sweep.
#[derive(Debug, Clone, PartialEq)]
pub struct Sweep<'a> {
    /// The options.
    pub sampling: &'a Sampling,
    /// Whether only links that both directions have count for the lexicon.
    pub coupling: Coupling,
    /// p0.
    pub null_probability: f32,
    /// Pseudo-counts of NULL's lexicon, forward and reverse.
    pub null_strengths: [f32; 2],
    /// Priors of the jumps.
    pub jumps: [Priors; 2],
    /// Priors of the fertilities, where these matter.
    pub fertilities: Option<[fertility::Prior; 2]>,
    /// Its number.
    pub number: u64,
    /// Whether the conditional probabilities are remembered.
    pub is_sample: bool,
}

impl<'a> Sweep<'a> {
    /// A sweep whose priors are those of all counts before it.
    pub(in crate::align::hmm) fn new(
        training: &Training<'_>,
        sampling: &'a Sampling,
        counts: &Counts,
        null_strengths: [f32; 2],
        number: u32,
    ) -> Self {
        let options = training.options;
        let jumps = |d: usize| Priors::new(&counts.directions[d], options.tau, options.smoothing);
        let fertility = |d: usize| {
            let all = counts.directions[d].all_fertilities();
            fertility::Prior::new(&all, sampling.fertility)
        };
        let after = number.checked_sub(sampling.burn_in);
        Self {
            sampling,
            coupling: options.coupling,
            null_probability: to_f32(options.null_probability),
            null_strengths,
            jumps: [jumps(0), jumps(1)],
            fertilities: (sampling.fertility > 0.0).then(|| [fertility(0), fertility(1)]),
            number: u64::from(number),
            is_sample: after.is_some_and(|n| (n + 1).is_multiple_of(sampling.lag)),
        }
    }

    /// Draws all links of a block; returns how many are new, forward and reverse.
    ///
    /// # Errors
    /// [`crate::error::Error::Cancelled`].
    pub fn run(
        &self,
        block: &mut Block,
        counts: &mut Counts,
        cancel: &CancelToken,
    ) -> Result<[u64; 2]> {
        let sentences = std::mem::take(&mut block.sentences);
        let mut moved = [0; 2];
        let mut weights = Vec::new();
        for sentence in &sentences {
            for (direction, moved) in moved.iter_mut().enumerate() {
                let lane = (sentence, direction);
                *moved += self.sentence(block, counts, lane, &mut weights, cancel)?;
            }
        }
        block.sentences = sentences;
        Ok(moved)
    }

    fn sentence(
        &self,
        block: &mut Block,
        counts: &mut Counts,
        (sentence, direction): (&Sentence, usize),
        weights: &mut Vec<f32>,
        cancel: &CancelToken,
    ) -> Result<u64> {
        let key = [
            self.sampling.seed,
            self.number,
            to_u64(direction),
            to_u64(sentence.number),
        ];
        let draws = Stream::new(&key);
        let (mut previous, mut moved) = (0, 0);
        for emitted in 0..sentence.lengths[1 - direction] {
            cancel.check()?;
            let token = sentence.starts[1 - direction] + emitted;
            let place = Place {
                direction,
                emitted,
                previous,
                next: block.next(sentence, direction, emitted),
            };
            let old = block.lanes[direction].chosen[token];
            block.count(counts, self.coupling, sentence, place, old, false);
            let total = self.weigh(block, counts, sentence, place, weights);
            let start = block.lanes[direction].starts[token];
            let share = draws.unit_f32(to_u64(emitted)) * total;
            let new = match pick(weights, share) {
                _ if !(total > 0.0 && total.is_finite()) => old,
                0 => NULL,
                n => u32::try_from(start + n - 1).unwrap_or(NULL),
            };
            let lane = &mut block.lanes[direction];
            if self.is_sample && total > 0.0 {
                let scale = 1.0 / total;
                for (mass, weight) in lane.masses[start..].iter_mut().zip(&weights[1..]) {
                    *mass += weight * scale;
                }
            }
            lane.chosen[token] = new;
            lane.links[token] = lane.positions.get(new as usize).copied().unwrap_or(0);
            if lane.links[token] > 0 {
                previous = lane.links[token] as usize;
            }
            block.count(counts, self.coupling, sentence, place, new, true);
            moved += u64::from(new != old);
        }
        Ok(moved)
    }

    /// The weights of NULL and of all candidates of a token whose link is taken away; returns their sum.
    pub fn weigh(
        &self,
        block: &Block,
        counts: &Counts,
        sentence: &Sentence,
        place: Place,
        weights: &mut Vec<f32>,
    ) -> f32 {
        let Place {
            direction: d,
            emitted,
            previous,
            next,
        } = place;
        let lane = &block.lanes[d];
        let token = sentence.starts[1 - d] + emitted;
        let emitted_word = block.words[1 - d][token] as usize;
        let length = sentence.lengths[d];
        let (own, jumps) = (&counts.directions[d], &self.jumps[d]);
        let word = |position: usize| block.given_word(sentence, d, position);
        let arrive = |to: usize| match previous {
            0 => jumps.first(own.edges.row(FIRST), to, length),
            from => jumps.between(own.jumps.row(word(from)), (from, to, length), None),
        };
        weights.clear();
        let null = (single(own.nulls.at(emitted_word)) + lane.null_bases[emitted_word])
            / (single(own.null_total.at(0)) + self.null_strengths[d]);
        let step = match (previous, next) {
            (_, 0) => jumps.last(own.edges.row(LAST), previous, length),
            (_, next) => arrive(next),
        };
        weights.push(self.null_probability * null * step);
        let mut total = weights[0];
        let links = &counts.links[d.min(counts.links.len() - 1)];
        let previous_word = previous.checked_sub(1).map(|_| word(previous));
        for c in lane.starts[token]..lane.starts[token + 1] {
            let position = lane.positions[c] as usize;
            let given_token = sentence.starts[d] + position - 1;
            let given = block.words[d][given_token] as usize;
            let numerator = single(links.pairs.at(lane.pairs[c] as usize)) + lane.bases[c];
            let denominator = single(links.totals[d].at(given)) + lane.strengths[given];
            let leave = match next {
                0 => jumps.last(own.edges.row(LAST), position, length),
                next => {
                    let again = (previous_word == Some(given)).then(|| bucket(previous, position));
                    jumps.between(own.jumps.row(given), (position, next, length), again)
                }
            };
            let mut weight =
                (1.0 - self.null_probability) * numerator / denominator * arrive(position) * leave;
            if let Some(priors) = &self.fertilities {
                let now = lane.fertilities[given_token];
                let row = own.fertilities.row(given);
                weight *= priors[d].ratio(row, now);
            }
            weights.push(weight);
            total += weight;
        }
        total
    }
}

/// The first place where the sum of the weights exceeds `share`.
fn pick(weights: &[f32], share: f32) -> usize {
    let mut sum = 0.0;
    for (n, weight) in weights.iter().enumerate() {
        sum += weight;
        if sum > share {
            return n;
        }
    }
    // Rounding: the last one with any weight.
    weights
        .iter()
        .rposition(|&weight| weight > 0.0)
        .unwrap_or(0)
}
