//! Features that say from which parts of the corpus a phrase pair comes (Moses' domain features; Hasler, Haddow and Koehn 2012).

use super::line::PENALTY;
use super::score::Scores;
use crate::align::notation::show;
use crate::error::{Error, Result};
use crate::phrase::sort::Count;

/// The most domains of which all subsets are features.
const MOST_SUBSETS: usize = 6;

/// What is said of a phrase pair and the domains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DomainFeature {
    /// For each domain whether the phrase pair occurs in it.
    Indicator,
    /// For each domain how much of the count comes from it.
    Ratio,
    /// In which subset of the domains it occurs.
    Subset,
}

/// The parts of a corpus, and the features that are wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Domains {
    /// Number of the last sentence pair of each part, rising, and its domain.
    parts: Vec<(u64, usize)>,
    /// Distinct, in the order of the parts.
    names: Vec<String>,
    /// As scores.
    pub dense: Option<DomainFeature>,
    /// As sparse features.
    pub sparse: Option<DomainFeature>,
    /// Whether sentence pairs behind the last part are of a domain "undefined", as in Moses; otherwise they are an error.
    pub is_open: bool,
}

impl Domains {
    /// Reads lines `last-sentence name`, sentences counted from 1: one part of the corpus a line. Parts may share a name.
    ///
    /// # Errors
    /// [`Error::Text`] when a line is none of this form or its number does not rise.
    pub fn parse(text: &[u8]) -> Result<Self> {
        let mut parts: Vec<(u64, usize)> = Vec::new();
        let mut names: Vec<String> = Vec::new();
        for (number, line) in (1..).zip(crate::phrase::tokens::lines(text)) {
            let (last, name) = part(line, number)?;
            if parts.last().is_some_and(|(before, _)| *before >= last) {
                return Err(bad(line, number, "the numbers must rise from line to line"));
            }
            let known = names.iter().position(|other| *other == name);
            parts.push((last, known.unwrap_or(names.len())));
            if known.is_none() {
                names.push(name);
            }
        }
        if parts.is_empty() {
            return Err(bad(b"", 1, "there is no part of the corpus"));
        }
        Ok(Self {
            parts,
            names,
            dense: None,
            sparse: None,
            is_open: false,
        })
    }

    /// Fails when there are too many domains for a feature.
    ///
    /// # Errors
    /// [`Error::Config`] when a score for each subset of more than six domains is wanted.
    pub fn check(&self) -> Result<()> {
        if self.dense == Some(DomainFeature::Subset) && self.names.len() > MOST_SUBSETS {
            return Err(Error::config(
                "domain",
                "indicator or ratio, or sparse, for more than 6 domains: their subsets are too many scores",
                format!("subset of {} domains", self.names.len()),
            ));
        }
        Ok(())
    }

    /// The domain of a sentence pair: its place in the names, or their number if it has none.
    pub(super) fn of_sentence(&self, sentence: u64) -> Option<usize> {
        let at = self.parts.partition_point(|(last, _)| *last < sentence);
        match self.parts.get(at) {
            Some((_, domain)) => Some(*domain),
            None => self.is_open.then_some(self.names.len()),
        }
    }

    /// The number of the last sentence pair that has a domain.
    pub(super) fn last_sentence(&self) -> u64 {
        self.parts.last().map_or(0, |(last, _)| *last)
    }

    fn name(&self, domain: usize) -> &str {
        self.names.get(domain).map_or("undefined", String::as_str)
    }

    /// Adds the features of a phrase pair; `counts` are those of its domains, and `total` is their sum.
    pub(super) fn add(
        &self,
        scores: &mut Scores,
        counts: &[(usize, Count)],
        total: Count,
        round: impl Fn(Count) -> f64,
    ) {
        let mut of_domain = vec![Count::default(); self.names.len() + 1];
        for (domain, count) in counts {
            of_domain[*domain] = of_domain[*domain] + *count;
        }
        let occurs = |domain: usize| counts.iter().any(|(d, _)| *d == domain);
        let ratio = |domain: usize| round(of_domain[domain]) / round(total);
        let flag = |is_set: bool| if is_set { PENALTY } else { 1.0 };
        match self.dense {
            None => {}
            Some(DomainFeature::Indicator) => {
                for domain in 0..self.names.len() {
                    scores.dense(flag(occurs(domain)));
                }
            }
            Some(DomainFeature::Ratio) => {
                for domain in 0..self.names.len() {
                    scores.dense(if occurs(domain) {
                        libm::exp(ratio(domain))
                    } else {
                        1.0
                    });
                }
            }
            Some(DomainFeature::Subset) => {
                let present = (0..self.names.len()).filter(|d| occurs(*d));
                let subset = present.fold(0_u32, |bits, domain| bits | 1 << domain);
                for other in 1..1_u32 << self.names.len() {
                    scores.dense(flag(other == subset));
                }
            }
        }
        let by_name = || {
            let mut present: Vec<usize> = (0..=self.names.len()).filter(|d| occurs(*d)).collect();
            present.sort_by_key(|domain| self.name(*domain));
            present
        };
        match self.sparse {
            None => {}
            Some(DomainFeature::Indicator) => {
                for domain in by_name() {
                    scores.sparse(&format!("dom_{}", self.name(domain)), 1.0);
                }
            }
            Some(DomainFeature::Ratio) => {
                for domain in by_name() {
                    scores.sparse(&format!("domr_{}", self.name(domain)), ratio(domain));
                }
            }
            Some(DomainFeature::Subset) => {
                let mut name = "doms".to_owned();
                for domain in (0..self.names.len()).filter(|d| occurs(*d)) {
                    name.push('_');
                    name.push_str(self.name(domain));
                }
                scores.sparse(&name, 1.0);
            }
        }
    }
}

fn part(line: &[u8], number: u64) -> Result<(u64, String)> {
    let mut tokens = line
        .split(|&b| b == b' ' || b == b'\t')
        .filter(|token| !token.is_empty())
        .map(std::str::from_utf8);
    let problem = "expected the number of the last sentence pair of a domain, counted from 1, and the domain's name";
    match (tokens.next(), tokens.next(), tokens.next()) {
        (Some(Ok(last)), Some(Ok(name)), None) if name != "|||" => last
            .parse::<u64>()
            .map(|last| (last, name.to_owned()))
            .map_err(|_| bad(line, number, problem)),
        _ => Err(bad(line, number, problem)),
    }
}

fn bad(line: &[u8], number: u64, problem: &str) -> Error {
    Error::Text {
        line: number,
        column: 1,
        problem: problem.to_owned(),
        found: show(line),
    }
}
