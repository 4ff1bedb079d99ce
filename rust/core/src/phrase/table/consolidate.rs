//! A phrase table from its two halves, line by line: the job of Moses' `consolidate`.
//!
//! A line of a half is `source ||| target ||| links ||| scores ||| count-of-given count-of-pair [partners [once twice]] |||`, in both halves with the
//! same phrases.
//! Scores are numbers, or names and values of sparse features.

use super::line::{Line, write_line};
use super::options::{Smoothing, TableOptions};

use crate::align::notation::show;
use crate::cancel::CancelToken;
use crate::error::{Error, Result};
use crate::numeric::to_u64;
use crate::parallel;
use crate::phrase::discount::{CountsOfCounts, Discount, PartnerCounts};
use crate::phrase::entries::{BAR, find_bar};
use crate::phrase::sort::Count;
use crate::phrase::tokens::lines;

/// Lines that one thread takes at a time.
const PIECE: usize = 1_024;

/// One of the two halves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Half {
    /// Scores of targets given sources.
    Direct,
    /// Scores of sources given targets.
    Inverse,
}

/// An error and the half it was found in.
pub type Misfit = (Half, Error);

/// Joins the lines of two halves.
#[derive(Debug)]
pub struct Consolidator {
    options: TableOptions,
    discount: Discount,
}

impl Consolidator {
    /// Joins with these options, of which those of lexical weights, links and domains say nothing here. `counts` are those of the direct half, for
    /// discounts.
    ///
    /// # Errors
    /// [`Error::Config`] when options contradict each other, or the counts are too few for a discount.
    pub fn new(options: TableOptions, counts: &CountsOfCounts) -> Result<Self> {
        options.check()?;
        Ok(Self {
            discount: Discount::new(options.smoothing, counts, options.is_moses)?,
            options,
        })
    }

    /// The lines of the table for the same lines of both halves, and their number; `first_line` is the number of the first, from 1.
    ///
    /// Halves of other lengths are the caller's to refuse; here the shorter one ends the block.
    ///
    /// # Errors
    /// [`Error::Cancelled`]. Inside, with the half that has it, [`Error::Text`]: a line is none of a half, or the two are about other phrases.
    ///
    /// # Complexity
    /// Linear time and memory in the block.
    pub fn lines(
        &self,
        direct: &[u8],
        inverse: &[u8],
        first_line: u64,
        threads: usize,
        cancel: &CancelToken,
    ) -> Result<std::result::Result<(Vec<u8>, u64), Misfit>> {
        let pairs: Vec<(&[u8], &[u8])> = lines(direct).zip(lines(inverse)).collect();
        let pieces = pairs.chunks(PIECE).enumerate().collect();
        let parts = parallel::map(threads, cancel, pieces, |_, (n, piece)| {
            let (mut out, mut written) = (Vec::new(), 0);
            let start = first_line + to_u64(n * PIECE);
            for (number, (direct, inverse)) in (start..).zip(piece) {
                match self.line(&mut out, direct, inverse, number) {
                    Ok(is_there) => written += u64::from(is_there),
                    Err(misfit) => return Ok(Err(misfit)),
                }
            }
            Ok(Ok((out, written)))
        })?;
        let (mut text, mut written) = (Vec::new(), 0);
        for part in parts {
            match part {
                Ok((more, count)) => {
                    text.extend_from_slice(&more);
                    written += count;
                }
                Err(misfit) => return Ok(Err(misfit)),
            }
        }
        Ok(Ok((text, written)))
    }

    fn line(
        &self,
        out: &mut Vec<u8>,
        direct: &[u8],
        inverse: &[u8],
        number: u64,
    ) -> std::result::Result<bool, Misfit> {
        let needs_partners = self.options.smoothing == Smoothing::KneserNey;
        let half = |text, half| {
            HalfLine::parse(text, number, needs_partners).map_err(|error| (half, error))
        };
        let (of_source, of_target) = (half(direct, Half::Direct)?, half(inverse, Half::Inverse)?);
        if (of_source.source, of_source.target) != (of_target.source, of_target.target) {
            let problem = "the phrases are not those of the same line of the direct half; sort both halves by their bytes (LC_ALL=C sort)";
            return Err((Half::Inverse, bad(inverse, number, problem)));
        }
        let line = Line {
            source: of_source.source,
            target: of_source.target,
            links: &of_source.links,
            direct: &of_source.dense,
            inverse: &of_target.dense,
            sparse: [&of_source.sparse, &of_target.sparse],
            properties: of_source.properties,
            // Both halves have it; Moses reads this one.
            joint: of_target.joint,
            of_source: (of_source.total, of_source.partners),
            of_target: (of_target.total, of_target.partners),
        };
        Ok(write_line(out, &line, &self.options, &self.discount))
    }
}

/// A line of a half in parts.
struct HalfLine<'a> {
    source: &'a [u8],
    target: &'a [u8],
    /// With a space behind each.
    links: Vec<u8>,
    /// With a space before each.
    dense: Vec<u8>,
    sparse: Vec<u8>,
    total: Count,
    joint: Count,
    partners: PartnerCounts,
    properties: &'a [u8],
}

impl<'a> HalfLine<'a> {
    fn parse(text: &'a [u8], number: u64, needs_partners: bool) -> Result<Self> {
        let form = "expected 'source ||| target ||| links ||| scores ||| counts |||', a half of a phrase table";
        let mut rest = Some(text.strip_suffix(b" |||").unwrap_or(text));
        let mut field = || {
            let all = rest?;
            let end = find_bar(all);
            rest = end.map(|at| &all[at + BAR.len()..]);
            Some(&all[..end.unwrap_or(all.len())])
        };
        let (Some(source), Some(target), Some(links), Some(scores), Some(counts)) =
            (field(), field(), field(), field(), field())
        else {
            return Err(bad(text, number, form));
        };
        let mut half = Self {
            source,
            target,
            links: Vec::new(),
            dense: Vec::new(),
            sparse: Vec::new(),
            total: Count::default(),
            joint: Count::default(),
            partners: PartnerCounts::default(),
            properties: rest.unwrap_or_default(),
        };
        for link in tokens(links) {
            half.links.extend_from_slice(link);
            half.links.push(b' ');
        }
        let mut scores = tokens(scores);
        while let Some(token) = scores.next() {
            // DEVIATION from Moses, which takes what starts with a digit: logarithms are negative.
            if is_number(token) {
                half.dense.push(b' ');
                half.dense.extend_from_slice(token);
                continue;
            }
            let Some(value) = scores.next().filter(|value| is_number(value)) else {
                return Err(bad(
                    token,
                    number,
                    "expected a number behind the name of a sparse feature",
                ));
            };
            half.sparse.extend([b" ", token, b" ", value].concat());
        }
        let mut counts = tokens(counts);
        let mut count = || counts.next().and_then(number_of);
        let (Some(total), Some(joint)) = (count(), count()) else {
            return Err(bad(text, number, form));
        };
        (half.total, half.joint) = (Count::from_f64(total), Count::from_f64(joint));
        let more: Vec<u64> = counts
            .map_while(|token| std::str::from_utf8(token).ok()?.parse().ok())
            .collect();
        half.partners = match more[..] {
            [all, once, twice] if once.saturating_add(twice) <= all => PartnerCounts {
                all,
                few: Some([once, twice]),
            },
            [all, ..] => PartnerCounts { all, few: None },
            [] if needs_partners => {
                let problem = "there is no number of partners behind the counts; make both halves with --smoothing kneser-ney";
                return Err(bad(text, number, problem));
            }
            [] => PartnerCounts::default(),
        };
        if half.total == Count::default() {
            return Err(bad(
                text,
                number,
                "the first count is 0, and nothing can be divided by it",
            ));
        }
        Ok(half)
    }
}

fn tokens(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|&b| b == b' ').filter(|token| !token.is_empty())
}

fn is_number(token: &[u8]) -> bool {
    std::str::from_utf8(token).is_ok_and(|text| text.parse::<f64>().is_ok())
}

/// A count that is not negative.
fn number_of(token: &[u8]) -> Option<f64> {
    let value = std::str::from_utf8(token).ok()?.parse::<f64>().ok()?;
    (0.0..1e18).contains(&value).then_some(value)
}

fn bad(text: &[u8], line: u64, problem: &str) -> Error {
    Error::Text {
        line,
        column: 1,
        problem: problem.to_owned(),
        found: show(text),
    }
}
