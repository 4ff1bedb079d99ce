//! N-grams in any order to the levels of a tree.

use super::automaton::Grams;
use super::corpus::Symbols;
use super::counts::narrow;
use crate::error::{Error, Result};
use crate::text::lines::reserve;

/// The n-grams of one length as they come.
#[derive(Debug)]
pub(super) struct Section {
    length: usize,
    /// The line of the first; the others follow line by line.
    first_line: u64,
    symbols: Vec<u32>,
    logs: Vec<f64>,
    backoffs: Vec<f64>,
}

impl Section {
    pub(super) fn new(length: usize, first_line: u64) -> Self {
        Self {
            length,
            first_line,
            symbols: Vec::new(),
            logs: Vec::new(),
            backoffs: Vec::new(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.logs.len()
    }

    pub(super) fn push(&mut self, ngram: &[u32], log: f64, backoff: f64) -> Result<()> {
        const WHAT: &str = "n-grams";
        reserve(&mut self.symbols, ngram.len(), WHAT)?;
        reserve(&mut self.logs, 1, WHAT)?;
        reserve(&mut self.backoffs, 1, WHAT)?;
        self.symbols.extend_from_slice(ngram);
        self.logs.push(log);
        self.backoffs.push(backoff);
        Ok(())
    }

    fn ngram(&self, n: usize) -> &[u32] {
        &self.symbols[n * self.length..][..self.length]
    }
}

/// The levels of the tree. A context that is no n-gram itself gets the probability that shorter contexts give it, and the weight 1.
///
/// N-grams with `<s>` after the first place or `</s>` before the last are left out: no sequence has them.
pub(super) fn assemble(
    mut sections: Vec<Section>,
    provisional: Symbols,
    symbols: Symbols,
    twice: impl Fn(u64, &[u32]) -> Error,
) -> Result<Vec<Grams>> {
    for section in &mut sections {
        for symbol in &mut section.symbols {
            *symbol = match *symbol {
                id if id == provisional.end => symbols.end,
                id if id == provisional.unknown => symbols.unknown,
                id if id == provisional.start => symbols.start,
                id => id,
            };
        }
    }
    let order = sections.len();
    let mut levels = Vec::with_capacity(order);
    // The n-grams of the level above, in order.
    let mut longer: Vec<u32> = Vec::new();
    for section in sections.into_iter().rev() {
        let length = section.length;
        let sorted = sort(&section, symbols, &twice)?;
        let mut grams = Grams::default();
        let mut here = Vec::new();
        let mut own = sorted.into_iter().peekable();
        let mut above = longer
            .chunks_exact(length + 1)
            .map(|ngram| &ngram[..length])
            .peekable();
        let mut children = 0_usize;
        loop {
            let listed = own.peek().map(|&n| section.ngram(n));
            let wanted = above.peek().copied();
            let ngram = match (listed, wanted) {
                (None, None) => break,
                (Some(ngram), None) | (None, Some(ngram)) => ngram,
                (Some(listed), Some(wanted)) => listed.min(wanted),
            };
            here.extend_from_slice(ngram);
            grams.symbols.push(ngram[length - 1]);
            grams.children.push(narrow(children)?);
            let number = own.next_if(|&n| section.ngram(n) == ngram);
            grams
                .logs
                .push(number.map_or(f64::NAN, |n| section.logs[n]));
            if length < order {
                grams
                    .backoffs
                    .push(number.map_or(0.0, |n| section.backoffs[n]));
            }
            while above.next_if_eq(&ngram).is_some() {
                children += 1;
            }
        }
        grams.children.push(narrow(children)?);
        levels.push(grams);
        longer = here;
    }
    levels.reverse();
    Ok(levels)
}

/// The numbers of the n-grams of a section in the order of their symbols.
fn sort(
    section: &Section,
    symbols: Symbols,
    twice: impl Fn(u64, &[u32]) -> Error,
) -> Result<Vec<usize>> {
    let can_occur = |ngram: &[u32]| {
        !ngram[1..].contains(&symbols.start) && !ngram[..ngram.len() - 1].contains(&symbols.end)
    };
    let mut numbers: Vec<usize> = (0..section.len())
        .filter(|&n| can_occur(section.ngram(n)))
        .collect();
    numbers.sort_by_key(|&n| section.ngram(n));
    let pair = numbers
        .windows(2)
        .find(|pair| section.ngram(pair[0]) == section.ngram(pair[1]));
    match pair {
        Some(pair) => Err(twice(
            section.first_line + pair[1] as u64,
            section.ngram(pair[1]),
        )),
        None => Ok(numbers),
    }
}
