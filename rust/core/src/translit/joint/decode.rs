//! Lists of targets with their probabilities.

use super::lattice::Lattice;
use super::model::{JointModel, Unknown};
use super::search::{Search, Target};
use super::sum::PairSum;
use crate::cancel::CancelToken;
use crate::error::{Error, Result};
use crate::numeric::to_u64;
use crate::parallel;
use crate::progress::Progress;
use crate::translit::words::Words;

/// Words that a thread decodes before it looks for more. Large, since each takes room for all contexts of the model.
const BLOCK: usize = 256;

/// Options of [`JointModel::nbest`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DecodeOptions {
    /// The length of lists.
    pub n: usize,
    /// The targets with the best ways that are looked at, at least `n`; their sums over all ways decide which are listed.
    pub candidates: usize,
    /// The most steps of the search for one word.
    pub steps: usize,
    /// What becomes of symbols that no unit covers alone.
    pub unknown: Unknown,
}

/// The list of a word.
#[derive(Debug, Clone, PartialEq)]
pub struct Decoded {
    /// Targets, the most probable first: symbols, and `ln P(S, T)`.
    pub targets: Vec<(Vec<u32>, f64)>,
    /// `ln P(S)`.
    pub ln_source: f64,
    /// Whether that is the sum over all targets; if not, it is the sum over those looked at, since probabilities left the range of numbers.
    pub is_exact: bool,
}

impl JointModel {
    /// The targets with the best ways for each source word, with the sum over all their ways, sorted by it.
    ///
    /// # Errors
    /// [`Error::Config`] for lists of length 0; [`Error::Cancelled`].
    pub fn nbest(
        &self,
        sources: Words<'_>,
        options: &DecodeOptions,
        threads: usize,
        cancel: &CancelToken,
        progress: &dyn Progress,
    ) -> Result<Vec<Decoded>> {
        if options.n == 0 {
            return Err(Error::config("n", "at least 1", 0));
        }
        let mut all = Vec::with_capacity(sources.len());
        // A few blocks a thread between two reports.
        let step = BLOCK * 4 * threads.max(1);
        let mut begin = 0;
        while begin < sources.len() {
            let end = (begin + step).min(sources.len());
            let blocks: Vec<_> = (begin..end).step_by(BLOCK).collect();
            let parts = parallel::map(threads, cancel, blocks, |_, first| {
                let mut decoder = Decoder::new(self, options);
                (first..(first + BLOCK).min(end))
                    .map(|number| {
                        cancel.check()?;
                        Ok(decoder.decode(sources.get(number)))
                    })
                    .collect::<Result<Vec<_>>>()
            })?;
            all.extend(parts.into_iter().flatten());
            progress.report("decode", to_u64(end), to_u64(sources.len()), &[]);
            begin = end;
        }
        Ok(all)
    }

    /// `ln P(S, T)` and `ln P(S)` of each pair. The first is minus infinity when no units make the pair.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub fn score(
        &self,
        sources: Words<'_>,
        targets: Words<'_>,
        unknown: Unknown,
        threads: usize,
        cancel: &CancelToken,
    ) -> Result<Vec<(f64, f64)>> {
        let count = sources.len().min(targets.len());
        let blocks: Vec<_> = (0..count).step_by(BLOCK).collect();
        let parts = parallel::map(threads, cancel, blocks, |_, first| {
            let (mut lattice, mut sum) = (Lattice::new(self), PairSum::default());
            let (mut best, mut ln_source) = (f64::NAN, f64::NAN);
            (first..(first + BLOCK).min(count))
                .map(|number| {
                    cancel.check()?;
                    let (source, target) = (sources.get(number), targets.get(number));
                    // Neighbours of the same word share its lattice.
                    if number == first || sources.get(number - 1) != source {
                        lattice.build(source);
                        lattice.complete();
                        best = lattice.completions[lattice.order[0] as usize];
                        ln_source = lattice.ln_sum().unwrap_or(f64::NAN);
                    }
                    Ok((sum.ln_sum(self, unknown, source, target, best), ln_source))
                })
                .collect::<Result<Vec<_>>>()
        })?;
        Ok(parts.into_iter().flatten().collect())
    }
}

/// What one thread needs for a word.
pub(in crate::translit) struct Decoder<'a> {
    model: &'a JointModel,
    options: &'a DecodeOptions,
    /// The sum over all targets of the word at hand, if it is known.
    exact: Option<f64>,
    lattice: Lattice<'a>,
    search: Search,
    sum: PairSum,
}

impl<'a> Decoder<'a> {
    pub fn new(model: &'a JointModel, options: &'a DecodeOptions) -> Self {
        Self {
            model,
            options,
            exact: None,
            lattice: Lattice::new(model),
            search: Search::default(),
            sum: PairSum::default(),
        }
    }

    /// The list of a word.
    pub fn decode(&mut self, source: &[u32]) -> Decoded {
        let DecodeOptions {
            n,
            candidates,
            steps,
            unknown,
        } = *self.options;
        self.lattice.build(source);
        self.lattice.complete();
        let count = candidates.max(n);
        let found = self
            .search
            .best(self.model, &self.lattice, unknown, count, steps);
        let mut targets: Vec<(Vec<u32>, f64)> = found
            .into_iter()
            .map(|Target { symbols, log }| {
                let sum = self.sum.ln_sum(self.model, unknown, source, &symbols, log);
                // Rounding must not make the sum less than one of its terms.
                let sum = if sum.is_finite() { sum.max(log) } else { log };
                (symbols, sum)
            })
            .collect();
        // A stable sort: of equal sums, the better way stays first.
        targets.sort_by(|a, b| b.1.total_cmp(&a.1));
        let listed = ln_sum(targets.iter().map(|&(_, log)| log));
        let exact = self.lattice.ln_sum();
        self.exact = exact;
        targets.truncate(n);
        Decoded {
            targets,
            ln_source: exact.map_or(listed, |sum| sum.max(listed)),
            is_exact: exact.is_some(),
        }
    }

    /// `ln P(T | S)` of any target of the word that was decoded last, as [`JointModel::score`] gives it.
    pub fn ask(&mut self, source: &[u32], target: &[u32]) -> f64 {
        let best = self.lattice.completions[self.lattice.order[0] as usize];
        let unknown = self.options.unknown;
        let joint = self.sum.ln_sum(self.model, unknown, source, target, best);
        joint - self.exact.unwrap_or(f64::NAN)
    }
}

/// The logarithm of a sum of exponentials.
fn ln_sum(logs: impl Iterator<Item = f64> + Clone) -> f64 {
    let most = logs.clone().fold(f64::NEG_INFINITY, f64::max);
    if most == f64::NEG_INFINITY {
        return most;
    }
    most + libm::log(logs.map(|log| libm::exp(log - most)).sum())
}
