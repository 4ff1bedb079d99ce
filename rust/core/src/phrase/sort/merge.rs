//! The distinct keys of several runs, in order.

use super::run::RunReader;
use super::storage::Storage;
use super::{Count, Entry};
use crate::cancel::CancelToken;
use crate::error::Result;
use crate::numeric::to_u64;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::Read;

/// Distinct keys in order, with their counts.
#[derive(Debug)]
pub struct Merged<S: Storage> {
    source: Source<S>,
    storage: S,
    runs: Vec<S::Id>,
    given: u64,
}

#[derive(Debug)]
enum Source<S: Storage> {
    Memory {
        keys: Vec<u8>,
        entries: std::vec::IntoIter<Entry>,
    },
    Runs(Heap<S::Reader>),
    /// One run after the other: the one that is read, and the number of those that were begun.
    Sequence(Option<RunReader<S::Reader>>, usize),
}

impl<S: Storage> Merged<S> {
    pub(super) fn in_memory(keys: Vec<u8>, entries: Vec<Entry>, storage: S) -> Self {
        Self {
            source: Source::Memory {
                keys,
                entries: entries.into_iter(),
            },
            storage,
            runs: Vec::new(),
            given: 0,
        }
    }

    pub(super) fn of_runs(storage: S, runs: Vec<S::Id>) -> Result<Self> {
        let readers = runs
            .iter()
            .map(|id| Ok(RunReader::new(storage.open(id)?)))
            .collect::<Result<Vec<_>>>()?;
        Ok(Self {
            source: Source::Runs(Heap::new(readers)?),
            storage,
            runs,
            given: 0,
        })
    }

    pub(super) const fn of_sequence(storage: S, runs: Vec<S::Id>) -> Self {
        Self {
            source: Source::Sequence(None, 0),
            storage,
            runs,
            given: 0,
        }
    }

    /// The next key; none at the end.
    ///
    /// # Errors
    /// [`crate::error::Error::Storage`], [`crate::error::Error::Cancelled`].
    pub fn next(&mut self, cancel: &CancelToken) -> Result<Option<(&[u8], Count)>> {
        self.given += 1;
        if self.given.is_multiple_of(65_536) {
            cancel.check()?;
        }
        match &mut self.source {
            Source::Memory { keys, entries } => Ok(entries.next().map(|e| (e.key(keys), e.count))),
            Source::Runs(heap) => heap.next(),
            Source::Sequence(reader, begun) => {
                loop {
                    if let Some(reader) = reader.as_mut()
                        && reader.advance()?
                    {
                        break;
                    }
                    let Some(id) = self.runs.get(*begun) else {
                        return Ok(None);
                    };
                    *reader = Some(RunReader::new(self.storage.open(id)?));
                    *begun += 1;
                }
                Ok(reader
                    .as_ref()
                    .map(|reader| (&reader.key[..], reader.count)))
            }
        }
    }

    /// Gives the room of the runs back, and the storage.
    ///
    /// # Errors
    /// [`crate::error::Error::Storage`].
    pub fn close(self) -> Result<S> {
        let Self {
            source,
            mut storage,
            runs,
            ..
        } = self;
        // Some systems remove no file that is open.
        drop(source);
        for id in &runs {
            storage.remove(id)?;
        }
        Ok(storage)
    }

    /// Number of keys that were asked for.
    #[must_use]
    pub const fn given(&self) -> u64 {
        self.given
    }
}

/// Runs by their current keys.
#[derive(Debug)]
pub(super) struct Heap<R> {
    readers: Vec<RunReader<R>>,
    /// The current key of each run that has one, and the run.
    heads: BinaryHeap<Reverse<(Vec<u8>, u64)>>,
    key: Vec<u8>,
}

impl<R: Read> Heap<R> {
    pub(super) fn new(mut readers: Vec<RunReader<R>>) -> Result<Self> {
        let mut heads = BinaryHeap::new();
        for (n, reader) in readers.iter_mut().enumerate() {
            if reader.advance()? {
                heads.push(Reverse((std::mem::take(&mut reader.key), to_u64(n))));
            }
        }
        Ok(Self {
            readers,
            heads,
            key: Vec::new(),
        })
    }

    pub(super) fn next(&mut self) -> Result<Option<(&[u8], Count)>> {
        let Some(Reverse((key, n))) = self.heads.pop() else {
            return Ok(None);
        };
        let old = std::mem::replace(&mut self.key, key);
        let mut count = self.replace(n, old)?;
        while let Some(Reverse((key, _))) = self.heads.peek() {
            if *key != self.key {
                break;
            }
            if let Some(Reverse((key, n))) = self.heads.pop() {
                count = count + self.replace(n, key)?;
            }
        }
        Ok(Some((&self.key, count)))
    }

    /// The count of a run's current key; puts its next one on the heap. The buffer is used for it.
    fn replace(&mut self, n: u64, buffer: Vec<u8>) -> Result<Count> {
        let reader = &mut self.readers[crate::numeric::to_index(n)];
        let count = reader.count;
        reader.key = buffer;
        if reader.advance()? {
            let key = std::mem::take(&mut reader.key);
            self.heads.push(Reverse((key, n)));
        }
        Ok(count)
    }
}
