//! Phrase pairs with the same first phrase, from sorted lines.

use super::entries::{BAR, find_bar, split_pair};
use super::sort::{Count, Merged, Storage};
use crate::cancel::CancelToken;
use crate::error::Result;
use crate::numeric::to_f32;
use std::collections::BTreeMap;

/// Partners of each word of a phrase, rising.
pub(super) type Partners = Vec<Vec<usize>>;

/// A distinct phrase pair: its second phrase, and each set of links it was found with.
#[derive(Debug, Clone)]
pub(super) struct Pair {
    pub(super) second: Vec<u8>,
    /// Links of the gaps of a hierarchical rule: rules that differ in these are different.
    gaps: Vec<(usize, usize)>,
    links: Vec<(Vec<u8>, Count)>,
    /// Domains, when they are known.
    pub(super) domains: Vec<(usize, Count)>,
    /// The count in single precision, added up line by line as Moses does.
    single: f32,
}

impl Pair {
    pub(super) fn count(&self) -> Count {
        self.links.iter().map(|(_, count)| *count).sum()
    }

    /// The most frequent links by words of the first phrase, and by words of the second; of equally frequent ones the largest.
    ///
    /// `lengths` are the numbers of words of the two.
    pub(super) fn partners(&self, lengths: (usize, usize)) -> (Partners, Partners) {
        if let [(text, _)] = &self.links[..] {
            return partners(text, lengths);
        }
        let mut by_first: BTreeMap<Partners, Count> = BTreeMap::new();
        let mut by_second: BTreeMap<Partners, Count> = BTreeMap::new();
        for (text, count) in &self.links {
            let partners = partners(text, lengths);
            for (all, key) in [(&mut by_first, partners.0), (&mut by_second, partners.1)] {
                let sum = all.entry(key).or_default();
                *sum = *sum + *count;
            }
        }
        (best(by_first), best(by_second))
    }

    /// The count with the rounding of Moses, which depends on the order of the lines.
    pub(super) fn single_count(&self) -> Count {
        Count::from_f64(f64::from(self.single))
    }

    fn add(&mut self, links: &[u8], domain: Option<usize>, count: Count) {
        self.single += to_f32(count.to_f64());
        match self.links.last_mut() {
            Some((last, sum)) if last == links => *sum = *sum + count,
            _ => self.links.push((links.to_vec(), count)),
        }
        if let Some(domain) = domain {
            self.domains.push((domain, count));
        }
    }
}

/// All phrase pairs with one first phrase, in the order of their lines.
#[derive(Debug, Clone, Default)]
pub(super) struct Group {
    pub(super) first: Vec<u8>,
    pub(super) pairs: Vec<Pair>,
}

impl Group {
    pub(super) fn total(&self) -> Count {
        self.pairs.iter().map(Pair::count).sum()
    }

    /// The total with the rounding of Moses.
    pub(super) fn single_total(&self) -> Count {
        let total: f32 = self.pairs.iter().map(|pair| pair.single).sum();
        Count::from_f64(f64::from(total))
    }

    fn add(&mut self, fields: &Fields<'_>, count: Count, is_hierarchical: bool) {
        let gaps = if is_hierarchical {
            gaps(fields)
        } else {
            Vec::new()
        };
        let same = self
            .pairs
            .iter_mut()
            .rev()
            .take_while(|pair| pair.second == fields.second)
            .find(|pair| pair.gaps == gaps);
        if let Some(pair) = same {
            pair.add(fields.links, fields.domain, count);
            return;
        }
        let mut pair = Pair {
            second: fields.second.to_vec(),
            gaps,
            links: Vec::new(),
            domains: Vec::new(),
            single: 0.0,
        };
        pair.add(fields.links, fields.domain, count);
        self.pairs.push(pair);
    }
}

/// Cuts lines `first ||| second ||| links [||| domain]`, those with one first phrase together, into groups.
#[derive(Debug)]
pub(super) struct Groups<S: Storage> {
    lines: Merged<S>,
    ahead: Option<(Vec<u8>, Count)>,
    is_hierarchical: bool,
}

impl<S: Storage> Groups<S> {
    pub(super) fn new(
        mut lines: Merged<S>,
        is_hierarchical: bool,
        cancel: &CancelToken,
    ) -> Result<Self> {
        let ahead = lines
            .next(cancel)?
            .map(|(key, count)| (key.to_vec(), count));
        Ok(Self {
            lines,
            ahead,
            is_hierarchical,
        })
    }

    fn next(&mut self, cancel: &CancelToken) -> Result<Option<Group>> {
        let Some((line, count)) = self.ahead.take() else {
            return Ok(None);
        };
        let start = Fields::of(&line);
        let mut group = Group {
            first: start.first.to_vec(),
            pairs: Vec::new(),
        };
        group.add(&start, count, self.is_hierarchical);
        while let Some((line, count)) = self.lines.next(cancel)? {
            let fields = Fields::of(line);
            if fields.first != group.first {
                self.ahead = Some((line.to_vec(), count));
                break;
            }
            group.add(&fields, count, self.is_hierarchical);
        }
        Ok(Some(group))
    }

    /// Groups with this many phrase pairs together, or a few more; fewer at the end.
    pub(super) fn some(&mut self, pairs: usize, cancel: &CancelToken) -> Result<Vec<Group>> {
        let (mut groups, mut count) = (Vec::new(), 0);
        while count < pairs {
            let Some(group) = self.next(cancel)? else {
                break;
            };
            count += group.pairs.len();
            groups.push(group);
        }
        Ok(groups)
    }

    pub(super) fn close(self) -> Result<S> {
        self.lines.close()
    }
}

/// The parts of a line.
struct Fields<'a> {
    first: &'a [u8],
    second: &'a [u8],
    links: &'a [u8],
    domain: Option<usize>,
}

impl<'a> Fields<'a> {
    fn of(line: &'a [u8]) -> Self {
        let (first, rest) = split_pair(line);
        let (second, third) = split_pair(rest);
        let (links, domain) = match find_bar(third) {
            Some(at) => (&third[..at], position(&third[at + BAR.len()..])),
            None => (third, None),
        };
        Self {
            first,
            second,
            links,
            domain,
        }
    }
}

/// Whether a word is a gap of a hierarchical rule: a non-terminal, such as `[X][X]`.
pub(super) fn is_gap(word: &[u8]) -> bool {
    word.len() >= 3 && word.starts_with(b"[") && word.ends_with(b"]")
}

/// Links of the gaps of the second phrase, sorted.
fn gaps(fields: &Fields<'_>) -> Vec<(usize, usize)> {
    let are_gaps: Vec<bool> = words(fields.second).map(is_gap).collect();
    let mut found: Vec<_> = positions(fields.links)
        .filter(|(_, j)| are_gaps.get(*j) == Some(&true))
        .collect();
    found.sort_unstable();
    found
}

/// The links of a field by words of the first phrase, and by words of the second.
fn partners(text: &[u8], (firsts, seconds): (usize, usize)) -> (Partners, Partners) {
    let mut by_first = vec![Vec::new(); firsts];
    let mut by_second = vec![Vec::new(); seconds];
    for (i, j) in positions(text) {
        by_first[i].push(j);
        by_second[j].push(i);
    }
    for word in by_first.iter_mut().chain(&mut by_second) {
        word.sort_unstable();
        word.dedup();
    }
    (by_first, by_second)
}

fn best(all: BTreeMap<Partners, Count>) -> Partners {
    // Keys rise, so that the last of the most frequent is the largest.
    all.into_iter()
        .max_by_key(|(_, count)| *count)
        .map(|(partners, _)| partners)
        .unwrap_or_default()
}

/// The words of a phrase, which stand with one space in between.
pub(super) fn words(phrase: &[u8]) -> impl DoubleEndedIterator<Item = &[u8]> {
    phrase.split(|&b| b == b' ')
}

/// The links `i-j` of a field; what is none is left out.
pub(super) fn positions(text: &[u8]) -> impl Iterator<Item = (usize, usize)> {
    text.split(|&b| b == b' ').filter_map(|token| {
        let dash = token.iter().position(|&b| b == b'-')?;
        Some((position(&token[..dash])?, position(&token[dash + 1..])?))
    })
}

fn position(digits: &[u8]) -> Option<usize> {
    // No phrase is that long, and no number that short overflows.
    if !(1..=9).contains(&digits.len()) {
        return None;
    }
    digits.iter().try_fold(0, |value, &digit| {
        digit
            .is_ascii_digit()
            .then(|| value * 10 + usize::from(digit - b'0'))
    })
}
