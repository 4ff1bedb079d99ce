//! Phrase pairs with the same first phrase, from sorted lines.

use super::entries::{BAR, find_bar, split_pair};
use super::sort::{Count, Merged, Storage};
use crate::cancel::CancelToken;
use crate::error::Result;
use std::collections::BTreeMap;

/// Partners of each word of a phrase, rising.
pub(super) type Partners = Vec<Vec<usize>>;

/// A distinct phrase pair: its second phrase, and each set of links it was found with.
#[derive(Debug, Clone)]
pub(super) struct Pair {
    pub(super) second: Vec<u8>,
    links: Vec<(Vec<u8>, Count)>,
}

impl Pair {
    pub(super) fn count(&self) -> Count {
        self.links.iter().map(|(_, count)| *count).sum()
    }

    /// The most frequent links by words of the first phrase, and by words of the second; of equally frequent ones the largest.
    pub(super) fn partners(&self, first: &[u8]) -> (Partners, Partners) {
        let lengths = (words(first).count(), words(&self.second).count());
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

    fn next(&mut self, cancel: &CancelToken) -> Result<Option<Group>> {
        let Some((line, _)) = &self.ahead else {
            return Ok(None);
        };
        let mut group = Group {
            first: fields(line).0.to_vec(),
            pairs: Vec::new(),
        };
        while let Some((line, count)) = self.ahead.take() {
            let (first, second, third) = fields(&line);
            if first != group.first {
                self.ahead = Some((line, count));
                break;
            }
            let links = (third.to_vec(), count);
            match group.pairs.last_mut() {
                Some(pair) if pair.second == second => pair.links.push(links),
                _ => group.pairs.push(Pair {
                    second: second.to_vec(),
                    links: vec![links],
                }),
            }
            self.ahead = self
                .lines
                .next(cancel)?
                .map(|(key, count)| (key.to_vec(), count));
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

/// First phrase, second phrase, links.
fn fields(line: &[u8]) -> (&[u8], &[u8], &[u8]) {
    let (first, rest) = split_pair(line);
    match find_bar(rest) {
        Some(at) => (first, &rest[..at], &rest[at + BAR.len()..]),
        None => (first, rest, &[]),
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
