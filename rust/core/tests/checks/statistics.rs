//! What must hold for any bytes that are read as a statistics file of Moses; run on seeds by `cargo test`, on inventions by the fuzz target.

use plait_core::error::{Error, Result};
use plait_core::minrisk::mert::statistics_files::{Blocks, Kind, Number, Reader, Written, write};
use std::fmt::Debug;
use std::str::FromStr;

fn read<T: FromStr + Number>(kind: Kind, bytes: &[u8], block: usize) -> Result<Blocks<T>> {
    let mut reader = Reader::new(kind);
    for part in bytes.chunks(block) {
        reader.feed(part)?;
    }
    reader.finish()
}

fn check<T>(kind: Kind, bytes: &[u8], block: usize)
where
    T: FromStr + Number + Written + PartialEq + Debug,
{
    let whole = read::<T>(kind, bytes, bytes.len().max(1));
    assert_eq!(read(kind, bytes, block), whole);
    match whole {
        Ok(blocks) => {
            let rows = blocks.starts.last().copied().unwrap_or(0);
            assert_eq!(blocks.starts.len(), blocks.segments.len() + 1);
            let values = u64::try_from(blocks.values.len()).expect("in memory");
            assert_eq!(rows * u64::try_from(blocks.width).expect("small"), values);
            let text = write(kind, &blocks);
            assert_eq!(read(kind, text.as_bytes(), block), Ok(blocks));
        }
        Err(Error::Text { line, column, .. }) => {
            let lines = bytes.split(|&byte| byte == b'\n').count();
            assert!(usize::try_from(line).is_ok_and(|line| (1..=lines + 1).contains(&line)));
            assert!(column >= 1);
        }
        Err(other) => panic!("{other}"),
    }
}

/// Reading does not depend on the blocks; an error names a line that is there or is missing; what was read is written so that it reads the same.
pub fn check_statistics(bytes: &[u8], block: usize) {
    check::<f64>(Kind::Features, bytes, block);
    check::<i64>(Kind::Scores, bytes, block);
}
