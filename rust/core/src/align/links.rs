//! Links of a corpus in compact ragged arrays.
//!
//! [`Links`] is what every aligner returns and every tool after it takes: the links of sentence pair `n` are a slice of one long array.
//! Links that come from outside enter through [`Links::new`], which validates; links that are computed come from a [`LinksBuilder`], which sorts
//! and removes repeats. So code behind these doors may rely on the invariants.

use crate::error::{Error, Result};
use crate::numeric::{to_index, to_u64};

/// A link between a source and a target position of one sentence pair, both 0-based.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Link {
    /// Position in the source sentence.
    pub source: u32,
    /// Position in the target sentence.
    pub target: u32,
}

impl Link {
    /// The largest position a link may hold: positions travel as signed 32-bit numbers.
    pub const MAX_POSITION: u32 = i32::MAX.unsigned_abs();

    /// The link between these positions.
    #[must_use]
    #[inline]
    pub const fn new(source: u32, target: u32) -> Self {
        Self { source, target }
    }

    /// The same link seen from the other side.
    #[must_use]
    #[inline]
    pub const fn transposed(self) -> Self {
        Self::new(self.target, self.source)
    }
}

/// The links of each sentence pair, sorted by source, then target position, without repeats.
///
/// Pair `n` has `links[offsets[n]..offsets[n + 1]]`; `probabilities`, when present, runs in parallel with `links` and
/// holds the posterior probability of each link.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Links {
    /// All links, sentence after sentence.
    pub links: Vec<Link>,
    /// Start of each sentence in `links`, and the number of links at the end.
    pub offsets: Vec<u64>,
    /// Posterior probability of each link, or nothing when the links are plain.
    pub probabilities: Option<Vec<f32>>,
}

impl Links {
    /// Links from their parts, checked.
    ///
    /// # Errors
    /// [`Error::Links`] when the offsets do not start at 0, fall, or do not end at the number of links; when the links of a sentence are not
    /// sorted by source, then target, or repeat; when a position is over [`Link::MAX_POSITION`]; when there is not one probability per link, or
    /// one is not a number from 0 to 1.
    ///
    /// # Complexity
    /// Linear time, no memory.
    pub fn new(
        links: Vec<Link>,
        offsets: Vec<u64>,
        probabilities: Option<Vec<f32>>,
    ) -> Result<Self> {
        let candidate = Self {
            links,
            offsets,
            probabilities,
        };
        candidate.validate()?;
        Ok(candidate)
    }

    /// Checks the invariants that [`Links::new`] promises.
    ///
    /// # Errors
    /// As [`Links::new`].
    pub fn validate(&self) -> Result<()> {
        self.validate_offsets()?;
        for n in 0..self.len() {
            let sentence = self.sentence(n);
            if let Some(link) = sentence
                .iter()
                .find(|l| l.source.max(l.target) > Link::MAX_POSITION)
            {
                return Err(problem(n, "a position must be below 2^31", show(*link)));
            }
            if let Some(pair) = sentence.windows(2).find(|pair| pair[0] >= pair[1]) {
                return Err(problem(
                    n,
                    "links must be sorted by source, then target, and be distinct",
                    format!("{} before {}", show(pair[0]), show(pair[1])),
                ));
            }
            let probabilities = self.sentence_probabilities(n).unwrap_or_default();
            if let Some(k) = probabilities.iter().position(|p| !(0.0..=1.0).contains(p)) {
                return Err(problem(
                    n,
                    "a probability must be a number from 0 to 1",
                    format!("{} for link {}", probabilities[k], show(sentence[k])),
                ));
            }
        }
        Ok(())
    }

    fn validate_offsets(&self) -> Result<()> {
        let total = to_u64(self.links.len());
        let bad = |n, text: &str, found| Err(problem(n, text, found));
        match self.offsets.first() {
            Some(0) => {}
            first => return bad(0, "offsets must start with 0", format!("{first:?}")),
        }
        if let Some(n) = self.offsets.windows(2).position(|pair| pair[0] > pair[1]) {
            let (from, to) = (self.offsets[n], self.offsets[n + 1]);
            return bad(n, "offsets must not fall", format!("{from} before {to}"));
        }
        if self.offsets.last() != Some(&total) {
            return bad(
                self.len().saturating_sub(1),
                "the last offset must be the number of links",
                format!("{:?} for {total} links", self.offsets.last()),
            );
        }
        match &self.probabilities {
            Some(given) if given.len() != self.links.len() => bad(
                0,
                "there must be one probability per link",
                format!("{} for {total} links", given.len()),
            ),
            _ => Ok(()),
        }
    }

    /// Number of sentence pairs.
    #[must_use]
    pub fn len(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// Whether there is no sentence pair.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The links of sentence pair `n`.
    ///
    /// # Panics
    /// When there is no such pair.
    #[must_use]
    #[inline]
    pub fn sentence(&self, n: usize) -> &[Link] {
        &self.links[self.range(n)]
    }

    /// The probabilities of the links of sentence pair `n`, when the links have any.
    ///
    /// # Panics
    /// When there is no such pair.
    #[must_use]
    #[inline]
    pub fn sentence_probabilities(&self, n: usize) -> Option<&[f32]> {
        self.probabilities.as_ref().map(|all| &all[self.range(n)])
    }

    fn range(&self, n: usize) -> std::ops::Range<usize> {
        to_index(self.offsets[n])..to_index(self.offsets[n + 1])
    }

    /// Checks that every link lies inside its sentence pair.
    ///
    /// # Errors
    /// [`Error::UnequalLength`] when the number of sentence pairs differs from the number of lengths, [`Error::Links`] for the first link that
    /// points outside.
    pub fn check_within(&self, source_lengths: &[u32], target_lengths: &[u32]) -> Result<()> {
        check_same_length(
            ("the alignment", self.len()),
            ("the source text", source_lengths.len()),
        )?;
        check_same_length(
            ("the alignment", self.len()),
            ("the target text", target_lengths.len()),
        )?;
        for (n, (&source, &target)) in source_lengths.iter().zip(target_lengths).enumerate() {
            let outside = |l: &&Link| l.source >= source || l.target >= target;
            if let Some(link) = self.sentence(n).iter().find(outside) {
                return Err(problem(
                    n,
                    &format!(
                        "a link (0-based, source-target) points outside of the pair of {source} source and {target} target words; \
                         check that the alignment belongs to this text and is not turned around"
                    ),
                    show(*link),
                ));
            }
        }
        Ok(())
    }

    /// The links with source and target exchanged.
    #[must_use]
    pub fn transposed(&self) -> Self {
        let mut builder = LinksBuilder::new(self.probabilities.is_some());
        for n in 0..self.len() {
            let probabilities = self.sentence_probabilities(n);
            for (k, link) in self.sentence(n).iter().enumerate() {
                builder.push(link.transposed(), probabilities.map_or(1.0, |p| p[k]));
            }
            builder.finish_sentence();
        }
        builder.finish()
    }

    /// The sentence pairs of all parts, one part after the other.
    ///
    /// The result has probabilities when all parts that hold a link have them.
    ///
    /// # Errors
    /// [`Error::Config`] when some parts have probabilities and others have not.
    pub fn concatenate<'a, I>(parts: I) -> Result<Self>
    where
        I: IntoIterator<Item = &'a Self>,
    {
        let (mut links, mut offsets) = (Vec::new(), vec![0]);
        let mut probabilities: Option<Vec<f32>> = None;
        for part in parts {
            match (&mut probabilities, &part.probabilities) {
                (Some(all), Some(more)) => all.extend_from_slice(more),
                (None, Some(more)) if links.is_empty() => probabilities = Some(more.clone()),
                (None, None) => {}
                (_, None) if part.links.is_empty() => {}
                _ => {
                    return Err(Error::Config {
                        name: "probabilities",
                        expected: "present in all parts or in none".into(),
                        found: "some parts with and some without".into(),
                    });
                }
            }
            let base = to_u64(links.len());
            links.extend_from_slice(&part.links);
            offsets.extend(part.offsets.iter().skip(1).map(|o| base + o));
        }
        Ok(Self {
            links,
            offsets,
            probabilities,
        })
    }
}

/// Builds [`Links`] sentence by sentence; links of a sentence may come in any order and repeat.
#[derive(Debug, Clone)]
pub struct LinksBuilder {
    links: Vec<Link>,
    offsets: Vec<u64>,
    probabilities: Option<Vec<f32>>,
    start: usize,
}

impl LinksBuilder {
    /// A builder without sentences; `with_probabilities` says whether the result has probabilities.
    #[must_use]
    pub fn new(with_probabilities: bool) -> Self {
        Self {
            links: Vec::new(),
            offsets: vec![0],
            probabilities: with_probabilities.then(Vec::new),
            start: 0,
        }
    }

    /// Adds a link to the current sentence; the probability is dropped when the result has none.
    #[inline]
    pub fn push(&mut self, link: Link, probability: f32) {
        self.links.push(link);
        if let Some(all) = &mut self.probabilities {
            all.push(probability);
        }
    }

    /// Ends the current sentence: sorts its links when they are not, and of repeated links keeps the most probable.
    pub fn finish_sentence(&mut self) {
        let current = &mut self.links[self.start..];
        if !current.is_sorted_by(|a, b| a < b) {
            let kept = match &mut self.probabilities {
                None => {
                    current.sort_unstable();
                    dedup(current)
                }
                Some(all) => sort_with(current, &mut all[self.start..]),
            };
            self.links.truncate(self.start + kept);
            if let Some(all) = &mut self.probabilities {
                all.truncate(self.start + kept);
            }
        }
        self.start = self.links.len();
        self.offsets.push(to_u64(self.start));
    }

    /// The links of all finished sentences.
    #[must_use]
    pub fn finish(mut self) -> Links {
        self.links.truncate(self.start);
        if let Some(all) = &mut self.probabilities {
            all.truncate(self.start);
        }
        Links {
            links: self.links,
            offsets: self.offsets,
            probabilities: self.probabilities,
        }
    }
}

/// Moves the distinct values of a sorted slice to its front; returns how many there are.
fn dedup(sorted: &mut [Link]) -> usize {
    let mut kept = 0;
    for k in 0..sorted.len() {
        if k == 0 || sorted[k] != sorted[kept - 1] {
            sorted[kept] = sorted[k];
            kept += 1;
        }
    }
    kept
}

fn sort_with(links: &mut [Link], probabilities: &mut [f32]) -> usize {
    let mut both: Vec<(Link, f32)> = links
        .iter()
        .copied()
        .zip(probabilities.iter().copied())
        .collect();
    both.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
    both.dedup_by_key(|entry| entry.0);
    for (k, (link, probability)) in both.iter().enumerate() {
        links[k] = *link;
        probabilities[k] = *probability;
    }
    both.len()
}

/// Checks that two things that run in parallel have the same length; each comes with its name.
pub(crate) fn check_same_length(a: (&'static str, usize), b: (&'static str, usize)) -> Result<()> {
    let (shorter, longer) = if a.1 < b.1 { (a, b) } else { (b, a) };
    if shorter.1 == longer.1 {
        return Ok(());
    }
    Err(Error::UnequalLength {
        shorter: shorter.0,
        shorter_len: to_u64(shorter.1),
        longer: longer.0,
        longer_len: to_u64(longer.1),
    })
}

fn problem(n: usize, text: &str, found: String) -> Error {
    Error::Links {
        sentence: to_u64(n) + 1,
        problem: text.to_owned(),
        found,
    }
}

fn show(link: Link) -> String {
    format!("{}-{}", link.source, link.target)
}

#[cfg(test)]
mod tests;
