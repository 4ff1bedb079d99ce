//! Expected counts where scores of pairs of labels depend on the text: one sequence after the other, in logarithms.

use super::{At, Likelihood};
use crate::crf::group_pass::Over;
use crate::crf::pair_scores::{SequenceScores, TextScores};
use crate::crf::text_chain::TextChain;
use crate::crf::units::large_whole;
use crate::crf::worker::Scratch;
use crate::numeric::to_index;

impl Likelihood<'_> {
    /// Adds the expected counts of a group of sequences; returns the sum of the logarithms of Z.
    ///
    /// # Complexity
    /// 3 T L^2 exponentials for a sequence of T positions, where the common case has T L.
    pub(in crate::crf) fn add_by_text(
        &self,
        at: &At<'_>,
        text: &TextScores<'_>,
        scratch: &mut Scratch,
        group: &[usize],
    ) -> f64 {
        let all = Over {
            allowed: None,
            candidates: None,
            sign: 1.0,
        };
        let known = self.data.allowed().map(|claims| Over {
            allowed: Some(claims),
            candidates: None,
            sign: -1.0,
        });
        let mut sum = 0.0;
        for over in std::iter::once(all).chain(known) {
            for &number in group {
                let factor = over.sign * self.data.weight(number);
                sum += factor * self.add_sequence(at, text, scratch, over, number, factor);
            }
        }
        sum
    }

    /// The logarithm of Z of a sequence, whose expected counts are added times a factor.
    fn add_sequence(
        &self,
        at: &At<'_>,
        text: &TextScores<'_>,
        scratch: &mut Scratch,
        over: Over<'_>,
        number: usize,
        factor: f64,
    ) -> f64 {
        let labels = self.features.labels();
        let sequence = self.data.get(number);
        let first = sequence.first();
        let mut scores = Vec::with_capacity(labels * sequence.len());
        let mut subtracted = 0.0;
        for position in sequence.positions() {
            let top = self.score(at, scratch, over, position);
            subtracted += top;
            scores.extend(scratch.scores[..labels].iter().map(|score| score - top));
        }
        let pairs = SequenceScores {
            scores: text,
            data: self.data,
            first,
        };
        let chain = TextChain::new(pairs, scores);
        let mut posterior = vec![0.0; labels];
        for position in 0..sequence.len() {
            for (label, value) in posterior.iter_mut().enumerate() {
                *value = chain.posterior(position, label);
            }
            self.add_position(scratch, first + position, &posterior, factor);
        }
        let mut matrix = vec![0.0; labels * labels];
        for position in 1..sequence.len() {
            chain.pair_posteriors(position, &mut matrix);
            self.add_matrix(scratch, first + position, &matrix, factor);
        }
        chain.log_z + subtracted
    }

    /// Adds the probabilities of pairs of labels whose second one stands at a position among all: to those of pairs, and to those of triples behind them.
    fn add_matrix(&self, scratch: &mut Scratch, position: usize, matrix: &[f64], factor: f64) {
        let (labels, triples) = (self.features.labels(), self.features.triples());
        let (pairs, own) = scratch
            .pairs
            .split_at_mut(self.features.next_labels().len());
        let scale = self.scale * factor;
        for ((from, to, _), sum) in self.features.label_pairs().zip(pairs) {
            *sum += large_whole(matrix[from * labels + to] * scale);
        }
        self.data.features(position, |attribute, value| {
            let run = triples.of(attribute);
            for (&(from, to), sum) in triples.labels()[run.clone()].iter().zip(&mut own[run]) {
                let probability = matrix[to_index(from.into()) * labels + to_index(to.into())];
                *sum += large_whole(probability * (value * scale));
            }
        });
    }
}
