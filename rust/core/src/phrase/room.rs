//! Memory that lines are written to without asking for room at each word.
//!
//! Words are short: copying them in pieces of a fixed size, past their end, takes two instructions where a copy of their exact size takes a call. So all
//! memory here ends with [`CHUNK`] bytes that belong to nobody, and what is copied by [`Pen::text`] is followed by as many.

use super::general::write_whole;

/// Bytes that are copied at a time.
pub(super) const CHUNK: usize = 32;

/// Texts longer than this are copied in one call.
const LONG: usize = 4 * CHUNK;

/// Where lines have gone: into the memory that was lent, or into memory of their own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filled {
    /// Number of bytes of all lines.
    pub length: usize,
    /// Memory that begins with the lines when those did not fit into what was lent; otherwise empty.
    pub own: Vec<u8>,
}

/// Lines in memory that the caller lends, until that is full.
#[derive(Debug, Default)]
pub(super) struct Room<'r> {
    lent: &'r mut [u8],
    filled: Filled,
}

impl<'r> Room<'r> {
    pub(super) fn new(lent: &'r mut [u8]) -> Self {
        Self {
            lent,
            filled: Filled::default(),
        }
    }

    pub(super) fn filled(self) -> Filled {
        self.filled
    }

    /// Adds a line of at most `most` bytes.
    #[inline]
    pub(super) fn line(&mut self, most: usize, write: impl FnOnce(&mut Pen<'_>)) {
        let start = self.filled.length;
        let stop = start + most + CHUNK;
        let is_lent = self.filled.own.is_empty() && stop <= self.lent.len();
        if !is_lent && stop > self.filled.own.len() {
            self.grow(stop);
        }
        let memory = if is_lent {
            &mut *self.lent
        } else {
            &mut self.filled.own[..]
        };
        let mut pen = Pen {
            out: &mut memory[start..stop],
            at: 0,
        };
        write(&mut pen);
        self.filled.length += pen.at;
    }

    #[cold]
    fn grow(&mut self, least: usize) {
        let (own, length) = (&mut self.filled.own, self.filled.length);
        let was_lent = own.is_empty();
        own.resize(least.max(2 * self.lent.len()).max(2 * own.len()), 0);
        if was_lent {
            own[..length].copy_from_slice(&self.lent[..length]);
        }
    }
}

/// Writes a line.
#[derive(Debug)]
pub(super) struct Pen<'m> {
    out: &'m mut [u8],
    at: usize,
}

impl Pen<'_> {
    /// Writes the first `length` bytes of `text`, which has [`CHUNK`] bytes more.
    #[inline]
    pub(super) fn text(&mut self, text: &[u8], length: usize) {
        if length > LONG {
            self.exactly(&text[..length]);
            return;
        }
        let out = &mut self.out[self.at..];
        let mut done = 0;
        loop {
            out[done..done + CHUNK].copy_from_slice(&text[done..done + CHUNK]);
            done += CHUNK;
            if done >= length {
                break;
            }
        }
        self.at += length;
    }

    /// Writes bytes whose number the compiler knows.
    #[inline]
    pub(super) fn fixed<const N: usize>(&mut self, bytes: [u8; N]) {
        self.out[self.at..self.at + N].copy_from_slice(&bytes);
        self.at += N;
    }

    /// Writes a number.
    pub(super) fn number(&mut self, value: u32) {
        let mut digits = Vec::new();
        write_whole(&mut digits, crate::numeric::to_index(value.into()));
        self.exactly(&digits);
    }

    fn exactly(&mut self, bytes: &[u8]) {
        self.out[self.at..self.at + bytes.len()].copy_from_slice(bytes);
        self.at += bytes.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn padded(text: &str) -> Vec<u8> {
        let mut padded = text.as_bytes().to_vec();
        padded.resize(text.len() + CHUNK, b'#');
        padded
    }

    /// Lines of many lengths, into lent memory of this size.
    fn written(lent: usize) -> (Vec<u8>, bool) {
        let mut memory = vec![b'?'; lent];
        let mut room = Room::new(&mut memory);
        for length in [0, 1, 31, 32, 33, 64, 127, 128, 129, 500] {
            let text = padded(&"x".repeat(length));
            room.line(length + 16, |pen| {
                pen.text(&text, length);
                pen.fixed(*b" - ");
                pen.number(u32::MAX);
                pen.fixed(*b"\n");
            });
        }
        let filled = room.filled();
        let is_own = !filled.own.is_empty();
        let all = if is_own { filled.own } else { memory };
        (all[..filled.length].to_vec(), is_own)
    }

    #[test]
    fn lines_are_the_same_wherever_they_go() {
        let lengths = [0, 1, 31, 32, 33, 64, 127, 128, 129, 500];
        let lines = lengths.map(|length| format!("{} - 4294967295\n", "x".repeat(length)));
        let expected = lines.concat();
        for lent in [0, 1, 60, 61, 100, 800, expected.len()] {
            assert_eq!(
                written(lent),
                (expected.clone().into_bytes(), true),
                "{lent}"
            );
        }
        assert_eq!(
            written(expected.len() + 2 + CHUNK),
            (expected.into_bytes(), false)
        );
    }
}
