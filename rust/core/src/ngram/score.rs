//! Probabilities of sequences.

use super::corpus::Sequences;
use super::model::Model;
use crate::cancel::CancelToken;
use crate::error::Result;
use crate::parallel;

/// Sequences that are scored in one piece of work.
const BLOCK: usize = 1 << 10;

/// What a model says of some sequences.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Scores {
    /// The logarithm of the probability of each word after those before it; that of the end follows those of the words of a sequence.
    pub logs: Vec<f64>,
    /// Whether each was unknown; an end is not.
    pub is_unknown: Vec<bool>,
}

impl Model {
    /// Scores each word and each end.
    ///
    /// # Errors
    /// [`crate::error::Error::Cancelled`].
    ///
    /// # Complexity
    /// A [`step`](Model::step) a word.
    pub fn score(
        &self,
        sequences: &Sequences<'_>,
        threads: usize,
        cancel: &CancelToken,
    ) -> Result<Scores> {
        let blocks: Vec<usize> = (0..sequences.len()).step_by(BLOCK).collect();
        let parts = parallel::map(threads, cancel, blocks, |_, begin| {
            let mut part = Scores::default();
            for number in begin..(begin + BLOCK).min(sequences.len()) {
                cancel.check()?;
                self.score_one(sequences.get(number), &mut part);
            }
            Ok(part)
        })?;
        let mut whole = Scores::default();
        for part in parts {
            whole.logs.extend(part.logs);
            whole.is_unknown.extend(part.is_unknown);
        }
        Ok(whole)
    }

    fn score_one(&self, words: &[u32], scores: &mut Scores) {
        let mut state = self.start();
        for &word in words {
            let (log, next) = self.step(state, word);
            scores.logs.push(log);
            scores.is_unknown.push(!self.knows(word));
            state = next;
        }
        scores.logs.push(self.end(state));
        scores.is_unknown.push(false);
    }
}
