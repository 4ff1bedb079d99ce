//! What must hold for any bytes that are read as an ARPA file; run on seeds by `cargo test`, on inventions by the fuzz target.

use plait_core::cancel::CancelToken;
use plait_core::error::{Error, Result};
use plait_core::ngram::{ArpaReader, ArpaWriter, Model};
use plait_core::text::Vocabulary;

fn read(bytes: &[u8], block: usize) -> Result<(Model, Vocabulary)> {
    let mut reader = ArpaReader::new();
    for part in bytes.chunks(block) {
        reader.feed(part)?;
    }
    reader.finish(&CancelToken::new())
}

/// Reading does not depend on the blocks; an error names a line that is there or is missing; what was read is written so that it reads the same; all steps
/// end, in states that are there.
pub fn check_arpa(bytes: &[u8], block: usize) {
    let whole = read(bytes, bytes.len().max(1));
    assert_eq!(read(bytes, block), whole);
    match whole {
        Ok((model, words)) => {
            assert!(Model::from_parts(model.to_parts()).is_ok());
            let mut state = model.start();
            for word in (0..=u32::try_from(words.len()).expect("small")).take(1_000) {
                let (log, next) = model.step(state, word);
                assert!(!log.is_nan());
                assert!(usize::try_from(next.as_u32()).is_ok_and(|next| next < model.states()));
                state = next;
            }
            let Ok(mut writer) = ArpaWriter::new(&model, &words, false) else {
                return;
            };
            let mut text = String::new();
            while let Some(block) = writer.next_block() {
                text.push_str(&block);
            }
            let (again, names) = read(text.as_bytes(), block).expect("what was written");
            assert_eq!(again.counts(), model.counts());
            assert_eq!(names, words);
        }
        Err(Error::Text { line, column, .. }) => {
            let lines = bytes.split(|&byte| byte == b'\n').count();
            assert!(usize::try_from(line).is_ok_and(|line| (1..=lines + 1).contains(&line)));
            assert!(column >= 1);
        }
        Err(other) => panic!("{other}"),
    }
}
