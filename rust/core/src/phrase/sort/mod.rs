//! Counting keys that do not fit into memory: sorted runs in temporary storage, merged at the end.
//!
//! [`Counter`] takes keys with counts in any order; [`Merged`] gives the distinct keys in the order of their bytes with the sums of their counts. Sums are
//! exact integers ([`Count`]), so that neither the size of the runs nor the number of threads changes a bit.

mod count;
mod merge;
mod run;
mod storage;

pub use count::Count;
pub use merge::Merged;
pub use storage::{InMemory, Storage};

use crate::cancel::CancelToken;
use crate::error::{Error, Result};
use crate::numeric::{to_index, to_u64};
use crate::parallel;
use run::{RunReader, RunWriter};
pub(super) use run::{RunReader as SequenceReader, RunWriter as SequenceWriter};
use std::cmp::Ordering;

/// Runs that are merged at a time; each holds one buffer open.
const FAN_IN: usize = 64;

/// Keys that one thread sorts at a time.
const PIECE: usize = 1 << 16;

/// The longest key, in bytes.
pub const MAX_KEY: usize = 1 << 24;

/// A key in memory: its first bytes, and where it stands.
#[derive(Debug, Clone, Copy)]
struct Entry {
    prefix: u64,
    start: u32,
    length: u32,
    count: Count,
}

impl Entry {
    fn key(self, keys: &[u8]) -> &[u8] {
        let start = to_index(self.start.into());
        &keys[start..start + to_index(self.length.into())]
    }

    fn compare(self, other: Self, keys: &[u8]) -> Ordering {
        self.prefix
            .cmp(&other.prefix)
            .then_with(|| self.key(keys).cmp(other.key(keys)))
    }
}

/// Counts keys, in memory as long as they fit.
#[derive(Debug)]
pub struct Counter<S: Storage> {
    storage: S,
    /// Bytes for keys and entries.
    memory: usize,
    keys: Vec<u8>,
    entries: Vec<Entry>,
    runs: Vec<S::Id>,
    threads: usize,
    keeps_order: bool,
}

impl<S: Storage> Counter<S> {
    /// A counter that keeps up to about `memory` bytes before it writes a run; at least a mebibyte, at most two gibibytes.
    #[must_use]
    pub fn new(storage: S, memory: usize, threads: usize) -> Self {
        Self {
            storage,
            memory: memory.clamp(1 << 20, 1 << 31),
            keys: Vec::new(),
            entries: Vec::new(),
            runs: Vec::new(),
            threads,
            keeps_order: false,
        }
    }

    /// One that keeps the order of the keys, and adds nothing up.
    #[must_use]
    pub fn in_order(storage: S, memory: usize, threads: usize) -> Self {
        Self {
            keeps_order: true,
            ..Self::new(storage, memory, threads)
        }
    }

    /// Adds to the count of a key.
    ///
    /// # Errors
    /// [`Error::TooLarge`] when the key is longer than [`MAX_KEY`]; [`Error::Storage`], [`Error::Cancelled`] when a run is written.
    pub fn add(&mut self, key: &[u8], count: Count, cancel: &CancelToken) -> Result<()> {
        if key.len() > MAX_KEY {
            return Err(Error::TooLarge {
                what: "the length of a line of phrase pairs, in bytes,",
                limit: to_u64(MAX_KEY),
            });
        }
        let used = self.keys.len() + self.entries.len() * size_of::<Entry>();
        if used + key.len() + size_of::<Entry>() > self.memory && !self.entries.is_empty() {
            self.spill(cancel)?;
        }
        let place = |value: usize| {
            u32::try_from(value).map_err(|_| Error::TooLarge {
                what: "the memory of a sort, in bytes,",
                limit: u32::MAX.into(),
            })
        };
        self.entries.push(Entry {
            prefix: prefix(key),
            start: place(self.keys.len())?,
            length: place(key.len())?,
            count,
        });
        self.keys.extend_from_slice(key);
        Ok(())
    }

    /// The distinct keys in order.
    ///
    /// # Errors
    /// [`Error::Storage`], [`Error::Cancelled`].
    ///
    /// # Complexity
    /// `O(n log n)` for `n` keys. Temporary storage for the distinct keys of each run; while runs are merged because there are more than 64, twice that.
    pub fn finish(mut self, cancel: &CancelToken) -> Result<Merged<S>> {
        if self.runs.is_empty() {
            self.sort(cancel)?;
            return Ok(Merged::in_memory(self.keys, self.entries, self.storage));
        }
        self.spill(cancel)?;
        self.keys = Vec::new();
        self.entries = Vec::new();
        if self.keeps_order {
            return Ok(Merged::of_sequence(self.storage, self.runs));
        }
        while self.runs.len() > FAN_IN {
            let some: Vec<S::Id> = self.runs.drain(..FAN_IN).collect();
            let run = self.merge(&some, cancel)?;
            self.runs.push(run);
        }
        Merged::of_runs(self.storage, self.runs)
    }

    /// Merges some runs into one.
    fn merge(&mut self, some: &[S::Id], cancel: &CancelToken) -> Result<S::Id> {
        let (id, file) = self.storage.create()?;
        let mut writer = RunWriter::new(file);
        let readers = some
            .iter()
            .map(|id| Ok(RunReader::new(self.storage.open(id)?)))
            .collect::<Result<Vec<_>>>()?;
        let mut heap = merge::Heap::new(readers)?;
        let mut written = 0_u64;
        while let Some((key, count)) = heap.next()? {
            writer.write(key, count)?;
            written += 1;
            if written.is_multiple_of(65_536) {
                cancel.check()?;
            }
        }
        writer.finish()?;
        for id in some {
            self.storage.remove(id)?;
        }
        Ok(id)
    }

    fn spill(&mut self, cancel: &CancelToken) -> Result<()> {
        if self.entries.is_empty() {
            return Ok(());
        }
        self.sort(cancel)?;
        let (id, file) = self.storage.create()?;
        let mut writer = RunWriter::new(file);
        for entry in &self.entries {
            writer.write(entry.key(&self.keys), entry.count)?;
        }
        writer.finish()?;
        self.runs.push(id);
        self.keys.clear();
        self.entries.clear();
        cancel.check()
    }

    /// Sorts the entries and adds the counts of equal keys up.
    fn sort(&mut self, cancel: &CancelToken) -> Result<()> {
        let keys = &self.keys;
        if self.keeps_order {
            return cancel.check();
        }
        let pieces: Vec<Vec<Entry>> = self.entries.chunks(PIECE).map(<[Entry]>::to_vec).collect();
        let mut parts = parallel::map(self.threads, cancel, pieces, |_, mut piece| {
            piece.sort_unstable_by(|a, b| a.compare(*b, keys));
            combine(&mut piece, keys);
            Ok(piece)
        })?;
        while parts.len() > 1 {
            let mut pairs = Vec::new();
            let mut rest = parts.into_iter();
            while let Some(first) = rest.next() {
                pairs.push((first, rest.next().unwrap_or_default()));
            }
            parts = parallel::map(self.threads, cancel, pairs, |_, (a, b)| {
                Ok(merged(&a, &b, keys))
            })?;
        }
        self.entries = parts.pop().unwrap_or_default();
        Ok(())
    }
}

/// The first eight bytes as a number that is ordered as they are; shorter keys are filled with zeros.
fn prefix(key: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    let length = key.len().min(8);
    bytes[..length].copy_from_slice(&key[..length]);
    u64::from_be_bytes(bytes)
}

/// Adds the counts of equal neighbours up.
fn combine(entries: &mut Vec<Entry>, keys: &[u8]) {
    entries.dedup_by(|later, kept| {
        let is_same = later.compare(*kept, keys) == Ordering::Equal;
        if is_same {
            kept.count = kept.count + later.count;
        }
        is_same
    });
}

fn merged(a: &[Entry], b: &[Entry], keys: &[u8]) -> Vec<Entry> {
    let mut result = Vec::with_capacity(a.len() + b.len());
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        match a[i].compare(b[j], keys) {
            Ordering::Less => {
                result.push(a[i]);
                i += 1;
            }
            Ordering::Greater => {
                result.push(b[j]);
                j += 1;
            }
            Ordering::Equal => {
                result.push(Entry {
                    count: a[i].count + b[j].count,
                    ..a[i]
                });
                i += 1;
                j += 1;
            }
        }
    }
    result.extend_from_slice(&a[i..]);
    result.extend_from_slice(&b[j..]);
    result
}

#[cfg(test)]
mod tests;
