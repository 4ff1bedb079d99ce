//! Lexical weights: how probable the words of a phrase are, given those they are linked to (Koehn, Och and Marcu 2003, section 4.4).

use crate::align::notation::show;
use crate::error::{Error, Result};
use rustc_hash::FxHashMap;

/// What stands for "no word" in a table.
const NULL: &[u8] = b"NULL";

/// Word translation probabilities, `w(produced | given)`.
#[derive(Debug, Default)]
pub struct LexicalTable {
    produced: FxHashMap<Box<[u8]>, u32>,
    given: FxHashMap<Box<[u8]>, u32>,
    probabilities: FxHashMap<(u32, u32), f64>,
    lines: u64,
}

impl LexicalTable {
    /// Reads more lines `produced given probability`, as in Moses' `lex.f2e` (target, source) and `lex.e2f` (source, target).
    ///
    /// # Errors
    /// [`Error::Text`] when a line has not three tokens, or the last is not a number from 0 to 1.
    ///
    /// # Complexity
    /// Linear time; some 40 bytes a line.
    pub fn feed(&mut self, block: &[u8]) -> Result<()> {
        for line in super::tokens::lines(block) {
            self.lines += 1;
            let mut tokens = line
                .split(|&b| b == b' ' || b == b'\t')
                .filter(|t| !t.is_empty());
            let Some(first) = tokens.next() else { continue };
            let (second, third) = (tokens.next(), tokens.next());
            let probability = third
                .and_then(|t| std::str::from_utf8(t).ok()?.parse::<f64>().ok())
                .filter(|p| (0.0..=1.0).contains(p));
            let (Some(second), Some(probability), None) = (second, probability, tokens.next())
            else {
                return Err(Error::Text {
                    line: self.lines,
                    column: 1,
                    problem: "expected two words and a probability from 0 to 1, as in lex.e2f; make the table again with plait lexicon --format moses".into(),
                    found: show(line),
                });
            };
            let produced = intern(&mut self.produced, first)?;
            let given = intern(&mut self.given, second)?;
            self.probabilities.insert((produced, given), probability);
        }
        Ok(())
    }

    /// Number of word pairs.
    #[must_use]
    pub fn len(&self) -> usize {
        self.probabilities.len()
    }

    /// Whether there is no word pair.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.probabilities.is_empty()
    }

    /// The numbers of words that are produced; none for a word that is not in the table.
    pub(super) fn produced<'a>(&self, words: impl Iterator<Item = &'a [u8]>) -> Vec<Option<u32>> {
        words.map(|word| self.produced.get(word).copied()).collect()
    }

    /// The numbers of words that are given, that of NULL last.
    pub(super) fn given<'a>(&self, words: impl Iterator<Item = &'a [u8]>) -> Vec<Option<u32>> {
        words
            .chain(std::iter::once(NULL))
            .map(|word| self.given.get(word).copied())
            .collect()
    }

    /// The lexical weight of a phrase: for each of its words the mean probability over the words it is linked to (NULL without any), and the product of
    /// these. `partners[k]` are the positions in `given` that word `k` is linked to.
    ///
    /// Also says how many word pairs are not in the table; they count as 1, as in Moses.
    pub(super) fn weight(
        &self,
        produced: &[Option<u32>],
        given: &[Option<u32>],
        partners: &[Vec<usize>],
    ) -> (f64, u64) {
        let (mut product, mut missing) = (1.0, 0);
        let mut look_up = |word: Option<u32>, partner: Option<u32>| {
            let found = word
                .zip(partner)
                .and_then(|pair| self.probabilities.get(&pair));
            found.copied().unwrap_or_else(|| {
                missing += 1;
                1.0
            })
        };
        for (&word, partners) in produced.iter().zip(partners) {
            if partners.is_empty() {
                product *= look_up(word, given[given.len() - 1]);
            } else {
                let mut sum = 0.0;
                for &at in partners {
                    sum += look_up(word, given[at]);
                }
                product *= sum / crate::numeric::to_f64(crate::numeric::to_u64(partners.len()));
            }
        }
        (product, missing)
    }
}

fn intern(ids: &mut FxHashMap<Box<[u8]>, u32>, word: &[u8]) -> Result<u32> {
    if let Some(id) = ids.get(word) {
        return Ok(*id);
    }
    let id = u32::try_from(ids.len()).map_err(|_| Error::TooLarge {
        what: "the number of words in a lexical table",
        limit: u32::MAX.into(),
    })?;
    ids.insert(word.into(), id);
    Ok(id)
}
