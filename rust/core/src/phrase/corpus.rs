//! The phrase pairs of a corpus in memory, column by column.

use super::extract::{Extractor, Options};
use super::orientation::Orientations;
use crate::align::links::Links;
use crate::cancel::CancelToken;
use crate::error::{Error, Result};
use crate::numeric::to_u64;
use crate::parallel;
use crate::progress::Progress;

/// Sentence pairs that one thread takes at a time.
const PIECE: usize = 256;

/// Pieces between two reports of progress.
const PIECES: usize = 64;

/// Phrase pairs of all sentence pairs, one after the other.
///
/// Pair `n` of the corpus has the rows `offsets[n]..offsets[n + 1]`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PhrasePairs {
    /// Start of each sentence pair, and the number of rows at the end.
    pub offsets: Vec<u64>,
    /// Source start and end, target start and end; the ends are behind the last word.
    pub spans: Vec<[u16; 4]>,
    /// Codes of the orientations to what is before, by words, phrases and blocks.
    pub previous: Vec<[u8; 3]>,
    /// Codes of the orientations to what is after, by words, phrases and blocks.
    pub next: Vec<[u8; 3]>,
}

impl PhrasePairs {
    fn append(&mut self, other: &Self) {
        let base = to_u64(self.spans.len());
        self.offsets
            .extend(other.offsets.iter().skip(1).map(|at| base + at));
        self.spans.extend_from_slice(&other.spans);
        self.previous.extend_from_slice(&other.previous);
        self.next.extend_from_slice(&other.next);
    }
}

/// Finds the phrase pairs of all sentence pairs, in the order of [`super::extract::for_each`].
///
/// # Errors
/// [`Error::Config`]: see [`Options::check`]; [`Error::UnequalLength`], [`Error::Links`] when links and lengths do not fit, or a sentence is too long;
/// [`Error::Cancelled`].
///
/// # Complexity
/// As [`Extractor::for_each`]. 14 bytes for each phrase pair, twice while they are put together.
pub fn extract(
    source_lengths: &[u32],
    target_lengths: &[u32],
    links: &Links,
    options: &Options,
    threads: usize,
    cancel: &CancelToken,
    progress: &dyn Progress,
) -> Result<PhrasePairs> {
    options.check()?;
    links.check_within(source_lengths, target_lengths)?;
    let total = to_u64(links.len());
    let mut all = PhrasePairs {
        offsets: vec![0],
        ..PhrasePairs::default()
    };
    let starts: Vec<usize> = (0..links.len()).step_by(PIECE).collect();
    for some in starts.chunks(PIECES) {
        progress.report("extract", to_u64(some[0]), total, &[]);
        let parts = parallel::map(threads, cancel, some.to_vec(), |_, start| {
            let mut extractor = Extractor::new(options)?;
            let mut part = PhrasePairs {
                offsets: vec![0],
                ..PhrasePairs::default()
            };
            for n in start..links.len().min(start + PIECE) {
                let lengths = [source_lengths[n], target_lengths[n]]
                    .map(|length| crate::numeric::to_index(length.into()));
                extractor
                    .for_each(lengths[0], lengths[1], links.sentence(n), |pair| {
                        // Sentences are shorter than 2^16.
                        let position = |at: usize| u16::try_from(at).unwrap_or(u16::MAX);
                        part.spans.push([
                            position(pair.source.start),
                            position(pair.source.end),
                            position(pair.target.start),
                            position(pair.target.end),
                        ]);
                        part.previous.push(codes(pair.previous));
                        part.next.push(codes(pair.next));
                    })
                    .map_err(|error| of_sentence(error, n))?;
                part.offsets.push(to_u64(part.spans.len()));
            }
            Ok(part)
        })?;
        for part in &parts {
            all.append(part);
        }
    }
    progress.report("extract", total, total, &[]);
    Ok(all)
}

fn codes(orientations: Orientations) -> [u8; 3] {
    [
        orientations.word.code(),
        orientations.phrase.code(),
        orientations.hier.code(),
    ]
}

fn of_sentence(error: Error, n: usize) -> Error {
    match error {
        Error::Links { problem, found, .. } => Error::Links {
            sentence: to_u64(n) + 1,
            problem,
            found,
        },
        other => other,
    }
}
