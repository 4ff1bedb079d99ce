//! One set of links from the two directions.
//!
//! The *forward* direction links each target word to at most one source word, the *reverse* direction each source word to at most one target
//! word. The heuristics of Och and Ney 2003 (section 4.4) and Koehn, Och and Marcu 2003 start from the intersection, where both agree, and add
//! links of the union; see [`Heuristic`]. [`soft`] needs no heuristic: it keeps the links whose mean posterior probability is high.
//!
//! # The order of the scan
//! A link is added only while one of its words (or both) is still unaligned, so the result depends on the order in which candidates are
//! looked at. The papers leave the order open; the two tools in use differ, and [`Variant`] names the choice:
//!
//! - *symal* (Moses) walks over the links that are *in*, by target then source position, and looks at the neighbours of each: first the
//!   four that share a row or column (target before, source before, target after, source after), then the four diagonal ones (both before,
//!   target before and source after, target after and source before, both after). A link that is added behind the walk's position is still
//!   walked over in the same pass, one that is added before it in the next pass. The final step scans the union by target, then source.
//! - *atools* (`fast_align`) walks over the links that are *not in*, by source then target position, and adds one when any neighbour is in.
//!   Passes repeat until one adds nothing. The final step scans by source, then target.
//!
//! In both, the final step takes the candidates of the forward direction before those of the reverse direction.
//! Neither tool accepts sentences of any length (symal: 400 words); here there is no limit, and time is `O(n log n)` in the links of a
//! sentence, because a link that was looked at and refused once can never be added later: words only become aligned.
//!
//! DEVIATION: links come out sorted by source, then target; symal writes them by target, then source.

mod grid;
mod grow;

use super::blocks::build;
use super::links::{Link, Links, check_same_length};
use crate::cancel::CancelToken;
use crate::error::{Error, Result};
use crate::numeric::to_f32;
use grow::Workspace;
use std::str::FromStr;

/// How links are chosen from the intersection and the union of both directions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Heuristic {
    /// Links that both directions have.
    Intersection,
    /// Links that either direction has.
    Union,
    /// The intersection, grown by links of the union that are horizontal or vertical neighbours of a link that is in and have an unaligned word.
    Grow,
    /// As `Grow`, with diagonal neighbours too.
    GrowDiag,
    /// `GrowDiag`, then all links of the union that still have an unaligned word.
    GrowDiagFinal,
    /// `GrowDiag`, then all links of the union whose words are both unaligned.
    GrowDiagFinalAnd,
    /// `Grow`, then all links of the union that still have an unaligned word.
    GrowFinal,
    /// `Grow`, then all links of the union whose words are both unaligned.
    GrowFinalAnd,
}

impl Heuristic {
    /// All heuristics.
    pub const ALL: [Self; 8] = [
        Self::Intersection,
        Self::Union,
        Self::Grow,
        Self::GrowDiag,
        Self::GrowDiagFinal,
        Self::GrowDiagFinalAnd,
        Self::GrowFinal,
        Self::GrowFinalAnd,
    ];

    /// The name as users write it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Intersection => "intersection",
            Self::Union => "union",
            Self::Grow => "grow",
            Self::GrowDiag => "grow-diag",
            Self::GrowDiagFinal => "grow-diag-final",
            Self::GrowDiagFinalAnd => "grow-diag-final-and",
            Self::GrowFinal => "grow-final",
            Self::GrowFinalAnd => "grow-final-and",
        }
    }

    const fn has_diagonals(self) -> bool {
        matches!(
            self,
            Self::GrowDiag | Self::GrowDiagFinal | Self::GrowDiagFinalAnd
        )
    }
}

impl FromStr for Heuristic {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        Self::ALL
            .into_iter()
            .find(|h| h.name() == name)
            .ok_or_else(|| Error::Config {
                name: "method",
                expected: format!("one of {}", Self::ALL.map(Self::name).join(", ")),
                found: name.to_owned(),
            })
    }
}

/// Whose order of the scan is followed; see the module's documentation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Variant {
    /// As Moses' symal.
    #[default]
    Symal,
    /// As `fast_align`'s atools.
    Atools,
}

impl FromStr for Variant {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        match name {
            "symal" => Ok(Self::Symal),
            "atools" => Ok(Self::Atools),
            _ => Err(Error::Config {
                name: "variant",
                expected: "symal or atools".into(),
                found: name.to_owned(),
            }),
        }
    }
}

/// Symmetrises by a heuristic.
///
/// When both directions have probabilities, that of a link is the mean of both, a link that a direction lacks counting as 0.
///
/// # Errors
/// [`Error::UnequalLength`] when the directions have different numbers of sentences, [`Error::Cancelled`].
///
/// # Complexity
/// `O(n log n)` time in the links of each sentence; memory for the result and for one block of sentences per thread.
pub fn symmetrize(
    forward: &Links,
    reverse: &Links,
    heuristic: Heuristic,
    variant: Variant,
    threads: usize,
    cancel: &CancelToken,
) -> Result<Links> {
    check_parallel(forward, reverse)?;
    let with_probabilities = forward.probabilities.is_some() && reverse.probabilities.is_some();
    build(
        forward.len(),
        with_probabilities,
        threads,
        cancel,
        |n, workspace: &mut Workspace, builder| {
            let union = merged(forward, reverse, n);
            match heuristic {
                Heuristic::Intersection => union
                    .filter(|c| c.origin == Origin::Both)
                    .for_each(|c| builder.push(c.link, c.mean())),
                Heuristic::Union => union.for_each(|c| builder.push(c.link, c.mean())),
                _ => workspace.grow(union, heuristic, variant, builder),
            }
        },
    )
}

/// Keeps the links whose mean posterior probability over both directions is above the threshold; the mean is the link's new probability.
///
/// A posterior that a direction lacks counts as 0; the comparison is strict and made in double precision. Ours: measured as a better use
/// of the posteriors than any heuristic on their most probable links.
///
/// # Errors
/// [`Error::Config`] when the threshold is not a number from 0 to 1 or a direction has no probabilities; [`Error::UnequalLength`];
/// [`Error::Cancelled`].
///
/// # Complexity
/// Linear time; memory for the result.
pub fn soft(
    forward: &Links,
    reverse: &Links,
    threshold: f64,
    threads: usize,
    cancel: &CancelToken,
) -> Result<Links> {
    check_threshold(threshold)?;
    check_parallel(forward, reverse)?;
    for direction in [forward, reverse] {
        if direction.probabilities.is_none() && !direction.links.is_empty() {
            return Err(Error::Config {
                name: "method",
                expected: "a heuristic when a direction has no posterior probabilities".into(),
                found: "soft, and links without probabilities".into(),
            });
        }
    }
    build(
        forward.len(),
        true,
        threads,
        cancel,
        |n, (): &mut (), builder| {
            for candidate in merged(forward, reverse, n) {
                if candidate.mean_f64() > threshold {
                    builder.push(candidate.link, candidate.mean());
                }
            }
        },
    )
}

pub(super) fn check_threshold(threshold: f64) -> Result<()> {
    if (0.0..=1.0).contains(&threshold) {
        return Ok(());
    }
    Err(Error::Config {
        name: "threshold",
        expected: "a number from 0 to 1".into(),
        found: threshold.to_string(),
    })
}

fn check_parallel(forward: &Links, reverse: &Links) -> Result<()> {
    check_same_length(
        ("the forward direction", forward.len()),
        ("the reverse direction", reverse.len()),
    )
}

/// Which directions have a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Origin {
    Both,
    Forward,
    Reverse,
}

/// A link of the union with the probabilities of both directions.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    link: Link,
    origin: Origin,
    forward: f32,
    reverse: f32,
}

impl Candidate {
    fn mean_f64(&self) -> f64 {
        f64::midpoint(f64::from(self.forward), f64::from(self.reverse))
    }

    fn mean(&self) -> f32 {
        to_f32(self.mean_f64())
    }
}

/// The union of both directions of sentence `n`, sorted by source, then target.
fn merged<'a>(
    forward: &'a Links,
    reverse: &'a Links,
    n: usize,
) -> impl Iterator<Item = Candidate> + 'a {
    let mut left = entries(forward, n).peekable();
    let mut right = entries(reverse, n).peekable();
    std::iter::from_fn(move || {
        let order = match (left.peek(), right.peek()) {
            (None, None) => return None,
            (Some(_), None) => std::cmp::Ordering::Less,
            (None, Some(_)) => std::cmp::Ordering::Greater,
            (Some(a), Some(b)) => a.0.cmp(&b.0),
        };
        let a = if order.is_le() { left.next() } else { None };
        let b = if order.is_ge() { right.next() } else { None };
        let (link, _) = a.or(b)?;
        Some(Candidate {
            link,
            origin: match order {
                std::cmp::Ordering::Equal => Origin::Both,
                std::cmp::Ordering::Less => Origin::Forward,
                std::cmp::Ordering::Greater => Origin::Reverse,
            },
            forward: a.map_or(0.0, |entry| entry.1),
            reverse: b.map_or(0.0, |entry| entry.1),
        })
    })
}

fn entries(links: &Links, n: usize) -> impl Iterator<Item = (Link, f32)> {
    let probabilities = links.sentence_probabilities(n);
    links
        .sentence(n)
        .iter()
        .enumerate()
        .map(move |(k, link)| (*link, probabilities.map_or(1.0, |p| p[k])))
}

#[cfg(test)]
mod tests;
