//! Where runs are kept. The core opens no files: a caller gives it a place.

use crate::error::{Error, Result};
use std::io::{Cursor, Read, Write};
use std::sync::{Arc, Mutex};

/// Temporary byte strings that are written once and read in order.
pub trait Storage: Send + std::fmt::Debug {
    /// Names a byte string.
    type Id: Clone + Send + std::fmt::Debug;
    /// Writes one.
    type Writer: Write + Send;
    /// Reads one.
    type Reader: Read + Send + std::fmt::Debug;

    /// A new byte string.
    ///
    /// # Errors
    /// [`Error::Storage`].
    fn create(&mut self) -> Result<(Self::Id, Self::Writer)>;

    /// One that was written.
    ///
    /// # Errors
    /// [`Error::Storage`].
    fn open(&self, id: &Self::Id) -> Result<Self::Reader>;

    /// Removes one, and gives its room back.
    ///
    /// # Errors
    /// [`Error::Storage`].
    fn remove(&mut self, id: &Self::Id) -> Result<()>;
}

impl From<std::io::Error> for Error {
    fn from(problem: std::io::Error) -> Self {
        Self::Storage {
            code: problem.raw_os_error(),
            problem: problem.to_string(),
        }
    }
}

/// Byte strings in memory, for tests and small work.
#[derive(Debug, Clone, Default)]
pub struct InMemory(Arc<Mutex<Vec<Vec<u8>>>>);

/// Appends to a byte string of an [`InMemory`].
#[derive(Debug)]
pub struct InMemoryWriter(InMemory, usize);

impl Write for InMemoryWriter {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if let Ok(mut all) = self.0.0.lock() {
            all[self.1].extend_from_slice(bytes);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Storage for InMemory {
    type Id = usize;
    type Writer = InMemoryWriter;
    type Reader = Cursor<Vec<u8>>;

    fn create(&mut self) -> Result<(usize, InMemoryWriter)> {
        let mut id = 0;
        if let Ok(mut all) = self.0.lock() {
            id = all.len();
            all.push(Vec::new());
        }
        Ok((id, InMemoryWriter(self.clone(), id)))
    }

    fn open(&self, id: &usize) -> Result<Cursor<Vec<u8>>> {
        let bytes = self.0.lock().map(|all| all[*id].clone());
        Ok(Cursor::new(bytes.unwrap_or_default()))
    }

    fn remove(&mut self, id: &usize) -> Result<()> {
        if let Ok(mut all) = self.0.lock() {
            all[*id] = Vec::new();
        }
        Ok(())
    }
}
