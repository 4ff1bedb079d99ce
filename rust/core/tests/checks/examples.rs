//! What must hold for any bytes that are read as examples of reordering; run on seeds by `cargo test`, on inventions by the fuzz target.

use plait_core::error::{Error, Result};
use plait_core::reorder::read::{Read, ReadOptions, Reader, UNKNOWN};

fn read(bytes: &[u8], block: usize, options: &ReadOptions) -> Result<Read> {
    let mut reader = Reader::new(options.clone());
    for part in bytes.chunks(block.max(1)) {
        reader.feed(part)?;
    }
    reader.finish()
}

/// Reading does not depend on blocks; rows, classes and features belong together; an error names a line that is there.
pub fn check_examples(bytes: &[u8], block: usize) {
    for (least_count, has_identity) in [(1, true), (2, false)] {
        let options = ReadOptions {
            least_count,
            has_identity,
            keeps_pairs: true,
        };
        let whole = read(bytes, bytes.len(), &options);
        match (whole, read(bytes, block, &options)) {
            (Ok(whole), Ok(parts)) => {
                assert_eq!(whole.offsets, parts.offsets);
                assert_eq!(whole.features, parts.features);
                assert_eq!(
                    (&whole.labels, &whole.classes),
                    (&parts.labels, &parts.classes)
                );
                check_rows(&whole);
            }
            (Err(whole), Err(parts)) => {
                assert_eq!(whole, parts);
                let Error::Text { line, column, .. } = whole else {
                    panic!("{whole}");
                };
                let lines = bytes.split(|&byte| byte == b'\n').count();
                assert!(usize::try_from(line).is_ok_and(|line| (1..=lines).contains(&line)));
                assert!(column >= 1);
            }
            _ => panic!("it depends on the blocks"),
        }
    }
}

fn check_rows(found: &Read) {
    let rows = found.labels.len();
    assert_eq!(found.offsets.len(), rows + 1);
    assert!(found.offsets.is_sorted());
    assert_eq!(
        found.offsets.last().map(|&end| usize::try_from(end)),
        Some(Ok(found.features.len()))
    );
    let within = |id: u32, count: usize| usize::try_from(id).is_ok_and(|id| id < count);
    assert!(
        found
            .features
            .iter()
            .all(|&id| within(id, found.vocabulary.len()))
    );
    assert!(
        found
            .labels
            .iter()
            .all(|&label| label == UNKNOWN || within(label, found.classes.len()))
    );
    let (names, pairs) = found.pairs.as_ref().expect("they are kept");
    assert_eq!(pairs.len(), rows);
    assert!(pairs.iter().all(|&id| within(id, names.len())));
}
