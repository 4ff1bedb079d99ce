//! One sorted run: keys with their counts, length first.

use super::count::Count;
use crate::error::{Error, Result};
use crate::numeric::to_index;
use std::io::{BufReader, BufWriter, ErrorKind, Read, Write};

const BUFFER: usize = 1 << 20;

pub(in crate::phrase) struct RunWriter<W: Write>(BufWriter<W>);

impl<W: Write> RunWriter<W> {
    pub(in crate::phrase) fn new(file: W) -> Self {
        Self(BufWriter::with_capacity(BUFFER, file))
    }

    pub(in crate::phrase) fn write(&mut self, key: &[u8], count: Count) -> Result<()> {
        // Keys are at most MAX_KEY bytes long.
        let length = u32::try_from(key.len()).unwrap_or(u32::MAX);
        self.0.write_all(&length.to_le_bytes())?;
        self.0.write_all(&count.to_bytes())?;
        Ok(self.0.write_all(key)?)
    }

    pub(in crate::phrase) fn finish(mut self) -> Result<()> {
        Ok(self.0.flush()?)
    }
}

#[derive(Debug)]
pub(in crate::phrase) struct RunReader<R> {
    file: BufReader<R>,
    pub(in crate::phrase) key: Vec<u8>,
    pub(in crate::phrase) count: Count,
}

impl<R: Read> RunReader<R> {
    pub(in crate::phrase) fn new(file: R) -> Self {
        Self {
            file: BufReader::with_capacity(BUFFER, file),
            key: Vec::new(),
            count: Count::default(),
        }
    }

    /// Goes to the next key; false at the end.
    pub(in crate::phrase) fn advance(&mut self) -> Result<bool> {
        let mut head = [0; 20];
        let mut got = 0;
        while got < head.len() {
            match self.file.read(&mut head[got..]) {
                Ok(0) if got == 0 => return Ok(false),
                Ok(0) => {
                    return Err(Error::from(std::io::Error::from(ErrorKind::UnexpectedEof)));
                }
                Ok(more) => got += more,
                Err(problem) if problem.kind() == ErrorKind::Interrupted => {}
                Err(problem) => return Err(problem.into()),
            }
        }
        let (length, count) = head.split_at(4);
        let length = u32::from_le_bytes(length.try_into().unwrap_or_default());
        self.count = Count::from_bytes(count.try_into().unwrap_or_default());
        self.key.resize(to_index(length.into()), 0);
        self.file.read_exact(&mut self.key)?;
        Ok(true)
    }
}
