//! Byte blocks of any size, cut into lines.

use crate::error::{Error, Result};

/// Longest line in bytes. A file without line ends (a database, a disk image) is refused here rather than swallowed whole.
const MAX_LINE_BYTES: usize = 1 << 30;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Cuts a stream of blocks at `\n`. A line that lies inside one block is never copied.
#[derive(Debug, Default)]
pub(crate) struct LineCutter {
    /// The start of a line whose end has not come yet.
    open: Vec<u8>,
    lines: u64,
}

impl LineCutter {
    /// Calls `each` with the 1-based number and the bytes of every line that ends in this block, without its line end.
    pub(crate) fn feed(
        &mut self,
        mut block: &[u8],
        mut each: impl FnMut(u64, &[u8]) -> Result<()>,
    ) -> Result<()> {
        while let Some(end) = block.iter().position(|&byte| byte == b'\n') {
            let (head, tail) = (&block[..end], &block[end + 1..]);
            if self.open.is_empty() {
                self.lines += 1;
                each(self.lines, trim(self.lines, head))?;
            } else {
                self.extend(head)?;
                self.close(&mut each)?;
            }
            block = tail;
        }
        self.extend(block)
    }

    /// Calls `each` for a last line without `\n`, if there is one. A stream of a byte order mark alone has no line.
    pub(crate) fn finish(&mut self, mut each: impl FnMut(u64, &[u8]) -> Result<()>) -> Result<()> {
        if self.open.is_empty() || (self.lines == 0 && self.open == BYTE_ORDER_MARK) {
            return Ok(());
        }
        self.close(&mut each)
    }

    fn close(&mut self, each: &mut impl FnMut(u64, &[u8]) -> Result<()>) -> Result<()> {
        self.lines += 1;
        each(self.lines, trim(self.lines, &self.open))?;
        self.open.clear();
        Ok(())
    }

    fn extend(&mut self, part: &[u8]) -> Result<()> {
        if self.open.len().saturating_add(part.len()) > MAX_LINE_BYTES {
            return Err(Error::Text {
                line: self.lines + 1,
                column: 1,
                problem: format!(
                    "a line has at most {MAX_LINE_BYTES} bytes; is this a text file with one sentence a line?"
                ),
                found: "a longer one".to_owned(),
            });
        }
        reserve(&mut self.open, part.len(), "a line of text")?;
        self.open.extend_from_slice(part);
        Ok(())
    }
}

/// Room for `more` items, or an error instead of the end of the process.
pub(crate) fn reserve<T>(items: &mut Vec<T>, more: usize, what: &'static str) -> Result<()> {
    items.try_reserve(more).map_err(|_| Error::Memory {
        what,
        bytes: (items.len() + more).saturating_mul(size_of::<T>()) as u64,
    })
}

fn trim(line: u64, bytes: &[u8]) -> &[u8] {
    let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
    match line {
        1 => bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes),
        _ => bytes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(blocks: &[&[u8]]) -> Vec<(u64, Vec<u8>)> {
        let mut got = Vec::new();
        let mut each = |n: u64, bytes: &[u8]| {
            got.push((n, bytes.to_vec()));
            Ok(())
        };
        let mut cutter = LineCutter::default();
        for block in blocks {
            cutter.feed(block, &mut each).expect("short lines");
        }
        cutter.finish(&mut each).expect("short lines");
        got
    }

    #[test]
    fn a_line_ends_at_newline_only_and_loses_one_carriage_return() {
        let got = cut(&[b"a\r\nb\r\r\n\rc\x0cd\xc2\x85\n\n", b"e\r"]);
        let want: [&[u8]; 5] = [b"a", b"b\r", b"\rc\x0cd\xc2\x85", b"", b"e"];
        assert_eq!(got.len(), want.len());
        for (n, ((number, bytes), want)) in got.iter().zip(want).enumerate() {
            assert_eq!((*number, bytes.as_slice()), (n as u64 + 1, want));
        }
    }

    #[test]
    fn a_byte_order_mark_is_dropped_at_the_start_only_even_when_it_comes_in_pieces() {
        assert_eq!(
            cut(&[b"\xef", b"\xbb", b"\xbfa\n\xef\xbb\xbfb"]),
            [(1, b"a".to_vec()), (2, b"\xef\xbb\xbfb".to_vec())]
        );
        assert_eq!(cut(&[b"\xef\xbb\xbf"]), []);
        assert_eq!(cut(&[b"\xef\xbb\xbf\n"]), [(1, Vec::new())]);
    }
}
