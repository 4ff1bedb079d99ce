//! Many-to-many alignment of pairs of words by expectation maximisation.
//!
//! A pair is made by drawing units one after the other, each with its probability: `P(S, T) = sum over ways of product of theta(unit)`. The first pass takes all ways of a
//! pair as equally likely. Each pass then counts units by forward-backward under the probabilities of the last one (Jiampojamarn et al. 2007); with
//! [`Method::Viterbi`] later passes count the units of the best way only (Li, Zhang and Su 2004).
//!
//! The likelihood alone favours large units. Two remedies are offered: `sparsity`, a symmetric Dirichlet prior of theta with variational Bayes (a unit that is expected less
//! than once loses most of its weight), and `length_penalty`, a factor for each symbol beyond the first of the longer chunk.

use super::expect::{Expected, Pass};
use super::lattice::{Lattices, Limits, Unalignable};
use super::units::Units;
use super::words::Words;
use crate::cancel::CancelToken;
use crate::error::{Error, Result};
use crate::numeric::{FIXED_ONE, digamma, from_fixed, to_f64, to_u64};
use crate::progress::Progress;

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Expected counts over all ways.
    Em,
    /// Expected counts in the first passes, then those of the best ways.
    Viterbi,
}

/// Options of [`align`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AlignOptions {
    /// Which units there may be.
    pub limits: Limits,
    /// What is counted.
    pub method: Method,
    /// The most passes.
    pub iterations: usize,
    /// With [`Method::Viterbi`]: the passes with expected counts before those with best ways.
    pub soft_iterations: usize,
    /// Pseudo-count of each unit in variational Bayes; 0 for maximum likelihood.
    pub sparsity: f64,
    /// The logarithm of the factor for each symbol beyond the first of the longer chunk of a unit, negated; not negative.
    pub length_penalty: f64,
    /// Passes end when the log-likelihood rises by less than this share of itself; 0 never.
    pub tolerance: f64,
}

/// Pairs as runs of units.
#[derive(Debug)]
pub struct Alignment {
    /// The units that occur.
    pub units: Units,
    /// Where the units of each pair start; one entry more than there are pairs.
    pub starts: Vec<usize>,
    /// The units of all pairs; a pair without alignment has none.
    pub ids: Vec<u32>,
    /// The logarithm of the weight of the best way of each pair; NaN without alignment.
    pub scores: Vec<f64>,
    /// Pairs without alignment, and why.
    pub unalignable: Vec<(usize, Unalignable)>,
    /// The log-likelihood (of the best ways, in passes that count these) under the probabilities that each pass began with.
    pub history: Vec<f64>,
}

/// Aligns pairs of words.
///
/// # Errors
/// [`Error::Config`] for options out of range, [`Error::UnequalLength`] for unequal numbers of words, [`Error::Cancelled`].
///
/// # Complexity
/// Time of a pass linear in the number of arcs; memory 4 bytes for each arc, and 8 for each unit and thread.
pub fn align(
    sources: Words<'_>,
    targets: Words<'_>,
    options: &AlignOptions,
    threads: usize,
    cancel: &CancelToken,
    progress: &dyn Progress,
) -> Result<Alignment> {
    check(sources, targets, options)?;
    let lattices = Lattices::new(sources, targets, &options.limits, cancel)?;
    let factors = shape_factors(&lattices.units, options.length_penalty);
    let mut weights = vec![1.0; lattices.units.len()];
    let mut history = Vec::new();
    for done in 0..options.iterations {
        let pass = Pass {
            lattices: &lattices,
            weights: &weights,
            threads,
            cancel,
        };
        let soft = options.method == Method::Em || done < options.soft_iterations.max(1);
        let counts = if soft {
            let Expected { counts, logs } = pass.expect()?;
            history.push(logs.iter().sum());
            counts
        } else {
            let ways = pass.best()?;
            history.push(ways.iter().map(|(_, score)| score).sum());
            count(&ways, weights.len())
        };
        progress.report(
            "align",
            to_u64(done + 1),
            to_u64(options.iterations),
            &[("log_likelihood", history[done])],
        );
        weights = estimate(&counts, options.sparsity);
        for (weight, factor) in weights.iter_mut().zip(&factors) {
            *weight *= factor;
        }
        // Neither the uniform weights of the first pass nor a change of what is counted says how far there is to go.
        let comparable =
            done >= 2 && (done != options.soft_iterations || options.method == Method::Em);
        if comparable && is_converged(&history, options.tolerance) {
            break;
        }
    }
    let pass = Pass {
        lattices: &lattices,
        weights: &weights,
        threads,
        cancel,
    };
    let ways = pass.best()?;
    collect(lattices, ways, sources.len(), history)
}

fn check(sources: Words<'_>, targets: Words<'_>, options: &AlignOptions) -> Result<()> {
    if sources.len() != targets.len() {
        let (from, to) = (to_u64(sources.len()), to_u64(targets.len()));
        let is_source = from < to;
        let name = |source: bool| if source { "sources" } else { "targets" };
        return Err(Error::UnequalLength {
            shorter: name(is_source),
            shorter_len: from.min(to),
            longer: name(!is_source),
            longer_len: from.max(to),
        });
    }
    if options.iterations == 0 {
        return Err(Error::config("iterations", "at least 1", 0));
    }
    for (name, value) in [
        ("sparsity", options.sparsity),
        ("length_penalty", options.length_penalty),
        ("tolerance", options.tolerance),
    ] {
        if !(0.0..1e6).contains(&value) {
            return Err(Error::config(name, "from 0 to a million", value));
        }
    }
    Ok(())
}

/// The factor of each unit for its length.
fn shape_factors(units: &Units, penalty: f64) -> Vec<f64> {
    (0u32..)
        .take(units.len())
        .map(|unit| {
            let (source, target) = units.get(unit);
            let beyond = source.len().max(target.len()).max(1) - 1;
            libm::exp(-penalty * to_f64(to_u64(beyond)))
        })
        .collect()
}

/// Counts of the units of ways, as fixed-point numbers.
fn count(ways: &[(Vec<u32>, f64)], units: usize) -> Vec<u64> {
    let mut counts = vec![0u64; units];
    for unit in ways.iter().flat_map(|(way, _)| way) {
        counts[*unit as usize] += 1 << 32;
    }
    counts
}

/// Probabilities of units: shares of counts, or the variational estimate exp(psi(count + alpha)) / exp(psi(sum)).
fn estimate(counts: &[u64], alpha: f64) -> Vec<f64> {
    let total: u128 = counts.iter().map(|&count| u128::from(count)).sum();
    let total = total_of(total);
    if alpha == 0.0 {
        return counts
            .iter()
            .map(|&count| from_fixed(count) / total.max(f64::MIN_POSITIVE))
            .collect();
    }
    let sum = digamma(total + alpha * to_f64(to_u64(counts.len())));
    counts
        .iter()
        .map(|&count| libm::exp(digamma(from_fixed(count) + alpha) - sum))
        .collect()
}

fn total_of(fixed: u128) -> f64 {
    let high = u64::try_from(fixed >> 32).unwrap_or(u64::MAX);
    let low = u64::try_from(fixed & 0xFFFF_FFFF).unwrap_or(0);
    to_f64(high) + to_f64(low) / FIXED_ONE
}

fn is_converged(history: &[f64], tolerance: f64) -> bool {
    match history {
        [.., before, now] => (now - before).abs() < tolerance * now.abs(),
        _ => false,
    }
}

/// Numbers the units that occur in the order of their first occurrence.
fn collect(
    lattices: Lattices,
    ways: Vec<(Vec<u32>, f64)>,
    pairs: usize,
    history: Vec<f64>,
) -> Result<Alignment> {
    let mut units = Units::default();
    let mut renumbered = vec![u32::MAX; lattices.units.len()];
    let (mut starts, mut ids) = (vec![0], Vec::new());
    let mut scores = vec![f64::NAN; pairs];
    let mut ways = lattices.kept.iter().copied().zip(ways).peekable();
    for (pair, slot) in scores.iter_mut().enumerate() {
        if let Some((_, (way, score))) = ways.next_if(|&(number, _)| number == pair) {
            *slot = score;
            for unit in way {
                let new = &mut renumbered[unit as usize];
                if *new == u32::MAX {
                    let (source, target) = lattices.units.get(unit);
                    *new = units.number(source, target)?;
                }
                ids.push(*new);
            }
        }
        starts.push(ids.len());
    }
    Ok(Alignment {
        units,
        starts,
        ids,
        scores,
        unalignable: lattices.unalignable,
        history,
    })
}
