//! Chunks and units by number, in the order of their first occurrence.

use crate::error::{Error, Result};
use rustc_hash::FxHashMap;

/// Distinct runs of symbols.
#[derive(Debug, Clone, Default)]
pub struct Chunks {
    numbers: FxHashMap<Box<[u32]>, u32>,
    starts: Vec<usize>,
    symbols: Vec<u32>,
}

impl Chunks {
    /// The number of chunks.
    #[must_use]
    pub fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The symbols of a chunk.
    #[must_use]
    #[inline]
    pub fn get(&self, number: u32) -> &[u32] {
        let at = number as usize;
        &self.symbols[self.starts[at]..self.starts[at + 1]]
    }

    /// The number of a chunk, if it is known.
    #[must_use]
    #[inline]
    pub fn find(&self, chunk: &[u32]) -> Option<u32> {
        self.numbers.get(chunk).copied()
    }

    fn number(&mut self, chunk: &[u32]) -> Result<u32> {
        if let Some(number) = self.find(chunk) {
            return Ok(number);
        }
        if self.starts.is_empty() {
            self.starts.push(0);
        }
        let number = to_id(self.len(), "the number of chunks")?;
        self.numbers.insert(chunk.into(), number);
        self.symbols.extend_from_slice(chunk);
        self.starts.push(self.symbols.len());
        Ok(number)
    }
}

/// Distinct units: a source chunk and a target chunk.
#[derive(Debug, Clone, Default)]
pub struct Units {
    /// Source chunks.
    pub sources: Chunks,
    /// Target chunks; the empty one may be among them.
    pub targets: Chunks,
    numbers: FxHashMap<(u32, u32), u32>,
    pairs: Vec<(u32, u32)>,
}

impl Units {
    /// The number of units.
    #[must_use]
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// The number of a unit; a new one if it is not known.
    ///
    /// # Errors
    /// [`Error::TooLarge`] for more than 2^32 - 2 units.
    pub fn number(&mut self, source: &[u32], target: &[u32]) -> Result<u32> {
        let pair = (self.sources.number(source)?, self.targets.number(target)?);
        self.number_of(pair)
    }

    /// The number of a unit by the numbers of its chunks; a new one if it is not known.
    pub(super) fn number_of(&mut self, pair: (u32, u32)) -> Result<u32> {
        if let Some(&number) = self.numbers.get(&pair) {
            return Ok(number);
        }
        let number = to_id(self.pairs.len(), "the number of units")?;
        self.numbers.insert(pair, number);
        self.pairs.push(pair);
        Ok(number)
    }

    pub(super) fn source_number(&mut self, chunk: &[u32]) -> Result<u32> {
        self.sources.number(chunk)
    }

    pub(super) fn target_number(&mut self, chunk: &[u32]) -> Result<u32> {
        self.targets.number(chunk)
    }

    /// The number of a unit by the numbers of its chunks, if it is known.
    #[must_use]
    #[inline]
    pub fn find(&self, source: u32, target: u32) -> Option<u32> {
        self.numbers.get(&(source, target)).copied()
    }

    /// The numbers of the source and the target chunk of a unit.
    #[must_use]
    #[inline]
    pub fn chunks(&self, unit: u32) -> (u32, u32) {
        self.pairs[unit as usize]
    }

    /// The symbols of the source and the target chunk of a unit.
    #[must_use]
    #[inline]
    pub fn get(&self, unit: u32) -> (&[u32], &[u32]) {
        let (source, target) = self.chunks(unit);
        (self.sources.get(source), self.targets.get(target))
    }
}

fn to_id(index: usize, what: &'static str) -> Result<u32> {
    // The largest number stays free for "none".
    match u32::try_from(index) {
        Ok(number) if number < u32::MAX => Ok(number),
        _ => Err(Error::TooLarge {
            what,
            limit: u64::from(u32::MAX) - 1,
        }),
    }
}
