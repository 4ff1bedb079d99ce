//! Phrase pairs with the same first phrase, from sorted lines.

use super::entries::{BAR, find_bar, split_pair};
use super::sort::{Count, Merged, Storage};
use crate::cancel::CancelToken;
use crate::error::Result;
use std::collections::BTreeMap;

/// Partners of each word of a phrase, rising.
pub(super) type Partners = Vec<Vec<usize>>;

/// A distinct phrase pair.
#[derive(Debug)]
pub(super) struct Pair {
    /// The second phrase.
    pub(super) second: Vec<u8>,
    pub(super) count: Count,
    /// The most frequent links by words of the second phrase, and by words of the first; of equally frequent ones the largest.
    pub(super) by_second: Partners,
    pub(super) by_first: Partners,
}

/// All phrase pairs with one first phrase, in the order of their lines.
#[derive(Debug, Default)]
pub(super) struct Group {
    pub(super) first: Vec<u8>,
    pub(super) pairs: Vec<Pair>,
}

impl Group {
    pub(super) fn total(&self) -> Count {
        self.pairs.iter().map(|pair| pair.count).sum()
    }
}

/// Cuts sorted lines `first ||| second ||| links` into groups.
#[derive(Debug)]
pub(super) struct Groups<S: Storage> {
    lines: Merged<S>,
    ahead: Option<(Vec<u8>, Count)>,
}

impl<S: Storage> Groups<S> {
    pub(super) fn new(mut lines: Merged<S>, cancel: &CancelToken) -> Result<Self> {
        let ahead = lines
            .next(cancel)?
            .map(|(key, count)| (key.to_vec(), count));
        Ok(Self { lines, ahead })
    }

    pub(super) fn next(&mut self, cancel: &CancelToken) -> Result<Option<Group>> {
        let Some((line, _)) = &self.ahead else {
            return Ok(None);
        };
        let first = fields(line).0.to_vec();
        let mut group = Group {
            first,
            pairs: Vec::new(),
        };
        let mut links: Vec<(Vec<u8>, Count)> = Vec::new();
        let mut second = Vec::new();
        while let Some((line, count)) = self.ahead.take() {
            let (line_first, line_second, third) = fields(&line);
            let is_same = line_first == group.first;
            if !links.is_empty() && (!is_same || line_second != second) {
                let links = std::mem::take(&mut links);
                group
                    .pairs
                    .push(pair(&group.first, std::mem::take(&mut second), &links));
            }
            if !is_same {
                self.ahead = Some((line, count));
                break;
            }
            if links.is_empty() {
                second = line_second.to_vec();
            }
            links.push((third.to_vec(), count));
            self.ahead = self
                .lines
                .next(cancel)?
                .map(|(key, count)| (key.to_vec(), count));
        }
        if !links.is_empty() {
            group.pairs.push(pair(&group.first, second, &links));
        }
        Ok(Some(group))
    }

    pub(super) fn close(self) -> Result<S> {
        self.lines.close()
    }
}

/// First phrase, second phrase, links.
fn fields(line: &[u8]) -> (&[u8], &[u8], &[u8]) {
    let (first, rest) = split_pair(line);
    match find_bar(rest) {
        Some(at) => (first, &rest[..at], &rest[at + BAR.len()..]),
        None => (first, rest, &[]),
    }
}

fn pair(first: &[u8], second: Vec<u8>, links: &[(Vec<u8>, Count)]) -> Pair {
    let lengths = (words(first).count(), words(&second).count());
    let count = links.iter().map(|(_, count)| *count).sum();
    if let [(text, _)] = links {
        let (by_first, by_second) = partners(text, lengths);
        return Pair {
            second,
            count,
            by_second,
            by_first,
        };
    }
    let mut by_second: BTreeMap<Partners, Count> = BTreeMap::new();
    let mut by_first: BTreeMap<Partners, Count> = BTreeMap::new();
    for (text, count) in links {
        let partners = partners(text, lengths);
        for (all, key) in [(&mut by_first, partners.0), (&mut by_second, partners.1)] {
            let sum = all.entry(key).or_default();
            *sum = *sum + *count;
        }
    }
    Pair {
        second,
        count,
        by_second: best(by_second),
        by_first: best(by_first),
    }
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

pub(super) fn words(phrase: &[u8]) -> impl Iterator<Item = &[u8]> {
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
