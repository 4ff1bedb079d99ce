//! Decoding where scores of pairs of labels depend on the text: one sequence after the other.

use super::{Decoder, Input, Listed};
use crate::cancel::CancelToken;
use crate::crf::nbest::{nbest, total};
use crate::crf::pair_scores::{SequenceScores, TextScores};
use crate::crf::text_chain::TextChain;
use crate::crf::viterbi::trace;
use crate::error::Result;
use crate::numeric::to_index;
use crate::parallel;

/// A decoder, its input and the scores of pairs.
pub(super) struct ByText<'a> {
    decoder: &'a Decoder<'a>,
    input: &'a Input<'a>,
    scores: TextScores<'a>,
}

impl<'a> ByText<'a> {
    /// `None` where scores of pairs do not depend on the text.
    pub fn of(decoder: &'a Decoder<'a>, input: &'a Input<'a>) -> Result<Option<Self>> {
        let (features, weights) = (decoder.model.features(), decoder.model.weights());
        if features.triples().is_empty() {
            return Ok(None);
        }
        Ok(Some(Self {
            decoder,
            input,
            scores: TextScores::new(features, weights)?,
        }))
    }

    fn pairs(&self, number: usize) -> SequenceScores<'_> {
        SequenceScores {
            scores: &self.scores,
            data: self.input.data,
            first: self.input.data.get(number).first(),
        }
    }

    /// Calls `each` with every sequence and the scores of its positions; results are in the order of sequences.
    fn map<T: Send>(
        &self,
        threads: usize,
        cancel: &CancelToken,
        each: impl Fn(usize, &mut Vec<f64>) -> T + Sync,
    ) -> Result<Vec<T>> {
        let parts = parallel::map(threads, cancel, self.input.blocks(), |_, block| {
            let mut scores = Vec::new();
            let mut found = Vec::with_capacity(block.len());
            for number in block {
                cancel.check()?;
                let sequence = self.input.data.get(number);
                self.input
                    .scores(&sequence, self.decoder.model, &mut scores);
                found.push(each(number, &mut scores));
            }
            Ok(found)
        })?;
        Ok(parts.into_iter().flatten().collect())
    }

    /// As [`Decoder::best`].
    pub fn best(&self, threads: usize, cancel: &CancelToken) -> Result<(Vec<u32>, Vec<f64>)> {
        let found = self.map(threads, cancel, |number, scores| {
            let (pairs, mut labels) = (self.pairs(number), Vec::new());
            pairs.maximize(scores);
            let sum = trace(&pairs, self.input.labels, scores, &mut labels);
            (labels, sum)
        })?;
        let (labels, sums): (Vec<_>, Vec<_>) = found.into_iter().unzip();
        Ok((labels.concat(), sums))
    }

    /// As [`Decoder::nbest`].
    pub fn nbest(&self, n: usize, threads: usize, cancel: &CancelToken) -> Result<Vec<Listed>> {
        self.map(threads, cancel, |number, scores| {
            let pairs = self.pairs(number);
            let mut best = scores.clone();
            pairs.maximize(&mut best);
            Listed {
                labellings: nbest(&pairs, scores, &best, self.input.labels, n),
                log_z: TextChain::new(pairs, std::mem::take(scores)).log_z,
            }
        })
    }

    /// As [`Decoder::scores_of`].
    pub fn scores_of(
        &self,
        labels: &[u32],
        threads: usize,
        cancel: &CancelToken,
    ) -> Result<Vec<f64>> {
        self.map(threads, cancel, |number, scores| {
            let own = &labels[self.input.data.get(number).positions()];
            if own
                .iter()
                .any(|&label| to_index(label.into()) >= self.input.labels)
            {
                return f64::NEG_INFINITY;
            }
            total(&self.pairs(number), scores, own, self.input.labels)
        })
    }

    /// Number, logarithm of Z and probabilities, if they are wanted, of each sequence.
    pub fn forward_backward(
        &self,
        wants_labels: bool,
        threads: usize,
        cancel: &CancelToken,
    ) -> Result<Vec<(usize, f64, Vec<f64>)>> {
        self.map(threads, cancel, |number, scores| {
            let length = self.input.data.get(number).len();
            let chain = TextChain::new(self.pairs(number), std::mem::take(scores));
            let mut rows = Vec::new();
            for position in (0..length).filter(|_| wants_labels) {
                rows.extend((0..self.input.labels).map(|label| chain.posterior(position, label)));
            }
            (number, chain.log_z, rows)
        })
    }

    /// As [`Decoder::pair_posteriors`].
    pub fn pair_posteriors(&self, number: usize) -> Vec<f64> {
        let (sequence, labels) = (self.input.data.get(number), self.input.labels);
        let mut scores = Vec::new();
        self.input
            .scores(&sequence, self.decoder.model, &mut scores);
        let chain = TextChain::new(self.pairs(number), scores);
        let mut found = vec![0.0; sequence.len().saturating_sub(1) * labels * labels];
        for (before, matrix) in found.chunks_exact_mut((labels * labels).max(1)).enumerate() {
            chain.pair_posteriors(before + 1, matrix);
        }
        found
    }
}
